//! Parts of slices and texts at places that code has worked out, and that therefore exist.
//!
//! Library code neither indexes nor panics. A place outside is a fault of refit, not of a file, so
//! debug builds, and with them all tests, stop at it; the program goes on with nothing. Places that
//! a file or a user names are looked up with `get`, and have an error or a meaning if they are
//! outside.

use std::slice::SliceIndex;

/// Looks up places that exist.
pub trait Within {
    /// The part at a range: empty if the range is outside.
    ///
    /// # Panics
    ///
    /// In debug builds, if the place is outside.
    #[track_caller]
    fn within<'a, I: SliceIndex<Self>>(&'a self, place: I) -> &'a I::Output
    where
        &'a I::Output: Default;

    /// The mutable [`Within::within`].
    ///
    /// # Panics
    ///
    /// In debug builds, if the place is outside.
    #[track_caller]
    fn within_mut<'a, I: SliceIndex<Self>>(&'a mut self, place: I) -> &'a mut I::Output
    where
        &'a mut I::Output: Default;
}

/// Looks up single items that exist.
pub trait Items<T> {
    /// The item at a position: zero or empty if there is none.
    ///
    /// # Panics
    ///
    /// In debug builds, if there is none.
    #[track_caller]
    fn item(&self, at: usize) -> T;
}

impl<T: Copy + Default> Items<T> for [T] {
    #[inline]
    fn item(&self, at: usize) -> T {
        let item = self.get(at).copied();
        debug_assert!(
            item.is_some(),
            "position {at} outside of {} items",
            self.len()
        );
        item.unwrap_or_default()
    }
}

macro_rules! within {
    ($([$($generic:ident)?] $of:ty,)+) => {
        $(impl<$($generic)?> Within for $of {
            #[inline]
            fn within<'a, I: SliceIndex<Self>>(&'a self, place: I) -> &'a I::Output
            where
                &'a I::Output: Default,
            {
                let part = self.get(place);
                debug_assert!(part.is_some(), "a place outside of {} items", self.len());
                part.unwrap_or_default()
            }
            #[inline]
            fn within_mut<'a, I: SliceIndex<Self>>(&'a mut self, place: I) -> &'a mut I::Output
            where
                &'a mut I::Output: Default,
            {
                let len = self.len();
                let part = self.get_mut(place);
                debug_assert!(part.is_some(), "a place outside of {len} items");
                part.unwrap_or_default()
            }
        })+
    };
}

within! {
    [T] [T],
    [] str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_within_is_found() {
        assert_eq!(
            (b"abc".within(1..), "abc".within(..2), [7, 8].item(1)),
            (&b"bc"[..], "ab", 8)
        );
        let mut bytes = *b"abc";
        bytes.within_mut(..1).fill(b'x');
        assert_eq!(&bytes, b"xbc");
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a place outside of 3 items")]
    fn a_place_outside_is_a_fault() {
        b"abc".within(2..5);
    }
}
