//! Loops that move or clear field after field. [`crate::idiom::field_loops`] does all their rounds up to the end of a
//! page at once.
//!
//! Such a loop has one MVC, or one XC of a field with itself. Besides, it has only the steps of its bases by the
//! field's length, and a count.

use crate::plan::lanes::Described;
use crate::plan::natives::{Bytes, Native};
use isa::{Form, Width::*};

/// A field: where it is off its base.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    pub base: u8,
    pub at: i32,
}

/// A loop that can be done so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stretch {
    pub to: Field,
    /// What is moved there; nothing: it is cleared.
    pub from: Option<Field>,
    /// The length of a field, as a power of two.
    pub log: u8,
    /// The register that counts the rounds left, and whether all of it does.
    pub count: u8,
    pub long_count: bool,
}

impl Stretch {
    /// The loop that these instructions are, if they are one of that kind.
    pub(crate) fn of(block: &[Described]) -> Option<Stretch> {
        let (&(Form::BranchOnCount(width), back, ..), body) = block.split_last()? else { return None };
        let (&(_, i, native, _), steps) = body.split_first()?;
        if back.at() + back.imm != 0 {
            return None;
        }
        let length = i.l as i32 + 1;
        let to = Field { base: i.b1 & 15, at: i.d1 };
        let from = match native? {
            Native::Many(Bytes::Move) => Some(Field { base: i.b2 & 15, at: i.d2 }),
            Native::Many(Bytes::Clear) => None,
            _ => return None,
        };
        let bases = 1u16 << to.base | from.map_or(0, |from| 1 << from.base);
        let wanted = bases.count_ones() as usize;
        let stepped = steps.iter().map(|&(.., step)| step.filter(|&(_, by)| by == length).map(|(r, _)| 1u16 << r));
        let stepped = stepped.sum::<Option<u16>>().filter(|_| steps.len() == wanted)?;
        let count = back.r1 & 15;
        let good = stepped == bases
            && wanted == 1 + from.is_some() as usize
            && bases >> count & 1 == 0
            && bases & 1 == 0
            && length.count_ones() == 1;
        good.then_some(Stretch { to, from, log: length.trailing_zeros() as u8, count, long_count: width == W64 })
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = Field> {
        [self.to].into_iter().chain(self.from)
    }
}
