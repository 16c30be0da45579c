//! What became of the entries of a compiled file.

use super::definition::Called;
use refit_base::{lint::Finding, wire::decode_1252};

/// How an entry compares with the base file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Its bytes are the same.
    Equal,
    /// Its bytes differ.
    Changed,
    /// The base file does not have it.
    New,
    /// No source makes it any more.
    Gone,
    /// It could not be compiled.
    Failed,
    /// The world lacks its node, so there is no entry.
    #[serde(rename = "left_out")]
    LeftOut,
}

/// The result for one entry.
#[derive(Clone, Debug, serde::Serialize)]
pub struct EntryReport {
    /// The name that calls use.
    pub definition: String,
    /// The node that it is bound to.
    pub root: String,
    /// How it compares with the base file.
    pub status: Status,
    /// The findings about it.
    pub findings: Vec<Finding>,
    /// Why it could not be compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl EntryReport {
    pub(super) fn new(called: &Called, status: Status) -> Self {
        let text = |bytes: &[u8]| decode_1252(bytes).into_owned();
        EntryReport {
            definition: text(&called.animation),
            root: text(&called.name),
            status,
            findings: Vec::new(),
            error: None,
        }
    }
}
