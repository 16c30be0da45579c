//! The manifest of a folder with the sources of an animation file, and the lints of such sources.
//! The sources themselves are reader files, which `refit_anim_source` compiles to definitions.

use refit_base::{Sum, contract::Family, lint::codes, wire::F32};

/// The lint codes and schema of animation sources, which are not a format of their own.
pub const FAMILY: Family = Family {
    formats: &[],
    recognise: &[],
    codes: CODES,
    schemas: || vec![refit_base::contract::schema::<Manifest>()],
};

refit_base::manifest! {
    /// The manifest of a folder with definitions: `anim.zrd` is the root, and names the files in
    /// the order of their entries.
    pub struct Manifest, "anim-definitions" {
        /// `anim-definitions`.
        kind: String,
        /// The gravity of the file, from its root.
        gravity: F32,
        /// The entries that the file had, in its order: what calls refer to, and the node that it
        /// is bound to.
        entries: Vec<[String; 2]>,
        /// The source files that the file lists.
        file_list*: String,
        /// How that list and its times are treated: `keep`, or another value of `--stamps`.
        stamps: String,
        /// The file that `--base` names, from this folder.
        base: BaseFile,
    }
}

/// The file that definitions came from.
#[derive(Clone, PartialEq, Debug, Default, refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BaseFile {
    /// Its path from this folder.
    pub path: String,
    /// The checksum of the file: `blake3:` and hexadecimal digits. Earlier versions wrote a SHA-256 under the key
    /// `sha256`.
    #[serde(alias = "sha256")]
    pub sum: Sum,
}

codes! {
    /// The kinds of findings in sources of animations.
    pub CODES:
    UNKNOWN "animdef-unknown" Ignores [Rc] "a key that means nothing here"
        "The compiler leaves it out, as the studio's tool did. The key is misspelt, belongs to another game, or is an \
        unknown event. Case matters."
        "The rebuilt compiler reproduces the shipped file only if it leaves such keys out."
    IGNORED "animdef-ignored" Ignores [Rc] "a key or a word that has no meaning here"
        "The compiler leaves it out, as the studio's tool did. It is misspelt, or belongs to another event. The \
        two misspellings of shipped sources (`SATURATION` for `SATURATED`, `from_pos` beside `FROM_POS`) are not \
        reported."
        "Shipped Recoil sources have such keys, and the shipped files do not have their values."
    BITS "animdef-bits" Differs [] "a key and REFIT ( bits … ) contradict each other"
        "If no key can express a value, decompiling adds its bits to the nearest key, and the bits count. If you have \
        edited the key since, delete the bits; otherwise the edit has no effect."
        "refit writes the bits itself, and only if the keys beside them do not give the value."
    RESET_TIME "animdef-reset-time" Unusual [] "a reset time that is off but not -1"
        "With two values, the first is stored and the reset is off. Shipped files have -1 there. What a game does with \
        another value is not known."
        "Measured on shipped files; other tools refuse any other value."
    MISSING_FILE "animdef-missing-file" Differs [] "a missing definition file"
        "The compiler skips it, as the studio's tool did: shipped lists name files that no longer existed. If you did \
        not expect this, check the name."
        "Shipped Recoil lists name definition files that do not exist."
    UNLISTED "animdef-unlisted" Ignores [] "a definition file that no list names"
        "The compiler reads the root file, and the files that it and these name with ANIMATION_DEFINITION_FILE. Add \
        the file to the list of anim.zrd.json, or delete it."
        "The studio's tool compiled what the lists name, and refit does the same."
    LEFT_OUT "animdef-left-out" Differs [] "a definition whose node is not in the world"
        "The world given by --world does not have the node. If the file that you compile over has the entry, the entry \
        stays unchanged; otherwise the definition is left out. --strict makes this an error."
        "The shipped Recoil lists contain definitions for nodes of other worlds; the compiled files do not have them."
    MISSING_NODE "animdef-missing-node" Refuses [Rc] "a name that the world does not have"
        "Recoil refuses the whole animation file if a root, object or node in it is missing from the world."
        "Read in the Recoil engine: binding an animation file fails as a whole."
    MISSING_EFFECT "animdef-missing-effect" Refuses [Rc] "an effect that effects.zrd does not list"
        "Recoil refuses the whole animation file if it names such an effect."
        "Read in the Recoil engine: binding an animation file fails as a whole."
    MISSING_SOUND "animdef-missing-sound" Ignores [Rc] "an undefined sound"
        "Neither sounds.zrd nor a sound bank has a sample of this name. The game continues and plays nothing."
        "Read in the Recoil engine: an unknown sample is silent."
    LIMIT "animdef-limit" Refuses [] "more than the file or the game has room for"
        "Name tables hold 254 entries, references and sequences 255, names 31 bytes. Recoil counts the entries of a \
        file in signed numbers: at most 32,767, including the reserved one. An entry that does not fit is not \
        compiled: split it, or shorten the name."
        "Read in the Recoil engine; the sizes are those of the fields, in all games."
    CUT "animdef-cut" Differs [Cs] "a name longer than its field"
        "The compiler of Crimson Skies keeps the first 31 bytes of a name, and so does refit. Names that share their \
        first 31 bytes are therefore the same. In the other games such a name is not compiled."
        "Read in the definition parser of Crimson Skies."
    MISSING_SEQUENCE "animdef-missing-sequence" Ignores [Rc] "a sequence that the definition does not have"
        "Calls, stops and bounces can only name sequences of their own definition."
        "Sequences are looked up by name within their definition."
    MISSING_ANIMATION "animdef-missing-animation" Unusual [Rc] "an animation that the sources do not have"
        "Another file of the mission may have it; otherwise the call does nothing."
        "Shipped Recoil definitions call animations in other files."
}
