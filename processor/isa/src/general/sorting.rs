//! What sort programs have of their own: CFC and UPT (POP, chapter 7, and the appendix about sorting).
//!
//! A tree has nodes of two words, or of two doublewords in the 64-bit mode: a codeword and a parameter. What follows
//! was compared with Hercules, which has the instructions, too.

use super::registers::long;
use crate::prelude::*;
use base::layout::U64;

/// Puts a word or a doubleword, by the addressing mode, into a register.
fn set(s: &mut State, r: u8, value: u64) {
    let register = &mut s.gr[r as usize];
    *register = if s.address_mask == u64::MAX { value } else { *register & !0xffff_ffff | value & 0xffff_ffff };
}

/// A word or a doubleword of a register.
fn get(s: &State, r: u8) -> u64 {
    super::length(s, r)
}

/// What is leftmost in a codeword: bit 0 of a word or of a doubleword.
fn top(s: &State) -> u64 {
    if long(s) { 1 << 63 } else { 1 << 31 }
}

/// CFC. The operands by registers 1 and 3 are compared, a halfword or six bytes at a time, from the index in register 2
/// to the limit in the second-operand address. Its last bit says that the lower operand comes first, else the higher.
/// Register 2 becomes a codeword: the next index, and the bytes that decide, inverted where the higher comes first.
/// CC: 0 equal, 1 the third operand comes first, 2 the first one does, and the registers are exchanged.
pub(crate) fn compare_and_form_codeword(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let control = Cpu::address(s, 0, i.b2, i.d2).address;
    let (limit, lower) = (control & 0x7ffe, control & 1 != 0);
    if (s.gr[1] | s.gr[2] | s.gr[3]) & 1 != 0 {
        return Err(Program::Specification.into());
    }
    let unit = if long(s) { 6 } else { 2 };
    loop {
        let index = s.gr[2] & 0xffff;
        if index > limit {
            let parameter = get(s, 3) | top(s);
            set(s, 2, parameter);
            s.cc = 0;
            return Ok(());
        }
        let first = s.address_in(1);
        // Access register 1 is that of both.
        let third = At { address: s.gr[3] & s.address_mask, ..first };
        let mut values = [0; 2];
        for (value, at) in values.iter_mut().zip([first, third]) {
            let mut bytes = [0; 8];
            let at = s.further(at, index);
            s.read_bytes(at, &mut bytes[8 - unit..])?;
            *value = U64::from_bytes(bytes).get();
        }
        let next = index + unit as u64;
        s.gr[2] = s.gr[2] & !0xffff | next & 0xffff;
        let [a, b] = values;
        if a == b {
            continue;
        }
        let deciding = if lower { a.min(b) } else { a.max(b) ^ ((1 << (8 * unit)) - 1) };
        set(s, 2, next << (8 * unit) | deciding);
        s.cc = 1;
        if (a > b) != lower {
            let (one, three) = (get(s, 1), get(s, 3));
            set(s, 1, three);
            set(s, 3, one);
            s.cc = 2;
        }
        return Ok(());
    }
}

/// UPT. The nodes from the one of register 5, which is not looked at itself, up to the root are visited; register 4 has
/// the tree's address. The codeword in register 0 and the parameter in register 1 are exchanged with each node whose
/// codeword is higher. CC: 0 a node has the same codeword, which is in register 2 then, and its parameter in register
/// 3; 1 the root was reached; 3 bit 0 of the codeword is one.
pub(crate) fn update_tree(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    let node: usize = if long(s) { 16 } else { 8 };
    let word = node / 2;
    if (s.gr[4] | s.gr[5]) & (node as u64 - 1) != 0 {
        return Err(Program::Specification.into());
    }
    loop {
        let parent = get(s, 5) >> 1 & !(node as u64 - 1);
        if parent == 0 || get(s, 0) & top(s) != 0 {
            set(s, 5, parent);
            s.cc = if parent == 0 { 1 } else { 3 };
            return Ok(());
        }
        let tree = s.address_in(4);
        let at = s.further(tree, parent);
        s.test_write(at, node as u64)?;
        let mut bytes = [0; 16];
        s.read_bytes(at, &mut bytes[..node])?;
        let half = |n: usize| bytes[n * word..][..word].iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
        let (codeword, parameter) = (half(0), half(1));
        let own = get(s, 0);
        if own < codeword {
            let mut exchanged = [0; 16];
            for (n, value) in [own, get(s, 1)].into_iter().enumerate() {
                exchanged[n * word..][..word].copy_from_slice(&U64::new(value).to_bytes()[8 - word..]);
            }
            s.write_bytes(at, &exchanged[..node])?;
            set(s, 0, codeword);
            set(s, 1, parameter);
        }
        set(s, 5, parent);
        if own == codeword {
            set(s, 2, codeword);
            set(s, 3, parameter);
            s.cc = 0;
            return Ok(());
        }
    }
}
