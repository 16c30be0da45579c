//! refit: a bit-perfect round-trip converter and modding tool for the files of Recoil, MechWarrior
//! 3, Pirate's Moon and Crimson Skies, and for Bohemia's PBO archives.
//!
//! [`File`] is a file of any format, as the types of its format. The most common tasks:
//!
//! **List members.**
//!
//! ```
//! let bytes = std::fs::read("golden/reader/mw_zbd_c1_readerm1.zbd")?;
//! let file = refit::File::read(bytes, "readerm1.zbd")?;
//! for (id, member) in file.members()? {
//!     println!("{:>4} {:>8} {} ({})", id.index(), member.bytes, member.name, member.detail);
//! }
//! # assert!(file.members()?.len() > 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Change one value of a reader file,** and write its archive. All other bytes stay unchanged.
//!
//! ```
//! use refit::{File, formats::reader::ReaderDoc};
//! # let bytes = {
//! #     use refit::{formats::{Form, reader::Value}};
//! #     let mut file = File::read(std::fs::read("golden/reader/mw_zbd_c1_readerm1.zbd")?, "readerm1.zbd")?;
//! #     let id = file.members()?[0].0;
//! #     let inner = Value::list([Value::from(57), Value::from(0.5)])?;
//! #     file.put_document(id, &ReaderDoc::from(Value::list([Value::text("SPEED")?, inner])?))?;
//! #     file.to_bytes()?
//! # };
//! let mut file = File::read(bytes, "readerm1.zbd")?;
//! let id = file.member("#0")?;
//! let mut doc: ReaderDoc = file.document(id)?;
//! // [ "SPEED", [ 57, 0.5 ] ]
//! doc.set("SPEED/1", 0.75)?;
//! file.put_document(id, &doc)?;
//! let new = file.to_bytes()?;
//! # let doc: ReaderDoc = File::read(new, "readerm1.zbd")?.document(id)?;
//! # let number = |path| doc.get(path).and_then(|value| value.number());
//! # assert_eq!(["SPEED/0", "SPEED/1", "SPEED/2"].map(number), [Some(57.0), Some(0.75), None]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Walk the nodes of a world.**
//!
//! ```
//! use refit::{File, formats::gamez::nodes::Data};
//! let bytes = std::fs::read("golden/gamez/rc_odd_full_nodes.gamez.zbd")?;
//! let File::World(world) = File::read(bytes, "gamez.zbd")? else { return Err("no world".into()) };
//! for (root, _) in world.roots() {
//!     for (depth, id, node) in world.walk(root) {
//!         println!("{:indent$}{id} {} ({})", "", node.name.text(), node.data.kind(), indent = 2 * depth);
//!     }
//! }
//! let objects = world.nodes().filter(|(_, node)| matches!(node.data, Data::Object3d(_)));
//! # assert!(objects.count() > 0 && world.roots().count() > 0);
//! # assert!(world.roots().flat_map(|(root, _)| world.walk(root)).any(|(depth, ..)| depth > 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Move the vertices of a model.**
//!
//! ```
//! use refit::File;
//! let bytes = std::fs::read("golden/gamez/mw_base.gamez.zbd")?;
//! let File::World(mut world) = File::read(bytes, "gamez.zbd")? else { return Err("no world".into()) };
//! let id = world.models().next().ok_or("no model")?;
//! let mut model = world.model(id)?;
//! for vertex in &mut model.vertices {
//!     vertex[1] = (vertex[1].get() + 2.0).into();
//! }
//! world.set_model(id, &model)?;
//! # assert_eq!(world.model(id)?, model);
//! let new = File::from(*world).to_bytes()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Add an object to a world,** from a glTF file, below the node `world1`.
//!
//! ```
//! use refit::{Error, File, gltf::import};
//! let mut world = File::read(std::fs::read("golden/gamez/mw_base.gamez.zbd")?, "gamez.zbd")?;
//! let file = std::fs::read("roundtrip-tests/blender/none.glb")?.into();
//! let source = import::Source { file: &file, beside: &|path| Err(Error::say(format!("no {path}"))) };
//! let report = import::add(&mut world, "world1", &source, import::Options::default())?;
//! # assert_eq!(report.nodes_new, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Create an animation definition and write it.** Events refer to things by name; the lists of
//! the definition contain these names.
//!
//! ```
//! use refit::{File, game::Game};
//! use refit::formats::anim::{Activation, Anim, Body, Bool, Definition, Event, Sequence, events::ObjectActiveState};
//! let hide = ObjectActiveState { node: "door".try_into()?, state: Bool(0) };
//! let definition = Definition {
//!     animation_name: "hide_door".try_into()?,
//!     name: "door".try_into()?,
//!     animation_root_name: "door".try_into()?,
//!     activation: Activation::OnCall,
//!     nodes: Some(vec!["door".try_into()?]),
//!     sequences: vec![Sequence {
//!         name: "hide".try_into()?,
//!         events: vec![Event { time: 0.5.into(), ..Event::new(Body::ObjectActiveState(hide)) }],
//!         ..Sequence::default()
//!     }],
//!     ..Definition::default()
//! };
//! let mut anim = Anim::new(Game::Mw);
//! anim.add_definition(&definition)?;
//! let bytes = File::from(anim).to_bytes()?;
//! # let File::Anim(back) = File::read(bytes, "anim.zbd")? else { return Err("no anim".into()) };
//! # assert_eq!(back.definition(0)?, definition);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Lint the files of a folder.**
//!
//! ```
//! for entry in std::fs::read_dir("golden/motion")? {
//!     let path = entry?.path();
//!     if path.is_dir() {
//!         continue;
//!     }
//!     let Ok(file) = refit::File::read(std::fs::read(&path)?, &path.to_string_lossy()) else { continue };
//!     for finding in file.lint()? {
//!         println!("{}: {}: {} [{}]", path.to_string_lossy(), finding.path, finding.message, finding.code);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Apply a mod to a game's folder.** All files are replaced, or none.
//!
//! ```no_run
//! use refit::mods::{self, ModdedGame, Prefer};
//! # #[cfg(feature = "disk")] {
//! let door = mods::load("door.refitmod".as_ref())?;
//! let mut game = ModdedGame::open("C:/Games/MechWarrior 3".as_ref(), false)?;
//! let plan = game.plan_apply(vec![door], Prefer::None)?;
//! assert_eq!(plan.open_conflicts(), 0);
//! game.carry_out(plan, "apply", false)?;
//! # }
//! # Ok::<(), refit::Error>(())
//! ```
//!
//! **Verify bytes in memory:** reading and writing them, and the round trip through text, must
//! reproduce them.
//!
//! ```
//! use refit::{Hints, Via, verify};
//! let bytes = std::fs::read("golden/anim/rc_sequences.zbd")?;
//! let outcome = verify(&bytes.into(), "anim.zbd", Hints::default(), Via::Json)?;
//! assert_eq!(outcome.raw, [], "nothing had to be kept as bytes");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An [`Error`] has a [kind](Error::kind), a [path](Error::path) to the field, an
//! [offset](Error::offset) in the file, and a readable message:
//!
//! ```
//! let error = refit::File::read(b"2\0\0\0".as_slice(), "a.dat").err().ok_or("it is read")?;
//! assert_eq!(error.kind(), refit::ErrorKind::Unrecognised);
//! # Ok::<(), &str>(())
//! ```
//!
//! This package only re-exports: each part is a package of its own (`ARCHITECTURE.md` has the list).
//! Without the feature `cli` refit needs no crates for a command line; without `disk` it does not
//! use the file system.
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

pub use refit_anim_source as anim_source;
pub use refit_base::{
    Error, ErrorKind, Object, Result, Sha256, Style, Sum, declare_record, document, format, game,
    lint, naming, record, secret, sha256, tree, wire,
};
pub use refit_diff as diff;
pub use refit_files::{
    File, Hints, MemberId, Outcome, Via, detect, explain, pipeline, registry, verify,
};
pub use refit_gltf as gltf;
pub use refit_mods as mods;
#[cfg(feature = "disk")]
pub use refit_project as project;
pub use refit_project::{schemas, schemas_of};
#[cfg(feature = "disk")]
pub use refit_session as session;
#[cfg(feature = "view")]
pub use refit_view as view;
#[cfg(feature = "disk")]
pub use refit_workbench as workbench;

/// The formats, one module each, and what they have in common.
pub mod formats {
    pub use refit_base::{contract::*, format::Format, tree::Form};
    pub use refit_bohemia::{paa, pbo, rap};
    pub use refit_files::foreign;
    pub use refit_zipper::{
        aircraft, anim, archive, film, gamez, interp, livery, mechlib, messages, motion, reader,
        rof, savegame, sounds, textures, tracks, zmap, zrd_text,
    };
}
