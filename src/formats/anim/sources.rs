//! The manifest of a folder with the sources of an animation file, and the lints of such sources. The sources
//! themselves are reader files, which [`crate::anim_source`] compiles to definitions.

use crate::{formats::contract::Family, lint::codes, wire::F32};

/// The lint codes and schema of animation sources, which are not a format of their own.
pub(crate) const FAMILY: Family =
    Family { formats: &[], codes: CODES, schemas: || vec![crate::formats::schema::<Manifest>()] };

crate::manifest! {
    /// The manifest of a folder with definitions: `anim.zrd` is the root, and names the files in the order of their
    /// entries.
    pub struct Manifest, "anim-definitions" {
        /// `anim-definitions`.
        kind: String,
        /// The gravity of the file, which its root says.
        gravity: F32,
        /// The entries that the file had, in its order: what calls refer to, and the node that it is bound to.
        entries: Vec<[String; 2]>,
        /// The source files that the file lists.
        file_list*: String,
        /// What becomes of that list and its times: `keep`, as `--stamps` says it.
        stamps: String,
        /// The file that `--base` names, from this folder.
        base: BaseFile,
    }
}

/// The file that definitions came from.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BaseFile {
    /// Its path from this folder.
    pub path: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

codes! {
    /// The kinds of findings in sources of animations.
    pub CODES:
    UNKNOWN "animdef-unknown" Ignores [Rc] "a key that means nothing in its place"
        "The compiler has no use for it and leaves it out, as the studio's tool did: a misspelt key, one of another \
        game, or an unknown event. Letter case counts."
        "The rebuilt compiler gives the shipped file only where such keys are left out."
    IGNORED "animdef-ignored" Ignores [Rc] "a key that this event does not have"
        "It is left out, as the studio's tool did: a misspelt key, or one of another event. The two misspellings of \
        shipped sources (`SATURATION` for `SATURATED`, `from_pos` beside `FROM_POS`) are not reported."
        "Shipped Recoil sources have such keys, and the shipped files do not have their values."
    BITS "animdef-bits" Differs [] "a key and REFIT ( bits … ) say two things of one place"
        "Where no key can say a value, decompiling adds its bits to the nearest one, and they count. Where the key was \
        edited since, take the bits out, or what was edited has no effect."
        "refit writes the bits itself, and only where the keys beside them do not give the value."
    RESET_TIME "animdef-reset-time" Unusual [] "a reset time that is switched off and not -1"
        "Of two values the first is stored and the reset is off. Shipped files have -1 there; what a game makes of \
        another value is not known."
        "Measured on shipped files; other tools refuse any other value."
    MISSING_FILE "animdef-missing-file" Differs [] "a definition file is not there"
        "It is skipped, as the studio's tool did: shipped lists name files that were gone. Check the name if it was \
        not meant."
        "Shipped Recoil lists name definition files that are not there."
    LEFT_OUT "animdef-left-out" Differs [] "a definition whose node is not in the world"
        "The world that --world names does not have the node. Where the file that is compiled over has the entry, it \
        stays as it is; else there is none. --strict makes an error of it."
        "The shipped Recoil lists hold definitions for nodes of other worlds; their files do not have them."
    MISSING_NODE "animdef-missing-node" Refuses [Rc] "a name that the world does not have"
        "Recoil refuses a whole animation file when a root, an object or a node in it is missing in the world."
        "Read in the Recoil engine: the binding of an animation file fails as a whole."
    MISSING_EFFECT "animdef-missing-effect" Refuses [Rc] "an effect that the list of effects does not have"
        "Recoil refuses a whole animation file when it names an effect that effects.zrd does not list."
        "Read in the Recoil engine: the binding of an animation file fails as a whole."
    MISSING_SOUND "animdef-missing-sound" Ignores [Rc] "a sound that nothing of the game has"
        "Neither sounds.zrd declares a sample of this name nor a bank has it: the game goes on, and plays nothing."
        "Read in the Recoil engine: an unknown sample is silent."
    LIMIT "animdef-limit" Refuses [] "more than the file or the game has room for"
        "Tables of names hold 254 entries, references and sequences 255, names 31 bytes, and Recoil counts the entries \
        of a file with a sign: 32,767 with the reserved one. Where the file has no room the entry is not compiled: \
        split it, or shorten the name."
        "Read in the Recoil engine; the sizes are those of the fields, in all games."
    CUT "animdef-cut" Differs [Cs] "a name that is longer than its field"
        "The compiler of Crimson Skies keeps the first 31 bytes of a name, and so does refit: another name that begins \
        the same means the same. In the other games such a name is not compiled."
        "Read in the parser of definitions of Crimson Skies."
    MISSING_SEQUENCE "animdef-missing-sequence" Ignores [Rc] "a sequence that the definition does not have"
        "Calls, stops and bounces name sequences of their own definition."
        "Sequences are looked up by name within their definition."
    MISSING_ANIMATION "animdef-missing-animation" Unusual [Rc] "an animation that the sources do not have"
        "Another file of the mission may have it; else the call does nothing."
        "Shipped Recoil definitions call animations of other files."
}
