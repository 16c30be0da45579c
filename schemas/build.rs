//! Packs the schemas of this folder.

use std::{error::Error, fmt::Write, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let mut list = String::from("&[");
    for path in files {
        println!("cargo::rerun-if-changed={}", path.display());
        let kind = path
            .file_stem()
            .ok_or("a file without a name")?
            .to_string_lossy();
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(&fs::read(&path)?, 9);
        fs::write(out.join(format!("{kind}.z")), packed)?;
        write!(
            list,
            "({kind:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{kind}.z\")) as &[u8]),"
        )?;
    }
    list.push(']');
    fs::write(out.join("files.rs"), list)?;
    Ok(())
}
