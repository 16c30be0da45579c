//! Samples of a definition, for comparison with the page.

use super::{
    player::{Happened, Player},
    show::{Light, Show, State},
    shown::why_not,
    stage::NodeState,
};
use refit_zipper::anim::Event;
use serde_json::{Value, json};

/// The longest time that samples cover, in seconds, and the most events.
const LONGEST: f64 = 60.0;
const MOST: usize = 2_000;

/// Samples of a definition at `count` times from its start to its end, or to the end of the first
/// minute: its length, its events, and the state of all that moved.
pub fn samples(show: &Show<'_>, definition: usize, count: usize) -> Value {
    let mut player = Player::new(show, definition);
    let mut length: f64 = 0.0;
    while let Some(next) = player
        .next_time()
        .filter(|next| *next <= LONGEST && player.log().len() < MOST)
    {
        player.at(next);
        length = length.max(next);
    }
    let endless = player.next_time().is_some();
    let length = if length == 0.0 { 1.0 } else { length };
    let mut player = Player::new(show, definition);
    let steps = count.saturating_sub(1).max(1) as f64;
    let states: Vec<Value> = (0..count)
        .map(|i| {
            let time = length * (i as f64 / steps);
            let state = player.at(time);
            let happened = player.log().len();
            json!({ "time": time, "happened": happened, "state": written(show, &state) })
        })
        .collect();
    let event = |of: &Happened| -> Option<&Event> {
        let definition = show.definitions().get(of.definition)?;
        match of.sequence {
            Some(s) => definition.sequences.get(s)?.events.get(of.event),
            None => definition.reset_state.as_ref()?.get(of.event),
        }
    };
    let log = player.log().iter().map(|of| {
        let event = event(of);
        json!([
            of.time,
            of.end,
            of.instance,
            of.sequence,
            of.event,
            event.map(|event| event.body.key()),
            event.is_some_and(|event| why_not(&event.body).is_none()),
        ])
    });
    json!({ "length": length, "endless": endless, "events": log.collect::<Vec<_>>(), "samples": states })
}

/// A state as the page writes it.
fn written(show: &Show<'_>, state: &State) -> Value {
    let node = |(row, node): (&usize, &NodeState)| {
        let world = show.stage.world(&state.nodes, *row);
        json!([
            row,
            node.active,
            node.parent,
            node.translucent,
            node.opacity,
            node.cycle,
            node.pose.translation,
            node.pose.rows,
            world,
        ])
    };
    let light = |((definition, name), light): (&(usize, String), &Light)| {
        let of = show
            .definitions()
            .get(*definition)
            .map_or("".into(), |of| of.animation_name.text());
        let name = format!("{of}/{name}");
        json!([
            name,
            light.active,
            light.node,
            light.position,
            light.range,
            light.color,
            light.parts
        ])
    };
    let fog = &state.fog;
    let sounds = state
        .sounds
        .iter()
        .map(|of| json!([of.time, of.name, of.node, of.switched]));
    json!({
        "nodes": state.nodes.iter().map(node).collect::<Vec<_>>(),
        "lights": state.lights.iter().map(light).collect::<Vec<_>>(),
        "fog": [json!(fog.kind), json!(fog.color), json!(fog.altitude), json!(fog.range)],
        "screen": state.screen,
        "sounds": sounds.collect::<Vec<_>>(),
    })
}
