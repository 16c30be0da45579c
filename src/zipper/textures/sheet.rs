//! The contact sheet of a package.

use super::{judge::describe, look::pixels, package::Package};
use refit_base::{
    contract::no_member,
    game::Game,
    sheet::{self, Tile},
    tree::Sink,
    wire::Result,
};

/// Writes the sheets of a package and returns their names.
pub fn export(package: &Package, game: Option<Game>, out: &dyn Sink) -> Result<Vec<String>> {
    let tile = |i: usize| {
        let image = package.images.get(i).ok_or_else(|| no_member(i))?;
        let (kind, detail) = describe(image);
        let (size, rest) = detail.split_once(", ").unwrap_or((&detail, ""));
        Ok(Tile {
            name: image.name.text().to_string(),
            lines: [
                format!("{} {kind}", size.replace(" × ", "x")),
                rest.to_owned(),
            ],
            size: [
                usize::from(image.info.width),
                usize::from(image.info.height),
            ],
            pixels: pixels(image, &package.palettes, game)?,
        })
    };
    sheet::write(package.images.len(), &tile, out)
}
