//! Liveries of Crimson Skies: `.BM` files of its ROF archives, the paint of an aircraft in layers.
//!
//! Height and width in 16 bits, then planes without padding, rows from the bottom: shading with
//! three bytes per pixel, the masks of the three paint colours with one byte each (their sum is
//! about 255), and an overlay of four bytes with alpha. All 184 of the game have this length;
//! measured by the authors of `LinusU/rust-crimson-skies` and `Laeresh/CSVM`.
//!
//! In the tree each layer is a PNG. It is unknown whether the overlay's colours are red, green,
//! blue or blue, green, red: those of the game are grey. refit uses the first order; the bytes
//! survive the round trip in any case.

use bytes::Bytes;
use refit_base::{
    contract::{
        Codec, Context, Detection, Family, Info, Member, Members, Model, Stage, Suspect, Verdict,
        schema,
    },
    format::Format,
    game::Game,
    lint::Lints,
    picture::{Picture, Pixels},
    tree::{Blob, ByteSink, Folder, Form, TreeReader, TreeWriter, plain::PlainFolder},
    wire::{Error, Notation, Reader, Result, Role, Trace, fit, value_at},
};

/// The format and schema of this module.
pub const FAMILY: Family = Family {
    formats: &[Format::Livery],
    recognise: &[(Stage::Name, recognise)],
    codes: &[],
    schemas: || vec![schema::<LiveryManifest>()],
};

refit_base::manifest! {
    /// The manifest of a livery: everything is in the pictures, which all have one size.
    pub(crate) struct LiveryManifest, "livery" {
        /// Width and height of a livery without pixels, which no picture can have.
        size?: [u16; 2],
    }
}

/// The layers in the order of the file: name in the tree, bytes per pixel.
const LAYERS: [(&str, usize); 5] = [
    ("shading.png", 3),
    ("paint1.png", 1),
    ("paint2.png", 1),
    ("paint3.png", 1),
    ("overlay.png", 4),
];
/// Bytes per pixel, all layers together.
const EACH: u64 = 10;

/// A livery.
pub struct Livery {
    width: u16,
    height: u16,
    /// The rows are stored from the bottom.
    layers: [Bytes; 5],
}

/// The size according to the first bytes of a file; `None` if the file's length does not match.
fn size(file: &[u8]) -> Option<(u16, u16)> {
    let [height, width] = value_at::<[u16; 2]>(file, 0)?;
    (file.len() as u64 == 4 + EACH * u64::from(width) * u64::from(height))
        .then_some((width, height))
}

impl Livery {
    /// True for a file whose length matches its first bytes.
    pub(crate) fn is_livery(file: &[u8]) -> bool {
        size(file).is_some()
    }

    /// Reverses the order of the rows.
    fn turned(rows: &[u8], row: usize) -> Vec<u8> {
        rows.chunks_exact(row.max(1))
            .rev()
            .flatten()
            .copied()
            .collect()
    }

    fn picture(&self, layer: usize) -> Result<Bytes> {
        let ((_, each), bytes) = LAYERS
            .get(layer)
            .zip(self.layers.get(layer))
            .ok_or_else(|| no_layer(layer))?;
        let samples = Self::turned(bytes, usize::from(self.width) * each);
        let pixels = match each {
            1 => Pixels::Grey(samples),
            3 => Pixels::Rgb(samples),
            _ => Pixels::Rgba(samples),
        };
        Ok(Picture {
            width: self.width.into(),
            height: self.height.into(),
            pixels,
        }
        .encode(true)?
        .into())
    }

    /// Converts a PNG to a layer, with its size.
    fn layer(file: &[u8], each: usize) -> Result<(u16, u16, Bytes)> {
        let picture = Picture::decode(file)?;
        let (width, height) = (
            fit(picture.width as usize, "the width")?,
            fit(picture.height as usize, "the height")?,
        );
        let mut colors: Vec<[u8; 4]> =
            Vec::with_capacity(picture.width as usize * picture.height as usize);
        match picture.pixels {
            Pixels::Grey(v) => colors.extend(v.iter().map(|v| [*v, *v, *v, 255])),
            Pixels::Rgb(v) => {
                colors.extend(v.as_chunks().0.iter().map(|[r, g, b]| [*r, *g, *b, 255]))
            }
            Pixels::Rgba(v) => colors.extend(v.as_chunks::<4>().0),
            Pixels::Indexed {
                indices,
                palette,
                alpha,
            } => {
                for i in indices {
                    let [r, g, b] = *palette
                        .get(usize::from(i))
                        .ok_or_else(|| Error::say(format!("the palette has no color {i}")))?;
                    colors.push([r, g, b, alpha.get(usize::from(i)).copied().unwrap_or(255)]);
                }
            }
        }
        let mut out = Vec::with_capacity(colors.len() * each);
        for color @ [r, g, b, a] in colors {
            match each {
                1 if r == g && g == b && a == 255 => out.push(r),
                1 => return Err(Error::say("a mask is grey and opaque")),
                3 if a == 255 => out.extend([r, g, b]),
                3 => return Err(Error::say("the shading is opaque")),
                _ => out.extend(color),
            }
        }
        Ok((
            width,
            height,
            Self::turned(&out, picture.width as usize * each).into(),
        ))
    }
}

#[cold]
fn no_layer(layer: usize) -> Error {
    Error::say(format!("there is no layer #{layer}: a livery has five"))
}

/// Recognises a livery by its name and its size.
fn recognise(suspect: &Suspect<'_>) -> Verdict {
    if !suspect.ends_with(".bm") {
        return Verdict::No;
    }
    let Some(file) = suspect.whole else {
        return Verdict::All;
    };
    match Livery::is_livery(file) {
        true => Verdict::Is(Detection::new(
            Format::Livery,
            Some(Game::Cs),
            "the name, and ten bytes for each pixel",
            false,
        )),
        false => Verdict::No,
    }
}

/// The codec of [`Livery`].
pub struct LiveryCodec;

impl Codec for LiveryCodec {
    type Model = Livery;

    fn fresh(&self, folder: &PlainFolder<'_>) -> Result<Livery> {
        let manifest = LiveryManifest::new(folder.head(), None);
        self.assemble(&folder.tree(Folder::new(), manifest)?.reader()?)
    }
    fn read(&self, file: &Blob, _: &Context) -> Result<Livery> {
        let file = file.bytes()?;
        let (width, height) = size(&file).ok_or_else(|| {
            Error::say(format!(
                "{} bytes are not a height, a width and ten bytes for each pixel",
                file.len()
            ))
            .hint("was the file cut?")
        })?;
        let pixels = usize::from(width) * usize::from(height);
        let mut at = 4;
        let layers = LAYERS.map(|(_, each)| {
            let layer = file.slice(at..at + each * pixels);
            at += each * pixels;
            layer
        });
        Ok(Livery {
            width,
            height,
            layers,
        })
    }

    fn explain(&self, file: &Blob, context: &Context, trace: &dyn Trace) -> Result<()> {
        self.read(file, context)?;
        let file = file.bytes()?;
        let mut r = Reader::new(&file, Game::Cs).traced(Some(trace));
        let (height, width): (u16, u16) = (
            r.hidden("height", Role::Derived)?,
            r.hidden("width", Role::Derived)?,
        );
        for (name, each) in LAYERS {
            r.bytes(
                u64::from(width) * u64::from(height) * each as u64,
                name,
                Notation::Bytes,
                Role::Payload,
            )?;
        }
        Ok(())
    }

    fn assemble(&self, tree: &TreeReader<'_>) -> Result<Livery> {
        let manifest: LiveryManifest = tree.manifest()?;
        let mut livery = Livery {
            width: 0,
            height: 0,
            layers: Default::default(),
        };
        if let Some([width, height]) = manifest.size {
            if width != 0 && height != 0 {
                return Err(Error::say(
                    "the pictures give the size; only one without pixels is listed here",
                )
                .within("size")
                .in_file("refit"));
            }
            (livery.width, livery.height) = (width, height);
            return Ok(livery);
        }
        for (i, ((name, each), slot)) in LAYERS.into_iter().zip(&mut livery.layers).enumerate() {
            let (width, height, layer) =
                Livery::layer(&tree.file(name)?, each).map_err(|e| e.in_file(name))?;
            if i > 0 && (width, height) != (livery.width, livery.height) {
                let error = format!(
                    "{width} x {height} pixels, but the other layers have {} x {}",
                    livery.width, livery.height
                );
                return Err(Error::say(error).in_file(name));
            }
            (livery.width, livery.height, *slot) = (width, height, layer);
        }
        Ok(livery)
    }
}

impl Model for Livery {
    fn game(&self) -> Option<Game> {
        Some(Game::Cs)
    }
    fn write_to(&self, out: &mut dyn ByteSink) -> Result<()> {
        out.put(&[self.height.to_le_bytes(), self.width.to_le_bytes()].concat())?;
        self.layers.iter().try_for_each(|layer| out.put(layer))
    }
    fn unpack(&self, tree: &TreeWriter<'_>) -> Result<()> {
        let empty = self.width == 0 || self.height == 0;
        if !empty {
            for (i, (name, _)) in LAYERS.into_iter().enumerate() {
                tree.file(name, &self.picture(i)?)?;
            }
        }
        tree.manifest(LiveryManifest::new(
            tree.head.clone(),
            empty.then_some([self.width, self.height]),
        ))
    }
    fn lint(&self, _: &mut Lints) {}
    fn info(&self) -> Info {
        vec![
            ("width", self.width.into()),
            ("height", self.height.into()),
            ("layers", LAYERS.len().into()),
        ]
    }
    refit_base::offers!(Members);
}

impl Members for Livery {
    fn members(&self) -> Vec<Member> {
        let row = |((name, each), bytes): ((&str, usize), &Bytes)| Member {
            name: name.into(),
            bytes: bytes.len() as u64,
            kind: "picture".into(),
            detail: format!("{} x {}, {} bit", self.width, self.height, 8 * each),
        };
        LAYERS.into_iter().zip(&self.layers).map(row).collect()
    }
    fn get(&self, index: usize, form: Form) -> Result<Bytes> {
        match form {
            Form::Document(_) => self.picture(index),
            Form::Stored => self
                .layers
                .get(index)
                .cloned()
                .ok_or_else(|| no_layer(index)),
        }
    }
    fn put(&mut self, index: usize, bytes: &[u8], form: Form) -> Result<()> {
        let ((_, each), slot) = LAYERS
            .get(index)
            .zip(self.layers.get_mut(index))
            .ok_or_else(|| no_layer(index))?;
        let new = match form {
            Form::Document(_) => {
                let (width, height, layer) = Self::layer(bytes, *each)?;
                if (width, height) != (self.width, self.height) {
                    return Err(Error::say(format!(
                        "{width} x {height} pixels, but the livery has {} x {}",
                        self.width, self.height
                    ))
                    .hint("unpack it to change the size of all layers"));
                }
                layer
            }
            Form::Stored => Bytes::copy_from_slice(bytes),
        };
        if new.len() != slot.len() {
            return Err(Error::say(format!(
                "{} bytes, but the layer has {}",
                new.len(),
                slot.len()
            )));
        }
        *slot = new;
        Ok(())
    }
}
