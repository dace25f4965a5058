//! Bodies of general instructions (POP, chapter 7) that are more than operands and an operation.

mod branch;
mod compression;
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
mod sorting;
mod strings;
mod transactions;
mod translate;
mod unicode;

pub(crate) use branch::*;
pub(crate) use compression::compression_call;
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
pub(crate) use sorting::*;
pub(crate) use strings::*;
pub(crate) use transactions::*;
pub(crate) use translate::*;
pub(crate) use unicode::*;

use crate::prelude::*;
use arch::PAGE;
use base::layout::{U32, U128};
use std::cmp::Ordering;
use zerocopy::IntoBytes;

/// The condition code of a comparison: 0 equal, 1 low, 2 high.
pub(crate) fn compare_code(order: Ordering) -> u8 {
    match order {
        Ordering::Equal => 0,
        Ordering::Less => 1,
        Ordering::Greater => 2,
    }
}

/// An operand of `len` bytes, at most 16, as a number.
#[inline]
pub(crate) fn fetch_number(s: &mut State, at: At, len: usize) -> Result<u128, Interruption> {
    // Mostly the sixteen bytes that end with it lie in its page: then they are one fetch.
    let before = 16 - len as u64;
    if at.address % PAGE >= before
        && let Some(found) = s.find_u128(At { address: at.address - before, ..at })
    {
        return Ok(found & u128::MAX >> (8 * before));
    }
    let mut number = U128::ZERO;
    s.read_bytes(at, &mut number.as_mut_bytes()[16 - len..])?;
    Ok(number.get())
}

/// Stores the last `len` bytes of a number, at most 16.
#[inline]
pub(crate) fn store_number(s: &mut State, at: At, len: usize, v: u128) -> Result<(), Interruption> {
    if at.address % PAGE + len as u64 <= PAGE && put_number(s, at, len, v).is_some() {
        return Ok(());
    }
    s.write_bytes(at, &U128::new(v).as_bytes()[16 - len..])
}

/// The same of bytes that lie in one page, if the TLB has it: as two parts, which may have bytes in common. What a part
/// has stored may be stored again.
#[inline]
fn put_number(s: &mut State, at: At, len: usize, v: u128) -> Option<()> {
    let last = |part: usize| At { address: at.address + (len - part) as u64, ..at };
    match len {
        8.. => {
            s.put_u64(at, (v >> (8 * (len - 8))) as u64)?;
            s.put_u64(last(8), v as u64)
        }
        4.. => {
            s.put_u32(at, (v >> (8 * (len - 4))) as u32)?;
            s.put_u32(last(4), v as u32)
        }
        2.. => {
            s.put_u16(at, (v >> (8 * (len - 2))) as u16)?;
            s.put_u16(last(2), v as u16)
        }
        _ => s.put_u8(at, v as u8),
    }
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
