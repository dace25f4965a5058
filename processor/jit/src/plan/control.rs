//! Instructions of control programs that are done inline: which, and in which case. [`crate::emit::control`] emits
//! them.

use arch::mask;
use isa::{Fields, Form};

/// Bits of the system mask that only let interruptions in: the rest decides about addresses and PER.
pub(crate) const INTERRUPTIONS: u8 = ((mask::IO | mask::EXTERNAL) >> 56) as u8;

/// What can be done inline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Control {
    /// STNSM of interruptions, with the bits that stay.
    Close(u8),
    /// STOSM likewise, with those that are added.
    Open(u8),
    LoadBreakingEvent,
    StoreBreakingEvent,
}

impl Control {
    /// What to do for an instruction of a CPU that is not in the System/370 mode, if anything.
    pub(crate) fn of(form: Form, i: &Fields) -> Option<Control> {
        let bits = i.imm as u8;
        Some(match form {
            Form::StoreThenAnd if bits | INTERRUPTIONS == 0xff => Control::Close(bits),
            Form::StoreThenOr if bits & !INTERRUPTIONS == 0 => Control::Open(bits),
            Form::LoadBreakingEvent => Control::LoadBreakingEvent,
            Form::StoreBreakingEvent => Control::StoreBreakingEvent,
            _ => return None,
        })
    }

    /// The base and displacement of its operand, its length, and whether that is stored into.
    pub(crate) fn access(self, i: &Fields) -> (u8, i32, i32, bool) {
        match self {
            Control::Close(_) | Control::Open(_) => (i.b1, i.d1, 1, true),
            Control::LoadBreakingEvent => (i.b2, i.d2, 8, false),
            Control::StoreBreakingEvent => (i.b2, i.d2, 8, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isa::Format;

    #[test]
    fn masks_of_interruptions_alone_are_told_from_others() {
        let of = |form, bits| Control::of(form, &Fields::extract(Format::SI, [0xac, bits, 0xf0, 0xa0, 0, 0]));
        assert_eq!(of(Form::StoreThenAnd, 0xfc), Some(Control::Close(0xfc)));
        assert_eq!(of(Form::StoreThenAnd, 0xfe), Some(Control::Close(0xfe)));
        assert_eq!(of(Form::StoreThenAnd, 0xf8), None, "DAT off");
        assert_eq!(of(Form::StoreThenAnd, 0xbc), None, "PER off");
        assert_eq!(of(Form::StoreThenOr, 3), Some(Control::Open(3)));
        assert_eq!(of(Form::StoreThenOr, 7), None, "DAT on");
        assert_eq!(of(Form::StoreThenOr, 0x80), None, "a specification exception");
    }
}
