//! Interlocked updates: the host's atomics on guest storage (POP, chapter 5, "Interlocked-update references").
//!
//! Operands must be aligned on their size, as the instructions require; callers check and raise a specification
//! exception. Fetch and store access are checked together, before anything changes.

use crate::state::{Access, At, Interruption, Space, State};
use portable_atomic::{AtomicU8, AtomicU32, AtomicU64, AtomicU128, Ordering::SeqCst};

macro_rules! interlocked {
    ($swap:ident, $update:ident, $t:ty, $atomic:ty) => {
        /// Replaces the value by `new` if it is `old`; the value found is returned either way.
        pub fn $swap(&mut self, at: At, old: $t, new: $t) -> Result<$t, Interruption> {
            assert!(at.address.is_multiple_of(size_of::<$t>() as u64), "callers check alignment");
            let page = self.page(at, Access::Store)?;
            // SAFETY: the operand is aligned, lies in a frame of our storage, and other CPUs use atomics on it too.
            let cell = unsafe { <$atomic>::from_ptr(page.host.cast()) };
            let found = match cell.compare_exchange(old.to_be(), new.to_be(), SeqCst, SeqCst) {
                Ok(_) => {
                    self.stored(page, at.address, size_of::<$t>());
                    old
                }
                Err(found) => <$t>::from_be(found),
            };
            Ok(found)
        }

        /// Replaces the value `v` by `f(v)` and returns `v`.
        pub fn $update(&mut self, at: At, f: impl Fn($t) -> $t) -> Result<$t, Interruption> {
            assert!(at.address.is_multiple_of(size_of::<$t>() as u64), "callers check alignment");
            let page = self.page(at, Access::Store)?;
            // SAFETY: as above.
            let cell = unsafe { <$atomic>::from_ptr(page.host.cast()) };
            let mut found = cell.load(SeqCst);
            loop {
                match cell.compare_exchange_weak(found, f(<$t>::from_be(found)).to_be(), SeqCst, SeqCst) {
                    Ok(_) => break,
                    Err(now) => found = now,
                }
            }
            self.stored(page, at.address, size_of::<$t>());
            Ok(<$t>::from_be(found))
        }
    };
}

impl State {
    interlocked!(compare_and_swap_u8, update_u8, u8, AtomicU8);
    interlocked!(compare_and_swap_u32, update_u32, u32, AtomicU32);
    interlocked!(compare_and_swap_u64, update_u64, u64, AtomicU64);
    interlocked!(compare_and_swap_u128, update_u128, u128, AtomicU128);

    /// As [`State::compare_and_swap_u64`] at a real address, which no key protects (a translation table's entry).
    pub fn compare_and_swap_real(&mut self, address: u64, old: u64, new: u64) -> Result<u64, Interruption> {
        assert!(address.is_multiple_of(8), "callers check alignment");
        let page = self.page_in(address, Space::Real, 0, Access::Store)?;
        // SAFETY: as above.
        let cell = unsafe { AtomicU64::from_ptr(page.host.cast()) };
        match cell.compare_exchange(old.to_be(), new.to_be(), SeqCst, SeqCst) {
            Ok(_) => {
                self.stored(page, address, 8);
                Ok(old)
            }
            Err(found) => Ok(u64::from_be(found)),
        }
    }

    /// Fetches a quadword as one (LOAD PAIR FROM QUADWORD).
    pub fn load_quadword(&mut self, at: At) -> Result<u128, Interruption> {
        assert!(at.address.is_multiple_of(16), "callers check alignment");
        let page = self.page(at, Access::Fetch)?;
        // SAFETY: as above; a host without a 16-byte load may write back what it found.
        let cell = unsafe { AtomicU128::from_ptr(page.host.cast()) };
        Ok(u128::from_be(cell.load(SeqCst)))
    }
}
