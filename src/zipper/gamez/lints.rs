//! Lints of a world. None of them stops the reader.

use super::{
    Gamez, budget,
    classes::{ObjectFlags, ZERO},
    free_list::astray,
    materials::Material,
    models::{Model, ModelFlags, ModelType},
    nodes::{Data, Node, NodeFlags},
    types::{Link, Ptr, contradicts},
    world::World,
};
use refit_base::{
    game::Game,
    lint::{Lints, RAW_MEMBER, codes},
    wire::F32,
};
use std::collections::{HashMap, HashSet};

codes! {
    /// The kinds of findings in worlds and in mechlibs.
    pub(crate) CODES:
    GAMEZ_GAP "gamez-gap" Unusual [] "bytes between the sections or after the nodes"
        "The game seeks to each section, so a gap does no harm. The bytes are kept in `gaps/`; delete the file there \
        to close the gap."
        "Recoil seeks to each section."
    GAMEZ_DANGLING "gamez-dangling" Crashes [] "a reference to an entry that does not exist"
        "Textures, materials, models, vertices, normals and nodes are referred to by their position in a table, and \
        this position is outside its table, or leads to a node of another class. The game takes whatever memory is \
        there."
        "Recoil uses positions unchecked: a material of -1 or beyond the table crashes it, and so does a light of the \
        world that is none, seen in runs of its reader. It takes a negative position of a model or node for none. All \
        positions of shipped worlds of Recoil and Crimson Skies are in range."
    GAMEZ_FAMILY "gamez-family" Unusual [Cs] "parents and children disagree"
        "A node's list of parents and the parents' lists of children differ in content, order or number. Shipped \
        worlds of Crimson Skies have such nodes. The list is kept as `parents`; delete it, and it follows from the \
        children."
        "Shipped worlds of Crimson Skies have 155 to 471 such nodes each."
    GAMEZ_LOOP "gamez-loop" Crashes [] "a node is its own ancestor"
        "The engine walks from parents to children and never reaches the end of a loop."
        "The engines walk from parents to children without marking visited nodes; no shipped world has a loop."
    GAMEZ_MATRIX "gamez-matrix" Unusual [] "the matrix disagrees with the angles"
        "Usually only the last bits differ, because the program that wrote the file used another sine function. The \
        whole matrix is kept. If you change `rotation`, delete `matrix`, so that it follows."
        "Shipped: the last bits differ in a few nodes of each world."
    GAMEZ_MODE "gamez-mode" Unusual [] "an object's flags and values disagree"
        "INITIAL means that the object is not rotated, scaled or moved; MATRIX means that its matrix was set directly. \
        No shipped object has both flags, and none with either flag has angles or a scale."
        "Measured on shipped worlds."
    GAMEZ_FREE_LIST "gamez-free-list" Unusual [] "unusual free list"
        "Free slots and released records form linked lists, usually in ascending order. The stored links are kept."
        "Most shipped files have ascending free lists; planes.zbd and C4 of Crimson Skies have another order."
    GAMEZ_FREE_USED "gamez-free-used" Crashes [Rc] "a free list leads to what is not free"
        "While it runs, Recoil creates nodes, models and materials in the free slots that these lists name. It takes \
        what a list names unchecked: a used slot is overwritten, and beyond the array it corrupts its memory."
        "Read in Recoil's engine (0x4478c0, 0x482080): only a negative number ends a list. No run shows it, because \
        loading a world creates nothing."
    GAMEZ_POLYGON "gamez-polygon" Unusual [] "unusual polygon"
        "In known files, a polygon has at least three corners and a priority from -50 to 50."
        "Measured on the polygons of all games: 3 to 124 corners, priorities within ±50."
    GAMEZ_NO_MATERIAL "gamez-no-material" Unusual [] "a polygon without a material"
        "Every polygon of every known file has a material, which says how to draw it. Give it one: a material without \
        a texture, in the colour you want."
        "All 128,734 polygons of Crimson Skies have one or more; the readers of Pirate's Moon refuse a polygon without \
        one."
    GAMEZ_CORNERS "gamez-corners" Crashes [] "a polygon corner without a vertex or normal"
        "The index is outside the model's list of vertices or normals. The game reads the memory after the list."
        "Recoil uses the indices unchecked. In shipped worlds of Recoil and Crimson Skies all are in range."
    GAMEZ_MODEL_EMPTY "gamez-model-empty" Unusual [] "a model with neither polygons nor lights"
        "Known models without polygons have point lights. In known files every model in a used slot is used by a node."
        "Measured: models without polygons are sets of point lights (lens flares, stars)."
    GAMEZ_MODEL_FLAG "gamez-model-flag" Unusual [] "a model's polygon flag disagrees with its polygons"
        "Pirate's Moon sets HARDWARE_RENDER on models of the default type with polygons. Crimson Skies sets \
        HAS_POLYGONS on models with polygons."
        "Measured on the models of Pirate's Moon and Crimson Skies."
    GAMEZ_COLOR "gamez-color" Unusual [] "a colour outside its range"
        "Colours of materials, corners and point lights range from 0.0 to 255.0, those of lights and displays from 0.0 \
        to 1.0."
        "Measured on shipped worlds."
    GAMEZ_SOIL "gamez-soil" Unusual [] "an unknown soil"
        "Recoil has soils 0 to 5, MechWarrior 3 and Pirate's Moon 0 to 13. In Crimson Skies the number is an index \
        into a list of at most 100 names."
        "Measured; Crimson Skies uses the default for a number beyond its list."
    GAMEZ_TEXTURE_NAME "gamez-texture-name" Unusual [] "an unusual texture name"
        "Known names are ASCII, end within their 20 bytes (except in Crimson Skies), and have no dot except the one \
        before the suffix."
        "Measured; 95 names of Crimson Skies fill their field, and 36 have bytes after their stem."
    GAMEZ_NODE_NAME "gamez-node-name" Unusual [] "an unusual node name"
        "Known names are ASCII, not empty, and end within their 36 bytes."
        "Measured on shipped worlds."
    GAMEZ_ANGLE "gamez-angle" Unusual [] "an angle outside ±π"
        "The engine does not wrap angles; no shipped object has such an angle."
        "Measured on shipped worlds."
    GAMEZ_RANGE "gamez-range" Unusual [] "an empty or negative range"
        "For clipping planes, light ranges and levels of detail, the far end is positive and greater than the near \
        end."
        "Measured on shipped worlds."
    GAMEZ_CLASS_RULE "gamez-class-rule" Unusual [] "a node unlike others of its class"
        "In every known file, world, camera, window, display and light nodes have fixed names, zone 255 and no model; \
        a lod has one parent and has children; an object's boxes are zero while their flags are clear."
        "Measured on shipped worlds."
    GAMEZ_NO_WORLD "gamez-no-world" Unusual [] "the first node is not a world"
        "The planes of Crimson Skies are like this. No other game can enter such a world."
        "Shipped: planes.zbd of Crimson Skies."
    GAMEZ_SLOTS "gamez-slots" Differs [Rc] "a high model number makes the model array grow"
        "The number at the start of a model's file name is its slot. All slots up to it are stored, and the game \
        reserves memory for each. Give a new model the number of the first free slot."
        "Recoil and Crimson Skies reserve memory for every slot that the file declares."
    GAMEZ_BOX "gamez-box" Differs [] "an edit moved something outside its bounding box or sphere"
        "The game uses the box and sphere to decide what is in view and never recomputes them, so anything outside \
        disappears while it should be visible. Enlarge the box to enclose its contents. Reported for edits only, by \
        comparison with the original."
        "Recoil uses the stored boxes to decide what to draw."
    GAMEZ_VERTICES "gamez-vertices" Crashes [Rc] "a model too large for the engine's buffers"
        "Recoil draws a model through buffers of 1,024 vertices and 1,024 normals. A larger model corrupts its memory."
        "Recoil's buffers of 1,024 vertices and normals (gmod). No shipped model has more than 921."
    GAMEZ_VERTICES_CRATERS "gamez-vertices-craters" Differs [Rc] "a model too large for craters"
        "A crater adds vertices to the model it cuts. Recoil gives up if the model has more than 922 vertices, or more \
        than 921 with normals or morphs."
        "Recoil adds no vertex to a model of more than 921.6. Other games ship larger models: Crimson Skies up to \
        2,190 vertices."
    GAMEZ_UV "gamez-uv" Crashes [Rc] "texture coordinates disagree with the material"
        "Recoil reads texture coordinates for a polygon if its material has a texture, whatever the polygon says. If \
        only one of the two has them, Recoil loses its place in the file."
        "Recoil reads texture coordinates if the material has a texture (flag 0x0100), whatever the pointer says, seen \
        in runs of its reader. Both agree in all shipped worlds."
    GAMEZ_NO_CORNERS "gamez-no-corners" Crashes [Rc] "a polygon without corners"
        "Recoil reads the normals and the texture coordinates of a polygon in one piece each, takes none for the end \
        of the file, and leaves out the rest of the model: it loses its place in the file. Remove the polygon."
        "Read in Recoil's engine (0x481c50), and seen in runs of it. No shipped polygon has less than three corners."
    GAMEZ_TEXTURES "gamez-textures" Refuses [Rc] "more than 4,096 textures"
        "Recoil has room for 4,096 textures and does not load a world that names more. The other games very likely do \
        not either."
        "Read in Recoil's engine (0x46d420), and seen in runs of it: it accepts exactly 4,096."
    GAMEZ_TEXTURE_LONG "gamez-texture-long" Crashes [Rc] "a texture name longer than 19 characters"
        "Recoil copies the name and its terminating zero into 20 bytes without checking the length. Crimson Skies has \
        names that fill the field."
        "Read in Recoil's engine; no shipped world of Recoil has such a name, but 95 names of Crimson Skies are as \
        long."
    GAMEZ_MATERIAL_LINKS "gamez-material-links" Crashes [Rc] "the list of used materials does not visit each once"
        "The file stores texture cycles in the order of this list, which starts at its head and follows the second \
        number of `links`. Recoil reads the cycles in the same order, so with another list it loses its place in the \
        file. It walks the whole list even without cycles, and a list that does not end hangs it. Delete `links` from \
        the materials and `index_last` to restore the usual list."
        "Read in Recoil's engine (0x4808c0), and seen in runs of it. The links of all shipped worlds of Recoil and \
        Crimson Skies are regular."
    GAMEZ_CYCLE "gamez-cycle" Refuses [Rc] "a texture cycle without frames"
        "Recoil reads the frames of a cycle in one piece, takes none for the end of the file, and does not load the \
        world. Add a frame, or remove `cycle` from the material. What the other games do is not known."
        "Read in Recoil's engine (0x4808c0), and seen in runs of it: `Error reading GameZ Material cycle texture \
        data`."
    GAMEZ_CAPACITY "gamez-capacity" Ignores [Rc] "fewer slots than the game's own worlds have"
        "While it runs, Recoil creates nodes, models and materials in the free slots of the world's file. If no slot \
        is free, it silently leaves the object out. All shipped worlds have 16,000 slots for nodes, 6,000 for models \
        and 5,000 for materials."
        "Measured on all 19 worlds of Recoil; support\\initm*.gw sets the numbers."
    GAMEZ_BUDGET "gamez-budget" Ignores [Rc] "an array of the world is nearly full"
        "While it runs, Recoil creates nodes, models and materials in the free slots of the world's file, and loads \
        further textures. If no slot is free, it silently leaves the object out. Less than a sixteenth of the slots is \
        free; `refit info` shows how many. For nodes, models and materials, a larger `slots` in the tree makes room."
        "Recoil takes the sizes of its pools from the file, and running out is silent. Its table of textures has 4,096 \
        entries."
    GAMEZ_MATERIALS "gamez-materials" Crashes [Rc] "more materials than the games can hold"
        "Materials are linked by signed 16-bit numbers: at most 32,767."
        "Read in Recoil's engine: the links of materials are signed 16-bit numbers."
    GAMEZ_CRATER "gamez-crater" Ignores [Rc] "craters cannot form here"
        "Recoil makes craters in nodes with CAN_MODIFY that are in a cell of the world, are not rotated, scaled or \
        moved, and have a model of at most 450 vertices."
        "Recoil's engine, as read by the author of an editor for its worlds."
    GAMEZ_TRACKS "gamez-tracks" Crashes [Rc] "tracks without a model"
        "Recoil moves the texture of a vehicle's tracks, which it finds by name below the vehicle. Give the node a \
        model, or another name."
        "Read in Recoil's engine: it uses the model of `rtracks` unchecked. All shipped tracks have one."
    GAMEZ_LOOKUP "gamez-lookup" Differs [Rc] "an edit changes which node a name finds"
        "If several nodes share a name, Recoil's scripts and animations find the last one in the file. A node that was \
        renamed, or added after the others, replaces the one that was found before. Give it another name, or put it \
        before the others. Reported for edits only, by comparison with the original."
        "Read in Recoil's engine: loading a node adds its name at the head of the list. Shipped worlds have 2,021 \
        repeated names."
    GAMEZ_POINTER "gamez-pointer" Unusual [] "the address of a list contradicts its length"
        "The file stores the addresses that lists had in the program that wrote it: zero for an empty list, and only \
        for that. A wrong one is left over from an edit by another program, and `addresses_stay` (in a cell \
        `address_stays`) keeps it. Delete that, or of a model the address, and the address follows from the list."
        "Measured: mech3ax, which reads every shipped world of Recoil, MechWarrior 3 and Pirate's Moon, checks it for \
        each list. Whether a game minds is not known."
    GAMEZ_LIMIT "gamez-limit" Crashes [Rc] "more nodes than the games can hold"
        "Node positions are signed 16-bit numbers: at most 32,767 nodes."
        "Read in Recoil's engine: lists and cells hold signed 16-bit numbers."
}

/// The flags of world, camera, window and display in every known file (FORMAT.md).
const DEFAULT_FLAGS: NodeFlags = NodeFlags(0x0108_001C);

fn color(lints: &mut Lints, color: &[F32; 3], most: f32) {
    let ok = color.iter().all(|c| (0.0..=most).contains(&c.get()));
    lints.check(ok, GAMEZ_COLOR, || {
        format!("{color:?} is not between 0.0 and {most:?}")
    });
}

/// Checks a material. `textures` is the length of the directory; `None` in a mechlib.
pub fn material(m: &Material, textures: Option<usize>, game: Option<Game>, lints: &mut Lints) {
    if let Some(c) = &m.color.0 {
        color(lints, c, 255.0);
    }
    if let Some(soil) = m.soil.0 {
        let most = if game == Some(Game::Rc) { 5 } else { 13 };
        lints.check(soil.raw() <= most, GAMEZ_SOIL, || format!("{soil:?}"));
    }
    if let Some(soil) = m.crimson_soil.0 {
        lints.check(soil.raw() < 100, GAMEZ_SOIL, || format!("{soil:?}"));
    }
    if let Some(n) = textures {
        for link in m
            .texture
            .iter()
            .chain(m.cycle.iter().flat_map(|c| &c.frames))
        {
            dangling(lints, "texture", link, n);
        }
    }
    let empty = m.cycle.as_ref().is_some_and(|c| c.frames.is_empty());
    lints.check(!empty, GAMEZ_CYCLE, || "a cycle without frames".into());
}

/// Checks a model against the known rules of Recoil's engine.
fn recoil(m: &Model, world: &Gamez, lints: &mut Lints) {
    let (vertices, normals) = (m.vertices.len(), m.normals.len());
    let most = if m.normals.is_empty() && m.morphs.is_empty() {
        922
    } else {
        921
    };
    if vertices > 1024 || normals > 1024 {
        lints.say(
            GAMEZ_VERTICES,
            format!("{vertices} vertices, {normals} normals"),
        );
    } else {
        lints.check(vertices <= most, GAMEZ_VERTICES_CRATERS, || {
            format!("{vertices} vertices")
        });
    }
    for (i, polygon) in m.polygons.iter().enumerate() {
        let material = polygon
            .material
            .and_then(|m| world.materials.materials.get(m as usize)?.as_ref());
        let textured = material.is_some_and(|m| {
            m.flags(Game::Rc)
                .has(super::materials::MaterialFlags::TEXTURED)
        });
        if polygon.vertices.len() > 57 || polygon.material.is_none() {
            lints.at(format!("polygons[{i}]"), |lints| {
                lints.check(polygon.vertices.len() <= 57, GAMEZ_POLYGON, || {
                    format!(
                        "{} corners (polygons of Recoil have at most 57)",
                        polygon.vertices.len()
                    )
                });
                lints.check(polygon.material.is_some(), GAMEZ_DANGLING, || {
                    "no material".into()
                });
            });
        }
        // Without normals and texture, the engine reads nothing for it.
        if polygon.vertices.is_empty() && (textured || polygon.normals.is_some()) {
            lints.at(format!("polygons[{i}]"), |lints| {
                lints.say(GAMEZ_NO_CORNERS, "no corners")
            });
        }
        if material.is_some() && textured != polygon.uvs.is_some() {
            let what = if textured {
                "the material has a texture, but the polygon has no"
            } else {
                "the material has no texture, but the polygon has"
            };
            lints.at(format!("polygons[{i}]"), |lints| {
                lints.say(GAMEZ_UV, format!("{what} texture coordinates"))
            });
        }
    }
}

/// Reports nodes that should get craters but cannot.
fn craters(world: &Gamez, vertices: &[usize], lints: &mut Lints) {
    let mut in_cells = vec![false; world.nodes.len()];
    for node in world.nodes.iter().flatten() {
        let Data::World(w) = &node.data else { continue };
        for place in w.members() {
            if let Some(cell) = in_cells.get_mut(place) {
                *cell = true;
            }
        }
    }
    for (i, node) in world.nodes.iter().enumerate() {
        let Some(node) = node.as_ref().filter(|n| n.flags.has(NodeFlags::CAN_MODIFY)) else {
            continue;
        };
        let Data::Object3d(object) = &node.data else {
            continue;
        };
        let moved = [&object.rotation.0, &object.translation.0]
            .into_iter()
            .flatten()
            .flatten()
            .any(|v| v.get() != 0.0)
            || object.scale.0.iter().flatten().any(|v| v.get() != 1.0);
        let vertices = node
            .model
            .0
            .as_ref()
            .and_then(|link| vertices.get(link.place()?))
            .copied()
            .unwrap_or(0);
        let why = match (in_cells.get(i), moved, vertices > 450) {
            (Some(false) | None, ..) => "it is in no cell of the world".to_owned(),
            (_, true, _) => "it is rotated, scaled or moved".to_owned(),
            (_, _, true) => format!("its model has {vertices} vertices, more than 450"),
            _ => continue,
        };
        lints.at(format!("nodes[{i}] {}", node.title()), |lints| {
            lints.say(GAMEZ_CRATER, why)
        });
    }
}

fn dangling(lints: &mut Lints, what: &str, link: &Link, n: usize) {
    lints.check(link.place().is_some_and(|i| i < n), GAMEZ_DANGLING, || {
        format!("{what} {} of {n}", link.index)
    });
}

/// Checks a model. `materials` is the number of materials; `None` in a mechlib.
pub fn model(m: &Model, materials: Option<usize>, game: Option<Game>, lints: &mut Lints) {
    lints.check(
        !m.polygons.is_empty() || !m.lights.is_empty(),
        GAMEZ_MODEL_EMPTY,
        || "no polygons and no lights".into(),
    );
    if let Some(flags) = m.flags.0 {
        let (flag, rule) = match game {
            Some(Game::Cs) => (ModelFlags::HAS_POLYGONS, !m.polygons.is_empty()),
            _ => (
                ModelFlags::HARDWARE_RENDER,
                m.model_type.or(ModelType::Default) == ModelType::Default && !m.polygons.is_empty(),
            ),
        };
        let judged = matches!(game, Some(Game::Pm | Game::Cs));
        lints.check(!judged || flags.has(flag) == rule, GAMEZ_MODEL_FLAG, || {
            format!("{flag:?} with {} polygons", m.polygons.len())
        });
    }
    for (i, p) in m.polygons.iter().enumerate() {
        let short = p.vertices.len() < 3;
        let far = !(-50..=50).contains(&p.priority);
        let vertex = p.vertices.iter().find(|v| **v as usize >= m.vertices.len());
        let normal = p
            .normals
            .iter()
            .flatten()
            .find(|n| **n as usize >= m.normals.len());
        let material = p
            .material
            .iter()
            .chain(p.layers.iter().map(|l| &l.material))
            .find(|i| materials.is_some_and(|n| **i as usize >= n));
        // For Recoil, what its engine does with them decides.
        let bare = p.material.is_none() && game != Some(Game::Rc);
        let colored = p
            .colors
            .iter()
            .flatten()
            .all(|c| c.iter().all(|c| (0.0..=255.0).contains(&c.get())));
        if !(short
            || far
            || bare
            || vertex.is_some()
            || normal.is_some()
            || material.is_some()
            || !colored)
        {
            continue;
        }
        lints.at(format!("polygons[{i}]"), |lints| {
            lints.check(!short, GAMEZ_POLYGON, || {
                format!("{} corners", p.vertices.len())
            });
            lints.check(!far, GAMEZ_POLYGON, || format!("priority {}", p.priority));
            lints.check(!bare, GAMEZ_NO_MATERIAL, || "no material".into());
            if let Some(vertex) = vertex {
                lints.say(
                    GAMEZ_CORNERS,
                    format!("vertex {vertex} of {}", m.vertices.len()),
                );
            }
            if let Some(normal) = normal {
                lints.say(
                    GAMEZ_CORNERS,
                    format!("normal {normal} of {}", m.normals.len()),
                );
            }
            if let (Some(material), Some(materials)) = (material, materials) {
                lints.say(
                    GAMEZ_DANGLING,
                    format!("material {material} of {materials}"),
                );
            }
            lints.check(colored, GAMEZ_COLOR, || {
                "a corner's colour is not between 0.0 and 255.0".into()
            });
        });
    }
    for (i, light) in m.lights.iter().enumerate() {
        lints.at(format!("lights[{i}]"), |lints| {
            color(lints, &light.color, 255.0)
        });
    }
}

/// Checks a node without its context.
pub fn node(n: &Node, game: Option<Game>, lints: &mut Lints) {
    let name = n.name.bytes();
    if !n.data.is_empty() {
        lints.check(
            !name.is_empty() && name.is_ascii() && n.name.is_terminated(),
            GAMEZ_NODE_NAME,
            || format!("{:?}", n.name),
        );
    }
    let clear = |flag: NodeFlags, bbox: &Option<[F32; 6]>| n.flags.has(flag) || bbox.is_none();
    let boxes = clear(NodeFlags::NODE_BBOX, &n.node_bbox.0)
        && clear(NodeFlags::MODEL_BBOX, &n.model_bbox.0)
        && clear(NodeFlags::CHILD_BBOX, &n.child_bbox.0);
    let (fixed, flags) = match n.data {
        Data::World(_) => (Some("world1"), DEFAULT_FLAGS),
        Data::Camera(_) => (Some("camera1"), DEFAULT_FLAGS),
        Data::Window(_) => (Some("window1"), DEFAULT_FLAGS),
        Data::Display(_) => (Some("display"), DEFAULT_FLAGS),
        // The light of Crimson Skies lacks the flag ACTIVE.
        Data::Light(_) if game == Some(Game::Cs) => (Some("sunlight"), NodeFlags(0x0108_0118)),
        Data::Light(_) => (Some("sunlight"), NodeFlags(DEFAULT_FLAGS.0 | 0x100)),
        _ => (None, DEFAULT_FLAGS),
    };
    // Crimson Skies has a second window and a second camera.
    let second = game == Some(Game::Cs) && matches!(name, b"sgwin" | b"spyglass");
    if let Some(fixed) = fixed {
        lints.check(name == fixed.as_bytes() || second, GAMEZ_CLASS_RULE, || {
            format!("the {} is called {:?}", n.data.kind(), n.title())
        });
        let free = game == Some(Game::Rc) && matches!(n.data, Data::World(_));
        lints.check(n.flags == flags || free, GAMEZ_CLASS_RULE, || {
            format!("flags {:#x} of the {}", n.flags.0, n.data.kind())
        });
        lints.check(n.zone.is_none(), GAMEZ_CLASS_RULE, || {
            format!("the {} has a zone", n.data.kind())
        });
        lints.check(n.model.is_none(), GAMEZ_CLASS_RULE, || {
            format!("the {} has a model", n.data.kind())
        });
    } else if matches!(n.data, Data::Object3d(_)) && game == Some(Game::Rc) {
        lints.check(boxes, GAMEZ_CLASS_RULE, || "a box without its flag".into());
    }
    match &n.data {
        Data::Object3d(object) => lints.at("data.object3d", |lints| {
            let angles = object.rotation.or([ZERO; 3]);
            let wrapped = angles.iter().all(|a| a.get().abs() <= std::f32::consts::PI);
            lints.check(wrapped, GAMEZ_ANGLE, || format!("{angles:?}"));
            let (initial, direct) = (
                object.flags.has(ObjectFlags::INITIAL),
                object.flags.has(ObjectFlags::MATRIX),
            );
            lints.check(!(initial && direct), GAMEZ_MODE, || {
                "INITIAL and MATRIX".into()
            });
            let zero = |v: &Option<[F32; 3]>| v.is_none_or(|v| v.iter().all(|x| x.get() == 0.0));
            let still =
                zero(&object.rotation.0) && object.scale.is_none() && zero(&object.translation.0);
            lints.check(!initial || still, GAMEZ_MODE, || {
                "an INITIAL object that is rotated, scaled or moved".into()
            });
            let plain = zero(&object.rotation.0) && object.scale.is_none();
            lints.check(!direct || initial || plain, GAMEZ_MODE, || {
                "a MATRIX object that is also rotated or scaled".into()
            });
            if let Some(stored) = object.matrix.0 {
                // 0.0 and -0.0 are equal here, because shipped files have both.
                let same = stored
                    .iter()
                    .zip(object.matrix_rule())
                    .all(|(a, b)| a.get() == b.get());
                lints.check(direct || same, GAMEZ_MATRIX, || format!("{stored:?}"));
            }
        }),
        Data::Camera(camera) => {
            let ok = camera.clip_near.get() > 0.0 && camera.clip_far.get() > camera.clip_near.get();
            lints.check(ok, GAMEZ_RANGE, || {
                format!(
                    "clipping from {:?} to {:?}",
                    camera.clip_near, camera.clip_far
                )
            });
        }
        Data::Light(light) => {
            let ok = light.range_near.get() > 0.0 && light.range_far.get() > light.range_near.get();
            lints.check(ok, GAMEZ_RANGE, || {
                format!(
                    "a light from {:?} to {:?}",
                    light.range_near, light.range_far
                )
            });
            color(lints, &light.color, 1.0);
        }
        Data::Lod(lod) => {
            let ok = lod.range_near_sq.get() >= 0.0 && lod.range_far.get() > 0.0;
            lints.check(ok, GAMEZ_RANGE, || {
                format!(
                    "from {:?} (squared) to {:?}",
                    lod.range_near_sq, lod.range_far
                )
            });
        }
        Data::Display(display) => color(lints, &display.clear_color, 1.0),
        _ => {}
    }
}

pub(super) fn lint(world: &Gamez, lints: &mut Lints) {
    let game = Some(world.game.itself());
    lints.of_game(game);
    for (name, gap) in super::GAPS.iter().zip(&world.gaps) {
        lints.check(gap.is_empty(), GAMEZ_GAP, || {
            format!("{} bytes before the {name}", gap.len())
        });
    }
    let (textures_now, materials) = (world.textures.len(), world.materials.materials.len());
    lints.check(textures_now <= budget::TEXTURES, GAMEZ_TEXTURES, || {
        format!("{textures_now} textures")
    });
    lints.check(world.nodes.len() <= budget::NODES, GAMEZ_LIMIT, || {
        format!("{} nodes", world.nodes.len())
    });
    lints.check(materials <= budget::MATERIALS, GAMEZ_MATERIALS, || {
        format!("{materials} materials")
    });
    lints.at("textures", |lints| textures(world, lints));
    lints.at("materials", |lints| {
        lints.model(&world.materials);
        lints.check(
            world.materials.list_is_whole(world.game),
            GAMEZ_MATERIAL_LINKS,
            || "another list, or a broken one".into(),
        );
        for (i, m) in world.materials.materials.iter().enumerate() {
            if let Some(m) = m {
                lints.at(format!("[{i}]"), |lints| {
                    material(m, Some(world.textures.len()), game, lints)
                });
            }
        }
    });
    let mut vertices = Vec::new();
    lints.at("models", |lints| vertices = models(world, lints));
    if world.game == Game::Rc {
        let mut small = false;
        for (slots, used, shipped, what) in [
            (
                world.node_array.slots.map_or(0, |n| n as usize),
                world.nodes.len(),
                16_000,
                "nodes",
            ),
            (
                world.model_array.slots as usize,
                world.models.len(),
                6_000,
                "models",
            ),
            (
                world.materials.slots as usize,
                materials,
                5_000,
                "materials",
            ),
        ] {
            let slots = slots.max(used);
            small |= slots < shipped;
            lints.check(slots >= shipped, GAMEZ_CAPACITY, || {
                format!("{slots} slots for {what} (shipped worlds have {shipped})")
            });
        }
        // An array that is too small is reported already.
        for budget in world
            .budgets()
            .iter()
            .filter(|budget| !small && budget.is_nearly_full())
        {
            let left = budget.left();
            lints.say(
                GAMEZ_BUDGET,
                format!(
                    "{} {} of {}: {left} left",
                    budget.used, budget.what, budget.most
                ),
            );
        }
        craters(world, &vertices, lints);
        free_lists(world, lints);
    }
    lints.at("nodes", |lints| nodes(world, lints));
}

fn textures(world: &Gamez, lints: &mut Lints) {
    lints.model(&world.textures);
    for (i, t) in world.textures.iter().enumerate() {
        // Texture names of Crimson Skies may fill their field, and may have two dots before the
        // suffix.
        let whole = t.name.0.contains(&0) || world.game == Game::Cs;
        let regular =
            t.name.0.is_ascii() && whole && !t.name.stem().contains('.') && t.name.is_regular();
        lints.at(format!("[{i}]"), |lints| {
            lints.check(regular, GAMEZ_TEXTURE_NAME, || format!("{:?}", t.name));
            lints.check(whole, GAMEZ_TEXTURE_LONG, || format!("{:?}", t.name));
            let mip = t.mip.or(-1);
            let ok = mip == -1 || usize::try_from(mip).is_ok_and(|m| m < world.textures.len());
            lints.check(ok, GAMEZ_DANGLING, || {
                format!("mip level {mip} of {} textures", world.textures.len())
            });
        });
    }
}

/// Checks the models. Returns the number of vertices of each.
fn models(world: &Gamez, lints: &mut Lints) -> Vec<usize> {
    let game = Some(world.game.itself());
    let mut vertices = vec![0; world.models.len()];
    lints.model(&world.model_array);
    let array = &world.model_array;
    let usual = array.free_list.is_none() && array.free_links.is_empty();
    lints.check(usual, GAMEZ_FREE_LIST, || "free slots of models".into());
    // No file has more models than slots: models were added to this tree.
    let (used, slots) = (world.models.len(), array.slots as usize);
    let free = world
        .models
        .iter()
        .position(Option::is_none)
        .filter(|_| used > slots);
    lints.check(free.is_none(), GAMEZ_SLOTS, || {
        let (model, free) = (used.saturating_sub(1), free.unwrap_or(0));
        format!("model {model} makes the array grow from {slots} to {used} slots; the first free one is {free}")
    });
    let uses = world.uses();
    let cycled = world.materials.cycled();
    for (i, piece) in world.models.iter().enumerate() {
        let Some(piece) = piece else { continue };
        let around = super::Surroundings {
            cycled: &cycled,
            mechlib: false,
            uses: uses.get(i).copied().unwrap_or(0),
        };
        lints.at(format!("[{i}]"), |lints| {
            match piece.model(world.game, &around) {
                Ok(m) => {
                    if let Some(count) = vertices.get_mut(i) {
                        *count = m.vertices.len();
                    }
                    if world.game.itself() == Game::Rc {
                        recoil(&m, world, lints);
                    }
                    lints.model(&m);
                    model(&m, Some(world.materials.materials.len()), game, lints);
                    for (name, address, filled) in [
                        ("polygons_ptr", m.polygons_ptr.0, !m.polygons.is_empty()),
                        ("vertices_ptr", m.vertices_ptr.0, !m.vertices.is_empty()),
                        ("normals_ptr", m.normals_ptr.0, !m.normals.is_empty()),
                        ("lights_ptr", m.lights_ptr.0, !m.lights.is_empty()),
                        ("morphs_ptr", m.morphs_ptr.0, !m.morphs.is_empty()),
                    ] {
                        pointer(lints, name, address, filled);
                    }
                }
                Err(e) => lints.say(RAW_MEMBER, e.to_string()),
            }
        });
    }
    vertices
}

/// Checks the stored address of a list; `None` follows from the list.
fn pointer(lints: &mut Lints, name: &str, address: Option<Ptr>, filled: bool) {
    let Some(address) = address.filter(|address| (address.0 != 0) != filled) else {
        return;
    };
    let what = if filled { "not empty" } else { "empty" };
    lints.at(name.to_owned(), |lints| {
        lints.say(
            GAMEZ_POINTER,
            format!("{address:?}, but the list is {what}"),
        )
    });
}

fn nodes(world: &Gamez, lints: &mut Lints) {
    let kin = world.kin();
    let game = Some(world.game.itself());
    let first = matches!(
        world.nodes.first(),
        Some(Some(Node {
            data: Data::World(_),
            ..
        }))
    );
    lints.check(first || world.nodes.is_empty(), GAMEZ_NO_WORLD, || {
        "the first node is not a world".into()
    });
    // Pirate's Moon and Crimson Skies store used records only: the rest of their free lists means
    // nothing. In the other games any list that visits all free records is fine: records are
    // released to its head.
    let all_used = matches!(world.game, Game::Pm | Game::Cs);
    let listed = all_used || free_records_are_listed(world);
    let own = world.node_array.last_free.is_none();
    lints.check(own || listed, GAMEZ_FREE_LIST, || {
        "the head of the free list is not the first released record".into()
    });
    for (i, n) in world.nodes.iter().enumerate() {
        let Some(n) = n else { continue };
        lints.at(format!("[{i}] {}", n.title()), |lints| {
            lints.model(n);
            node(n, game, lints);
            let tracks = matches!(n.data, Data::Object3d(_))
                && n.name.bytes() == b"rtracks"
                && world.game.itself() == Game::Rc;
            lints.check(!tracks || !n.model.is_none(), GAMEZ_TRACKS, || {
                "no model".into()
            });
            if n.addresses_stay {
                pointer(lints, "parents_ptr", n.parents_ptr.0, kin.has_parents(i, n));
                pointer(
                    lints,
                    "children_ptr",
                    n.children_ptr.0,
                    !n.children.is_empty(),
                );
            }
            lints.check(n.parents.is_none(), GAMEZ_FAMILY, || {
                "the parents are not the nodes that have it as a child".into()
            });
            if let Some(link) = &n.model.0 {
                let there = link.index == -1
                    || link
                        .place()
                        .and_then(|m| world.models.get(m))
                        .is_some_and(Option::is_some);
                lints.check(there, GAMEZ_DANGLING, || format!("model {}", link.index));
            }
            for link in n.children.iter().chain(n.parents.0.iter().flatten()) {
                dangling(lints, "node", link, world.nodes.len());
            }
            if let Data::World(w) = &n.data {
                lints.at("data.world", |lints| {
                    pointer(
                        lints,
                        "light_nodes_ptr",
                        w.light_nodes_ptr.0,
                        !w.lights.is_empty(),
                    );
                    pointer(
                        lints,
                        "light_data_ptr",
                        w.light_data_ptr.0,
                        !w.lights.is_empty(),
                    );
                    pointer(
                        lints,
                        "sound_nodes_ptr",
                        w.sound_nodes_ptr.0,
                        !w.sounds.is_empty(),
                    );
                    pointer(
                        lints,
                        "sound_data_ptr",
                        w.sound_data_ptr.0,
                        !w.sounds.is_empty(),
                    );
                    for (at, cell) in w.cells.iter().enumerate() {
                        let filled = !cell.nodes.is_empty();
                        if cell.address_stays && contradicts(&cell.nodes_ptr, filled) {
                            let cell_at = format!("cells[{at}]");
                            lints.at(cell_at, |lints| {
                                pointer(lints, "nodes_ptr", cell.nodes_ptr.0, filled)
                            });
                        }
                    }
                });
                for link in w
                    .cells
                    .iter()
                    .flat_map(|c| c.nodes.iter().map(|n| &n.node))
                    .chain(&w.lights)
                    .chain(&w.sounds)
                {
                    dangling(lints, "node", link, world.nodes.len());
                }
                lights(world, w, lints);
            }
            references(&n.data, world, lints);
            if let Some(word) = n
                .link
                .0
                .filter(|_| !(all_used || listed && n.data.is_empty()))
            {
                lints.say(
                    GAMEZ_FREE_LIST,
                    format!("the word after the record is {word:?}"),
                );
            }
        });
    }
    for i in loops(world) {
        let title = world
            .nodes
            .get(i)
            .and_then(Option::as_ref)
            .map(Node::title)
            .unwrap_or_default();
        lints.at(format!("[{i}] {title}"), |lints| {
            lints.say(GAMEZ_LOOP, "it is its own ancestor")
        });
    }
}

/// Checks the lights and sounds of a world of Recoil, whose data the engine takes from these nodes,
/// whatever their class is.
fn lights(world: &Gamez, w: &World, lints: &mut Lints) {
    if world.game.itself() != Game::Rc {
        return;
    }
    let is = |link: &Link, class: &str| {
        let node = link.place().and_then(|i| world.nodes.get(i));
        // A position outside of the table is reported already.
        node.is_none_or(|n| n.as_ref().is_some_and(|n| n.data.kind() == class))
    };
    for (links, class) in [(&w.lights, "light"), (&w.sounds, "sound")] {
        for link in links {
            lints.check(is(link, class), GAMEZ_DANGLING, || {
                format!("node {} is no {class}", link.index)
            });
        }
    }
}

/// Checks the nodes that the data of a camera or a light refers to. −1 is none, except for the
/// window of a camera in Recoil, which the engine uses unchecked.
fn references(data: &Data, world: &Gamez, lints: &mut Lints) {
    let nodes = world.nodes.len();
    match data {
        Data::Camera(camera) => lints.at("data.camera", |lints| {
            let none = Link::to(-1);
            let (far, far_xz) = (
                camera.horizon_node.0.as_ref().unwrap_or(&none),
                camera.horizon_node_xz.0.as_ref().unwrap_or(&none),
            );
            for link in [&camera.world, &camera.window, far, far_xz] {
                let needed = world.game.itself() == Game::Rc && std::ptr::eq(link, &camera.window);
                if *link != none || needed {
                    dangling(lints, "node", link, nodes);
                }
            }
        }),
        Data::Light(light) => lints.at("data.light", |lints| {
            for link in &light.worlds {
                dangling(lints, "node", link, nodes);
            }
        }),
        _ => {}
    }
}

/// Most slots of an array whose free list is walked. A tree can state any number; Recoil's largest
/// array has 16,000, and another number is reported as its capacity.
const WALKED: usize = 1 << 17;

/// Checks the lists of free slots of a world of Recoil.
fn free_lists(world: &Gamez, lints: &mut Lints) {
    let slots = world.node_slots();
    let models = world.model_slots();
    let materials = world.materials.slots(world.game).unwrap_or_default();
    if [slots, models, materials]
        .iter()
        .any(|slots| *slots > WALKED)
    {
        return;
    }
    let head = world
        .node_array
        .last_free
        .or(super::last_free_rule(&world.nodes, slots));
    let node = |i: usize| world.nodes.get(i).and_then(Option::as_ref);
    // The number of all records also ends the list: the game's own array goes on there if it is
    // larger, and a large one that is full is reported by its budget.
    let ended = |i: i32| match usize::try_from(i) {
        Ok(i) if i == slots => -1,
        _ => i,
    };
    let link = |i: usize| {
        let rule = super::nodes::link_rule(i, slots, 0, 0, world.game);
        let word = node(i).and_then(|n| n.link.0).unwrap_or(rule).0;
        // The engine takes the low 24 bits, with a sign.
        ended((word << 8) as i32 >> 8)
    };
    let is_free = |i: usize| node(i).is_none_or(|n| n.data.is_empty());
    let nodes = astray(ended(head), slots, is_free, link);
    let (links, first) = world.free_models(u32::try_from(models).unwrap_or(u32::MAX));
    let free = |i: usize| world.models.get(i).is_none_or(Option::is_none);
    let after = |i: usize| {
        let slot = u32::try_from(i).ok();
        slot.and_then(|i| links.get(&i)).copied().unwrap_or(-1)
    };
    let lists = [
        ("nodes", nodes),
        ("models", astray(first, models, free, after)),
        ("materials", world.materials.free_list_astray(world.game)),
    ];
    for (what, place) in lists {
        if let Some(place) = place {
            lints.say(
                GAMEZ_FREE_USED,
                format!("the free list of {what} leads to {place}"),
            );
        }
    }
}

/// Reports names that now find another node although the former one still exists.
pub(super) fn lookups(now: &Gamez, before: &Gamez, lints: &mut Lints) {
    fn named(world: &Gamez) -> HashMap<&[u8], Vec<usize>> {
        let mut out: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (i, node) in world.nodes.iter().enumerate() {
            if let Some(node) = node.as_ref().filter(|n| !n.data.is_empty()) {
                out.entry(node.name.bytes()).or_default().push(i);
            }
        }
        out
    }
    // Positions change with an edit: nodes are matched by their content and placement.
    let same = |a: &Node, b: &Node| {
        let model = |n: &Node| n.model.0.as_ref().map(|link| link.index);
        let place = |n: &Node| match &n.data {
            Data::Object3d(o) => Some([o.translation.0, o.rotation.0, o.scale.0]),
            _ => None,
        };
        a.data.kind() == b.data.kind()
            && a.flags == b.flags
            && a.node_bbox == b.node_bbox
            && model(a) == model(b)
            && place(a) == place(b)
    };
    fn get(world: &Gamez, i: usize) -> Option<&Node> {
        world.nodes.get(i)?.as_ref()
    }
    let old = named(before);
    let mut changed: Vec<(usize, usize)> = Vec::new();
    for (name, places) in named(now) {
        let (Some(last), Some(was)) = (places.last(), old.get(name).and_then(|p| p.last())) else {
            continue;
        };
        let (Some(node), Some(found)) = (get(now, *last), get(before, *was)) else {
            continue;
        };
        if places.len() > 1
            && !same(node, found)
            && let Some(lost) = places
                .iter()
                .rev()
                .skip(1)
                .find(|i| get(now, **i).is_some_and(|n| same(n, found)))
        {
            changed.push((*last, *lost));
        }
    }
    for (last, twin) in new_twins(now, before) {
        let title = get(now, last).map(Node::title).unwrap_or_default();
        let say = || {
            format!(
                "its name now finds this node, and no name finds nodes[{twin}], which is new, too"
            )
        };
        lints.at(format!("nodes[{last}] {title}"), |lints| {
            lints.check(false, GAMEZ_LOOKUP, say)
        });
    }
    changed.sort();
    for (last, lost) in changed {
        let title = now
            .nodes
            .get(last)
            .and_then(Option::as_ref)
            .map(Node::title)
            .unwrap_or_default();
        let say = || {
            format!(
                "its name now finds this node; before, it found the one that is now nodes[{lost}]"
            )
        };
        lints.at(format!("nodes[{last}] {title}"), |lints| {
            lints.check(false, GAMEZ_LOOKUP, say)
        });
    }
}

/// Pairs of new nodes with the same new name that were not added together: the last one, and
/// another one.
fn new_twins(now: &Gamez, before: &Gamez) -> Vec<(usize, usize)> {
    let first = before.nodes.len();
    if now.nodes.len() <= first {
        return Vec::new();
    }
    let used = |(i, node): (usize, &Option<Node>)| {
        Some((
            i,
            node.as_ref()
                .filter(|n| !n.data.is_empty())?
                .name
                .bytes()
                .to_vec(),
        ))
    };
    let old: HashSet<Vec<u8>> = before
        .nodes
        .iter()
        .enumerate()
        .filter_map(used)
        .map(|(_, name)| name)
        .collect();
    let mut above: HashMap<usize, usize> = HashMap::new();
    for (i, node) in now.nodes.iter().enumerate().skip(first) {
        for child in node
            .iter()
            .flat_map(|node| &node.children)
            .filter_map(Link::place)
        {
            above.entry(child).or_insert(i);
        }
    }
    // The topmost new node above each; nodes come after the ones above them or before, so the steps
    // are bounded.
    let mut tops: HashMap<usize, usize> = HashMap::new();
    let mut top_of = |node: usize| {
        let (mut at, mut way) = (node, Vec::new());
        while let (None, Some(next)) = (tops.get(&at), above.get(&at)) {
            if way.len() > now.nodes.len() {
                break;
            }
            way.push(at);
            at = *next;
        }
        let top = tops.get(&at).copied().unwrap_or(at);
        tops.extend(way.into_iter().map(|step| (step, top)));
        top
    };
    let mut named: HashMap<Vec<u8>, (usize, usize)> = HashMap::new();
    let mut twins = Vec::new();
    for (i, name) in now
        .nodes
        .iter()
        .enumerate()
        .skip(first)
        .filter_map(used)
        .filter(|(_, name)| !old.contains(name))
    {
        let top = top_of(i);
        if let Some((other, other_top)) = named.insert(name, (i, top))
            && other_top != top
        {
            twins.push((i, other));
        }
    }
    twins
}

/// True if the list of free records visits each of them once, and ends.
pub(super) fn free_records_are_listed(world: &Gamez) -> bool {
    let nodes = &world.nodes;
    let slots = world
        .node_array
        .slots
        .map_or(0, |n| n as usize)
        .max(nodes.len());
    // Records after the nodes were never used: by default each of them links to the next.
    let free = |i: usize| {
        nodes
            .get(i)
            .is_none_or(|n| n.as_ref().is_none_or(|n| n.data.is_empty()))
    };
    let head = world
        .node_array
        .last_free
        .or(super::last_free_rule(nodes, slots));
    let (mut at, mut left) = (
        usize::try_from(head).ok(),
        (0..nodes.len()).filter(|i| free(*i)).count(),
    );
    while let Some(i) = at.filter(|i| *i < nodes.len()) {
        if left == 0 || !free(i) {
            return false;
        }
        left -= 1;
        let stored = nodes.get(i).and_then(Option::as_ref).and_then(|n| n.link.0);
        at = Some(
            (stored
                .unwrap_or(super::nodes::link_rule(i, slots, 0, 0, world.game))
                .0
                & 0x00FF_FFFF) as usize,
        );
    }
    left == 0
        && at.is_some_and(|i| {
            i == nodes.len() && i < slots || i == 0x00FF_FFFF && slots == nodes.len() || i == slots
        })
}

/// Nodes that are their own descendants. Not recursive: one colour for nodes in progress, one for
/// finished ones.
fn loops(world: &Gamez) -> Vec<usize> {
    let mut color = vec![0u8; world.nodes.len()];
    let mut found = Vec::new();
    let children = |i: usize| {
        world
            .nodes
            .get(i)
            .and_then(Option::as_ref)
            .map_or(&[][..], |n| n.children.as_slice())
    };
    for root in 0..world.nodes.len() {
        if color.get(root) != Some(&0) {
            continue;
        }
        let mut stack = vec![(root, 0usize)];
        if let Some(c) = color.get_mut(root) {
            *c = 1;
        }
        while let Some((i, next)) = stack.last_mut() {
            let Some(child) = children(*i).get(*next) else {
                if let Some(c) = color.get_mut(*i) {
                    *c = 2;
                }
                stack.pop();
                continue;
            };
            *next += 1;
            let Some(child) = child.place() else { continue };
            match color.get_mut(child) {
                Some(c @ 0) => {
                    *c = 1;
                    stack.push((child, 0));
                }
                Some(1) => found.push(child),
                _ => {}
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Checks a mechlib's tree.
pub fn tree(nodes: &[Node], lints: &mut Lints) {
    for (i, n) in nodes.iter().enumerate() {
        lints.at(format!("nodes[{i}] {}", n.title()), |lints| {
            lints.model(n);
            node(n, None, lints);
            if let Some(m) = &n.mesh {
                lints.at("mesh", |lints| model(m, None, None, lints));
            }
        });
    }
}
