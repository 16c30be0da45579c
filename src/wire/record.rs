//! `record!` and `plain!`: one declaration gives struct, reader, writer, sizes, and field offsets.

/// Declares a fixed-size record once for all games.
///
/// ```
/// use refit::{game::Game, wire::*};
/// refit::record! {
///     /// One cell of a grid.
///     pub struct Cell [Mw 20, Pm 24] {
///         /// Lowest point, metres.
///         lo: F32,
///         hi: F32,
///         /// Kept only where a file disagrees.
///         mid: Odd<F32> = |c| F32::from((c.lo.get() + c.hi.get()) * 0.5),
///         /// A constant.
///         version: Odd<u32> = |_| 4,
///         [Pm] extra: Only<u32>,
///         pointer: Hex<u32>,
///     }
/// }
/// let mut w = Writer::new(Game::Mw);
/// for f in [1.0f32, 3.0, 2.0] { w.put(&F32::from(f)); }
/// w.u32(4);
/// w.u32(0xdead_beef);
/// let cell = Cell::read(&mut Reader::new(&w.bytes, Game::Mw)).unwrap();
/// assert_eq!(serde_json::to_string(&cell).unwrap(), r#"{"lo":1.0,"hi":3.0,"pointer":"0xdeadbeef"}"#);
/// let mut back = Writer::new(Game::Mw);
/// cell.write(&mut back).unwrap();
/// assert_eq!(back.bytes, w.bytes);
/// ```
///
/// The numbers behind the games are the record's sizes; the compiler checks them. A field behind `[Pm Cs]` exists in those
/// games only and is an `Only`, `Odd` or `Usual`. A rule behind `=` (`=>` for a field of some games only) gets the record (with its `.game`) and gives the regular value.
///
/// What belongs to the record but is stored elsewhere (lists behind it, notes) stands in `above { … }` before the braces or
/// `below { … }` behind them: shown in the tree before or after the fields, and left to the format's own reader and writer.
#[macro_export]
macro_rules! record {
    ($(#[$m:meta])* $v:vis struct $name:ident [$($game:ident $size:literal),+ $(,)?]
        $(above { $($(#[$am:meta])* $a:ident : $at:ty),* $(,)? })?
    {
        $($(#[$fm:meta])* $([$($g:ident)+])? $f:ident : $t:ty $(= $rule:expr)? $(=> $gated:expr)?),* $(,)?
    }
        $(below { $($(#[$bm:meta])* $b:ident : $bt:ty),* $(,)? })?
    ) => {
        $(#[$m])*
        #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        $v struct $name {
            $($($(#[$am])* #[allow(missing_docs)] pub $a: $at,)*)?
            $(
            $(#[$fm])*
            $(#[serde(default, skip_serializing_if = "refit::wire::Gated::is_absent")] #[doc = concat!("\n\nOnly in:", $(" ", stringify!($g)),+)])?
            $(#[serde(default, skip_serializing_if = "refit::wire::Gated::is_absent")] #[doc = concat!("\n\nAbsent while regular: `", stringify!($rule), "`")])?
            $(#[doc = concat!("\n\nAbsent while regular: `", stringify!($gated), "`")])?
            #[allow(missing_docs)]
            pub $f: $t,
            )*
            $($($(#[$bm])* #[allow(missing_docs)] pub $b: $bt,)*)?
        }
        const _: () = {
            #[allow(unused_imports)]
            use $crate::{game::Game, wire::{Error, Gated, Reader, Result, Slot, Wire, With, Writer}};
            #[allow(dead_code)]
            impl $name {
                /// The record's own fields; what stands above and below them is empty. For writing counts of those parts into it.
                pub fn bare(&self) -> Self {
                    $name { $($($a: Default::default(),)*)? $($f: self.$f.clone(),)* $($($b: Default::default(),)*)? }
                }
                /// Bytes of one record in a game's files.
                pub const fn size(game: Game) -> usize {
                    let mut n = 0;
                    $(if $crate::record!(@has game $($($g)+)?) { n += <$t as Slot>::SIZE })*
                    let _ = game;
                    n
                }
                /// Name and bytes of each field of a game's record, in file order.
                #[allow(dead_code)]
                pub fn layout(game: Game) -> Vec<(&'static str, std::ops::Range<usize>)> {
                    let mut out = Vec::new();
                    let mut at = 0;
                    $(if $crate::record!(@has game $($($g)+)?) {
                        let end = at + <$t as Slot>::SIZE;
                        out.push((stringify!($f), at..end));
                        at = end;
                    })*
                    let _ = (at, game);
                    out
                }
            }
            $(const _: () = assert!($name::size(Game::$game) == $size, "the size of this record is not the one declared");)+
            impl Wire for $name {
                #[allow(unused_mut, unused_variables, unused_assignments)]
                fn read(r: &mut Reader<'_>) -> Result<Self> {
                    let game = r.game;
                    if !matches!(game, $(Game::$game)|+) {
                        return Err(r.error(concat!(stringify!($name), " does not exist in this game")));
                    }
                    let mut bytes = r.take(Self::size(game)).map_err(|e| e.within(stringify!($name)))?;
                    $(let $f = $crate::record!(@load game bytes $t $(, $($g)+)?);)*
                    let mut me = $name { $($($a: Default::default(),)*)? $($f,)* $($($b: Default::default(),)*)? };
                    $(
                        $($crate::record!(@settle $name me game $f $rule);)?
                        $($crate::record!(@settle $name me game $f $gated);)?
                    )*
                    Ok(me)
                }
                #[allow(unused_mut, unused_variables, unused_assignments)]
                fn write(&self, w: &mut Writer) -> Result<()> {
                    let game = w.game;
                    if !matches!(game, $(Game::$game)|+) {
                        return Err(Error::say(concat!(stringify!($name), " does not exist in this game")));
                    }
                    let start = w.bytes.len();
                    w.bytes.resize(start + Self::size(game), 0);
                    let mut bytes = w.bytes.get_mut(start..).unwrap_or_default();
                    $($crate::record!(@store self game bytes $f $t [$($rule)? $($gated)?] $(, $($g)+)?);)*
                    Ok(())
                }
            }
        };
    };
    (@has $game:ident) => { true };
    (@has $game:ident $($g:ident)+) => { matches!($game, $(Game::$g)|+) };
    (@settle $name:ident $me:ident $game:ident $f:ident $rule:expr) => {
        let rule: fn(&With<'_, $name>) -> _ = $rule;
        let value = rule(&With::new(&$me, $game));
        $me.$f.settle(value);
    };
    (@cut $bytes:ident $t:ty) => {{
        let (head, tail) = $bytes.split_at_checked(<$t as Slot>::SIZE).unwrap_or_default();
        $bytes = tail;
        head
    }};
    (@load $game:ident $bytes:ident $t:ty) => {{ let head = $crate::record!(@cut $bytes $t); <$t as Slot>::load(head) }};
    (@load $game:ident $bytes:ident $t:ty, $($g:ident)+) => {
        if $crate::record!(@has $game $($g)+) { let head = $crate::record!(@cut $bytes $t); <$t as Slot>::load(head) } else { <$t as Gated>::absent() }
    };
    (@put $me:ident $game:ident $bytes:ident $f:ident $t:ty []) => {{
        let (head, tail) = std::mem::take(&mut $bytes).split_at_mut_checked(<$t as Slot>::SIZE).unwrap_or_default();
        $bytes = tail;
        $me.$f.store(head);
    }};
    (@put $me:ident $game:ident $bytes:ident $f:ident $t:ty [$rule:expr]) => {{
        let (head, tail) = std::mem::take(&mut $bytes).split_at_mut_checked(<$t as Slot>::SIZE).unwrap_or_default();
        $bytes = tail;
        if $me.$f.is_none() {
            let rule: fn(&With<'_, Self>) -> _ = $rule;
            // Through the field, so that a bare number in a rule gets the field's type.
            $me.$f.typed(rule(&With::new($me, $game))).store(head);
        } else {
            $me.$f.store(head);
        }
    }};
    (@store $me:ident $game:ident $bytes:ident $f:ident $t:ty [$($rule:expr)?]) => { $crate::record!(@put $me $game $bytes $f $t [$($rule)?]) };
    (@store $me:ident $game:ident $bytes:ident $f:ident $t:ty [$($rule:expr)?], $($g:ident)+) => {
        if $crate::record!(@has $game $($g)+) {
            $crate::record!(@put $me $game $bytes $f $t [$($rule)?])
        } else if !$me.$f.is_absent() {
            return Err(Error::say("this field does not exist in this game").within(stringify!($f)).within(stringify!($name)));
        }
    };
}

/// Declares a small value made of plain values, the same in every game: usable as a field of a record.
///
/// ```
/// use refit::wire::*;
/// refit::plain! {
///     /// A range of distances.
///     pub struct Range { near: F32, far: F32 }
/// }
/// assert_eq!(<Range as Plain>::SIZE, 8);
/// ```
#[macro_export]
macro_rules! plain {
    ($(#[$m:meta])* $v:vis struct $name:ident { $($(#[$fm:meta])* $f:ident : $t:ty),* $(,)? }) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        $v struct $name { $($(#[$fm])* #[allow(missing_docs)] pub $f: $t),* }
        impl $crate::wire::Plain for $name {
            const SIZE: usize = 0 $(+ <$t as $crate::wire::Plain>::SIZE)*;
            #[allow(unused_assignments)]
            fn get(bytes: &[u8]) -> Self {
                let mut rest = bytes;
                $(
                    let (head, tail) = rest.split_at_checked(<$t as $crate::wire::Plain>::SIZE).unwrap_or_default();
                    rest = tail;
                    let $f = <$t as $crate::wire::Plain>::get(head);
                )*
                $name { $($f),* }
            }
            #[allow(unused_assignments)]
            fn put(&self, bytes: &mut [u8]) {
                let mut rest = bytes;
                $(
                    let (head, tail) = std::mem::take(&mut rest).split_at_mut_checked(<$t as $crate::wire::Plain>::SIZE).unwrap_or_default();
                    rest = tail;
                    $crate::wire::Plain::put(&self.$f, head);
                )*
            }
        }
    };
}
