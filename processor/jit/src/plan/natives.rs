//! Instructions with routines for bodies that are done inline: which, and in which case.
//!
//! Nothing here decides what an instruction means. [`crate::emit::inline_forms`] emits what the routine comes to in the
//! common case.

use crate::plan::control;
use crate::plan::float_forms;
use crate::plan::passes::Pass;
use crate::plan::vector_forms;
use isa::form::{Float, Vector};
use isa::{Fields, Form, Instruction, Width, Width::*};

/// The longest operand that is moved inline.
const MAX_MOVE: i32 = 64;

/// What is done to the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bytes {
    Move,
    Clear,
    Compare,
}

/// What is done with strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Strings {
    Search,
    Compare,
    Move,
}

/// The run of bytes of a word that a mask selects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// How many there are, 1 to 4.
    pub bytes: u8,
    /// Bits to the right of them.
    pub shift: u8,
}

impl Run {
    /// What `mask` selects, if that is one run.
    pub(crate) fn of(mask: u8) -> Option<Run> {
        let low = mask.trailing_zeros();
        let run = mask.checked_shr(low).unwrap_or(0);
        (mask < 16 && run != 0 && run & (run + 1) == 0)
            .then_some(Run { bytes: run.count_ones() as u8, shift: 8 * low as u8 })
    }

    /// The bits of as many bytes on the right.
    pub(crate) fn ones(self) -> u64 {
        u64::MAX >> (64 - 8 * self.bytes)
    }

    pub(crate) fn width(self) -> Width {
        match self.bytes {
            1 => W8,
            2 => W16,
            _ => W32,
        }
    }
}

/// What can be done inline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Native {
    LoadMultiple(Width),
    StoreMultiple(Width),
    Move,
    Clear,
    Compare(Width),
    Many(Bytes),
    Fill {
        period: i32,
    },
    String(Strings),
    CompareAndSwap(Width),
    AddInStorage {
        width: Width,
        logical: bool,
    },
    InsertUnderMask(Run),
    CompareUnderMask(Run),
    StoreUnderMask(Run),
    LeftmostOne,
    /// With a register, or with what is in storage; so the next four.
    AddWithCarry {
        width: Width,
        storage: bool,
    },
    SubtractWithBorrow {
        width: Width,
        storage: bool,
    },
    MultiplyLogical {
        storage: bool,
    },
    MultiplySingle {
        width: Width,
        storage: bool,
    },
    DivideLogical {
        storage: bool,
    },
    DivideSingle(Width),
    Float(Float),
    Vector(Vector),
    Control(control::Control),
}

/// What of the mode decides what can be done inline.
#[derive(Clone, Copy)]
pub(crate) struct When {
    /// The 64-bit addressing mode.
    pub wide: bool,
    /// All floating-point registers may be used.
    pub float: bool,
    /// Fixed-point overflow interrupts.
    pub overflow: bool,
    /// The PSW is not that of System/370.
    pub modern: bool,
}

/// The pass that an inline form belongs to.
fn pass(native: Native) -> Pass {
    use Native::*;
    match native {
        Move | Clear | Compare(_) | Many(_) | Fill { .. } => Pass::Fields,
        String(_) => Pass::Strings,
        Float(_) => Pass::Floats,
        Vector(_) => Pass::Vectors,
        Control(_) => Pass::Control,
        LoadMultiple(_)
        | StoreMultiple(_)
        | CompareAndSwap(_)
        | AddInStorage { .. }
        | InsertUnderMask(_)
        | CompareUnderMask(_)
        | StoreUnderMask(_)
        | LeftmostOne
        | AddWithCarry { .. }
        | SubtractWithBorrow { .. }
        | MultiplyLogical { .. }
        | MultiplySingle { .. }
        | DivideLogical { .. }
        | DivideSingle(_) => Pass::Inline,
    }
}

/// What to do inline for an instruction, if anything.
pub(crate) fn native(row: &Instruction, i: &Fields, when: When) -> Option<Native> {
    form(row, i, when).filter(|native| pass(*native).is_on())
}

/// What can be done inline for an instruction.
fn form(row: &Instruction, i: &Fields, when: When) -> Option<Native> {
    let When { wide, float, overflow, modern } = when;
    use Native::*;
    let length = i.l as i32 + 1;
    let pair = i.r1 & 1 == 0;
    let own_place = (i.b1, i.d1) == (i.b2, i.d2);
    // Each byte that is moved is one that was moved before: so storage is filled.
    let fills = i.b1 == i.b2 && matches!(i.d1 - i.d2, 1 | 2 | 4 | 8) && length > 16 && wide_fills();
    Some(match row.shape.form {
        Form::LoadMultiple(width) => LoadMultiple(width),
        Form::StoreMultiple(width) => StoreMultiple(width),
        Form::MoveField if fills => Fill { period: i.d1 - i.d2 },
        Form::MoveField if length <= MAX_MOVE => Move,
        Form::MoveField => Many(Bytes::Move),
        Form::ExclusiveOrField if own_place && length <= MAX_MOVE => Clear,
        Form::ExclusiveOrField if own_place => Many(Bytes::Clear),
        Form::CompareField => match length {
            1 => Compare(W8),
            2 => Compare(W16),
            4 => Compare(W32),
            8 => Compare(W64),
            _ => Many(Bytes::Compare),
        },
        Form::SearchString if wide => String(Strings::Search),
        Form::CompareString if wide => String(Strings::Compare),
        Form::MoveString if wide => String(Strings::Move),
        Form::CompareAndSwap(width) => CompareAndSwap(width),
        Form::AddInStorage { width, logical } if logical || !overflow => AddInStorage { width, logical },
        Form::InsertUnderMask if i.m3 != 15 => InsertUnderMask(Run::of(i.m3)?),
        Form::CompareUnderMask => CompareUnderMask(Run::of(i.m3)?),
        Form::StoreUnderMask if !matches!(i.m3, 1 | 3 | 15) => StoreUnderMask(Run::of(i.m3)?),
        Form::AddCarry(width) => AddWithCarry { width, storage: row.indexes() },
        Form::SubtractBorrow(width) => SubtractWithBorrow { width, storage: row.indexes() },
        Form::LeftmostOne if pair => LeftmostOne,
        Form::MultiplyLogical if pair => MultiplyLogical { storage: row.indexes() },
        Form::MultiplySingle(width) => MultiplySingle { width, storage: row.indexes() },
        Form::DivideLogical { storage } if pair => DivideLogical { storage },
        Form::DivideSingle(width) if pair => DivideSingle(width),
        Form::Float(form) if float && float_forms::inline(form, i) => Float(form),
        Form::Vector(form) if vector_forms::inline(form, i) => Vector(form),
        form if modern => Control(control::Control::of(form, i)?),
        _ => return None,
    })
}

/// Whether the host fills storage 32 bytes at a time.
pub(crate) fn wide_fills() -> bool {
    is_x86_feature_detected!("avx2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_of_bytes_is_told_from_none_and_from_several() {
        let runs: Vec<_> = (0..16).filter_map(|mask| Run::of(mask).map(|run| (mask, run.bytes, run.shift))).collect();
        let expected = [
            (1, 1, 0),
            (2, 1, 8),
            (3, 2, 0),
            (4, 1, 16),
            (6, 2, 8),
            (7, 3, 0),
            (8, 1, 24),
            (12, 2, 16),
            (14, 3, 8),
            (15, 4, 0),
        ];
        assert_eq!(runs, expected);
    }
}
