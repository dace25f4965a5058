//! The instruction that stands across the end of a page. It is in no block, for its two pages may change apart from
//! each other. Each time it is decoded anew, from what both hold now, and done by its handler. Of gcc's instructions
//! that is one of some 1200.

use crate::emit::recipes::settle_code;
use crate::runtime::perform::perform;
use arch::{Absolute, PAGE};
use cpu::State;
use isa::Instruction;

/// Whether an instruction stands across the end of a page, and what has become of it.
pub(crate) enum Crossed {
    Not,
    Done,
    /// The engine must see.
    Left,
}

/// If the instruction at `s.ia`, with its first byte at `absolute`, stands across the end of the page, it is done. Some
/// of these are left to the engine.
#[inline]
pub(crate) fn cross(s: &mut State, absolute: Absolute, refuses: fn(&Instruction) -> bool) -> Crossed {
    let here = PAGE - s.ia % PAGE;
    if here > 4 { Crossed::Not } else { at_the_end(s, absolute, here, refuses) }
}

/// The same, so many bytes before the end of the page.
fn at_the_end(s: &mut State, absolute: Absolute, here: u64, refuses: fn(&Instruction) -> bool) -> Crossed {
    if s.ia & 1 != 0 {
        return Crossed::Left;
    }
    const EXISTS: &str = "the frame was translated, so it exists";
    // The text's first bytes, in the high half.
    let first = match here {
        2 => u32::from(s.storage().read_u16(absolute).expect(EXISTS)) << 16,
        _ => s.storage().read_u32(absolute).expect(EXISTS),
    };
    let len = u64::from(isa::length((first >> 24) as u8));
    if len <= here {
        return Crossed::Not;
    }
    if s.budget <= 0 || s.attention() & s.open != 0 || s.local != 0 {
        return Crossed::Left;
    }
    let Some(next) = s.find_instruction(s.ia.wrapping_add(here) & s.address_mask) else { return Crossed::Left };
    let rest = u64::from(s.storage().read_u32(next).expect(EXISTS));
    let text = u64::from(first) << 16 | rest << 16 >> (8 * here);
    let [_, _, text @ ..] = (text & !0 << (48 - 8 * len)).to_be_bytes();
    let decoded = isa::decode_op(s, text, 0);
    if decoded.row.is_some_and(refuses) {
        return Crossed::Left;
    }
    settle_code(s);
    s.budget -= 1;
    if !perform(s, &decoded.op, 0, true) {
        return Crossed::Left;
    }
    s.ia = s.next_ia;
    Crossed::Done
}
