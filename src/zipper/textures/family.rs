//! Puts one picture into all images of a name, each in its own size and form: packages for several
//! cards contain the same textures.

use super::{
    TexturesModel,
    convert::{self, Want},
    fit, fresh, judge, look,
    manifest::{Alpha, ImageEntry, PixelKind, sort_key},
    package::{Image, ImageInfo, RenderFlags, flag},
};
use bytes::Bytes;
use refit_base::{
    game::Game,
    picture::Picture,
    wire::{Error, Hex, Result, Text, fit},
};

/// What became of a picture in one image.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Fitted {
    /// The image's name in its package.
    pub name: String,
    /// Pixels of the image before: width and height.
    pub was: [u32; 2],
    /// Pixels of the image now: width and height.
    pub now: [u32; 2],
    /// The current pixel format, as `list` shows it: `rgb565`, `local 200`.
    pub form: String,
    /// Its kind of alpha: `none`, `simple`, `full`.
    pub alpha: &'static str,
    /// True if the picture was scaled.
    pub scaled: bool,
    /// True if the image changed.
    pub changed: bool,
    /// Losses and doubts.
    pub notes: Vec<String>,
}

impl Fitted {
    /// The form with its alpha: `rgb565, full alpha`.
    pub fn form_and_alpha(&self) -> String {
        match self.alpha {
            "none" => self.form.clone(),
            alpha => format!("{}, {alpha} alpha", self.form),
        }
    }

    /// What became of a picture of this size in an image that had the size `was`.
    fn of(image: &Image, was: [u32; 2], picture: [u32; 2], notes: Vec<String>) -> Self {
        let entry = ImageEntry::of(image, "");
        let now = [u32::from(image.info.width), u32::from(image.info.height)];
        let (form, _) = judge::describe(image);
        let scaled = now != picture;
        let alpha = entry.alpha.name().unwrap_or("other");
        Fitted {
            name: image.name.text().into_owned(),
            was,
            now,
            form,
            alpha,
            scaled,
            changed: true,
            notes,
        }
    }
}

impl TexturesModel {
    /// Puts a picture, PNG or JPEG, into each image of this name (ignoring case): in the image's
    /// own size and form, or with `own_size` in the picture's size. If the picture has too many
    /// colours, the palette is rebuilt. Returns what was done: nothing if no image has the name.
    ///
    /// Returns an error if the file is not a picture or does not fit an image; nothing is changed
    /// then.
    pub fn put_by_name(&mut self, name: &str, png: &[u8], own_size: bool) -> Result<Vec<Fitted>> {
        self.put_all(png, &[(name.to_owned(), own_size.then_some(0))])
    }

    /// Like [`TexturesModel::put_by_name`], but also for its smaller versions: `NAME_1` with half
    /// of its sides, `NAME_2` with a quarter and so on, which the games show at a distance. Each
    /// keeps its own size and form, or with `own_size` gets the fraction of the picture's size.
    ///
    /// If `NAME_1` is not smaller than `NAME`, it is another texture: it stays unchanged, and a
    /// note says so.
    pub fn put_with_smaller(
        &mut self,
        name: &str,
        png: &[u8],
        own_size: bool,
    ) -> Result<Vec<Fitted>> {
        let (levels, other) = judge::levels(&self.package, name);
        let size = |level: u32| own_size.then_some(level);
        let mut wanted: Vec<(String, Option<u32>)> = vec![(name.to_owned(), size(0))];
        wanted.extend((1..).zip(levels).map(|(level, name)| (name, size(level))));
        let mut done = self.put_all(png, &wanted)?;
        if let (Some(other), Some(first)) = (other, done.first_mut()) {
            first.notes.push(format!(
                "{other} is not smaller than the one before it, so it is not a smaller version: it stays unchanged"
            ));
        }
        Ok(done)
    }

    /// Puts a picture into the images of several names: all or none. Each image keeps its size, or
    /// with a number gets the picture's size, halved that many times.
    fn put_all(&mut self, png: &[u8], names: &[(String, Option<u32>)]) -> Result<Vec<Fitted>> {
        let (mut done, mut new) = (Vec::new(), Vec::new());
        let mut picture = None;
        for (name, halved) in names {
            let images = &self.package.images;
            let all = images
                .iter()
                .enumerate()
                .filter(|(_, i)| i.name.text().eq_ignore_ascii_case(name));
            // Images that share their data count as one.
            let mut owners: Vec<usize> = all.map(|(i, image)| image.shares.unwrap_or(i)).collect();
            owners.sort_unstable();
            owners.dedup();
            for owner in owners {
                let picture = match &picture {
                    Some(picture) => picture,
                    None => picture.insert(Picture::decode_any(png)?),
                };
                let half = |n: u32, times: u32| n.checked_shr(times).unwrap_or(0).max(1);
                let size =
                    halved.map(|times| [half(picture.width, times), half(picture.height, times)]);
                let (fitted, image) = self.fitted(owner, picture, size)?;
                done.push(fitted);
                new.push((owner, image));
            }
        }
        for (owner, new) in new {
            self.replace(owner, &new.info, &new.data);
        }
        Ok(done)
    }

    /// An image with a picture in it, in the image's own size or in the given one.
    fn fitted(
        &self,
        owner: usize,
        picture: &Picture,
        size: Option<[u32; 2]>,
    ) -> Result<(Fitted, Image)> {
        let package = &self.package;
        let image = package
            .images
            .get(owner)
            .ok_or_else(|| refit_base::contract::no_member(owner))?;
        let place = |e: Error| {
            e.within(format!("[{owner}] {}", image.name))
                .within("images")
        };
        let was = [u32::from(image.info.width), u32::from(image.info.height)];
        let mut notes = Vec::new();
        let now = size.unwrap_or(was);
        if image.info.is_empty() && size.is_none() {
            return Err(place(Error::say(
                "this image has no pixels, so there is no size to scale the picture to",
            )));
        }
        let clamps = [RenderFlags::CLAMP_U, RenderFlags::CLAMP_V]
            .map(|bit| image.info.render_flags.has(bit));
        let fitted = fit::fit(picture, now[0], now[1], clamps).map_err(place)?;
        // Cross products compare the aspect ratios; rounding of the sides may make 1 % difference.
        let (a, b) = (
            u64::from(picture.width) * u64::from(now[1]),
            u64::from(picture.height) * u64::from(now[0]),
        );
        if a.abs_diff(b) * 100 > a.max(b) {
            notes.push(format!(
                "the picture has {} × {} pixels, but the image has {} × {}: it is stretched",
                picture.width, picture.height, now[0], now[1]
            ));
        }
        let (info, data) = self
            .converted(image, &fitted, true, &mut notes)
            .map_err(place)?;
        let new = Image {
            info,
            data,
            ..image.clone()
        };
        let entry = ImageEntry::of(image, "");
        // The darkest green is one bit, which 15-bit screens lack: the pixel becomes the
        // transparent black.
        let sees = matches!(entry.kind, PixelKind::Rgb565)
            && entry.alpha == Alpha::Simple
            && matches!(self.game, Some(Game::Rc) | None);
        let [pixels, ..] = new.parts()?;
        let green = if sees {
            pixels
                .as_chunks::<2>()
                .0
                .iter()
                .filter(|word| u16::from_le_bytes(**word) == 0x0020)
                .count()
        } else {
            0
        };
        if green > 0 {
            notes.push(format!(
                "{green} pixels have the darkest green (0, 4, 0), which Recoil makes black, and so transparent, on \
                15-bit screens: (0, 0, 8) stays visible"
            ));
        }
        // Not caused by the edit if a card refused the image before, but it explains why the
        // picture will not be seen.
        let refused = judge::of_device(image, self.game, &self.name);
        notes.extend(
            judge::of_device(&new, self.game, &self.name)
                .into_iter()
                .filter(|why| refused.contains(why)),
        );
        let fitted = Fitted {
            changed: !image.is_like(&new)?,
            ..Fitted::of(&new, was, [picture.width, picture.height], notes)
        };
        Ok((fitted, new))
    }

    /// Adds a picture, PNG or JPEG, as an image of this name: with a palette if all images have
    /// one, otherwise with 16 bits; with the picture's kind of alpha; with sides that cards accept,
    /// no larger than those of existing images. An existing image that shows the same picture is
    /// left alone.
    ///
    /// Returns an error if the file is not a picture, if the name has more than 31 characters, if
    /// images overlap, or if the image of this name is another one.
    pub fn add_by_name(&mut self, name: &str, png: &[u8]) -> Result<Vec<Fitted>> {
        let done = self.add_or_leave(name, png)?.ok_or_else(|| another(name))?;
        Ok(vec![done])
    }

    /// [`TexturesModel::add_by_name`]; `None` if the image of this name is another one.
    fn add_or_leave(&mut self, name: &str, png: &[u8]) -> Result<Option<Fitted>> {
        if let Some(owner) = self.owner_of(name) {
            let (there, _) = self.fitted(owner, &Picture::decode_any(png)?, None)?;
            // What is there already loses nothing now.
            return Ok((!there.changed).then_some(Fitted {
                notes: Vec::new(),
                ..there
            }));
        }
        let picture = Picture::decode_any(png)?;
        if picture.width == 0 || picture.height == 0 {
            return Err(Error::say("a picture without pixels"));
        }
        let images = &self.package.images;
        let indexed = !images.is_empty() && images.iter().all(|image| image.info.indexed());
        let largest = images
            .iter()
            .map(|image| image.info.width.max(image.info.height))
            .max()
            .unwrap_or(256)
            .clamp(8, 1024);
        let side = |n: u32| u32::from(usual_side(n).min(largest.next_power_of_two()));
        let (width, height) = (side(picture.width), side(picture.height));
        let (width, height) = (width.max(height / 8), height.max(width / 8));
        let alpha = fresh::alpha_of(&picture);
        let lower = name.to_lowercase();
        let text: Text<32> = if self.game == Some(Game::Cs) {
            lower.as_str()
        } else {
            name
        }
        .try_into()?;
        let kind = if indexed {
            PixelKind::Local(256)
        } else {
            PixelKind::Rgb565
        };
        // The engine's bookkeeping, as in the other images.
        let loaded = images
            .first()
            .map(|image| ImageEntry::of(image, "").loaded)
            .unwrap_or_default();
        let entry = ImageEntry {
            name: text,
            kind,
            alpha,
            loaded,
            quantize: true,
            ..ImageEntry::default()
        };
        let mut notes = Vec::new();
        let fitted = fit::fit(&picture, width, height, [false; 2])?;
        let want = Want {
            entry: &entry,
            game: self.game,
            globals: &[],
            memory: None,
            plane: None,
        };
        let (info, data) = convert::convert(&want, &fitted, None, &mut notes)?;
        let image = Image {
            name: text,
            global_palette: -1,
            info,
            data: Bytes::from(data).into(),
            gap: Bytes::new(),
            place: None,
            shares: None,
        };
        let done = Fitted::of(&image, [0, 0], [picture.width, picture.height], notes);
        self.insert(image)?;
        Ok(Some(done))
    }

    /// Copies the image with this name from another package unchanged, with its smaller versions.
    /// Equal images stay. Returns `None`, and changes nothing, if this package has a different
    /// image with this name.
    ///
    /// Returns an error if images overlap, or if a smaller version is a different image here.
    pub fn copy_by_name(
        &mut self,
        other: &TexturesModel,
        name: &str,
    ) -> Result<Option<Vec<Fitted>>> {
        let Some(first) = self.copy_or_leave(other, name)? else {
            return Ok(None);
        };
        let mut done = vec![first];
        for level in judge::levels(&other.package, name).0 {
            done.push(
                self.copy_or_leave(other, &level)?
                    .ok_or_else(|| another(&level))?,
            );
        }
        Ok(Some(done))
    }

    fn copy_or_leave(&mut self, other: &TexturesModel, name: &str) -> Result<Option<Fitted>> {
        let image = other
            .image_of(name)
            .ok_or_else(|| Error::say(format!("no image is called {name:?}")))?;
        let mut new = Image {
            gap: Bytes::new(),
            place: None,
            shares: None,
            ..image.clone()
        };
        if image.info.flags.0 & flag::GLOBAL != 0 {
            let palette = usize::try_from(image.global_palette)
                .ok()
                .and_then(|at| other.package.palettes.get(at));
            let Some(own) = palette
                .and_then(|palette| self.package.palettes.iter().position(|own| own == palette))
            else {
                return self.copy_picture(other, name);
            };
            new.global_palette = fit(own, "the position of a palette")?;
        }
        let is_there = match self.image_of(name) {
            Some(own) if !shows_the_same(own, &new)? => return Ok(None),
            own => own.is_some(),
        };
        let size = [new.info.width, new.info.height].map(u32::from);
        let was = if is_there { size } else { [0, 0] };
        let done = Fitted {
            changed: !is_there,
            ..Fitted::of(&new, was, size, Vec::new())
        };
        if !is_there {
            self.insert(new)?;
        }
        Ok(Some(done))
    }

    /// Adds the picture of the image with this name in another package, in the form of this
    /// package; `None` if this package has a different image with this name.
    pub fn copy_picture(&mut self, other: &TexturesModel, name: &str) -> Result<Option<Fitted>> {
        let shown = match other.image_of(name) {
            Some(image) => look::show_image(image, &other.package.palettes, other.game)?,
            None => None,
        };
        let shown = shown.ok_or_else(|| Error::say(format!("{name:?} has no picture")))?;
        self.add_or_leave(name, &shown.png)
    }

    /// The result for an image of this name that stays, with a note that says why.
    pub fn left(&self, name: &str, note: &str) -> Option<Fitted> {
        let image = self.image_of(name)?;
        let size = [image.info.width, image.info.height].map(u32::from);
        Some(Fitted {
            changed: false,
            ..Fitted::of(image, size, size, vec![note.to_owned()])
        })
    }

    /// The position of the first image of this name, ignoring case, or of that with whose data it
    /// is stored.
    fn owner_of(&self, name: &str) -> Option<usize> {
        let mut images = self.package.images.iter().enumerate();
        let found = images.find(|(_, image)| image.name.text().eq_ignore_ascii_case(name));
        found.map(|(i, image)| image.shares.unwrap_or(i))
    }

    /// The first image of this name, ignoring case.
    pub fn image_of(&self, name: &str) -> Option<&Image> {
        self.package
            .images
            .iter()
            .find(|image| image.name.text().eq_ignore_ascii_case(name))
    }

    /// Adds an image: after all others, or in Crimson Skies at its place in the sort order.
    fn insert(&mut self, image: Image) -> Result<()> {
        if self.package.overlaid.is_some() {
            return Err(
                Error::say("the images of this package overlap, so none can be added")
                    .hint("delete `layout` from its tree's manifest"),
            );
        }
        let images = &mut self.package.images;
        // Crimson Skies finds names by binary search.
        let sorted =
            self.game == Some(Game::Cs) && images.is_sorted_by_key(|image| sort_key(&image.name));
        let key = sort_key(&image.name);
        let at = if sorted {
            images.partition_point(|other| sort_key(&other.name) < key)
        } else {
            images.len()
        };
        for other in images.iter_mut() {
            other.shares = other
                .shares
                .map(|owner| if owner >= at { owner + 1 } else { owner });
        }
        images.insert(at, image);
        Ok(())
    }
}

/// True if two images of one package have the same pixels in the same form.
fn shows_the_same(a: &Image, b: &Image) -> Result<bool> {
    // The flags of loaded images say nothing about the image.
    let info = |image: &Image| ImageInfo {
        flags: Hex(image.info.flags.0 & !flag::LOADED),
        ..image.info.clone()
    };
    let palette =
        |image: &Image| (image.info.flags.0 & flag::GLOBAL != 0).then_some(image.global_palette);
    Ok(info(a) == info(b) && palette(a) == palette(b) && a.data.is(&b.data.bytes()?)?)
}

/// The error for an image that is another one.
pub fn another(name: &str) -> Error {
    Error::say(format!("the package has another picture called {name:?}")).hint(
        "give the new texture another name, or replace the picture of the package with `refit put`",
    )
}

/// The power of two nearest to a side.
fn usual_side(n: u32) -> u16 {
    let up = n.clamp(1, 1024).next_power_of_two();
    let down = (up / 2).max(1);
    // Nearest by factor, not by difference: the limit is the geometric mean, and comparing squares
    // avoids the root.
    let nearest = if u64::from(n).pow(2) < u64::from(up) * u64::from(down) {
        down
    } else {
        up
    };
    nearest.clamp(8, 1024) as u16
}
