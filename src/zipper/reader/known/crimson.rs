//! Readers of Crimson Skies. Sources: two projects whose authors own the game, CSVM
//! (<https://github.com/Laeresh/CSVM>, CC BY 4.0) and rust-crimson-skies: counts over the shipped
//! files, and code of the game. What they found in files only is described; ranges and choices are
//! declared where code of the game has them. The game takes an integer where it reads a float.

mod aircraft;
mod arms;
mod missions;

use super::{
    Any, Each, Key, Keys, KnownReader, POSITION, Pairs, Row, RowAndEach, RowAndKeys, Shape, flag,
    int, key, may, number, recoil::START, text,
};
use refit_base::{game::Game, naming::NameKind};

const GAMES: &[Game] = &[Game::Cs];

const fn node(about: &'static str, example: &'static str) -> Shape {
    text(about, example).names(NameKind::Node)
}

const fn animation(about: &'static str, example: &'static str) -> Shape {
    text(about, example).names(NameKind::Animation)
}

const fn message(about: &'static str, example: &'static str) -> Shape {
    text(about, example).names(NameKind::Message)
}

const fn sample(about: &'static str, example: &'static str) -> Shape {
    text(about, example).names(NameKind::Sound)
}

const YES: Shape = Row(&[int("not 0 for yes", 1)]);
const GROUP: Shape = Row(&[text("a group of sounds.zrd", "music_battle_sg")]);
const SECONDS: Shape = Row(&[number("", 1.0).unit("s")]);
const OBJECTIVES: Shape = Each(&[int("the number of an objective", 2)]);
const NAMES: Shape = Each(&[text("a vehicle or a zeppelin", "fury_1")]);
const NODE_PATH: Shape = Each(&[node(
    "a node, and the nodes below it that lead there",
    "piratezep",
)]);

/// A point and a direction.
const START_POINT: Shape = Row(&[
    number("x", 0.0).unit("m"),
    number("its height y", 300.0).unit("m"),
    number("z", 0.0).unit("m"),
    number("the direction", 0.0).unit("°"),
]);

/// Red, green, blue: integers of 0 to 255, or floats of 0 to 1.
const COLOR: Shape = Row(&[
    number("red; integers of 0 to 255, or floats of 0.0 to 1.0", 0.5),
    number("green", 0.5),
    number("blue", 0.5),
]);

/// A record of `zeppelins.zrd`: 58 in 50 files. Angles become radians, except the two limits of the
/// pitch, which the game compares as they are.
const ZEPPELIN: &[Key] = &[
    key(
        "node",
        "the node that it moves",
        Row(&[node("", "piratezep")]),
    ),
    may(
        "deactivated",
        "whether it waits until an objective wakes it",
        Row(&[int("", 0).within(0.0, 1.0)]),
    ),
    may(
        "team",
        "whose it is: ally, enemy or neutral, or the number of a team",
        Any("ally, enemy, neutral, or a number, in a list"),
    ),
    key("position", "where it starts", POSITION),
    key("yaw", "its direction", Row(&[number("", 0.0).unit("°")])),
    key("pitch", "its pitch", Row(&[number("", 0.0).unit("°")])),
    key("max_speed", "", Row(&[number("", 10.0).unit("m/s")])),
    key("max_accel", "", Row(&[number("", 1.0).unit("m/s²")])),
    key("accel_pitch", "", Row(&[number("", 0.5).unit("°/s²")])),
    key("accel_yaw", "", Row(&[number("", 0.5).unit("°/s²")])),
    key("max_rate_yaw", "", Row(&[number("", 3.0).unit("°/s")])),
    key("max_rate_pitch", "", Row(&[number("", 3.0).unit("°/s")])),
    key("min_pitch", "", Row(&[number("", -30.0).unit("°")])),
    key("max_pitch", "", Row(&[number("", 30.0).unit("°")])),
    key(
        "net",
        "the route that it flies, by its name in neindex.zrd",
        Row(&[text("", "Klondike1")]),
    ),
    key(
        "healthy",
        "the parts that keep it in the air",
        Each(&[Row(&[
            node("a node of the zeppelin", "gasbag1"),
            node("the node below it that becomes inactive", "panels"),
        ])]),
    ),
    key(
        "num_healthy_required",
        "with fewer of these active it is lost",
        Row(&[int("", 1)]),
    ),
    key(
        "engines",
        "",
        Each(&[node("a node of the zeppelin", "leng11")]),
    ),
    may("cannon_fire_delay", "", SECONDS),
    may(
        "cannon_fire_range",
        "",
        Row(&[number("", 1000.0).unit("m")]),
    ),
    may("cannon_inaccuracy", "", Row(&[number("", 0.0).unit("°")])),
    may("left_cannons", "", CANNONS),
    may("right_cannons", "", CANNONS),
    may(
        "targets",
        "what its cannons fire at: player, or the node of a zeppelin",
        Each(&[text("", "player")]),
    ),
    may(
        "gasbags",
        "",
        Each(&[Row(&[
            node("a node of the zeppelin", "gasbag1"),
            number("hit points", 80.0),
            Row(&[animation("played when it is lost", "zep_gasbagtorpedo1")]),
        ])]),
    ),
    may(
        "cannon_health",
        "",
        Each(&[Row(&[
            node("the node of a cannon", "lbroad11"),
            node("a node of it", "gunback"),
            node("another", "frame"),
            node("the gasbag that carries it", "gasbag1"),
            number("hit points", 200.0),
            Row(&[animation("played when it is lost", "destroy_zep_lbroad11")]),
            Each(&[Row(&[
                number("a fraction of the hit points", 0.6),
                animation("played below it", "60_lbroad11"),
            ])]),
        ])]),
    ),
];

const CANNONS: Shape = Each(&[Row(&[
    node("the node of a cannon", "lbroad11"),
    animation("that runs it out", "deploy_zep_lbroad11"),
    animation("that runs it in", "retract_zep_lbroad11"),
])]);

/// A generator of `egen.zrd`: 23 in 53 files.
const GENERATOR: &[Key] = &[
    key(
        "node",
        "where the aircraft come from; without it the game drops the generator",
        Row(&[node("", "eairg31")]),
    ),
    key(
        "vehicle",
        "the aircraft",
        Keys(&[
            may(
                "params",
                "a label at the beginning of aiv.zrd; without one nothing is built",
                Row(&[text("", "Eairg31_params")]),
            ),
            key(
                "nets",
                "the routes that they fly, by their names in neindex.zrd; with none that exists the game drops the generator",
                Each(&[text("", "M4ReinfAce")]),
            ),
            may(
                "choose_nets",
                "how a route is chosen",
                Row(&[text("", "cyclic").begins(
                    1,
                    true,
                    &[("cyclic", "one after another"), ("random", "")],
                )]),
            ),
            may(
                "group",
                "the vehicles of aiv.zrd that it starts",
                Row(&[int("", 1)]),
            ),
            may("primary_target", "", Row(&[text("", "player")])),
            may("title", "", Row(&[message("", "MSG_VEH_PATROLBOAT")])),
        ]),
    ),
    key(
        "capacity",
        "not read: objectives give a generator its aircraft",
        Row(&[int("", 0)]),
    ),
    key("max_active", "most aircraft at a time", Row(&[int("", 4)])),
    key("wave_size", "aircraft of a wave", Row(&[int("", 1)])),
    key(
        "wave_period",
        "the pause after a wave, besides ind_period",
        SECONDS,
    ),
    key("ind_period", "the pause after an aircraft", SECONDS),
    may("zeppelin", "whether they drop from a zeppelin", YES),
    may(
        "open_anim",
        "opens the doors; without it the node's name gives one",
        Row(&[animation("", "open_hangar")]),
    ),
    may(
        "close_anim",
        "closes them",
        Row(&[animation("", "close_hangar")]),
    ),
    may(
        "origin",
        "where they appear",
        Row(&[node("a node of the host", "cargobay")]),
    ),
    may(
        "rotation",
        "how they are turned",
        Row(&[
            number("pitch", -90.0).unit("°"),
            number("yaw", 0.0).unit("°"),
            number("roll", 0.0).unit("°"),
        ]),
    ),
    may(
        "min_altitude",
        "below it the generator waits",
        Row(&[number("", 100.0).unit("m")]),
    ),
    may(
        "healthy",
        "the generator stops with this node",
        Row(&[node("", "subhealthy")]),
    ),
    flag("moving_path", "the path of a start moves with the host"),
];

/// The keys of an objective that 1,338 of 53 files use; the others are in the game's code only.
const OBJECTIVE: Shape = Keys(&[
    may(
        "BEGIN_DORMANT",
        "it sleeps at first",
        Row(&[number(
            "until this time of the mission, or -1 until another objective wakes it",
            -1.0,
        )
        .unit("s")]),
    ),
    may(
        "IDENTITY",
        "the list of objectives shows it",
        Row(&[
            text("", "PRIMARY").begins(
                0,
                true,
                &[("PRIMARY", ""), ("SECONDARY", ""), ("TERTIARY", "")],
            ),
            int(
                "its place in the list, and its bit in the result; different in each objective",
                1,
            ),
            message("its text", "MSG_BRF_OBJ1"),
        ]),
    ),
    may(
        "TICK_DEPENDS_ON_OBJ",
        "it counts only while this objective is awake",
        Row(&[int("", 2)]),
    ),
    may(
        "INACTIVE1",
        "done when this node is inactive; INACTIVE1 to INACTIVE100",
        NODE_PATH,
    ),
    may(
        "INACTIVE_COMPLETION_COUNT",
        "how many of these nodes are enough; all without it",
        Row(&[int("", 1)]),
    ),
    may(
        "ANIM_STATE",
        "done when animations have a state",
        Keys(&[
            key(
                "ANIM",
                "",
                Keys(&[
                    key("NAME", "", Row(&[animation("", "kill_zep")])),
                    key(
                        "STATE",
                        "",
                        Row(&[text("", "EXECUTED").choices(&[
                            ("RUNNING", ""),
                            ("EXECUTED", ""),
                            ("INVALID", ""),
                        ])]),
                    ),
                ]),
            ),
            may(
                "COMPLETION_COUNT",
                "how many are enough; all without it",
                Row(&[int("", 1)]),
            ),
        ]),
    ),
    may(
        "DANGER_ZONES_COMPLETED",
        "done when the player was in these zones",
        Each(&[text("a zone", "dz1")]),
    ),
    may(
        "DANGER_ZONES_COMPLETION_COUNT",
        "how many are enough; all without it",
        Row(&[int("", 1)]),
    ),
    may(
        "DEDG",
        "done when so few of a group of aiv.zrd are left",
        Row(&[int("the group", 1), int("how many", 0)]),
    ),
    may(
        "TRAVELERS",
        "done when a vehicle or group is near a place",
        Any("who, APPROACHING, where, the radius in m, how many"),
    ),
    may("WAKEUP_ENEMIES", "when it wakes: wakes these", NAMES).items(0, 10),
    may(
        "WAKEUP_TURRETS",
        "when it wakes: arms these; * is any digit",
        Each(&[text("a turret", "aagun**")]),
    )
    .items(0, 10),
    may(
        "WAKEUP_ZEP_TURRETS",
        "when it wakes: arms the turrets below these",
        Each(&[node("", "piratezep")]),
    )
    .items(0, 10),
    may(
        "WAKEUP_GENERATOR",
        "when it wakes: gives a generator aircraft",
        Row(&[node("its node", "eairg31"), int("how many", 1)]),
    ),
    may(
        "WAKE_ANIM",
        "when it wakes: starts an animation",
        Row(&[
            animation("", "hangar3_doors"),
            node("at this node", "hangar3"),
        ]),
    ),
    may("WAKEUP_SOUND_GROUP", "when it wakes: plays this", GROUP),
    may(
        "COMPLETED_SOUND_GROUP",
        "when it is done: plays this",
        GROUP,
    ),
    may(
        "SET_AI_TEAM",
        "when it is done: changes teams",
        Each(&[Row(&[
            text("a vehicle or zeppelin", "fury_1"),
            int("its team", 1),
        ])]),
    )
    .items(0, 10),
    may(
        "SET_AI_NET",
        "when it is done: changes routes",
        Each(&[Row(&[
            text("a vehicle or zeppelin", "fury_1"),
            text("a name of neindex.zrd", "M4ReinfAce"),
        ])]),
    )
    .items(0, 10),
    may(
        "COMPLETED_ZEPCANNONS",
        "when it is done: lets cannons fire",
        Each(&[Row(&[
            node("a zeppelin", "piratezep"),
            int("not 0 for yes", 1),
        ])]),
    )
    .items(0, 10),
    may(
        "COMPLETED_STOPPOINT",
        "when it is done: changes stops",
        Each(&[Row(&[
            text("a name of neindex.zrd", "Klondike1"),
            int("the stop, from 1", 1),
            int("1 stops, 0 lets go on", 0),
        ])]),
    )
    .items(0, 10),
    may("START_TAXI", "when it is done: lets these go", NAMES).items(0, 10),
    may(
        "STOP_QUEUED_SOUNDS",
        "when it is done: these are not played",
        Each(&[sample("", "snd_hint")]),
    )
    .items(0, 10),
    may(
        "ADD_OBJECTIVE_TARGET",
        "when it is done: marks these",
        Any("names, or lists of nodes that lead there"),
    ),
    may(
        "REMOVE_OBJECTIVE_TARGET",
        "when it is done: unmarks these",
        Any("names, or lists of nodes that lead there"),
    ),
    may(
        "ADD_OTHER_TARGET",
        "when it is done: shows these",
        Any("names, or lists of nodes that lead there"),
    ),
    may(
        "REMOVE_OTHER_TARGET",
        "when it is done: hides these",
        Any("names, or lists of nodes that lead there"),
    ),
    may(
        "SET_HELP_LABEL",
        "when it is done: changes a label",
        Any("a name or a list of nodes, and a message"),
    ),
    may(
        "WARP_VEHICLE",
        "when it is done: moves a vehicle to one of these",
        RowAndEach(&[text("a vehicle", "bhatgyro_1")], &[START_POINT]),
    ),
    may(
        "WAKE_OBJECTIVE_WHEN_I_COMPLETE",
        "when it is done: wakes these",
        OBJECTIVES,
    )
    .items(0, 30),
    may(
        "KILL_OBJECTIVE_WHEN_I_COMPLETE",
        "when it is done: ends these",
        OBJECTIVES,
    )
    .items(0, 15),
    may(
        "NAP_OBJECTIVE_WHEN_I_COMPLETE",
        "when it is done: lets one sleep, and begin again",
        Row(&[
            int("the number of an objective", 2),
            number("how long", 10.0).unit("s"),
        ]),
    ),
    flag("INSTANTWIN", "when it is done: the mission is won"),
    flag("INSTANTLOSS", "when it is done: the mission is lost"),
]);

/// A zone of `weather.zrd`.
const ZONE: Shape = Keys(&[
    key("FOG_COLOR", "", COLOR),
    key(
        "FOG_RANGES",
        "where the fog begins, and where nothing else is seen",
        Row(&[
            number("from", 1500.0).unit("m"),
            number("to", 4000.0).unit("m"),
        ]),
    ),
    key(
        "FOG_ALTITUDE",
        "full below the first, none above the second",
        Row(&[
            number("from", 4000.0).unit("m"),
            number("to", 5000.0).unit("m"),
        ]),
    ),
    key(
        "CLIP_RANGES",
        "what is drawn",
        Row(&[
            number("from", 5.0).unit("m"),
            number("to", 8000.0).unit("m"),
        ]),
    ),
    may("SUNLIGHT_ACTIVE", "", YES),
    may(
        "SUNLIGHT_ORIENTATION",
        "",
        Row(&[
            number("pitch", -45.0).unit("°"),
            number("yaw", 0.0).unit("°"),
            number("roll", 0.0).unit("°"),
        ]),
    ),
    may(
        "SUNLIGHT_DIFFUSE",
        "how strong the sun is",
        Row(&[number("", 1.2)]),
    ),
    may(
        "SUNLIGHT_AMBIENT",
        "how bright shadows are",
        Row(&[number("", 0.25)]),
    ),
    may("SUNLIGHT_COLOR_DIFFUSE", "", COLOR),
    may("SUNLIGHT_COLOR_AMBIENT", "", COLOR),
    may("SUNLIGHT_STATIC", "", YES),
    may("SUNLIGHT_BICOLORED", "", YES),
]);

const RANGE: Shape = Row(&[number("from", 0.85), number("to", 1.15)]);

/// All of Crimson Skies'.
pub(super) fn all() -> impl Iterator<Item = &'static KnownReader> {
    MAIN.iter()
        .chain(missions::ALL)
        .chain(aircraft::ALL)
        .chain(arms::ALL)
}

const MAIN: &[KnownReader] = &[
    KnownReader {
        name: "aiv",
        members: &["aiv"],
        games: GAMES,
        about: "the vehicles of a mission, the player's first",
        unknown: "what is in the list at the beginning besides the labels of the vehicles",
        is_wrapped: true,
        // 414 blocks of 53 files, with 42 to 81 fields; 81 are declared. The names of the fields are in the game's
        // code.
        content: RowAndEach(
            &[Any(
                "the number of a place and a label of each vehicle, in their order",
            )],
            &[Row(&[
                text(
                    "a vehicle: its kind in vehicle.zrd is the name without _ and a number at the end",
                    "player",
                ),
                VEHICLE,
            ])],
        ),
    },
    KnownReader {
        name: "spawns",
        members: &["net"],
        games: GAMES,
        about: "where players begin in a network game: 16 places for a game without teams, and 16 for each team",
        unknown: "",
        is_wrapped: true,
        content: Each(&[START_POINT]),
    },
    KnownReader {
        name: "route",
        members: &["ne0?????"],
        games: GAMES,
        about: "a route of aircraft or zeppelins; its number in neindex.zrd is the number in its name",
        unknown: "the values before the list of points",
        is_wrapped: true,
        // 222 files: 2,268 points, 2,149 connections.
        content: Row(&[
            Any("unknown; an empty list in all files"),
            number("unknown; 10.0 in all files", 10.0),
            number("unknown", 0.0),
            number("unknown", 0.0),
            number("unknown", 0.0),
            number("unknown", 0.0),
            number("unknown", 0.0),
            number("unknown", 0.0),
            number("unknown", 0.0),
            number("unknown", 0.0),
            number("unknown", 0.0),
            Each(&[POSITION]),
            Each(&[Row(&[
                int("the number of a point", 0),
                int("the number of one that it leads to", 0),
            ])]),
            Row(&[
                int("the point at which it follows something, or -1", -1),
                text("what it follows: player, or a node", "player"),
            ]),
        ]),
    },
    KnownReader {
        name: "routes",
        members: &["neindex"],
        games: GAMES,
        about: "the names of the routes of a world",
        unknown: "",
        is_wrapped: true,
        // 222 names.
        content: RowAndEach(
            &[int("at least the number of routes", 1)],
            &[
                int("the number of a route", 1),
                text("its name", "Klondike1"),
            ],
        ),
    },
    KnownReader {
        name: "zeppelins",
        members: &["zeppelins"],
        games: GAMES,
        about: "the zeppelins of a mission that fly",
        unknown: "",
        is_wrapped: true,
        content: Each(&[Keys(ZEPPELIN)]),
    },
    KnownReader {
        name: "egen",
        members: &["egen"],
        games: GAMES,
        about: "where enemies start during a mission",
        unknown: "",
        is_wrapped: true,
        content: Each(&[Keys(GENERATOR)]),
    },
    KnownReader {
        name: "objectives",
        members: &["objectives"],
        games: GAMES,
        about: "what happens in a mission: OBJECTIVE1, OBJECTIVE2 and so on, without a gap",
        unknown: "the last two values of PLAYER_INIT",
        is_wrapped: true,
        content: Keys(&[
            may(
                "MISSION_TIMER",
                "the time that an objective can start",
                Row(&[number("", 0.0).unit("s")]),
            ),
            key(
                "PLAYER_INIT",
                "where the player begins",
                Row(&[
                    int("1 in all files", 1),
                    POSITION,
                    Row(&[
                        number("pitch", 0.0).unit("°"),
                        number("yaw", 0.0).unit("°"),
                        number("roll", 0.0).unit("°"),
                    ]),
                    number("unknown", 0.8),
                    number("unknown", 150.0),
                ]),
            ),
            key(
                "OBJECTIVE1",
                "the first one, and so on, without a gap",
                OBJECTIVE,
            ),
        ]),
    },
    KnownReader {
        name: "weather",
        members: &["weather"],
        games: GAMES,
        about: "fog, light, clouds, wind, rain and snow of a mission. ZONE1 counts below the clouds, ZONE2 above them, \
                ZONE3 within fog",
        unknown: "the units of the wind",
        is_wrapped: true,
        content: Keys(&[
            may("VIEWING_RANGE", "factors of the ranges, by detail", Any("")),
            may(
                "WIND",
                "",
                Keys(&[
                    may(
                        "STATIC_VELOCITY",
                        "",
                        Row(&[
                            number("x", 0.0).unit("m/s"),
                            number("y", 0.0).unit("m/s"),
                            number("z", 0.0).unit("m/s"),
                        ]),
                    ),
                    may("RANDOM_MAX_SPEED", "", number("", 0.0)),
                    may("RANDOM_ACCEL", "", number("", 0.0)),
                ]),
            ),
            may(
                "CLOUD_COVER",
                "the clouds in which nothing is seen",
                Keys(&[
                    key("TOP", "", number("", 1124.0).unit("m")),
                    key("BOTTOM", "", number("", 970.0).unit("m")),
                    key(
                        "THICKNESS",
                        "of the part in the middle where nothing is seen",
                        number("", 30.0).unit("m"),
                    ),
                    may("TOP_COLOR", "", COLOR),
                    may("BOTTOM_COLOR", "", COLOR),
                ]),
            ),
            key(
                "ZONE1",
                "the first zone; ZONE1 to ZONE3, and SW_ZONE1 to SW_ZONE3 for the software renderer",
                ZONE,
            ),
            may(
                "TYPE",
                "rain or snow; without it the rest does not count",
                text("", "RAIN").choices(&[("SNOW", ""), ("RAIN", "")]),
            ),
            may("PARTICLES", "how much", int("", 100)),
            may("COLOR", "", COLOR),
            may("WIND_DIR", "", number("", 0.0).unit("°")),
            may("WIND_VEL", "", number("", 0.8)),
            may("GRAVITY", "how fast it falls", number("", 3.0)),
            may(
                "ALPHA_GRADIENT",
                "how opaque it is",
                Row(&[number("at most", 0.5), number("another number", 0.0)]),
            ),
        ]),
    },
    KnownReader {
        name: "fogvol",
        members: &["fogvol"],
        games: GAMES,
        about: "the clouds in the volumes of a world whose nodes are named fvol1 and so on",
        unknown: "",
        is_wrapped: true,
        content: Keys(&[
            may(
                "fog_zone",
                "whether ZONE3 of weather.zrd counts in the volumes",
                Row(&[int("not 0 for yes", 0)]),
            ),
            may(
                "distance",
                "between two clouds",
                Row(&[number("", 206.25).unit("m")]),
            ),
            may(
                "fog_fade_dist",
                "how far before a volume fog begins",
                Row(&[number("", 400.0).unit("m")]),
            ),
            may(
                "interior_fog_fade_dist",
                "how far within it ends",
                Row(&[number("", 20.0).unit("m")]),
            ),
            may("fog_color", "", COLOR),
            key(
                "clutter",
                "the clouds",
                Each(&[Keys(&[
                    may(
                        "weight",
                        "how often this one is taken",
                        Row(&[number("", 1.0)]),
                    ),
                    key(
                        "nodes",
                        "its templates",
                        Each(&[Row(&[
                            number("how often it is taken", 1.0),
                            node("", "cloudsprite1"),
                        ])]),
                    ),
                    may(
                        "far_fade_range",
                        "where it fades: two ranges, between which each cloud has its own",
                        Row(&[FADE, FADE]),
                    ),
                    may(
                        "perp_dist_range",
                        "how far above the volume's faces",
                        Row(&[
                            number("from", 151.25).unit("m"),
                            number("to", 151.25).unit("m"),
                        ]),
                    ),
                    may(
                        "perturb_dist_range",
                        "how far from its place",
                        Row(&[number("from", 82.5).unit("m"), number("to", 82.5).unit("m")]),
                    ),
                    may("scale_range", "a factor of its size", RANGE),
                ])]),
            ),
        ]),
    },
    KnownReader {
        name: "targets",
        members: &["targets"],
        games: GAMES,
        about: "names and labels of what the player can choose as a target",
        unknown: "",
        is_wrapped: true,
        content: Each(&[Pairs(&[
            key(
                "description",
                "its name",
                message("", "MSG_OBJ_TRAINTUNNEL"),
            ),
            key("nodes", "what it is", Each(&[node("", "dz1")])),
            may("category_label", "its kind", message("", "MSG_OBJ_DZ")),
            may(
                "help_label",
                "what to do",
                message("", "MSG_OBJ_FLYTHROUGH"),
            ),
        ])]),
    },
    KnownReader {
        name: "startanims",
        members: &["startanims"],
        games: GAMES,
        about: "the animations that run from the start",
        unknown: "whether each name is in a list of its own, as in Recoil: look at startanims.zrd of the game",
        is_wrapped: true,
        // All 53 missions, 195 names.
        content: START,
    },
    KnownReader {
        name: "vehicle",
        members: &["vehicle"],
        games: GAMES,
        about: "the kinds of vehicles, each under its name; a kind has what kind_of names, and its own keys",
        unknown: "many keys: look at vehicle.zrd of the game",
        is_wrapped: true,
        content: Each(&[text("a kind of vehicle", "fury"), Keys(KIND)]),
    },
    KnownReader {
        name: "engines",
        members: &["engines"],
        games: GAMES,
        about: "the engines of aircraft",
        unknown: "",
        is_wrapped: true,
        content: Each(&[Row(&[
            int("its number, in vehicle.zrd and aiv.zrd", 11),
            text("its name", "Lvl-2"),
            number("a factor of the thrust", 0.62),
        ])]),
    },
    KnownReader {
        name: "sounds",
        members: &["sounds"],
        games: GAMES,
        about: "the samples: sets for missions and menus",
        unknown: "other keys at the beginning: change the game's sounds.zrd",
        is_wrapped: true,
        // 2,766 samples.
        content: Keys(&[
            may("DEFAULT_QUEUE_PRIORITY", "", Any("")),
            key(
                "SETS",
                "the sets, each under its name",
                Each(&[text("a set", "COMMON"), Each(&[SAMPLE])]),
            ),
            may(
                "SOUND_GROUPS",
                "groups; the game plays one sample of a group",
                Each(&[Row(&[
                    text("a group", "hums"),
                    Any("how it is chosen, and the samples"),
                ])]),
            ),
        ]),
    },
    KnownReader {
        name: "cm_sequence",
        members: &["cm_sequence"],
        games: GAMES,
        about: "the missions of the campaign in their order",
        unknown: "how the lists of an entry are nested: change the game's cm_sequence.zrd",
        is_wrapped: true,
        // 24 entries.
        content: Each(&[Keys(&[
            key(
                "seq",
                "its place in the campaign, from 0; its place in this list without the key",
                Row(&[int("", 0)]),
            ),
            key(
                "desc",
                "a note for authors",
                Row(&[text("", "Hawaii mission 1").at_most(31)]),
            ),
            key(
                "campaign",
                "the world: c1, c1b, c1c, c2, c2b, c3, c4, c5",
                Row(&[int("", 1).within(1.0, 8.0)]),
            ),
            key(
                "mission",
                "the folder m01 to m05",
                Row(&[int("", 1).within(1.0, 5.0)]),
            ),
            key(
                "area",
                "the chapter",
                Row(&[text("", "HAWAII").choices(&[
                    ("HAWAII", ""),
                    ("NORTHWEST", ""),
                    ("HOLLYWOOD", ""),
                    ("COLORADO", ""),
                    ("MANHATTAN", ""),
                ])]),
            ),
            key(
                "wingman",
                "whether the player has one",
                Any("true or false"),
            ),
        ])]),
    },
];

const FADE: Shape = Row(&[
    number("where it begins", 2500.0).unit("m"),
    number("where it is gone", 3500.0).unit("m"),
]);

/// A sample.
const SAMPLE: Shape = RowAndKeys(
    &[
        sample("a sample: what animations and groups call it", "hum"),
        text("its file in the banks", "hum.wav"),
    ],
    &[
        may("VOLUME", "", Row(&[number("", 1.0)])),
        may(
            "RANGE",
            "how far it is heard",
            Row(&[
                number("full within", 50.0).unit("m"),
                number("not heard beyond", 400.0).unit("m"),
            ]),
        ),
        may("QUEUE", "speech: how long it may wait", SECONDS),
        may("QPRIORITY", "speech: its priority", Row(&[int("", 3)])),
        flag("3D", "it has a place"),
        flag("LOOPED", "it repeats"),
        flag("FREQUENCY", "its pitch may change"),
        flag("SFX", "the volume of effects counts"),
        flag("MUSIC", "the volume of music counts"),
        flag("PURGEABLE", "it may leave the memory"),
        flag("OPTIONAL", "it may be missing"),
    ],
);

/// What ratings do is in ai_skill_parameters of player.zrd.
const RATING: Shape = Row(&[number("", 5.0)]);

/// A turret of ai.zrd, at a node.
const MOUNT: Shape = Keys(&[
    key("title", "its TITLE", Row(&[message("", "MSG_TUR_FRONT")])),
    key(
        "node",
        "where its PARTS are",
        Row(&[node("", "fury_turret")]),
    ),
]);

const INJURIES: Shape = Each(&[Row(&[
    number("below this fraction of the hit points", 0.5),
    animation("an animation", "smoke"),
])]);

/// A kind of vehicle, as far as its keys are understood.
const KIND: &[Key] = &[
    may(
        "kind_of",
        "the kind whose values it has, where it has none of its own",
        Row(&[text("", "basic_airplane")]),
    ),
    may(
        "nodename",
        "its node in planes.zbd",
        Row(&[node("", "player_fury")]),
    ),
    may("title", "its name", Row(&[message("", "MSG_FURY_NAME")])),
    may("engine", "its engine in engines.zrd", Row(&[int("", 11)])),
    may("engine_sound", "", Row(&[sample("", "snd_furyengine")])),
    may(
        "cockpit_engine_sound",
        "",
        Row(&[sample("", "snd_furyengine_cp")]),
    ),
    may(
        "dynamics",
        "how it flies",
        Keys(&[
            may("pitch_torque", "", Row(&[number("", 1.0)])),
            may("roll_torque", "", Row(&[number("", 1.0)])),
            may("rudder_torque", "", Row(&[number("", 1.0)])),
            may(
                "return_rate",
                "how it returns when the stick is let go",
                Row(&[number("", 1.0)]),
            ),
            may("ang_momentum_damp", "", Row(&[number("", 1.0)])),
            may(
                "rec_moments_inertia",
                "one over the moments of inertia",
                Row(&[
                    number("pitch", 1.0),
                    number("yaw", 1.0),
                    number("roll", 1.0),
                ]),
            ),
            may(
                "fd_speed",
                "its level speed with full throttle",
                Row(&[number("", 135.0).unit("m/s")]),
            ),
            may("drag_factor", "", Row(&[number("", 1.0)])),
            may("veh_weight", "", Row(&[number("", 1.0)])),
            may("ref_area", "", Row(&[number("", 1.0)])),
        ]),
    ),
    may(
        "flight_ceiling",
        "the greatest height",
        Row(&[number("", 2500.0).unit("m")]),
    ),
    may(
        "armor",
        "hit points of the armour",
        Row(&[number("", 64.0)]),
    ),
    may("health", "hit points", Row(&[number("", 64.0)])),
    may("spin_props_anim", "", Row(&[animation("", "spinprops")])),
    may("stop_props_anim", "", Row(&[animation("", "stopprops")])),
    may(
        "start_anims",
        "from the start",
        Each(&[animation("", "wing_lights_blink")]),
    ),
    may("bullethole_anims", "", Each(&[animation("", "bullet1")])),
    may(
        "collision",
        "points with which it collides: nose, right, left, tail, top, belly",
        Each(&[POSITION]),
    ),
    may(
        "activation",
        "how near the player is when it wakes",
        Row(&[number("", 2000.0).unit("m")]),
    ),
    may(
        "weapons",
        "its weapons; of a player's aircraft, all that can be bought",
        Each(&[Row(&[
            text("a key of BALLISTICS in weapons.zrd", "wep_30"),
            number("rounds", 1000.0),
            Any("unknown"),
            Any("unknown"),
            number("from how far it fires", 800.0).unit("m"),
        ])]),
    ),
    may(
        "turrets",
        "what it carries of ai.zrd",
        Keys(&[
            may("firstp", "in the view of the pilot", Each(&[MOUNT])),
            may("thirdp", "in the view from outside", Each(&[MOUNT])),
        ]),
    ),
    may(
        "gun_pitch",
        "how its guns aim",
        Row(&[
            number("from", -11.0).unit("°"),
            number("to", 11.0).unit("°"),
        ]),
    ),
    may(
        "gun_yaw",
        "",
        Row(&[
            number("from", -11.0).unit("°"),
            number("to", 11.0).unit("°"),
        ]),
    ),
    may(
        "cannon_jam",
        "how guns become hot and jam",
        Keys(&[
            may(
                "heat_safe_limit",
                "no gun jams below it",
                Row(&[number("", 1000.0)]),
            ),
            may(
                "heat_dissipation_rate",
                "per second",
                Row(&[number("", 50.0)]),
            ),
            may("jam_chance", "", Row(&[number("", 0.1)])),
        ]),
    ),
    may("injure_anims", "damage that is shown", INJURIES),
    may(
        "destroyable_parts",
        "nose, tail, leftwing, rightwing",
        Each(&[RowAndKeys(
            &[
                text("a part", "nose"),
                number("its hit points or armour", 20.0),
                number("the other", 20.0),
            ],
            &[
                flag("critical", "the aircraft is lost with it"),
                flag("engine", "it is the engine"),
                may("got_hit_anim", "", Row(&[animation("", "hit_nose")])),
                may("injure_anims", "damage that is shown", INJURIES),
            ],
        )]),
    ),
    may("paint_pattern", "its livery", Row(&[text("", "blake")])),
    may("accentID", "its voice in voice.zrd", Row(&[int("", 1)])),
    may("dare_devil", "the first of nine ratings, 1 to 9", RATING),
    may(
        "natural_touch",
        "which manoeuvres of maneuvers.zrd it flies",
        RATING,
    ),
    may("sixth_sense", "", RATING),
    may("dead_eye", "", RATING),
    may("quick_draw", "", RATING),
    may("steady_hand", "", RATING),
    may("stun_recovery", "", RATING),
    may("talker", "", RATING),
    may("constitution", "", RATING),
    may(
        "preferred_engagement_altitude",
        "",
        Row(&[number("", 300.0).unit("m")]),
    ),
];

/// The fields of a vehicle of `aiv.zrd`, by the names that the game's code has for them; -1 is unset
/// in most.
const VEHICLE: Shape = Row(&[
    Any(
        "netids: the number of its route in neindex.zrd, a list to choose one from, or -1 for none",
    ),
    POSITION,
    number("yaw: its direction", 0.0).unit("°"),
    int("team", 1),
    int("group: DEDG of objectives.zrd and generators name it", 0),
    int("enabled: 0 for what only a generator uses", 1),
    text(
        "primary_target: what it attacks; what a wingman without a route follows",
        "",
    ),
    number("init_health: above 0, instead of that of its kind", -1.0),
    number("active_rad", -1.0),
    number("active_u", -1.0),
    number("active_l", -1.0),
    number(
        "attack, return or active; 9 of the 12 values have names",
        -1.0,
    ),
    number("another", -1.0),
    number("another", -1.0),
    number("another", -1.0),
    number("another", -1.0),
    number("another", -1.0),
    number("another", -1.0),
    number("another", -1.0),
    number("another", -1.0),
    text("title: the message of its name, or nothing", ""),
    int("deactivated: 1 until an objective wakes it", 0),
    number("dare_devil, 1 to 9, as the next eight", -1.0),
    number("natural_touch", -1.0),
    number("sixth_sense", -1.0),
    number("dead_eye", -1.0),
    number("quick_draw", -1.0),
    number("steady_hand", -1.0),
    number("stun_recovery", -1.0),
    number("talker", -1.0),
    number("constitution", -1.0),
    number("pref_engage_alt", -1.0).unit("m"),
    int("signature_maneuvers: a bit for each of maneuvers.zrd", 0),
    Any(
        "rating_biases: lists of a name, with * for any letters, and how much it is preferred, -1.0 to 1.0",
    ),
    number("nitro", -1.0),
    int("engine: its engine in engines.zrd", -1),
    Any("otherTarget"),
    int("objectiveTarget: 1 for a mark of an objective", 0),
    text("categoryLabel: a message, or nothing", ""),
    text("helpLabel: a message, or nothing", ""),
    Any("taxiPath: the name of a path on which it waits for START_TAXI, or 0"),
    number("stickiness", -1.0),
    Any("bait"),
    Any("pilot"),
    number(
        "sclp: a factor of how its pilot pitches; -1.0 for that of its kind, as the next eleven",
        -1.0,
    ),
    number("sclr: of how it rolls", -1.0),
    number("scly: of how it turns", -1.0),
    number("limp: the most that it pitches", -1.0),
    number("limr: that it rolls", -1.0),
    number("limy: that it turns", -1.0),
    number("esclp: the same in an emergency", -1.0),
    number("esclr", -1.0),
    number("escly", -1.0),
    number("elimp", -1.0),
    number("elimr", -1.0),
    number("elimy", -1.0),
    number("attack_time_factor", -1.0),
    number("anose: armour of the nose, and so on by part", -1.0),
    number("hnose: hit points", -1.0),
    number("atail", -1.0),
    number("htail", -1.0),
    number("aleft", -1.0),
    number("hleft", -1.0),
    number("aright", -1.0),
    number("hright", -1.0),
    int("accentID: its voice in voice.zrd", -1),
    number("armor: 0 and above, instead of that of its kind", -1.0),
    int("ace: 1 if the difficulty does not change its ratings", 0),
    Any("pattern: its livery"),
    number("decal1", -2.0),
    number("decal2", -2.0),
    number("decal3", -2.0),
    number("r1: its first colour, 0 to 255, or -1", -1.0),
    number("g1", -1.0),
    number("b1", -1.0),
    number("r2: its second", -1.0),
    number("g2", -1.0),
    number("b2", -1.0),
    number("r3: its third", -1.0),
    number("g3", -1.0),
    number("b3", -1.0),
]);
