//! PERFORM LOCKED OPERATION: comparing, loading and storing up to four operands while a lock is held.
//!
//! Register 0 has the function code, register 1 names the lock. One lock serves all: it keeps these operations apart
//! from each other, which is all that POP promises of the lock; what each operand is stored with is atomic as it would
//! be anyway.

use super::registers::pair;
use crate::prelude::*;
use base::Held;
use cpu::Architecture;
use std::sync::{Mutex, MutexGuard};

/// What a function code does, apart from the width of its operands (function code divided by four).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Function {
    CompareAndLoad,
    CompareAndSwap,
    DoubleCompareAndSwap,
    CompareSwapAndStore,
    CompareSwapAndDoubleStore,
    CompareSwapAndTripleStore,
}

/// The widths and places of operands (function code modulo four).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Words in registers.
    Word,
    /// Doublewords in the parameter list.
    ListDoubleword,
    /// Doublewords in registers.
    Doubleword,
    /// Quadwords in the parameter list.
    Quadword,
}

impl Form {
    fn bytes(self) -> usize {
        match self {
            Form::Word => 4,
            Form::ListDoubleword | Form::Doubleword => 8,
            Form::Quadword => 16,
        }
    }

    fn in_registers(self) -> bool {
        matches!(self, Form::Word | Form::Doubleword)
    }
}

fn lock() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().held()
}

/// An operand of up to 16 bytes as a number.
fn fetch(s: &mut State, at: At, bytes: usize) -> Result<u128, Interruption> {
    let mut value = [0; 16];
    s.read_bytes(at, &mut value[16 - bytes..])?;
    Ok(u128::from_be_bytes(value))
}

fn put(s: &mut State, at: At, bytes: usize, v: u128) -> Result<(), Interruption> {
    match bytes {
        4 => s.store_u32(at, v as u32),
        8 => s.store_u64(at, v as u64),
        _ => s.write_bytes(at, &v.to_be_bytes()),
    }
}

/// An operand whose place is fixed: in a register, or in the parameter list, where it ends at the end of 16 bytes.
#[derive(Clone, Copy)]
enum Place {
    Register(u8),
    List(At),
}

impl Place {
    fn get(self, s: &mut State, form: Form) -> Result<u128, Interruption> {
        match self {
            Place::Register(r) => {
                let width = if form == Form::Word { W32 } else { W64 };
                Ok(s.gr(width, r) as u128)
            }
            Place::List(at) => fetch(s, at, form.bytes()),
        }
    }

    fn set(self, s: &mut State, form: Form, v: u128) -> Result<(), Interruption> {
        match self {
            Place::Register(r) => {
                let width = if form == Form::Word { W32 } else { W64 };
                s.set_gr(width, r, v as u64);
                Ok(())
            }
            Place::List(at) => put(s, at, form.bytes(), v),
        }
    }
}

/// PLO. CC: 0 all comparisons equal, 1 the first not, 2 the second not. With bit 55 of register 0 on, only whether the
/// function exists: 0 yes, 3 no.
pub fn perform_locked_operation(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let control = s.gr[0] as u32;
    let code = control as u8;
    if control & 0xffff_fe00 != 0 {
        return Err(Program::Specification.into());
    }
    // Doublewords in registers, and quadwords, are z/Architecture's.
    let known = code < 24 && (code & 2 == 0 || s.architecture() == Architecture::Z);
    if control & 0x100 != 0 {
        s.cc = if known { 0 } else { 3 };
        return Ok(());
    }
    if !known {
        return Err(Program::Specification.into());
    }
    let function = match code / 4 {
        0 => Function::CompareAndLoad,
        1 => Function::CompareAndSwap,
        2 => Function::DoubleCompareAndSwap,
        3 => Function::CompareSwapAndStore,
        4 => Function::CompareSwapAndDoubleStore,
        _ => Function::CompareSwapAndTripleStore,
    };
    let form = [Form::Word, Form::ListDoubleword, Form::Doubleword, Form::Quadword][code as usize % 4];
    let bytes = form.bytes();
    let second = s.address(0, i.b1, i.d1);
    let fourth = s.address(0, i.b2, i.d2);
    s.aligned(second, bytes as u64)?;
    // A list has its values at the end of 16-byte fields, and addresses in doublewords of their own.
    let field = |s: &State, offset: u64| s.further(fourth, offset + 16 - bytes as u64);
    let (compare, replacement, third, third_new);
    if form.in_registers() {
        if function != Function::CompareAndLoad {
            pair(i.r1)?;
        }
        if function == Function::DoubleCompareAndSwap {
            pair(i.r3)?;
        }
        compare = Place::Register(i.r1);
        replacement = Place::Register(i.r1 | 1);
        third = Place::Register(i.r3);
        third_new = Place::Register(i.r3 | 1);
    } else {
        compare = Place::List(field(s, 0));
        replacement = Place::List(field(s, 16));
        third = Place::List(field(s, 32));
        third_new = Place::List(field(s, 48));
    }
    let listed = !form.in_registers()
        || matches!(function, Function::CompareSwapAndDoubleStore | Function::CompareSwapAndTripleStore);
    if listed {
        s.aligned(fourth, 8)?;
    }
    // The operand whose address is in the list.
    let pointed = |s: &mut State, offset: u64| {
        let at = s.load_u64(s.further(fourth, offset))?;
        let at = At { address: at & s.address_mask, ar: i.r3 };
        s.aligned(at, bytes as u64)?;
        Ok::<At, Interruption>(at)
    };
    let _held = lock();
    let old = fetch(s, second, bytes)?;
    if old != compare.get(s, form)? {
        compare.set(s, form, old)?;
        s.cc = 1;
        return Ok(());
    }
    match function {
        Function::CompareAndLoad => {
            let from = if listed { pointed(s, 72)? } else { fourth };
            s.aligned(from, bytes as u64)?;
            let v = fetch(s, from, bytes)?;
            third.set(s, form, v)?;
        }
        Function::CompareAndSwap => {
            let new = replacement.get(s, form)?;
            put(s, second, bytes, new)?;
        }
        Function::DoubleCompareAndSwap => {
            let other = if listed { pointed(s, 72)? } else { fourth };
            s.aligned(other, bytes as u64)?;
            let found = fetch(s, other, bytes)?;
            if found != third.get(s, form)? {
                third.set(s, form, found)?;
                s.cc = 2;
                return Ok(());
            }
            let (new, other_new) = (replacement.get(s, form)?, third_new.get(s, form)?);
            s.test_write(second, bytes as u64)?;
            put(s, other, bytes, other_new)?;
            put(s, second, bytes, new)?;
        }
        Function::CompareSwapAndStore if !listed => {
            s.aligned(fourth, bytes as u64)?;
            let (new, stored) = (replacement.get(s, form)?, third.get(s, form)?);
            s.test_write(second, bytes as u64)?;
            put(s, fourth, bytes, stored)?;
            put(s, second, bytes, new)?;
        }
        _ => {
            // One to three stores, at offsets of their values and of the addresses they go to.
            let stores: &[(u64, u64)] = match function {
                Function::CompareSwapAndDoubleStore => &[(48, 72), (80, 104)],
                Function::CompareSwapAndTripleStore => &[(48, 72), (80, 104), (112, 136)],
                _ => &[(48, 72)],
            };
            let new = replacement.get(s, form)?;
            let mut all = [(second, new); 4];
            for (n, &(value, address)) in stores.iter().enumerate() {
                let at = pointed(s, address)?;
                all[n] = (at, fetch(s, field(s, value), bytes)?);
            }
            // Everything is sure to be storable before anything is stored; the second operand goes last.
            let all = &all[..=stores.len()];
            for &(at, _) in all {
                s.test_write(at, bytes as u64)?;
            }
            for &(at, v) in all {
                put(s, at, bytes, v)?;
            }
        }
    }
    s.cc = 0;
    Ok(())
}
