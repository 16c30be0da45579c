//! Work on many files at the same time.

use super::{
    options::Options,
    progress::{Event, Progress, Task},
};
use crate::wire::Error;
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Mutex, PoisonError, mpsc},
};

/// Works on all items in parallel and hands the results over in order.
///
/// These are threads of their own and not the pool of the formats: a thread of that pool that waits for parts of one
/// file would begin another whole file in between, and hold both. Items are begun as long as those that are not yet
/// handed over are few, and together not much larger than the largest one.
pub(crate) fn in_order<I: Sync, T: Send>(
    items: &[I],
    options: &Options,
    progress: &dyn Progress,
    (size, name): (impl Fn(&I) -> u64, impl Fn(&I) -> String),
    work: impl Fn(&I) -> T + Sync,
    mut emit: impl FnMut(&I, T),
) {
    /// Bytes that may always be worked on at a time, and the most items.
    const BYTES: u64 = 32 << 20;
    const ITEMS: usize = 256;
    let sized: Vec<(&I, u64)> = items.iter().map(|item| (item, size(item))).collect();
    let most = sized.iter().map(|(_, size)| *size).max().unwrap_or_default().max(BYTES);
    let task = Task::new(progress, sized.iter().fold(0, |total, (_, size)| total.saturating_add(*size)));
    // The channels carry no items and results, so that their code is in the program once and not for each type.
    let (begin, begun) = mpsc::channel::<usize>();
    let (done, finished) = mpsc::channel::<()>();
    let begun = Mutex::new(begun);
    let made = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..options.threads().min(items.len()) {
            let (begun, done, made, work) = (&begun, done.clone(), &made, &work);
            let spawned = std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, move || {
                let next = || begun.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
                while let Some((index, item)) = next().and_then(|index| Some((index, items.get(index)?))) {
                    let turns = options.turns.iter().map(|turn| turn.read().unwrap_or_else(PoisonError::into_inner));
                    let turns: Vec<_> = turns.collect();
                    let result = catch_unwind(AssertUnwindSafe(|| work(item)));
                    drop(turns);
                    made.lock().unwrap_or_else(PoisonError::into_inner).insert(index, result);
                    if done.send(()).is_err() {
                        break;
                    }
                }
            });
            if let Err(e) = spawned {
                progress.report(Event::Failed(&Error::say(format!("no thread: {e}"))));
            }
        }
        drop(done);
        // Moved here: the threads end when this does, after an error too.
        let begin = begin;
        let mut coming = sized.iter().enumerate().peekable();
        let mut held = 0u64;
        for (due, (item, size)) in sized.iter().enumerate() {
            let fits = |held: u64, index: usize, size: u64| {
                index == due || index - due < ITEMS && held.saturating_add(size) <= most
            };
            while let Some((index, (_, size))) = coming.next_if(|(index, (_, size))| fits(held, *index, *size)) {
                held = held.saturating_add(*size);
                let _ = begin.send(index);
            }
            task.at(&name(item));
            let result = loop {
                if let Some(result) = made.lock().unwrap_or_else(PoisonError::into_inner).remove(&due) {
                    break result;
                }
                if finished.recv().is_err() {
                    return;
                }
            };
            task.done(*size);
            // A panic of a thread goes on here, which ends the other threads.
            emit(item, result.unwrap_or_else(|panic| resume_unwind(panic)));
            held = held.saturating_sub(*size);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic = "the third item"]
    fn a_panic_of_a_thread_ends_the_work() {
        struct Silent;
        impl Progress for Silent {
            fn report(&self, _: Event<'_>) {}
        }
        let items: Vec<u64> = (0..100).collect();
        let work = |item: &u64| if *item == 3 { panic!("the third item") } else { *item };
        let mut next = 0;
        in_order(&items, &Options::default(), &Silent, (|_: &u64| 1, |_: &u64| String::new()), work, |_, item| {
            assert_eq!(item, next);
            next += 1;
        });
    }
}
