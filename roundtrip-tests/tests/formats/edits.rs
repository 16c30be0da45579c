//! Members that are put back unchanged, and the texts of every finding. Edits are in
//! `roundtrip-tests/cases/edits`.

use refit::{
    pipeline::{self, Hints},
    tree::{Form, Style},
};
use roundtrip_tests::*;

#[test]
fn putting_back_an_unchanged_member_changes_nothing() {
    let same = |format: &str, case: Case, raw: bool| {
        let mut opened = pipeline::open(&case.bytes, &case.path, Hints::default()).unwrap();
        for index in 0..opened.model.model().members().len() {
            let form = if raw {
                Form::Stored
            } else {
                Form::Document(Style::Json)
            };
            let Ok(given) = opened.model.model().get(index, form) else {
                continue;
            };
            opened
                .model
                .model_mut()
                .put(index, &given, form)
                .unwrap_or_else(|e| panic!("{} #{index}: {e}", case.path));
            assert_bytes(
                &opened
                    .model
                    .write()
                    .unwrap_or_else(|e| panic!("{format} {}: {e}", case.path)),
                &case.bytes,
            );
        }
    };
    for case in golden("pbo") {
        same("pbo", case, false);
    }
    for case in golden("gamez") {
        same("gamez", case, true);
    }
    // Members inside of other members: neither can be edited alone.
    for name in ["archive_v1_overlap.zbd", "archive_v1_nested.zbd"] {
        same("archive", golden_file("archive", name), true);
    }
    // A model whose slot has another word after it than the offset of its data.
    let world = golden_file("gamez", "mw_base.gamez.zbd");
    let tree = unpack(&world, Hints::default(), Style::Json);
    edit(
        &tree,
        "models/0000-torso_00023.json",
        "\"bbox_mid\"",
        "\"link\": \"0x00001234\", \"bbox_mid\"",
    );
    same(
        "gamez",
        Case {
            bytes: repack(&tree).into(),
            ..world
        },
        true,
    );
}

#[test]
fn every_code_says_what_it_means_and_is_listed_once() {
    let mut seen = std::collections::HashSet::new();
    for code in refit::registry::codes() {
        assert!(seen.insert(code.code), "{} is listed twice", code.code);
        assert!(
            code.explain.ends_with('.') && code.explain.len() > 20,
            "{}",
            code.code
        );
    }
    assert!(refit::registry::codes().count() > 50);
}
