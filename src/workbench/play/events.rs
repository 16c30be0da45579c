//! The effects of each event.

use super::{
    pose::{Pose, V3},
    show::{Assume, Fog, Light, Show, Sounded, State},
    shown::why_not,
    stage::{Bound, NodeState},
};
use refit_base::{
    game::Game,
    wire::{F32, Vec3},
};
use refit_zipper::anim::{
    Body, Definition, Event, FromTo, Ref, Script,
    events::{
        Condition, Distance, FbfxColorFromTo, FogState, FogType, LightAnimation, LightState,
        ObjectMotion, ObjectMotionFromTo, ObjectMotionSiScript, ObjectOpacityFromTo, RotateMode,
        Translucent,
    },
};

/// Who does something: a definition, and the nodes that it is bound to.
pub(super) struct Who<'a> {
    pub show: &'a Show<'a>,
    pub definition: usize,
    pub of: &'a Definition,
    pub bound: Bound,
}

impl<'a> Who<'a> {
    pub fn new(show: &'a Show<'a>, definition: usize, bound: Bound) -> Option<Self> {
        Some(Who {
            show,
            definition,
            of: show.definitions.get(definition)?,
            bound,
        })
    }

    /// The node that a reference names.
    pub fn find(&self, node: &Ref) -> Option<usize> {
        self.show.stage.find(self.of, &self.bound, node)
    }
}

/// How the sequence continues after an event.
pub(super) enum Outcome<'a> {
    /// The next event.
    Done,
    /// The next event once another animation is finished.
    Held(usize),
    /// The next event after some seconds, in which something happens.
    Takes(f64, Option<Track<'a>>),
    /// The first event of the sequence.
    Again,
}

/// What happens over time.
pub(super) struct Track<'a> {
    start: f64,
    what: What<'a>,
}

enum What<'a> {
    FromTo(usize, &'a ObjectMotionFromTo),
    Follow(Vec<(usize, &'a Script)>),
    Fade(usize, &'a ObjectOpacityFromTo),
    Light((usize, String), &'a LightAnimation),
    Fly(usize, &'a ObjectMotion),
    Screen(&'a FbfxColorFromTo),
}

fn wide(v: &Vec3) -> V3 {
    v.map(|v| v.get().into())
}

fn seconds(v: F32) -> f64 {
    v.get().into()
}

/// The value of a change after some time.
fn value(change: &FromTo<Vec3>, run_time: F32, time: f64) -> V3 {
    let rate = change.stored_rate(run_time);
    std::array::from_fn(|i| seconds(change.from[i]) + seconds(rate[i]) * time)
}

/// The change of a value between two times under constant acceleration.
fn added(velocity: &V3, acceleration: &V3, from: f64, to: f64) -> V3 {
    std::array::from_fn(|i| {
        velocity[i] * (to - from) + 0.5 * acceleration[i] * (to * to - from * from)
    })
}

fn plus(a: V3, b: V3) -> V3 {
    std::array::from_fn(|i| a[i] + b[i])
}

/// The least factor that the games allow while something grows.
const LEAST: f64 = 0.001;

impl Track<'_> {
    /// Advances from one time to a later one.
    pub fn apply(&self, show: &Show<'_>, state: &mut State, from: f64, to: f64) {
        let (before, time) = (from - self.start, to - self.start);
        let stage = show.stage;
        match &self.what {
            What::FromTo(node, event) => {
                if let Some(node) = stage.change(&mut state.nodes, *node) {
                    move_to(&mut node.pose, event, time.min(seconds(event.run_time)));
                }
            }
            What::Follow(list) => {
                for (node, script) in list {
                    if let Some(node) = stage.change(&mut state.nodes, *node) {
                        node.pose.follow(script, show.game, time);
                    }
                }
            }
            What::Fade(node, event) => {
                let rate = event.opacity.stored_rate(event.run_time);
                if let Some(node) = stage.change(&mut state.nodes, *node) {
                    node.opacity = seconds(event.opacity.from)
                        + seconds(rate) * time.min(seconds(event.run_time));
                }
            }
            What::Light(key, event) => {
                let light = state.lights.entry(key.clone()).or_default();
                let [near, far] = event.range.map(|rate| seconds(rate) * (time - before));
                light.range = light.range.map(|range| [range[0] + near, range[1] + far]);
                let color = wide(&event.color).map(|rate| rate * (time - before));
                light.color = light.color.map(|now| plus(now, color));
            }
            What::Fly(node, event) => {
                if let Some(node) = stage.change(&mut state.nodes, *node) {
                    fly(&mut node.pose, event, before, time);
                }
            }
            What::Screen(event) => {
                let (rate, time) = (event_rate(event), time.min(seconds(event.run_time)));
                let now =
                    |i: usize| (seconds(event.from[i]) + seconds(rate[i]) * time).clamp(0.0, 1.0);
                state.screen = Some(std::array::from_fn(now));
            }
        }
    }

    /// The state when the time is up.
    pub fn finish(&self, show: &Show<'_>, state: &mut State) {
        let stage = show.stage;
        match &self.what {
            What::FromTo(node, event) => {
                if let Some(node) = stage.change(&mut state.nodes, *node) {
                    arrive(&mut node.pose, event);
                }
            }
            What::Fade(node, event) => {
                if let Some(node) = stage.change(&mut state.nodes, *node) {
                    faded(node, event);
                }
            }
            What::Screen(_) => state.screen = None,
            _ => {}
        }
    }
}

fn event_rate(event: &FbfxColorFromTo) -> [F32; 4] {
    FromTo {
        from: event.from,
        to: event.to,
        rate: event.rate,
        rounding: event.rounding,
    }
    .stored_rate(event.run_time)
}

fn move_to(pose: &mut Pose, event: &ObjectMotionFromTo, time: f64) {
    if let Some(change) = &event.translate {
        pose.translation = value(change, event.run_time, time);
    }
    if let Some(change) = &event.scale {
        pose.grow(value(change, event.run_time, time).map(|v| v.max(LEAST)));
    }
    if let Some(change) = &event.rotate {
        pose.turn(value(change, event.run_time, time));
    }
}

fn arrive(pose: &mut Pose, event: &ObjectMotionFromTo) {
    if let Some(change) = &event.translate {
        pose.translation = wide(&change.to);
    }
    if let Some(change) = &event.scale {
        pose.grow(wide(&change.to));
    }
    if let Some(change) = &event.rotate {
        pose.turn(wide(&change.to));
    }
}

fn faded(node: &mut NodeState, event: &ObjectOpacityFromTo) {
    node.opacity = seconds(event.opacity.to);
    translucent(node, event.state_to);
}

fn translucent(node: &mut NodeState, state: Translucent) {
    match state {
        Translucent::On => node.translucent = true,
        Translucent::Off => node.translucent = false,
        _ => {}
    }
}

fn fly(pose: &mut Pose, event: &ObjectMotion, from: f64, to: f64) {
    let end = event.run_time.map_or(f64::INFINITY, seconds);
    let (from, to) = (from.min(end), to.min(end));
    if let Some(change) = &event.translation {
        let mut acceleration = wide(&change.acceleration);
        acceleration[1] += event.gravity.map_or(0.0, seconds);
        pose.translation = plus(
            pose.translation,
            added(&wide(&change.velocity), &acceleration, from, to),
        );
    }
    if let Some(change) = &event.scale {
        let grown = plus(
            pose.scale,
            added(
                &wide(&change.velocity),
                &wide(&change.acceleration),
                from,
                to,
            ),
        );
        pose.grow(grown.map(|v| v.max(LEAST)));
    }
    if let Some(change) = &event.xyz_rotation {
        pose.turn(plus(
            pose.angles,
            added(
                &wide(&change.velocity),
                &wide(&change.acceleration),
                from,
                to,
            ),
        ));
    }
}

/// Applies an event to nodes immediately; timed events jump to their end. Returns false for other
/// events.
pub(super) fn settle(who: &Who<'_>, state: &mut State, body: &Body) -> bool {
    let (show, stage, find) = (who.show, who.show.stage, |node: &Ref| who.find(node));
    let node = match body {
        Body::ObjectActiveState(event) => &event.node,
        Body::ObjectTranslateState(event) => &event.node,
        Body::ObjectScaleState(event) => &event.node,
        Body::ObjectRotateState(event) => &event.node,
        Body::ObjectMotionFromTo(event) => &event.node,
        Body::ObjectOpacityState(event) => &event.node,
        Body::ObjectOpacityFromTo(event) => &event.node,
        Body::ObjectCycleTexture(event) => &event.node,
        Body::ObjectAddChild(event) | Body::ObjectDeleteChild(event) => &event.child,
        _ => return false,
    };
    let Some(row) = find(node) else { return true };
    // A value relative to another node needs that node's state first.
    let other = |node: &Option<Ref>| match node {
        Some(node) => find(node).map(Some),
        None => Some(None),
    };
    let origin = |state: &State, at: usize| -> V3 {
        let [.., x, y, z] = stage.world(&state.nodes, at);
        [x, y, z]
    };
    match body {
        Body::ObjectTranslateState(event) => {
            let Some(at) = other(&event.at_node) else {
                return true;
            };
            let base = at.map_or([0.0; 3], |at| origin(state, at));
            let Some(node) = stage.change(&mut state.nodes, row) else {
                return true;
            };
            let place = plus(base, wide(&event.state));
            let relative = event.relative.is_some_and(|relative| relative.0 & 1 != 0);
            node.pose.translation = if relative {
                plus(node.pose.translation, place)
            } else {
                place
            };
        }
        Body::ObjectRotateState(event) => {
            let Some(at) = other(&event.at_node) else {
                return true;
            };
            let basis = at
                .and_then(|at| stage.state(&state.nodes, at))
                .map_or([0.0; 3], |node| node.pose.angles);
            let Some(node) = stage.change(&mut state.nodes, row) else {
                return true;
            };
            match event.mode {
                None | Some(RotateMode::Absolute) => node.pose.turn(wide(&event.state)),
                Some(RotateMode::Relative) => {
                    node.pose.turn(plus(node.pose.angles, wide(&event.state)))
                }
                _ => node.pose.turn(plus(basis, wide(&event.state))),
            }
        }
        Body::ObjectAddChild(event) | Body::ObjectDeleteChild(event) => {
            let Some(parent) = find(&event.parent) else {
                return true;
            };
            hang(
                show,
                state,
                parent,
                row,
                matches!(body, Body::ObjectAddChild(_)),
            );
        }
        _ => {
            if let Some(node) = stage.change(&mut state.nodes, row) {
                change(node, body);
            }
        }
    }
    true
}

/// Adds a node as a child of another one, or removes it. A node that has another parent already
/// would have two, which the scene cannot show: it stays.
fn hang(show: &Show<'_>, state: &mut State, parent: usize, child: usize, add: bool) {
    let Some(node) = show.stage.change(&mut state.nodes, child) else {
        return;
    };
    let free = node.parent.is_none_or(|above| show.stage.is_world(above));
    if add && free {
        (node.parent, node.loose) = (Some(parent), false);
    } else if !add && node.parent == Some(parent) {
        (node.parent, node.loose) = (None, true);
    }
}

fn change(node: &mut NodeState, body: &Body) {
    match body {
        Body::ObjectActiveState(event) => node.active = event.state.0 == 1,
        Body::ObjectScaleState(event) => node.pose.grow(wide(&event.state)),
        Body::ObjectMotionFromTo(event) => arrive(&mut node.pose, event),
        Body::ObjectOpacityState(event) => {
            node.translucent = event.state.0 == 1;
            node.opacity = event.opacity.map_or(node.opacity, seconds);
        }
        Body::ObjectOpacityFromTo(event) => faded(node, event),
        _ => {}
    }
}

/// The target of a branch: the position before the next event. `None` for an event that is not a
/// branch.
pub(super) fn branch(
    who: &Who<'_>,
    state: &State,
    events: &[Event],
    cursor: usize,
) -> Option<usize> {
    let next = |from: usize, stops: fn(&Body) -> bool| {
        let behind = events.iter().enumerate().skip(from + 1);
        behind
            .into_iter()
            .find(|(_, event)| stops(&event.body))
            .map_or(events.len(), |(i, _)| i)
    };
    match &events.get(cursor)?.body {
        Body::If(condition) => {
            let (mut at, mut asked) = (cursor, condition);
            while !holds(who, state, asked) {
                at = next(at, |body| {
                    matches!(body, Body::Else(_) | Body::Elseif(_) | Body::Endif(_))
                });
                match events.get(at).map(|event| &event.body) {
                    Some(Body::Elseif(condition)) => asked = condition,
                    _ => break,
                }
            }
            Some(at)
        }
        Body::Else(_) | Body::Elseif(_) => {
            Some(next(cursor, |body| matches!(body, Body::Endif(_))))
        }
        _ => None,
    }
}

/// True if a condition is met.
fn holds(who: &Who<'_>, state: &State, condition: &Condition) -> bool {
    let (stage, node) = (who.show.stage, |node: &Ref| who.find(node));
    let assumed = |usual: bool| match who.show.assume {
        Assume::Usual => usual,
        Assume::Holds => true,
        Assume::Fails => false,
    };
    let health = who.of.health.map_or(0.0, F32::get);
    match condition {
        // A node's state is decided by the events; a probability decides nothing here.
        Condition::NodeActive(asked) => node(&asked.node)
            .and_then(|row| stage.state(&state.nodes, row))
            .is_some_and(|node| node.active),
        Condition::NodeBelowAlt(asked) => node(&asked.node).is_some_and(|row| {
            let [.., height, _] = stage.world(&state.nodes, row);
            height < seconds(asked.height)
        }),
        Condition::RandomWeight(weight) if weight.get() >= 1.0 => true,
        Condition::RandomWeight(weight) if weight.get() < 0.0 => false,
        Condition::AnimationLod(level) => *level <= 2 && assumed(true),
        Condition::PlayerRange(Distance::Plain(_) | Distance::Square(_))
        | Condition::HwRender(_) => assumed(true),
        Condition::AnimHealth(most) => match who.show.assume {
            Assume::Usual => health <= most.get(),
            _ => assumed(false),
        },
        Condition::AnimHealthRange([least, most]) => match who.show.assume {
            Assume::Usual => least.get() <= health && health <= most.get(),
            _ => assumed(false),
        },
        _ => assumed(false),
    }
}

/// Applies an event to the world.
pub(super) fn act<'a>(who: &Who<'a>, state: &mut State, now: f64, event: &'a Event) -> Outcome<'a> {
    let (show, definition, find) = (who.show, who.definition, |node: &Ref| who.find(node));
    let takes = |length: F32, what: Option<What<'a>>| {
        let length = seconds(length);
        // A NaN duration ends immediately, like a negative one.
        let length = if length > 0.0 { length } else { 0.0 };
        Outcome::Takes(length, what.map(|what| Track { start: now, what }))
    };
    let skipped = why_not(&event.body).is_some();
    match &event.body {
        Body::ObjectMotionFromTo(event) => {
            return takes(
                event.run_time,
                find(&event.node).map(|node| What::FromTo(node, event)),
            );
        }
        Body::ObjectOpacityFromTo(event) => {
            let node = find(&event.node);
            if let Some(node) = node.and_then(|node| show.stage.change(&mut state.nodes, node)) {
                translucent(node, event.state_from);
            }
            return takes(event.run_time, node.map(|node| What::Fade(node, event)));
        }
        Body::Script(event) => {
            let script = script_of(show, event);
            let list = script
                .zip(find(&event.node))
                .map(|(script, node)| vec![(node, script)]);
            let length = script.map_or(0.0, Script::run_time);
            return takes(F32::from(length), list.map(What::Follow));
        }
        Body::ScriptList(list) => {
            let scripts = list.0.iter().filter_map(|item| {
                let script = item
                    .script
                    .as_ref()
                    .and_then(|name| named_script(show, name))?;
                Some((find(&item.node), script))
            });
            let scripts: Vec<(Option<usize>, &Script)> = scripts.collect();
            let length = scripts
                .iter()
                .map(|(_, script)| script.run_time())
                .fold(0.0, f32::max);
            let moved = scripts
                .into_iter()
                .filter_map(|(node, script)| Some((node?, script)))
                .collect();
            return takes(F32::from(length), Some(What::Follow(moved)));
        }
        Body::ObjectMotion(event) => {
            let node = find(&event.node).filter(|_| !skipped);
            let what = node.map(|node| What::Fly(node, event));
            return match event.run_time {
                Some(run_time) => takes(run_time, what),
                None => Outcome::Takes(f64::INFINITY, what.map(|what| Track { start: now, what })),
            };
        }
        Body::LightAnimation(event) => {
            let key = (definition, ref_name(&event.light));
            return takes(event.run_time, Some(What::Light(key, event)));
        }
        Body::FbfxColorFromTo(event) => return takes(event.run_time, Some(What::Screen(event))),
        Body::ObjectConnector(event) => return takes(event.run_time, None),
        Body::CameraFromTo(event) => return takes(event.run_time, None),
        Body::FbfxCsinwaveFromTo(event) => return takes(event.run_time, None),
        Body::SoundAdjust(event) => return takes(event.run_time, None),
        Body::ObjectCycleTexture(event) => {
            if let Some(node) =
                find(&event.node).and_then(|node| show.stage.change(&mut state.nodes, node))
            {
                node.cycle = Some((event.reset, now));
            }
        }
        Body::Sound(event) => {
            let node = event.at_node.as_ref().and_then(find);
            let name = ref_name(&event.sound);
            state.sounds.push(Sounded {
                time: now,
                name,
                node,
                switched: None,
            });
        }
        Body::SoundNode(event) => {
            let node = event.at_node.as_ref().and_then(find);
            let switched = Some(event.active_state.0 == 1);
            state.sounds.push(Sounded {
                time: now,
                name: ref_name(&event.sound),
                node,
                switched,
            });
        }
        Body::LightState(event) => {
            let node = event.at_node.as_ref().and_then(find);
            light(
                state
                    .lights
                    .entry((definition, ref_name(&event.light)))
                    .or_default(),
                event,
                node,
            );
        }
        Body::FogState(event) => fog(&mut state.fog, event, show.game),
        body => _ = settle(who, state, body),
    }
    Outcome::Done
}

fn script_of<'a>(show: &'a Show<'_>, event: &'a ObjectMotionSiScript) -> Option<&'a Script> {
    event
        .inline
        .as_ref()
        .or_else(|| named_script(show, event.script.as_ref()?))
}

fn named_script<'a>(show: &'a Show<'_>, name: &Ref) -> Option<&'a Script> {
    match name {
        Ref::Name(name) => show.script(&name.text()),
        _ => None,
    }
}

/// The name that a reference has in a tree.
fn ref_name(of: &Ref) -> String {
    match of {
        Ref::Name(name) | Ref::Nth(name, _) => name.text().into_owned(),
        _ => String::new(),
    }
}

fn light(light: &mut Light, event: &LightState, node: Option<usize>) {
    light.active = event.active_state.0 == 1;
    if event.at_node.is_some() {
        light.node = node;
    }
    if event.absolute {
        light.node = None;
    }
    if event.at_node.is_some() || event.absolute {
        light.position = event.position.as_ref().map_or([0.0; 3], wide);
    }
    light.range = event.range.map(|range| range.map(seconds)).or(light.range);
    light.color = event.color.as_ref().map(wide).or(light.color);
    let [ambient, diffuse] = light.parts;
    light.parts = [
        event.ambient.map(seconds).or(ambient),
        event.diffuse.map(seconds).or(diffuse),
    ];
}

fn fog(fog: &mut Fog, event: &FogState, game: Game) {
    // Recoil always reads the type, and LINEAR is its default.
    let kind = event
        .r#type
        .or((game.itself() == Game::Rc).then_some(FogType::Linear));
    fog.kind = kind.map_or(fog.kind, FogType::name);
    fog.color = event.color.as_ref().map(wide).or(fog.color);
    fog.altitude = event.altitude.map(|v| v.map(seconds)).or(fog.altitude);
    fog.range = event.range.map(|v| v.map(seconds)).or(fog.range);
}
