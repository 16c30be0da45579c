//! Compiles animation definitions with the sounds of a game:
//! `cargo run --example compile_anim -- DEFS BASE GAME OUTPUT`.

use refit::{
    Error, Hints,
    anim_source::Stamps,
    tree::{Replace, write_file},
    workbench::{Surroundings, anim::Compile, definitions::counts},
};
use std::path::PathBuf;

fn main() -> Result<(), Error> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [defs, base, game, output] = arguments.as_slice() else {
        return Err(Error::say("name DEFS BASE GAME OUTPUT"));
    };
    let compile = Compile {
        sources: vec![defs.clone()],
        base: Some(base.clone()),
        surroundings: Surroundings {
            sounds: vec![game.clone()],
            ..Surroundings::default()
        },
        stamps: Stamps::Keep,
        prune: false,
        strict: false,
    };
    let made = compile.run(output, Hints::default())?;
    for entry in &made.compiled.entries {
        entry
            .error
            .iter()
            .for_each(|error| eprintln!("error: {error}"));
        entry.findings.iter().for_each(|finding| {
            eprintln!(
                "{}: {} [{}]",
                entry.definition, finding.message, finding.code
            )
        });
    }
    println!("{}", counts(&made.compiled));
    write_file(output, &made.bytes()?, Replace::new(true))?;
    Ok(())
}
