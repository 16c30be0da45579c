//! The page of refit, as its server sends it: what `build.mjs` makes of the TypeScript beside this
//! file. `cargo xtask view` builds it, and says whether `dist` is what the sources give.

/// The page.
pub const INDEX: &[u8] = include_bytes!("dist/index.html");

/// The script of the page, packed with gzip.
pub const SCRIPT: &[u8] = include_bytes!("dist/page.js.gz");

/// The style sheet of the page.
pub const STYLE: &[u8] = include_bytes!("dist/page.css");

/// The licences of the libraries that the script contains.
pub const LICENSES: &[u8] = include_bytes!("dist/LICENSES.txt");

/// The start page, before something is opened.
pub const START: &[u8] = include_bytes!("dist/start.html");

/// Its script.
pub const START_SCRIPT: &[u8] = include_bytes!("dist/start.js");
