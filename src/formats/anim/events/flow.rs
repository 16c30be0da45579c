//! What steers sequences and animations: calls, loops, conditions.

use super::connectors::two_uses;
use crate::{
    formats::anim::{
        fields::{Bool, Fields, Layout, Side, body},
        names::{Kind, Ref},
    },
    game::Game,
    wire::{F32, Hex, Text, Vec3},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

body! {
    /// Starts or stops a sequence of this definition.
    pub struct CallSequence {
        name: Text<32>,
    }
}

impl Layout for CallSequence {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.plain(&mut self.name);
        // The sequence's index, found at run time.
        f.put(&-1i32);
    }
}

body! {
    /// Starts another animation.
    pub struct CallAnimation {
        name: Text<32>,
        operand_node? Ref,
        at_node? Ref,
        with_node? Ref,
        position? Vec3,
        translate? Vec3,
        /// The sequence goes on when the animation has ended: the animation reference that keeps the running call.
        wait_for_completion? Ref,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

impl Layout for CallAnimation {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.plain(&mut self.name);
        f.maybe::<i16>(Kind::Node, &mut self.operand_node, 0);
        f.flags16();
        f.at(38).on_index::<i16>(0x10, Kind::Reference, &mut self.wait_for_completion, -1);
        two_uses(f, (0x1, &mut self.at_node), (0x8, &mut self.with_node));
        f.at(44).on(0x2, &mut self.position);
        f.on(0x4, &mut self.translate);
        f.end_flags(&mut self.flags_differ);
    }
}

body! {
    /// Stops, resets or invalidates another animation.
    pub struct OfAnimation {
        name: Text<32>,
        /// What is resolved at run time: not what the game's files usually hold.
        resolved~ Hex<u32>,
    }
}

impl OfAnimation {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>, resolved: u32) {
        f.plain(&mut self.name);
        f.odd(&mut self.resolved, Hex(resolved));
    }
}

/// STOP_ANIMATION.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct StopAnimation(pub OfAnimation);

impl Layout for StopAnimation {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        self.0.fields(f, if matches!(f.game, Game::Pm | Game::Cs) { !0 } else { 0 });
    }
}

impl Layout for OfAnimation {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        OfAnimation::fields(self, f, 0);
    }
}

body! {
    /// Goes back to the beginning of the sequence.
    pub struct Loop {
        /// How often; -1 is for ever.
        loop_count? i16,
        /// How long, in seconds.
        loop_run_time? F32,
        /// Bits in which the file's flags differ from what the fields say.
        flags_differ~ Hex<u32>,
    }
}

impl Layout for Loop {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.flags();
        f.at(4).on(0x1, &mut self.loop_count);
        if f.reads() || self.loop_run_time.is_some() {
            f.at(4).on(0x2, &mut self.loop_run_time);
        }
        f.end_flags(&mut self.flags_differ);
    }
}

/// A distance that the file holds squared.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Squared {
    /// The square.
    pub squared: F32,
}

/// A distance: the file holds its square. Where that is no square of a 32-bit number the square itself stands here.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Distance {
    /// The distance.
    Plain(F32),
    /// What the file holds.
    Square(F32),
}

impl Distance {
    fn of(square: F32) -> Self {
        let root = F32::from(square.get().sqrt());
        let distance = Distance::Plain(root);
        if root.get().is_finite() && distance.square() == square { distance } else { Distance::Square(square) }
    }
    fn square(self) -> F32 {
        match self {
            Distance::Plain(d) => F32::from(d.get() * d.get()),
            Distance::Square(s) => s,
        }
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
                squared.map(Distance::Square).ok_or_else(|| A::Error::missing_field("squared"))
            }
        }
        d.deserialize_any(V)
    }
}

impl JsonSchema for Distance {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Distance".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (plain, square) = (generator.subschema_for::<F32>(), generator.subschema_for::<Squared>());
        schemars::json_schema!({ "description": "A distance; the file holds its square.", "anyOf": [plain, square] })
    }
}

/// A condition on a node's height.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeHeight {
    /// The node.
    pub node: Ref,
    /// Height.
    pub height: F32,
}

/// A condition on a node's state.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeActive {
    /// The node.
    pub node: Ref,
    /// Its state.
    pub state: Bool<u32>,
}

/// A condition that is not known, or is stored in another way than known ones.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OtherCondition {
    /// Which one.
    pub condition: Hex<u32>,
    /// The value's bits.
    pub value: Hex<u32>,
    /// A node's index.
    #[serde(default, skip_serializing_if = "crate::wire::is_zero")]
    pub node: i32,
}

/// What IF and ELSEIF ask.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Condition {
    /// True with this probability, 0 to 1.
    RandomWeight(F32),
    /// The player is within this distance.
    PlayerRange(Distance),
    /// The level of detail.
    AnimationLod(u32),
    /// There is this much room above the player (Recoil).
    PlayerClearance(F32),
    /// The node has cover within this height.
    NodeUndercover(NodeHeight),
    /// Hardware draws the picture.
    HwRender(Bool<u32>),
    /// The player looks from inside.
    #[serde(rename = "PLAYER_1ST_PERSON")]
    Player1stPerson(Bool<u32>),
    /// The node is below this altitude (CS).
    NodeBelowAltitude(NodeHeight),
    /// Health (CS).
    Health(F32),
    /// Health between two values (CS).
    HealthRange([F32; 2]),
    /// The node is active (CS).
    NodeActive(NodeActive),
    /// Another one.
    Other(OtherCondition),
}

impl Default for Condition {
    fn default() -> Self {
        Condition::RandomWeight(F32::default())
    }
}

impl Layout for Condition {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        if f.reads() {
            let (condition, index, bits): (u32, i32, u32) = (f.peek(0), f.peek(4), f.peek(8));
            let float = F32::from_bits(bits);
            let node = || f.tables.name(Kind::Node, index);
            let above = f.game == Game::Cs;
            *self = match condition {
                1 => Condition::RandomWeight(float),
                2 => Condition::PlayerRange(Distance::of(float)),
                4 => Condition::AnimationLod(bits),
                8 => Condition::PlayerClearance(float),
                16 => Condition::NodeUndercover(NodeHeight { node: node(), height: float }),
                32 => Condition::HwRender(Bool(bits)),
                64 => Condition::Player1stPerson(Bool(bits)),
                0x100 if above => Condition::NodeBelowAltitude(NodeHeight { node: node(), height: float }),
                0x800 if above => Condition::Health(float),
                0x1000 if above => Condition::HealthRange([float, F32::from_bits(f.peek(12))]),
                0x2000 if above => Condition::NodeActive(NodeActive { node: node(), state: Bool(bits) }),
                other => Condition::Other(OtherCondition { condition: Hex(other), value: Hex(bits), node: index }),
            };
            return;
        }
        fn word(f: &mut Fields<'_, impl Side>, condition: u32, bits: u32) {
            f.at(0).put(&condition);
            f.at(8).put(&bits);
        }
        match self {
            Condition::RandomWeight(v) => word(f, 1, v.bits()),
            Condition::PlayerRange(v) => word(f, 2, v.square().bits()),
            Condition::AnimationLod(v) => word(f, 4, *v),
            Condition::PlayerClearance(v) => word(f, 8, v.bits()),
            Condition::NodeUndercover(v) => {
                word(f, 16, v.height.bits());
                f.at(4).index::<i32>(Kind::Node, &mut v.node);
            }
            Condition::HwRender(v) => word(f, 32, v.0),
            Condition::Player1stPerson(v) => word(f, 64, v.0),
            Condition::NodeBelowAltitude(v) => {
                word(f, 0x100, v.height.bits());
                f.at(4).index::<i32>(Kind::Node, &mut v.node);
            }
            Condition::Health(v) => word(f, 0x800, v.bits()),
            Condition::HealthRange([a, b]) => {
                word(f, 0x1000, a.bits());
                if f.size() > 12 {
                    f.at(12).put(b);
                }
            }
            Condition::NodeActive(v) => {
                word(f, 0x2000, v.state.0);
                f.at(4).index::<i32>(Kind::Node, &mut v.node);
            }
            Condition::Other(v) => {
                word(f, v.condition.0, v.value.0);
                f.at(4).put(&v.node);
            }
        }
    }
}

body! {
    /// ELSE, ENDIF: nothing more to say.
    pub struct Nothing {}
}

impl Layout for Nothing {
    fn fields(&mut self, _: &mut Fields<'_, impl Side>) {}
}

body! {
    /// Calls the game's code.
    pub struct Callback {
        value: u32,
    }
}

impl Layout for Callback {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.plain(&mut self.value);
    }
}

body! {
    /// Shows a message (Recoil): an index into the file's messages, from 0; negative for none.
    pub struct ShowMessage {
        message: i32,
    }
}

impl Layout for ShowMessage {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.plain(&mut self.message);
    }
}

body! {
    /// Does nothing in the games.
    pub struct AnimVerbose {
        on: Bool<u32>,
    }
}

impl Layout for AnimVerbose {
    fn fields(&mut self, f: &mut Fields<'_, impl Side>) {
        f.plain(&mut self.on);
    }
}
