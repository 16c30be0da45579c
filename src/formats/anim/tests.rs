use super::*;
use crate::work::{self, Hints, Via};

/// Walks the corpus when it is there.
#[test]
fn corpus() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let Ok(text) = std::fs::read_to_string(root.join("CORPUS.json")) else { return };
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut bad = 0;
    for file in all["files"].as_array().unwrap() {
        if file["format"] != "anim" {
            continue;
        }
        let path = file["path"].as_str().unwrap();
        let expect = file["expect"].as_str().unwrap();
        let bytes = Bytes::from(std::fs::read(root.join(path)).unwrap());
        let hints = Hints { game: None, format: Some(Format::Anim) };
        for via in [Via::Bytes, Via::Json, Via::Ron] {
            let got = work::verify(&bytes, path, hints, via);
            let status = match &got {
                Ok(o) if o.raw.is_empty() => "exact".to_owned(),
                Ok(o) => format!("raw {:?}", &o.raw[..o.raw.len().min(3)]),
                Err(e) => format!("error {e}"),
            };
            let ok = match expect {
                "exact" => status == "exact",
                "error" => got.is_err(),
                _ => !status.starts_with("raw"),
            };
            if !ok {
                bad += 1;
                println!("{path} {via:?} expected {expect}: {status}");
            } else if expect == "either" && via == Via::Json {
                println!("{path} {via:?} either: {status}");
            }
        }
    }
    assert_eq!(bad, 0);
}
