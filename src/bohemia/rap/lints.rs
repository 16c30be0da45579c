//! Findings in configs.

use super::{
    binary::{Parsed, shown},
    model::{BodyLayout, Config, ConfigValue, EntryContent},
    print::{Encoding, each_value, is_plain_name},
};
use refit_base::lint::{self, Lints, codes};
use std::collections::{HashMap, HashSet};

codes! {
    /// The kinds of findings in binary configs.
    pub CODES:
    RAP_BASE "rap-base" Refuses [] "an undeclared base class"
        "A class inherits from a name that is not a class at this point: not among the entries before it, in the base \
        classes of the enclosing classes, or outside them. A game that reads such a text reports an undefined base \
        class and stops reading. Declare a class of another addon with `class Name;`."
        "The released source of Operation Flashpoint: the text reader looks for the base in the enclosing class, its \
        bases and outwards, and stops if there is none; merging addons does the same. None of 20 real files at hand \
        has this finding."
    RAP_SYNTAX "rap-syntax" Refuses [] "a text that is no config"
        "The game reports the error and stops when it reads this text. `refit build` and `refit repack FILE --format \
        rap` name the place, too. Only texts that a game reads by their name are judged, with the files that they \
        include. Where one of these is missing, or only the game knows a value, refit says that it did not judge the \
        text."
        "The released source of Operation Flashpoint: the text reader stops at the first token that it does not \
        expect, and the preprocessor (\"Preprocessor failed on file\") at an unknown directive, a condition without \
        its end, and a macro with too few or too many arguments."
    RAP_DUPLICATE "rap-duplicate" Ignores [] "a class has two entries of one name"
        "Case is ignored. Operation Flashpoint refuses the text of such a config (\"Member already defined\"), and in \
        a binary file finds only one of the two."
        "The released source of Operation Flashpoint searches the entries in order. Of 3,634 known files one has such \
        names: a test file."
    RAP_NAME "rap-name" Unusual [] "a name that the language cannot express"
        "Names consist of letters, digits and _, and are not keywords. The tree keeps any other name in a comment, and \
        no other program can read this text."
        "All names of 3,634 known files consist of these characters."
    RAP_TEXT "rap-text" Unusual [] "a text that the language cannot express"
        "The text has control characters other than tabs and line feeds, or it is not valid UTF-8 and the texts of the \
        file are not all valid Windows-1252. The tree keeps its bytes in a comment."
        "None of 3,634 known files has such a text."
    RAP_LAYOUT "rap-layout" Unusual [] "unusual order of classes"
        "Some older tools omit the offsets after the classes, or store the classes level by level. Mods with such \
        files work in the games. Delete `layout` from the manifest to write the usual layout of Bohemia's programs."
        "5 of 3,634 known files: HEMTT before 1.9, and gulp-armarapify-plugin."
    RAP_TAIL "rap-tail" Unusual [] "trailing bytes"
        "Nothing refers to these bytes. refit keeps them in a file of the tree."
        "None of 3,634 known files has such bytes."
}

/// Checks a file.
pub fn judge(parsed: &Parsed, lints: &mut Lints) {
    let Parsed {
        config,
        layout,
        unk8,
        enum_offset,
        odd_next,
        tail,
    } = parsed;
    lints.check(
        !matches!(layout, BodyLayout::WithoutNext | BodyLayout::BreadthFirst),
        RAP_LAYOUT,
        || layout.describe().into(),
    );
    lints.check(tail.is_empty(), RAP_TAIL, || {
        refit_base::wire::count(tail.len(), "byte")
    });
    let root = config.classes.first().filter(|root| !root.base.is_empty());
    let odd = [
        ("unk8", unk8.map(|n| format!("{n} (8 in known files)"))),
        (
            "enum_offset",
            enum_offset.map(|n| format!("{n:#x}, which is not the end of the classes")),
        ),
        (
            "base",
            root.map(|root| format!("the root has the base class {}", visible_name(&root.base))),
        ),
    ];
    for (key, what) in odd {
        lints.at(key, |lints| {
            what.into_iter()
                .for_each(|what| lints.say(lint::ODD_VALUE, what))
        });
    }
    for (i, [body, next]) in odd_next.iter().enumerate() {
        lints.at(format!("odd_next[{i}]"), |lints| {
            lints.say(lint::ODD_VALUE, format!("{next:#x} after class {body}"))
        });
    }
    let scopes = Scopes::new(config);
    let encoding = Encoding::of(config);
    for class in config.depth_first() {
        let path = scopes.path(class);
        lints.at(path, |lints| {
            judge_class(config, class, &scopes, encoding, lints)
        });
    }
    for (i, (name, _)) in config.enums.iter().enumerate() {
        lints.at(format!("enum[{i}]"), |lints| {
            lints.check(name.is_empty() || is_plain_name(name), RAP_NAME, || {
                visible_name(name)
            })
        });
    }
}

fn visible_name(name: &[u8]) -> String {
    format!("{:?}", shown(name))
}

fn judge_class(
    config: &Config,
    class: usize,
    scopes: &Scopes<'_>,
    encoding: Encoding,
    lints: &mut Lints,
) {
    let mut seen = HashSet::new();
    for entry in config.entries(class) {
        let declares = matches!(
            entry.content,
            EntryContent::External | EntryContent::Deleted
        );
        let first = declares || seen.insert(entry.name.to_ascii_lowercase());
        lints.check(first, RAP_DUPLICATE, || {
            format!("{} again", visible_name(&entry.name))
        });
        lints.check(is_plain_name(&entry.name), RAP_NAME, || {
            visible_name(&entry.name)
        });
        let mut value = |value: &ConfigValue| match value {
            ConfigValue::Text(text) if !encoding.can_print(text) => {
                lints.at(shown(&entry.name), |lints| {
                    lints.say(RAP_TEXT, format!("{:?}", shown(text)))
                });
            }
            ConfigValue::Float(f) if !f.get().is_finite() => {
                lints.at(shown(&entry.name), |lints| {
                    lints.say(lint::NOT_FINITE, format!("{:#010x}", f.bits()))
                });
            }
            _ => {}
        };
        match &entry.content {
            EntryContent::Value(v) => value(v),
            EntryContent::Array(items) | EntryContent::Changed(_, items) => {
                each_value(items, &mut value)
            }
            _ => {}
        }
    }
    let Some(base) = config
        .classes
        .get(class)
        .map(|class| &class.base)
        .filter(|base| class != 0 && !base.is_empty())
    else {
        return;
    };
    lints.check(is_plain_name(base), RAP_NAME, || visible_name(base));
    match scopes.base.get(class) {
        Some(Base::Missing) => lints.say(
            RAP_BASE,
            format!(
                "the base class {} is not declared before",
                visible_name(base)
            ),
        ),
        Some(Base::NoClass) => {
            lints.say(RAP_BASE, format!("{} is not a class", visible_name(base)))
        }
        _ => {}
    }
}

/// The base of a class.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Base {
    /// The class has none.
    None,
    /// A class of this file.
    Class(usize),
    /// A class of another file, or one that might be there.
    Elsewhere,
    /// A property, or a deleted class.
    NoClass,
    /// Nothing has this name.
    Missing,
}

/// Maximum number of classes to search for one base. A longer chain counts as found.
const SEARCHED: usize = 1000;

/// The classes with their surroundings.
struct Scopes<'c> {
    config: &'c Config,
    /// The class around each class, and the position of its entry there.
    parent: Vec<(usize, usize)>,
    /// The first entry of each name without case.
    names: Vec<HashMap<Vec<u8>, usize>>,
    base: Vec<Base>,
}

impl<'c> Scopes<'c> {
    fn new(config: &'c Config) -> Self {
        let count = config.classes.len();
        let mut scopes = Scopes {
            config,
            parent: vec![(0, 0); count],
            names: Vec::new(),
            base: vec![Base::Elsewhere; count],
        };
        for (n, class) in config.classes.iter().enumerate() {
            let mut names = HashMap::new();
            for (i, entry) in class.entries.iter().enumerate() {
                if !matches!(entry.content, EntryContent::Deleted) {
                    names.entry(entry.name.to_ascii_lowercase()).or_insert(i);
                }
                if let EntryContent::Class(inner) = entry.content
                    && let Some(slot) = scopes.parent.get_mut(inner)
                {
                    *slot = (n, i);
                }
            }
            scopes.names.push(names);
        }
        for class in config.depth_first() {
            let found = match config.classes.get(class) {
                Some(it) if !it.base.is_empty() && class != 0 => {
                    scopes.find(class, &it.base.to_ascii_lowercase())
                }
                _ => Base::None,
            };
            if let Some(slot) = scopes.base.get_mut(class) {
                *slot = found;
            }
        }
        scopes
    }

    /// Searches the base of a class: in the class around it, in the bases of that class, and
    /// further outwards. In the classes around it only the entries before it count.
    fn find(&self, class: usize, name: &[u8]) -> Base {
        let mut scope = class;
        let mut left = SEARCHED;
        while scope != 0 {
            let Some((outer, at)) = self.parent.get(scope).copied() else {
                break;
            };
            let (mut searched, mut before) = (outer, Some(at));
            loop {
                if left == 0 {
                    return Base::Elsewhere;
                }
                left -= 1;
                let found = self
                    .names
                    .get(searched)
                    .and_then(|names| names.get(name))
                    .copied();
                if let Some(found) =
                    found.filter(|found| before.is_none_or(|before| *found < before))
                {
                    return match self
                        .config
                        .entries(searched)
                        .get(found)
                        .map(|entry| &entry.content)
                    {
                        Some(EntryContent::Class(class)) => Base::Class(*class),
                        Some(EntryContent::External) => Base::Elsewhere,
                        _ => Base::NoClass,
                    };
                }
                match self.base.get(searched) {
                    Some(Base::Class(base)) => (searched, before) = (*base, None),
                    Some(Base::None | Base::Missing | Base::NoClass) => break,
                    _ => return Base::Elsewhere,
                }
            }
            scope = outer;
        }
        Base::Missing
    }

    fn path(&self, class: usize) -> String {
        let mut steps = Vec::new();
        let mut class = class;
        while class != 0 {
            let Some((outer, at)) = self.parent.get(class).copied() else {
                break;
            };
            steps.push(
                self.config
                    .entries(outer)
                    .get(at)
                    .map(|entry| shown(&entry.name))
                    .unwrap_or_default(),
            );
            class = outer;
        }
        steps.reverse();
        steps.join(".")
    }
}
