//! Lints of message DLLs (FORMAT.md).

use super::{
    dll::{Dll, TableKind, TextTable},
    doc::{self, Message, Texts},
    image::{CERTIFICATE, Checksum, MESSAGE_TABLE, ResourceDirectory, STRING},
    pages::{Language, Page},
};
use refit_base::{
    game::Game,
    lint::{Code, Lints, codes},
    wire::Plain,
};
use std::collections::{BTreeSet, HashMap};

codes! {
    /// The kinds of findings of message DLLs.
    pub CODES:
    DLL_HEADER "dll-header" Unusual [] "an unusual header field in the DLL"
        "Every known message DLL is an i386 DLL for the Windows subsystem with 16 data directories. Windows may refuse \
        this one; refit keeps it."
        "Measured on the message DLLs of all games."
    DLL_RESOURCES "dll-resources" Unusual [] "unusual layout of the DLL's resources"
        "The known DLLs have one message table named 1, or string blocks with a version and a type 255 resource, at \
        the start of a section called .rsrc. Tools may miss resources elsewhere; Windows does not."
        "Measured on the message DLLs of all games."
    DLL_STARTUP_BYTES "dll-startup-bytes" Unusual [] "unusual bytes before the key table"
        "In MechWarrior 3 and Pirate's Moon the first 16 bytes of .data are zero. They belong to start-up code; refit \
        keeps them."
        "Measured on the message DLLs of MechWarrior 3 and Pirate's Moon."
    DLL_CHECKSUM "dll-checksum" Unusual [] "the PE checksum is wrong"
        "The checksum in the header is neither zero nor correct. Windows does not check it for such DLLs. refit keeps \
        it, even after an edit."
        "Windows checks this sum only for drivers and system DLLs."
    DLL_CERTIFICATE "dll-certificate" Unusual [] "the DLL is signed"
        "A certificate follows the sections. Editing a text invalidates the signature; refit keeps the certificate."
        "Windows loads a DLL with an invalid signature."
    KEY_WITHOUT_TEXT "key-without-text" Unusual [] "a key without a text"
        "The key table gives an id that no table has. The game shows nothing, or its own placeholder. To give the key \
        a text, add a message with that id."
        "Measured: shipped key tables have such keys."
    TEXT_WITHOUT_KEY "text-without-key" Unusual [] "a text without a key"
        "The game can find it only by number. This is valid, and common."
        "Measured: shipped DLLs have such texts."
    KEY_LOST_TEXT "key-lost-text" Differs [Mw] "a deleted text whose key remains"
        "The game still looks the text up by its key, and shows nothing or its own placeholder. Keys cannot be \
        deleted: keep the text, even if it is empty."
        "MechWarrior 3 shows the caller's default text for a key without a text."
    KEY_SHARED_ID "key-shared-id" Unusual [] "two keys share an id"
        "Both show the same text."
        "The game looks the text up by its key."
    KEY_DUPLICATE "key-duplicate" Ignores [] "a duplicate key"
        "The game finds only the first one."
        "The lookup stops at the first match."
    KEY_NOT_ASCII "key-not-ascii" Unusual [] "a key that is not plain ASCII"
        "Known keys consist of capital letters, digits and underscores, and begin with MSG_."
        "Measured on shipped key tables."
    TEXT_ID_ZERO "text-id-zero" Ignores [] "a text with the id 0"
        "The game's lookup returns 0 for an unknown key, so it cannot show this text."
        "Looking up a missing key returns 0."
    TEXT_ID_TWICE "text-id-twice" Ignores [] "two texts share an id"
        "Windows finds only the first one. refit keeps both (`occurrence`)."
        "How Windows looks ids up in message tables and string blocks."
    MESSAGE_FLAGS "message-flags" Unusual [] "unusual message flags"
        "Known messages have flags 0: text in a code page. 1 is UTF-16. Other bits are not known to mean anything in \
        these games."
        "Windows knows 0 and 1."
    MESSAGE_LINE_END "message-line-end" Unusual [Rc Mw] "a message that does not end with CR LF"
        "Known messages end with CR LF. Recoil and MechWarrior 3 cut the last two bytes of a message if the second to \
        last is a CR; they show an LF alone."
        "Recoil and MechWarrior 3 cut two bytes if the second to last is a CR."
    MESSAGE_RESIDUE "message-residue" Unusual [] "bytes after the end of a message"
        "Usually text of an earlier version. refit keeps it until the message is edited."
        "Nothing reads past the terminating zero."
    MESSAGE_LENGTH "message-length" Unusual [] "a message length that is not a multiple of 4"
        "Message compilers round up to four. Windows reads the message anyway."
        "Windows uses the length."
    MESSAGE_BLOCKS "message-blocks" Unusual [] "unusual blocks in a message table"
        "Blocks are out of order or empty, or their entries are not stored after the block table. An edit writes the \
        entries in order."
        "Windows searches the blocks one by one."
    STRING_BLOCK "string-block" Unusual [] "unusual string block"
        "The block has fewer than 16 strings, bytes after the last one, no string at all, or a number that Windows \
        cannot ask for."
        "Windows counts the strings from the start of the block."
    STRING_SURROGATE "string-surrogate" Unusual [Cs] "a text that is not valid UTF-16"
        "One half of a surrogate pair is missing. refit keeps the text as numbers (`units`)."
        "Measured: no text of Crimson Skies has one."
    TEXT_NOT_IN_PAGE "text-not-in-page" Unusual [] "a text that is not valid in its code page"
        "Windows shows a substitute for such bytes. refit keeps the bytes (`bytes`). The code page may be another one: \
        see `code_page`."
        "Windows shows a substitute for such bytes."
    TEXT_LANGUAGES "text-languages" Unusual [] "texts in several languages"
        "Each language has its own document. Windows picks one by the user's settings."
        "Shipped: dsetup32.dll of Crimson Skies has 17 languages."
    TEXT_TOO_LONG "text-too-long" Ignores [Rc Mw] "a text too long for the game's buffer"
        "Recoil copies a message without its line end into a buffer of 256 bytes. It cuts a text of 256 bytes or more \
        and leaves it unterminated, so that the game reads on in other memory. MechWarrior 3, and very likely Pirate's \
        Moon, has 512 bytes for a message with its line end and terminator, and does not show a longer one at all. The \
        length is measured after %n, %% and the like are replaced; an insert counts as spelled."
        "Recoil copies into one buffer of 256 bytes; MechWarrior 3 has a ring of 16 buffers of 512 bytes."
    TEXT_INSERTS "text-inserts" Crashes [Rc Mw] "an edited text has other inserts than the original"
        "The game fills in values at %1, %2!d! or %s. If you remove an insert, its value is not shown. For nearly \
        every message, Recoil and MechWarrior 3 call Windows without any values: a new %1 reads from the stack, which \
        shows garbage or crashes the game. Keep the inserts of the original text (and for %s and %d also their order). \
        %n, %0 and %% are not values, but Windows replaces them: write a percent sign as %%."
        "Recoil and MechWarrior 3 call FormatMessage without values and without its flag to ignore inserts."
    TEXT_FONT_TAG "text-font-tag" Differs [Cs] "an edit removed or changed a text's font tag"
        "Most texts of langui.dll in Crimson Skies begin with a font in square brackets: [COUR9], or [] for the usual \
        one. The game does not show it as text. Keep the tag of the original."
        "Measured: 1,020 texts of langui.dll begin with a tag."
    TEXT_LINE_END "text-line-end" Differs [Rc Mw] "an edit removed a text's line end"
        "The original message ends with CR LF, which the game cuts off. It cuts the last two bytes whenever the second \
        to last is a CR, and shows an LF alone. Remove `eol` from the message."
        "Recoil and MechWarrior 3 cut two bytes if the second to last is a CR."
}

/// The first eight items of a list, for a finding about all of them.
fn some<T: ToString>(all: &[T]) -> String {
    let mut out: Vec<String> = all.iter().take(8).map(ToString::to_string).collect();
    if all.len() > 8 {
        out.push(format!("… ({} in all)", all.len()));
    }
    out.join(", ")
}

/// Reports one finding of `code` about all items, if there are any.
fn about<T: ToString>(lints: &mut Lints, code: &'static Code, what: &str, all: &[T]) {
    if !all.is_empty() {
        lints.say(code, format!("{what}: {}", some(all)));
    }
}

/// Checks a DLL.
pub fn judge(file: &[u8], dll: &Dll, game: Option<Game>, lints: &mut Lints) {
    header(file, dll, lints);
    resources(file, dll, lints);
    keys(file, dll, game, lints);
    let several = dll.tables.len() > 1;
    for table in &dll.tables {
        let step = match (several, table.language) {
            (false, _) => String::new(),
            (true, Some(language)) => Language(language).to_string(),
            (true, None) => "no language".to_owned(),
        };
        lints.at(step, |lints| texts(file, dll, table, game, lints));
    }
    about(
        lints,
        STRING_BLOCK,
        "string resources without a number that gives ids",
        &names(file, dll, &dll.nameless),
    );
}

fn names(file: &[u8], dll: &Dll, leaves: &[usize]) -> Vec<String> {
    leaves
        .iter()
        .filter_map(|i| dll.resources.leaves.get(*i))
        .map(|l| super::image::leaf_text(l, file))
        .collect()
}

fn header(file: &[u8], dll: &Dll, lints: &mut Lints) {
    let image = &dll.image;
    let mut field = |name: &str, found: u64, usual: u64| {
        lints.check(found == usual, DLL_HEADER, || {
            format!("{name} is {found:#x}, {usual:#x} expected")
        });
    };
    field("Machine", image.file.machine.into(), 0x14c);
    field("SizeOfOptionalHeader", image.file.optional_size.into(), 224);
    field("Subsystem", image.optional.subsystem.into(), 2);
    field("NumberOfRvaAndSizes", image.optional.directories.into(), 16);
    // Executable, DLL and 32-bit set; 16-bit clear.
    field(
        "Characteristics, as far as they matter,",
        u64::from(image.file.characteristics & 0x2142),
        0x2102,
    );
    if let state @ Checksum::Wrong { .. } = image.checksum_state(file) {
        lints.say(DLL_CHECKSUM, state.to_string());
    }
    if let Some(certificate) = image.directory(CERTIFICATE) {
        lints.say(
            DLL_CERTIFICATE,
            format!("{} bytes at {:#x}", certificate.size, certificate.address),
        );
    }
}

fn resources(file: &[u8], dll: &Dll, lints: &mut Lints) {
    let (image, resources) = (&dll.image, &dll.resources);
    let mut odd: Vec<String> = Vec::new();
    if let (Some(section), Some(root)) = (
        image.sections.get(resources.section),
        image.directory(super::image::RESOURCES),
    ) {
        if section.name() != ".rsrc" {
            odd.push(format!("the section is called {:?}", section.name()));
        }
        if section.address != root.address {
            odd.push("the directory is not at the start of its section".into());
        }
        if u64::from(root.size) + u64::from(root.address - section.address)
            > u64::from(section.span())
        {
            odd.push("the directory's size is larger than its section".into());
        }
    }
    let strings = dll.tables.iter().any(|t| t.kind == TableKind::StringTable);
    let leaves = &resources.leaves;
    if leaves
        .iter()
        .any(|l| l.path.iter().flatten().any(|id| id.number().is_none()))
    {
        odd.push("a resource has a text as name".into());
    }
    let types: BTreeSet<u32> = leaves.iter().filter_map(|l| l.kind()).collect();
    let others: Vec<u32> = types
        .iter()
        .copied()
        .filter(|t| !matches!(*t, MESSAGE_TABLE | STRING))
        .collect();
    // Known DLLs of strings also have resources of the types version and 255; those with only
    // resources have nothing else.
    if !strings && !others.is_empty() || strings && others.iter().any(|t| !matches!(t, 16 | 255)) {
        odd.push(format!("resources of other types: {}", some(&others)));
    }
    if !strings && dll.tables.len() > 1 {
        odd.push("several message tables".into());
    }
    for table in dll
        .tables
        .iter()
        .filter(|t| t.kind == TableKind::MessageTable)
    {
        if let Some(name) = table.name.filter(|n| n.number() != Some(1)) {
            odd.push(format!(
                "a message table has the name {:?}",
                name.show(file)
            ));
        }
        let moved = |l: &super::image::Leaf| {
            l.entry_at != resources.start + 72 || l.data.start < resources.start + 72 + 16
        };
        if others.is_empty() && leaves.len() == 1 && leaves.iter().any(moved) {
            odd.push("the message table's data entry is elsewhere than usual".into());
        }
    }
    // Tables of strings have code page 1252, or 0 in DLLs with only resources; message tables have
    // 0.
    let usual = |kind| {
        if kind == TableKind::MessageTable || dll.exports.is_empty() {
            0
        } else {
            1252
        }
    };
    let pages: BTreeSet<u32> = dll
        .tables
        .iter()
        .flat_map(|t| t.leaves.iter().map(move |l| (t.kind, *l)))
        .filter_map(|(kind, l)| Some((kind, leaves.get(l)?.entry.code_page)))
        .filter(|(kind, page)| *page != usual(*kind))
        .map(|(_, page)| page)
        .collect();
    if !pages.is_empty() {
        odd.push(format!(
            "data entries with the code page {}",
            some(&pages.into_iter().collect::<Vec<_>>())
        ));
    }
    if leaves.iter().any(|l| l.entry.reserved != 0) {
        odd.push("a data entry whose reserved word is not 0".into());
    }
    if leaves.iter().any(|l| l.shared) {
        odd.push("resources that share a data entry".into());
    }
    let root: Option<ResourceDirectory> = file
        .get(resources.start..)
        .and_then(|b| b.get(..ResourceDirectory::SIZE))
        .map(Plain::get);
    if root.is_some_and(|r| r.characteristics != 0) {
        odd.push("a directory with characteristics".into());
    }
    for what in odd {
        lints.say(DLL_RESOURCES, what);
    }
    let languages: BTreeSet<Option<u32>> = dll.tables.iter().map(|t| t.language).collect();
    if languages.len() > 1 || languages.contains(&None) {
        let all: Vec<String> = languages
            .iter()
            .map(|l| l.map_or_else(|| "none".to_owned(), |l| Language(l).to_string()))
            .collect();
        lints.say(TEXT_LANGUAGES, some(&all));
    }
}

fn keys(file: &[u8], dll: &Dll, game: Option<Game>, lints: &mut Lints) {
    if dll.keys_at == Some(16) && game != Some(Game::Rc) {
        let startup = dll.startup(file, 16);
        lints.check(startup.iter().all(|b| *b == 0), DLL_STARTUP_BYTES, || {
            refit_base::wire::hex_of(startup)
        });
    }
    let name = |k: &super::dll::MessageKey| file.get(k.name.clone()).unwrap_or_default();
    let show = |bytes: &[u8]| refit_base::wire::decode_1252(bytes).into_owned();
    let missing: Vec<String> = doc::keys_without_text(file, dll)
        .iter()
        .map(|k| format!("{} ({})", k.key, k.id))
        .collect();
    about(lints, KEY_WITHOUT_TEXT, "keys without a text", &missing);
    let (mut twice, mut foreign) = (Vec::new(), Vec::new());
    let mut seen = std::collections::HashSet::new();
    let mut ids: HashMap<u32, u32> = HashMap::new();
    for key in &dll.keys {
        *ids.entry(key.id).or_default() += 1;
        if !seen.insert(name(key)) {
            twice.push(show(name(key)));
        }
        if !name(key).is_ascii() {
            foreign.push(show(name(key)));
        }
    }
    about(lints, KEY_DUPLICATE, "duplicate keys", &twice);
    about(lints, KEY_NOT_ASCII, "keys with other characters", &foreign);
    let mut shared: Vec<u32> = ids
        .into_iter()
        .filter(|(_, n)| *n > 1)
        .map(|(id, _)| id)
        .collect();
    shared.sort_unstable();
    about(lints, KEY_SHARED_ID, "ids that several keys share", &shared);
    let keyless: Vec<u32> = dll
        .tables
        .iter()
        .flat_map(|t| &t.entries)
        .map(|e| e.id)
        .filter(|id| dll.keys_of(*id).next().is_none())
        .collect();
    if !dll.keys.is_empty() {
        about(lints, TEXT_WITHOUT_KEY, "texts without a key", &keyless);
    }
}

/// Describes a message that is too long for the game (FORMAT.md): its size there, and the
/// consequence. Recoil removes the line end before it copies the text; in MechWarrior 3 the line
/// end goes into the buffer, too.
fn too_long(message: &Message, kind: TableKind, page: &Page, game: Option<Game>) -> Option<String> {
    let bytes = message.encode(kind, page).ok()?;
    // Windows converts a UTF-16 message to the system's code page, too.
    let shown = if kind == TableKind::MessageTable && message.flag_word() & doc::WIDE != 0 {
        formatted(super::image::units_of(&bytes).map(u32::from))
    } else {
        formatted(bytes.iter().map(|b| u32::from(*b)))
    };
    match game? {
        Game::Rc | Game::RcDemo => {
            let length = if shown.ends_with(&[13, 10]) {
                shown.len() - 2
            } else {
                shown.len()
            };
            (length > 255).then(|| {
                format!("{length} bytes (Recoil's buffer holds 255): cut and not terminated")
            })
        }
        Game::Mw | Game::Pm => {
            let length = shown.len();
            (length > 511).then(|| {
                format!("{length} bytes with the line end (the buffer of MechWarrior 3 holds 511): not shown at all")
            })
        }
        Game::Cs => None,
    }
}

/// A message as FormatMessage returns it, with escapes replaced. Inserts keep their spelling.
fn formatted(text: impl Iterator<Item = u32>) -> Vec<u32> {
    let text: Vec<u32> = text.collect();
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_slice();
    while let Some((c, tail)) = rest.split_first() {
        rest = tail;
        if *c != u32::from('%') {
            out.push(*c);
            continue;
        }
        let Some((c, tail)) = rest.split_first() else {
            break;
        };
        rest = tail;
        match char::from_u32(*c) {
            Some('n') => out.extend([13, 10]),
            // Ends the text without a line end: the rest is ignored.
            Some('0') => break,
            Some('r') => out.push(13),
            Some('t') => out.push(9),
            Some('b') => out.push(32),
            Some('1'..='9') => out.extend([37, *c]),
            _ => out.push(*c),
        }
    }
    out
}

fn texts(file: &[u8], dll: &Dll, table: &TextTable, game: Option<Game>, lints: &mut Lints) {
    let Ok(page) = Page::new(table.page) else {
        return;
    };
    let mut found: HashMap<&'static Code, Vec<String>> = HashMap::new();
    let mut note = |code, what: String| found.entry(code).or_default().push(what);
    for entry in &table.entries {
        let message = Message::read(file, table, entry, &page);
        let stored_message = table.kind == TableKind::MessageTable;
        for (is, code) in [
            (entry.id == 0, TEXT_ID_ZERO),
            (entry.occurrence > 1, TEXT_ID_TWICE),
            (message.units.is_some(), STRING_SURROGATE),
            (message.bytes.is_some(), TEXT_NOT_IN_PAGE),
            (
                stored_message && message.eol != doc::Eol::Crlf,
                MESSAGE_LINE_END,
            ),
            (
                stored_message && !doc::residue(file, entry).is_empty(),
                MESSAGE_RESIDUE,
            ),
        ] {
            if is {
                note(code, entry.id.to_string());
            }
        }
        if !stored_message {
            continue;
        }
        let flags = message.flag_word();
        if flags != 0 {
            note(MESSAGE_FLAGS, format!("{} ({flags:#x})", entry.id));
        }
        if entry.at.len() % 4 != 0 {
            note(
                MESSAGE_LENGTH,
                format!("{} ({} bytes)", entry.id, entry.at.len()),
            );
        }
        if let Some(what) = too_long(&message, table.kind, &page, game) {
            note(TEXT_TOO_LONG, format!("{} ({what})", entry.id));
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(code, _)| code.code);
    for (code, ids) in found {
        about(lints, code, "ids", &ids);
    }
    blocks(file, dll, table, lints);
}

fn blocks(file: &[u8], dll: &Dll, table: &TextTable, lints: &mut Lints) {
    if table.kind == TableKind::StringTable {
        for block in &table.blocks {
            let name = dll
                .resources
                .leaves
                .get(block.leaf)
                .map(|l| super::image::leaf_text(l, file))
                .unwrap_or_default();
            let mut say =
                |what: String| lints.say(STRING_BLOCK, format!("resource {name}: {what}"));
            if block.strings < 16 {
                say(format!("{} strings instead of 16", block.strings));
            } else if block.entries.is_empty() {
                say("no string in it".into());
            }
            if block.tail > 0 {
                say(format!("{} bytes after the last string", block.tail));
            }
            if block.low / 16 + 1 > u32::from(u16::MAX) {
                say("a number above 65535".into());
            }
        }
        return;
    }
    let mut odd = BTreeSet::new();
    let mut next = (4 + 12 * table.blocks.len()) as u64;
    let mut last: Option<u32> = None;
    for block in &table.blocks {
        if block.high < block.low {
            odd.insert("an empty block");
            continue;
        }
        if last.is_some_and(|last| block.low <= last) {
            odd.insert("blocks out of order");
        } else if last.is_some_and(|last| block.low - 1 == last) {
            odd.insert("ids in a row in two blocks");
        }
        last = Some(block.high);
        if u64::from(block.offset) != next {
            odd.insert("entries that do not follow those of the previous block");
        }
        let bytes: usize = table
            .entries
            .get(block.entries.clone())
            .unwrap_or_default()
            .iter()
            .map(|e| e.at.len())
            .sum();
        next = u64::from(block.offset) + bytes as u64;
    }
    for what in odd {
        lints.say(MESSAGE_BLOCKS, what);
    }
}

/// The FormatMessage inserts of a text: `%1`, `%2!d!`, `%0`, `%n`, `%%` and so on, without
/// duplicates.
fn inserts(text: &str) -> Vec<String> {
    let mut out = BTreeSet::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        rest = rest.get(at + 1..).unwrap_or_default();
        let digits = rest
            .chars()
            .take(2)
            .take_while(char::is_ascii_digit)
            .count();
        let mut end = if digits > 0 {
            digits
        } else {
            rest.chars().next().map_or(0, char::len_utf8)
        };
        if digits > 0
            && !rest.starts_with('0')
            && let Some(format) = rest.get(end..).and_then(|t| t.strip_prefix('!'))
            && let Some(length) = format.find('!')
        {
            end += length + 2;
        }
        out.insert(format!("%{}", rest.get(..end).unwrap_or_default()));
        rest = rest.get(end..).unwrap_or_default();
    }
    out.into_iter().collect()
}

/// The printf conversions of a text, in order: `%d`, `%-5.2f`, `%s`. `%%` is not one.
fn conversions(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        rest = rest.get(at + 1..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix('%') {
            rest = after;
            continue;
        }
        let mods = |c: char| {
            c.is_ascii_digit() || matches!(c, '-' | '+' | '#' | '.' | '*' | 'h' | 'l' | 'I')
        };
        let end = rest.find(|c: char| !mods(c)).unwrap_or(rest.len());
        if let Some(c) = rest
            .get(end..)
            .and_then(|t| t.chars().next())
            .filter(|c| "diouxXeEfgGcCsSpn".contains(*c))
        {
            out.push(format!("%{}{c}", rest.get(..end).unwrap_or_default()));
            rest = rest.get(end + 1..).unwrap_or_default();
        }
    }
    out
}

/// True for an insert that needs a value: `%1`, `%2!d!`. Windows replaces the others by a character
/// or by nothing.
fn is_value(insert: &str) -> bool {
    insert
        .strip_prefix('%')
        .is_some_and(|rest| rest.starts_with(|c: char| ('1'..='9').contains(&c)))
}

/// The font at the start of a Crimson Skies text, with its brackets: `[COUR9]`, or `[]`.
pub fn font_tag(text: &str) -> Option<&str> {
    let end = text.strip_prefix('[')?.find(']')?;
    let tag = text.get(..end + 2)?;
    let name = tag.get(1..end + 1)?;
    (name.len() <= 16 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        .then_some(tag)
}

/// Checks the changes of a tree to a table's texts. `place` is the place of a text, or of all, for
/// the user.
pub fn judge_edits(
    file: &[u8],
    dll: &Dll,
    (table, texts): (&TextTable, &Texts),
    game: Option<Game>,
    place: &dyn Fn(Option<usize>) -> String,
    lints: &mut Lints,
) {
    let Ok(page) = Page::new(table.page) else {
        return;
    };
    let kept: BTreeSet<u32> = texts.messages.iter().map(|message| message.id).collect();
    let lost: BTreeSet<u32> = table
        .entries
        .iter()
        .map(|entry| entry.id)
        .filter(|id| !kept.contains(id))
        .collect();
    for id in lost {
        let keys: Vec<String> = dll
            .keys_of(id)
            .map(|key| {
                refit_base::wire::decode_1252(file.get(key.name.clone()).unwrap_or_default())
                    .into_owned()
            })
            .collect();
        lints.at(place(None), |lints| {
            lints.check(keys.is_empty(), KEY_LOST_TEXT, || {
                format!("{} ({id}): its text was deleted", some(&keys))
            });
        });
    }
    let new_page = texts.code_page.and_then(|n| Page::new(n).ok());
    let old: HashMap<(u32, u32), &super::dll::TextEntry> = table
        .entries
        .iter()
        .map(|e| ((e.id, e.occurrence), e))
        .collect();
    for (i, message) in texts.messages.iter().enumerate() {
        let base = old
            .get(&(message.id, message.occurrence.unwrap_or(1)))
            .map(|e| Message::read(file, table, e, &page));
        if base
            .as_ref()
            .is_some_and(|base| base.says_the_same(message))
        {
            continue;
        }
        lints.at(place(Some(i)), |lints| {
            let called = message.called(table.kind);
            if message.id == 0 {
                lints.say(
                    TEXT_ID_ZERO,
                    format!("{called}: the game takes the id 0 for a missing text"),
                );
            }
            if let Some(what) = too_long(
                message,
                table.kind,
                new_page.as_ref().unwrap_or(&page),
                game,
            ) {
                lints.say(TEXT_TOO_LONG, format!("{called} has {what}"));
            }
            let table_of_messages = table.kind == TableKind::MessageTable;
            let of = |m: &Message| {
                let text = m.text.as_deref().unwrap_or_default();
                if table_of_messages {
                    return inserts(text);
                }
                // Crimson Skies uses both kinds: %1!s! in langui.dll, %s in the others.
                let mut out: Vec<String> =
                    inserts(text).into_iter().filter(|i| is_value(i)).collect();
                out.extend(conversions(text));
                out
            };
            let Some(base) = base else {
                let new: Vec<String> = of(message).into_iter().filter(|i| is_value(i)).collect();
                lints.check(!table_of_messages || new.is_empty(), TEXT_INSERTS, || {
                    format!(
                        "{called} is new and has {}: the game gives it no values",
                        new.join(" ")
                    )
                });
                return;
            };
            if table_of_messages && base.eol == doc::Eol::Crlf && message.eol != doc::Eol::Crlf {
                lints.say(TEXT_LINE_END, format!("{called} lost the CR LF at its end"));
            }
            let (was, is) = (of(&base), of(message));
            let show = |list: &[String]| {
                if list.is_empty() {
                    "no inserts".to_owned()
                } else {
                    list.join(" ")
                }
            };
            lints.check(was == is, TEXT_INSERTS, || {
                format!(
                    "{called}: the original has {}, this text has {}",
                    show(&was),
                    show(&is)
                )
            });
            let tag = |m: &Message| m.text.as_deref().and_then(font_tag).map(str::to_owned);
            let (was, is) = (tag(&base), tag(message));
            lints.check(
                table_of_messages || was.is_none() || was == is,
                TEXT_FONT_TAG,
                || {
                    let is = is.unwrap_or_else(|| "none".to_owned());
                    format!(
                        "{called}: the original begins with the font {}, this text with {is}",
                        was.unwrap_or_default()
                    )
                },
            );
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserts_are_found() {
        assert_eq!(
            inserts("%1 of %2!d! at 100%%, %1 again%n%0"),
            ["%%", "%0", "%1", "%2!d!", "%n"]
        );
        assert_eq!(inserts("%12!s!x %3!d %"), ["%", "%12!s!", "%3"]);
        assert!(inserts("plain").is_empty());
        assert!(
            is_value("%1")
                && is_value("%12!s!")
                && !is_value("%0")
                && !is_value("%n")
                && !is_value("%%")
        );
        for (text, shown) in [
            ("%1 of %2!d! at 100%%,%n.", "%1 of %2!d! at 100%,\r\n."),
            ("a%0b", "a"),
            ("%!%.% x%", "!. x"),
            ("%12!s!x %3!d", "%12!s!x %3!d"),
        ] {
            let found: String = formatted(text.chars().map(u32::from))
                .into_iter()
                .filter_map(char::from_u32)
                .collect();
            assert_eq!(found, shown, "{text}");
        }
        assert_eq!(font_tag("[COUR9]Pilot"), Some("[COUR9]"));
        assert_eq!(font_tag("[]Pilot"), Some("[]"));
        assert_eq!(
            (
                font_tag("[Enter] starts [x]"),
                font_tag("Pilot [a]"),
                font_tag("[press a key]"),
                font_tag("[x")
            ),
            (Some("[Enter]"), None, None, None)
        );
        assert_eq!(
            conversions("%d%% of %-5.2f by %s, 5 % ß %"),
            ["%d", "%-5.2f", "%s"]
        );
    }
}
