//! Weapons and craters of Recoil, as its engine reads them. It takes either number, where a
//! declaration says `number`, and otherwise the four bytes as the type that it expects.

use super::{
    Each, GAMES, Key, Keys, KeysAndNamed, KnownReader, Row, Shape, animation, flag, float, int,
    key, may, node, number, sample, text, texture,
};
use crate::reader::known::RowAndEach;
use refit_base::naming::NameKind;

const NUMBER: Shape = Row(&[number("", 0.0)]);
const YES: Shape = Row(&[int("not 0 for yes", 1)]);

/// A hole in the ground: `zDEClient_Init`, from 0x4558f0. Crimson Skies has the same.
const HOLE: [Key; 4] = [
    may("POINTS", "how many corners", Row(&[int("", 7)])),
    may("SLOPE", "", NUMBER),
    may(
        "DEPTH",
        "half of the depth of a crater",
        Row(&[number("", 4.0)]),
    ),
    may("RADIUS", "", Row(&[number("", 20.0)])),
];

pub(in crate::reader::known) const CRATERS: Key = may(
    "CRATER",
    "the craters; weapons change the radius",
    Keys(&[
        HOLE[0],
        HOLE[1],
        HOLE[2],
        HOLE[3],
        may(
            "DEFAULT_TEXTURE",
            "their picture",
            Row(&[texture("", "crater.tif")]),
        ),
        may(
            "DEFAULT_ANIM",
            "played with a new one",
            Row(&[animation("", "crater_dust")]),
        ),
        may(
            "TEXTURE_ANIM",
            "other ones by the picture of the ground",
            Each(&[
                texture("the ground", "sand.tif"),
                Row(&[
                    texture("the crater", "sandhole.tif"),
                    animation(
                        "that is played with it; DEFAULT_ANIM without one",
                        "sand_dust",
                    ),
                ]),
            ]),
        ),
    ]),
);

pub(in crate::reader::known) const QUICK_SAND: Key = may(
    "QUICK_SAND",
    "quicksand; without the key there is none",
    Keys(&[
        HOLE[0],
        HOLE[1],
        HOLE[2],
        HOLE[3],
        may(
            "DEFAULT_TEXTURE",
            "its pictures",
            RowAndEach(
                &[float("pictures a second", 10.0)],
                &[texture("a picture", "qsand1.tif")],
            ),
        ),
    ]),
);

/// What a weapon shows and plays: 0x4b1fa0.
const EVENT: Shape = Keys(&[
    may(
        "EFFECT",
        "an effect of effects.zrd; MODEL does not count then",
        Row(&[text("", "puff").names(NameKind::Effect)]),
    ),
    may("MODEL", "a node of the world", Row(&[node("", "shell")])),
    may("ANIMATION_ATTACHED", "", Row(&[animation("", "trail")])),
    may("MODEL_ANIMATION", "", Row(&[animation("", "spin")])),
    may("ANIMATION", "", Row(&[animation("", "burst")])),
    may("RANDOM_ROTATE", "", YES),
    may(
        "SOUND",
        "one sample or several",
        Each(&[sample("", "burst")]),
    ),
    may(
        "BOUNCE_SOUND",
        "one sample or several",
        Each(&[sample("", "bounce")]),
    ),
]);

/// A light on what is hit.
const GLOW: Shape = Row(&[
    number("its least range", 10.0),
    number("its greatest", 30.0),
    number("a delay", 0.1),
    number("red, 0 to 1", 1.0),
    number("green", 0.5),
    number("blue", 0.0),
]);

/// A weapon: 0x4b1190.
const WEAPON: &[Key] = &[
    may(
        "NAME",
        "its short name; its key without it",
        Row(&[text("", "GUN")]),
    ),
    may(
        "DESC",
        "a text, or the key of a message; its key without it",
        Row(&[text("", "MSG_GUN")]),
    ),
    may(
        "MILITARY_NAME",
        "a text, or the key of a message",
        Row(&[text("", "MSG_GUN_LONG")]),
    ),
    may("ACCELERATION", "of a shot", NUMBER),
    may(
        "AMMO_LIMIT",
        "most rounds; 50 without it",
        Row(&[int("", 50)]),
    ),
    may(
        "BEAM",
        "a beam instead of shots; VELOCITY does not count then",
        Row(&[
            number("one over the speed", 1.0),
            number("a rate", 1.0),
            int("unknown: not 0 for yes", 0),
        ]),
    ),
    may("CATCHES_FIRE", "unknown", YES),
    may(
        "CRATER",
        "the craters that it makes",
        Row(&[
            number("the least radius; 0 for no craters", 10.0),
            number("the greatest", 20.0),
        ]),
    ),
    may(
        "DAMAGE",
        "hit points; 0.1 without it",
        Row(&[number("", 0.1)]),
    ),
    may("DETONATION_DISTANCE", "how near it goes off", NUMBER),
    may("EXPIRES", "unknown", YES),
    may("FIRE_RATE", "shots a second", Row(&[number("", 2.0)])),
    may("FIXED_ROTATE", "unknown", YES),
    may(
        "GRAVITY",
        "how it falls; the speed is computed from RANGE then",
        NUMBER,
    ),
    may("IMPACT_PROXIMITY", "how far its blast reaches", NUMBER),
    may(
        "IMPACT_TYPE",
        "the number of a mark that it leaves",
        Row(&[int("", 0)]),
    ),
    may("INSTANT", "unknown", YES),
    may("LOCK_ON", "it locks on: how long that takes", NUMBER),
    may("LOCK_ON_LEAD", "whether it aims ahead of its target", YES),
    may("MINE", "whether it is a mine", YES),
    may("MULTI_TARGET", "whether it has several targets", YES),
    may(
        "QUICKSAND",
        "the quicksand that it makes",
        Row(&[
            number("the least radius; 0 for none", 10.0),
            number("the greatest", 20.0),
        ]),
    ),
    may(
        "RANGE",
        "how far it reaches; 500 without it",
        Row(&[number("", 500.0)]),
    ),
    may(
        "RELATIVE_SPEED",
        "probably whether the speed of the vehicle counts",
        YES,
    ),
    may("REMOTE_DETONATE", "whether the player sets it off", YES),
    flag("TETHER_GUIDED", "the player steers it"),
    may(
        "TURN_RATE",
        "how fast it turns to the side; 0.16 without it",
        Row(&[number("", 0.16)]),
    ),
    may("TURN_SUSPEND_TIME", "how long it does not turn", NUMBER),
    may(
        "PITCH_RATE",
        "how fast it turns up and down; 0.16 without it",
        Row(&[number("", 0.16)]),
    ),
    may(
        "VELOCITY",
        "speed of a shot; 120 without it",
        Row(&[number("", 120.0)]),
    ),
    may("RELOAD", "unknown", YES),
    may(
        "KILL_VERB",
        "what it does, in messages of network games: a text, or the key of a message; 19 characters count",
        Row(&[text("", "MSG_SHOT")]),
    ),
    may("FIRE", "where it is fired", EVENT),
    may("FLYOUT", "the shot", EVENT),
    may(
        "FLYOUT_HEALTH",
        "the shot can be hit: its hit points",
        Row(&[int("", 10)]),
    ),
    may(
        "IMPACT",
        "where it hits, by the soil; default counts for the others, and is required",
        KeysAndNamed(
            &[flag(
                "ANIMATION_ALWAYS",
                "the animation is played with a crater, too",
            )],
            &[text("a soil", "default"), EVENT],
        ),
    ),
    may("FREEZE", "it makes what it hits cold", GLOW),
    may("HEAT", "it makes what it hits hot", GLOW),
    may(
        "DESIGNATE",
        "it marks what it hits",
        Row(&[
            number("the least range of its light", 10.0),
            number("the greatest", 30.0),
            number("red, 0 to 1", 1.0),
            number("green", 0.0),
            number("blue", 0.0),
            number("a distance", 100.0),
        ]),
    ),
    may(
        "KILL_ANIMATION",
        "played when it destroys something",
        Row(&[animation("", "boom")]),
    ),
    may(
        "DAMAGE_ANIMATION",
        "played when it damages something",
        Row(&[animation("", "sparks")]),
    ),
    may(
        "DAMAGE_ANIM_ON_HEALTH",
        "the same by what is left, for graphics cards: the first four count",
        Each(&[Row(&[
            number("from this fraction on", 0.5),
            animation("an animation", "sparks"),
        ])]),
    )
    .items(0, 4),
];

pub(super) const ALL: &[KnownReader] = &[
    KnownReader {
        name: "weapons",
        members: &["weapons"],
        games: GAMES,
        about: "the weapons, with their damage, range, sounds and effects",
        unknown: "the units",
        is_wrapped: false,
        content: Keys(&[
            key(
                "VERSION",
                "the game has no weapons with another one",
                Row(&[int("", 2).within(2.0, 2.0)]),
            ),
            may("LOCK_ON_WARNING", "", Row(&[sample("", "locked")])),
            may("NO_AMMO_WARNING", "", Row(&[sample("", "empty")])),
            may("TRIGGER_INACTIVE", "", Row(&[sample("", "click")])),
            may("WEAPON_INACTIVE", "", Row(&[sample("", "click")])),
            may("MAX_CRATER_RADIUS", "", Row(&[number("", 30.0)])),
            key(
                "BALLISTICS",
                "the weapons, each under its key; other readers name the keys",
                Each(&[text("a weapon's key", "laser"), Keys(WEAPON)]),
            ),
        ]),
    },
    KnownReader {
        name: "declient",
        members: &["declient"],
        games: GAMES,
        about: "craters and quicksand; without the file the game has its own values",
        unknown: "the unit of SLOPE",
        is_wrapped: false,
        content: Keys(&[CRATERS, QUICK_SAND]),
    },
];
