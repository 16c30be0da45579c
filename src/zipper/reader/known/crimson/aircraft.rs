//! How aircraft of Crimson Skies fly, look, sound and think. Sources: CSVM (player-globals.md,
//! ai-rosters.md, camparam.md, shakes.md, combat-voice.md), of whose values most are read in the
//! game's code, and the flight constants that rust-crimson-skies imports.

use super::{
    Each, GAMES, Key, Keys, KnownReader, Row, RowAndEach, SECONDS, Shape, flag, int, key, may,
    number, sample, text,
};

const NUMBER: Shape = Row(&[number("", 1.0)]);
const METRES: Shape = Row(&[number("", 30.0).unit("m")]);
const DEGREES: Shape = Row(&[number("", 30.0).unit("°")]);
const SPEED: Shape = Row(&[number("", 100.0).unit("mph")]);
const SCORE: Shape = Row(&[number("", 1.0)]);

/// The values of a rating of 0 and of 9; others are between them.
const SKILL: Shape = Row(&[
    number("with a rating of 0", 0.3),
    number("with a rating of 9", 0.9),
]);

/// A point of a curve: what it depends on, and the value there.
const POINT: Shape = Row(&[number("at", 0.1), number("the value", 0.6)]);

/// The first player.zrd of the common archive; the second contains animation definitions.
const PLAYER: &[Key] = &[
    key(
        "nom_gravity",
        "gravity",
        Row(&[number("", 20.0).unit("m/s²")]),
    ),
    may("maxAOA", "the greatest angle of attack", DEGREES),
    may(
        "liftAOAs",
        "angles of attack between which the lift changes",
        Row(&[number("from", 10.0).unit("°"), number("to", 20.0).unit("°")]),
    ),
    may("lift_accel_rate", "", NUMBER),
    may(
        "highGs",
        "",
        Row(&[
            number("where its effect begins", 4.0),
            number("the most", 8.0),
        ]),
    ),
    may(
        "lowGs",
        "",
        Row(&[
            number("where its effect begins", -1.0),
            number("the most", -4.0),
        ]),
    ),
    may("stall_mag", "", NUMBER),
    may("turn_fade_in", "", SPEED),
    may("turn_fade_out", "", SPEED),
    may("yaw_low_speed", "", NUMBER),
    may("yaw_high_speed", "", NUMBER),
    may("yaw_fade_in", "", SPEED),
    may("yaw_max", "", SPEED),
    may("yaw_fade_out", "", SPEED),
    may(
        "high_speed_pitch_fade",
        "",
        Row(&[
            number("from", 300.0).unit("mph"),
            number("to", 400.0).unit("mph"),
        ]),
    ),
    may("drag_factor", "read and not used", NUMBER),
    may("drag_fade_speed", "read and not used", SPEED),
    may(
        "groundblow_elev",
        "how far ahead the ground pushes an aircraft away",
        METRES,
    ),
    may("groundblow_mag", "how strongly", NUMBER),
    may("ai_groundblow", "a factor for other aircraft", NUMBER),
    may(
        "crash",
        "damage of a collision",
        Keys(&[
            may(
                "armor_damage_range",
                "",
                Row(&[number("at least", 1.0), number("a factor", 1.0)]),
            ),
            may(
                "health_damage_range",
                "",
                Row(&[number("at least", 1.0), number("a factor", 1.0)]),
            ),
            may("bounce_factor", "", NUMBER),
        ]),
    ),
    may(
        "sticky_bullet_catchup_rate",
        "how fast the guns turn to a target, per second",
        NUMBER,
    ),
    may(
        "sticky_bullet_inaccuracy",
        "the cone in which they then scatter",
        DEGREES,
    ),
    may(
        "sticky_bullet_forget_interval",
        "how long after a shot they turn back",
        SECONDS,
    ),
    may(
        "sticky_bullet_dist_factor",
        "how much distance counts when a target is chosen; 0 for not at all",
        NUMBER,
    ),
    may(
        "warning_shot_max",
        "how long hits sound like near misses",
        SECONDS,
    ),
    may(
        "warning_shot_dissipation",
        "one over what a second without a hit takes from that time",
        NUMBER,
    ),
    may("warning_shot_interval", "how often it is counted", SECONDS),
    may(
        "warning_shot_sound",
        "the sound of a near miss",
        Row(&[text("a group of sounds.zrd", "warning_sg")]),
    ),
    may(
        "bullet_hit_sound",
        "the sound of a hit",
        Row(&[text("a group of sounds.zrd", "hit_sg")]),
    ),
    may("smokescreen_stun_range", "how far smoke stuns", METRES),
    may("smokescreen_stun_angle", "within which angle", DEGREES),
    may("smokescreen_stun_interval", "how often", SECONDS),
    may(
        "autohead_turn_time",
        "how long the pilot's head turns",
        SECONDS,
    ),
    may("autohead_turn_max", "how far", DEGREES),
    may("autohead_turn_min_pitch", "the lowest pitch", DEGREES),
    may(
        "rogue",
        "warnings of a player who shoots at friends",
        Each(&[Row(&[
            number("from this fame on", 0.0),
            sample("", "snd_warning"),
        ])]),
    ),
    may(
        "respawn_rad",
        "network games: how far away a player begins again",
        METRES,
    ),
    may("respawn_el", "network games: how high", METRES),
    may("score_kill", "", SCORE),
    may("score_zep", "", SCORE),
    may("score_suicide", "", SCORE),
    may("score_return_flag", "", SCORE),
    may("score_enemy_flag", "", SCORE),
    may(
        "min_ai_active_dist",
        "how near the player is when others wake, if nothing else says it",
        METRES,
    ),
    may(
        "ai_skill_parameters",
        "what the ratings of a pilot do",
        Keys(&[
            may(
                "daredevil_chance",
                "how likely it flies through a danger zone",
                SKILL,
            ),
            may(
                "sixth_sense_chance",
                "how likely it follows a manoeuvre",
                SKILL,
            ),
            may("sixth_sense_factor", "a factor of its controls", SKILL),
            may(
                "dead_eye_angle",
                "in °: how far it aims beside its target",
                SKILL,
            ),
            may(
                "quick_draw_angle",
                "in °: how oblique a shot it takes",
                SKILL,
            ),
            may("quick_draw_chance", "how likely it fires a rocket", SKILL),
            may(
                "steady_hand_chance",
                "how likely it breaks off when hit",
                SKILL,
            ),
            may(
                "stun_recovery_interval",
                "in s: how long it is stunned",
                SKILL,
            ),
            may("talker_chance", "how likely it speaks", SKILL),
            may("constitution_chance", "how likely it bails out", SKILL),
        ]),
    ),
    may(
        "engine_sound",
        "by throttle",
        Keys(&[
            may("min_throttle_volume", "", POINT),
            may("max_throttle_volume", "", POINT),
            may("min_throttle_pitch", "", POINT),
            may("max_throttle_pitch", "", POINT),
        ]),
    ),
    may(
        "prop_sound",
        "by speed, 1.0 for fd_speed of vehicle.zrd",
        Keys(&[
            may("min_speed_volume", "", POINT),
            may("max_speed_volume", "", POINT),
            may("min_speed_pitch", "", POINT),
            may("max_speed_pitch", "", POINT),
        ]),
    ),
    may(
        "rattle",
        "by speed, 1.0 for fd_speed of vehicle.zrd",
        Keys(&[
            may("sound", "", Row(&[sample("", "snd_shake")])),
            may(
                "speed_range",
                "",
                Row(&[number("from", 1.0), number("to", 1.2)]),
            ),
        ]),
    ),
];

/// The values of a camera. default has all of them; an aircraft has those that differ.
const CAMERA: &[Key] = &[
    may("dist", "how far behind", METRES),
    may("dist_factor", "how much farther with each m/s", NUMBER),
    may("dist_vary", "how much farther while it speeds up", NUMBER),
    may("dist_min", "the least distance", METRES),
    may("dist_max", "the greatest", METRES),
    may("dist_catch_up", "how fast that ends, per second", NUMBER),
    may(
        "pos_catch_up",
        "how fast its position follows, per second",
        NUMBER,
    ),
    may(
        "look_catch_up",
        "how fast its aim follows, per second",
        NUMBER,
    ),
    may("thirdp_height", "how much higher for each m behind", NUMBER),
    may("thirdp_pitch", "how it is tilted", DEGREES),
    may("back_dist_min", "the view back: the least distance", METRES),
    may("back_dist_max", "the greatest", METRES),
    may("death_interval", "a lost aircraft: how far ahead", SECONDS),
    may("death_z", "that much farther", METRES),
    may("death_x", "how far beside it", METRES),
    may("death_alt", "how much higher", METRES),
    may("death_min_alt", "the least height", METRES),
    may("crash_horiz", "a crash: how far behind", METRES),
    may("crash_y", "how much higher", METRES),
    may(
        "crash_chord_y",
        "where the search for the ground begins, above it",
        METRES,
    ),
    may("crash_elev", "how far above the ground", METRES),
    may(
        "flyby_min_watch_time",
        "a fly-by: how long at least",
        SECONDS,
    ),
    may("flyby_max_watch_time", "from when on it may move", SECONDS),
    may("flyby_min_radius", "how near to the path", METRES),
    may("flyby_max_radius", "how far", METRES),
    may("flyby_min_interval", "how far ahead at least", SECONDS),
    may("flyby_max_interval", "at most", SECONDS),
    may(
        "flyby_min_switch_dist",
        "from this distance on it moves",
        METRES,
    ),
    may("flyby_max_switch_dist", "or from this one", METRES),
    may("flyby_z", "that much farther ahead", METRES),
    may("flyby_y", "how much higher", METRES),
    may("flyby_min_alt", "the least height", METRES),
];

pub(super) const ALL: &[KnownReader] = &[
    KnownReader {
        name: "player",
        members: &["player"],
        games: GAMES,
        about: "gravity, limits of flight, aiming, collisions, scores and pilots, for all aircraft",
        unknown: "the units of most factors, and other keys: change the game's player.zrd",
        is_wrapped: true,
        content: Keys(PLAYER),
    },
    KnownReader {
        name: "maneuvers",
        members: &["maneuvers"],
        games: GAMES,
        about: "the manoeuvres of pilots, each under its name",
        unknown: "three more values of some steps",
        is_wrapped: true,
        // 17 manoeuvres. signature_maneuvers of aiv.zrd has their order of the code, another one.
        content: Each(&[
            text("a manoeuvre", "climb"),
            Keys(&[
                key(
                    "natural_touch",
                    "a pilot needs at least this rating",
                    Row(&[number("", 3.0)]),
                ),
                may(
                    "steps",
                    "attitudes, one after another",
                    Each(&[Row(&[
                        number("how long; 0 until it is reached", 4.0).unit("s"),
                        number("pitch", 60.0).unit("°"),
                        number("yaw", 0.0).unit("°"),
                        number("roll", 0.0).unit("°"),
                    ])]),
                ),
                may(
                    "bias",
                    "added to how much it is preferred",
                    Row(&[number("", -0.5)]),
                ),
                flag("autogyro_allowed", "autogyros fly it, too"),
                flag("relative", "the angles count from those at its beginning"),
                flag("nitro", "with nitro"),
            ]),
        ]),
    },
    KnownReader {
        name: "voice",
        members: &["voice"],
        games: GAMES,
        about: "the voices of pilots: accentID of aiv.zrd, and the numbers N of the sets idN in sounds.zrd from which \
                one is chosen",
        unknown: "",
        is_wrapped: true,
        // 35 rows.
        content: Each(&[RowAndEach(
            &[int("an accentID", 0)],
            &[int("the number of a voice", 1)],
        )]),
    },
    KnownReader {
        name: "camparam",
        members: &["camparam"],
        games: GAMES,
        about: "the cameras: default, and what differs for an aircraft, under its shown name",
        unknown: "",
        is_wrapped: true,
        content: Each(&[
            text("default, or an aircraft's shown name", "default"),
            Keys(CAMERA),
        ]),
    },
    KnownReader {
        name: "shakes",
        members: &["shakes"],
        games: GAMES,
        about: "how aircraft shake: fire_bullet, bullet_impact, missile_impact, explosion, high_speed, nitro",
        unknown: "what the factors of hits and explosions multiply",
        is_wrapped: true,
        content: Each(&[
            text("a cause", "nitro"),
            Keys(&[
                key("frequency", "", Row(&[number("", 4.0).unit("Hz")])),
                key("damp", "how fast it ends", NUMBER),
                key("sawtooth", "1 for a saw tooth", Row(&[number("", 1.0)])),
                may("magnitude", "how strong, whatever the cause", NUMBER),
                may(
                    "magnitude_factor",
                    "a factor; of fire_bullet that of the calibre, in rad",
                    NUMBER,
                ),
                may("magnitude_quotient", "a divisor", NUMBER),
                may("he_factor", "a factor of what explodes", NUMBER),
                may(
                    "min_speed",
                    "from this speed on, probably 1.0 for fd_speed of vehicle.zrd",
                    NUMBER,
                ),
            ]),
        ]),
    },
];
