//! Control flow of sequences and animations: calls, loops, conditions.

use crate::anim::{
    fields::{Bool, Index, Node, Reference},
    names::{ListKind, Ref, Tables},
};
use refit_base::{
    game::Game,
    record,
    wire::{
        Describe, Error, F32, FieldCodec, FieldGroup, Hex, Notation, Plain, Record, Result, Role,
        Text, Trace, Vec3, cut, cut_mut,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

record! {
    /// Starts or stops a sequence of this definition.
    #[derive(Default)]
    pub struct CallSequence [Rc 36, Mw 36, Pm 36, Cs 36] with Tables {
        /// The sequence, one of this definition.
        name: Text<32> key "NAME",
        /// The sequence's index, found at run time.
        let index: i32 = |_| -1,
    }
}

record! {
    /// Starts another animation.
    #[derive(Default)]
    pub struct CallAnimation [Rc 68, Mw 68, Pm 68, Cs 68] with Tables {
        /// The animation, by its `animation_name`.
        name @0: Text<32> key "NAME",
        /// The node that it acts on, INPUT_NODE in the called animation.
        operand_node? @32: Ref as Index<i16, Node> none 0i16 key 2 "OPERAND_NODE",
        // Both fields share the same bytes: the flag selects how the node is used.
        /// The node at which it runs; not together with `with_node`.
        at_node? @40: Ref as Index<i16, Node> on 0x1,
        /// The node that it runs with and follows; not together with `at_node`.
        | with_node? @40: Ref as Index<i16, Node> on 0x8 key 1 "WITH_NODE",
        _ @36: pad 2,
        _ @42: pad 2,
        /// Offset from the node, metres.
        position? @44: Vec3 on 0x2,
        /// Radians about x, y, z.
        rotation? @56: Vec3 on 0x4,
        /// The animation reference of the running call: to wait for it, or to stop it later by its
        /// local name.
        reference?: Ref in slot,
        /// The sequence continues when the animation has ended.
        wait_for_completion!: bit 0x10 key 2 "WAIT_FOR_COMPLETION",
        /// The stored value while no flag makes it a reference (CS); the game ignores it.
        reference_off?: i16 in slot,
        /// The animation reference that keeps the running call, from 0; -1 for none.
        slot @38: part Slot,
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @34: flags u16,
    }
}

/// The slot of a call. Crimson Skies leaves old numbers in it if the caller does not wait.
pub struct Slot;

impl Slot {
    const WAITS: u32 = 0x10;
}

impl FieldGroup<CallAnimation, Tables> for Slot {
    const SIZE: usize = 2;
    fn load(call: &mut CallAnimation, bytes: &[u8], flags: u32, game: Game, tables: &Tables) {
        let index = i16::get(bytes);
        let is_stale =
            game == Game::Cs && flags & Slot::WAITS == 0 && !tables.has_local_name(index.into());
        (call.reference, call.reference_off) = match index {
            -1 => (None, None),
            stale if is_stale => (None, Some(stale)),
            _ => (Some(tables.name(ListKind::Reference, index.into())), None),
        };
    }
    fn store(call: &CallAnimation, bytes: &mut [u8], game: Game, tables: &Tables) -> Result<()> {
        match (&call.reference, call.reference_off) {
            (Some(_), Some(_)) => {
                return Err(Error::say("`reference` and `reference_off` share a field"));
            }
            (Some(reference), None) => {
                return <Index<i16, Reference> as FieldCodec<Ref, Tables>>::store(
                    reference,
                    bytes,
                    game,
                    tables,
                    &(),
                );
            }
            (None, stale) => stale.unwrap_or(-1).put(bytes),
        }
        Ok(())
    }
    fn describe(call: &CallAnimation, part: &mut Describe<'_>, game: Game, tables: &Tables) {
        let (name, role) = match (&call.reference, call.reference_off) {
            (Some(_), _) => ("reference", Role::Value),
            (None, Some(_)) => ("reference_off", Role::Value),
            (None, None) => ("reference", Role::Padding),
        };
        let meaning = call.reference.as_ref().and_then(|_| {
            <Index<i16, Reference> as FieldCodec<Ref, Tables>>::meaning(
                part.cut(0, 2),
                game,
                tables,
            )
        });
        part.note(0, 2, name, Notation::Signed, role, meaning);
    }
}

record! {
    /// Resets or invalidates another animation.
    #[derive(Default)]
    pub struct OfAnimation [Rc 36, Mw 36, Pm 36, Cs 36] with Tables {
        /// The animation, by its `animation_name`.
        name: Text<32> key "NAME",
        /// Resolved at run time; unlike what the game's files usually contain.
        resolved~: Hex<u32> = |_| Hex(0),
    }
}

record! {
    /// Stops another animation.
    #[derive(Default)]
    pub struct StopAnimation [Rc 36, Mw 36, Pm 36, Cs 36] with Tables {
        /// The animation, by its `animation_name`, or by the `local_name` of a reference.
        name: Text<32> key "NAME",
        /// Resolved at run time; unlike what the game's files usually contain.
        resolved~: Hex<u32> = |m| Hex(if matches!(m.game, Game::Pm | Game::Cs) { !0 } else { 0 })
            absent "if it follows from the rest",
    }
}

record! {
    /// Returns to the beginning of the sequence.
    #[derive(Default)]
    pub struct Loop [Rc 8, Mw 8, Pm 8, Cs 8] with Tables {
        /// How often; -1 and 0 mean forever.
        | loop_count? @4: i16 on 0x1,
        /// How long, in seconds.
        loop_run_time? @4: F32 on 0x2,
        /// Bits in which the file's flags differ from the fields.
        flags_differ~ @0: flags u32,
    }
}

/// A distance that the file stores squared.
#[derive(Clone, Copy, PartialEq, Debug, refit_base::Object, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Squared {
    /// The square.
    pub squared: F32,
}

/// A distance, which the file stores as its square.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Distance {
    /// The distance itself.
    Plain(F32),
    /// The square, if it is not the square of a 32-bit float.
    Square(F32),
}

impl Distance {
    fn of(square: F32) -> Self {
        let root = F32::from(square.get().sqrt());
        let distance = Distance::Plain(root);
        if root.get().is_finite() && distance.square() == square {
            distance
        } else {
            Distance::Square(square)
        }
    }
    fn square(self) -> F32 {
        match self {
            Distance::Plain(d) => F32::from(d.get() * d.get()),
            Distance::Square(s) => s,
        }
    }
}

/// Distances, which Recoil and Crimson Skies store squared. The other games store the numbers
/// themselves.
pub struct Squares;

impl Squares {
    fn squared(game: Game) -> bool {
        matches!(game, Game::Rc | Game::Cs)
    }
}

impl<Cx: ?Sized> FieldCodec<[Distance; 2], Cx> for Squares {
    type RuleInput = ();
    const SIZE: usize = 2 * F32::SIZE;
    const KIND: Notation = Notation::List(&Notation::Float, F32::SIZE);
    fn load(bytes: &[u8], game: Game, _: &Cx, (): &()) -> [Distance; 2] {
        <[F32; 2]>::get(bytes).map(|stored| {
            if Squares::squared(game) {
                Distance::of(stored)
            } else {
                Distance::Plain(stored)
            }
        })
    }
    fn store(value: &[Distance; 2], bytes: &mut [u8], game: Game, _: &Cx, (): &()) -> Result<()> {
        if Squares::squared(game) {
            value.map(Distance::square).put(bytes);
            return Ok(());
        }
        match value {
            [Distance::Plain(near), Distance::Plain(far)] => [*near, *far].put(bytes),
            _ => return Err(Error::say("the distances of this game are plain numbers")),
        }
        Ok(())
    }
}

impl Distance {
    /// The number in the tree.
    pub fn shown(self) -> F32 {
        match self {
            Distance::Plain(number) | Distance::Square(number) => number,
        }
    }
}

impl Default for Distance {
    fn default() -> Self {
        Distance::Plain(F32::default())
    }
}

impl Serialize for Distance {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Distance::Plain(d) => d.serialize(s),
            Distance::Square(squared) => Squared { squared: *squared }.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for Distance {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        use serde::de::{Error, IntoDeserializer, MapAccess, value};
        struct V;
        impl<'de> serde::de::Visitor<'de> for V {
            type Value = Distance;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a distance, or { \"squared\": … }")
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<Distance, E> {
                let d: value::F64Deserializer<E> = v.into_deserializer();
                F32::deserialize(d).map(Distance::Plain)
            }
            fn visit_f32<E: Error>(self, v: f32) -> Result<Distance, E> {
                Ok(Distance::Plain(F32::from(v)))
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<Distance, E> {
                self.visit_f64(v as f64)
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<Distance, E> {
                self.visit_f64(v as f64)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Distance, A::Error> {
                let mut squared = None;
                while let Some(key) = map.next_key::<String>()? {
                    if key != "squared" || squared.replace(map.next_value()?).is_some() {
                        return Err(A::Error::custom("expected `squared` alone"));
                    }
                }
                squared
                    .map(Distance::Square)
                    .ok_or_else(|| A::Error::missing_field("squared"))
            }
        }
        d.deserialize_any(V)
    }
}

refit_base::schema_form!(Distance: "Distance", |generator| {
    let (plain, square) = (generator.subschema_for::<F32>(), generator.subschema_for::<Squared>());
    schemars::json_schema!({ "description": "A distance; the file holds its square.", "anyOf": [plain, square] })
});

/// A condition on a node's height.
#[derive(Clone, PartialEq, Debug, refit_base::Object, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeHeight {
    /// The node whose height is tested.
    pub node: Ref,
    /// The height that is compared with the node's, in metres.
    pub height: F32,
}

/// A condition on a node's state.
#[derive(Clone, PartialEq, Debug, refit_base::Object, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeActive {
    /// The node that is tested.
    pub node: Ref,
    /// The required state: active or not.
    pub state: Bool<u32>,
}

/// A condition that is unknown, or stored differently from known ones.
#[derive(Clone, PartialEq, Debug, refit_base::Object, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OtherCondition {
    /// The number of the condition, in hexadecimal.
    pub condition: Hex<u32>,
    /// The bits of the value that it compares with.
    pub value: Hex<u32>,
    /// The index of a node, from 1; 0 is none.
    #[serde(default, skip_serializing_if = "refit_base::wire::is_zero")]
    pub node: i32,
}

/// What IF and ELSEIF test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Condition {
    /// True with this probability, 0 to 1.
    RandomWeight(F32),
    /// The player is within this distance.
    PlayerRange(Distance),
    /// The level of detail.
    AnimationLod(u32),
    /// There is this much room above the player.
    PlayerUndercover(F32),
    /// The node has cover within this height. With a negative height (CS), the ground is that near.
    NodeUndercover(NodeHeight),
    /// Hardware draws the picture.
    HwRender(Bool<u32>),
    /// The player looks from inside.
    #[serde(rename = "PLAYER_1ST_PERSON")]
    Player1stPerson(Bool<u32>),
    /// The player is below this altitude (CS).
    PlayerBelowAlt(F32),
    /// The node is below this altitude (CS).
    NodeBelowAlt(NodeHeight),
    /// The player is lined up (CS): the square of an angle in radians.
    PlayerLinedUp(F32),
    /// The player's speed is between two values (CS).
    PlayerSpeed([F32; 2]),
    /// Health (CS).
    AnimHealth(F32),
    /// Health between two values (CS).
    AnimHealthRange([F32; 2]),
    /// The node is active (CS).
    NodeActive(NodeActive),
    /// An unknown condition.
    Other(OtherCondition),
}

impl Default for Condition {
    fn default() -> Self {
        Condition::RandomWeight(F32::default())
    }
}

impl Condition {
    /// Size in bytes of the words that every game has: condition, node, value.
    const WORDS: usize = 12;

    /// The number of the condition, the node that it tests, and the bits of its value.
    fn words(&self) -> (u32, Option<&Ref>, u32) {
        match self {
            Condition::RandomWeight(v) => (1, None, v.bits()),
            Condition::PlayerRange(v) => (2, None, v.square().bits()),
            Condition::AnimationLod(v) => (4, None, *v),
            Condition::PlayerUndercover(v) => (8, None, v.bits()),
            Condition::NodeUndercover(v) => (16, Some(&v.node), v.height.bits()),
            Condition::HwRender(v) => (32, None, v.0),
            Condition::Player1stPerson(v) => (64, None, v.0),
            Condition::PlayerBelowAlt(v) => (0x80, None, v.bits()),
            Condition::NodeBelowAlt(v) => (0x100, Some(&v.node), v.height.bits()),
            Condition::PlayerLinedUp(v) => (0x200, None, v.bits()),
            Condition::PlayerSpeed([a, _]) => (0x400, None, a.bits()),
            Condition::AnimHealth(v) => (0x800, None, v.bits()),
            Condition::AnimHealthRange([a, _]) => (0x1000, None, a.bits()),
            Condition::NodeActive(v) => (0x2000, Some(&v.node), v.state.0),
            Condition::Other(v) => (v.condition.0, None, v.value.0),
        }
    }

    /// The path of the value below the key, its notation, and the path of the second value.
    fn values(&self) -> ((&'static str, Notation), &'static str) {
        match self {
            Condition::NodeUndercover(_) | Condition::NodeBelowAlt(_) => {
                ((".height", Notation::Float), "")
            }
            Condition::NodeActive(_) => ((".state", Notation::Unsigned), ""),
            Condition::Other(_) => ((".value", Notation::Word), ""),
            Condition::AnimHealthRange(_) | Condition::PlayerSpeed(_) => {
                (("[0]", Notation::Float), "[1]")
            }
            Condition::AnimationLod(_) | Condition::HwRender(_) | Condition::Player1stPerson(_) => {
                (("", Notation::Unsigned), "")
            }
            _ => (("", Notation::Float), ""),
        }
    }

    /// The key in a tree.
    pub fn key(&self) -> &'static str {
        match self {
            Condition::RandomWeight(_) => "RANDOM_WEIGHT",
            Condition::PlayerRange(_) => "PLAYER_RANGE",
            Condition::AnimationLod(_) => "ANIMATION_LOD",
            Condition::PlayerUndercover(_) => "PLAYER_UNDERCOVER",
            Condition::NodeUndercover(_) => "NODE_UNDERCOVER",
            Condition::HwRender(_) => "HW_RENDER",
            Condition::Player1stPerson(_) => "PLAYER_1ST_PERSON",
            Condition::PlayerBelowAlt(_) => "PLAYER_BELOW_ALT",
            Condition::NodeBelowAlt(_) => "NODE_BELOW_ALT",
            Condition::PlayerLinedUp(_) => "PLAYER_LINED_UP",
            Condition::PlayerSpeed(_) => "PLAYER_SPEED",
            Condition::AnimHealth(_) => "ANIM_HEALTH",
            Condition::AnimHealthRange(_) => "ANIM_HEALTH_RANGE",
            Condition::NodeActive(_) => "NODE_ACTIVE",
            Condition::Other(_) => "OTHER",
        }
    }
}

/// The only union among the events: the first word determines the types of the others.
impl Record<Tables> for Condition {
    fn size(game: Game) -> Option<usize> {
        // Crimson Skies has a second value; Pirate's Moon reserves space for it.
        Some(
            Self::WORDS
                + if matches!(game, Game::Pm | Game::Cs) {
                    F32::SIZE
                } else {
                    0
                },
        )
    }
    fn load(bytes: &[u8], game: Game, tables: &Tables) -> Self {
        let [condition, index, bits] = <[u32; 3]>::get(cut(bytes, 0, Self::WORDS));
        let index = index.cast_signed();
        let float = F32::from_bits(bits);
        let node = || tables.name(ListKind::Node, index);
        let above = game == Game::Cs;
        match condition {
            1 => Condition::RandomWeight(float),
            2 => Condition::PlayerRange(Distance::of(float)),
            4 => Condition::AnimationLod(bits),
            8 => Condition::PlayerUndercover(float),
            16 => Condition::NodeUndercover(NodeHeight {
                node: node(),
                height: float,
            }),
            32 => Condition::HwRender(Bool(bits)),
            64 => Condition::Player1stPerson(Bool(bits)),
            0x80 if above => Condition::PlayerBelowAlt(float),
            0x100 if above => Condition::NodeBelowAlt(NodeHeight {
                node: node(),
                height: float,
            }),
            0x200 if above => Condition::PlayerLinedUp(float),
            0x400 if above => {
                Condition::PlayerSpeed([float, Plain::get(cut(bytes, Self::WORDS, F32::SIZE))])
            }
            0x800 if above => Condition::AnimHealth(float),
            0x1000 if above => {
                Condition::AnimHealthRange([float, Plain::get(cut(bytes, Self::WORDS, F32::SIZE))])
            }
            0x2000 if above => Condition::NodeActive(NodeActive {
                node: node(),
                state: Bool(bits),
            }),
            other => Condition::Other(OtherCondition {
                condition: Hex(other),
                value: Hex(bits),
                node: index,
            }),
        }
    }
    fn store(&self, bytes: &mut [u8], _: Game, tables: &Tables) -> Result<()> {
        let (condition, node, bits) = self.words();
        let index = match (node, self) {
            (Some(node), _) => tables.index(ListKind::Node, node)?,
            (None, Condition::Other(other)) => other.node,
            (None, _) => 0,
        };
        [condition, index.cast_unsigned(), bits].put(cut_mut(bytes, 0, Self::WORDS));
        if let Condition::AnimHealthRange([_, b]) | Condition::PlayerSpeed([_, b]) = self {
            // Only Crimson Skies and Pirate's Moon have space for a second value. In the other
            // games it would be lost, which the round-trip check reports.
            let slot = cut_mut(bytes, Self::WORDS, F32::SIZE);
            if !slot.is_empty() {
                b.put(slot);
            }
        }
        Ok(())
    }
    fn describe(&self, bytes: &[u8], at: u64, game: Game, tables: &Tables, trace: &dyn Trace) {
        let mut image = vec![0; bytes.len()];
        let _ = self.store(&mut image, game, tables);
        let field = Describe::new(bytes, &image, at, trace);
        let key = self.key();
        let (_, node, _) = self.words();
        let (first, second) = self.values();
        let other = matches!(self, Condition::Other(_));
        let path = |inner: &str| format!("{key}{inner}");
        let role = |value: bool, or: Role| if value { Role::Value } else { or };
        let condition = if other {
            path(".condition")
        } else {
            "condition".to_owned()
        };
        field.note(
            0,
            4,
            &condition,
            Notation::Unsigned,
            role(other, Role::Derived),
            Some(key.to_owned()),
        );
        // In an unknown condition, 0 counts as no node.
        let asks = node.is_some() || matches!(self, Condition::Other(other) if other.node != 0);
        let named = node.and_then(|_| {
            <Index<i32, Node> as FieldCodec<Ref, Tables>>::meaning(field.cut(4, 4), game, tables)
        });
        field.note(
            4,
            4,
            &path(".node"),
            Notation::Signed,
            role(asks, Role::Padding),
            named,
        );
        let square = matches!(self, Condition::PlayerRange(_))
            .then(|| "the square of the distance".to_owned());
        field.note(8, 4, &path(first.0), first.1, Role::Value, square);
        let role = role(!second.is_empty(), Role::Padding);
        field.note(
            12,
            bytes.len().saturating_sub(12),
            &path(second),
            Notation::Float,
            role,
            None,
        );
    }
}

record! {
    /// ELSE, ENDIF: no further fields.
    #[derive(Default)]
    pub struct Nothing [Rc 0, Mw 0, Pm 0, Cs 0] with Tables {}
}

record! {
    /// Calls the game's code.
    #[derive(Default)]
    pub struct Callback [Rc 4, Mw 4, Pm 4, Cs 4] with Tables {
        /// A number for the game's code, whose meaning only the executable knows.
        value: u32 key "VALUE",
    }
}

record! {
    /// Shows a message (Recoil): an index into the file's messages, from 0; negative for none.
    #[derive(Default)]
    pub struct ShowMessage [Rc 4, Mw 4, Pm 4, Cs 4] with Tables {
        /// The position of the message in the file, from 0; negative for none.
        message: i32,
    }
}

record! {
    /// Does nothing in the games.
    #[derive(Default)]
    pub struct AnimVerbose [Rc 4, Mw 4, Pm 4, Cs 4] with Tables {
        /// On or off. Nothing depends on it.
        on: Bool<u32>,
    }
}

record! {
    /// Ramps of a sound's volume, frequency and pan (CS). Only the last word of their layout is
    /// known.
    #[derive(Default)]
    pub struct SoundAdjust [Rc 176, Mw 176, Pm 176, Cs 176] with Tables {
        /// The ramps.
        unk0: refit_base::wire::Raw<172>,
        /// Seconds.
        run_time: F32,
    }
}
