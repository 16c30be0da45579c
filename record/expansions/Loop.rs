#[derive(Clone, PartialEq, Debug, ::refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
/// Returns to the beginning of the sequence.
#[derive(Default)]
pub struct Loop {
    /// How often; -1 and 0 mean forever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs)]
    pub loop_count: Option<i16>,
    /// How long, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs)]
    pub loop_run_time: Option<F32>,
    /// Bits in which the file's flags differ from the fields.
    #[serde(default, skip_serializing_if = "refit_base::wire::Derived::is_none")]
    #[allow(missing_docs)]
    pub flags_differ: ::refit_base::wire::Derived<::refit_base::wire::Hex<u32>>,
}
const _: () = {
    #[allow(unused_imports)]
    use ::refit_base::{
        game::Game as __Game,
        wire::{self as __w, FieldCodec as _, FieldGroup as _, Plain as _},
    };
    #[allow(dead_code, unused_variables, unused_mut, clippy::all)]
    impl Loop {
        /// Offset and size of each field in a game, and whether it overlaps others.
        const fn spans(__game: __Game) -> [(usize, usize, bool); 3usize] {
            let mut out = [(0, 0, false); 3usize];
            let mut __next: usize = 0;
            out[0usize] = (4usize, <i16 as __w::Plain>::SIZE, true);
            __next = out[0usize].0 + <i16 as __w::Plain>::SIZE;
            out[1usize] = (4usize, <F32 as __w::Plain>::SIZE, false);
            __next = out[1usize].0 + <F32 as __w::Plain>::SIZE;
            out[2usize] = (0usize, <u32 as __w::Plain>::SIZE, false);
            __next = out[2usize].0 + <u32 as __w::Plain>::SIZE;
            out
        }
        const SPANS: [[(usize, usize, bool); 3usize]; __Game::LAYOUTS.len()] = [
            Self::spans(__Game::Rc),
            Self::spans(__Game::Mw),
            Self::spans(__Game::Pm),
            Self::spans(__Game::Cs),
            Self::spans(__Game::RcDemo),
        ];
        const SIZES: [usize; __Game::LAYOUTS.len()] = [
            8usize, 8usize, 8usize, 8usize, 8usize,
        ];
        const PROVED: () = {
            __w::prove(
                &Self::SPANS[__Game::Rc as usize],
                Self::SIZES[__Game::Rc as usize],
                "Loop in Rc",
            );
            __w::prove(
                &Self::SPANS[__Game::Mw as usize],
                Self::SIZES[__Game::Mw as usize],
                "Loop in Mw",
            );
            __w::prove(
                &Self::SPANS[__Game::Pm as usize],
                Self::SIZES[__Game::Pm as usize],
                "Loop in Pm",
            );
            __w::prove(
                &Self::SPANS[__Game::Cs as usize],
                Self::SIZES[__Game::Cs as usize],
                "Loop in Cs",
            );
        };
        /// Size of one record in a game's files; 0 if the game has none.
        pub const fn size(__game: __Game) -> usize {
            #[allow(clippy::let_unit_value)]
            let () = Self::PROVED;
            Self::SIZES[__game as usize]
        }
        /// The bits of the flag word that follow from the fields.
        #[inline]
        fn implied(&self, __game: __Game, __cx: &Tables) -> u32 {
            0 | if self.loop_count.is_some() { 0x1 } else { 0 }
                | if self.loop_run_time.is_some() { 0x2 } else { 0 }
        }
        /// The record's own fields, with empty parts above and below, for writing the counts of
        /// these parts into it.
        pub fn bare(&self) -> Self {
            Loop {
                loop_count: self.loop_count.clone(),
                loop_run_time: self.loop_run_time.clone(),
                flags_differ: self.flags_differ.clone(),
            }
        }
        /// Reads all fields in these bytes; fields that are stored elsewhere stay.
        pub fn fill(&mut self, __bytes: &[u8], __game: __Game, __cx: &Tables) {
            let __new = <Self as __w::Record<Tables>>::load(__bytes, __game, __cx);
            self.loop_count = __new.loop_count;
            self.loop_run_time = __new.loop_run_time;
            self.flags_differ = __new.flags_differ;
        }
        ///Where `loop_count` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_loop_count(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][0usize];
            __at..__at + __size
        }
        ///`loop_count` in a record's bytes; zero where the game has none.
        #[inline]
        pub fn peek_loop_count(__bytes: &[u8], __game: __Game) -> i16 {
            __w::peek(__bytes, Self::place_loop_count(__game))
        }
        ///Where `loop_run_time` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_loop_run_time(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][1usize];
            __at..__at + __size
        }
        ///`loop_run_time` in a record's bytes; zero where the game has none.
        #[inline]
        pub fn peek_loop_run_time(__bytes: &[u8], __game: __Game) -> F32 {
            __w::peek(__bytes, Self::place_loop_run_time(__game))
        }
        ///Where `flags_differ` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_flags_differ(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][2usize];
            __at..__at + __size
        }
        /// The declaration as a table.
        #[cfg(feature = "schemas")]
        pub fn table() -> __w::RecordTable {
            let __games = [__Game::Rc, __Game::Mw, __Game::Pm, __Game::Cs];
            __w::RecordTable {
                name: "Loop",
                about: "Returns to the beginning of the sequence.",
                games: __games.map(|__game| (__game, Self::size(__game))).to_vec(),
                rows: vec![
                    __w::Row { name : "loop_count", places : __w::places(& __games, &
                    Self::SPANS, 0usize), kind : "i16", on : "0x1", rule : "", about :
                    "How often; -1 and 0 mean forever." }, __w::Row { name :
                    "loop_run_time", places : __w::places(& __games, & Self::SPANS,
                    1usize), kind : "F32", on : "0x2", rule : "", about :
                    "How long, in seconds." }, __w::Row { name : "flags_differ", places :
                    __w::places(& __games, & Self::SPANS, 2usize), kind : "u32", on : "",
                    rule : "follows from the fields", about :
                    "Bits in which the file's flags differ from the fields." },
                ],
            }
        }
    }
    #[allow(unused_variables, unused_mut, clippy::all)]
    impl __w::Record<Tables> for Loop {
        fn size(__game: __Game) -> Option<usize> {
            matches!(
                __game, __Game::Rc | __Game::Mw | __Game::Pm | __Game::Cs |
                __Game::RcDemo
            )
                .then(|| Loop::size(__game))
        }
        fn load(__bytes: &[u8], __game: __Game, __cx: &Tables) -> Self {
            let __spans = const { Loop::SPANS[__Game::Rc as usize] };
            let (__b, _) = __bytes
                .split_at_checked(Loop::size(__game))
                .unwrap_or_default();
            let __stored = u32::from(
                <u32 as __w::Plain>::get(
                    __w::cut(__b, __spans[2usize].0, <u32 as __w::Plain>::SIZE),
                ),
            );
            let f0_loop_count = (__stored & (0x1) != 0)
                .then(|| <i16 as __w::Plain>::get(
                    __w::cut(__b, __spans[0usize].0, <i16 as __w::Plain>::SIZE),
                ));
            let f1_loop_run_time = (__stored & (0x2) != 0)
                .then(|| <F32 as __w::Plain>::get(
                    __w::cut(__b, __spans[1usize].0, <F32 as __w::Plain>::SIZE),
                ));
            let f2_flags_differ = __w::Derived(None);
            let mut __me = Loop {
                loop_count: f0_loop_count,
                loop_run_time: f1_loop_run_time,
                flags_differ: f2_flags_differ,
            };
            __me.flags_differ = __w::Derived::of(
                __w::Hex(__stored ^ __me.implied(__game, __cx)),
                __w::Hex(0),
            );
            __me
        }
        fn store(
            &self,
            __bytes: &mut [u8],
            __game: __Game,
            __cx: &Tables,
        ) -> __w::Result<()> {
            let __spans = const { Loop::SPANS[__Game::Rc as usize] };
            let (__b, _) = __bytes
                .split_at_mut_checked(Loop::size(__game))
                .unwrap_or_default();
            match &self.loop_count {
                Some(__v) => {
                    <i16 as __w::Plain>::put(
                        __v,
                        __w::cut_mut(__b, __spans[0usize].0, <i16 as __w::Plain>::SIZE),
                    );
                }
                None => {}
            }
            match &self.loop_run_time {
                Some(__v) => {
                    <F32 as __w::Plain>::put(
                        __v,
                        __w::cut_mut(__b, __spans[1usize].0, <F32 as __w::Plain>::SIZE),
                    );
                }
                None => {}
            }
            let __word = self.implied(__game, __cx)
                ^ self.flags_differ.or(__w::Hex(0)).0;
            let __word = <u32>::try_from(__word)
                .map_err(|_| __w::wide_flags(__word, <u32>::BITS, "flags_differ"))?;
            __w::Plain::put(
                &__word,
                __w::cut_mut(__b, __spans[2usize].0, <u32 as __w::Plain>::SIZE),
            );
            Ok(())
        }
        fn describe(
            &self,
            __bytes: &[u8],
            __at: u64,
            __game: __Game,
            __cx: &Tables,
            __trace: &dyn __w::Trace,
        ) {
            let __spans = const { &Self::SPANS }[__game as usize];
            let mut __image = vec![0; __bytes.len()];
            let _ = __w::Record::store(self, &mut __image, __game, __cx);
            let mut __field = __w::Describe::new(__bytes, &__image, __at, __trace);
            if self.loop_count.is_some() {
                __field.plain::<i16>(__spans[0usize].0, "loop_count", __w::Role::Value);
            }
            if self.loop_run_time.is_some() {
                __field
                    .plain::<F32>(__spans[1usize].0, "loop_run_time", __w::Role::Value);
            }
            if self.loop_count.is_none() {
                __field
                    .note(
                        __spans[0usize].0,
                        __spans[0usize].1,
                        "loop_count",
                        <i16 as __w::Plain>::KIND,
                        __w::Role::Padding,
                        None,
                    );
            }
            if self.loop_run_time.is_none() {
                __field
                    .note(
                        __spans[1usize].0,
                        __spans[1usize].1,
                        "loop_run_time",
                        <F32 as __w::Plain>::KIND,
                        __w::Role::Padding,
                        None,
                    );
            }
            __field
                .note(
                    __spans[2usize].0,
                    __spans[2usize].1,
                    "flags_differ",
                    __w::Notation::Word,
                    __field.odd(self.flags_differ.is_none()),
                    None,
                );
        }
    }
};
