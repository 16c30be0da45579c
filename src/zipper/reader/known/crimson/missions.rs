//! Readers of missions and worlds of Crimson Skies. Sources: CSVM (spawns.md, instant-action.md,
//! missions.md, templates.md, cutscenes.md, ladderSwitch.md, briefing.md, cinemas.md) and
//! rust-crimson-skies (detection_zones.rs).

use super::{
    Any, Each, FADE, GAMES, Key, Keys, KnownReader, RANGE, Row, START_POINT, Shape, animation,
    flag, int, key, may, node, number, text,
};
use crate::reader::known::{COLOR, KeysAndNamed, recoil::FMV};

/// The kinds of missions, as the game's code names them. Only ace takes no waves of enemies.
const KINDS: &[(&str, &str)] = &[
    ("dogfight_ace", "an ace alone"),
    ("dogfight_squadron", "waves of enemies"),
    ("zeppelin_run", "a zeppelin"),
    (
        "ground_target",
        "a target on the ground; no world of the game allows it",
    ),
    ("stunt_flying", "danger zones"),
];

/// The game multiplies armour and hit points: novice 0.875, veteran 1, ace 1.25.
const SKILLS: &[(&str, &str)] = &[("novice", ""), ("veteran", ""), ("ace", "")];

const PLANE: Shape = Row(&[text(
    "an aircraft's shown name; Devastator for one that the game does not know",
    "Fury",
)]);

const POINTS: Shape = Each(&[START_POINT]);

/// `ia.zrd`: 8 files. Every key has a default in the code.
const INSTANT_ACTION: &[Key] = &[
    key(
        "mission_type",
        "its kind; ignored if it is another one",
        Row(&[text("", "dogfight_squadron").begins(0, true, KINDS)]),
    ),
    may(
        "disallow_missions",
        "kinds that this world does not offer",
        Each(&[text("a kind", "ground_target").begins(0, true, KINDS)]),
    ),
    may("player_plane", "", PLANE),
    may("wingman_plane", "", PLANE),
    may("num_wingmen", "", Row(&[int("", 3).within(0.0, 5.0)])),
    may(
        "group1",
        "the first wave of enemies; group1 to group4",
        Keys(&[
            may("num_enemies", "", Row(&[int("", 2).within(0.0, 6.0)])),
            may(
                "enemy_name",
                "the key of a message",
                Row(&[text("", "MSG_ENEMY_NAME")]),
            ),
            may("enemy_plane", "", PLANE),
            may(
                "enemy_accentID",
                "their voice in voice.zrd, or -1",
                Row(&[int("", -1)]),
            ),
            may(
                "enemy_skill",
                "not read: it is veteran",
                Row(&[text("", "veteran")]),
            ),
        ]),
    ),
    may(
        "zeppelin_type",
        "which of the next three is the target",
        Row(&[text("", "cargo").choices(&[("cargo", ""), ("passenger", ""), ("military", "")])]),
    ),
    may("cargo_zeppelin", "", Row(&[node("", "multiplayer1zep")])),
    may(
        "passenger_zeppelin",
        "",
        Row(&[node("", "multiplayer1zep")]),
    ),
    may("military_zeppelin", "", Row(&[node("", "multiplayer1zep")])),
    may("ground_target_name", "", Row(&[text("", "Cargo Train")])),
    may("ground_target_node", "", Row(&[node("", "trcargo01")])),
    may(
        "ace_name",
        "the key of a message",
        Row(&[text("", "MSG_ACE_NAME")]),
    ),
    may("ace_plane", "", PLANE),
    may(
        "ace_skill",
        "",
        Row(&[text("", "ace").begins(0, true, SKILLS)]),
    ),
    may(
        "ace_stats",
        "nine ratings, 1 to 9, probably in the order of aiv.zrd: from dare_devil to constitution",
        Each(&[number("a rating", 9.0)]),
    ),
    may(
        "ace_accentID",
        "its voice in voice.zrd, or -1",
        Row(&[int("", -1)]),
    ),
    may("ace_pattern", "its livery", Row(&[text("", "blake")])),
    may("ace_color1", "its colours; ace_color1 to ace_color3", COLOR),
    may(
        "ace_decal1",
        "the numbers of its decals; ace_decal1 to ace_decal3",
        Row(&[int("", 0)]),
    ),
    key(
        "spawn_points",
        "where aircraft begin, by the kind of mission; the game chooses one at random",
        Keys(&[
            may("dogfight_ace", "", POINTS),
            may("dogfight_squadron", "", POINTS),
            may("zeppelin_run", "", POINTS),
            may("ground_target", "", POINTS),
            may("stunt_flying", "", POINTS),
        ]),
    ),
    may(
        "dzones",
        "the danger zones of stunt_flying, in this order",
        Each(&[Row(&[
            node("the node of the way through, which is not shown", "dzpath1"),
            node("the node at the place", "dz1"),
        ])]),
    ),
];

const BY_BOUND: &str = "two lists: the least of each value, and the greatest";

const DAMAGE: Shape = Keys(&[
    may("health", "hit points", Row(&[number("", 10.0)])),
    may("anim", "", Row(&[animation("", "burn")])),
    may("model", "shown instead", Row(&[node("", "stump.flt")])),
]);

const ROTATION: Shape = Row(&[
    number("x", 0.0).unit("°"),
    number("y", 0.0).unit("°"),
    number("z", 0.0).unit("°"),
]);

/// `templates.zrd`: 143 in 8 files, with the first four keys. The others are in the code.
const TEMPLATE: &[Key] = &[
    key(
        "node",
        "the model that it is about, with .flt; of two with one name the first counts",
        Row(&[node("", "firtree1.flt")]),
    ),
    may(
        "substitute",
        "the models to choose from: one of them is placed",
        Each(&[Row(&[
            number("how often, compared with the others", 9.0),
            node(
                "a model; nothing is placed for an unknown one",
                "firtree1.flt",
            ),
        ])]),
    ),
    may("scale_range", "a factor of its size", RANGE),
    may("far_fade_range", BY_BOUND, Row(&[FADE, FADE])),
    may(
        "translate_uv_range",
        BY_BOUND,
        Row(&[
            Row(&[number("u", 0.0), number("v", 0.0)]),
            Row(&[number("u", 0.1), number("v", 0.1)]),
        ]),
    ),
    may("rotation_range", BY_BOUND, Row(&[ROTATION, ROTATION])),
    may(
        "min_slope",
        "steeper ground only",
        Row(&[number("", 0.0).unit("°")]),
    ),
    may(
        "max_slope",
        "flatter ground only",
        Row(&[number("", 45.0).unit("°")]),
    ),
    flag(
        "align_normal",
        "its vertical axis follows the slope of the ground; it is not turned",
    ),
    may("OnWeaponHit", "when it is hit", DAMAGE),
    may(
        "OnCrater",
        "when there is a crater; read and not used",
        DAMAGE,
    ),
    may("OnCollide", "when an aircraft hits it", DAMAGE),
];

/// A screen of `briefing.zrd`.
const STATE: Shape = Keys(&[
    may(
        "IMAGE_PATH",
        "the folder of its pictures",
        Row(&[text("", "..\\data\\c1\\images")]),
    ),
    may(
        "BACKGROUND_IMAGES",
        "the map",
        Each(&[Row(&[text("a picture", "map"), int("x", 0), int("y", 0)])]),
    ),
    may("CURSOR", "", Any("the pictures of the pointer")),
    may(
        "SCRIPT",
        "what is shown, one after another",
        Any(
            "PlaySound, WaitForMarker (a cue point of the sample, by time), Wait, Pict, Line, Fade, Spin, Move, On, \
             Off, ToBack, Objective (the number of a line, from 0), each with its values",
        ),
    ),
]);

pub(super) const ALL: &[KnownReader] = &[
    KnownReader {
        name: "ia",
        members: &["ia"],
        games: GAMES,
        about: "a mission of instant action, as far as the player does not choose something else",
        unknown: "",
        is_wrapped: true,
        content: Keys(INSTANT_ACTION),
    },
    KnownReader {
        name: "dzones",
        members: &["dzones"],
        games: GAMES,
        about: "the danger zones of a mission; the names are those of their ways: dzpath1 and so on",
        unknown: "what the three keys do; 18 to 31 are the numbers in the game's files",
        // 23 files have only these keys, in the outermost list.
        is_wrapped: false,
        content: Keys(&[
            may("disable", "zones", Each(&[node("a zone", "dzpath1")])),
            may("nosnapshot", "zones", Each(&[node("a zone", "dzpath1")])),
            may(
                "objective_numbers",
                "zones and numbers",
                Each(&[Row(&[
                    node("a zone", "dzpath1"),
                    int("a number, different in each", 18),
                ])]),
            ),
        ]),
    },
    KnownReader {
        name: "pickups",
        members: &["pickups"],
        games: GAMES,
        about: "where the rope ladder comes down: near these nodes, while they are active",
        unknown: "",
        // The only row of C1\M02 has 52 bytes: there is no list around the rows.
        is_wrapped: false,
        content: Each(&[Row(&[
            node("a node", "ladder_pickup_sensor"),
            number("how near", 100.0).unit("m"),
        ])]),
    },
    KnownReader {
        name: "landings",
        members: &["landings"],
        games: GAMES,
        about: "animations that start when the player flies into the cone, half_cone or sphere below a node, while its \
                node land_on is active",
        unknown: "",
        is_wrapped: true,
        // 34 in 8 files.
        content: Each(&[Keys(&[
            key(
                "anim",
                "dropped if the mission does not have it",
                Row(&[animation("", "hooked_up")]),
            ),
            key("node", "", Row(&[node("", "manual_land")])),
            may(
                "angle",
                "how much the aircraft may be turned against the node, roll included; any angle without it",
                Row(&[number("", 35.0).unit("°")]),
            ),
            may(
                "speed",
                "any speed without it",
                Row(&[
                    number("from", 50.0).unit("mph"),
                    number("to", 220.0).unit("mph"),
                ]),
            ),
            flag("auto", "only offered to the player"),
        ])]),
    },
    KnownReader {
        name: "templates",
        members: &["templates"],
        games: GAMES,
        about: "the trees, bushes and houses that the game scatters over a world: which model, how large, and how far \
                it is seen",
        unknown: "",
        is_wrapped: true,
        content: Each(&[Keys(TEMPLATE)]),
    },
    KnownReader {
        name: "location",
        members: &["location"],
        games: GAMES,
        about: "named places of a world, with positions and rotations: bookmarks of the developers, in some missions \
                those of another world",
        unknown: "how the lists of a place are nested, and whether the game uses them: look at location.zrd of the game",
        is_wrapped: true,
        content: Each(&[Any("a name, a position, a rotation")]),
    },
    KnownReader {
        name: "map",
        members: &["map"],
        games: GAMES,
        about: "the map in the cockpit",
        unknown: "its values: change the game's map.zrd",
        is_wrapped: true,
        content: Keys(&[key(
            "MAP",
            "",
            Any(
                "how the world is shown, the animations that open and close it, and the player's sign",
            ),
        )]),
    },
    KnownReader {
        name: "briefing",
        members: &["briefing"],
        games: GAMES,
        about: "the briefings: the screen, and a state for each mission of the campaign",
        unknown: "how the lists of a script are nested: change the game's briefing.zrd",
        is_wrapped: true,
        content: KeysAndNamed(
            &[
                may(
                    "SHARED_IMAGE_PATH",
                    "the folder of pictures",
                    Row(&[text("", "..\\data\\images")]),
                ),
                key(
                    "BRIEFINGDIALOG",
                    "the list of objectives and the buttons",
                    Any(""),
                ),
            ],
            &[
                text(
                    "a state: brief_c, then campaign and mission of cm_sequence.zrd",
                    "brief_c61",
                ),
                STATE,
            ],
        ),
    },
    KnownReader {
        name: "fmv",
        members: &["fmv"],
        games: GAMES,
        about: "films and pictures at the start: INTRO, then CHAP0. The game plays no others from here",
        unknown: "the values of TEXTLIST, and the second number of FADEOUT",
        is_wrapped: true,
        content: FMV,
    },
];
