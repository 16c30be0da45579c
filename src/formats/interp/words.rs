//! The commands that scripts may use, with the arguments that the engine takes.
//!
//! Recoil's table is complete: it was read in the executable of 1999 (argument list and dispatcher, published with the
//! `Recoil-1999-Recompile` and `RecoilRebuild` projects). Of Crimson Skies only names are known, from its scripts and a few from
//! its engine; of MechWarrior 3 and Pirate's Moon nothing is published. A word that is not here is therefore no fault in those.
//!
//! Arguments, one letter each: `s` text, `n` name of a node, `t` texture, `b` truth (`on` or `true` in any case, else false), `i`
//! integer (C's `atoi`), `f` float (C's `atof`), `m` one of the modes of fog, `c` a condition. `S` is an `s` without which the
//! engine crashes; behind `!` the engine itself counts the arguments, behind `*` there may be any number of others.
//! A missing argument is 0, empty or false; one too many is ignored. Angles of Recoil's commands are degrees; Crimson Skies has
//! scripts with degrees and with radians.

/// The language itself, asked first. Every word is matched by its beginning, but `Quit`, which must be whole.
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

/// Commands in the order in which Recoil compares them. A word matches when it begins with the name; `=` behind a name: only
/// the whole word does; `~k`: its first k letters are enough.
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

/// Commands of the tool that built the worlds, which is lost. They stand in shipped scripts; every game ignores them.
const TOOL: &[(&str, &str)] = &[
    ("GameGenForceFlatShading", "b"),
    ("GameGenSetWorld", "s"),
    ("GenericTerrainMorph", "*"),
    ("LoadGameGen", "ss"),
    ("SetKeyboardInput", "b"),
    ("SetMission", "s"),
    ("SetModelDirectory", "s"),
];

/// Names of Crimson Skies beyond Recoil's; the last two are in its engine and in none of its scripts. Arguments are not known.
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

/// A command as the engine understands a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Its arguments; `None` where they are not known.
    pub arguments: Option<&'static str>,
}

/// What a word at the beginning of a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A command, spelled out.
    Known(Command),
    /// Another word that the engine takes for this command, because it compares beginnings.
    Taken(Command),
    /// Nothing, though it would be this command in other letters: the engine minds case.
    Case(&'static str),
    /// No command known to refit.
    Unknown,
}

/// A name without its mark, and how much of it a word must have; `None`: the word must be the name.
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
    Command { name: rule(name).0, arguments: Some(arguments) }
}

/// All names.
fn names() -> impl Iterator<Item = &'static str> {
    [LANGUAGE, RECOIL, TOOL].into_iter().flatten().map(|(name, _)| rule(name).0).chain(CRIMSON_SKIES.iter().copied())
}

/// What the engine makes of the first word of a line.
pub fn meaning(word: &str) -> Meaning {
    if let Some(found) = [LANGUAGE, RECOIL, TOOL].into_iter().flatten().find(|(name, _)| rule(name).0 == word) {
        return Meaning::Known(command(found));
    }
    if let Some(name) = CRIMSON_SKIES.iter().find(|name| **name == word) {
        return Meaning::Known(Command { name, arguments: None });
    }
    let taken = |(name, _): &&(&'static str, &'static str)| {
        let (name, enough) = rule(name);
        enough.and_then(|k| name.get(..k)).is_some_and(|beginning| word.starts_with(beginning))
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

    /// A name that an earlier one of its first letter hides could not be reached by its own name.
    #[test]
    fn every_command_of_recoil_is_reached_by_its_own_name() {
        for (i, (name, _)) in RECOIL.iter().enumerate() {
            let name = rule(name).0;
            let hidden = RECOIL[..i].iter().chain(LANGUAGE).map(|(n, _)| rule(n)).find(|(n, enough)| match enough {
                Some(k) => name.starts_with(&n[..*k]),
                None => *n == name,
            });
            assert_eq!(hidden, None, "{name}");
        }
        assert_eq!(names().count(), names().collect::<std::collections::HashSet<_>>().len());
    }

    #[test]
    fn words_are_compared_as_the_engine_does() {
        let name = |word| match meaning(word) {
            Meaning::Known(c) | Meaning::Taken(c) => c.name,
            Meaning::Case(_) | Meaning::Unknown => "",
        };
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
        assert_eq!(meaning("FindSubNodeNode"), Meaning::Known(Command { name: "FindSubNodeNode", arguments: None }));
        assert!(matches!(meaning("FindNodes"), Meaning::Taken(_)) && matches!(meaning("FindNode"), Meaning::Known(_)));
    }
}
