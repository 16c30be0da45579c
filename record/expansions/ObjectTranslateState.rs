#[derive(Clone, PartialEq, Debug, ::refit_base::Object, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
/// Moves a node.
#[derive(Default)]
pub struct ObjectTranslateState {
    /// The node that is moved.
    #[allow(missing_docs)]
    pub node: Ref,
    /// Position, metres, or what is added to it.
    #[allow(missing_docs)]
    pub state: Vec3,
    /// The node moves by `state` instead of to it. False if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs)]
    pub relative: Option<Bool<u32>>,
    /// The node that the position is relative to. The parent if absent.
    /**
Absent for 0i16.*/
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(missing_docs)]
    pub at_node: Option<Ref>,
}
const _: () = {
    #[allow(unused_imports)]
    use ::refit_base::{
        game::Game as __Game,
        wire::{self as __w, FieldCodec as _, FieldGroup as _, Plain as _},
    };
    #[allow(dead_code, unused_variables, unused_mut, clippy::all)]
    impl ObjectTranslateState {
        /// Offset and size of each field in a game, and whether it overlaps others.
        const fn spans(__game: __Game) -> [(usize, usize, bool); 4usize] {
            let mut out = [(0, 0, false); 4usize];
            let mut __next: usize = 0;
            out[0usize] = (
                16usize,
                <Index<i16, Node> as __w::FieldCodec<Ref, Tables>>::SIZE,
                false,
            );
            __next = out[0usize].0
                + <Index<i16, Node> as __w::FieldCodec<Ref, Tables>>::SIZE;
            out[1usize] = (4usize, <Vec3 as __w::Plain>::SIZE, false);
            __next = out[1usize].0 + <Vec3 as __w::Plain>::SIZE;
            out[2usize] = (0usize, <Bool<u32> as __w::Plain>::SIZE, false);
            __next = out[2usize].0 + <Bool<u32> as __w::Plain>::SIZE;
            out[3usize] = (
                18usize,
                <Index<i16, Node> as __w::FieldCodec<Ref, Tables>>::SIZE,
                false,
            );
            __next = out[3usize].0
                + <Index<i16, Node> as __w::FieldCodec<Ref, Tables>>::SIZE;
            out
        }
        const SPANS: [[(usize, usize, bool); 4usize]; __Game::LAYOUTS.len()] = [
            Self::spans(__Game::Rc),
            Self::spans(__Game::Mw),
            Self::spans(__Game::Pm),
            Self::spans(__Game::Cs),
            Self::spans(__Game::RcDemo),
        ];
        const SIZES: [usize; __Game::LAYOUTS.len()] = [
            20usize, 20usize, 20usize, 20usize, 20usize,
        ];
        const PROVED: () = {
            __w::prove(
                &Self::SPANS[__Game::Rc as usize],
                Self::SIZES[__Game::Rc as usize],
                "ObjectTranslateState in Rc",
            );
            __w::prove(
                &Self::SPANS[__Game::Mw as usize],
                Self::SIZES[__Game::Mw as usize],
                "ObjectTranslateState in Mw",
            );
            __w::prove(
                &Self::SPANS[__Game::Pm as usize],
                Self::SIZES[__Game::Pm as usize],
                "ObjectTranslateState in Pm",
            );
            __w::prove(
                &Self::SPANS[__Game::Cs as usize],
                Self::SIZES[__Game::Cs as usize],
                "ObjectTranslateState in Cs",
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
            ObjectTranslateState {
                node: self.node.clone(),
                state: self.state.clone(),
                relative: self.relative.clone(),
                at_node: self.at_node.clone(),
            }
        }
        /// Reads all fields in these bytes; fields that are stored elsewhere stay.
        pub fn fill(&mut self, __bytes: &[u8], __game: __Game, __cx: &Tables) {
            let __new = <Self as __w::Record<Tables>>::load(__bytes, __game, __cx);
            self.node = __new.node;
            self.state = __new.state;
            self.relative = __new.relative;
            self.at_node = __new.at_node;
        }
        ///Where `node` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_node(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][0usize];
            __at..__at + __size
        }
        ///Where `state` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_state(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][1usize];
            __at..__at + __size
        }
        ///`state` in a record's bytes; zero where the game has none.
        #[inline]
        pub fn peek_state(__bytes: &[u8], __game: __Game) -> Vec3 {
            __w::peek(__bytes, Self::place_state(__game))
        }
        ///Where `relative` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_relative(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][2usize];
            __at..__at + __size
        }
        ///`relative` in a record's bytes; zero where the game has none.
        #[inline]
        pub fn peek_relative(__bytes: &[u8], __game: __Game) -> Bool<u32> {
            __w::peek(__bytes, Self::place_relative(__game))
        }
        ///Where `at_node` is in a record; empty where the game has none.
        #[inline]
        pub const fn place_at_node(__game: __Game) -> std::ops::Range<usize> {
            let (__at, __size, _) = Self::SPANS[__game as usize][3usize];
            __at..__at + __size
        }
        /// The declaration as a table.
        #[cfg(feature = "schemas")]
        pub fn table() -> __w::RecordTable {
            let __games = [__Game::Rc, __Game::Mw, __Game::Pm, __Game::Cs];
            __w::RecordTable {
                name: "ObjectTranslateState",
                about: "Moves a node.",
                games: __games.map(|__game| (__game, Self::size(__game))).to_vec(),
                rows: vec![
                    __w::Row { name : "node", places : __w::places(& __games, &
                    Self::SPANS, 0usize), kind : "Index<i16, Node>", on : "", rule : "",
                    about : "The node that is moved." }, __w::Row { name : "state",
                    places : __w::places(& __games, & Self::SPANS, 1usize), kind :
                    "Vec3", on : "", rule : "", about :
                    "Position, metres, or what is added to it." }, __w::Row { name :
                    "relative", places : __w::places(& __games, & Self::SPANS, 2usize),
                    kind : "Bool<u32>", on : "", rule : "", about :
                    "The node moves by `state` instead of to it. False if absent." },
                    __w::Row { name : "at_node", places : __w::places(& __games, &
                    Self::SPANS, 3usize), kind : "Index<i16, Node>", on : "", rule : "",
                    about :
                    "The node that the position is relative to. The parent if absent." },
                ],
            }
        }
        /// Visits the fields whose keys have these ranks.
        pub fn keys<__V>(
            &mut self,
            __ranks: impl std::ops::RangeBounds<u8>,
            __keys: &mut __V,
        ) -> __w::Result<()>
        where
            __V: __w::VisitKey<Ref, Index<i16, Node>>,
        {
            if __ranks.contains(&0u8) {
                <__V as __w::VisitKey<
                    Ref,
                    Index<i16, Node>,
                >>::visit(__keys, "NAME", &mut self.node)?;
            }
            Ok(())
        }
    }
    #[allow(unused_variables, unused_mut, clippy::all)]
    impl __w::Record<Tables> for ObjectTranslateState {
        fn size(__game: __Game) -> Option<usize> {
            matches!(
                __game, __Game::Rc | __Game::Mw | __Game::Pm | __Game::Cs |
                __Game::RcDemo
            )
                .then(|| ObjectTranslateState::size(__game))
        }
        fn load(__bytes: &[u8], __game: __Game, __cx: &Tables) -> Self {
            let __spans = const { ObjectTranslateState::SPANS[__Game::Rc as usize] };
            let (__b, _) = __bytes
                .split_at_checked(ObjectTranslateState::size(__game))
                .unwrap_or_default();
            let __stored = 0u32;
            let f0_node = <Index<
                i16,
                Node,
            > as __w::FieldCodec<
                Ref,
                Tables,
            >>::load(
                __w::cut(
                    __b,
                    __spans[0usize].0,
                    <Index<i16, Node> as __w::FieldCodec<Ref, Tables>>::SIZE,
                ),
                __game,
                __cx,
                &(),
            );
            let f1_state = <Vec3 as __w::Plain>::get(
                __w::cut(__b, __spans[1usize].0, <Vec3 as __w::Plain>::SIZE),
            );
            let f2_relative = (!__w::all_zero(
                __w::cut(__b, __spans[2usize].0, <Bool<u32> as __w::Plain>::SIZE),
            ))
                .then(|| <Bool<
                    u32,
                > as __w::Plain>::get(
                    __w::cut(__b, __spans[2usize].0, <Bool<u32> as __w::Plain>::SIZE),
                ));
            let f3_at_node = (!__w::holds(
                __w::cut(
                    __b,
                    __spans[3usize].0,
                    <Index<i16, Node> as __w::FieldCodec<Ref, Tables>>::SIZE,
                ),
                &0i16,
            ))
                .then(|| <Index<
                    i16,
                    Node,
                > as __w::FieldCodec<
                    Ref,
                    Tables,
                >>::load(
                    __w::cut(
                        __b,
                        __spans[3usize].0,
                        <Index<i16, Node> as __w::FieldCodec<Ref, Tables>>::SIZE,
                    ),
                    __game,
                    __cx,
                    &(),
                ));
            let mut __me = ObjectTranslateState {
                node: f0_node,
                state: f1_state,
                relative: f2_relative,
                at_node: f3_at_node,
            };
            __me
        }
        fn store(
            &self,
            __bytes: &mut [u8],
            __game: __Game,
            __cx: &Tables,
        ) -> __w::Result<()> {
            let __spans = const { ObjectTranslateState::SPANS[__Game::Rc as usize] };
            let (__b, _) = __bytes
                .split_at_mut_checked(ObjectTranslateState::size(__game))
                .unwrap_or_default();
            <Index<
                i16,
                Node,
            > as __w::FieldCodec<
                Ref,
                Tables,
            >>::store(
                    &self.node,
                    __w::cut_mut(
                        __b,
                        __spans[0usize].0,
                        <Index<i16, Node> as __w::FieldCodec<Ref, Tables>>::SIZE,
                    ),
                    __game,
                    __cx,
                    &(),
                )
                .map_err(|e| e.within("node"))?;
            <Vec3 as __w::Plain>::put(
                &self.state,
                __w::cut_mut(__b, __spans[1usize].0, <Vec3 as __w::Plain>::SIZE),
            );
            match &self.relative {
                Some(__v) => {
                    <Bool<
                        u32,
                    > as __w::Plain>::put(
                        __v,
                        __w::cut_mut(
                            __b,
                            __spans[2usize].0,
                            <Bool<u32> as __w::Plain>::SIZE,
                        ),
                    );
                }
                None => {}
            }
            match &self.at_node {
                Some(__v) => {
                    <Index<
                        i16,
                        Node,
                    > as __w::FieldCodec<
                        Ref,
                        Tables,
                    >>::store(
                            __v,
                            __w::cut_mut(
                                __b,
                                __spans[3usize].0,
                                <Index<i16, Node> as __w::FieldCodec<Ref, Tables>>::SIZE,
                            ),
                            __game,
                            __cx,
                            &(),
                        )
                        .map_err(|e| e.within("at_node"))?;
                }
                None => {
                    __w::put_plain(
                        &0i16,
                        __w::cut_mut(
                            __b,
                            __spans[3usize].0,
                            <Index<i16, Node> as __w::FieldCodec<Ref, Tables>>::SIZE,
                        ),
                    );
                }
            }
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
            <Index<
                i16,
                Node,
            > as __w::FieldCodec<
                Ref,
                Tables,
            >>::describe(
                &self.node,
                &__field.part(__spans[0usize].0, __spans[0usize].1),
                "node",
                __game,
                __cx,
            );
            __field.plain::<Vec3>(__spans[1usize].0, "state", __w::Role::Value);
            if self.relative.is_some() {
                __field
                    .plain::<Bool<u32>>(__spans[2usize].0, "relative", __w::Role::Value);
            }
            if let Some(__v) = &self.at_node {
                <Index<
                    i16,
                    Node,
                > as __w::FieldCodec<
                    Ref,
                    Tables,
                >>::describe(
                    __v,
                    &__field.part(__spans[3usize].0, __spans[3usize].1),
                    "at_node",
                    __game,
                    __cx,
                );
            }
            if self.relative.is_none() {
                __field
                    .note(
                        __spans[2usize].0,
                        __spans[2usize].1,
                        "relative",
                        <Bool<u32> as __w::Plain>::KIND,
                        __w::Role::Padding,
                        None,
                    );
            }
            if self.at_node.is_none() {
                __field
                    .note(
                        __spans[3usize].0,
                        __spans[3usize].1,
                        "at_node",
                        <Index<i16, Node> as __w::FieldCodec<Ref, Tables>>::KIND,
                        __w::Role::Derived,
                        None,
                    );
            }
        }
    }
};
