//! Values that sources do not contain: bytes after names, addresses, words that the engine
//! computes, bytes of switched-off fields. They are ignored in comparisons, and a recompiled
//! definition keeps them.

use super::{scope::KeptNames, world::Bound};
use refit_base::{
    game::Game,
    tree,
    wire::{Derived, Extra, Hex, Text},
};
use refit_zipper::anim::{
    definition::{Definition, PathNode},
    names::{Name, StoredName},
    prerequisites::{Prerequisite, Reference},
    references::{Array, Stale},
    sequences::{Body, Event, Sequence},
};
use std::collections::{HashMap, VecDeque};

/// Removes the bytes after the text.
fn clean<const N: usize>(text: &mut Text<N>) {
    if !text.is_regular() {
        let only = Text::new(text.bytes());
        *text = only.unwrap_or(*text);
    }
}

/// Removes from an event what sources do not contain.
fn strip(event: &mut Event) {
    event.pad = Derived(None);
    event.extra = Extra::default();
    match &mut event.body {
        Body::SoundNode(e) => e.name = Derived(None),
        Body::LightState(e) => e.name = Derived(None),
        Body::LightAnimation(e) => e.name = Derived(None),
        Body::CallSequence(e) | Body::StopSequence(e) => clean(&mut e.name),
        Body::CallAnimation(e) => {
            clean(&mut e.name);
            e.reference_off = None;
        }
        Body::StopAnimation(e) => {
            clean(&mut e.name);
            e.resolved = Derived(None);
        }
        Body::ResetAnimation(e) | Body::InvalidateAnimation(e) => {
            clean(&mut e.name);
            e.resolved = Derived(None);
        }
        Body::CallObjectConnector(e) => clean(&mut e.animation),
        Body::FogState(e) => e.name.0.iter_mut().for_each(clean),
        Body::DetonateWeapon(e) => clean(&mut e.weapon),
        Body::ObjectMotion(e) => {
            let all = [
                &mut e.bounce_sequence,
                &mut e.bounce_sequence_water,
                &mut e.bounce_sequence_lava,
            ];
            all.into_iter().flatten().for_each(clean);
            e.translation_range_max_off = None;
        }
        Body::PufferState(e) => {
            e.name = Derived(None);
            e.textures
                .iter_mut()
                .flatten()
                .for_each(|texture| clean(&mut texture.name));
            (e.interval_type_off, e.interval_off) = (Derived(None), Derived(None));
        }
        Body::Script(e) => {
            for frame in e.inline.iter_mut().flat_map(|script| &mut script.frames) {
                for part in [&mut frame.translate, &mut frame.scale]
                    .into_iter()
                    .flatten()
                {
                    part.unk12 = Derived(None);
                }
            }
        }
        _ => {}
    }
}

/// True if two events are equal in everything that sources contain.
pub fn same_event(a: &Event, b: &Event) -> bool {
    if a == b {
        return true;
    }
    if a.body.number() != b.body.number() || a.start != b.start || a.time != b.time {
        return false;
    }
    let (mut a, mut b) = (a.clone(), b.clone());
    strip(&mut a);
    strip(&mut b);
    a == b
}

/// The fields that an event has.
fn fields(event: &Event) -> Vec<String> {
    match tree::text::to_value(event) {
        Some(serde_json::Value::Object(all)) => all
            .values()
            .filter_map(serde_json::Value::as_object)
            .flat_map(|body| body.keys().cloned())
            .collect(),
        _ => Vec::new(),
    }
}

/// Copies what sources do not contain into a changed event, if the same fields are switched on.
fn inherit(new: &mut Event, old: &Event) {
    new.pad = old.pad;
    let (mut a, mut b) = (new.clone(), old.clone());
    strip(&mut a);
    strip(&mut b);
    if fields(&a) == fields(&b) {
        new.extra = old.extra.clone();
    }
    match (&mut new.body, &old.body) {
        (Body::StopAnimation(new), Body::StopAnimation(old)) => new.resolved = old.resolved,
        (Body::ResetAnimation(new), Body::ResetAnimation(old))
        | (Body::InvalidateAnimation(new), Body::InvalidateAnimation(old)) => {
            new.resolved = old.resolved
        }
        (Body::CallAnimation(new), Body::CallAnimation(old)) => {
            keep(&mut new.name, &old.name);
            if new.reference.is_none() && !new.wait_for_completion && !old.wait_for_completion {
                new.reference_off = old.reference_off;
            }
        }
        (Body::ObjectMotion(new), Body::ObjectMotion(old))
            if new.translation_range_min.is_some() && new.translation_range_max.is_none() =>
        {
            new.translation_range_max_off = old.translation_range_max_off;
        }
        (Body::PufferState(new), Body::PufferState(old))
            if new.interval.is_none() && new.interval_type.is_none() =>
        {
            (new.interval_type_off, new.interval_off) = (old.interval_type_off, old.interval_off);
        }
        _ => {}
    }
}

/// Maximum number of pairs of events to compare when searching for moved ones; longer lists are
/// compared in order.
const MOST_PAIRS: usize = 1 << 18;

/// Replaces events by equal ones of an older list, and copies what sources do not contain into
/// changed events.
fn align(new: &mut [Event], old: &[Event]) {
    let head = new
        .iter()
        .zip(old)
        .take_while(|(a, b)| same_event(a, b))
        .count();
    let left = new.len().min(old.len()) - head;
    let tail = new
        .iter()
        .rev()
        .zip(old.iter().rev())
        .take(left)
        .take_while(|(a, b)| same_event(a, b))
        .count();
    let (n, m) = (new.len() - head - tail, old.len() - head - tail);
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|i| (i, i)).collect();
    // The longest common subsequence of the part in between.
    if n > 0 && m > 0 && n.saturating_mul(m) <= MOST_PAIRS {
        let same: Vec<bool> = (0..n * m)
            .map(
                |at| match (new.get(head + at / m), old.get(head + at % m)) {
                    (Some(a), Some(b)) => same_event(a, b),
                    _ => false,
                },
            )
            .collect();
        let width = m + 1;
        let mut longest = vec![0u32; (n + 1) * width];
        let get =
            |longest: &[u32], i: usize, j: usize| longest.get(i * width + j).copied().unwrap_or(0);
        for i in (0..n).rev() {
            for j in (0..m).rev() {
                let value = match same.get(i * m + j) {
                    Some(true) => 1 + get(&longest, i + 1, j + 1),
                    _ => get(&longest, i + 1, j).max(get(&longest, i, j + 1)),
                };
                if let Some(slot) = longest.get_mut(i * width + j) {
                    *slot = value;
                }
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < n && j < m {
            if same.get(i * m + j) == Some(&true) {
                pairs.push((head + i, head + j));
                (i, j) = (i + 1, j + 1);
            } else if get(&longest, i + 1, j) >= get(&longest, i, j + 1) {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    pairs.extend((0..tail).map(|i| (new.len() - tail + i, old.len() - tail + i)));
    pairs.push((new.len(), old.len()));
    let (mut a, mut b) = (0, 0);
    for (i, j) in pairs {
        // A gap: pairs changed events of the same kind in order.
        while a < i && b < j {
            if let (Some(new), Some(old)) = (new.get_mut(a), old.get(b))
                && new.body.number() == old.body.number()
            {
                inherit(new, old);
            }
            (a, b) = (a + 1, b + 1);
        }
        if let (Some(new), Some(old)) = (new.get_mut(i), old.get(j)) {
            *new = old.clone();
        }
        (a, b) = (i + 1, j + 1);
    }
}

fn sequence(new: &mut Sequence, old: &Sequence) {
    keep(&mut new.name, &old.name);
    if new.activation == old.activation {
        new.reset_activation = old.reset_activation;
    }
    let before = (new.events.len(), old.events.len());
    align(&mut new.events, &old.events);
    if new.events.is_empty() == old.events.is_empty() {
        new.pointer = old.pointer;
    }
    new.extra = old.extra.clone();
    new.tail = old.tail.clone();
    if before.0 == before.1 {
        new.size = old.size;
    }
}

/// Copies the bytes after an unchanged name.
fn keep<const N: usize>(new: &mut Text<N>, old: &Text<N>) {
    if new.bytes() == old.bytes() {
        *new = *old;
    }
}

/// Replaces items by equal ones of an older list. Added and removed items do not affect the order
/// of the others.
fn take_over<T: Clone>(new: &mut [T], old: &[T], same: impl Fn(&T, &T) -> bool) {
    let mut from = old.iter();
    for new in new {
        let mut rest = from.clone();
        if let Some(old) = rest.find(|old| same(new, old)) {
            *new = old.clone();
            from = rest;
        }
    }
}

fn same_label(a: &StoredName, b: &StoredName) -> bool {
    a.text == b.text
}

fn same_reference(a: &Reference, b: &Reference) -> bool {
    let local = |r: &Reference| r.local_name.as_ref().map(|local| local.text.clone());
    local(a) == local(b) && same_label(&a.name, &b.name)
}

fn same_prerequisite(a: &Prerequisite, b: &Prerequisite) -> bool {
    let texts = |p: &Prerequisite| {
        [p.animation, p.object, p.parent].map(|text| text.map(|t| Name::from(t.bytes())))
    };
    let state = |p: &Prerequisite| (p.active, p.local, p.optional);
    state(a) == state(b) && texts(a) == texts(b) && b.kind.is_none()
}

/// Copies what sources do not contain from the older definition into a compiled one. `flags` are
/// the flag bits that the source sets itself; if `None`, the older bits stay.
pub fn overlay(new: &mut Definition, old: &Definition, game: Game, flags: Option<u32>) {
    keep(&mut new.name, &old.name);
    keep(&mut new.animation_name, &old.animation_name);
    keep(&mut new.animation_root_name, &old.animation_root_name);
    if new.health == old.health {
        new.current_health = old.current_health;
    }
    new.status = old.status;
    if flags.is_none() {
        new.flags_differ = old.flags_differ;
        keep_keyless(new, old, game);
    }
    for array in Array::ALL {
        let old = old.names(array).as_deref().unwrap_or_default();
        take_over(
            new.names_mut(array).as_deref_mut().unwrap_or_default(),
            old,
            same_label,
        );
    }
    take_over(
        &mut new.animation_references,
        &old.animation_references,
        same_reference,
    );
    take_over(
        &mut new.prerequisites,
        &old.prerequisites,
        same_prerequisite,
    );
    if game == Game::Cs {
        for (new, old) in new.path.iter_mut().zip(&old.path) {
            if same_label(&new.name, &old.name) {
                *new = old.clone();
            }
        }
        new.scripts = old.scripts.clone();
    }
    if let (Some(new), Some(old)) = (&mut new.reset_state, &old.reset_state) {
        align(new, old);
    }
    new.reset_tail = old.reset_tail.clone();
    new.reset_extra = old.reset_extra.clone();
    if new.reset_state.as_ref().map(Vec::len) == old.reset_state.as_ref().map(Vec::len) {
        new.reset_size = old.reset_size;
    }
    new.reset_record_copy = old.reset_record_copy;
    if let (Some(new), Some(old)) = (&mut new.damage_sequence, &old.damage_sequence) {
        sequence(new, old);
    }
    new.damage_position = old.damage_position;
    let mut before: HashMap<&[u8], VecDeque<usize>> = HashMap::new();
    for (at, old) in old.sequences.iter().enumerate() {
        before.entry(old.name.bytes()).or_default().push_back(at);
    }
    let mut left = vec![true; old.sequences.len()];
    let named: Vec<Option<usize>> = new
        .sequences
        .iter()
        .map(|new| {
            before
                .get_mut(new.name.bytes())
                .and_then(VecDeque::pop_front)
        })
        .collect();
    for at in named.iter().flatten() {
        left.get_mut(*at).into_iter().for_each(|left| *left = false);
    }
    let left: Vec<&Sequence> = old
        .sequences
        .iter()
        .zip(&left)
        .filter_map(|(old, left)| left.then_some(old))
        .collect();
    // As many new names as unmatched old sequences: they were renamed.
    let renamed = named.iter().filter(|named| named.is_none()).count() == left.len();
    let mut left = left.into_iter();
    for (new, named) in new.sequences.iter_mut().zip(named) {
        let before = match named {
            Some(at) => old.sequences.get(at),
            None if renamed => left.next(),
            None => None,
        };
        if let Some(old) = before {
            sequence(new, old);
        }
    }
    new.pointers = old.pointers.clone();
    forget_addresses(new, old);
    new.stale = old.stale.clone();
    new.zero_elements = old.zero_elements.clone();
    new.extra = old.extra.clone();
}

/// Removes addresses of things that were added or removed.
fn forget_addresses(new: &mut Definition, old: &Definition) {
    macro_rules! follow {
        ($($pointer:ident: $there:expr),*) => {
            $({
                let there: fn(&Definition) -> bool = $there;
                if there(new) != there(old) {
                    new.pointers.$pointer = Derived(None);
                }
            })*
        };
    }
    follow! {
        reset: |d| d.reset_state.is_some(),
        reset_events: |d| d.reset_state.as_ref().is_some_and(|events| !events.is_empty()),
        damage: |d| d.damage_sequence.is_some(),
        sequences: |d| !d.sequences.is_empty(),
        path: |d| !d.path.is_empty(),
        objects: |d| d.objects.is_some(),
        nodes: |d| d.nodes.is_some(),
        lights: |d| d.lights.is_some(),
        puffers: |d| d.puffers.is_some(),
        dynamic_sounds: |d| d.dynamic_sounds.is_some(),
        static_sounds: |d| d.static_sounds.is_some(),
        effects: |d| d.effects.is_some(),
        prerequisites: |d| !d.prerequisites.is_empty(),
        animation_references: |d| !d.animation_references.is_empty(),
        scripts: |d| !d.scripts.is_empty()
    }
}

/// Removes the stale data of names that no longer exist.
pub fn prune(new: &mut Definition, kept: &KeptNames) {
    let stale = &mut new.stale;
    kept.retain(Array::Objects, &mut stale.objects);
    kept.retain(Array::Nodes, &mut stale.nodes);
    kept.retain(Array::Lights, &mut stale.lights);
    kept.retain(Array::Puffers, &mut stale.puffers);
    kept.retain(Array::DynamicSounds, &mut stale.dynamic_sounds);
    kept.retain(Array::StaticSounds, &mut stale.static_sounds);
    kept.retain(Array::Effects, &mut stale.effects);
}

/// Where the rest of an entry stores its address.
type Pointer<S> = fn(&mut S) -> &mut Derived<Hex<u32>>;

/// Adds the rest of a new entry, the one at `at`, with this address.
pub fn add_stale<S: Stale>(
    names: &[StoredName],
    at: usize,
    stale: &mut Vec<S>,
    pointer: Pointer<S>,
    address: u32,
) {
    for label in names.iter().take(at + 1).skip(stale.len()) {
        let mut rest = S::default();
        *rest.name() = label.text.clone();
        stale.push(rest);
    }
    if let Some(rest) = stale.get_mut(at) {
        *pointer(rest) = Derived(Some(Hex(address)));
    }
}

/// Adds to a compiled definition what sources do not contain.
pub fn finish(
    new: &mut Definition,
    old: Option<&Definition>,
    game: Game,
    flags: Option<u32>,
    bound: &Bound,
    kept: &KeptNames,
) {
    if game == Game::Cs {
        new.path = bound
            .path
            .iter()
            .map(|(step, place)| PathNode {
                name: StoredName::new(step),
                id: Hex(place.unwrap_or(0)),
            })
            .collect();
    }
    let own = new.flags_differ.or(Hex(0)).0 | flags.unwrap_or(0);
    new.flags_differ = Derived((own != 0).then_some(Hex(own)));
    if let Some(old) = old {
        overlay(new, old, game, flags);
        prune(new, kept);
    }
}

/// The bit of `local_nodes_only`.
const PM_LOCAL: u32 = 0x0008_0000;

/// Flag bits of fields that have no key in this game.
pub fn keyless(d: &Definition, game: Game) -> u32 {
    let (rc, mw) = (game.itself() == Game::Rc, game == Game::Mw);
    let bit = |on: bool, bit: u32| if on { bit } else { 0 };
    bit(d.auto_reset_node_states && rc, 0x1_0000)
        | bit(d.local_nodes_only && (rc || mw), PM_LOCAL)
        | bit(d.proximity_damage && rc, 0x10_0000)
}

/// Copies the fields that have no key in this game.
fn keep_keyless(new: &mut Definition, old: &Definition, game: Game) {
    let bits = keyless(old, game);
    new.auto_reset_node_states |= bits & 0x1_0000 != 0;
    new.local_nodes_only |= bits & PM_LOCAL != 0;
    new.proximity_damage |= bits & 0x10_0000 != 0;
}
