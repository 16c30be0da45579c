//! The nodes that definitions act on, and how names find them.

use super::pose::{Pose, V3, below};
use refit_base::wire::Result;
use refit_files::file::File;
use refit_gltf::packed::{self, SceneNodes};
use refit_zipper::anim::{Definition, Ref, names::StoredName};
use std::collections::{BTreeMap, HashMap};

/// The node flag of visible nodes.
const ACTIVE: i32 = 0x4;

/// The nodes of a world, in the order of its packed scene.
pub struct Stage {
    rows: Vec<Row>,
    /// The first row of each node that has a name, the last node of the file first.
    named: HashMap<String, Vec<usize>>,
}

struct Row {
    parent: Option<usize>,
    /// The node of the file, and the first row that shows it.
    first: usize,
    name: String,
    is_world: bool,
    state: NodeState,
}

/// What events change about a node.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeState {
    /// It is shown.
    pub active: bool,
    /// Its place in its parent.
    pub pose: Pose,
    /// Its parent.
    pub parent: Option<usize>,
    /// It was removed from its parent, and has none.
    pub loose: bool,
    /// True if `opacity` is used.
    pub translucent: bool,
    /// 0 is invisible, 1 is solid.
    pub opacity: f64,
    /// The frame at which its animated texture began, and when.
    pub cycle: Option<(u16, f64)>,
}

/// The nodes that differ from the world.
pub type States = BTreeMap<usize, NodeState>;

/// The nodes that a definition is bound to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Bound {
    /// Its root.
    pub root: Option<usize>,
    /// The node that it is attached to.
    pub attach: Option<usize>,
    /// The node that the caller passes.
    pub input: Option<usize>,
}

impl Stage {
    /// The nodes of a world.
    ///
    /// # Errors
    /// The file has no nodes.
    pub fn of(file: &File) -> Result<Self> {
        let SceneNodes {
            node,
            matrix,
            pose,
            names,
            kinds,
        } = packed::nodes(file)?;
        let wide = |list: &[f32], at: usize| f64::from(list.get(at).copied().unwrap_or_default());
        let mut rows: Vec<Row> = Vec::with_capacity(names.len());
        let (mut firsts, mut indices) = (HashMap::new(), Vec::new());
        for (i, (name, node)) in names.into_iter().zip(node.chunks_exact(8)).enumerate() {
            let [parent, _, kind, index, flags, ..] = *node else {
                continue;
            };
            let parent = usize::try_from(parent).ok();
            let three =
                |list: &[f32], at: usize| -> V3 { std::array::from_fn(|k| wide(list, at + k)) };
            let pose = Pose {
                translation: three(&matrix, 12 * i + 9),
                angles: three(&pose, 6 * i),
                scale: three(&pose, 6 * i + 3),
                rows: std::array::from_fn(|k| wide(&matrix, 12 * i + k)),
            };
            let is_world =
                usize::try_from(kind).ok().and_then(|kind| kinds.get(kind)) == Some(&"world");
            let active = flags & ACTIVE != 0;
            let state = NodeState {
                active,
                pose,
                parent,
                loose: false,
                translucent: false,
                opacity: 1.0,
                cycle: None,
            };
            // The numbers of a 'mech's nodes begin again with each 'mech.
            let first = if matches!(file, File::World(_)) {
                *firsts.entry(index).or_insert(i)
            } else {
                i
            };
            rows.push(Row {
                parent,
                first,
                name,
                is_world,
                state,
            });
            indices.push(index);
        }
        let mut named: HashMap<String, Vec<usize>> = HashMap::new();
        for (i, row) in rows.iter().enumerate().filter(|(i, row)| row.first == *i) {
            named.entry(row.name.clone()).or_default().push(i);
        }
        for list in named.values_mut() {
            list.sort_by_cached_key(|row| std::cmp::Reverse(indices.get(*row).copied()));
        }
        Ok(Stage { rows, named })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without nodes.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The name of a row's node.
    pub fn name(&self, row: usize) -> &str {
        self.rows.get(row).map_or("", |row| &row.name)
    }

    /// The state of a node, or its initial state in the world.
    pub fn state<'a>(&'a self, states: &'a States, row: usize) -> Option<&'a NodeState> {
        states
            .get(&row)
            .or_else(|| self.rows.get(row).map(|row| &row.state))
    }

    /// The state of a node, to be changed.
    pub fn change<'a>(&self, states: &'a mut States, row: usize) -> Option<&'a mut NodeState> {
        let base = &self.rows.get(row)?.state;
        Some(states.entry(row).or_insert_with(|| base.clone()))
    }

    /// True for the node of the world itself.
    pub(crate) fn is_world(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(|row| row.is_world)
    }

    /// A node's place in the world: three rows and a translation.
    pub fn world(&self, states: &States, row: usize) -> [f64; 12] {
        let local = |row: usize| {
            let pose = self.state(states, row)?.pose;
            let mut out = [0.0; 12];
            out.iter_mut()
                .zip(pose.rows.iter().chain(&pose.translation))
                .for_each(|(out, v)| *out = *v);
            Some(out)
        };
        let mut whole = local(row).unwrap_or_default();
        let mut at = row;
        // A chain of parents is no longer than the number of nodes, unless events made it a cycle.
        for _ in 0..self.rows.len() {
            let parent = self.state(states, at).and_then(|state| state.parent);
            let Some((parent, outer)) =
                parent.and_then(|parent| Some((parent, local(self.first(parent))?)))
            else {
                break;
            };
            (whole, at) = (below(&outer, &whole), self.first(parent));
        }
        whole
    }

    fn first(&self, row: usize) -> usize {
        self.rows.get(row).map_or(row, |row| row.first)
    }

    /// The first node with this name in the subtree of a node.
    fn within(&self, root: usize, name: &str) -> Option<usize> {
        let below = |(i, row): &(usize, &Row)| {
            *i == root || row.parent.is_some_and(|parent| parent >= root)
        };
        let tree = self.rows.iter().enumerate().skip(root).take_while(below);
        tree.into_iter()
            .find(|(_, row)| row.name == name)
            .map(|(_, row)| row.first)
    }

    /// The nodes with this name, the last of the file first: the order in which a game finds them.
    fn all(&self, name: &str) -> &[usize] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }

    /// The nodes that each definition is bound to. Consecutive definitions of one root get its
    /// nodes in turn.
    pub fn bind(&self, definitions: &[Definition]) -> Vec<Bound> {
        let (mut before, mut turn) = (String::new(), 0_usize);
        let one = |definition: &Definition| {
            let name = definition.name.text().into_owned();
            turn = if name == before { turn + 1 } else { 0 };
            let nodes = self.all(&name);
            let root = match definition.path.as_slice() {
                [] => turn
                    .checked_rem(nodes.len())
                    .and_then(|turn| nodes.get(turn))
                    .copied(),
                [first, rest @ ..] => rest.iter().fold(
                    self.all(&first.name.text.text()).first().copied(),
                    |at, step| self.within(at?, &step.name.text.text()),
                ),
            };
            let attached = definition.animation_root_name.text();
            let attach = if attached == name {
                root
            } else {
                root.and_then(|root| self.within(root, &attached))
                    .or_else(|| self.all(&attached).first().copied())
            };
            before = name;
            Bound {
                root,
                attach,
                input: None,
            }
        };
        definitions.iter().map(one).collect()
    }

    /// The node that a reference of a definition names.
    pub fn find(&self, definition: &Definition, bound: &Bound, node: &Ref) -> Option<usize> {
        let name = match node {
            Ref::Name(name) | Ref::Nth(name, 1) => name.text(),
            Ref::Own => return bound.root,
            Ref::Input => return bound.input,
            // It is unknown which node a second entry with the same name refers to.
            Ref::Nth(..) | Ref::Index(_) => return None,
        };
        let own = |list: &Option<Vec<StoredName>>| {
            list.iter().flatten().any(|own| own.text.text() == name)
        };
        let near = [bound.attach, bound.root]
            .into_iter()
            .flatten()
            .find_map(|root| self.within(root, &name));
        if near.is_some()
            || own(&definition.lights)
            || own(&definition.dynamic_sounds)
            || definition.local_nodes_only
        {
            return near;
        }
        self.all(&name).first().copied()
    }
}
