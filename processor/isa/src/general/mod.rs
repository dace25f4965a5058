//! Bodies of general instructions (POP, chapter 7) that are more than operands and an operation.

mod branch;
mod conditional;
mod guarded;
mod interlocked;
mod locked;
mod misc;
mod moves;
mod multiply;
mod packed;
mod registers;
mod rotate;
mod strings;
mod transactions;
mod translate;
mod unicode;

pub(crate) use branch::*;
pub(crate) use conditional::*;
pub(crate) use guarded::*;
pub(crate) use interlocked::*;
pub(crate) use locked::*;
pub(crate) use misc::*;
pub(crate) use moves::*;
pub(crate) use multiply::*;
pub(crate) use packed::*;
pub(crate) use registers::{Operand, UNIT, length, pair, set_address, set_length};
pub(crate) use rotate::*;
pub(crate) use strings::*;
pub(crate) use transactions::*;
pub(crate) use translate::*;
pub(crate) use unicode::*;

use crate::prelude::*;
use base::layout::{U32, U128};
use std::cmp::Ordering;
use zerocopy::IntoBytes;

/// The condition code of a comparison: 0 equal, 1 low, 2 high.
fn compare_code(order: Ordering) -> u8 {
    match order {
        Ordering::Equal => 0,
        Ordering::Less => 1,
        Ordering::Greater => 2,
    }
}

/// An operand of `len` bytes, at most 16, as a number.
#[inline]
fn fetch_number(s: &mut State, at: At, len: usize) -> Result<u128, Interruption> {
    let mut number = U128::ZERO;
    s.read_bytes(at, &mut number.as_mut_bytes()[16 - len..])?;
    Ok(number.get())
}

/// Stores the last `len` bytes of a number, at most 16.
#[inline]
fn store_number(s: &mut State, at: At, len: usize, v: u128) -> Result<(), Interruption> {
    s.write_bytes(at, &U128::new(v).as_bytes()[16 - len..])
}

/// The bytes of a register that a mask selects, leftmost first, and how many they are.
fn selected(register: u32, mask: u8) -> ([u8; 4], usize) {
    let mut bytes = [0; 4];
    let mut n = 0;
    for (k, byte) in U32::new(register).to_bytes().into_iter().enumerate() {
        if mask & 8 >> k != 0 {
            bytes[n] = byte;
            n += 1;
        }
    }
    (bytes, n)
}
