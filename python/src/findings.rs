//! Findings as rows for Python.

use refit::lint::Finding;

/// A finding: code, severity, path, message, how many more.
pub type FindingRow = (&'static str, &'static str, String, String, usize);

/// Findings as rows, the worst first.
pub fn finding_rows(mut found: Vec<Finding>) -> Vec<FindingRow> {
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    found
        .into_iter()
        .map(|f| (f.code, f.severity.word(), f.path, f.message, f.more))
        .collect()
}
