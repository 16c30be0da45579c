//! The native half of the Python package `pyrefit`: files, games and documents as Python objects. The
//! public half is in `pyrefit/`; `pyrefit/_refit.pyi` has the types of this one.
//!
//! This code decides nothing: it converts arguments, runs the library without Python's lock, and
//! converts results.

mod document;
mod error;
mod file;
mod findings;
mod game;
mod gltf;
mod session;
mod text;
mod work;

use error::raise;
use pyo3::{prelude::*, types::PyBytes};
use refit::{Error, ErrorKind, Hints, Result, game::Game};
use std::path::PathBuf;

/// Game and format by their codes.
fn hints(game: Option<&str>, format: Option<&str>) -> Result<Hints> {
    let unknown = |what: &str, name: &str, known: Vec<&str>| {
        let known = known.join(", ");
        Error::say(format!("there is no {what} {name:?} (there are {known})"))
            .of_kind(ErrorKind::Invalid)
    };
    let game = game.map(|code| {
        let found = Game::ALL.into_iter().find(|game| game.code() == code);
        found.ok_or_else(|| unknown("game", code, Game::ALL.map(Game::code).to_vec()))
    });
    let format = format.map(|name| {
        let mut all = refit::registry::FORMATS.iter();
        let found = all.find(|format| format.name() == name).copied();
        found.ok_or_else(|| {
            unknown(
                "format",
                name,
                refit::registry::FORMATS.iter().map(|f| f.name()).collect(),
            )
        })
    });
    Ok(Hints {
        game: game.transpose()?,
        format: format.transpose()?,
    })
}

/// Proves the round trip of a file: what stayed bytes, with the reasons.
#[pyfunction]
fn verify(
    py: Python<'_>,
    path: PathBuf,
    game: Option<&str>,
    format: Option<&str>,
) -> PyResult<Vec<(String, String)>> {
    let hints = hints(game, format).map_err(|e| raise(py, &e))?;
    work::run(py, move |_| {
        let blob = refit::workbench::open::load(&path)?;
        let name = path.to_string_lossy().into_owned();
        let prove = || {
            let opened =
                refit::pipeline::read(&blob, refit::pipeline::recognise(&blob, &name, hints)?)?;
            refit::pipeline::prove(&blob, &name, opened, refit::Via::Json)
        };
        Ok(prove().map_err(|e: Error| e.about(&path))?.raw)
    })
}

/// The pixels of a PNG file: width, height, and red, green, blue and alpha of each.
#[pyfunction]
fn pixels<'py>(py: Python<'py>, file: &[u8]) -> PyResult<(u32, u32, Bound<'py, PyBytes>)> {
    let decoded = py.detach(|| decode(file)).map_err(|e| raise(py, &e))?;
    Ok((decoded.0, decoded.1, PyBytes::new(py, &decoded.2)))
}

fn decode(file: &[u8]) -> Result<(u32, u32, Vec<u8>)> {
    let bad = |e: png::DecodingError| Error::say(format!("not a PNG that can be shown: {e}"));
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(
        png::Transformations::normalize_to_color8() | png::Transformations::ALPHA,
    );
    let mut reader = decoder.read_info().map_err(bad)?;
    let size = reader
        .output_buffer_size()
        .ok_or_else(|| Error::say("the picture is too large"))?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(bad)?;
    pixels.truncate(info.buffer_size());
    let pixels = match info.color_type {
        png::ColorType::GrayscaleAlpha => pixels
            .chunks_exact(2)
            .flat_map(|p| [p[0], p[0], p[0], p[1]])
            .collect(),
        _ => pixels,
    };
    Ok((info.width, info.height, pixels))
}

/// A text of JSON as Python objects.
#[pyfunction]
fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    document::objects(py, text)
}

/// Python objects as a text of JSON.
#[pyfunction]
fn dumps(value: &Bound<'_, PyAny>) -> PyResult<String> {
    text::of(value)
}

#[pymodule(gil_used = true)]
mod _refit {
    #[pymodule_export]
    use super::{
        dumps, file::File, game::Game, game::make_mod, game::restore, game::unpack, gltf::put_glb,
        loads, pixels, session::session, verify,
    };
}
