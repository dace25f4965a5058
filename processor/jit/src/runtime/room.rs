//! How much code one virtual CPU may keep.
//!
//! Each has room for what a booted Linux needs. One that has filled it with code which is still good gets twice as
//! much. All together stay within what the process allows them. Code that has become useless earns no room: then the
//! cache is emptied.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that each has: Debian's boot makes 7 MiB, a shell that starts thousands of programs 14.
const FIRST: usize = 16 << 20;
/// Bytes that one may have at most, and so the addresses that are reserved for its code. gcc and its like need some 100
/// MiB.
pub(crate) const MOST: usize = 512 << 20;

/// Bytes that all together may have beyond their first room.
static ALLOWED: AtomicUsize = AtomicUsize::new(MOST);
/// Bytes of these that are taken.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// All virtual CPUs together may keep so many bytes of code beyond the room that each has.
pub fn allow(bytes: u64) {
    ALLOWED.store(bytes.try_into().unwrap_or(usize::MAX), Ordering::Relaxed);
}

/// The room of one virtual CPU, which gives back what it took when it is dropped.
pub(crate) struct Room {
    bytes: usize,
    /// Bytes that were taken of what all may have.
    taken: usize,
    most: usize,
}

impl Room {
    /// The first room, where so many bytes could be reserved.
    pub(crate) fn new(reserved: usize) -> Room {
        Room { bytes: FIRST.min(reserved), taken: 0, most: reserved }
    }

    /// So many bytes and no more, ever: for tests.
    pub(crate) fn confined(bytes: usize) -> Room {
        Room { bytes, taken: 0, most: bytes }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// It is more than each has at first.
    pub(crate) fn has_grown(&self) -> bool {
        self.bytes > FIRST
    }

    /// Doubles the room. `false`: it stays as it is, since one has no more, or all together.
    pub(crate) fn double(&mut self) -> bool {
        let more = self.bytes.min(self.most - self.bytes);
        let allowed = ALLOWED.load(Ordering::Relaxed);
        let take = |taken: usize| taken.checked_add(more).filter(|&all| more > 0 && all <= allowed);
        let took = TAKEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        if took {
            self.taken += more;
            self.bytes += more;
        }
        took
    }

    /// Is the first room again.
    pub(crate) fn shrink(&mut self) {
        self.bytes -= self.taken;
        TAKEN.fetch_sub(std::mem::take(&mut self.taken), Ordering::Relaxed);
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.shrink();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_grow_within_what_all_may_have_and_give_it_back() {
        allow(2 * FIRST as u64);
        let [mut a, mut b] = [(); 2].map(|()| Room::new(MOST));
        assert!(a.double() && a.bytes() == 2 * FIRST);
        assert!(!a.double(), "two more are not left of two");
        assert!(b.double() && b.bytes() == 2 * FIRST);
        a.shrink();
        assert_eq!((a.bytes(), TAKEN.load(Ordering::Relaxed)), (FIRST, FIRST));
        drop(b);
        allow(u64::MAX);
        while a.double() {}
        assert_eq!((a.bytes(), TAKEN.load(Ordering::Relaxed)), (MOST, MOST - FIRST));
        drop(a);
        assert!(!Room::confined(1).double());
        assert_eq!(Room::new(FIRST / 4).bytes(), FIRST / 4, "where no more could be reserved");
        assert_eq!(TAKEN.load(Ordering::Relaxed), 0);
    }
}
