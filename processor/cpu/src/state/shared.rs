//! What the CPUs of one configuration have in common.

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

/// What the CPUs of one configuration have in common.
pub struct Shared {
    /// The configuration's absolute storage.
    pub storage: Arc<Storage>,
    /// The host's clock, or a virtual one.
    pub clock: Arc<dyn Clock>,
    /// Interruption conditions that any CPU may take.
    pub floating: Floating,
    /// One for each CPU address.
    pub signals: Box<[Signals]>,
    /// Which facilities there are, as STFLE stores them.
    pub facilities: Facilities,
    /// What STIDP stores, for CPU 0.
    pub cpu_id: u64,
    /// Added to the host's clock to give the guest's TOD clock (SET CLOCK).
    pub tod_offset: AtomicU64,
}
