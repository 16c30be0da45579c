//! Tests of raP as bytes and as text.

use super::{
    model::{ArrayItem, BodyLayout::*, ConfigEntry, ConfigValue},
    *,
};
use refit_base::wire::{ErrorKind, bytes_of_hex};

/// Text and file of each example of the format's description: the layout, the text, the bytes.
const VECTORS: &[(BodyLayout, &str, &str)] = &[
    (
        DepthFirst,
        "",
        "0072615000000000080000001600000000001600000000000000",
    ),
    (
        DepthFirst,
        r#"a = "b";"#,
        "0072615000000000080000001c00000000010100610062001c00000000000000",
    ),
    (
        DepthFirst,
        "a = 1;",
        "0072615000000000080000001e000000000101026100010000001e00000000000000",
    ),
    (
        DepthFirst,
        "a = -1;",
        "0072615000000000080000001e000000000101026100ffffffff1e00000000000000",
    ),
    (
        DepthFirst,
        "a = 3.14;",
        "0072615000000000080000001e000000000101016100c3f548401e00000000000000",
    ),
    (
        DepthFirst,
        "a = 1.0;",
        "0072615000000000080000001e0000000001010161000000803f1e00000000000000",
    ),
    (
        DepthFirst,
        "a = -0.0;",
        "0072615000000000080000001e000000000101016100000000801e00000000000000",
    ),
    (
        DepthFirst,
        "a = 1e-05;",
        "0072615000000000080000001e000000000101016100acc527371e00000000000000",
    ),
    (
        DepthFirst,
        "a = 0.56234133;",
        "0072615000000000080000001e0000000001010161009af50f3f1e00000000000000",
    ),
    (
        DepthFirst,
        "a = 16777216.0;",
        "0072615000000000080000001e0000000001010161000000804b1e00000000000000",
    ),
    (
        DepthFirst,
        "a = 10000000000;",
        "0072615000000000080000002200000000010106610000e40b54020000002200000000000000",
    ),
    (
        DepthFirst,
        "a = /*i64*/ 5;",
        "0072615000000000080000002200000000010106610005000000000000002200000000000000",
    ),
    (
        DepthFirst,
        r#"a = "say ""hi""";"#,
        "007261500000000008000000230000000001010061007361792022686922002300000000000000",
    ),
    (
        DepthFirst,
        r#"a = "x" \n "y";"#,
        "0072615000000000080000001e000000000101006100780a79001e00000000000000",
    ),
    (
        DepthFirst,
        r#"a = "x\ny";"#,
        "0072615000000000080000001f000000000101006100785c6e79001f00000000000000",
    ),
    (
        DepthFirst,
        r#"a = "\";"#,
        "0072615000000000080000001c0000000001010061005c001c00000000000000",
    ),
    (
        DepthFirst,
        "a[] = {};",
        "0072615000000000080000001a0000000001026100001a00000000000000",
    ),
    (
        DepthFirst,
        r#"a[] = {1, 2.5, "x", {{}, -3}};"#,
        "00726150000000000800000030000000000102610004020100000001000020400078000302030002fdffffff3000000000000000",
    ),
    (
        DepthFirst,
        "a[] += {1};",
        "007261500000000008000000230000000001050100000061000102010000002300000000000000",
    ),
    (
        DepthFirst,
        r#"a[] -= {"x"};"#,
        "00726150000000000800000021000000000105020000006100010078002100000000000000",
    ),
    (
        DepthFirst,
        "class A {};",
        "0072615000000000080000002300000000010041001d0000002300000000002300000000000000",
    ),
    (
        DepthFirst,
        "class A;\nclass B: A {\n};\ndelete C;",
        "0072615000000000080000002a0000000003034100004200230000000443002a0000004100002a00000000000000",
    ),
    (
        DepthFirst,
        "class A {\nclass B {\nx = 1;\n};\n};\nclass C {};",
        "007261500000000008000000450000000002004100240000000043003f000000450000000001004200310000003f0000\
        00000101027800010000003f00000000004500000000000000",
    ),
    (
        WithoutNext,
        "class A {\nclass B {\nx = 1;\n};\n};\nclass C {};",
        "007261500000000008000000350000000002004100200000000043003300000000010042002900000000010102780001\
        000000000000000000",
    ),
    (
        BreadthFirst,
        "class A {\nclass B {\nx = 1;\n};\n};\nclass C {};",
        "007261500000000008000000450000000002004100240000000043003100000024000000000100420037000000310000\
        00000037000000000101027800010000004500000000000000",
    ),
    (
        DepthFirst,
        "3x[] = {1};\nclass 13th {};",
        "007261500000000008000000300000000002023378000102010000000031337468002a0000003000000000003000000000000000",
    ),
    (
        DepthFirst,
        "a = __EVAL(b + 1);",
        "0072615000000000080000002000000000010104610062202b2031002000000000000000",
    ),
    (
        DepthFirst,
        "// encoding cp1252\na = \"©\";",
        "0072615000000000080000001c000000000101006100a9001c00000000000000",
    ),
    (
        DepthFirst,
        r#"a = "España";"#,
        "0072615000000000080000002200000000010100610045737061c3b161002200000000000000",
    ),
    (
        DepthFirst,
        "enum {one = 1, two = 2};",
        "00726150000000000800000016000000000016000000020000006f6e65000100000074776f0002000000",
    ),
    (
        DepthFirst,
        "a = /*f=7fc00000*/ 0.0;",
        "0072615000000000080000001e0000000001010161000000c07f1e00000000000000",
    ),
    (
        DepthFirst,
        r#"a = /*x=0d*/ "";"#,
        "0072615000000000080000001c0000000001010061000d001c00000000000000",
    ),
    (
        DepthFirst,
        "a = 1;\na = 2;",
        "007261500000000008000000260000000002010261000100000001026100020000002600000000000000",
    ),
    (
        Table4,
        "class A { x = 1; y = \"x\"; z[] = {\"A\", 0.5, {}}; }; class B: A {};",
        "0072615004000000006600000200014100000301020278000100000001000379000202047a00030001010000003f0300\
        00054200410000",
    ),
    (
        Table3,
        "class A { x = 1; y = \"x\"; z[] = {\"A\", 0.5, {}}; }; class B: A {};",
        "0072615003000000006600000200000000014100000300000001020278000100000001000379000202047a0003000000\
        0001010000003f030000000000054200410000000000",
    ),
    (
        Table2,
        "class A { x = 1; y = \"x\"; z[] = {\"A\", 0.5, {}}; }; class B: A {};",
        "007261500200000000000000660000020000000001000000410000030000000102020000007800010000000100030000\
        0079000200000002040000007a00030000000001000000010000003f030000000000050000004200410000000000",
    ),
];

fn bytes(hex: &str) -> Bytes {
    bytes_of_hex(hex).unwrap().into()
}

/// A text in a layout. The root of Operation Flashpoint's examples has the name `f`.
fn config(text: &str, layout: BodyLayout) -> Rap {
    let mut rap = Rap::from_text(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    rap.0.layout = layout;
    if layout.table().is_some() {
        rap.0.config.name = "f".into();
    }
    rap
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn every_example_is_the_same_as_bytes_and_as_text() {
    for (layout, text, hex) in VECTORS {
        let file = bytes(hex);
        let rap = Rap::from_bytes(&file).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(
            (rap.0.layout, rap.0.enum_offset, rap.0.odd_next.len()),
            (*layout, None, 0),
            "{text}"
        );
        assert_eq!(rap.write().unwrap(), file, "{text}");
        let printed = rap.text();
        assert_eq!(without_blanks(&printed), without_blanks(text));
        for text in [text, &*printed] {
            assert_eq!(config(text, *layout).write().unwrap(), file, "{text}");
        }
    }
    assert_eq!(VECTORS.len(), 36);
}

#[test]
fn an_array_of_128_items_has_a_packed_number_of_two_bytes() {
    let text = format!("a[] = {{{}}};", vec!["0"; 128].join(","));
    let file: Bytes = config(&text, DepthFirst).write().unwrap().into();
    assert_eq!(file.len(), 671);
    assert!(file.starts_with(&bytes(
        "00726150 00000000 08000000 9B020000 00 01 02 6100 8001 0200000000"
    )));
    assert_eq!(Rap::from_bytes(&file).unwrap().write().unwrap(), file);
}

/// Text that the language cannot express has a mark and survives the round trip.
#[test]
fn odd_bytes_have_marks() {
    let value = |value: ConfigValue| EntryContent::Value(value);
    let text = |bytes: &'static [u8]| value(ConfigValue::Text(Bytes::from_static(bytes)));
    let expression = |text: &'static str| value(ConfigValue::Expression(text.into()));
    let float = |bits: u32| value(ConfigValue::Float(refit_base::wire::F32::from_bits(bits)));
    for (name, content, shown) in [
        (&b"a"[..], text(b"\r\n"), "a = /*x=0d0a*/ \"\";"),
        (b"a", text(b"\xff\x81"), "a = /*x=ff81*/ \"\";"),
        (
            b"a",
            text(b"\t/* no comment */ // \n;"),
            "a = \"\t/* no comment */ // \" \\n \";\";",
        ),
        (
            b"a",
            expression("f(\")\") select 0"),
            "a = __EVAL(f(\")\") select 0);",
        ),
        (b"a", expression(")"), "a = /*v=29*/ \"\";"),
        (b"a", expression("\""), "a = /*v=22*/ \"\";"),
        (b"a", expression("1 // 2"), "a = /*v=31202f2f 2032*/ \"\";"),
        (b"a", expression(" 1 "), "a = __EVAL( 1 );"),
        (b"a", float(0xff80_0000), "a = /*f=ff800000*/ 0.0;"),
        (b"a", float(1), "a = 1e-45;"),
        (b"a", float(0x7f7f_ffff), "a = 3.4028235e+38;"),
        (
            b"a",
            EntryContent::Array(vec![
                ArrayItem::Value(ConfigValue::Text("\r".into())),
                ArrayItem::Array(vec![ArrayItem::Value(ConfigValue::Float(
                    refit_base::wire::F32::from_bits(0x7fc0_0000),
                ))]),
                ArrayItem::Value(ConfigValue::Long(5)),
            ]),
            "a[] = {/*x=0d*/ \"\", {/*f=7fc00000*/ 0.0}, /*i64*/ 5};",
        ),
        (
            b"a",
            value(ConfigValue::Long(i64::MIN)),
            "a = -9223372036854775808;",
        ),
        (b"a", value(ConfigValue::Long(-1)), "a = /*i64*/ -1;"),
        (
            b"",
            value(ConfigValue::Int(i32::MIN)),
            "/*n=*/ _ = -2147483648;",
        ),
        (
            b"class",
            value(ConfigValue::Int(1)),
            "/*n=636c6173 73*/ _ = 1;",
        ),
        (b"a b", EntryContent::External, "class /*n=612062*/ _;"),
        (b"\xe4", EntryContent::Deleted, "delete /*n=e4*/ _;"),
        (
            b"a",
            EntryContent::Changed(0xffff_ffff, Vec::new()),
            "a[] /*add=4294967295*/ += {};",
        ),
        (
            b"a",
            EntryContent::Array(vec![ArrayItem::Array(vec![ArrayItem::Value(
                ConfigValue::Text("".into()),
            )])]),
            "a[] = {{\"\"}};",
        ),
    ] {
        let mut rap = Rap::from_config(Config::default());
        rap.0.config.classes[0].entries.push(ConfigEntry {
            name: Bytes::from_static(name),
            content,
        });
        assert_eq!(rap.text(), format!("{shown}\n"));
        assert_eq!(
            Rap::from_text(rap.text()).unwrap().0.config,
            rap.0.config,
            "{shown}"
        );
        assert_eq!(
            Rap::from_bytes(&rap.write().unwrap().into())
                .unwrap()
                .0
                .config,
            rap.0.config,
            "{shown}"
        );
    }
    let mut rap = config("class A {};", DepthFirst);
    rap.0.config.classes[1].base = "a b".into();
    rap.0.config.enums = vec![(Bytes::new(), 33), ("a b".into(), -1)];
    assert_eq!(
        rap.text(),
        "class A: /*n=612062*/ _ {};\nenum {\n\t= 33,\n\t/*n=612062*/ _ = -1\n};\n"
    );
    assert_eq!(Rap::from_text(rap.text()).unwrap().0.config, rap.0.config);
}

#[test]
fn a_person_writes_as_for_the_games() {
    for (text, same) in [
        (
            "x = true; y = a b // c\nz = 0x1A",
            "x = \"true\"; y = \"a b\"; z = 26;",
        ),
        (
            "x = db-5; y = .5; z = 5.; w = 1e3;",
            "x = 0.56234133; y = 0.5; z = 5.0; w = 1000.0;",
        ),
        (
            "x = inf; y = -; z = 1.2.3;",
            "x = \"inf\"; y = \"-\"; z = \"1.2.3\";",
        ),
        (
            "x = +5; y = 2147483648; z = -2147483648;",
            "x = 5; y = 2147483648; z = -2147483648;",
        ),
        (
            "a[] = {1, 2,}; b[] = {x y; \"z\"\n,};",
            "a[] = {1, 2}; b[] = {\"x y\", \"z\"};",
        ),
        (
            "class A { x = 1; }\nclass B: A { };;",
            "class A { x = 1; }; class B: A {};",
        ),
        (
            "enum E { one, two, five = 5, six }",
            "enum { one = 0, two = 1, five = 5, six = 6 };",
        ),
        (
            "a = \"x\"\r\n\t\\n \"y\" ;\r\nb=__EVAL (1) ;",
            "a = \"x\" \\n \"y\"; b = __EVAL(1);",
        ),
        ("x/* c */=/* d */1/* e */;//", "x = 1;"),
        ("a[] = {,1,,{;},2;};", "a[] = {\"\", 1, \"\", {\"\"}, 2};"),
        ("\u{feff}x = C:\\a;", "x = \"C:\\a\";"),
    ] {
        assert_eq!(
            Rap::from_text(text)
                .unwrap_or_else(|e| panic!("{text}: {e}"))
                .text(),
            Rap::from_text(same).unwrap().text(),
            "{text}"
        );
    }
}

#[test]
fn errors_of_a_text_have_a_place() {
    for (text, place, word) in [
        ("a = \"x;\nb = 1;", (1, 5), "not closed on its line"),
        ("\nclass A {\n", (2, 1), "no end"),
        ("};", (1, 1), "without a class"),
        ("  #include \"a\"", (1, 3), "preprocessor"),
        ("a = ;", (1, 5), "a value"),
        ("ä = 1;", (1, 1), "a name"),
        ("a[] = {1 2 \"x\"};", (1, 12), ", or }"),
        ("a = \"x\" \"y\";", (1, 9), ";"),
        ("a = 99999999999999999999;", (1, 5), "64 bits"),
        ("a = 1e39;", (1, 5), "above 32 bits"),
        ("a = /*x=0d*/ \"b\";", (1, 5), "delete it"),
        ("a = /*f=7fc00000*/ 1.0;", (1, 5), "0.0"),
        ("a[] /*add=3*/ = {};", (1, 5), "+="),
        ("/*n=61*/ b = 1;", (1, 1), "name _"),
        ("a = __EVAL(1;", (1, 11), "bracket"),
        ("/* a", (1, 1), "comment"),
        ("// encoding cp1252\na = \"äł\";", (2, 7), "Windows-1252"),
        ("enum { a = x };", (1, 8), "integer"),
        ("enum { a = 2147483647, b };", (1, 24), "above 32 bits"),
        ("__EXEC(1)", (1, 1), "does not run"),
        ("class A: B;", (1, 11), "{"),
        ("a = \"\0\";", (1, 6), "zero byte"),
        ("a += {1};", (1, 3), "="),
    ] {
        let e = Rap::from_text(text)
            .err()
            .unwrap_or_else(|| panic!("{text:?} was accepted"));
        // What only the game can read is no mistake.
        let kind = match text.starts_with("__EXEC") {
            true => ErrorKind::Limit,
            false => ErrorKind::Syntax,
        };
        assert_eq!((e.place(), e.kind()), (Some(place), kind), "{text:?}: {e}");
        assert!(e.to_string().contains(word), "{text:?}: {e}");
    }
    let deep = [
        "class A {".repeat(100_000),
        format!("a[] = {}", "{".repeat(100_000)),
        "class A {};".repeat(100_000),
    ];
    assert!(
        Rap::from_text(&*deep[0])
            .err()
            .unwrap()
            .to_string()
            .contains("nested more than 512")
    );
    assert!(
        Rap::from_text(&*deep[1])
            .err()
            .unwrap()
            .to_string()
            .contains("nested more than 512")
    );
    assert_eq!(
        Rap::from_text(&*deep[2]).unwrap().0.config.classes.len(),
        100_001
    );
}

/// A text as a person writes it, and what is compiled from it.
#[test]
fn sources_are_read_as_the_games_read_them() {
    let none = |_: &str, name: &str| Err(refit_base::wire::Error::missing(name));
    let compile = |file: &[u8]| Rap::compile("c.cpp", &decoded(file).unwrap(), &none);
    for (text, same) in [
        (
            "a = __EVAL(1 + 2 * 3); b[] = {__EVAL(5/2)};",
            "a = 7; b[] = {2.5};",
        ),
        ("#define N 4\na = __EVAL(N * 10 mod 7);", "a = 5;"),
        (
            "a = __EVAL(getResolution select 0);",
            "a = __EVAL(getResolution select 0);",
        ),
        ("a = __EVAL(1 > 0);", "a = __EVAL(1 > 0);"),
        (
            "a = call f \"x y\";\nb[] = {0.2,[\"Gamma\",1,1.5]};",
            "a = \"call f \"\"x y\"\"\"; b[] = {0.2, \"[\"\"Gamma\"\"\", 1, \"1.5]\"};",
        ),
        ("a = x \"http://y\" // z\n;", "a = \"x \"\"http://y\"\"\";"),
        (
            "enum { a = 2, b = a, c, d = 3 * 4 };",
            "enum { a = 2, b = 2, c = 3, d = 12 };",
        ),
        (
            "import A; import B from CfgX/Y; import C as D; import E from F as G;",
            "class A; class B; class D; class G;",
        ),
        ("import = 1; import[] = {2};", "import = 1; import[] = {2};"),
        ("x[] = {1,2,};\n#pragma y\nz = 1;", "x[] = {1, 2}; z = 1;"),
        ("class A { \\\n x = 1; };", "class A { x = 1; };"),
        ("a = 1;\n\u{feff}b = 2;", "a = 1; b = 2;"),
    ] {
        let made = compile(text.as_bytes()).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(made.text(), Rap::from_text(same).unwrap().text(), "{text}");
    }
    // Letters keep the bytes that they have in the file.
    let made = compile(b"a = \"\xfc\"; b = \"\xc3\xbc\"; c[] = {\xe4}; // \xff").unwrap();
    let bytes = made.write().unwrap();
    for part in [&b"\0a\0\xfc\0"[..], b"\0b\0\xc3\xbc\0", b"\0\xe4\0"] {
        assert!(bytes.windows(part.len()).any(|window| window == part));
    }
    for (text, word) in [
        (
            "a = __EVAL(1 / 0);",
            "c.cpp:1:5: __EVAL(1 / 0): it divides by zero",
        ),
        ("\na = __EVAL(_x + 1);", "c.cpp:2:5: __EVAL uses _x"),
        ("a = 1;\n__EXEC(_x = 1)", "c.cpp:2:1: __EXEC runs"),
        ("import X of Y;", "c.cpp:1:13: expected from, as or ;"),
    ] {
        let e = compile(text.as_bytes()).err().unwrap().to_string();
        assert!(e.contains(word), "{text}: {e}");
    }
    let e = compile(b"\xe4 = 1;").err().unwrap().to_string();
    assert!(e.contains("found the byte 0xe4"), "{e}");
    let notes = compile(b"#warning a\nimport X;").unwrap().1;
    assert!(notes[0] == "c.cpp:1: #warning a", "{notes:?}");
    assert!(notes[1].starts_with("c.cpp:2: import X: "), "{notes:?}");
    // The text of a tree means each value literally.
    for text in ["a = __EVAL( 1 );", "a = __EVAL(_x);", "b[] = {__EVAL(2)};"] {
        let file = Rap::from_text(text).unwrap();
        let again = Rap::compile_of_tree("c.cpp", &file.text(), &none).unwrap();
        assert_eq!(again.write().unwrap(), file.write().unwrap());
    }
    // Bombs: each is refused or done at once.
    for text in [
        format!("enum {{ a, {} }};", "b = a,".repeat(100_000)),
        "import X;".repeat(100_000),
        format!("a = __EVAL({});", "1+".repeat(20_000)),
        format!("a = __EVAL({}1);", "1+".repeat(20_000)),
        format!("a[] = {{{}}};", ",".repeat(1_000_000)),
        "#pragma x\n".repeat(100_000),
        format!("#if {}1\n#endif", "defined(A)||".repeat(20_000)),
    ] {
        let start = std::time::Instant::now();
        _ = compile(text.as_bytes());
        assert!(start.elapsed().as_secs() < 5, "{}", &text[..20]);
    }
}

/// The deepest accepted nesting survives the round trip in all layouts.
#[test]
fn deep_nesting_is_limited_and_needs_no_stack() {
    for deep in [512, 513] {
        let classes = format!("{}{}", "class A {".repeat(deep), "};".repeat(deep));
        let arrays = format!("a[] = {}{};", "{".repeat(deep), "}".repeat(deep));
        for text in [classes, arrays] {
            let made = Rap::from_text(text);
            assert_eq!(made.is_ok(), deep == 512);
            let Ok(Rap(parsed, _)) = made else { continue };
            for layout in [
                DepthFirst,
                WithoutNext,
                BreadthFirst,
                Table2,
                Table3,
                Table4,
            ] {
                let rap = Rap(
                    Parsed {
                        config: parsed.config.clone(),
                        layout,
                        ..Parsed::default()
                    },
                    Vec::new(),
                );
                let file: Bytes = rap.write().unwrap().into();
                let back = Rap::from_bytes(&file).unwrap();
                assert_eq!(
                    (&back.0.config, back.write().unwrap()),
                    (&parsed.config, file.to_vec())
                );
            }
        }
    }
}

#[test]
fn damaged_files_are_refused_with_their_place() {
    let empty = "0072615000000000080000001600000000001600000000000000";
    for (hex, at, word) in [
        (
            "00726150",
            4,
            "version at 0x4: needs 4 bytes, but 0 are left",
        ),
        ("0072615000000000080000001600", 12, "enum_offset"),
        (
            "0072615001000000080000001600000000001600000000000000",
            4,
            "unknown version 1",
        ),
        ("00726151", 0, "00 72 61 50"),
        ("00726150000000000800000016000000", 16, "not terminated"),
        (
            "007261500000000008000000160000000081808080801600000000000000",
            0x11,
            "more than 5 bytes",
        ),
        (
            "007261500000000008000000170000000080001700000000000000",
            0x11,
            "more bytes than it needs",
        ),
        // A body one byte after its usual place.
        (
            "0072615000000000080000002400000000010041001e000000240000000000002400000000000000",
            0x1e,
            "A at 0x1e: the body is not",
        ),
        // The same text twice in the table.
        ("007261500400000000660000010102016600", 0x0f, "already"),
        (
            "00726150000000000800000016000000008f8080807f1600000000000000",
            0x11,
            "above 32 bits",
        ),
        (
            "0072615000000000080000001600000000071600000000000000",
            0x12,
            "7 is more than the 8 bytes left",
        ),
        (
            "0072615000000000080000001600000000010700000000000000",
            0x12,
            "code 7",
        ),
        (
            "0072615000000000080000001e000000000101036100010000001e00000000000000",
            0x13,
            "type 3",
        ),
        (
            "0072615000000000080000001e00000000010261000205001e00000000000000",
            0x16,
            "a[0] at 0x16: no item has the code 5",
        ),
        (
            "0072615000000000080000002300000000010041000f0000002300000000002300000000000000",
            0x15,
            "A.offset",
        ),
        (
            "007261500000000008000000230000000001004100100000002300000000002300000000000000",
            0x15,
            "another class",
        ),
        (
            "0072615000000000080000002300000000010041ff100000002300000000002300000000000000",
            0,
            "",
        ),
    ] {
        let Err(e) = Rap::from_bytes(&bytes(hex)) else {
            assert!(word.is_empty(), "{hex} was accepted");
            continue;
        };
        if !word.is_empty() {
            assert!(e.to_string().contains(word), "{hex}: {e}");
            assert_eq!(e.offset(), Some(at), "{e}");
        }
    }
    // A truncated file is refused or survives the round trip.
    for (_, text, hex) in VECTORS {
        let file = bytes(hex);
        for end in 0..file.len() {
            if let Ok(rap) = Rap::from_bytes(&file.slice(..end)) {
                assert_eq!(rap.write().unwrap(), file[..end], "{text} cut at {end}");
            }
        }
    }
    assert!(Rap::from_bytes(&bytes(empty)).is_ok());
}

/// Bodies that overlap would be read again and again.
#[test]
fn overlapping_bodies_are_refused() {
    let (n, head) = (2000u32, 16);
    let mut file = bytes("00726150 00000000 08000000 00000000").to_vec();
    // Each of the entries is also the rest of the body before it.
    file.extend([0, 0x80 | (n & 0x7f) as u8, (n >> 7) as u8]);
    for i in 0..n {
        file.extend([0, 0]);
        file.extend((head + 3 + 6 * i).to_le_bytes());
    }
    file.resize(file.len() + 64, 0);
    let e = Rap::from_bytes(&file.into())
        .err()
        .map(|e| e.to_string())
        .unwrap_or_default();
    assert!(
        e.contains("overlap") || e.contains("another class") || e.contains("left"),
        "{e}"
    );
}

#[test]
fn fields_that_break_the_rule_are_kept() {
    for (hex, enum_offset, odd_next) in [
        // The enum offset after the end, with and without next.
        (
            "00726150000000000800000022cf000000001600000000000000",
            Some(0xcf22),
            None,
        ),
        (
            "00726150000000000800000022cf0000000000000000",
            Some(0xcf22),
            None,
        ),
        // A next that points elsewhere.
        (
            "0072615000000000080000002300000000010041001d0000002200000000002300000000000000",
            None,
            Some([0, 0x22]),
        ),
        (
            "0072615000000000080000001600000000001700000000000000",
            None,
            Some([0, 0x17]),
        ),
        // The root has a base.
        (
            "007261500000000008000000170000004100001700000000000000",
            None,
            None,
        ),
    ] {
        let file = bytes(hex);
        let rap = Rap::from_bytes(&file).unwrap_or_else(|e| panic!("{hex}: {e}"));
        assert_eq!(
            (rap.0.enum_offset, rap.0.odd_next.first().copied()),
            (enum_offset, odd_next),
            "{hex}"
        );
        assert_eq!(rap.write().unwrap(), file, "{hex}");
    }
    // Another word at 8, and bytes after the end.
    let file = bytes("00726150000000000900000016000000000016000000000000000102");
    let rap = Rap::from_bytes(&file).unwrap();
    assert_eq!((rap.0.unk8, &*rap.0.tail), (Some(9), &[1, 2][..]));
    assert_eq!(rap.write().unwrap(), file);
    // What Operation Flashpoint does not have.
    for text in [
        "class A;",
        "delete A;",
        "a[] += {};",
        "a = 10000000000;",
        "a = __EVAL(1);",
        "enum { a };",
    ] {
        let e = config(text, Table4).write().unwrap_err().to_string();
        assert!(e.contains("Operation Flashpoint have no"), "{text}: {e}");
    }
}

#[test]
fn texts_have_the_names_that_people_use() {
    for (file, text) in [
        ("config.bin", "config.cpp"),
        ("CONFIG.BIN", "CONFIG.cpp"),
        ("mission.sqm", "mission.sqm"),
        ("a.b.rvmat", "a.b.rvmat"),
        ("config", "config.cpp"),
        ("refit.json", "refit.json.cpp"),
        (".bin", ".cpp"),
    ] {
        assert_eq!(text_name(file), text);
    }
}

#[test]
fn long_arrays_have_lines_and_a_text_is_stable() {
    let items: Vec<String> = (0..60).map(|i| format!("{i}.5")).collect();
    let text = format!(
        "class A {{\n\ta[] = {{\n\t\t{}\n\t}};\n}};\n",
        items.join(",\n\t\t")
    );
    assert_eq!(Rap::from_text(&*text).unwrap().text(), text);
}

fn findings(text: &str) -> Vec<(&'static str, String, String)> {
    let mut lints = Lints::new();
    Rap::from_text(text).unwrap().lint(&mut lints);
    lints
        .finish()
        .into_iter()
        .map(|finding| (finding.code, finding.path, finding.message))
        .collect()
}

#[test]
fn bases_are_found_where_the_games_look() {
    for fine in [
        "class A; class B: A {}; class C: b {};",
        "class A { class X {}; }; class B: A { class X: X {}; class Y: X {}; };",
        "class A { class X {}; class B { class Y: X {}; }; };",
        // What an unknown class contains is unknown.
        "class A; class B: A { class X: Missing {}; };",
    ] {
        assert_eq!(findings(fine), [], "{fine}");
    }
    for (text, path, what) in [
        ("class B: A {}; class A {};", "B", "\"A\" is not declared"),
        ("class A: A {};", "A", "not declared"),
        ("class A { class X: B {}; };", "A.X", "not declared"),
        ("a = 1; class B: a {};", "B", "\"a\" is not a class"),
        (
            "class A {}; class B: A { class X: Missing {}; };",
            "B.X",
            "not declared",
        ),
    ] {
        let found = findings(text);
        assert!(
            matches!(found.as_slice(), [("rap-base", at, message)] if at == path && message.contains(what)),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn names_twice_in_a_class_are_found() {
    assert_eq!(
        findings("a = 1; class X { a = 1; A = 2; b[] = {}; }; class x;"),
        [("rap-duplicate", "X".into(), "\"A\" again".into())]
    );
    assert_eq!(findings("class X; delete X; class X {};"), []);
}
