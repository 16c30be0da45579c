//! A game may have tens of thousands of files: 20,000 of them need at most 64 MB more than one.

use roundtrip_tests::{
    by_hand,
    games::{self, File},
    process::peak_with,
};
use std::path::Path;

/// A game of `missions` missions with four files each. One file is the same in all missions, one
/// has a member that the game's own readers hide, and one names a file that its addon lacks: most
/// missions have something to report.
fn game(missions: usize) -> Vec<File> {
    let own = |n: usize| games::reader("rc", &[by_hand::string("MISSION"), by_hand::int(n as i32)]);
    let mut files = vec![(
        "zbd/zrdr.zbd".to_owned(),
        games::archive("rc", &[("mission.zrd", own(missions))]),
    )];
    for n in 0..missions {
        let readers = [("mission.zrd", own(n)), ("sounds.zrd", own(0))];
        let code = format!("execVM \"\\x\\large\\addon{n}\\gone.sqf\"; hint \"{n}\";\n");
        files.push((
            format!("addons/addon{n:05}.pbo"),
            games::addon(&format!("x\\large\\addon{n}"), &[("init.sqf", &code)]),
        ));
        files.push((
            format!("zbd/m{n}/rtexture4.zbd"),
            games::package(&[&format!("wall{n}")]),
        ));
        files.push((
            format!("zbd/m{n}/soundsl.zbd"),
            games::archive("rc", &[("bang.wav", games::wav())]),
        ));
        files.push((format!("zbd/m{n}/zrdr.zbd"), games::archive("rc", &readers)));
    }
    files
}

/// Bytes that one file more may cost.
const EACH: u64 = 64_000_000 / 20_000;
/// Bytes that do not grow without end: buffers that a game of a thousand files does not fill, and
/// what threads leave between each other.
const ALWAYS: u64 = 1_500_000;

/// Whatever is done with them.
#[test]
fn twenty_thousand_files_need_little_more_memory_than_one() {
    let dirs = [250, 2000].map(|missions| {
        let dir = tempfile::tempdir().unwrap();
        games::write(&dir.path().join("game"), &game(missions));
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        for entry in walkdir::WalkDir::new(dir.path())
            .into_iter()
            .filter_map(|entry| entry.ok())
            .filter(|entry| entry.file_type().is_file())
        {
            std::fs::File::options()
                .write(true)
                .open(entry.path())
                .unwrap()
                .set_modified(old)
                .unwrap();
        }
        (dir, missions * 4 + 1)
    });
    let [few, many] = &dirs;
    let limit = (many.1 - few.1) as u64 * EACH + ALWAYS;
    let mut over = Vec::new();
    let mut hold = |line: &str, codes: &[i32]| {
        let of = |dir: &Path| peak_with(dir, line, codes);
        let (few, many) = (of(few.0.path()), of(many.0.path()));
        println!(
            "{line}: {few} and {many}: {} more",
            many.saturating_sub(few)
        );
        if many.saturating_sub(few) >= limit {
            over.push(format!(
                "{line}: {many} bytes, {few} of them for an eighth of the files; the limit is {limit} more"
            ));
        }
    };
    hold("verify game", &[0]);
    hold("info game", &[0]);
    hold("list game", &[0]);
    hold("find nobody_says_this game", &[1]);
    // Again, with a cache.
    hold("find nobody_says_this game", &[1]);
    // One of all names: the search finds every occurrence.
    hold("refs wall7 game", &[0]);
    hold("diff game game", &[0]);
    hold("lint game", &[3]);
    hold("lint game", &[3]);
    hold("unpack game -o mod", &[0]);
    hold("status mod", &[0]);
    hold("refs wall7 mod", &[0]);
    hold("lint mod", &[3]);
    hold("lint game --since mod", &[0]);
    hold("diff game mod", &[0]);
    for (dir, _) in &dirs {
        std::fs::write(
            dir.path().join("mod/zbd/m7/zrdr.zbd/mission.zrd.json"),
            "[\"MISSION\", -1]\n",
        )
        .unwrap();
    }
    hold("mod make game mod -o one.refitmod", &[0]);
    hold("repack mod", &[0, 3]);
    hold("restore game", &[0]);
    hold("mod apply one.refitmod --to game", &[0]);
    hold("mod remove --all --from game", &[0]);
    assert!(over.is_empty(), "{over:#?}");
}
