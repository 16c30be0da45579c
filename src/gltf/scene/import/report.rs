//! What an import did, and what it was asked for.

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

/// The effects of an import on a model.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Report {
    /// Polygons whose corners or materials changed.
    pub polygons_changed: usize,
    /// New polygons.
    pub polygons_new: usize,
    /// Deleted polygons.
    pub polygons_gone: usize,
    /// Moved vertices.
    pub vertices_moved: usize,
    /// New vertices.
    pub vertices_new: usize,
    /// Vertices removed because nothing uses them any more.
    pub vertices_gone: usize,
    /// Moved nodes.
    pub nodes_moved: usize,
    /// New nodes.
    pub nodes_new: usize,
    /// Changed curves of a motion.
    pub curves_changed: usize,
    /// New parts of a motion.
    pub parts_new: usize,
    /// New motions.
    pub motions_new: usize,
    /// The pictures of new textures, which have to go into the texture packages.
    pub pictures: Vec<NewPicture>,
    /// The names of new textures, without extension, which must be in the texture packages.
    pub textures: Vec<String>,
    /// Sentences on what could not be imported faithfully.
    pub notes: Vec<String>,
    /// Sentences on what was ignored in the file.
    pub lost: Vec<String>,
    /// Defaults for what the file does not specify of new things: sentences, each with the number of things.
    pub defaults: BTreeMap<String, usize>,
}

impl Report {
    /// True if the file changes nothing.
    pub fn is_unchanged(&self) -> bool {
        self.counts().iter().all(|n| *n == 0)
    }

    fn counts(&self) -> [usize; 11] {
        let Report {
            notes: _,
            lost: _,
            defaults: _,
            pictures: _,
            textures: _,
            polygons_changed: a,
            polygons_new: b,
            polygons_gone: c,
            vertices_moved: d,
            ..
        } = self;
        let Report {
            vertices_new: e,
            vertices_gone: f,
            nodes_moved: g,
            nodes_new: h,
            curves_changed: i,
            parts_new: j,
            ..
        } = self;
        [a, b, c, d, e, f, g, h, i, j, &self.motions_new].map(|n| *n)
    }

    /// Adds the report of one of several models.
    pub(crate) fn add(&mut self, name: &str, other: Report) {
        self.polygons_changed += other.polygons_changed;
        self.polygons_new += other.polygons_new;
        self.polygons_gone += other.polygons_gone;
        self.vertices_moved += other.vertices_moved;
        self.vertices_new += other.vertices_new;
        self.vertices_gone += other.vertices_gone;
        self.nodes_moved += other.nodes_moved;
        self.nodes_new += other.nodes_new;
        self.curves_changed += other.curves_changed;
        self.parts_new += other.parts_new;
        self.motions_new += other.motions_new;
        self.pictures.extend(other.pictures);
        self.textures.extend(other.textures);
        self.notes.extend(other.notes.into_iter().map(|note| format!("{name}: {note}")));
        self.lost.extend(other.lost.into_iter().map(|lost| format!("{name}: {lost}")));
        other.defaults.into_iter().for_each(|(what, n)| self.add_default(what, n));
    }

    /// Adds a further report on the same model.
    pub(crate) fn take(&mut self, other: Report) {
        self.notes.extend(other.notes);
        self.lost.extend(other.lost);
        self.textures.extend(other.textures);
        other.defaults.into_iter().for_each(|(what, n)| self.add_default(what, n));
    }

    /// Counts things that got a default.
    pub(crate) fn add_default(&mut self, what: String, n: usize) {
        let room = self.defaults.len() < KINDS || self.defaults.contains_key(&what);
        let what = if room { what } else { "new things of further kinds, which got what is usual too".to_owned() };
        *self.defaults.entry(what).or_default() += n;
    }

    /// A short summary.
    pub fn tell(&self) -> String {
        let mut parts = Vec::new();
        let mut say = |n: usize, one: &str, many: &str, what: &str| {
            if n > 0 {
                parts.push(format!("{n} {} {what}", if n == 1 { one } else { many }));
            }
        };
        say(self.vertices_moved, "vertex", "vertices", "moved");
        say(self.vertices_new, "vertex", "vertices", "new");
        say(self.vertices_gone, "vertex", "vertices", "gone");
        say(self.polygons_changed, "polygon", "polygons", "changed");
        say(self.polygons_new, "polygon", "polygons", "new");
        say(self.polygons_gone, "polygon", "polygons", "gone");
        say(self.nodes_moved, "node", "nodes", "moved");
        say(self.nodes_new, "node", "nodes", "new");
        say(self.curves_changed, "curve", "curves", "changed");
        say(self.parts_new, "part", "parts", "new");
        say(self.motions_new, "motion", "motions", "new");
        if parts.is_empty() { "as it was".to_owned() } else { parts.join(", ") }
    }
}

/// The first names of a list, and how many more there are.
pub(crate) fn listed(names: &[String]) -> String {
    let (first, more) = (names.iter().take(8).cloned().collect::<Vec<_>>().join(", "), names.len().saturating_sub(8));
    if more > 0 { format!("{first} and {more} more") } else { first }
}
