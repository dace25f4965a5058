//! What handlers do for generated code: one instruction on the exact state.

use crate::emit::exits::{FAULT, LOOK};
use crate::emit::float_flags;
use crate::emit::scratch::*;
use cpu::State;
use isa::Op;

/// The mode of the CPU ([`translator::mode`]).
pub(crate) fn mode(s: &State) -> u64 {
    translator::mode(s).into()
}

pub(crate) fn key(s: &State) -> u64 {
    s.fetch_space() << 4 | mode(s)
}

/// Tells generated code in which space and mode the CPU is, and whether translations are as they were.
pub(crate) fn note_key(s: &mut State) {
    let key = key(s);
    s.scratch[KEY] = key;
    s.scratch[RETURN_VALID] = s.translation_epoch() << 16 | key & 0xffff;
}

/// Does an instruction by its handler, after which `refund` instructions are not executed if the block is left. With
/// `leaves` the block is left anyway. `false`: the engine must look, and the answer says at what.
pub(crate) fn perform(s: &mut State, op: &Op, refund: i8, leaves: bool) -> bool {
    let mode_before = mode(s);
    if float_flags::owes_flags(s) {
        float_flags::take_flags(s);
    }
    let next = s.ia.wrapping_add(op.fields.next as u64) & s.address_mask;
    s.next_ia = next;
    s.block_stale = false;
    (op.run)(s, &op.fields, &[]);
    if s.failed.is_some() {
        s.budget += refund as i64;
        s.scratch[ANSWER] = FAULT as u64;
        s.scratch[SPILL] = (op.fields.next as u32 as u64) << 8 | op.fields.len as u64;
        return false;
    }
    // After an instruction that ends a block, the next is found by space and mode, whatever has become of them.
    // SUPERVISOR CALL and LOAD PSW are of that kind. The engine must know at once only if blocks are stale.
    let stays = if leaves {
        s.scratch[MOVED] |= s.fetch_stale as u64;
        s.fetch_stale = s.blocks_stale;
        !s.blocks_stale
    } else {
        !s.block_stale && !s.fetch_stale && s.next_ia == next && mode(s) == mode_before
    };
    // It may have let in what is pending.
    if !stays || s.local != 0 || s.attention() & s.open != 0 {
        s.budget += refund as i64;
        s.ia = s.next_ia;
        s.scratch[ANSWER] = LOOK as u64;
        return false;
    }
    note_key(s);
    true
}

/// How many instructions have been executed, in generated code.
pub(crate) fn executed(s: &State) -> u64 {
    s.scratch[WHEN].wrapping_sub(s.scratch[RESERVE].wrapping_add_signed(s.budget))
}
