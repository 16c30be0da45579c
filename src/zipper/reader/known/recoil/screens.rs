//! Screens, films and options of Recoil, as its engine reads them.

use super::{
    COLOR, Each, GAMES, Key, Keys, KeysAndNamed, KnownReader, MISSIONS, Row, Shape, float, int,
    key, may, number, sample, text, texture,
};
use crate::reader::known::{Any, either};

const PLACE: Shape = Row(&[int("x", 0), int("y", 0)]);

const BOX: Shape = Row(&[
    int("left", 0),
    int("top", 0),
    int("right", 64),
    int("bottom", 64),
]);

/// A picture: 0x413d30. The last two values count only together.
const PICTURE: Shape = Row(&[
    texture("a picture", "panel.tif"),
    int("x", 0),
    int("y", 0),
    text("unknown: TRUE or FALSE", "TRUE"),
    text("TRUE if x and y are its middle", "FALSE"),
]);

/// Four values of a font: 0x413aa0.
const FONT: Shape = Row(&[
    text("its name", "Arial"),
    int(
        "a number: height, weight and width, in an order that is not known",
        12,
    ),
    int("another", 0),
    int("another", 0),
]);

const LABEL: Shape = Row(&[
    text("a text, or the key of a message", "MSG_LABEL"),
    int("x", 0),
    int("y", 0),
    int("the number of its font", 0),
]);

const FLASH: &[Key] = &[
    may(
        "RATE",
        "how fast; 0 for not at all",
        Row(&[number("", 1.0)]),
    ),
    may("COLOR", "", COLOR),
];

/// A button while something is the case.
const LOOK: Shape = Keys(&[
    may("BITMAP", "", Row(&[texture("", "button2.tif")])),
    may(
        "SOUND",
        "",
        Row(&[sample("", "click"), number("its volume", 1.0)]),
    ),
    may("LABEL", "a label, or a list of labels", LABEL),
    may("FLASH", "its labels flash", Keys(FLASH)),
]);

/// A screen: 0x4b9900, its parts 0x4ba070 and 0x4ba0e0, its buttons 0x4b59f0.
const SCREEN: Shape = Keys(&[
    may(
        "IMAGE_PATH",
        "a folder of pictures",
        Row(&[text("", "..\\data\\common\\images")]),
    ),
    may(
        "FONTS",
        "its fonts",
        Each(&[Row(&[
            int("its number", 0).within(0.0, 19.0),
            text("its name", "Arial"),
            int("its height", 12),
            Any("its colour, or a list of its colour and that behind it"),
            int("its weight", 400),
            int("1 for a shadow", 0),
            text("", "LEFT").choices(&[("LEFT", ""), ("RIGHT", ""), ("CENTER", "")]),
        ])]),
    )
    .items(0, 19),
    may(
        "BACKGROUND_IMAGES",
        "pictures",
        Each(&[Row(&[
            texture("a picture", "menu.tif"),
            int("x", 0),
            int("y", 0),
        ])]),
    )
    .items(0, 19),
    may(
        "BACKGROUND_VIDEOS",
        "films",
        Each(&[Row(&[
            text("a file", "menu.avi"),
            int("x", 0),
            int("y", 0),
            Row(&[
                int("the colour that is transparent: red", 0),
                int("green", 0),
                int("blue", 0),
            ]),
        ])]),
    )
    .items(0, 9),
    may("BACKGROUND_TEXT", "texts", Each(&[LABEL])).items(0, 49),
    may(
        "CURSOR",
        "the pointer",
        Keys(&[
            may("BITMAP", "", Row(&[texture("", "pointer.tif")])),
            may(
                "CENTER",
                "with any text the middle of the picture points",
                Row(&[text("", "TRUE")]),
            ),
            may("CAPTURE", "1 without it", Row(&[int("", 1)])),
        ]),
    ),
    may(
        "BACKGROUND_SOUNDS",
        "samples that are played",
        Each(&[Row(&[
            sample("a sample", "music"),
            number("its volume", 1.0),
        ])]),
    )
    .items(0, 9),
    may(
        "PRIMITIVES",
        "its parts, each under the name that the game knows",
        Each(&[
            text("a part", "MESSAGES"),
            Keys(&[
                may("BITMAP", "", Row(&[texture("", "part.tif")])),
                may("POSITION", "", PLACE),
                may(
                    "WORDWRAP",
                    "lines are broken",
                    Row(&[int("width", 200), int("height", 100)]),
                ),
                may("FONT", "", Row(&[int("the number of its font", 0)])),
                may("COLOR", "", COLOR),
                may("ENDP_REL", "of a line: its end, from POSITION on", PLACE),
                may("ENDP_ABS", "of a line: its end", PLACE),
            ]),
        ]),
    ),
    may(
        "BUTTONS",
        "buttons, lists and fields, each under the name that the game knows",
        Each(&[
            text("a button", "OK"),
            Keys(&[
                may("POSITION", "", PLACE),
                may(
                    "BITMAP",
                    "",
                    Row(&[
                        texture("", "button.tif"),
                        int("x, from POSITION on", 0),
                        int("y", 0),
                    ]),
                ),
                may("LABEL", "a label, or a list of labels", LABEL),
                may("FLASH", "its labels flash", Keys(FLASH)),
                may("ROLLOVER", "while the pointer is on it", LOOK),
                may("DISABLE", "while it cannot be pressed", LOOK),
                may("ACTIVATE", "while it is pressed", LOOK),
            ]),
        ]),
    ),
]);

const SHARED: Key = may(
    "SHARED_IMAGE_PATH",
    "a folder of pictures for all of them",
    Row(&[text("", "..\\data\\common\\images")]),
);

/// `dialog.zrd`.
pub(super) const MENUS: Shape = KeysAndNamed(
    &[
        SHARED,
        key(
            "MP_NEW_GAME",
            "the multiplayer missions of a new game",
            MISSIONS,
        ),
        key("MP_NEW_WORLD", "the same, of the next world", MISSIONS),
        key("MP_NEW_CYCLE", "the same, of a cycle", MISSIONS),
    ],
    &[text("a screen: MAINMENU0 and so on", "MESSAGEBOX"), SCREEN],
);

/// An option: its first rule that fits decides. 0x407680, conditions 0x407470.
const OPTION: Shape = Each(&[Row(&[
    text(
        "DEFAULT, which fits always, or a list: CPU_CLASS, CPU_MHZ, VIDEO_KB, RAM_KB or HW_ACCEL; ==, !=, <, >, <=, >= \
         or ~=, which is within 2 %; a number or a word",
        "DEFAULT",
    ),
    either(
        "a number or a word: TRUE, FALSE, HIGH, MEDIUM, LOW, CPU_CLASS_PENTIUM, TEXMEM_4MB, ZVID_640x480x16, HUD_TYPEI, \
         SOUND_API_A3D and others; 0 for an unknown one",
        1,
    ),
])]);

/// Actions of a film: 0x4626b0. Crimson Skies has the same, and others.
const SCRIPT: Shape = Each(&[Row(&[text(
    "what to do: SHOWIMAGE, LOADIMAGE picture; BLITIMAGE picture, x, y; WAIT seconds; FADEIN, FADEOUT [red, green, \
     blue], a time, an integer; PLAYAVI file, an integer; PLAYMCI file; BLUR, BLURH, BLURV integer; PLAYSOUND \
     sample. The game skips other ones",
    "WAIT",
)])]);

pub(in crate::reader::known) const FMV: Shape = KeysAndNamed(
    &[
        may("FMV_PATH", "the folder of films", Row(&[text("", "video")])),
        may(
            "IMAGE_PATH",
            "the folder of pictures",
            Row(&[text("", "..\\data\\common\\images")]),
        ),
    ],
    &[text("a script: INTRO and so on", "INTRO"), SCRIPT],
);

pub(super) const ALL: &[KnownReader] = &[
    KnownReader {
        name: "hud",
        members: &["hud"],
        games: GAMES,
        about: "what is shown over the game: sensor, objectives, weapons, shield, and their fonts",
        unknown: "",
        is_wrapped: false,
        // 0x410160. Positions of SENSOR, OBJECTIVE and SHIELD count from the picture before them.
        content: Keys(&[
            key(
                "TYPEI",
                "the simple one: where the world is shown",
                Row(&[BOX]),
            ),
            key(
                "TYPEII",
                "the other one",
                Row(&[
                    BOX,
                    PICTURE,
                    PICTURE,
                    PICTURE,
                    Row(&[
                        texture("the first picture for a width of 320", "top320.tif"),
                        texture("for 400", "top400.tif"),
                        texture("the third picture for a width of 320", "low320.tif"),
                        texture("for 400", "low400.tif"),
                    ]),
                ]),
            ),
            may(
                "FONTS",
                "",
                Keys(&[
                    may("OBJ_SUMMARY", "", FONT),
                    may("OBJ_DESCRIPTION", "", FONT),
                    may("STRINGS", "", FONT),
                    may("MESSAGES", "", FONT),
                    may("AMMO", "", FONT),
                ]),
            ),
            may("NANITE", "", Row(&[BOX, PICTURE, PICTURE, PICTURE])),
            may(
                "SENSOR",
                "",
                Row(&[
                    PICTURE,
                    float("unknown", 1.0),
                    Row(&[int("x of the world", 0), int("y", 0)]),
                    Row(&[int("its width", 64), int("height", 64)]),
                    float("how far it sees", 500.0),
                    PICTURE,
                    BOX,
                ]),
            ),
            may(
                "OBJECTIVE",
                "",
                Row(&[
                    float("how long a step takes", 1.0).unit("s"),
                    PICTURE,
                    BOX,
                    Row(&[int("red, 0 to 255", 0), int("green", 128), int("blue", 0)]),
                    Row(&[int("the title: x", 0), int("y", 0)]),
                    Row(&[int("the text: x", 0), int("y", 16)]),
                    BOX,
                    Row(&[int("the label: x", 0), int("y", 0)]),
                ]),
            ),
            may(
                "RETICULE",
                "",
                Row(&[
                    texture("a picture", "aim1.tif"),
                    texture("another", "aim2.tif"),
                    texture("another", "aim3.tif"),
                ]),
            ),
            may(
                "STATS",
                "",
                Row(&[
                    Row(&[int("the counter: x", 0), int("y", 0)]),
                    Row(&[int("the time: x", 0), int("y", 0)]),
                    Row(&[
                        int("the list at first: x", 0),
                        int("y", 0),
                        int("a line's height", 10),
                    ]),
                    Row(&[
                        int("the list at last: x", 0),
                        int("y", 0),
                        int("a line's height", 10),
                    ]),
                    Row(&[int("the column of laps at first", 50), int("at last", 50)]),
                    Row(&[int("the column of kills at first", 80), int("at last", 80)]),
                    Row(&[int("the font's height at first", 10), int("at last", 10)]),
                    Row(&[int("the font's weight at first", 400), int("at last", 400)]),
                ]),
            ),
            may(
                "SHIELD",
                "",
                Row(&[
                    PICTURE,
                    Row(&[text("a text", "000"), int("x", 0), int("y", 0)]),
                    BOX,
                ]),
            ),
            may(
                "TARGET",
                "five pictures",
                Each(&[texture("a picture", "target.tif")]),
            ),
            may(
                "WEAPON",
                "nine weapons",
                Each(&[Row(&[
                    texture("a picture", "gun1.tif"),
                    texture("another", "gun2.tif"),
                    texture("another", "gun3.tif"),
                    texture("another", "gun4.tif"),
                    texture("another", "gun5.tif"),
                    texture("the picture beside it", "side1.tif"),
                    texture("another", "side2.tif"),
                    int("x", 0),
                    int("y", 0),
                ])]),
            ),
            may(
                "MODES",
                "four modes of the vehicle",
                Each(&[Row(&[
                    texture("a picture", "mode1.tif"),
                    texture("another", "mode2.tif"),
                    texture("another", "mode3.tif"),
                    int("x", 0),
                    int("y", 0),
                ])]),
            ),
        ]),
    },
    KnownReader {
        name: "briefing",
        members: &["briefing"],
        games: GAMES,
        about: "the briefings: a screen for each mission",
        unknown: "the other keys of TRANSPORT_PROGRESS",
        is_wrapped: false,
        // 0x403930.
        content: Keys(&[
            SHARED,
            key(
                "CAMPAIGN1",
                "the screen of mission 1. Its PRIMITIVES are MISSION_NAME, OBJECTIVE_SUMMARY, OBJECTIVE_DESC, \
                 OBJECTIVE_PICT, MESSAGES, TRANSMISSION_HALTED, LOCATOR1 to LOCATOR6, its button is TRANSPORT_PROGRESS",
                SCREEN,
            ),
        ]),
    },
    KnownReader {
        name: "fmv",
        members: &["fmv"],
        games: GAMES,
        about: "films and pictures: INTRO, ATTRACT, MISSIONOVER, GRANDPRIZE, and M with the sign of a mission",
        unknown: "",
        is_wrapped: false,
        content: FMV,
    },
    KnownReader {
        name: "detail",
        members: &["detail"],
        games: GAMES,
        about: "the options of a new player, by the computer; _SW without a graphics card, _HW with one",
        unknown: "",
        is_wrapped: false,
        // 0x407700.
        content: Keys(&[
            may("EffectsLevel_SW", "", OPTION),
            may("EffectsLevel_HW", "", OPTION),
            may("Transparency", "", OPTION),
            may("Lighting", "", OPTION),
            may("Perspective", "", OPTION),
            may("AllVideoBuffer", "", OPTION),
            may("GlobalLight_SW", "", OPTION),
            may("GlobalLight_HW", "", OPTION),
            may("ObjectLOD_SW", "", OPTION),
            may("ObjectLOD_HW", "", OPTION),
            may("TextureMemory_SW", "", OPTION),
            may("TextureMemory_HW", "", OPTION),
            may("SoundLOD", "", OPTION),
            may("HUDFlag_SW", "", OPTION),
            may("HUDFlag_HW", "", OPTION),
            may("HUDType_SW", "", OPTION),
            may("HUDType_HW", "", OPTION),
            key("VMode", "the resolution", OPTION),
        ]),
    },
];
