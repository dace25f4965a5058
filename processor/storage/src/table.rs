//! A table with a row for each frame, of which only what is used occupies storage of the host.
//!
//! Not a box: an allocator that gives out again what was freed would have to zero it, and so touch all of it.

use crate::Code;
use crate::mapping::Mapping;
use std::io;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::atomic::{AtomicU8, AtomicU64};

/// What zero bytes are a value of, and what may be changed through a shared reference only.
///
/// # Safety
///
/// Both must be so.
pub unsafe trait Row {}
// SAFETY: atomics are.
unsafe impl Row for AtomicU8 {}
// SAFETY: as above.
unsafe impl Row for AtomicU64 {}
// SAFETY: it consists of atomics.
unsafe impl Row for Code {}

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
}

impl<T: Row> Deref for Table<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the mapping is as long as the table, on a page boundary, and zero where it was not changed, which is a value
        // of every `Row`; it is changed through these references alone.
        unsafe { std::slice::from_raw_parts(self.bytes.at(0).cast(), self.rows) }
    }
}
