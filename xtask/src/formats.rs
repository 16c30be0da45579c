//! `cargo xtask formats [--check]`: the tables in `FORMAT.md` of each format, generated from
//! the declarations.
//!
//! The prose of a FORMAT.md is written by hand. `<!-- table: Node -->` is followed by the table of
//! that declaration, up to `<!-- end -->`.

use crate::{Args, root};
use anyhow::{Context, Result, bail, ensure};
use refit::{
    registry,
    wire::{RecordTable, Row},
};
use std::{fmt::Write, fs};

/// Runs the task.
pub fn task(mut args: Args) -> Result<()> {
    let check = args.flag("--check");
    args.done()?;
    let mut stale = Vec::new();
    for (format, mut tables) in registry::tables() {
        let path = ["zipper", "bohemia"]
            .map(|package| format!("src/{package}/{format}/FORMAT.md"))
            .into_iter()
            .find(|path| root().join(path).is_file())
            .with_context(|| format!("{format} has no FORMAT.md"))?;
        // Games of Zipper's have nothing to do with the formats of another studio.
        if path.starts_with("src/bohemia") {
            tables.iter_mut().for_each(|table| table.games.clear());
        }
        // Git may have converted the line ends to those of Windows.
        let old = fs::read_to_string(root().join(&path))
            .with_context(|| path.clone())?
            .replace("\r\n", "\n");
        let new = filled(&old, &tables).with_context(|| path.clone())?;
        if new != old {
            if !check {
                fs::write(root().join(&path), new).with_context(|| path.clone())?;
                println!("wrote {path}");
            }
            stale.push(path);
        }
    }
    ensure!(
        !check || stale.is_empty(),
        "not what the declarations say: {}\nrun `cargo xtask formats`",
        stale.join(", ")
    );
    println!("{} references", registry::tables().len());
    Ok(())
}

/// A FORMAT.md with new tables. Each table must have one place in the text, and each place a table.
fn filled(text: &str, tables: &[RecordTable]) -> Result<String> {
    let mut out = String::new();
    let mut used = vec![false; tables.len()];
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let _ = writeln!(out, "{line}");
        let Some(name) = line
            .strip_prefix("<!-- table: ")
            .and_then(|rest| rest.strip_suffix(" -->"))
        else {
            continue;
        };
        let Some(at) = tables.iter().position(|table| table.name == name) else {
            bail!("there is no declaration {name}")
        };
        ensure!(
            !std::mem::replace(&mut used[at], true),
            "the table {name} is there twice"
        );
        let _ = write!(out, "\n{}\n<!-- end -->\n", shown(&tables[at], tables));
        // Skip the old table: up to its end mark, if there is one before the next table.
        let rest: Vec<&str> = lines.clone().collect();
        let end = rest.iter().position(|line| *line == "<!-- end -->");
        let next = rest
            .iter()
            .position(|line| line.starts_with("<!-- table: "))
            .unwrap_or(rest.len());
        if let Some(end) = end.filter(|end| *end < next) {
            lines.by_ref().take(end + 1).for_each(drop);
        }
    }
    if let Some(at) = used.iter().position(|used| !used) {
        bail!(
            "the declaration {0} has no place: write <!-- table: {0} --> where it belongs",
            tables[at].name
        );
    }
    Ok(out)
}

/// Rows in the order of their bytes, those without bytes last: declarations have the order of the
/// tree.
fn in_place(rows: &[Row]) -> Vec<&Row> {
    let stands_behind = |a: &Row, b: &Row| {
        a.places
            .iter()
            .zip(&b.places)
            .find_map(|(a, b)| Some(a.as_ref()?.0 > b.as_ref()?.0))
    };
    let (placed, others): (Vec<&Row>, Vec<&Row>) = rows
        .iter()
        .partition(|row| row.places.iter().any(Option::is_some));
    let mut out: Vec<&Row> = Vec::new();
    for row in placed {
        let at = out
            .iter()
            .position(|other| stands_behind(other, row) == Some(true))
            .unwrap_or(out.len());
        out.insert(at, row);
    }
    out.extend(others);
    out
}

/// A declaration as Markdown; `all` are the declarations of the file.
fn shown(table: &RecordTable, all: &[RecordTable]) -> String {
    // Games with identical offsets share a column.
    let column = |i: usize| {
        table
            .rows
            .iter()
            .map(|row| row.places.get(i).copied().flatten())
            .collect::<Vec<_>>()
    };
    let mut columns: Vec<(Vec<String>, usize, usize)> = Vec::new();
    for (i, (game, size)) in table.games.iter().enumerate() {
        let name = format!("{game:?}").to_uppercase();
        match columns
            .iter_mut()
            .find(|(_, first, bytes)| bytes == size && column(*first) == column(i))
        {
            Some((names, _, _)) => names.push(name),
            None => columns.push((vec![name], i, *size)),
        }
    }
    let mut out = format!("`{}`: {}", table.name, words(table.about));
    if columns.is_empty() {
        let size: usize = column(0).iter().flatten().map(|(_, size)| size).sum();
        columns.push((vec!["offset".to_owned()], 0, size));
        let _ = write!(out, " {size} bytes.");
    } else {
        let sizes: Vec<String> = columns
            .iter()
            .map(|(names, _, size)| format!("{size} bytes in {}", names.join(", ")))
            .collect();
        let _ = write!(out, " {}.", sizes.join("; "));
    }
    out.push_str("\n\n|");
    columns
        .iter()
        .for_each(|(names, _, _)| out.push_str(&format!(" {} |", names.join(", "))));
    out.push_str(" bytes | type | field | meaning |\n|");
    out.push_str(&"---|".repeat(columns.len() + 4));
    out.push('\n');
    for row in in_place(&table.rows) {
        out.push('|');
        let mut sizes: Vec<usize> = Vec::new();
        for (_, at, _) in &columns {
            match row.places.get(*at).copied().flatten() {
                Some((at, size)) => {
                    let _ = write!(out, " {at} |");
                    sizes.extend((!sizes.contains(&size)).then_some(size));
                }
                None => out.push_str(" – |"),
            }
        }
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        let name = if row.name == "–" {
            "–".to_owned()
        } else {
            format!("`{}`", row.name)
        };
        let kind = match kind(row.kind) {
            // The type has no table: show it by its size.
            kind if is_name(&kind) && !all.iter().any(|table| table.name == kind) => {
                match sizes.join("").as_str() {
                    "1" => "u8".to_owned(),
                    "2" => "u16".to_owned(),
                    "4" => "u32".to_owned(),
                    _ => "bytes".to_owned(),
                }
            }
            kind => kind,
        };
        let _ = writeln!(
            out,
            " {} | {kind} | {name} | {} |",
            sizes.join(" or "),
            meaning(row)
        );
    }
    out
}

/// True for the name of a Rust type.
fn is_name(kind: &str) -> bool {
    kind.starts_with(|c: char| c.is_ascii_uppercase()) && !kind.contains("[")
}

fn meaning(row: &Row) -> String {
    let mut out = words(row.about);
    if row.rule == "padding" {
        out = "Zeros.".to_owned();
    } else if row.rule == "derived, not in the tree" && out.is_empty() {
        out = "Follows from the rest.".to_owned();
    }
    if !row.on.is_empty() {
        let _ = write!(
            out,
            "{}Flag {}.",
            if out.is_empty() { "" } else { " " },
            row.on
        );
    }
    out
}

/// A doc comment as Markdown: links to code become names.
fn words(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace("[`", "`")
        .replace("`]", "`")
        .replace('|', "\\|")
}

/// A Rust type as a reader of the format would call it.
fn kind(ty: &str) -> String {
    // The path of a type says nothing about the file.
    let generic = ty.find('<').unwrap_or(ty.len());
    let start = ty.get(..generic).and_then(|path| path.rfind("::"));
    let ty = ty.get(start.map_or(0, |colons| colons + 2)..).unwrap_or(ty);
    let inner = |wrapper: &str| {
        ty.strip_prefix(wrapper)?
            .strip_prefix('<')?
            .strip_suffix('>')
    };
    if let Some(inner) = ["Derived", "Defaulted", "InGame", "Bool"]
        .into_iter()
        .find_map(inner)
    {
        return kind(inner);
    }
    if let Some((item, count)) = ty
        .strip_prefix('[')
        .and_then(|ty| ty.strip_suffix(']'))
        .and_then(|ty| ty.rsplit_once(';'))
    {
        return format!("{}[{}]", kind(item.trim()), count.trim());
    }
    if let Some(inner) = inner("Hex") {
        return kind(inner);
    }
    if inner("Text").or_else(|| inner("ShortText")).is_some() || ty == "TextureName" {
        return "text".to_owned();
    }
    // The list of an index, and the layouts of names and changes.
    if let Some((size, list)) = inner("Index").and_then(|inner| inner.split_once(", ")) {
        let list: String = list
            .chars()
            .flat_map(|c| {
                c.is_ascii_uppercase()
                    .then_some(' ')
                    .into_iter()
                    .chain(c.to_lowercase())
            })
            .collect();
        return format!("{size} →{list}");
    }
    if inner("NameField").is_some() || ty.starts_with("EntryName") {
        return "text".to_owned();
    }
    match ty {
        "Rated" => "from, to, rate".to_owned(),
        "Channels" => "from, to, rate of each".to_owned(),
        "Squares" => "f32[2]".to_owned(),
        "Steady" => "f32[6]".to_owned(),
        "Thrown" | "Spline" => "f32[]".to_owned(),
        "Half" => "u16".to_owned(),
        "F32" => "f32".to_owned(),
        "Vec3" => "f32[3]".to_owned(),
        "Ptr" => "address".to_owned(),
        "Link" => "i32".to_owned(),
        "UnixTime" => "u32".to_owned(),
        "FileTime" => "u64".to_owned(),
        _ if ty.starts_with("Raw") || ty.ends_with("bytes") => "bytes".to_owned(),
        _ => ty.replace('|', "\\|"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> RecordTable {
        use refit::game::Game;
        let row = |name, places: &[Option<(usize, usize)>], kind| Row {
            name,
            places: places.to_vec(),
            kind,
            on: "",
            rule: "",
            about: " What [`it`] is.",
        };
        RecordTable {
            name: "Thing",
            about: " A thing.",
            games: vec![(Game::Rc, 4), (Game::Mw, 8), (Game::Pm, 8)],
            rows: vec![
                row("a", &[Some((0, 4)); 3], "Derived<Hex<u32>>"),
                row("b", &[None, Some((4, 4)), Some((4, 4))], "[u8; 4]"),
            ],
        }
    }

    #[test]
    fn a_table_is_made_from_its_declaration_and_updated() {
        let made = filled("Before.\n<!-- table: Thing -->\nBehind.\n", &[table()]).unwrap();
        let expected = "Before.\n<!-- table: Thing -->\n\n`Thing`: A thing. 4 bytes in RC; 8 bytes in MW, PM.\n\n| RC \
            | MW, PM | bytes | type | field | meaning |\n|---|---|---|---|---|---|\n| 0 | 0 | 4 | u32 | `a` | What \
            `it` is. |\n| – | 4 | 4 | u8[4] | `b` | What `it` is. |\n\n<!-- end -->\nBehind.\n";
        assert_eq!(made, expected);
        assert_eq!(filled(&made, &[table()]).unwrap(), expected);
        assert_eq!(
            filled(&made.replace("| 0 | 0 |", "| 9 | 9 |"), &[table()]).unwrap(),
            expected
        );
    }

    #[test]
    fn a_table_without_games_has_offsets() {
        let mut table = table();
        table.games.clear();
        table.rows.remove(1);
        assert_eq!(
            shown(&table, &[]),
            "`Thing`: A thing. 4 bytes.\n\n| offset | bytes | type | field | meaning |\n|---|---|---|---|---|\n\
            | 0 | 4 | u32 | `a` | What `it` is. |\n"
        );
    }

    #[test]
    fn a_table_without_a_place_and_a_place_without_a_table_are_errors() {
        assert!(
            filled("Nothing.\n", &[table()])
                .unwrap_err()
                .to_string()
                .contains("has no place")
        );
        assert!(
            filled("<!-- table: Other -->\n", &[])
                .unwrap_err()
                .to_string()
                .contains("no declaration Other")
        );
    }
}
