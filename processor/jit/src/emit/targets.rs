//! How a target of indirect branches lies in the table that code looks in. It lies so in the places that branches have
//! of their own, which are here, too.

use std::cell::UnsafeCell;

/// A place: when it is one, and where its code is.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Target {
    pub ia: u64,
    pub code: u64,
    pub key: u64,
    pub forgotten: u32,
    /// The low byte of the page's number.
    pub row: u32,
}

const _: () = assert!(size_of::<Target>() == 32);

/// No target: no key is all ones.
pub(crate) const NOTHING: Target = Target { ia: 0, code: 0, key: u64::MAX, forgotten: 0, row: 0 };

// Where these stand in a place.
pub(crate) const IA: i8 = std::mem::offset_of!(Target, ia) as i8;
pub(crate) const CODE: i8 = std::mem::offset_of!(Target, code) as i8;
pub(crate) const KEY: i8 = std::mem::offset_of!(Target, key) as i8;
pub(crate) const FORGOTTEN: i8 = std::mem::offset_of!(Target, forgotten) as i8;
pub(crate) const ROW: i8 = std::mem::offset_of!(Target, row) as i8;

/// So many places are made at once. They stay where they are: code has their addresses.
const AT_ONCE: usize = 64;
/// So many times these are kept when all code is gone.
const FEW: usize = 8;

/// The places of a code cache, in the order in which they were given.
pub(crate) struct LatestTargets {
    // A place does not move when there are more.
    #[allow(clippy::vec_box)]
    chunks: Vec<Box<[UnsafeCell<Target>; AT_ONCE]>>,
    given: usize,
}

impl LatestTargets {
    pub(crate) fn new() -> LatestTargets {
        LatestTargets { chunks: Vec::new(), given: 0 }
    }

    /// The address of another place, where there is nothing yet.
    pub(crate) fn give(&mut self) -> u64 {
        let (chunk, place) = (self.given / AT_ONCE, self.given % AT_ONCE);
        if chunk == self.chunks.len() {
            self.chunks.push(Box::new([const { UnsafeCell::new(NOTHING) }; AT_ONCE]));
        }
        self.given += 1;
        self.chunks[chunk][place].get() as u64
    }

    /// All code is gone, and its places with it, but for a few that are given again.
    pub(crate) fn clear(&mut self) {
        self.chunks.truncate(FEW);
        for place in self.chunks.iter_mut().flat_map(|chunk| chunk.iter_mut()).take(self.given) {
            *place.get_mut() = NOTHING;
        }
        self.given = 0;
    }
}

/// The branch with this place has led to `target`; place 0 is no branch's.
///
/// # Safety
/// Generated code has the place, and is not left yet.
pub(crate) unsafe fn lead(place: u64, target: Target) {
    if place != 0 {
        // SAFETY: places are as long as the code is, and only its own CPU uses them.
        unsafe { *(place as *mut Target) = target };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_differ_and_stay() {
        let mut latest = LatestTargets::new();
        let places: Vec<u64> = (0..1000).map(|_| latest.give()).collect();
        // SAFETY: there is no code that uses them.
        let target = |place: u64| unsafe { *(place as *const Target) };
        assert!(places.iter().all(|&place| target(place).key == u64::MAX), "nothing is led to yet");
        for &place in &places {
            // SAFETY: as above.
            unsafe { lead(place, Target { key: 5, ..NOTHING }) };
        }
        latest.clear();
        let again: Vec<u64> = (0..1000).map(|_| latest.give()).collect();
        assert!(again.iter().all(|&place| target(place).key == u64::MAX), "what code led to before is forgotten");
        let mut places = again;
        places.sort_unstable();
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= size_of::<Target>() as u64));
    }
}
