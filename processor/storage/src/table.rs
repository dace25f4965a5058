//! A table of which only what is used occupies storage of the host.
//!
//! Not a box: an allocator that gives out again what was freed would have to zero it, and so touch all of it.

use crate::Code;
use crate::mapping::Mapping;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU8, AtomicU64};

/// What zero bytes are a value of.
///
/// # Safety
///
/// It must be so.
pub unsafe trait Row {}
// SAFETY: atomics are.
unsafe impl Row for AtomicU8 {}
// SAFETY: as above.
unsafe impl Row for AtomicU64 {}
// SAFETY: it consists of atomics.
unsafe impl Row for Code {}

/// A table of as many rows as it was made with, all zero at first.
pub struct Table<T> {
    bytes: Mapping,
    rows: usize,
    kind: PhantomData<T>,
}

impl<T: Row> Table<T> {
    /// A table of zeros.
    pub fn new(rows: usize) -> io::Result<Table<T>> {
        Ok(Table { bytes: Mapping::new(rows * size_of::<T>(), 0)?, rows, kind: PhantomData })
    }

    /// Makes all rows zero and gives the host its storage back. The rows stay where they are.
    pub fn vacate(&mut self) {
        self.bytes.zero(0, self.rows * size_of::<T>());
    }
}

impl<T: Row> Deref for Table<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the mapping is as long as the table, on a page boundary, and zero where it was not changed. Zero is a
        // value of every `Row`. It is changed through these references alone.
        unsafe { std::slice::from_raw_parts(self.bytes.at(0).cast(), self.rows) }
    }
}

impl<T: Row> DerefMut for Table<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and there is no other reference.
        unsafe { std::slice::from_raw_parts_mut(self.bytes.at(0).cast(), self.rows) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn a_vacated_table_is_zero_and_occupies_nothing() {
        const ROWS: usize = 100_000;
        let mut table = Table::<AtomicU64>::new(ROWS).unwrap();
        let at = table.as_ptr();
        assert_eq!(table.bytes.resident(), 0);
        table.iter().for_each(|row| row.store(7, Relaxed));
        assert_eq!(table.bytes.resident(), (ROWS as u64 * 8).div_ceil(4096));
        table.vacate();
        assert_eq!((table.bytes.resident(), table.as_ptr(), table.len()), (0, at, ROWS));
        assert!(table.iter().all(|row| row.load(Relaxed) == 0));
        table[ROWS - 1] = AtomicU64::new(1);
        assert_eq!(table[ROWS - 1].load(Relaxed), 1);
    }
}
