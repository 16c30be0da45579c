//! The content of a raP file: classes of entries.

use bytes::Bytes;
use refit_base::wire::F32;
use serde::{Deserialize, Serialize};

/// Deepest nesting of classes, and of arrays. Known files have 16 and 4 levels.
pub const DEEPEST: usize = 512;

/// The classes and enumerators of a file. Names and texts are bytes without a declared encoding.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// All classes. The first is the root, and each of the others belongs to exactly one entry.
    pub classes: Vec<ConfigClass>,
    /// The list of enumerators: names and values in the order of the file.
    pub enums: Vec<(Bytes, i32)>,
    /// The name of the root. Only the files of Operation Flashpoint have one.
    pub name: Bytes,
}

impl Default for Config {
    /// A file without entries.
    fn default() -> Self {
        Config {
            classes: vec![ConfigClass::default()],
            enums: Vec::new(),
            name: Bytes::new(),
        }
    }
}

impl Config {
    /// The entries of a class; none if there is no such class.
    pub fn entries(&self, class: usize) -> &[ConfigEntry] {
        self.classes.get(class).map_or(&[], |class| &class.entries)
    }

    /// The first entry of a class with this name, ignoring case.
    pub fn find(&self, class: usize, name: &[u8]) -> Option<&EntryContent> {
        self.entries(class)
            .iter()
            .find(|entry| entry.name.eq_ignore_ascii_case(name))
            .map(|entry| &entry.content)
    }

    /// The classes in a class, in the order of their entries.
    pub fn children(&self, class: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.entries(class).iter().filter_map(|entry| {
            if let EntryContent::Class(class) = entry.content {
                Some(class)
            } else {
                None
            }
        })
    }

    /// All classes depth first: each class before those in it.
    pub fn depth_first(&self) -> Vec<usize> {
        let (mut order, mut todo) = (Vec::with_capacity(self.classes.len()), vec![0]);
        while let Some(class) = todo.pop() {
            order.push(class);
            todo.extend(self.children(class).rev());
        }
        order
    }

    /// All classes breadth first: those of each level before those of the next.
    pub fn breadth_first(&self) -> Vec<usize> {
        let mut order = vec![0];
        let mut at = 0;
        while let Some(class) = order.get(at) {
            let children: Vec<usize> = self.children(*class).collect();
            order.extend(children);
            at += 1;
        }
        order
    }
}

/// A class body.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ConfigClass {
    /// The name of the class from which it inherits; empty without one.
    pub base: Bytes,
    /// Its entries in the order of the file. Names may repeat.
    pub entries: Vec<ConfigEntry>,
}

/// An entry of a class.
#[derive(Clone, PartialEq, Debug)]
pub struct ConfigEntry {
    /// Its name.
    pub name: Bytes,
    /// The content of the entry.
    pub content: EntryContent,
}

/// The content of an entry.
#[derive(Clone, PartialEq, Debug)]
pub enum EntryContent {
    /// A class: its position in [`Config::classes`].
    Class(usize),
    /// A property.
    Value(ConfigValue),
    /// An array.
    Array(Vec<ArrayItem>),
    /// An array with a flag: 1 adds items to the inherited array, 2 removes some (DayZ).
    Changed(u32, Vec<ArrayItem>),
    /// A class that another file declares.
    External,
    /// Deletes an inherited class.
    Deleted,
}

/// A single value.
#[derive(Clone, PartialEq, Debug)]
pub enum ConfigValue {
    /// A text.
    Text(Bytes),
    /// A number with a point.
    Float(F32),
    /// A number.
    Int(i32),
    /// A number of 64 bits.
    Long(i64),
    /// An expression that the game evaluates.
    Expression(Bytes),
}

/// An item of an array.
#[derive(Clone, PartialEq, Debug)]
pub enum ArrayItem {
    /// A single value.
    Value(ConfigValue),
    /// An array in the array.
    Array(Vec<ArrayItem>),
}

/// How a file arranges its classes. The games since Elite treat all layouts alike.
#[derive(
    Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BodyLayout {
    /// Depth first, and after each body the offset of what follows its last subclass: everything
    /// from Bohemia.
    #[default]
    DepthFirst,
    /// Depth first without these offsets: HEMTT before 1.9, armake.
    WithoutNext,
    /// Breadth first, and after each body the offset of its own end: gulp-armarapify-plugin.
    BreadthFirst,
    /// Operation Flashpoint, version 2: one stream with a table of texts.
    Table2,
    /// Operation Flashpoint, version 3.
    Table3,
    /// Operation Flashpoint: Resistance, version 4.
    Table4,
}

impl BodyLayout {
    /// All layouts with offsets, the most usual first.
    pub const WITH_OFFSETS: [BodyLayout; 3] = [
        BodyLayout::DepthFirst,
        BodyLayout::WithoutNext,
        BodyLayout::BreadthFirst,
    ];

    /// The version word of a layout of Operation Flashpoint; `None` for the others.
    pub fn table(self) -> Option<u32> {
        match self {
            BodyLayout::DepthFirst | BodyLayout::WithoutNext | BodyLayout::BreadthFirst => None,
            BodyLayout::Table2 => Some(2),
            BodyLayout::Table3 => Some(3),
            BodyLayout::Table4 => Some(4),
        }
    }

    /// A description for `info`.
    pub fn describe(self) -> &'static str {
        match self {
            BodyLayout::DepthFirst => "depth first",
            BodyLayout::WithoutNext => {
                "depth first without next offsets (HEMTT before 1.9, armake)"
            }
            BodyLayout::BreadthFirst => "breadth first (gulp-armarapify-plugin)",
            BodyLayout::Table2 => "table of texts, version 2 (Operation Flashpoint)",
            BodyLayout::Table3 => "table of texts, version 3 (Operation Flashpoint)",
            BodyLayout::Table4 => "table of texts, version 4 (Operation Flashpoint)",
        }
    }
}
