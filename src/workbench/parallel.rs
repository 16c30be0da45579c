//! Work on many files at the same time.

use super::{
    options::Options,
    progress::{Event, Progress, Task},
};
use refit_base::wire::Error;
use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Mutex, MutexGuard, PoisonError, mpsc},
};

/// Works on all items in parallel and passes the results on in order.
///
/// Uses its own threads instead of the formats' pool: a pool thread that waits for parts of one
/// file would begin another whole file in the meantime, and hold both. New items are begun while
/// the pending ones are few, and together not much larger than the largest one.
pub fn in_order<I: Sync, T: Send>(
    items: &[I],
    options: &Options,
    progress: &dyn Progress,
    (size, name): (impl Fn(&I) -> u64, impl Fn(&I) -> String),
    work: impl Fn(&I) -> T + Sync,
    mut emit: impl FnMut(&I, T),
) {
    let sizes: Vec<u64> = items.iter().map(size).collect();
    let made: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    let work = |at: usize| {
        if let Some(item) = items.get(at) {
            let result = work(item);
            locked(&made).push((at, result));
        }
    };
    let mut emit = |at: usize| {
        let found = locked(&made).iter().position(|(of, _)| *of == at);
        let result = found.map(|found| locked(&made).swap_remove(found));
        if let (Some(item), Some((_, result))) = (items.get(at), result) {
            emit(item, result);
        }
    };
    let name = |at: usize| items.get(at).map(&name).unwrap_or_default();
    run(&sizes, options, progress, &name, &work, &mut emit);
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// [`in_order`] by the positions of the items: compiled once and not for each type.
fn run(
    sizes: &[u64],
    options: &Options,
    progress: &dyn Progress,
    name: &dyn Fn(usize) -> String,
    work: &(dyn Fn(usize) + Sync),
    emit: &mut dyn FnMut(usize),
) {
    /// Number of bytes that may always be in work, and the maximum number of items.
    const BYTES: u64 = 32 << 20;
    const ITEMS: usize = 256;
    let most = sizes.iter().copied().max().unwrap_or_default().max(BYTES);
    let task = Task::new(
        progress,
        sizes
            .iter()
            .fold(0, |total, size| total.saturating_add(*size)),
    );
    let (begin, begun) = mpsc::channel::<usize>();
    let (done, finished) = mpsc::channel::<()>();
    let begun = Mutex::new(begun);
    let ended: Mutex<BTreeMap<usize, std::thread::Result<()>>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..options.threads().min(sizes.len()) {
            let (begun, done, ended) = (&begun, done.clone(), &ended);
            let spawned = std::thread::Builder::new()
                .stack_size(16 << 20)
                .spawn_scoped(scope, move || {
                    let next = || locked(begun).recv().ok();
                    while let Some(at) = next() {
                        let turns = options
                            .turns
                            .iter()
                            .map(|turn| turn.read().unwrap_or_else(PoisonError::into_inner));
                        let turns: Vec<_> = turns.collect();
                        let end = catch_unwind(AssertUnwindSafe(|| work(at)));
                        drop(turns);
                        locked(ended).insert(at, end);
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
        // Moved here so that the threads end when this function does, also after an error.
        let begin = begin;
        let mut coming = sizes.iter().copied().enumerate().peekable();
        let mut held = 0u64;
        for (due, size) in sizes.iter().copied().enumerate() {
            let fits = |held: u64, at: usize, size: u64| {
                at == due || at - due < ITEMS && held.saturating_add(size) <= most
            };
            while let Some((at, size)) = coming.next_if(|(at, size)| fits(held, *at, *size)) {
                held = held.saturating_add(size);
                let _ = begin.send(at);
            }
            task.at(&name(due));
            let end = loop {
                if let Some(end) = locked(&ended).remove(&due) {
                    break end;
                }
                if finished.recv().is_err() {
                    return;
                }
            };
            task.done(size);
            // A panic of a thread continues here and ends the other threads.
            end.unwrap_or_else(|panic| resume_unwind(panic));
            emit(due);
            held = held.saturating_sub(size);
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
        let work = |item: &u64| {
            if *item == 3 {
                panic!("the third item")
            } else {
                *item
            }
        };
        let mut next = 0;
        in_order(
            &items,
            &Options::default(),
            &Silent,
            (|_: &u64| 1, |_: &u64| String::new()),
            work,
            |_, item| {
                assert_eq!(item, next);
                next += 1;
            },
        );
    }
}
