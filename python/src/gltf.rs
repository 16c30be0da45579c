//! glTF files on their way back.

use crate::{
    findings::{FindingRow, finding_rows},
    work::{self, Reporter},
};
use bytes::Bytes;
use pyo3::prelude::*;
use refit::{
    Result,
    gltf::import,
    pipeline,
    tree::{DirSource, Source},
    workbench::{
        Options,
        edits::EditReport,
        open,
        put::{self, GltfChange, GltfOutcome, Written},
    },
};
use std::path::{Path, PathBuf};

/// The bytes of files, and of the files that trees give.
pub fn files(paths: &[PathBuf]) -> Result<Vec<Bytes>> {
    let read = |path: &Path| match path.is_dir() {
        true => {
            let tree = DirSource::new(path);
            pipeline::repack(&tree as &dyn Source).map(|(_, bytes)| Bytes::from(bytes))
        }
        false => open::load(path)?.bytes(),
    };
    paths
        .iter()
        .map(|path| read(path).map_err(|e| e.about(path)))
        .collect()
}

/// The result of importing a glTF file: summary, warnings, ignored parts, defaults, changed files,
/// and new findings.
type Changed = (
    String,
    Vec<String>,
    Vec<String>,
    Vec<(String, usize)>,
    Vec<PathBuf>,
    Vec<FindingRow>,
);

fn changed(into: &Path, done: GltfOutcome) -> Changed {
    let GltfOutcome {
        report,
        into: stored,
        packages,
    } = done;
    let warnings = [
        report.notes.clone(),
        report.missing_pictures(packages.len(), "textures"),
    ]
    .concat();
    let (mut files, mut news): (Vec<PathBuf>, Vec<EditReport>) = (Vec::new(), Vec::new());
    match stored {
        Written::File(stored) => {
            files.extend(Some(stored.target).filter(|_| !stored.unchanged));
            news.extend(stored.news.map(|(_, news)| news));
        }
        Written::Tree(written, found) => {
            files.extend(written.iter().map(|file| into.join(file)));
            news.extend(found.map(|(_, news)| news));
        }
    }
    files.extend(
        packages
            .into_iter()
            .filter(|package| !package.unchanged)
            .map(|package| package.target),
    );
    let found = news
        .into_iter()
        .flat_map(|news| news.found)
        .map(|finding| finding.finding())
        .collect();
    let defaults = report.defaults.clone().into_iter().collect();
    let summary = report.tell();
    (
        summary,
        warnings,
        report.lost,
        defaults,
        files,
        finding_rows(found),
    )
}

/// Brings a glTF file back into a file or a tree: into the member or the world `name`; without a
/// name all its animations into an archive of motions.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each is an argument in Python")]
pub fn put_glb(
    py: Python<'_>,
    into: PathBuf,
    glb: PathBuf,
    name: Option<String>,
    textures: Vec<PathBuf>,
    merge_polygons: bool,
    close_motions: bool,
    dry_run: bool,
) -> PyResult<Changed> {
    let reporter = Reporter::new(None);
    let to = reporter.clone();
    let done = work::write(py, move || {
        let how = import::Options {
            merge_polygons,
            close_motions,
        };
        let options = Options {
            dry_run,
            ..Options::default()
        };
        let label = name.clone().unwrap_or_default();
        let named = (!textures.is_empty()).then_some(textures.as_slice());
        let change = GltfChange {
            into: &into,
            from: &glb,
            output: None,
            textures: named,
            label: &label,
        };
        let done = change.run(&options, &*to, |file| match &name {
            Some(name) => put::gltf_into(file, name, &glb, how),
            None => put::import_gltf(file, &glb, None, how),
        })?;
        Ok(changed(&into, done))
    });
    reporter.end(py, done)
}
