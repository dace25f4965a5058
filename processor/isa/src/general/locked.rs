//! PERFORM LOCKED OPERATION: comparing, loading and storing up to four operands while a lock is held.
//!
//! Register 0 has the function code, register 1 names the lock. One lock serves all: it keeps these operations apart
//! from each other, which is all that POP promises of the lock; what each operand is stored with is atomic as it would
//! be anyway.

use super::registers::pair;
use super::{fetch_number, store_number};
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

fn put(s: &mut State, at: At, bytes: usize, v: u128) -> Result<(), Interruption> {
    match bytes {
        4 => s.store_u32(at, v as u32),
        8 => s.store_u64(at, v as u64),
        _ => store_number(s, at, bytes, v),
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
            Place::List(at) => fetch_number(s, at, form.bytes()),
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

/// The operands of one execution: where they are, and how wide.
struct Operands {
    function: Function,
    form: Form,
    second: At,
    /// The second-operand address of the text: the fourth operand or the parameter list.
    fourth: At,
    /// Its register goes with addresses in the parameter list.
    r3: u8,
    compare: Place,
    replacement: Place,
    third: Place,
    third_new: Place,
}

impl Operands {
    /// Those that the text names; a specification exception if registers or addresses are not as they must be.
    fn of(s: &mut State, i: &Fields, function: Function, form: Form) -> Result<Operands, Interruption> {
        let second = s.address(0, i.b1, i.d1);
        let fourth = s.address(0, i.b2, i.d2);
        s.aligned(second, form.bytes() as u64)?;
        let places = if form.in_registers() {
            if function != Function::CompareAndLoad {
                pair(i.r1)?;
            }
            if function == Function::DoubleCompareAndSwap {
                pair(i.r3)?;
            }
            [i.r1, i.r1 | 1, i.r3, i.r3 | 1].map(Place::Register)
        } else {
            [0, 16, 32, 48].map(|offset| Place::List(field(s, fourth, offset, form)))
        };
        let [compare, replacement, third, third_new] = places;
        let operands = Operands { function, form, second, fourth, r3: i.r3, compare, replacement, third, third_new };
        if operands.listed() {
            s.aligned(fourth, 8)?;
        }
        Ok(operands)
    }

    /// Whether there is a parameter list.
    fn listed(&self) -> bool {
        use Function::{CompareSwapAndDoubleStore, CompareSwapAndTripleStore};
        !self.form.in_registers() || matches!(self.function, CompareSwapAndDoubleStore | CompareSwapAndTripleStore)
    }

    fn bytes(&self) -> usize {
        self.form.bytes()
    }

    /// The operand whose address is in the list.
    fn pointed(&self, s: &mut State, offset: u64) -> Result<At, Interruption> {
        let at = s.load_u64(s.further(self.fourth, offset))?;
        let at = At { address: at & s.address_mask, ar: self.r3 };
        s.aligned(at, self.bytes() as u64)?;
        Ok(at)
    }

    /// The fourth operand.
    fn other(&self, s: &mut State) -> Result<At, Interruption> {
        let at = if self.listed() { self.pointed(s, 72)? } else { self.fourth };
        s.aligned(at, self.bytes() as u64)?;
        Ok(at)
    }

    /// What is done while the lock is held. The condition code.
    fn perform(&self, s: &mut State) -> Result<u8, Interruption> {
        let old = fetch_number(s, self.second, self.bytes())?;
        if old != self.compare.get(s, self.form)? {
            self.compare.set(s, self.form, old)?;
            return Ok(1);
        }
        match self.function {
            Function::CompareAndLoad => {
                let from = self.other(s)?;
                let v = fetch_number(s, from, self.bytes())?;
                self.third.set(s, self.form, v)?;
            }
            Function::CompareAndSwap => {
                let new = self.replacement.get(s, self.form)?;
                put(s, self.second, self.bytes(), new)?;
            }
            Function::DoubleCompareAndSwap => return self.swap_both(s),
            Function::CompareSwapAndStore => self.swap_and_store(s, &[(48, 72)])?,
            Function::CompareSwapAndDoubleStore => self.swap_and_store(s, &[(48, 72), (80, 104)])?,
            Function::CompareSwapAndTripleStore => self.swap_and_store(s, &[(48, 72), (80, 104), (112, 136)])?,
        }
        Ok(0)
    }

    /// The second operand has been compared: compares the fourth one, too, and replaces both. The condition code.
    fn swap_both(&self, s: &mut State) -> Result<u8, Interruption> {
        let other = self.other(s)?;
        let found = fetch_number(s, other, self.bytes())?;
        if found != self.third.get(s, self.form)? {
            self.third.set(s, self.form, found)?;
            return Ok(2);
        }
        let (new, other_new) = (self.replacement.get(s, self.form)?, self.third_new.get(s, self.form)?);
        self.store_two(s, (other, other_new), new)?;
        Ok(0)
    }

    /// Replaces the second operand and stores others: the third one, or those in the list, each with the offset of its
    /// value and of the address it goes to.
    fn swap_and_store(&self, s: &mut State, listed: &[(u64, u64)]) -> Result<(), Interruption> {
        let new = self.replacement.get(s, self.form)?;
        if !self.listed() {
            let (to, stored) = (self.other(s)?, self.third.get(s, self.form)?);
            return self.store_two(s, (to, stored), new);
        }
        let mut all = [(self.second, new); 4];
        for (store, &(value, address)) in all.iter_mut().zip(listed) {
            let at = self.pointed(s, address)?;
            *store = (at, fetch_number(s, field(s, self.fourth, value, self.form), self.bytes())?);
        }
        // Everything is sure to be storable before anything is stored; the second operand goes last.
        let all = &all[..=listed.len()];
        for &(at, _) in all {
            s.test_write(at, self.bytes() as u64)?;
        }
        for &(at, v) in all {
            put(s, at, self.bytes(), v)?;
        }
        Ok(())
    }

    /// Stores another operand, and `new` as the second one. Nothing is stored if either must not be.
    fn store_two(&self, s: &mut State, (at, v): (At, u128), new: u128) -> Result<(), Interruption> {
        s.test_write(self.second, self.bytes() as u64)?;
        put(s, at, self.bytes(), v)?;
        put(s, self.second, self.bytes(), new)
    }
}

/// A value in the parameter list: values stand at the end of 16-byte fields, and addresses in doublewords of their own.
fn field(s: &State, list: At, offset: u64, form: Form) -> At {
    s.further(list, offset + 16 - form.bytes() as u64)
}

/// PLO. CC: 0 all comparisons equal, 1 the first not, 2 the second not. With bit 55 of register 0 on, only whether the
/// function exists: 0 yes, 3 no.
pub(crate) fn perform_locked_operation(s: &mut State, i: &Fields) -> Result<(), Interruption> {
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
    let operands = Operands::of(s, i, function, form)?;
    let _held = lock();
    s.cc = operands.perform(s)?;
    Ok(())
}
