//! The document types of everything that a project can hold.

use refit_base::contract::Schema;
use refit_files::registry;

/// The types of all documents: of the formats, of mods and of projects.
pub fn schemas() -> Vec<Schema> {
    let mut all = registry::schemas();
    all.extend(refit_mods::schemas());
    #[cfg(feature = "disk")]
    all.push(refit_base::contract::schema::<crate::Manifest>());
    all
}

/// The types of this name, or of the format of this name; case does not matter, nor whether it has
/// `-` or `_`.
pub fn schemas_of(name: &str) -> Vec<Schema> {
    let is = |other: &str| {
        other.eq_ignore_ascii_case(&name.replace('_', "-")) || other.eq_ignore_ascii_case(name)
    };
    let mut all = schemas();
    let of_format: Vec<&str> = match registry::FORMATS
        .iter()
        .find(|format| is(&format.name().replace('_', "-")))
    {
        Some(format) if !all.iter().any(|schema| is(schema.kind)) => registry::schemas_of(*format)
            .iter()
            .map(|schema| schema.kind)
            .collect(),
        _ => Vec::new(),
    };
    all.retain(|schema| is(schema.kind) || of_format.contains(&schema.kind));
    all
}
