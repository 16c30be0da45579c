//! Prints the nodes of a world as a tree: `cargo run --example walk_world -- gamez.zbd`.

use refit::File;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: walk_world GAMEZ.ZBD")?;
    let File::World(world) = File::read(std::fs::read(&path)?, &path)? else {
        return Err("this file is not a world".into());
    };
    for (root, _) in world.roots() {
        for (depth, id, node) in world.walk(root) {
            println!(
                "{:indent$}{id} {} ({})",
                "",
                node.title(),
                node.data.kind(),
                indent = 2 * depth
            );
        }
    }
    Ok(())
}
