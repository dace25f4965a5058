//! What the CPUs of one configuration have in common.

use super::expanded::Expanded;
use super::wrapping::Wrapping;
use crate::signals::{Floating, Signals};
use base::Clock;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use storage::Storage;

/// The facility list as STFLE stores it: bit 0 is the leftmost of the first doubleword.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Facilities(pub [u64; 4]);

impl Facilities {
    /// A list with these bits on.
    pub const fn of(bits: &[u32]) -> Facilities {
        let mut list = [0; 4];
        let mut n = 0;
        while n < bits.len() {
            list[bits[n] as usize / 64] |= 1 << (63 - bits[n] % 64);
            n += 1;
        }
        Facilities(list)
    }

    /// Whether facility `bit` is installed.
    pub fn has(&self, bit: u32) -> bool {
        self.0.get(bit as usize / 64).is_some_and(|w| w >> (63 - bit % 64) & 1 == 1)
    }
}

/// Facilities that are there only together with others: a bit, and those that it implies (POP, chapter 4, "Facility
/// Indications").
#[rustfmt::skip]
const IMPLIED: &[(u32, &[u32])] = &[
    // Translation: IDTE's clearing and its kin, protection by region, exceptions that tell fetch from store.
    (4, &[3]), (5, &[3, 4]), (13, &[3]), (51, &[3]), (78, &[8]), (130, &[131]), (131, &[75]), (194, &[51]),
    // Long displacements; what builds on the extended-translation facilities; compare-and-swap-and-store.
    (19, &[18]), (24, &[16]), (30, &[22]), (33, &[32]), (35, &[34]),
    // Decimal floating point.
    (37, &[42]), (43, &[42]), (48, &[42]), (80, &[42]),
    // Transactions; clocks of several epochs; counting of activity.
    (50, &[73]), (73, &[49]), (139, &[28]), (196, &[67]), (197, &[67]),
    // Cryptography.
    (57, &[76, 77]), (76, &[17]), (77, &[17]), (146, &[76]), (155, &[76, 77]),
    // Vectors, and decimal numbers in them.
    (134, &[129]), (135, &[129]), (148, &[129, 135]), (152, &[134]), (165, &[129]), (192, &[152]), (198, &[148]),
    (199, &[192]),
];

impl Facilities {
    /// Those of the list that may be reported: each one with all that it implies.
    pub fn consistent(mut self) -> Facilities {
        loop {
            let lacks =
                |&&(bit, implied): &&(u32, &[u32])| self.has(bit) && !implied.iter().all(|&other| self.has(other));
            let Some(&(bit, _)) = IMPLIED.iter().find(lacks) else { return self };
            self.0[bit as usize / 64] &= !(1 << (63 - bit % 64));
        }
    }
}

/// What the CPUs of one configuration have in common.
pub struct Shared {
    /// The configuration's absolute storage.
    pub storage: Arc<Storage>,
    /// Its expanded storage, if it has some.
    pub expanded: Expanded,
    /// The host's clock, or a virtual one.
    pub clock: Arc<dyn Clock>,
    /// Interruption conditions that any CPU may take.
    pub floating: Floating,
    /// One for each CPU address.
    pub signals: Box<[Signals]>,
    /// No other CPU stores where these do at the same time. A CPU that another one interprets does not know of its
    /// fellows by `signals`.
    pub alone: bool,
    /// What is installed. A facility that implies another one which is not is used, and not reported.
    pub facilities: Facilities,
    /// What STIDP stores, for CPU 0.
    pub cpu_id: u64,
    /// Added to the host's clock to give the guest's TOD clock (SET CLOCK).
    pub tod_offset: AtomicU64,
    /// The keys that wrap keys.
    pub wrapping: Wrapping,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_facility_is_reported_with_all_that_it_implies_or_not_at_all() {
        let all = Facilities([u64::MAX; 4]);
        assert_eq!(all.consistent(), all);
        let without = |bit: u32| {
            let mut list = all;
            list.0[bit as usize / 64] &= !(1 << (63 - bit % 64));
            list
        };
        let mut cases = 0;
        for &(bit, implied) in IMPLIED {
            for &other in implied {
                let reported = without(other).consistent();
                assert!(!reported.has(bit), "{bit} without {other}");
                cases += 1;
            }
        }
        // Whatever is missing, what is reported keeps every rule, and nothing else was taken away.
        for missing in 0..256 {
            let reported = without(missing).consistent();
            for &(bit, implied) in IMPLIED {
                assert!(!reported.has(bit) || implied.iter().all(|&other| reported.has(other)), "{bit}");
                let may = bit != missing && implied.iter().all(|&other| reported.has(other));
                assert_eq!(reported.has(bit), may, "{bit} without {missing}");
                cases += 1;
            }
        }
        assert_eq!(cases, 257 * IMPLIED.len() + 4);
        // Through others: no vectors, no decimal numbers in vectors.
        assert!([134, 135, 148, 152, 165, 192, 198, 199].iter().all(|&bit| !without(129).consistent().has(bit)));
    }
}
