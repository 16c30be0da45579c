//! The differences of two reports, such as those of two editions of a game.

use super::{FieldRange, GameReport, ReportedFile, ReportedFindings};
use refit_base::wire::count;
use refit_files::game_files::fold;
use serde::Serialize;
use std::collections::BTreeMap;

/// A difference of two reports. A side that has nothing is `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportDifference {
    /// The file, or the game and format of an unknown field.
    pub path: String,
    /// What differs: `file`, `content`, `verdict`, `version`, the code of findings, the name of an
    /// unknown field, or what is counted.
    pub what: String,
    /// The value in the first report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// The value in the second report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
}

/// Compares two reports: files that only one has, then those that differ, then counts, then unknown
/// fields. Upper and lower case of names are one.
pub fn compare(a: &GameReport, b: &GameReport) -> Vec<ReportDifference> {
    let mut rows = Vec::new();
    let size =
        |file: &ReportedFile| count(usize::try_from(file.bytes).unwrap_or(usize::MAX), "byte");
    let mut different = Vec::new();
    for (a, b) in pairs(&by_name(a), &by_name(b)) {
        match (a, b) {
            (Some(a), Some(b)) => different.extend(of_file(a, b)),
            (a, b) => rows.push(ReportDifference {
                path: a.or(b).map(|file| file.name.clone()).unwrap_or_default(),
                what: "file".to_owned(),
                a: a.map(size),
                b: b.map(size),
            }),
        }
    }
    rows.extend(different);
    let mut row = |path: &str, what: &str, a: Option<String>, b: Option<String>| {
        if a != b {
            rows.push(ReportDifference {
                path: path.to_owned(),
                what: what.to_owned(),
                a,
                b,
            });
        }
    };
    for (what, (a, b)) in both(&a.counts, &b.counts) {
        row("", what, a.map(u64::to_string), b.map(u64::to_string));
    }
    let none = BTreeMap::new();
    for (kind, (a, b)) in both(&a.unknown, &b.unknown) {
        for (field, (a, b)) in both(a.unwrap_or(&none), b.unwrap_or(&none)) {
            row(kind, field, a.map(range), b.map(range));
        }
    }
    rows
}

/// The files of a report by their folded names.
fn by_name(report: &GameReport) -> BTreeMap<String, &ReportedFile> {
    let files = report.files.iter();
    files.map(|file| (fold(&file.name), file)).collect()
}

/// The values of two maps by their common keys, in order.
fn both<'a, V>(
    a: &'a BTreeMap<String, V>,
    b: &'a BTreeMap<String, V>,
) -> BTreeMap<&'a str, (Option<&'a V>, Option<&'a V>)> {
    let mut all: BTreeMap<&str, (Option<&V>, Option<&V>)> = BTreeMap::new();
    for (key, value) in a {
        all.entry(key).or_default().0 = Some(value);
    }
    for (key, value) in b {
        all.entry(key).or_default().1 = Some(value);
    }
    all
}

fn pairs<'a>(
    a: &BTreeMap<String, &'a ReportedFile>,
    b: &BTreeMap<String, &'a ReportedFile>,
) -> Vec<(Option<&'a ReportedFile>, Option<&'a ReportedFile>)> {
    let pair =
        |(a, b): (Option<&&'a ReportedFile>, Option<&&'a ReportedFile>)| (a.copied(), b.copied());
    both(a, b).into_values().map(pair).collect()
}

/// The differences of a file that both reports have.
fn of_file(a: &ReportedFile, b: &ReportedFile) -> Vec<ReportDifference> {
    let content = |file: &ReportedFile| {
        let sum = file.sha256.as_deref().unwrap_or("unreadable");
        Some(format!("{} bytes, {sum}", file.bytes))
    };
    let kind = |file: &ReportedFile| Some(super::kind(file)).filter(|kind| !kind.is_empty());
    let verdict = |file: &ReportedFile| match &file.error {
        Some(error) => Some(format!("{} ({})", file.verdict.word(), error.kind)),
        None => Some(file.verdict.word().to_owned()),
    };
    let version = |file: &ReportedFile| file.version.map(|version| version.to_string());
    let mut values = vec![
        ("content", content(a), content(b)),
        ("format", kind(a), kind(b)),
        ("version", version(a), version(b)),
        ("verdict", verdict(a), verdict(b)),
    ];
    let counts = |findings: &[ReportedFindings]| -> BTreeMap<String, usize> {
        let rows = findings.iter();
        rows.map(|found| (found.code.clone(), found.count))
            .collect()
    };
    let (found_a, found_b) = (counts(&a.findings), counts(&b.findings));
    for (code, (a, b)) in both(&found_a, &found_b) {
        values.push((code, a.map(usize::to_string), b.map(usize::to_string)));
    }
    let differ = values.into_iter().filter(|(_, a, b)| a != b);
    differ
        .map(|(what, of_a, of_b)| ReportDifference {
            path: a.name.clone(),
            what: what.to_owned(),
            a: of_a,
            b: of_b,
        })
        .collect()
}

/// `3 values, 2 different, 0 to 7`.
fn range(range: &FieldRange) -> String {
    let values = count(usize::try_from(range.values).unwrap_or(usize::MAX), "value");
    let mut text = format!("{values}, {} different", range.distinct);
    if let (Some(min), Some(max)) = (range.min, range.max) {
        text.push_str(&format!(", {min} to {max}"));
    }
    if range.not_finite > 0 {
        text.push_str(&format!(", {} not finite", range.not_finite));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_report::{Number, ReportVerdict};

    fn report(files: Vec<ReportedFile>, max: i64) -> GameReport {
        let range = FieldRange {
            kind: "u32".to_owned(),
            values: 3,
            distinct: 2,
            min: Some(Number::Whole(0)),
            max: Some(Number::Whole(max)),
            not_finite: 0,
        };
        let fields = BTreeMap::from([("unk4".to_owned(), range)]);
        GameReport {
            report: super::super::VERSION,
            refit: String::new(),
            files,
            counts: BTreeMap::from([("images".to_owned(), 4)]),
            unknown: BTreeMap::from([("mw gamez".to_owned(), fields)]),
        }
    }

    fn file(name: &str, sum: &str) -> ReportedFile {
        ReportedFile {
            name: name.to_owned(),
            bytes: 5,
            sha256: Some(sum.to_owned()),
            verdict: ReportVerdict::Exact,
            ..ReportedFile::default()
        }
    }

    #[test]
    fn editions_differ_in_files_sums_findings_and_ranges() {
        let a = report(vec![file("zbd/a.zbd", "1"), file("ZBD/B.zbd", "2")], 7);
        let mut other = file("zbd/b.zbd", "3");
        other.findings.push(ReportedFindings {
            code: "odd-value".to_owned(),
            severity: "unusual".to_owned(),
            count: 2,
            at: Vec::new(),
        });
        let b = report(vec![other, file("zbd/c.zbd", "4")], 9);
        let rows: Vec<String> = compare(&a, &b)
            .iter()
            .map(|row| {
                let side = |side: &Option<String>| side.clone().unwrap_or("-".to_owned());
                format!(
                    "{} {}: {} | {}",
                    row.path,
                    row.what,
                    side(&row.a),
                    side(&row.b)
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                "zbd/a.zbd file: 5 bytes | -",
                "zbd/c.zbd file: - | 5 bytes",
                "ZBD/B.zbd content: 5 bytes, 2 | 5 bytes, 3",
                "ZBD/B.zbd odd-value: - | 2",
                "mw gamez unk4: 3 values, 2 different, 0 to 7 | 3 values, 2 different, 0 to 9",
            ]
        );
        assert_eq!(compare(&a, &a), []);
    }
}
