//! The result of an import, and its options.

use refit_zipper::gamez::tree::some;
use std::collections::BTreeMap;

/// Maximum number of different sentences on defaults; further ones are counted together.
const KINDS: usize = 24;

/// The options of an import.
#[derive(Clone, Copy, Default, Debug)]
pub struct Options {
    /// Merge new triangles in one plane to polygons.
    pub merge_polygons: bool,
    /// Make motions end as they begin.
    pub close_motions: bool,
}

/// The picture of a texture that is new in a world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewPicture {
    /// The texture's name in packages, without extension.
    pub name: String,
    /// The picture's file.
    pub file: bytes::Bytes,
}

/// Declares the report with its counts, and for each count its words in the summary: singular,
/// plural, and the verb.
macro_rules! report {
    ($($(#[$doc:meta])* $count:ident: $one:literal $many:literal $what:literal,)+ {
        $($(#[$field_doc:meta])* $field:ident: $t:ty,)+
    }) => {
        /// The effects of an import on a model.
        #[derive(Clone, Default, PartialEq, Eq, Debug)]
        pub struct Report {
            $($(#[$doc])* pub $count: usize,)+
            $($(#[$field_doc])* pub $field: $t,)+
        }

        impl Report {
            /// The counts, with singular, plural and verb.
            fn counts(&self) -> [(usize, [&'static str; 3]); [$($what),+].len()] {
                [$((self.$count, [$one, $many, $what])),+]
            }

            fn add_counts(&mut self, other: &Report) {
                $(self.$count += other.$count;)+
            }
        }
    };
}

report! {
    /// Moved vertices.
    vertices_moved: "vertex" "vertices" "moved",
    /// New vertices.
    vertices_new: "vertex" "vertices" "new",
    /// Vertices removed because nothing uses them any more.
    vertices_gone: "vertex" "vertices" "gone",
    /// Polygons whose corners or materials changed.
    polygons_changed: "polygon" "polygons" "changed",
    /// New polygons.
    polygons_new: "polygon" "polygons" "new",
    /// Deleted polygons.
    polygons_gone: "polygon" "polygons" "gone",
    /// Moved nodes.
    nodes_moved: "node" "nodes" "moved",
    /// New nodes.
    nodes_new: "node" "nodes" "new",
    /// Changed curves of a motion.
    curves_changed: "curve" "curves" "changed",
    /// New parts of a motion.
    parts_new: "part" "parts" "new",
    /// New motions.
    motions_new: "motion" "motions" "new",
    {
        /// The pictures of new textures, which have to go into the texture packages.
        pictures: Vec<NewPicture>,
        /// The names of new textures, without extension, which must be in the texture packages.
        textures: Vec<String>,
        /// Sentences on what could not be imported faithfully.
        notes: Vec<String>,
        /// Sentences on what was ignored in the file.
        lost: Vec<String>,
        /// Defaults for properties of new things that the file does not specify: sentences, each
        /// with the number of things.
        defaults: BTreeMap<String, usize>,
    }
}

impl Report {
    /// True if the file changes nothing.
    pub fn is_unchanged(&self) -> bool {
        self.counts().iter().all(|(n, _)| *n == 0)
    }

    /// Adds the report of one of several models.
    pub(crate) fn add(&mut self, name: &str, mut other: Report) {
        self.add_counts(&other);
        for sentence in other.notes.iter_mut().chain(&mut other.lost) {
            *sentence = format!("{name}: {sentence}");
        }
        self.pictures.append(&mut other.pictures);
        self.take(other);
    }

    /// Adds a further report on the same model.
    pub(crate) fn take(&mut self, other: Report) {
        self.notes.extend(other.notes);
        self.lost.extend(other.lost);
        self.textures.extend(other.textures);
        other
            .defaults
            .into_iter()
            .for_each(|(what, n)| self.add_default(what, n));
    }

    /// Counts things that got a default.
    pub(crate) fn add_default(&mut self, what: String, n: usize) {
        let room = self.defaults.len() < KINDS || self.defaults.contains_key(&what);
        let what = if room {
            what
        } else {
            "further kinds of new things, which also got defaults".to_owned()
        };
        *self.defaults.entry(what).or_default() += n;
    }

    /// A sentence for each new texture that the texture packages lack after pictures went into
    /// `packages` of them. `adds` is the user's word for what puts them there.
    pub fn missing_pictures(&self, packages: usize, adds: &str) -> Vec<String> {
        let why = |name: &String| match (
            self.pictures.iter().any(|picture| picture.name == *name),
            packages,
        ) {
            (false, _) => Some(", but the file has no picture of it".to_owned()),
            (true, 0) => Some(format!(" ({adds} adds its picture)")),
            (true, _) => None,
        };
        let sentence = |name| {
            Some(format!(
                "the texture {name:?} must be in the texture packages too{}",
                why(name)?
            ))
        };
        self.textures.iter().filter_map(sentence).collect()
    }

    /// A short summary.
    pub fn tell(&self) -> String {
        let counts = self.counts().into_iter().filter(|(n, _)| *n > 0);
        let parts: Vec<String> = counts
            .map(|(n, [one, many, what])| format!("{n} {} {what}", if n == 1 { one } else { many }))
            .collect();
        if parts.is_empty() {
            "as it was".to_owned()
        } else {
            parts.join(", ")
        }
    }
}

/// The first names of a list, and how many more there are.
pub(crate) fn listed(names: &[String]) -> String {
    some(names, 8)
}
