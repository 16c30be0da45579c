//! Parallel loops on all cores.
//!
//! rayon distributes the work. Its iterators are compiled again for every use, which made up 4 % of
//! the program; here only a loop is.

use std::{
    collections::HashMap,
    convert::Infallible,
    ops::Range,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

/// Portions per thread: small, so that one slow item does not stall the others.
const PORTIONS: usize = 32;

/// The numbers below `n` in portions, which threads take in order.
struct Portions {
    n: usize,
    /// How many numbers a portion has.
    size: usize,
    count: usize,
    next: AtomicUsize,
    /// The first portion that failed. Those before it are finished.
    failed: AtomicUsize,
}

impl Portions {
    fn of(n: usize) -> Self {
        let size = n.div_ceil(PORTIONS * rayon::current_num_threads()).max(1);
        let count = n.div_ceil(size);
        Portions {
            n,
            size,
            count,
            next: AtomicUsize::new(0),
            failed: AtomicUsize::new(count),
        }
    }

    /// The next portion and its number, unless all are taken or an earlier one failed.
    fn next(&self) -> Option<(usize, Range<usize>)> {
        let at = self.next.fetch_add(1, Relaxed);
        let first = at * self.size;
        (at < self.failed.load(Relaxed)).then(|| (at, first..self.n.min(first + self.size)))
    }

    /// Runs `work` once on each thread, or on fewer if there is less to do.
    fn on_threads(&self, work: &(dyn Fn() + Sync)) {
        let threads = rayon::current_num_threads().min(self.count);
        if threads <= 1 {
            return work();
        }
        rayon::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|_| work());
            }
            work();
        });
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The results of `one` for `0..n`, in order, without `None`. The error is the first in this order,
/// regardless of the number of threads.
///
/// # Errors
/// Those of `one`.
pub fn try_times<T: Send, E: Send>(
    n: usize,
    one: impl Fn(usize) -> Option<Result<T, E>> + Sync,
) -> Result<Vec<T>, E> {
    try_times_with(n, || (), |(), i| one(i))
}

/// The results of `one` for each item and its position, in order. The error is the first in this
/// order.
///
/// # Errors
/// Those of `one`.
pub fn try_map<'a, I: Sync, T: Send, E: Send>(
    items: &'a [I],
    one: impl Fn(usize, &'a I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    try_map_with(items, || (), |(), i, item| one(i, item))
}

/// [`try_map`] for owned items.
///
/// # Errors
/// Those of `one`.
pub fn try_map_owned<I: Send, T: Send, E: Send>(
    items: Vec<I>,
    one: impl Fn(usize, I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let items: Vec<Mutex<Option<I>>> = items
        .into_iter()
        .map(|item| Mutex::new(Some(item)))
        .collect();
    try_times(items.len(), |i| {
        let item = locked(items.get(i)?).take()?;
        Some(one(i, item))
    })
}

/// `first` and `last` for each item on all cores, and `between` one by one, in the order of the
/// items: as soon as an item and all before it are ready, so that what `first` made is still in the
/// cache.
///
/// # Errors
/// Those of `first` and `last`.
pub fn try_in_order<I: Sync, A: Send, B, E: Send>(
    items: &[I],
    first: impl Fn(&I) -> Result<A, E> + Sync,
    between: impl FnMut(&I, A) -> B + Send,
    last: impl Fn(&I, B) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let turn = Mutex::new((0, HashMap::new(), between));
    let each = |i, item| {
        let made = first(item)?;
        let mut ready = Vec::new();
        {
            let (next, waiting, between) = &mut *locked(&turn);
            waiting.insert(i, made);
            while let (Some(item), Some(made)) = (items.get(*next), waiting.remove(next)) {
                ready.push((item, between(item, made)));
                *next += 1;
            }
        }
        ready
            .into_iter()
            .try_for_each(|(item, named)| last(item, named))
    };
    try_map(items, each).map(drop)
}

/// The results of `one` for each item and its position, in order.
pub fn map<'a, I: Sync, T: Send>(items: &'a [I], one: impl Fn(usize, &'a I) -> T + Sync) -> Vec<T> {
    map_with(items, || (), |(), i, item| one(i, item))
}

/// [`map`] with a working buffer, which `room` creates for each thread.
pub fn map_with<'a, I: Sync, T: Send, R>(
    items: &'a [I],
    room: impl Fn() -> R + Sync,
    one: impl Fn(&mut R, usize, &'a I) -> T + Sync,
) -> Vec<T> {
    let Ok(made) = try_map_with(items, room, |room, i, item| {
        Ok::<T, Infallible>(one(room, i, item))
    });
    made
}

/// [`try_map`] with a working buffer, which `room` creates for each thread.
///
/// # Errors
/// Those of `one`.
pub fn try_map_with<'a, I: Sync, T: Send, E: Send, R>(
    items: &'a [I],
    room: impl Fn() -> R + Sync,
    one: impl Fn(&mut R, usize, &'a I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    try_times_with(items.len(), room, |room, i| {
        items.get(i).map(|item| one(room, i, item))
    })
}

/// Compiled for each use, so plain loops do what combinators would: these were 4 % of the program.
fn try_times_with<T: Send, E: Send, R>(
    n: usize,
    room: impl Fn() -> R + Sync,
    one: impl Fn(&mut R, usize) -> Option<Result<T, E>> + Sync,
) -> Result<Vec<T>, E> {
    let portions = Portions::of(n);
    let mut made = Vec::new();
    made.resize_with(portions.count, Vec::new);
    let made: Mutex<Vec<Vec<T>>> = Mutex::new(made);
    let error: Mutex<Option<(usize, E)>> = Mutex::new(None);
    portions.on_threads(&|| {
        let mut own = None;
        while let Some((at, range)) = portions.next() {
            let own = own.get_or_insert_with(&room);
            let mut results = Vec::with_capacity(range.len());
            for i in range {
                match one(own, i) {
                    Some(Ok(result)) => results.push(result),
                    Some(Err(e)) => {
                        portions.failed.fetch_min(at, Relaxed);
                        let mut error = locked(&error);
                        if error.as_ref().is_none_or(|(first, _)| at < *first) {
                            *error = Some((at, e));
                        }
                        return;
                    }
                    None => {}
                }
            }
            if let Some(slot) = locked(&made).get_mut(at) {
                *slot = results;
            }
        }
    });
    if let Some((_, e)) = error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(e);
    }
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    if made.len() == 1 {
        return Ok(made.pop().unwrap_or_default());
    }
    let mut out = Vec::with_capacity(made.iter().map(Vec::len).sum());
    for results in &mut made {
        out.append(results);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_the_error_is_the_first() {
        for n in [0, 1, 2, 63, 64, 65, 1000, 4097] {
            let items: Vec<usize> = (0..n).collect();
            assert_eq!(
                map(&items, |i, item| (i, item * 2)),
                items.iter().map(|i| (*i, i * 2)).collect::<Vec<_>>()
            );
            let odd = try_times(n, |i| (i % 2 == 1).then_some(Ok::<_, ()>(i)));
            assert_eq!(odd, Ok((0..n).filter(|i| i % 2 == 1).collect()));
            let mut owned = items.clone();
            let add = |i, item: &mut usize| {
                *item += i;
                Ok::<_, ()>(())
            };
            assert_eq!(
                try_map_owned(owned.iter_mut().collect(), add).map(|done| done.len()),
                Ok(n)
            );
            assert_eq!(owned, items.iter().map(|i| i * 2).collect::<Vec<_>>());
            for first in [0, 1, n / 2, n.saturating_sub(1)] {
                let bad = |_, item: &usize| {
                    if *item >= first && item % 3 == first % 3 {
                        Err(*item)
                    } else {
                        Ok(*item)
                    }
                };
                assert_eq!(
                    try_map(&items, bad).err(),
                    (first < n).then_some(first),
                    "{n} {first}"
                );
            }
        }
    }

    #[test]
    fn names_are_given_in_order_and_every_item_is_finished() {
        for n in [0, 1, 2, 33, 1000] {
            let items: Vec<usize> = (0..n).collect();
            let (mut named, finished) = (Vec::new(), Mutex::new(Vec::new()));
            let name = |item: &usize, double: usize| {
                named.push(*item);
                double + named.len()
            };
            let last = |item: &usize, sum: usize| {
                locked(&finished).push((*item, sum));
                Ok::<_, ()>(())
            };
            assert_eq!(
                try_in_order(&items, |item| Ok(item * 2), name, last),
                Ok(())
            );
            assert_eq!(named, items);
            let mut finished = finished.into_inner().unwrap();
            finished.sort_unstable();
            assert_eq!(
                finished,
                items.iter().map(|i| (*i, i * 3 + 1)).collect::<Vec<_>>()
            );
            let bad = |item: &usize| if *item % 40 == 32 { Err(*item) } else { Ok(()) };
            assert_eq!(
                try_in_order(&items, bad, |_, ()| (), |_, ()| Ok(())).err(),
                (n > 32).then_some(32),
                "{n}"
            );
            assert_eq!(
                try_in_order(&items, |_| Ok(()), |_, ()| (), |item, ()| bad(item)).is_err(),
                n > 32,
                "{n}"
            );
        }
    }

    #[test]
    fn nested_work_ends() {
        let items: Vec<u32> = (0..100).collect();
        let sums = map(&items, |_, n| {
            map(&items, |_, m| n * m).into_iter().sum::<u32>()
        });
        assert_eq!(sums, items.iter().map(|n| n * 4950).collect::<Vec<_>>());
    }
}
