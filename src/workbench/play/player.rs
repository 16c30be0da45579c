//! Runs the events of a definition and of the definitions that it calls.

use super::{
    events::{Outcome, Track, Who, act, branch, settle},
    show::{Show, State},
    stage::{Bound, States},
};
use refit_zipper::anim::{Body, Definition, Event, Ref, SequenceState, Start};
use std::collections::BTreeMap;

/// Maximum number of events that one player runs, and of simultaneous animations.
const EVENTS: usize = 100_000;
const INSTANCES: usize = 256;

/// The length of a game step, the minimum duration of a round of a loop, in seconds.
const STEP: f64 = 1.0 / 60.0;

/// A running animation.
struct Instance {
    definition: usize,
    bound: Bound,
    /// The name by which the caller finds it.
    local: Option<String>,
    start: f64,
    /// The sequences of its definition, or the one of the reset.
    runs: Vec<Run>,
    phase: Phase,
    /// The states of its objects at the start.
    saved: States,
    /// Loops end at their next round.
    ends: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Phase {
    /// Its sequences run.
    Runs,
    /// They ended, and it resets itself then.
    Waits(f64),
    Resets,
    Finished,
}

/// A running sequence.
struct Run {
    status: Status,
    cursor: usize,
    /// When its first event started.
    start: f64,
    /// When the event before ended, or when the sequence was called.
    ready: f64,
    rounds: u32,
    looped: f64,
    /// The entry of the event that runs.
    entry: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Status {
    Ready,
    /// Until then.
    Busy(f64),
    /// Until this animation is finished.
    Held(usize),
    Parked,
    Done,
}

/// An event that happened.
#[derive(Clone, PartialEq, Debug)]
pub struct Happened {
    /// When it started, in seconds.
    pub time: f64,
    /// When it ended, unless it runs.
    pub end: Option<f64>,
    /// The running animation, by the order of starts, and its definition.
    pub instance: usize,
    /// Its definition.
    pub definition: usize,
    /// The sequence; `None` for the reset state.
    pub sequence: Option<usize>,
    /// The position of the event.
    pub event: usize,
}

/// Plays one definition from its start.
pub struct Player<'a> {
    show: &'a Show<'a>,
    state: State,
    instances: Vec<Instance>,
    /// What runs, in the order of instances and sequences.
    tracks: BTreeMap<(usize, usize), Track<'a>>,
    /// Definitions that cannot be started any more.
    invalid: Vec<usize>,
    log: Vec<Happened>,
    now: f64,
    /// It had too much to do.
    gave_up: bool,
}

impl Run {
    fn new(state: SequenceState, events: usize, now: f64) -> Self {
        let status = match state {
            SequenceState::OnCall => Status::Parked,
            SequenceState::Done => Status::Done,
            _ if events == 0 => Status::Done,
            _ => Status::Ready,
        };
        Run {
            status,
            cursor: 0,
            start: now,
            ready: now,
            rounds: 0,
            looped: 0.0,
            entry: None,
        }
    }

    /// When the event at the cursor starts; infinite if it never does.
    fn due(&self, event: &Event, start: f64) -> f64 {
        let time = f64::from(event.time.get());
        let behind = |clock: f64| {
            if time.is_nan() {
                f64::INFINITY
            } else {
                self.ready.max(clock + time)
            }
        };
        match event.start {
            Start::Animation => behind(start),
            // These clocks run from the first event on.
            Start::Sequence | Start::Event if self.cursor == 0 => {
                if time <= 0.0 {
                    self.ready
                } else {
                    f64::INFINITY
                }
            }
            Start::Sequence => behind(self.start),
            Start::Event => behind(self.ready),
            Start::Other(_) => f64::INFINITY,
        }
    }
}

/// What happens next.
enum Next {
    Start(usize, usize),
    End(usize, usize),
    Reset(usize),
}

impl<'a> Player<'a> {
    /// A player of a definition, at its start.
    pub fn new(show: &'a Show<'a>, definition: usize) -> Self {
        let mut player = Player {
            show,
            state: State::default(),
            instances: Vec::new(),
            tracks: BTreeMap::new(),
            invalid: Vec::new(),
            log: Vec::new(),
            now: 0.0,
            gave_up: false,
        };
        for reached in show.reached(definition) {
            player.load(reached);
        }
        player.begin(definition, None, None);
        player
    }

    /// The state at a time. Times before the last event of an earlier call need a new player.
    pub fn at(&mut self, time: f64) -> State {
        while let Some((next, due)) = self.next().filter(|(_, due)| *due <= time) {
            if self.log.len() >= EVENTS {
                self.gave_up = true;
                break;
            }
            self.advance(due);
            match next {
                Next::Start(i, s) => self.start(i, s),
                Next::End(i, s) => self.end(i, s),
                Next::Reset(i) => self.reset(i),
            }
        }
        let mut state = self.state.clone();
        for track in self.tracks.values() {
            track.apply(self.show, &mut state, self.now, time);
        }
        state
    }

    /// The log of events so far.
    pub fn log(&self) -> &[Happened] {
        &self.log
    }

    /// The time of the next change; `None` if nothing is left to happen, or too much happened.
    pub(crate) fn next_time(&self) -> Option<f64> {
        self.next()
            .map(|(_, due)| due)
            .filter(|_| !self.gave_up && self.log.len() < EVENTS)
    }

    fn next(&self) -> Option<(Next, f64)> {
        let mut best: Option<(Next, f64)> = None;
        let mut offer = |next: Next, due: f64| {
            if due < f64::INFINITY && best.as_ref().is_none_or(|(_, least)| due < *least) {
                best = Some((next, due));
            }
        };
        for (i, instance) in self.instances.iter().enumerate() {
            if let Phase::Waits(until) = instance.phase {
                offer(Next::Reset(i), until);
            }
            for (s, run) in instance.runs.iter().enumerate() {
                match run.status {
                    Status::Ready => {
                        let due = self
                            .event(i, s)
                            .map_or(run.ready, |event| run.due(event, instance.start));
                        offer(Next::Start(i, s), due);
                    }
                    Status::Busy(until) => offer(Next::End(i, s), until),
                    _ => {}
                }
            }
        }
        best
    }

    /// The events of a sequence, or of the reset.
    fn events(&self, i: usize, s: usize) -> &'a [Event] {
        let Some(instance) = self.instances.get(i) else {
            return &[];
        };
        let Some(definition) = self.show.definitions.get(instance.definition) else {
            return &[];
        };
        match instance.phase {
            Phase::Resets => definition.reset_state.as_deref().unwrap_or_default(),
            _ => definition
                .sequences
                .get(s)
                .map_or(&[], |sequence| &sequence.events),
        }
    }

    /// The event at the cursor of a sequence.
    fn event(&self, i: usize, s: usize) -> Option<&'a Event> {
        self.events(i, s).get(self.run(i, s)?.cursor)
    }

    fn run(&self, i: usize, s: usize) -> Option<&Run> {
        self.instances.get(i)?.runs.get(s)
    }

    fn run_mut(&mut self, i: usize, s: usize) -> Option<&mut Run> {
        self.instances.get_mut(i)?.runs.get_mut(s)
    }

    /// Lets everything that runs reach this time.
    fn advance(&mut self, time: f64) {
        for track in self.tracks.values() {
            track.apply(self.show, &mut self.state, self.now, time);
        }
        self.now = time;
    }

    /// Applies the reset state of a definition, as at the start of the mission.
    fn load(&mut self, definition: usize) {
        let bound = self
            .show
            .bounds
            .get(definition)
            .copied()
            .unwrap_or_default();
        let who = Who::new(self.show, definition, bound).filter(|who| who.of.reset_time.is_some());
        let Some(who) = who else { return };
        let events = who.of.reset_state.as_deref().unwrap_or_default();
        let mut cursor = 0;
        while let Some(event) = events.get(cursor) {
            match branch(&who, &self.state, events, cursor) {
                Some(to) => cursor = to,
                None => _ = settle(&who, &mut self.state, &event.body),
            }
            cursor += 1;
        }
    }

    /// Starts an animation, unless it runs already or cannot be started.
    fn begin(
        &mut self,
        definition: usize,
        input: Option<usize>,
        local: Option<String>,
    ) -> Option<usize> {
        let of = self.show.definitions.get(definition)?;
        let bound = Bound {
            input,
            ..*self.show.bounds.get(definition)?
        };
        let runs = |instance: &Instance| instance.phase != Phase::Finished;
        let again = self
            .instances
            .iter()
            .any(|other| runs(other) && other.definition == definition);
        if again
            || self.invalid.contains(&definition)
            || self.instances.iter().filter(|i| runs(i)).count() >= INSTANCES
        {
            return None;
        }
        let mut saved = States::new();
        for name in of.objects.iter().flatten() {
            let stage = self.show.stage;
            let node = stage.find(of, &bound, &Ref::Name(name.text.clone()));
            saved.extend(
                node.and_then(|row| Some((row, stage.state(&self.state.nodes, row)?.clone()))),
            );
        }
        let (now, list) = (self.now, &of.sequences);
        let runs = list
            .iter()
            .map(|of| Run::new(of.activation, of.events.len(), now))
            .collect();
        let phase = Phase::Runs;
        self.instances.push(Instance {
            definition,
            bound,
            local,
            start: now,
            runs,
            phase,
            saved,
            ends: false,
        });
        let started = self.instances.len() - 1;
        self.check(started);
        Some(started)
    }

    /// Starts the event at the cursor of a sequence.
    fn start(&mut self, i: usize, s: usize) {
        let now = self.now;
        let Some(event) = self.event(i, s) else {
            return self.done(i, s);
        };
        let (Some(who), Some(instance)) = (self.who(i), self.instances.get_mut(i)) else {
            return;
        };
        let (definition, resets) = (instance.definition, instance.phase == Phase::Resets);
        let Some(run) = instance.runs.get_mut(s) else {
            return;
        };
        if run.cursor == 0 {
            run.start = now;
        }
        let entry = Some(self.log.len());
        run.entry = entry;
        let sequence = (!resets).then_some(s);
        let cursor = run.cursor;
        self.log.push(Happened {
            time: now,
            end: None,
            instance: i,
            definition,
            sequence,
            event: cursor,
        });
        let outcome = match branch(&who, &self.state, self.events(i, s), cursor) {
            Some(to) => {
                if let Some(run) = self.run_mut(i, s) {
                    run.cursor = to;
                }
                Outcome::Done
            }
            None => self.flow(i, s, event),
        };
        // The event may have stopped its own sequence, or the whole animation.
        if self.run(i, s).is_none_or(|run| run.entry != entry) {
            return self.check(i);
        }
        match outcome {
            Outcome::Done => self.end(i, s),
            Outcome::Held(child)
                if self
                    .instances
                    .get(child)
                    .is_none_or(|of| of.phase == Phase::Finished) =>
            {
                self.end(i, s);
            }
            Outcome::Held(child) => self.set(i, s, Status::Held(child)),
            Outcome::Takes(length, track) => {
                let until = now + length;
                if let Some(track) = track {
                    self.tracks.insert((i, s), track);
                }
                self.set(i, s, Status::Busy(until));
                if length <= 0.0 {
                    self.end(i, s);
                }
            }
            Outcome::Again => self.again(i, s),
        }
    }

    fn set(&mut self, i: usize, s: usize, status: Status) {
        if let Some(run) = self.run_mut(i, s) {
            run.status = status;
        }
    }

    /// Ends the event of a sequence, and continues with the next one.
    fn end(&mut self, i: usize, s: usize) {
        let now = self.now;
        if let Some(track) = self.tracks.remove(&(i, s)) {
            track.finish(self.show, &mut self.state);
        }
        let events = self.events(i, s).len();
        let Some(run) = self
            .instances
            .get_mut(i)
            .and_then(|instance| instance.runs.get_mut(s))
        else {
            return;
        };
        if let Some(entry) = run.entry.take().and_then(|entry| self.log.get_mut(entry)) {
            entry.end = Some(now);
        }
        if run.status == Status::Done {
            return self.check(i);
        }
        run.cursor += 1;
        (run.status, run.ready) = (Status::Ready, now);
        if run.cursor >= events {
            self.done(i, s);
        }
    }

    /// Ends a sequence: one that is called waits for the next call.
    fn done(&mut self, i: usize, s: usize) {
        let Some(instance) = self.instances.get_mut(i) else {
            return;
        };
        let of = self
            .show
            .definitions
            .get(instance.definition)
            .and_then(|of| of.sequences.get(s));
        let called = instance.phase == Phase::Runs
            && of.is_some_and(|of| of.reset_activation.or(of.activation) == SequenceState::OnCall);
        if let Some(run) = instance.runs.get_mut(s) {
            run.cursor = 0;
            run.status = if called { Status::Parked } else { Status::Done };
        }
        self.check(i);
    }

    /// Returns to the first event of a sequence.
    fn again(&mut self, i: usize, s: usize) {
        let now = self.now;
        let Some(run) = self
            .instances
            .get_mut(i)
            .and_then(|instance| instance.runs.get_mut(s))
        else {
            return;
        };
        if let Some(entry) = run.entry.take().and_then(|entry| self.log.get_mut(entry)) {
            entry.end = Some(now);
        }
        run.ready = if now > run.start { now } else { now + STEP };
        (run.status, run.cursor) = (Status::Ready, 0);
    }

    /// Counts a round of a loop; true if there is another one.
    fn rounds(&mut self, i: usize, s: usize, count: Option<i16>, time: Option<f64>) -> bool {
        let now = self.now;
        let ends = self.instances.get(i).is_some_and(|instance| instance.ends);
        let Some(run) = self.run_mut(i, s) else {
            return false;
        };
        run.rounds = run.rounds.wrapping_add(1) & 0xFFFF;
        run.looped += now - run.start;
        let reached = match (count, time) {
            (Some(-1), _) => false,
            (Some(count), _) => run.rounds == u32::from(count.cast_unsigned()),
            (None, Some(time)) => time >= 0.0 && run.looped >= time,
            (None, None) => false,
        };
        !reached && !ends
    }

    /// Ends an animation whose sequences have all ended.
    fn check(&mut self, i: usize) {
        let now = self.now;
        let Some(instance) = self.instances.get_mut(i) else {
            return;
        };
        let busy = |run: &Run| {
            matches!(
                run.status,
                Status::Ready | Status::Busy(_) | Status::Held(_)
            )
        };
        if instance.runs.iter().any(busy) {
            return;
        }
        let after = self
            .show
            .definitions
            .get(instance.definition)
            .and_then(|of| of.reset_time);
        match (instance.phase, after.map(|time| f64::from(time.get()))) {
            (Phase::Runs, Some(time)) if time >= 0.0 => instance.phase = Phase::Waits(now + time),
            (Phase::Runs, _) | (Phase::Resets, _) => self.finish(i),
            _ => {}
        }
    }

    fn finish(&mut self, i: usize) {
        let now = self.now;
        if let Some(instance) = self.instances.get_mut(i) {
            instance.phase = Phase::Finished;
        }
        for run in self
            .instances
            .iter_mut()
            .flat_map(|instance| &mut instance.runs)
        {
            if run.status == Status::Held(i) {
                run.status = Status::Busy(now);
            }
        }
    }

    /// Runs the events of the reset.
    fn reset(&mut self, i: usize) {
        let now = self.now;
        self.halt(i);
        let Some(instance) = self.instances.get_mut(i) else {
            return;
        };
        let of = self.show.definitions.get(instance.definition);
        if of.is_some_and(|of| of.auto_reset_node_states) {
            self.state.nodes.append(&mut instance.saved);
        }
        instance.phase = Phase::Resets;
        let events = of
            .and_then(|of| of.reset_state.as_ref())
            .map_or(0, Vec::len);
        instance.runs = vec![Run::new(SequenceState::Initial, events, now)];
        self.check(i);
    }

    /// Stops everything that an animation does.
    fn halt(&mut self, i: usize) {
        let now = self.now;
        self.tracks.retain(|(of, _), _| *of != i);
        for run in self
            .instances
            .get_mut(i)
            .into_iter()
            .flat_map(|instance| &mut instance.runs)
        {
            run.status = Status::Done;
            if let Some(entry) = run.entry.take().and_then(|entry| self.log.get_mut(entry)) {
                entry.end = Some(now);
            }
        }
    }

    /// CALL_SEQUENCE.
    fn call_sequence(&mut self, i: usize, by: usize, name: &str) {
        let now = self.now;
        let Some(s) = self.sequence(i, name) else {
            return;
        };
        let events = self.events(i, s).len();
        let Some(run) = self
            .run_mut(i, s)
            .filter(|run| run.status == Status::Parked && events > 0)
        else {
            return;
        };
        (run.cursor, run.rounds, run.looped) = (0, 0, 0.0);
        run.ready = if s > by { now } else { now + STEP };
        run.status = Status::Ready;
    }

    /// STOP_SEQUENCE.
    fn stop_sequence(&mut self, i: usize, name: &str) {
        let now = self.now;
        let Some(s) = self.sequence(i, name) else {
            return;
        };
        self.tracks.remove(&(i, s));
        let Some(run) = self
            .instances
            .get_mut(i)
            .and_then(|instance| instance.runs.get_mut(s))
        else {
            return;
        };
        run.status = Status::Done;
        if let Some(entry) = run.entry.take().and_then(|entry| self.log.get_mut(entry)) {
            entry.end = Some(now);
        }
    }

    fn sequence(&self, i: usize, name: &str) -> Option<usize> {
        let instance = self
            .instances
            .get(i)
            .filter(|instance| instance.phase == Phase::Runs)?;
        let of = self.show.definitions.get(instance.definition)?;
        of.sequences
            .iter()
            .position(|sequence| sequence.name.text() == name)
    }

    /// CALL_ANIMATION: returns the run that it waits for.
    fn call(&mut self, name: &str, input: Option<usize>, local: Option<String>) -> Option<usize> {
        self.begin(self.show.called(name)?, input, local)
    }

    /// STOP_ANIMATION, RESET_ANIMATION and INVALIDATE_ANIMATION, by the name of an animation or of
    /// a copy.
    fn command(&mut self, command: Command, name: &str) {
        let definition = self.show.called(name);
        let runs = |(_, instance): &(usize, &Instance)| {
            let named =
                Some(instance.definition) == definition || instance.local.as_deref() == Some(name);
            named && matches!(instance.phase, Phase::Runs | Phase::Waits(_))
        };
        let running: Vec<usize> = self
            .instances
            .iter()
            .enumerate()
            .filter(runs)
            .map(|(i, _)| i)
            .collect();
        for i in running {
            match command {
                Command::Stop => {
                    self.halt(i);
                    self.check(i);
                }
                Command::Reset => self.reset(i),
                Command::Invalidate => {
                    if let Some(instance) = self.instances.get_mut(i) {
                        instance.ends = true;
                    }
                }
            }
        }
        if command == Command::Invalidate {
            self.invalid.extend(definition);
        }
    }

    fn who(&self, i: usize) -> Option<Who<'a>> {
        let instance = self.instances.get(i)?;
        Who::new(self.show, instance.definition, instance.bound)
    }

    /// Applies an event.
    fn flow(&mut self, i: usize, s: usize, event: &'a Event) -> Outcome<'a> {
        match &event.body {
            Body::CallSequence(call) => self.call_sequence(i, s, &call.name.text()),
            Body::StopSequence(call) => self.stop_sequence(i, &call.name.text()),
            Body::StopAnimation(of) => self.command(Command::Stop, &of.name.text()),
            Body::ResetAnimation(of) => self.command(Command::Reset, &of.name.text()),
            Body::InvalidateAnimation(of) => self.command(Command::Invalidate, &of.name.text()),
            Body::Loop(event) => {
                if self.rounds(
                    i,
                    s,
                    event.loop_count,
                    event.loop_run_time.map(|time| time.get().into()),
                ) {
                    return Outcome::Again;
                }
            }
            Body::CallAnimation(call) => {
                let Some(who) = self.who(i) else {
                    return Outcome::Done;
                };
                let input = call.operand_node.as_ref().and_then(|node| who.find(node));
                let local = call
                    .reference
                    .as_ref()
                    .and_then(|reference| local_name(who.of, reference));
                if let Some(child) = self
                    .call(&call.name.text(), input, local)
                    .filter(|_| call.wait_for_completion)
                {
                    return Outcome::Held(child);
                }
            }
            _ => {
                let (now, who) = (self.now, self.who(i));
                return who.map_or(Outcome::Done, |who| act(&who, &mut self.state, now, event));
            }
        }
        Outcome::Done
    }
}

/// The name that a reference gives to a running copy.
fn local_name(of: &Definition, reference: &Ref) -> Option<String> {
    let mut all = of.animation_references.iter();
    let own = match reference {
        Ref::Index(i) => all.nth(usize::try_from(*i).ok()?)?,
        Ref::Name(name) => all.find(|own| own.name.text == *name)?,
        Ref::Nth(name, nth) => all
            .filter(|own| own.name.text == *name)
            .nth(nth.checked_sub(1)? as usize)?,
        _ => return None,
    };
    Some(own.local_name.as_ref()?.text.text().into_owned())
}

/// A command of an event to another animation.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Command {
    Stop,
    Reset,
    Invalidate,
}
