//! Sorting of lists where speed does not matter, with one instance of the library's sort for all
//! types.
//!
//! Each combination of type and comparison for [`slice::sort_by`] adds 7 kB to the program; eighty
//! of them were 4 % of it. Here, one instance compares positions.

use std::cmp::Ordering;

/// Stable sorting.
pub trait Order<T> {
    /// Like [`slice::sort_by`].
    fn order_by(&mut self, compare: impl Fn(&T, &T) -> Ordering);
    /// Like [`slice::sort_by_cached_key`]: makes each key once.
    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Order<T> for [T] {
    fn order_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
        let places = places(self.len(), &|a, b| match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        });
        arrange(places, &mut |a, b| self.swap(a, b));
    }

    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        let keys: Vec<K> = self.iter().map(key).collect();
        let places = places(keys.len(), &|a, b| keys.get(a).cmp(&keys.get(b)));
        arrange(places, &mut |a, b| self.swap(a, b));
    }
}

/// The place of each item when sorted.
fn places(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..len).collect();
    sorted.sort_by(|a, b| compare(*a, *b));
    let mut places = vec![0; len];
    for (place, item) in sorted.into_iter().enumerate() {
        if let Some(of_item) = places.get_mut(item) {
            *of_item = place;
        }
    }
    places
}

/// Moves each item to its place, by swaps.
fn arrange(mut places: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for i in 0..places.len() {
        while let Some(place) = places.get(i).copied().filter(|place| *place != i) {
            swap(i, place);
            places.swap(i, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_like_the_library_and_keeps_equal_items_in_order() {
        let mut seed = 1u32;
        for len in [0, 1, 2, 3, 20, 21, 1000] {
            let list: Vec<(u32, usize)> = (0..len)
                .map(|i| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (seed >> 28, i)
                })
                .collect();
            let (mut by, mut by_key, mut expected) = (list.clone(), list.clone(), list);
            by.order_by(|a, b| b.0.cmp(&a.0));
            by_key.order_by_key(|item| std::cmp::Reverse(item.0));
            expected.sort_by_key(|item| std::cmp::Reverse(item.0));
            assert_eq!((&by, &by_key), (&expected, &expected));
        }
    }
}
