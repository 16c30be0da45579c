#[derive(Clone, PartialEq, Debug, ::refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
/// An entry of the texture directory. Materials refer to its position.
#[derive(Default)]
pub struct Texture {
    /// Address of the loaded image in the process that wrote the file; 0 in RC and MW.
    /**
Absent for 0.*/
    #[serde(default, skip_serializing_if = "refit_base::wire::Defaulted::is_none")]
    #[allow(missing_docs)]
    pub image_ptr: ::refit_base::wire::Defaulted<Ptr>,
    /// Unknown; 0 in known files.
    /**
Absent for 0.*/
    /**

Only in PM, CS.*/
    #[serde(default, skip_serializing_if = "refit_base::wire::Derived::is_none")]
    #[allow(missing_docs)]
    pub field04: ::refit_base::wire::Derived<u32>,
    /// Address of a surface of the running game; 0 in known files.
    /**
Absent for 0.*/
    #[serde(default, skip_serializing_if = "refit_base::wire::Derived::is_none")]
    #[allow(missing_docs)]
    pub surface_ptr: ::refit_base::wire::Derived<Ptr>,
    /// File name of the image.
    #[allow(missing_docs)]
    pub name: TextureName,
    /// 1 loaded, 2 before its first load, 3 before a reload. Absent for 1 in PM and CS with an
    /// image, and for 2 elsewhere.
    #[serde(default, skip_serializing_if = "refit_base::wire::Derived::is_none")]
    #[allow(missing_docs)]
    pub state: ::refit_base::wire::Derived<u32>,
    /// Unknown; 0 in known files.
    /**
Absent for 0.*/
    /**

Only in MW, PM, CS.*/
    #[serde(default, skip_serializing_if = "refit_base::wire::Derived::is_none")]
    #[allow(missing_docs)]
    pub category: ::refit_base::wire::Derived<u32>,
    /// Position of the next smaller mip level; −1 for none.
    /**
Absent for −1.*/
    #[serde(default, skip_serializing_if = "refit_base::wire::Defaulted::is_none")]
    #[allow(missing_docs)]
    pub mip: ::refit_base::wire::Defaulted<i32>,
}
const _: () = {
    #[allow(unused_imports)]
    use ::refit_base::{
        game::Game as __Game,
        wire::{self as __w, FieldCodec as _, FieldGroup as _, Plain as _},
    };
    #[allow(dead_code, unused_variables, unused_mut, clippy::all)]
    impl Texture {
        /// Offset and size of each field in a game, and whether it overlaps others.
        const fn spans(__game: __Game) -> [(usize, usize, bool); 7usize] {
            let mut out = [(0, 0, false); 7usize];
            let mut __next: usize = 0;
            out[0usize] = (__next, <Ptr as __w::Plain>::SIZE, false);
            __next = out[0usize].0 + <Ptr as __w::Plain>::SIZE;
            if matches!(__game, __Game::Pm | __Game::Cs) {
                out[1usize] = (__next, <u32 as __w::Plain>::SIZE, false);
                __next = out[1usize].0 + <u32 as __w::Plain>::SIZE;
            } else {
                out[1usize] = (__next, 0, true);
            }
            out[2usize] = (__next, <Ptr as __w::Plain>::SIZE, false);
            __next = out[2usize].0 + <Ptr as __w::Plain>::SIZE;
            out[3usize] = (__next, <TextureName as __w::Plain>::SIZE, false);
            __next = out[3usize].0 + <TextureName as __w::Plain>::SIZE;
            out[4usize] = (__next, <u32 as __w::Plain>::SIZE, false);
            __next = out[4usize].0 + <u32 as __w::Plain>::SIZE;
            if matches!(__game, __Game::Mw | __Game::Pm | __Game::Cs) {
                out[5usize] = (__next, <u32 as __w::Plain>::SIZE, false);
                __next = out[5usize].0 + <u32 as __w::Plain>::SIZE;
            } else {
                out[5usize] = (__next, 0, true);
            }
            out[6usize] = (__next, <i32 as __w::Plain>::SIZE, false);
            __next = out[6usize].0 + <i32 as __w::Plain>::SIZE;
            out
        }
        const SPANS: [[(usize, usize, bool); 7usize]; __Game::LAYOUTS.len()] = [
            Self::spans(__Game::Rc),
            Self::spans(__Game::Mw),
            Self::spans(__Game::Pm),
            Self::spans(__Game::Cs),
            Self::spans(__Game::RcDemo),
        ];
        const SIZES: [usize; __Game::LAYOUTS.len()] = [
            36usize, 40usize, 44usize, 44usize, 36usize,
        ];
        const PROVED: () = {
            __w::prove(
                &Self::SPANS[__Game::Rc as usize],
                Self::SIZES[__Game::Rc as usize],
                "Texture in Rc",
            );
            __w::prove(
                &Self::SPANS[__Game::Mw as usize],
                Self::SIZES[__Game::Mw as usize],
                "Texture in Mw",
            );
            __w::prove(
                &Self::SPANS[__Game::Pm as usize],
                Self::SIZES[__Game::Pm as usize],
                "Texture in Pm",
            );
            __w::prove(
                &Self::SPANS[__Game::Cs as usize],
                Self::SIZES[__Game::Cs as usize],
                "Texture in Cs",
            );
        };
        /// Size of one record in a game's files; 0 if the game has none.
        pub const fn size(__game: __Game) -> usize {
            #[allow(clippy::let_unit_value)]
            let () = Self::PROVED;
            Self::SIZES[__game as usize]
        }
        /// The record's own fields, with empty parts above and below, for writing the counts of
        /// these parts into it.
        pub fn bare(&self) -> Self {
            Texture {
                image_ptr: self.image_ptr.clone(),
                field04: self.field04.clone(),
                surface_ptr: self.surface_ptr.clone(),
                name: self.name.clone(),
                state: self.state.clone(),
                category: self.category.clone(),
                mip: self.mip.clone(),
            }
        }
        /// Reads all fields in these bytes; fields that are stored elsewhere stay.
        pub fn fill(&mut self, __bytes: &[u8], __game: __Game, __cx: &()) {
            let __new = <Self as __w::Record<()>>::load(__bytes, __game, __cx);
            self.image_ptr = __new.image_ptr;
            self.field04 = __new.field04;
            self.surface_ptr = __new.surface_ptr;
            self.name = __new.name;
            self.state = __new.state;
            self.category = __new.category;
            self.mip = __new.mip;
        }
        ///Where `image_ptr` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_image_ptr(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][0usize];
            __at..__at + __size
        }
        ///`image_ptr` in a record's bytes; zero where the game has none.
        #[inline]
        pub fn peek_image_ptr(__bytes: &[u8], __game: __Game) -> Ptr {
            __w::peek(__bytes, Self::place_image_ptr(__game))
        }
        ///Where `field04` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_field04(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][1usize];
            __at..__at + __size
        }
        ///`field04` in a record's bytes; zero where the game has none.
        #[inline]
        pub fn peek_field04(__bytes: &[u8], __game: __Game) -> u32 {
            __w::peek(__bytes, Self::place_field04(__game))
        }
        ///Where `surface_ptr` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_surface_ptr(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][2usize];
            __at..__at + __size
        }
        ///`surface_ptr` in a record's bytes; zero where the game has none.
        #[inline]
        pub fn peek_surface_ptr(__bytes: &[u8], __game: __Game) -> Ptr {
            __w::peek(__bytes, Self::place_surface_ptr(__game))
        }
        ///Where `name` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_name(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][3usize];
            __at..__at + __size
        }
        ///`name` in a record's bytes; zero where the game has none.
        #[inline]
        pub fn peek_name(__bytes: &[u8], __game: __Game) -> TextureName {
            __w::peek(__bytes, Self::place_name(__game))
        }
        ///Where `state` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_state(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][4usize];
            __at..__at + __size
        }
        ///`state` in a record's bytes; zero where the game has none.
        #[inline]
        pub fn peek_state(__bytes: &[u8], __game: __Game) -> u32 {
            __w::peek(__bytes, Self::place_state(__game))
        }
        ///Where `category` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_category(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][5usize];
            __at..__at + __size
        }
        ///`category` in a record's bytes; zero where the game has none.
        #[inline]
        pub fn peek_category(__bytes: &[u8], __game: __Game) -> u32 {
            __w::peek(__bytes, Self::place_category(__game))
        }
        ///Where `mip` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_mip(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][6usize];
            __at..__at + __size
        }
        ///`mip` in a record's bytes; zero where the game has none.
        #[inline]
        pub fn peek_mip(__bytes: &[u8], __game: __Game) -> i32 {
            __w::peek(__bytes, Self::place_mip(__game))
        }
        /// The declaration as a table.
        #[cfg(feature = "schemas")]
        pub fn table() -> __w::RecordTable {
            let __games = [__Game::Rc, __Game::Mw, __Game::Pm, __Game::Cs];
            __w::RecordTable {
                name: "Texture",
                about: "An entry of the texture directory. Materials refer to its position.",
                games: __games.map(|__game| (__game, Self::size(__game))).to_vec(),
                rows: vec![
                    __w::Row { name : "image_ptr", places : __w::places(& __games, &
                    Self::SPANS, 0usize), kind : "Ptr", on : "", rule :
                    "absent while regular", about :
                    "Address of the loaded image in the process that wrote the file; 0 in RC and MW."
                    }, __w::Row { name : "field04", places : __w::places(& __games, &
                    Self::SPANS, 1usize), kind : "u32", on : "", rule :
                    "absent while regular", about : "Unknown; 0 in known files." },
                    __w::Row { name : "surface_ptr", places : __w::places(& __games, &
                    Self::SPANS, 2usize), kind : "Ptr", on : "", rule :
                    "absent while regular", about :
                    "Address of a surface of the running game; 0 in known files." },
                    __w::Row { name : "name", places : __w::places(& __games, &
                    Self::SPANS, 3usize), kind : "TextureName", on : "", rule : "", about
                    : "File name of the image." }, __w::Row { name : "state", places :
                    __w::places(& __games, & Self::SPANS, 4usize), kind : "u32", on : "",
                    rule : "absent while regular", about :
                    "1 loaded, 2 before its first load, 3 before a reload. Absent for 1 in PM and CS with an image, and for 2 elsewhere."
                    }, __w::Row { name : "category", places : __w::places(& __games, &
                    Self::SPANS, 5usize), kind : "u32", on : "", rule :
                    "absent while regular", about : "Unknown; 0 in known files." },
                    __w::Row { name : "mip", places : __w::places(& __games, &
                    Self::SPANS, 6usize), kind : "i32", on : "", rule :
                    "absent while regular", about :
                    "Position of the next smaller mip level; −1 for none." },
                ],
            }
        }
    }
    #[allow(unused_variables, unused_mut, clippy::all)]
    impl __w::Record<()> for Texture {
        fn size(__game: __Game) -> Option<usize> {
            matches!(
                __game, __Game::Rc | __Game::Mw | __Game::Pm | __Game::Cs |
                __Game::RcDemo
            )
                .then(|| Texture::size(__game))
        }
        fn load(__bytes: &[u8], __game: __Game, __cx: &()) -> Self {
            let __spans = const { &Texture::SPANS }[__game as usize];
            let (__b, _) = __bytes
                .split_at_checked(Texture::size(__game))
                .unwrap_or_default();
            let __stored = 0u32;
            let f0_image_ptr = ::refit_base::wire::Defaulted(
                Some(
                    <Ptr as __w::Plain>::get(
                        __w::cut(__b, __spans[0usize].0, <Ptr as __w::Plain>::SIZE),
                    ),
                ),
            );
            let f1_field04 = if matches!(__game, __Game::Pm | __Game::Cs) {
                ::refit_base::wire::Derived(
                    Some(
                        <u32 as __w::Plain>::get(
                            __w::cut(__b, __spans[1usize].0, <u32 as __w::Plain>::SIZE),
                        ),
                    ),
                )
            } else {
                ::refit_base::wire::Derived(None)
            };
            let f2_surface_ptr = ::refit_base::wire::Derived(
                Some(
                    <Ptr as __w::Plain>::get(
                        __w::cut(__b, __spans[2usize].0, <Ptr as __w::Plain>::SIZE),
                    ),
                ),
            );
            let f3_name = <TextureName as __w::Plain>::get(
                __w::cut(__b, __spans[3usize].0, <TextureName as __w::Plain>::SIZE),
            );
            let f4_state = ::refit_base::wire::Derived(
                Some(
                    <u32 as __w::Plain>::get(
                        __w::cut(__b, __spans[4usize].0, <u32 as __w::Plain>::SIZE),
                    ),
                ),
            );
            let f5_category = if matches!(__game, __Game::Mw | __Game::Pm | __Game::Cs) {
                ::refit_base::wire::Derived(
                    Some(
                        <u32 as __w::Plain>::get(
                            __w::cut(__b, __spans[5usize].0, <u32 as __w::Plain>::SIZE),
                        ),
                    ),
                )
            } else {
                ::refit_base::wire::Derived(None)
            };
            let f6_mip = ::refit_base::wire::Defaulted(
                Some(
                    <i32 as __w::Plain>::get(
                        __w::cut(__b, __spans[6usize].0, <i32 as __w::Plain>::SIZE),
                    ),
                ),
            );
            let mut __me = Texture {
                image_ptr: f0_image_ptr,
                field04: f1_field04,
                surface_ptr: f2_surface_ptr,
                name: f3_name,
                state: f4_state,
                category: f5_category,
                mip: f6_mip,
            };
            let __value = __w::ask(&__me, __game, __cx, |_| Hex(0));
            __me.image_ptr.settle(__value);
            if matches!(__game, __Game::Pm | __Game::Cs) {
                let __value = __w::ask(&__me, __game, __cx, |_| 0);
                __me.field04.settle(__value);
            }
            let __value = __w::ask(&__me, __game, __cx, |_| Hex(0));
            __me.surface_ptr.settle(__value);
            let __value = __w::ask(
                &__me,
                __game,
                __cx,
                |t| {
                    if matches!(t.game, Game::Pm | Game::Cs)
                        && t.image_ptr.or(Hex(0)).0 != 0
                    {
                        1
                    } else {
                        2
                    }
                },
            );
            __me.state.settle(__value);
            if matches!(__game, __Game::Mw | __Game::Pm | __Game::Cs) {
                let __value = __w::ask(&__me, __game, __cx, |_| 0);
                __me.category.settle(__value);
            }
            let __value = __w::ask(&__me, __game, __cx, |_| -1);
            __me.mip.settle(__value);
            __me
        }
        fn store(
            &self,
            __bytes: &mut [u8],
            __game: __Game,
            __cx: &(),
        ) -> __w::Result<()> {
            let __spans = const { &Texture::SPANS }[__game as usize];
            let (__b, _) = __bytes
                .split_at_mut_checked(Texture::size(__game))
                .unwrap_or_default();
            if let Some(__v) = &self.image_ptr.0 {
                <Ptr as __w::Plain>::put(
                    __v,
                    __w::cut_mut(__b, __spans[0usize].0, <Ptr as __w::Plain>::SIZE),
                );
            } else {
                let __value = __w::ask(self, __game, __cx, |_| Hex(0));
                <Ptr as __w::Plain>::put(
                    &self.image_ptr.typed(__value),
                    __w::cut_mut(__b, __spans[0usize].0, <Ptr as __w::Plain>::SIZE),
                );
            }
            if matches!(__game, __Game::Pm | __Game::Cs) {
                if let Some(__v) = &self.field04.0 {
                    <u32 as __w::Plain>::put(
                        __v,
                        __w::cut_mut(__b, __spans[1usize].0, <u32 as __w::Plain>::SIZE),
                    );
                } else {
                    let __value = __w::ask(self, __game, __cx, |_| 0);
                    <u32 as __w::Plain>::put(
                        &self.field04.typed(__value),
                        __w::cut_mut(__b, __spans[1usize].0, <u32 as __w::Plain>::SIZE),
                    );
                }
            } else if !self.field04.is_none() {
                return Err(__w::not_in_game("field04", None));
            }
            if let Some(__v) = &self.surface_ptr.0 {
                <Ptr as __w::Plain>::put(
                    __v,
                    __w::cut_mut(__b, __spans[2usize].0, <Ptr as __w::Plain>::SIZE),
                );
            } else {
                let __value = __w::ask(self, __game, __cx, |_| Hex(0));
                <Ptr as __w::Plain>::put(
                    &self.surface_ptr.typed(__value),
                    __w::cut_mut(__b, __spans[2usize].0, <Ptr as __w::Plain>::SIZE),
                );
            }
            <TextureName as __w::Plain>::put(
                &self.name,
                __w::cut_mut(__b, __spans[3usize].0, <TextureName as __w::Plain>::SIZE),
            );
            if let Some(__v) = &self.state.0 {
                <u32 as __w::Plain>::put(
                    __v,
                    __w::cut_mut(__b, __spans[4usize].0, <u32 as __w::Plain>::SIZE),
                );
            } else {
                let __value = __w::ask(
                    self,
                    __game,
                    __cx,
                    |t| {
                        if matches!(t.game, Game::Pm | Game::Cs)
                            && t.image_ptr.or(Hex(0)).0 != 0
                        {
                            1
                        } else {
                            2
                        }
                    },
                );
                <u32 as __w::Plain>::put(
                    &self.state.typed(__value),
                    __w::cut_mut(__b, __spans[4usize].0, <u32 as __w::Plain>::SIZE),
                );
            }
            if matches!(__game, __Game::Mw | __Game::Pm | __Game::Cs) {
                if let Some(__v) = &self.category.0 {
                    <u32 as __w::Plain>::put(
                        __v,
                        __w::cut_mut(__b, __spans[5usize].0, <u32 as __w::Plain>::SIZE),
                    );
                } else {
                    let __value = __w::ask(self, __game, __cx, |_| 0);
                    <u32 as __w::Plain>::put(
                        &self.category.typed(__value),
                        __w::cut_mut(__b, __spans[5usize].0, <u32 as __w::Plain>::SIZE),
                    );
                }
            } else if !self.category.is_none() {
                return Err(__w::not_in_game("category", None));
            }
            if let Some(__v) = &self.mip.0 {
                <i32 as __w::Plain>::put(
                    __v,
                    __w::cut_mut(__b, __spans[6usize].0, <i32 as __w::Plain>::SIZE),
                );
            } else {
                let __value = __w::ask(self, __game, __cx, |_| -1);
                <i32 as __w::Plain>::put(
                    &self.mip.typed(__value),
                    __w::cut_mut(__b, __spans[6usize].0, <i32 as __w::Plain>::SIZE),
                );
            }
            Ok(())
        }
        fn describe(
            &self,
            __bytes: &[u8],
            __at: u64,
            __game: __Game,
            __cx: &(),
            __trace: &dyn __w::Trace,
        ) {
            let __spans = const { &Self::SPANS }[__game as usize];
            let mut __image = vec![0; __bytes.len()];
            let _ = __w::Record::store(self, &mut __image, __game, __cx);
            let mut __field = __w::Describe::new(__bytes, &__image, __at, __trace);
            __field.plain::<TextureName>(__spans[3usize].0, "name", __w::Role::Value);
            __field
                .plain::<
                    Ptr,
                >(__spans[0usize].0, "image_ptr", __field.odd(self.image_ptr.is_none()));
            if matches!(__game, __Game::Pm | __Game::Cs) {
                __field
                    .plain::<
                        u32,
                    >(__spans[1usize].0, "field04", __field.odd(self.field04.is_none()));
            }
            __field
                .plain::<
                    Ptr,
                >(
                    __spans[2usize].0,
                    "surface_ptr",
                    __field.odd(self.surface_ptr.is_none()),
                );
            __field
                .plain::<
                    u32,
                >(__spans[4usize].0, "state", __field.odd(self.state.is_none()));
            if matches!(__game, __Game::Mw | __Game::Pm | __Game::Cs) {
                __field
                    .plain::<
                        u32,
                    >(
                        __spans[5usize].0,
                        "category",
                        __field.odd(self.category.is_none()),
                    );
            }
            __field
                .plain::<i32>(__spans[6usize].0, "mip", __field.odd(self.mip.is_none()));
        }
    }
    impl __w::Encode for Texture {
        fn read(r: &mut __w::Reader<'_>) -> __w::Result<Self> {
            <Self as __w::Record>::take(r, &())
        }
        fn write(&self, w: &mut __w::Writer) -> __w::Result<()> {
            <Self as __w::Record>::append(self, w, &())
        }
    }
};
