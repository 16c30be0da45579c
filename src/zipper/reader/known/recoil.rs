//! Readers of Recoil. Sources: its engine, of which every declaration names the place, and counts
//! over the shipped files. The engine searches keys depth first and reads the four bytes of a number
//! as the type that it expects, except where a declaration says `number`: there it asks for the type.

mod arms;
mod screens;

use super::{
    COLOR, Each, Key, Keys, KeysAndNamed, KnownReader, POSITION, Row, RowAndKeys, Shape, flag,
    float, int, key, may, number, text,
};
use refit_base::{game::Game, naming::NameKind};

pub(super) use {
    arms::{CRATERS, QUICK_SAND},
    screens::FMV,
};

const GAMES: &[Game] = &[Game::Rc, Game::RcDemo];

/// The name of a sample of `sounds.zrd`.
const fn sample(about: &'static str, example: &'static str) -> Shape {
    text(about, example).names(NameKind::Sound)
}

const fn animation(about: &'static str, example: &'static str) -> Shape {
    text(about, example).names(NameKind::Animation)
}

const fn node(about: &'static str, example: &'static str) -> Shape {
    text(about, example).names(NameKind::Node)
}

const fn texture(about: &'static str, example: &'static str) -> Shape {
    text(about, example).names(NameKind::Texture)
}

const fn message(about: &'static str, example: &'static str) -> Shape {
    text(about, example).names(NameKind::Message)
}

/// A network of paths: `AINet::LoadFromZrd`, 0x403040, and the links at 0x403550.
const NETWORK: &[Key] = &[
    key(
        "version",
        "the game drops a network of another version",
        Row(&[int("", 105).within(105.0, 105.0)]),
    ),
    key("name", "its name", Row(&[text("", "north").at_most(19)])),
    may(
        "type",
        "the kind of network",
        Row(&[text("", "STANDARD").begins(
            2,
            true,
            &[
                ("STANDARD", "also without the key"),
                ("HI", ""),
                ("FI", ""),
                ("DE", ""),
            ],
        )]),
    ),
    may(
        "path_width",
        "the width of the paths",
        Row(&[float("", 10.0)]),
    ),
    may(
        "activate_rad",
        "the radius in which a vehicle wakes",
        Row(&[float("", 100.0)]),
    ),
    may(
        "attack_rad",
        "the radius in which it attacks; 0 is about 38.7",
        Row(&[float("", 40.0)]),
    ),
    may(
        "attack_dwell",
        "how long it attacks; 0 is 10 s",
        Row(&[float("", 10.0).unit("s")]),
    ),
    may(
        "pursuit_params",
        "pursuit; pursuit_range is the same key",
        Row(&[float("the first number", 50.0), float("the second", 10.0)]),
    ),
    may(
        "not_pursuit_dwell",
        "how long it waits when it does not pursue",
        Row(&[float("", 3.0).unit("s")]),
    ),
    may(
        "return_range",
        "the distance at which it returns",
        Row(&[float("", 250.0)]),
    ),
    may(
        "hide_times",
        "how long it hides; 8 and 4 without the key",
        Row(&[float("the first time", 8.0), float("the second time", 4.0)]),
    ),
    may(
        "attack_buddy",
        "vehicles of one network alert each other",
        Row(&[int("not 0 for yes", 1)]),
    ),
    key(
        "attack_strategy",
        "how it attacks; anything else, or no key, is head-on",
        Row(&[text("", "CIRCLE").begins(
            3,
            true,
            &[
                ("FOLLOW", ""),
                ("CIRCLE", ""),
                ("HEADON", ""),
                ("BACK", ""),
                ("ZIGZAG", ""),
                ("SIT", ""),
            ],
        )]),
    ),
    key(
        "node_00",
        "a node: node_00, node_01 and so on to node_98, without a gap",
        Row(&[
            int("a number that the game never reads", 1),
            POSITION,
            Row(&[
                int("the number of a node that it leads to, or -1", 1),
                int("another", -1),
                int("another", -1),
            ]),
        ]),
    ),
    key(
        "node_01",
        "the next node",
        Row(&[
            int("a number that the game never reads", 1),
            POSITION,
            Row(&[int("back", 0), int("another", -1), int("another", -1)]),
        ]),
    ),
];

/// A turret: `zTurret_Runtime::InitFromReaderNode`, 0x4367a0.
const TURRET: &[Key] = &[
    key(
        "PARTS",
        "the nodes that turn and fire: base, barrel, fire point and a second one; with three there is one fire point, \
         with two no base. They count only below a node `healthy`",
        Row(&[
            node("the node of the base", "base"),
            node("the node of the barrel", "barrel"),
            node("the node that it fires from", "fire"),
        ]),
    )
    .items(2, 4),
    key(
        "TARGETS",
        "what it shoots at: at most eight nodes of the world",
        Each(&[node("", "bft_00")]),
    ),
    key(
        "WEAPON",
        "its weapon; required: the game crashes without one, and with one that it does not know",
        Keys(&[
            key("NAME", "the weapon in weapons.zrd", Row(&[text("", "laser")])),
            may("AMMO", "rounds", Row(&[int("", 50)])),
            may("BASE_MOVES", "whether the base turns", Row(&[int("not 0 for yes", 1)])),
            may("DAMAGE_MODIFIER", "a factor of the damage", Row(&[number("", 1.0)])),
            may("DETECTION_RANGE", "how far it sees a target", Row(&[number("", 200.0)])),
            may("FIRE_DWELL", "how long it aims before it fires", Row(&[number("", 1.0).unit("s")])),
            may("FIRE_RATE", "the time between two shots", Row(&[number("", 1.0).unit("s")])),
            may(
                "FIRE_LIMITS",
                "bursts",
                Row(&[
                    number("how long a burst lasts", 3.0).unit("s"),
                    number("the pause after it", 2.0).unit("s"),
                ]),
            ),
        ]),
    ),
    may("HEALTH", "hit points", Row(&[number("", 100.0)])),
    may("LOS", "whether it needs a line of sight", Row(&[int("not 0 for yes", 0)])),
    may("INTERSECT_BVOL", "whether its volume can be hit", Row(&[int("not 0 for yes", 1)])),
    may("ALWAYS_LOOK_AT", "whether it always follows its target", Row(&[int("not 0 for yes", 0)])),
    may("ACTIVATE_ON_HIT", "the damage that wakes it", Row(&[number("", 10.0)])),
    may(
        "DEACTIVATE",
        "it stops with this node: a node of the world, and the nodes below it that lead there",
        Each(&[node("", "radar1")]),
    ),
    may("DAMAGE_PART", "the node that is hit", Row(&[node("a node of the turret", "base")])),
    may(
        "EFFECT",
        "shown while it fires",
        Row(&[node("a node of the turret", "flash"), number("how long", 0.1).unit("s")]),
    ),
    may("DESTROY_ANIM", "played when it is destroyed; one with the turret's own name comes first", Row(&[animation("", "boom")])),
    may("FIRE_ANIM", "played with each shot", Row(&[animation("", "recoil")])),
    may(
        "SOUNDS",
        "its sounds",
        Keys(&[
            may("ON", "", Row(&[sample("", "turret_on")])),
            may("START", "", Row(&[sample("", "turret_start")])),
            may("STOP", "", Row(&[sample("", "turret_stop")])),
        ]),
    ),
    flag("MSL_LOCK", "missiles lock on it"),
];

/// What all modes of a vehicle share: `Player::LoadMasterCommonDataFromNode`, 0x422170.
const VEHICLE: &[Key] = &[
    may(
        "health",
        "hit points",
        Row(&[float("alone", 100.0), float("in a network game", 100.0)]),
    ),
    may(
        "nanite",
        "how it repairs itself",
        Row(&[int("its rate", 0), int("its greatest level", 0)]),
    ),
    may(
        "activation",
        "the distance to the player at which it wakes",
        Row(&[float("", 100.0)]),
    ),
    may(
        "not_pursuit_dwell",
        "how long it waits when it does not pursue",
        Row(&[float("", 3.0).unit("s")]),
    ),
    may(
        "return_range",
        "the distance at which it returns",
        Row(&[float("", 250.0)]),
    ),
    may(
        "start_anims",
        "an animation from the start",
        Row(&[animation("", "blink")]),
    ),
    may(
        "camback",
        "the camera behind it, in three views",
        Row(&[CAMERA, CAMERA, CAMERA]),
    ),
    may(
        "aimy",
        "aiming",
        Row(&[float("the rate of turning", 3.0), float("the limit", 2.0)]),
    ),
    may(
        "camera_ud_swing",
        "how the camera swings up and down",
        Row(&[
            float("a number", 5.5),
            float("another", 2.5),
            float("another", 0.0),
            float("another", 0.0),
        ]),
    ),
    may(
        "track_switch",
        "distances at which its tracks change",
        Row(&[
            float("the first", 10_000.0),
            float("the second", 10_000.0),
            float("the third", 10_000.0),
        ]),
    ),
    may(
        "pickups",
        "what it carries",
        Row(&[text("the kind of a pickup", "pu000"), int("how much", 1)]),
    ),
    may(
        "sounds",
        "its sounds",
        Keys(&[
            may("weapon_up", "", Row(&[sample("", "weapon_up")])),
            may("weapon_select", "", Row(&[sample("", "weapon_select")])),
            may("pinging", "", Row(&[sample("", "ping")])),
        ]),
    ),
    key(
        "weapons",
        "its weapons",
        Each(&[Row(&[
            text("the weapon in weapons.zrd", "laser"),
            int(
                "the mission from which it is there, or another condition",
                0,
            ),
            int("1 for two mounts", 0),
            int("rounds at the start", 100),
            float("the time between two shots", 0.5).unit("s"),
            float("the least distance at which a computer fires it", 0.0),
            float("the greatest", 100.0),
            int("1 for recoil", 0),
            int("which hardpoint begins", 0),
        ])]),
    ),
];

const CAMERA: Shape = Row(&[
    float("to the side", 0.0),
    float("up", 4.0),
    float("back", 9.0),
]);

/// Two waves and a coupling.
const WAVE: Shape = Row(&[
    float("pitch: the rate at rest", 1.0),
    float("pitch: how speed changes it", 0.0),
    float("pitch: how far", 0.02),
    float("roll: the rate at rest", 1.0),
    float("roll: how speed changes it", 0.0),
    float("roll: how far", 0.02),
    float("roll: how much of a turn", 0.0),
]);

const CHANGE: Shape = Each(&[animation("an animation", "change")]);

/// A mode of a vehicle: `Player::LoadMasterModalDataFromNode`, 0x4226d0.
const MODE: Shape = Keys(&[
    key(
        "mode",
        "its kind",
        Row(&[text("", "basic").begins(
            2,
            false,
            &[
                ("basic", "also anything else"),
                ("track", "on tracks"),
                ("hover", "above the ground"),
                ("amphib", "on water"),
                ("sub", "below water"),
                ("fly", "in the air"),
            ],
        )]),
    ),
    may(
        "rates",
        "",
        Row(&[float("acceleration", 10.0), float("greatest speed", 30.0)]),
    ),
    may(
        "friction",
        "the second is below the first: the game takes nine tenths of the first otherwise",
        Row(&[
            float("at rest", 10_000.0),
            float("moving", 10.0),
            float("sliding", 0.0),
        ]),
    ),
    may(
        "stopping",
        "the force that stops it",
        Row(&[float("", 8.0)]),
    ),
    may(
        "turns",
        "",
        Row(&[
            float("acceleration of a turn", 0.6),
            float("greatest rate of a turn", 2.0),
        ]),
    ),
    may("turn_damping", "", Row(&[float("", 30.0)])),
    may(
        "rate_damping",
        "",
        Row(&[float("speeding up", 30.0), float("slowing down", 30.0)]),
    ),
    may("a_damping", "", Row(&[float("", 8.0)])),
    may("mass", "not 0", Row(&[float("", 1.0)])),
    may(
        "quicksand_slowdown",
        "a factor of the speed",
        Row(&[float("", 0.9)]),
    ),
    may(
        "lava_slowdown",
        "a factor of the speed",
        Row(&[float("", 0.8)]),
    ),
    may(
        "gun_pitch",
        "",
        Row(&[float("the lowest", -0.2588), float("the rate", 0.5)]),
    ),
    may(
        "mode_alt",
        "how long a change of mode takes",
        Row(&[float("", 2.0).unit("s")]),
    ),
    may(
        "alt_control",
        "how it hovers",
        Row(&[
            float("damping of the lift", -10.0),
            float("the lift", 0.8),
            float("how it follows the ground", -3.0),
        ]),
    ),
    may(
        "chas_smooth",
        "how smoothly the chassis moves; the sign does not count",
        Row(&[float("", 0.0)]),
    ),
    may(
        "chas_pitch",
        "",
        Row(&[
            float("rate", 0.0),
            float("the limit", 0.0),
            float("damping", 0.0),
        ]),
    ),
    may(
        "chas_roll",
        "without it, chas_pitch does not count either",
        Row(&[
            float("rate", 0.0),
            float("the limit", 0.0),
            float("damping", 0.0),
        ]),
    ),
    may("amphib_wave", "", WAVE),
    may("hover_wave", "", WAVE),
    may("sub_wave", "", WAVE),
    may(
        "collision_d",
        "damping of a collision",
        Row(&[float("a factor", 0.5), float("another", 0.15)]),
    ),
    may("platform", "points on which it stands", Each(&[POSITION])),
    may(
        "collision",
        "points with which it collides",
        Each(&[POSITION]),
    ),
    may("t2a_anims", "from tracks to water", CHANGE),
    may("a2t_anims", "from water to tracks", CHANGE),
    may("t2h_anims", "from tracks to hovering", CHANGE),
    may("h2t_anims", "from hovering to tracks", CHANGE),
    may("s2a_anims", "from below water to water", CHANGE),
    may("a2s_anims", "from water to below water", CHANGE),
    may("h2a_anims", "from hovering to water", CHANGE),
    may("a2h_anims", "from water to hovering", CHANGE),
    may(
        "sounds",
        "its sounds",
        Keys(&[
            may("engine", "", Row(&[sample("", "engine")])),
            may("external", "", Row(&[sample("", "engine_far")])),
            may("idle", "", Row(&[sample("", "engine_idle")])),
            may("skid", "", Row(&[sample("", "skid")])),
            may("collide", "", Row(&[sample("", "crash")])),
            may("land", "", Row(&[sample("", "land")])),
            may(
                "pitch_scale",
                "a factor of the pitch",
                Row(&[float("", 1.0)]),
            ),
            may(
                "volume_scale",
                "a factor of the volume",
                Row(&[float("", 1.0)]),
            ),
        ]),
    ),
]);

/// An objective: 0x417f90 and 0x418230.
const OBJECTIVE: Shape = RowAndKeys(
    &[
        texture("its picture", "obj1.tif"),
        message("its title", "MSG_OBJECTIVE_TITLE"),
        message("its text", "MSG_OBJECTIVE_TEXT"),
        message("the text when it is done", "MSG_OBJECTIVE_DONE"),
    ],
    &[
        key(
            "INACTIVE",
            "done when this node becomes inactive: a node of the world, and the nodes below it that lead there; if \
             there is none of that name, never",
            Each(&[node("", "radar1")]),
        ),
        may(
            "ACTIVE",
            "done when this node becomes active; INACTIVE does not count then",
            Each(&[node("", "bridge")]),
        ),
        may(
            "READ_SOUND",
            "played with its text",
            Row(&[
                sample("", "snd_objective"),
                float("after how long", 2.0).unit("s"),
            ]),
        ),
        flag("AUTOPLAY", "its text is shown at once"),
    ],
);

/// The weather of a mission: 0x419050. Its keys have values, not lists of one.
const WEATHER: Shape = Keys(&[
    key(
        "TYPE",
        "without one of these the rest does not count",
        text("", "RAIN").choices(&[("SNOW", ""), ("RAIN", "")]),
    ),
    may("PARTICLES", "how many", int("", 100)),
    may("COLOR", "their colour", COLOR),
    may("WIND_DIR", "where the wind blows to", float("", 0.0)),
    may("WIND_VEL", "how strong it is", float("", 0.8)),
    may("GRAVITY", "how fast they fall", float("", 3.0)),
    may(
        "ALPHA_GRADIENT",
        "how opaque they are",
        Row(&[float("at one end", 0.5), float("at the other", 0.0)]),
    ),
]);

/// The most of a sample in one of the banks: rate, bits and channels.
const fn bank(rate: i32, bits: i32, channels: i32) -> [Shape; 3] {
    [
        int("samples a second", rate).unit("Hz"),
        int("bits", bits),
        int("channels", channels),
    ]
}

const HIGH: [Shape; 3] = bank(44_100, 16, 2);
const MED: [Shape; 3] = bank(22_050, 16, 1);
const LOW: [Shape; 3] = bank(11_025, 8, 1);

/// A sample of `sounds.zrd` with SYNTAX 2.
const SAMPLE: Shape = RowAndKeys(
    &[
        text("a sample: what animations and scripts call it", "hum"),
        text("its file in the banks", "hum.wav"),
    ],
    &[
        may("VOLUME", "", number("", 1.0).within(0.0, 1.0)),
        may(
            "RANGE",
            "how far it is heard; makes it a sound with a place",
            Row(&[
                float("the least distance", 50.0),
                float("the greatest", 400.0),
            ]),
        ),
        may("A3DDIST", "a factor of distances, for A3D", number("", 1.0)),
        flag("3D", "it has a place"),
        flag("LOOPED", "it repeats"),
        flag("FREQUENCY", "its pitch may change"),
        flag("HARDWARE", "it may use the sound card's memory"),
        flag("PURGEABLE", "it may leave the memory"),
        flag("VOICE", "it is speech"),
        may(
            "HIGH",
            "the most for the bank soundsH, or the name of another file",
            Row(&HIGH),
        ),
        may(
            "MED",
            "the most for the bank soundsM, or the name of another file",
            Row(&MED),
        ),
        may(
            "LOW",
            "the most for the bank soundsL, or the name of another file",
            Row(&LOW),
        ),
    ],
);

/// A group of samples; the game plays one of them: 0x4a4530.
const GROUP: Shape = RowAndKeys(
    &[
        text("the group's name", "hums"),
        RowAndKeys(
            &[sample("a sample of the group", "hum")],
            &[
                may("WEIGHT", "how likely it is", number("", 1.0)),
                may(
                    "DELAY_PLAY",
                    "the pause before it",
                    number("", 0.0).unit("s"),
                ),
                may("PLAY_COUNT", "how often it may be played", number("", 1.0)),
            ],
        ),
    ],
    &[
        may(
            "DELAY_REPEAT",
            "the pause before it repeats",
            number("", 0.0).unit("s"),
        ),
        may(
            "DELAY_TERMINATION",
            "the pause before it ends",
            number("", 0.0).unit("s"),
        ),
        may(
            "DYNAMIC_WEIGHTS",
            "a factor of the weight of what was played last",
            number("", 0.5).within(0.0, 1.0),
        ),
        may("REPEAT", "how often it is played", number("", 1.0)),
        flag("PLAY_SOLO", "only one of the group at a time"),
    ],
);

/// Values from the root of `player.zrd`: `PlayerLoadPlayerZrdTuning`, reached from 0x41fe90.
const PLAYER: &[Key] = &[
    may(
        "camera_zone",
        "outside 0 to 1 it does not count",
        Row(&[float("", 0.9).within(0.0, 1.0)]),
    ),
    may("max_cam_yaw_rate", "", Row(&[float("", 2.0)])),
    may(
        "mouse_push",
        "",
        Row(&[float("x", 0.002), float("y", 0.01)]),
    ),
    may("fp_cam_el_rate", "", Row(&[float("", 5.0)])),
    may(
        "fp_cam_el_lim",
        "the view from within",
        Row(&[float("the lowest", -0.75), float("the highest", 1.0)]),
    ),
    may(
        "underwater_cam",
        "the view below water",
        Row(&[
            float("distance", 5.0),
            float("height", 4.0),
            int("steps", 12),
            float("how far", 100.0),
            int("red, 0 to 255", 0).within(0.0, 255.0),
            int("green", 0).within(0.0, 255.0),
            int("blue", 168).within(0.0, 255.0),
            float("opacity", 0.5),
        ]),
    ),
    may("camera_elastic", "", Row(&[float("", 1.0)])),
    may(
        "max_cam_tether_angle",
        "",
        Row(&[float("", 45.0).unit("°")]),
    ),
    key("nom_gravity", "gravity", Row(&[float("", 28.0)])),
    may(
        "wat_gravity",
        "gravity in water; a third of the other without it",
        Row(&[float("", 9.33)]),
    ),
    may(
        "qsd_gravity",
        "gravity in quicksand; a sixth without it",
        Row(&[float("", 4.67)]),
    ),
    may(
        "qsand_sink",
        "how fast quicksand swallows",
        Row(&[float("", 0.9)]),
    ),
    may(
        "lava_sink",
        "how fast lava swallows",
        Row(&[float("", 0.6)]),
    ),
    may(
        "max_slope",
        "the steepest slope, as a cosine",
        Row(&[float("", 0.707)]),
    ),
    may(
        "make_hot",
        "",
        Row(&[text("a weapon in weapons.zrd", "hot")]),
    ),
    may(
        "make_cold",
        "",
        Row(&[text("a weapon in weapons.zrd", "cold")]),
    ),
    may("burning_anim", "", Row(&[animation("", "burning")])),
    may(
        "low_shield_snd",
        "the warning of a low shield",
        Row(&[
            sample("a beep", "beep"),
            float("its interval", 1.0).unit("s"),
            sample("a loop", "alarm"),
        ]),
    ),
];

/// All of Recoil's.
pub(super) fn all() -> impl Iterator<Item = &'static KnownReader> {
    MAIN.iter().chain(arms::ALL).chain(screens::ALL)
}

const MAIN: &[KnownReader] = &[
    KnownReader {
        name: "aiv",
        members: &["aiv", "aiv_*"],
        games: GAMES,
        about: "the vehicles of a mission: what they are, where they start, and which network they follow. The game \
                reads aiv.zrd only",
        unknown: "",
        is_wrapped: false,
        // 0x41fe90. Shipped: 1,838 entries, all typed so.
        content: Each(&[
            text(
                "a vehicle: its template is the name up to the first _ before a digit; the first whose template is in \
                 vehicle.zrd is the player's",
                "bft_00",
            )
            .at_most(27),
            Row(&[
                int("the number of its network, net_01 to net_99; 0 for one that is not driven", 1).within(0.0, 99.0),
                POSITION,
                float("its direction", 0.0).unit("°"),
            ]),
        ]),
    },
    KnownReader {
        name: "net",
        members: &["net_??"],
        games: GAMES,
        about: "a network of paths for vehicles; only single-player missions read it",
        unknown: "",
        is_wrapped: false,
        content: Keys(NETWORK),
    },
    KnownReader {
        name: "ai",
        members: &["ai"],
        games: GAMES,
        about: "the turrets of a mission; only single-player missions read it",
        unknown: "",
        is_wrapped: false,
        // 0x437ac0. Shipped: 130 definitions.
        content: Keys(&[
            may("DESTROY_ANIM", "played when a turret is destroyed", Row(&[animation("", "boom")])),
            key(
                "TURRET",
                "the turrets, each under the name of its node; * in a name is any digit",
                Each(&[node("the node of a turret", "gun1"), Keys(TURRET)]),
            ),
        ]),
    },
    KnownReader {
        name: "objectives",
        members: &["objectives"],
        games: GAMES,
        about: "what the player has to do: OBJECTIVE1 to OBJECTIVE10, without a gap",
        unknown: "",
        is_wrapped: false,
        content: Keys(&[
            may("READ_TIME", "how long a text is shown", Row(&[int("", 4).unit("s")])),
            may("REVIEW_DELAY", "how long until it is shown again", Row(&[int("", 4).unit("s")])),
            may("FINAL_MISSION", "whether the game ends with it", Row(&[int("not 0 for yes", 0)])),
            may("REVIEW_SOUND", "", Row(&[sample("", "snd_review")])),
            may("OBJECTIVE_SOUND", "played when an objective is done", Row(&[sample("", "snd_done")])),
            key("OBJECTIVE1", "the first one; up to OBJECTIVE10, without a gap", OBJECTIVE),
        ]),
    },
    KnownReader {
        name: "puppies",
        members: &["puppies", "puppies_*"],
        games: GAMES,
        about: "the pickups of a mission",
        unknown: "",
        is_wrapped: true,
        // 0x41de70; 40 kinds. The game takes a pickup of an unknown kind for none.
        content: Each(&[Row(&[
            text("the kind of the pickup; pu000 to pu039 are the nodes that show them", "pu000"),
            int("how much", 1),
            POSITION,
            Row(&[
                float("its rotation about x", 0.0).unit("rad"),
                float("about y", 0.0).unit("rad"),
                float("about z", 0.0).unit("rad"),
            ]),
            float("the time until it is there again", 30.0).unit("s"),
        ])]),
    },
    KnownReader {
        name: "startanims",
        members: &["startanims"],
        games: GAMES,
        about: "the animations that run from the start of a single-player mission; the game skips names that anim.zbd \
                does not have",
        unknown: "",
        is_wrapped: false,
        // 0x4192d0.
        content: START,
    },
    KnownReader {
        name: "vehicle",
        members: &["vehicle", "vehicle_easy", "vehicle_hard"],
        games: GAMES,
        about: "the kinds of vehicles, each under its name",
        unknown: "the units of most rates",
        is_wrapped: false,
        content: Each(&[
            text("a kind of vehicle; names of aiv.zrd begin with it", "bft").at_most(19),
            KeysAndNamed(
                &[key("common_mode", "what all modes share", Keys(VEHICLE))],
                &[text("a mode", "basic_mode"), MODE],
            ),
        ]),
    },
    KnownReader {
        name: "weather",
        members: &["weather"],
        games: GAMES,
        about: "rain and snow, by mission",
        unknown: "the units of the wind",
        is_wrapped: false,
        content: Keys(&[key("MISSION1", "the weather of mission 1; without a key there is none", WEATHER)]),
    },
    KnownReader {
        name: "sounds",
        members: &["sounds"],
        games: GAMES,
        about: "the samples: a set for each mission, whose samples the game loads with it",
        unknown: "what CD_TRACKS contains",
        is_wrapped: false,
        content: Keys(&[
            key(
                "SYNTAX",
                "2 for samples with keys; 1, also without the key, for samples whose values have fixed places",
                int("", 2).within(1.0, 2.0),
            ),
            may("SOUND_PATH", "folders of loose files, with ; between them", text("", "..\\data\\sounds")),
            may("SPEED_OF_SOUND", "", number("", 340.0).unit("m/s")),
            key(
                "SETS",
                "a set for each mission, under its name in capitals",
                Each(&[text("the set of mission m1", "M1"), Each(&[SAMPLE])]),
            ),
            may("SOUND_GROUPS", "groups; the game plays one sample of a group", Each(&[GROUP])),
        ]),
    },
    KnownReader {
        name: "dialog",
        members: &["dialog"],
        games: GAMES,
        about: "the menus. The multiplayer missions are in three lists of at most 20 entries: the entry at \
                position i (from 0) is mission i + 7",
        unknown: "the other keys of lists, fields and sliders: change the game's dialog.zrd",
        is_wrapped: false,
        content: screens::MENUS,
    },
    KnownReader {
        name: "spawns",
        members: &["net"],
        games: GAMES,
        about: "where players begin in a network game",
        unknown: "",
        is_wrapped: true,
        content: Each(&[Row(&[
            float("x", 0.0),
            float("its height y", 0.0),
            float("z", 0.0),
            float("the direction", 0.0).unit("°"),
        ])]),
    },
    KnownReader {
        name: "player",
        members: &["player"],
        games: GAMES,
        about: "cameras, gravity and warnings of the player's vehicle",
        unknown: "the units of most rates",
        is_wrapped: false,
        content: Keys(PLAYER),
    },
    KnownReader {
        name: "effects",
        members: &["effects"],
        games: GAMES,
        about: "the effects that animations use; an animation that names another one makes the game refuse anim.zbd",
        unknown: "",
        is_wrapped: false,
        content: Keys(&[key(
            "EFFECTS",
            "the effects",
            Each(&[RowAndKeys(
                &[node("the node that shows it", "puff")],
                &[
                    key("NAME", "what animations call it", Row(&[text("", "smoke")])),
                    key("MAPS", "the pictures that it cycles through", Each(&[texture("", "smoke1.tif")])),
                    may("SPEED", "pictures a second", Row(&[number("", 15.0)])),
                    may("LOOPING", "", Row(&[text("", "ON").choices(&[("ON", ""), ("OFF", "")])])),
                ],
            )]),
        )]),
    },
    KnownReader {
        name: "pickup",
        members: &["pickup"],
        games: GAMES,
        about: "sounds and pictures of pickups. It also contains definitions of animations",
        unknown: "the names of the kinds: look at pickup.zrd of the game",
        is_wrapped: false,
        // 0x41ccf0.
        content: Keys(&[key(
            "PICKUP_DATA",
            "the kinds of pickups, each under its name",
            Each(&[
                text("a kind of pickup", "pu000"),
                Keys(&[
                    may("SOUND", "played when it is taken", Row(&[sample("", "snd_pickup")])),
                    may("IMAGE", "its picture", Row(&[texture("", "pickup.tif")])),
                ]),
            ]),
        )]),
    },
    KnownReader {
        name: "movers",
        members: &["movers"],
        games: GAMES,
        about: "the nodes that carry vehicles",
        unknown: "",
        is_wrapped: true,
        // 0x420be0.
        content: Each(&[node("a node of the world", "lift1")]),
    },
    KnownReader {
        name: "race",
        members: &["race"],
        games: GAMES,
        about: "makes the mission a race",
        unknown: "",
        is_wrapped: false,
        // 0x4193c0.
        content: Keys(&[key("cp_count", "how many checkpoints it has", Row(&[int("", 8)]))]),
    },
];

/// Also in Crimson Skies, where all 53 missions have the two keys in this order.
pub(super) const START: Shape = Keys(&[
    key("NEW_GAME_START", "when the mission begins", NAMES),
    key(
        "LOAD_GAME_START",
        "when a saved game of it is loaded",
        NAMES,
    ),
]);

const NAMES: Shape = Each(&[Row(&[animation("an animation of anim.zbd", "door_opens")])]);

const MISSIONS: Shape = Each(&[message("a mission", "MSG_MP_MISSION")]);
