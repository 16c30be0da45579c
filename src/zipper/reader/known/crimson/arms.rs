//! Weapons and turrets of Crimson Skies, and the craters. Sources: CSVM's counts over the shipped
//! files (weapons.md, turrets.md) and what it read in the game's code (turrets.md, craters.md).

use super::{
    super::recoil::{CRATERS, QUICK_SAND},
    Each, GAMES, Key, Keys, KnownReader, Row, SECONDS, Shape, YES, animation, flag, int, key, may,
    message, node, number, sample, text,
};

/// What a weapon shows and plays. A value may be an empty list.
const EVENT: &[Key] = &[
    may("ANIMATION", "", Row(&[animation("", "small_burst")])),
    may("EFFECT", "", Row(&[text("an effect", "puff")])),
    may("SOUND", "", Row(&[sample("", "snd_burst")])),
];

const HIT: &[Key] = &[
    may("ANIMATION", "", Row(&[animation("", "small_burst")])),
    may(
        "SURFACE_ANIMATION",
        "an animation that is turned to the surface",
        Row(&[animation("", "dust")]),
    ),
    may("EFFECT", "", Row(&[text("an effect", "puff")])),
    may("SOUND", "", Row(&[sample("", "snd_burst")])),
];

/// A weapon: 48 in the only file.
const WEAPON: &[Key] = &[
    key("DESC", "its name", Row(&[message("", "MSG_WEAP_TURRET")])),
    key(
        "NAME",
        "its short name, in the gauges",
        Row(&[text("", "GUN")]),
    ),
    may("CALIBER", "of a gun", Row(&[number("", 30.0)])),
    may("PRIORITY", "which one is chosen", Row(&[number("", 4.0)])),
    may(
        "CLUSTER_SIZE",
        "rounds of a group of guns, or of a pylon",
        Row(&[number("", 1000.0)]),
    ),
    may(
        "AMMO_LIMIT",
        "the most that can be bought",
        Row(&[number("", 1000.0)]),
    ),
    key("FIRE_RATE", "shots a second", Row(&[number("", 8.0)])),
    may(
        "VELOCITY",
        "speed of a shot",
        Row(&[number("", 1000.0).unit("m/s")]),
    ),
    may(
        "ACCELERATION",
        "of a rocket; 0 keeps its speed",
        Row(&[number("", 0.0).unit("m/s²")]),
    ),
    may(
        "RANGE",
        "how far it reaches",
        Row(&[number("", 1000.0).unit("m")]),
    ),
    may(
        "RANGE_MINIMUM",
        "nearer it does not go off",
        Row(&[number("", 300.0).unit("m"), number("unknown", 0.0)]),
    ),
    may(
        "GRAVITY",
        "a factor of the gravity",
        Row(&[number("", 0.0)]),
    ),
    may(
        "CANNON_SPREAD",
        "the cone in which shots scatter",
        Row(&[number("", 6.0).unit("°")]),
    ),
    may(
        "FIRING_HEAT",
        "heat of a shot; see cannon_jam in vehicle.zrd",
        Row(&[number("", 5.0)]),
    ),
    may(
        "TURN_RATE",
        "how fast it turns to its target",
        Row(&[number("", 0.001)]),
    ),
    may(
        "ARMOR_DAMAGE",
        "hit points of the armour",
        Row(&[number("", 3.0)]),
    ),
    may("HEALTH_DAMAGE", "hit points", Row(&[number("", 3.0)])),
    may(
        "DAMAGE",
        "instead of the two above",
        Row(&[number("", 0.0)]),
    ),
    may("LOCK_ON", "how long it takes to lock on", SECONDS),
    may(
        "LOCK_ON_LEAD",
        "how far it aims ahead of its target",
        Row(&[number("a number", 4.0), number("another", 8.0)]),
    ),
    may(
        "DETONATION_DISTANCE",
        "how near it goes off",
        Row(&[number("", 10.0).unit("m")]),
    ),
    may(
        "IMPACT_PROXIMITY",
        "how far its blast reaches",
        Row(&[number("", 50.0).unit("m")]),
    ),
    may(
        "DETONATION_DOT_PRODUCT",
        "it goes off within this cone, as a cosine",
        Row(&[number("", 0.1)]),
    ),
    may("DETONATION_TIME", "it goes off after this time", SECONDS),
    may(
        "CRATER",
        "the crater that it makes; a key counts only if its two values differ",
        Keys(&[
            may("points", "", Row(&[int("least", 5), int("most", 7)])),
            may(
                "radius",
                "",
                Row(&[number("least", 10.0), number("most", 20.0)]),
            ),
            may(
                "depth",
                "",
                Row(&[number("least", 2.0), number("most", 3.0)]),
            ),
        ]),
    ),
    flag("CANNON", "a gun"),
    flag("ROCKET", "it flies by itself"),
    flag("HIGH_EXPLOSIVE", "it explodes"),
    flag("SONIC", "a shock wave"),
    flag("FLASH", "it blinds"),
    may(
        "BEEPER",
        "it marks its target",
        Keys(&[key("TIME", "how long", SECONDS)]),
    ),
    flag("BEEPER_SEEKER", "it flies to a marked target"),
    may(
        "TANGLER",
        "it stops engines",
        Keys(&[
            key("TIME", "", SECONDS),
            key("RADIUS", "", Row(&[number("", 35.0).unit("m")])),
            key(
                "ENGINE_DEAD",
                "how long",
                Row(&[
                    number("at least", 5.0).unit("s"),
                    number("at most", 13.0).unit("s"),
                ]),
            ),
        ]),
    ),
    may(
        "SMOKE_SCREEN",
        "it lays smoke",
        Keys(&[key("TIME", "how long", SECONDS)]),
    ),
    flag("REAR", "it is fired backwards"),
    flag("TORPEDO", "a torpedo"),
    flag("TARGETABLE", "the shot can be hit"),
    may(
        "FLYOUT_HEALTH",
        "hit points of the shot",
        Row(&[number("", 10.0)]),
    ),
    may(
        "PROJECTILE_BBOX",
        "the box of the shot; its meaning is not known",
        Row(&[number("", 0.0)]),
    ),
    may(
        "DESTROY_ANIMATION",
        "played when the shot is hit",
        Row(&[animation("", "boom")]),
    ),
    flag("DAMAGES_ZEPPELIN", "it damages the hull of a zeppelin"),
    flag("SHAKES_CAMERA", "it shakes the camera"),
    may(
        "LOOPED_SOUND_NAME",
        "heard while it fires",
        Row(&[sample("", "snd_gun")]),
    ),
    may("FIRE", "where it is fired", Keys(EVENT)),
    may(
        "FLYOUT",
        "the shot",
        Keys(&[
            may("MODEL", "", Row(&[node("", "shell")])),
            may("MODEL_ANIMATION", "", Row(&[animation("", "spin")])),
            may("SOUND", "", Row(&[sample("", "snd_shell")])),
        ]),
    ),
    may(
        "IMPACT",
        "where it hits, by what is hit: default, water, buildings, player, enemy, quicksand",
        Each(&[text("what is hit", "default"), Keys(HIT)]),
    ),
];

const ARC: Shape = Row(&[
    number("from", -30.0).unit("°"),
    number("to", 60.0).unit("°"),
]);

const SPELL: Shape = Row(&[
    number("at least", 2.0).unit("s"),
    number("at most", 4.0).unit("s"),
]);

/// A turret: 42 in the only file. The game knows 22 keys; what is not read is from older versions.
const TURRET: &[Key] = &[
    key(
        "TITLE",
        "its name, by which a vehicle or zeppelin finds it",
        Row(&[message("", "MSG_TUR_TRAIN")]),
    ),
    key("ACTIVATED", "whether it is armed from the start", YES),
    key(
        "PARTS",
        "the node that turns, the one that is raised, and the one or the list that it fires from, one after another; \
         with two, one node turns and is raised",
        Each(&[node("", "turret")]),
    ),
    key(
        "WEAPON",
        "",
        Keys(&[
            key(
                "NAME",
                "a key of BALLISTICS in weapons.zrd",
                Row(&[text("", "wep_29")]),
            ),
            may("AMMO", "rounds", Row(&[int("", 9999)])),
            may(
                "DETECTION_RANGE",
                "how far it sees",
                Row(&[number("", 500.0).unit("m")]),
            ),
            may(
                "FIRE_RATE",
                "the time between two shots: a number, or least and most",
                Row(&[number("", 1.0).unit("s"), number("at most", 1.8).unit("s")]),
            ),
        ]),
    ),
    key(
        "INACCURACY",
        "how far shots scatter to each side",
        Row(&[number("", 5.0).unit("°")]),
    ),
    key(
        "ATTACK_INTERVAL",
        "how long it fires: a number, or least and most",
        SPELL,
    ),
    key(
        "BORED_INTERVAL",
        "how long it does not: a number, or least and most",
        SPELL,
    ),
    may(
        "PITCH",
        "how it is raised; without a limit if both are the same",
        ARC,
    ),
    may(
        "YAW",
        "how it turns, the way from the first to the second; without a limit if both are the same",
        ARC,
    ),
    may(
        "SOUNDS",
        "",
        Keys(&[
            may("ON", "", Row(&[sample("", "snd_on")])),
            may("START", "", Row(&[sample("", "snd_start")])),
            may("STOP", "", Row(&[sample("", "snd_stop")])),
            may(
                "CANNON",
                "heard while it fires",
                Row(&[sample("", "snd_gun")]),
            ),
        ]),
    ),
    may(
        "NODES",
        "nodes of the world that become such turrets; * is any digit",
        Each(&[node("", "aagun**")]),
    ),
    may(
        "TEAM",
        "1 for the player's side; without it an enemy's",
        Row(&[int("", 1)]),
    ),
    may(
        "HEALTH",
        "not read: the animation that destroys its node has its hit points",
        Row(&[number("", 10.0)]),
    ),
    may(
        "CREATE_STANDALONE",
        "0 for one that a vehicle or zeppelin carries; without it, NODES count",
        Row(&[int("", 0)]),
    ),
    may(
        "HEALTHY_NODE",
        "the turret stops with this node; healthy without it",
        Row(&[node("", "healthy")]),
    ),
    may(
        "DEACTIVATE",
        "another node with which it stops",
        Row(&[node("", "radar")]),
    ),
    may(
        "EFFECT",
        "shown while it fires",
        Row(&[node("", "flash"), number("how long", 0.1).unit("s")]),
    ),
    may(
        "FIRE_LIMITS",
        "bursts",
        Row(&[
            number("how long", 3.0).unit("s"),
            number("the pause", 2.0).unit("s"),
        ]),
    ),
    may(
        "STICKINESS",
        "the cone in which it helps to aim; 0 for that of the weapon",
        Row(&[number("", 0.0).unit("°")]),
    ),
    may("SHOOT_UP_ONLY", "whether it ignores what is below it", YES),
    may(
        "CATEGORY_LABEL",
        "a text, shown as it is",
        Row(&[text("", "Gun")]),
    ),
    may("HELP_LABEL", "", Row(&[message("", "MSG_OBJ_DESTROY")])),
];

pub(super) const ALL: &[KnownReader] = &[
    KnownReader {
        name: "weapons",
        members: &["weapons"],
        games: GAMES,
        about: "guns, rockets and bombs, with their damage, range, sounds and effects",
        unknown: "",
        is_wrapped: true,
        content: Keys(&[
            key("VERSION", "2 in the game's file", Row(&[int("", 2)])),
            may(
                "NO_AMMO_WARNING",
                "heard when a weapon is empty",
                Row(&[sample("", "snd_empty")]),
            ),
            key(
                "BALLISTICS",
                "the weapons, each under its key; other readers name the keys",
                Each(&[text("a weapon's key", "wep_29"), Keys(WEAPON)]),
            ),
        ]),
    },
    KnownReader {
        name: "ai",
        members: &["ai"],
        games: GAMES,
        about: "the turrets of all missions: those of the world, and those that aircraft and zeppelins carry",
        unknown: "whether a name is before each turret's list, as in Recoil: look at ai.zrd of the game",
        is_wrapped: true,
        content: Keys(&[key("TURRET", "the turrets", Each(&[Keys(TURRET)]))]),
    },
    KnownReader {
        name: "declient",
        members: &["declient"],
        games: GAMES,
        about: "craters and quicksand. No node of the game's worlds can have craters",
        unknown: "",
        is_wrapped: true,
        // The loader of Recoil. The shipped files have DEFAULT_EFFECT, which it does not read.
        content: Keys(&[CRATERS, QUICK_SAND]),
    },
];
