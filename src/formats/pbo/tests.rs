use crate::{
    formats::Format,
    tree::{Folder, Style},
    work::{self, Hints, Via},
};
use bytes::Bytes;

const HINTS: Hints = Hints { game: None, format: Some(Format::Pbo) };

#[test]
fn corpus_temporarily() {
    let corpus = std::path::Path::new("../shared/corpus");
    let Ok(text) = std::fs::read_to_string(corpus.join("CORPUS.json")) else { return };
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut bad = 0;
    for file in all["files"].as_array().unwrap() {
        if file["area"] != "pbo" {
            continue;
        }
        let path = file["path"].as_str().unwrap();
        let expect = file["expect"].as_str().unwrap();
        let bytes = Bytes::from(std::fs::read(corpus.join(path)).unwrap());
        for via in [Via::Bytes, Via::Json, Via::Ron] {
            let said = match work::verify(&bytes, path, HINTS, via) {
                Ok(o) if o.raw.is_empty() => "exact".to_owned(),
                Ok(o) => format!("raw {:?}", o.raw),
                Err(e) => format!("error {e}"),
            };
            let fine = match expect {
                "error" => said.starts_with("error"),
                "either" => !said.starts_with("raw"),
                _ => said == "exact",
            };
            if !fine {
                bad += 1;
            }
            if !fine || (via == Via::Json && expect == "error") {
                println!("{path} {via:?}: {said} (expected {expect})");
            }
        }
        if let (Some(contents), Ok(pbo)) = (file["facts"]["contents"].as_array(), super::Pbo::read(&bytes)) {
            if contents.len() != pbo.entries.len() {
                println!("{path}: {} entries, expected {}", pbo.entries.len(), contents.len());
            }
            for (entry, fact) in pbo.entries.iter().zip(contents) {
                let name: String = entry.name.0.iter().map(|b| format!("{b:02x}")).collect();
                let index = pbo.entries.iter().position(|e| std::ptr::eq(e, entry)).unwrap();
                let sum = crate::sha256(&crate::formats::Model::get(&pbo, index, Some(Style::Json)).unwrap());
                if name != fact[0].as_str().unwrap() || fact[1].as_str().is_some_and(|s| s != sum) {
                    println!("{path}: {:?} differs from the facts", entry.name);
                    bad += 1;
                }
            }
        }
        if std::env::var("SHOW").is_ok_and(|s| path.contains(&s)) {
            let folder = Folder::new();
            work::unpack(&bytes, path, HINTS, Style::Json, true, &folder, &|| Ok(())).unwrap();
            println!("{}", folder.text("refit.json"));
        }
    }
    assert_eq!(bad, 0);
}

fn codes(bytes: &Bytes) -> Vec<&'static str> {
    let mut codes: Vec<_> = work::lint(&super::Pbo::read(bytes).unwrap()).iter().map(|f| f.code).collect();
    codes.sort();
    codes.dedup();
    codes
}

#[test]
fn show_lints_temporarily() {
    for dir in ["variants", "fields", "names", "obfuscated", "packed"] {
        let Ok(files) = std::fs::read_dir(format!("../shared/corpus/pbo/{dir}")) else { return };
        let mut files: Vec<_> = files.map(|f| f.unwrap().path()).collect();
        files.sort();
        for file in files {
            println!("{} {:?}", file.file_name().unwrap().display(), codes(&std::fs::read(&file).unwrap().into()));
        }
    }
}
