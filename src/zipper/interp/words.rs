//! The commands of scripts, with their arguments in the engine.
//!
//! Recoil's table is complete: it was read in the executable of 1999 (argument list and dispatcher,
//! published with the `Recoil-1999-Recompile` and `RecoilRebuild` projects). For Crimson Skies only
//! names are known, from its scripts and a few from its engine; for MechWarrior 3 and Pirate's Moon
//! nothing is published. In those games an unlisted word is therefore not an error.
//!
//! Arguments, one letter each: `s` text, `n` name of a node, `t` texture, `b` boolean (`on` or
//! `true` in any case, else false), `i` integer (C's `atoi`), `f` float (C's `atof`), `m` one of
//! the modes of fog, `c` a condition. `S` is an `s` without which the engine crashes; after `!` the
//! engine itself counts the arguments, after `*` any number of others may follow. A missing
//! argument is 0, empty or false; excess arguments are ignored. Angles in Recoil's commands are
//! degrees; Crimson Skies has scripts with degrees and with radians.

/// The language itself, matched first. Words match by prefix, except `Quit`, which must be
/// complete.
const LANGUAGE: &[(&str, &str)] = &[
    ("endif", "*"),
    ("ifdef", "c*"),
    ("ifndef", "c*"),
    ("mkdir", "s"),
    ("set", "ss"),
    ("source", "s"),
    ("who", "*"),
    ("var", "s*"),
    ("Quit=", "*"),
];

/// Commands in the order in which Recoil compares them. A word matches if it begins with the name;
/// with `=` after the name, only if it equals the name; with `~k`, if it begins with the first k
/// letters.
const RECOIL: &[(&str, &str)] = &[
    ("AddChild", "n"),
    ("AddEnhancerImage", "t"),
    ("AnimSetZBDFile", "s"),
    ("AnimSetDebugFrame", "*"),
    ("CameraRotate", "fff"),
    ("CameraGetTranslate=", "*"),
    ("CameraSetActive", "b"),
    ("CameraSetDynamicLOD", "f"),
    ("CameraSetFOV", "ff"),
    ("CameraSetHorizonXZ", "n"),
    ("CameraSetHorizon", "n"),
    ("CameraSetLODMultiplier", "f"),
    ("CameraSetNearFarClip", "ff"),
    ("CameraSetNearClip=", "f"),
    ("CameraSetFarClip=", "f"),
    ("CameraSetObjectHSETest", "b"),
    ("CameraSetWindow", "n"),
    ("CameraSetWorld", "n"),
    ("CameraTranslate", "fff"),
    ("CountCameraNodes~14", "*"),
    ("CountUsedNodes", "*"),
    ("CycleTextureSetLooping", "b"),
    ("CycleTextureSetMap", "t"),
    ("CycleTextureSetOn", "i"),
    ("CycleTextureSetSpeed", "f"),
    ("ClearScreenBuffer", "b"),
    ("DeleteChild", "n"),
    ("DeleteFile", "s"),
    ("DeleteTree", "n"),
    ("DisplayOrigin", "ii"),
    ("DisplayResolution", "ii"),
    ("DisplaySetClearColor", "fff"),
    ("Echo", "*"),
    ("echo", "*"),
    ("FindNode", "n"),
    ("FindSubNode", "n"),
    ("FreeNode", "n"),
    ("Facade", "*"),
    ("GameZReadZBDFile", "s"),
    ("GameZWriteZBDFile", "s"),
    ("GetBFETolerance", "*"),
    ("LensFlareTexture", "it"),
    ("LightNew", "s"),
    ("LightSetActive", "b"),
    ("LightSetAmbient", "f"),
    ("LightSetColor", "fff"),
    ("LightSetDiffuse", "f"),
    ("LightSetDirectedSource", "*"),
    ("LightSetDirectional", "b"),
    ("LightSetOrientation", "fff"),
    ("LightSetPointSource", "*"),
    ("LightSetRanges", "ff"),
    ("LightSetSaturated=", "b"),
    ("LightSetTranslate", "fff"),
    ("LoadSoils", "s"),
    ("LODAddChild", "n"),
    ("LODSetRange", "ff"),
    ("MatlFaceColor", "fff"),
    ("MatlNew", "*"),
    ("MatlTexture", "t"),
    ("ModelNew", "sS"),
    ("ModelPolygonBegin", "*"),
    ("ModelPolygonEnd", "*"),
    ("ModelPolygonUV", "ff"),
    ("ModelPolygonVertex", "fff"),
    ("NewCamera", "s"),
    ("NewDisplay", "s"),
    ("NewLOD", "s"),
    ("NewNode", "s"),
    ("NewObject3D", "s"),
    ("NewSEQ", "s"),
    ("NewWindow", "s"),
    ("NewWorld", "s"),
    ("NodeSetActive", "b"),
    ("NodeSetDescription", "s"),
    ("NodeSetCanModify", "b"),
    ("NodeSetLighting", "b"),
    ("NodeSetOverwrite", "b"),
    ("Object3DAddChild", "n"),
    ("Object3DGetTranslate=", "*"),
    ("Object3DRegisterTexturesToWorld", "b"),
    ("Object3DRotate", "fff"),
    ("Object3DScale", "fff"),
    ("Object3DSetActionPriority", "i"),
    ("Object3DSetActive", "b"),
    ("Object3DSetColor", "i"),
    ("Object3DSetFacade", "*"),
    ("Object3DSetOpacityIsSet", "i"),
    ("Object3DSetOpacity", "f"),
    ("Object3DSetPoints", "*"),
    ("Object3DSetPriority", "i"),
    ("Object3DSetScrollAlways", "bff"),
    ("Object3DSetScroll", "bff"),
    ("Object3DSetShowBackFace", "b"),
    ("Object3DSetTextureWorldBaseCoordinates", "ff"),
    ("Object3DSetTextureWorldTexturesPerMeter~37", "ff"),
    ("Object3DSetMorphVertex", "f"),
    ("Object3DTranslate", "fff"),
    ("PerspectiveTexture", "b"),
    ("PrintNodeCount", "n"),
    ("PrintTree=", "*"),
    ("PrintUsedNodes", "*"),
    ("RdrAddPath", "s"),
    ("RdrSetPath", "s"),
    ("SEQAddChild", "nif"),
    ("SEQNew", "s"),
    ("SEQSetActive", "i"),
    ("SEQSetLoop", "i"),
    ("SEQSetPause=", "i"),
    ("SEQSetRepeat", "i"),
    ("SetAltitudeSurface", "b"),
    ("SetBFETolerance", "f!"),
    ("SetCoplanarTolerance", "f"),
    ("SetColinearTolerance", "f"),
    ("SetGameZNodeArraySize", "i"),
    ("SetMaterialArraySize", "i"),
    ("SetModel3DArraySize", "i"),
    ("SetIntersectBBOX", "b"),
    ("SetIntersectSurface", "b"),
    ("SetLandmark", "b"),
    ("SetPaletteName", "s"),
    ("SetPaletteShading", "b"),
    ("SetPerspectiveAdaptiveCorrection", "iif"),
    ("SetPerspectiveTextureDeltaX", "i"),
    ("SetInverseZTolerance", "f"),
    ("SetPerspectiveInverseZTolerance~20", "f"),
    ("SetPerspectiveTextureFarZ", "f"),
    ("SetProximity", "b"),
    ("SetSmallPolygonRejectArea", "f"),
    ("SetTextureDirectory", "s"),
    ("SetVertexShading", "b"),
    ("TextureAdd", "t"),
    ("Verbose", "b"),
    ("VideoSetDither=", "b"),
    ("VideoSetWireFrame=", "b"),
    ("WeaponSetMaxTetherAltitude", "f"),
    ("WindowAddClearPolygonVertex", "fff!"),
    ("WindowBuffer=", "i!"),
    ("WindowCloseClearPolygon", "*"),
    ("WindowOrigin", "ii"),
    ("WindowResolution", "ii"),
    ("WindowSetClearPolygon", "b"),
    ("WorldAddLight", "n"),
    ("WorldExtents", "ff"),
    ("WorldOrigin", "ff"),
    ("WorldPartitionInclusionTolerance", "ff"),
    ("WorldPartitionMaxDECFeatureCount", "i"),
    ("WorldPartition", "ff"),
    ("WorldSetFogAltitude", "ff"),
    ("WorldSetFogColor", "fff"),
    ("WorldSetFogDensity", "f"),
    ("WorldGetFogRange=", "*"),
    ("WorldSetFogRange=", "ff!"),
    ("WorldSetFogRangeNear=", "f!"),
    ("WorldSetFogRangeFar=", "f!"),
    ("WorldSetFogState", "m!"),
    ("WorldSetVirtualPartition", "b"),
    ("WriteTextureSetType", "i"),
    ("WriteTextureSetMap", "t"),
];

/// Commands of the lost tool that built the worlds. Shipped scripts contain them; every game
/// ignores them.
const TOOL: &[(&str, &str)] = &[
    ("GameGenForceFlatShading", "b"),
    ("GameGenSetWorld", "s"),
    ("GenericTerrainMorph", "*"),
    ("LoadGameGen", "ss"),
    ("SetKeyboardInput", "b"),
    ("SetMission", "s"),
    ("SetModelDirectory", "s"),
];

/// Names in Crimson Skies that Recoil does not have; the last two are in its engine but in none of
/// its scripts. Their arguments are unknown.
const CRIMSON_SKIES: &[&str] = &[
    "AddClutterTemplates",
    "AnimAddZBDFile",
    "AnimSetZRDRFile",
    "CreateUniqueMaterials",
    "DeleteChildFromDB",
    "FindSubNodeNode",
    "GameGenSetSubfacePriorityOffset",
    "GameGenTranslatePaths",
    "LightMapTexture",
    "MipBias",
    "PrintUsedTextures",
    "WorldPartitionSetActive",
    "WorldSetVirtualPartitionMapSize",
    "PufferSetGlobalAgeFactor",
    "TextureAdditiveTransparent",
];

/// A command for which the engine takes a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Command {
    pub name: &'static str,
    /// Its arguments; `None` if unknown.
    pub arguments: Option<&'static str>,
}

/// The meaning of a word at the beginning of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A command with its exact name.
    Known(Command),
    /// Another word that the engine takes for this command, because it compares prefixes.
    Taken(Command),
    /// This command in different case: the engine is case-sensitive and ignores it.
    Case(&'static str),
    /// Not a command known to refit.
    Unknown,
}

impl Meaning {
    /// The command that the engine runs.
    pub fn command(self) -> Option<Command> {
        match self {
            Meaning::Known(command) | Meaning::Taken(command) => Some(command),
            Meaning::Case(_) | Meaning::Unknown => None,
        }
    }
}

/// A name without its mark, and the number of letters that a word needs; `None`: the word must
/// equal the name.
fn rule(name: &'static str) -> (&'static str, Option<usize>) {
    if let Some(name) = name.strip_suffix('=') {
        return (name, None);
    }
    match name.split_once('~') {
        Some((name, k)) => (name, k.parse().ok()),
        None => (name, Some(name.len())),
    }
}

fn command((name, arguments): &(&'static str, &'static str)) -> Command {
    Command {
        name: rule(name).0,
        arguments: Some(arguments),
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    [LANGUAGE, RECOIL, TOOL]
        .into_iter()
        .flatten()
        .map(|(name, _)| rule(name).0)
        .chain(CRIMSON_SKIES.iter().copied())
}

/// The meaning of the first word of a line.
pub fn meaning(word: &str) -> Meaning {
    if let Some(found) = [LANGUAGE, RECOIL, TOOL]
        .into_iter()
        .flatten()
        .find(|(name, _)| rule(name).0 == word)
    {
        return Meaning::Known(command(found));
    }
    if let Some(name) = CRIMSON_SKIES.iter().find(|name| **name == word) {
        return Meaning::Known(Command {
            name,
            arguments: None,
        });
    }
    let taken = |(name, _): &&(&'static str, &'static str)| {
        let (name, enough) = rule(name);
        enough
            .and_then(|k| name.get(..k))
            .is_some_and(|beginning| word.starts_with(beginning))
    };
    if let Some(found) = [LANGUAGE, RECOIL].into_iter().flatten().find(taken) {
        return Meaning::Taken(command(found));
    }
    match names().find(|name| name.eq_ignore_ascii_case(word)) {
        Some(name) => Meaning::Case(name),
        None => Meaning::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No command is hidden by an earlier one that is a prefix of its name.
    #[test]
    fn every_command_of_recoil_matches_its_own_name() {
        for (i, (name, _)) in RECOIL.iter().enumerate() {
            let name = rule(name).0;
            let hidden = RECOIL[..i]
                .iter()
                .chain(LANGUAGE)
                .map(|(n, _)| rule(n))
                .find(|(n, enough)| match enough {
                    Some(k) => name.starts_with(&n[..*k]),
                    None => *n == name,
                });
            assert_eq!(hidden, None, "{name}");
        }
        assert_eq!(
            names().count(),
            names().collect::<std::collections::HashSet<_>>().len()
        );
    }

    #[test]
    fn words_are_compared_like_in_the_engine() {
        let name = |word| meaning(word).command().map_or("", |command| command.name);
        for (word, wanted) in [
            ("FindNode", "FindNode"),
            ("FindNodes", "FindNode"),
            ("CameraSetHorizonXZ2", "CameraSetHorizonXZ"),
            ("CountCameraNod", "CountCameraNodes"),
            ("settle", "set"),
            ("sourceX", "source"),
            ("QuitNow", ""),
            ("WorldSetFogRangeX", ""),
            ("findnode", ""),
            ("LoadGameGenX", ""),
        ] {
            assert_eq!(name(word), wanted, "{word}");
        }
        assert_eq!(meaning("quit"), Meaning::Case("Quit"));
        assert_eq!(meaning("FINDNODE"), Meaning::Case("FindNode"));
        assert_eq!(meaning(";;;"), Meaning::Unknown);
        assert_eq!(
            meaning("FindSubNodeNode"),
            Meaning::Known(Command {
                name: "FindSubNodeNode",
                arguments: None
            })
        );
        assert!(
            matches!(meaning("FindNodes"), Meaning::Taken(_))
                && matches!(meaning("FindNode"), Meaning::Known(_))
        );
    }
}
