//! New packages of plain folders.

use super::{
    TexturesCodec, TexturesModel, color, convert,
    manifest::{Alpha, ImageEntry, PixelKind, Textures, sort_key},
    package::PNG,
};
use refit_base::{
    contract::Codec,
    game::Game,
    picture::{Picture, Pixels},
    tree::{
        Folder,
        plain::{PlainFolder, as_in, check_names},
    },
    wire::{Derived, Error, Result, Text},
};

/// The end of the name of a picture that is the alpha plane of another one.
const PLANE: &str = ".alpha.png";

/// Makes a package from the PNG files of a folder. The name of an image is its file name.
pub(super) fn package(folder: &PlainFolder<'_>) -> Result<TexturesModel> {
    let like: Option<Textures> = folder.like()?;
    let cs = folder.game == Some(Game::Cs);
    let mut images = Vec::new();
    for path in folder.ending(&[PNG]) {
        if !path.to_lowercase().ends_with(PLANE) {
            images.push(entry(folder, path)?);
        }
    }
    if images.is_empty() {
        return Err(Error::say("the folder has no pictures").hint("images are PNG files"));
    }
    let key = |entry: &ImageEntry| entry.name.text().to_lowercase();
    let named = images.iter().map(|image| {
        (
            image.name.text().into_owned(),
            image.file.as_deref().unwrap_or_default(),
        )
    });
    check_names("image", named)?;
    let mut palettes = Vec::new();
    match like {
        Some(like) => {
            images = as_in(images, &like.images, key, |image, old| match old {
                Some(old) if old.shares.is_none() => take(image, old),
                Some(_) => {}
                None => folder.assume(format!("{}: after the others", image.name)),
            });
            palettes = like.global_palettes;
        }
        None if cs => folder.assume(
            "images in the order of the bytes of their names, for the game's binary search",
        ),
        None => folder.assume("images in the order of their names"),
    }
    if cs {
        images.sort_by_key(|image| sort_key(&image.name));
    }
    let usual = Derived::default;
    let manifest = Textures::new(
        folder.head(),
        usual(),
        usual(),
        usual(),
        usual(),
        cs,
        images,
        palettes,
        None,
        None,
    );
    let mut package = TexturesCodec.assemble(&folder.tree(Folder::new(), manifest)?.reader()?)?;
    // These notes are about changes that made a picture fit; a new package has no others.
    package.notes.drain(..).for_each(|note| folder.assume(note));
    Ok(package)
}

/// The entry of a picture: with a palette if the picture has one, with the alpha that it shows.
fn entry(folder: &PlainFolder<'_>, path: &str) -> Result<ImageEntry> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let mut name = file
        .get(..file.len().saturating_sub(PNG.len()))
        .unwrap_or(file)
        .to_owned();
    if folder.game == Some(Game::Cs) && name != name.to_lowercase() {
        name = name.to_lowercase();
        folder.assume(format!(
            "{name}: in lower case, because Crimson Skies finds no other names"
        ));
    }
    let picture = Picture::decode(&folder.get(path)?).map_err(|e| e.in_file(path))?;
    let name: Text<32> = name
        .as_str()
        .try_into()
        .map_err(|e: Error| e.in_file(path))?;
    let plane = format!(
        "{}{PLANE}",
        path.get(..path.len().saturating_sub(PNG.len()))
            .unwrap_or(path)
    );
    let alpha = match folder.has(&plane) {
        true => Alpha::Full,
        false => match alpha_of(&picture) {
            Alpha::Simple if !is_keyed(&picture) => Alpha::Full,
            alpha => alpha,
        },
    };
    let (mut kind, mut quantize) = (PixelKind::Rgb565, false);
    if matches!(picture.pixels, Pixels::Indexed { .. })
        || folder.file.to_lowercase().starts_with("texture") && folder.game == Some(Game::Cs)
    {
        (kind, quantize) = (PixelKind::Local(256), true);
    }
    Ok(ImageEntry {
        name,
        file: Some(path.to_owned()),
        kind,
        alpha,
        quantize,
        ..ImageEntry::default()
    })
}

/// True if black marks the transparent pixels: then a colour key can replace the alpha.
fn is_keyed(picture: &Picture) -> bool {
    matches!(picture.pixels, Pixels::Indexed { .. })
        || picture
            .pixels
            .all()
            .all(|[r, g, b, a]| (color::word([r, g, b]) == 0) == (a == 0))
}

/// The kind of alpha that shows all of a picture.
pub(super) fn alpha_of(picture: &Picture) -> Alpha {
    let kinds = |alpha: u8| match alpha {
        255 => 0,
        0 => 1,
        _ => 2,
    };
    match convert::alpha_of(&picture.pixels).and_then(|all| all.into_iter().map(kinds).max()) {
        Some(1) => Alpha::Simple,
        Some(2) => Alpha::Full,
        _ => Alpha::None,
    }
}

/// Takes everything that a picture does not contain from another package.
fn take(image: &mut ImageEntry, old: &ImageEntry) {
    let file = image.file.take();
    let quantize = matches!(old.kind, PixelKind::Local(_));
    let alpha = if image.alpha == Alpha::None && old.alpha != Alpha::Full {
        old.alpha
    } else {
        image.alpha
    };
    *image = ImageEntry {
        file,
        alpha,
        quantize,
        width: None,
        height: None,
        place: None,
        gap: None,
        palette: None,
        ..old.clone()
    };
}
