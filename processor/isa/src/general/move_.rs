//! Moves of bytes.

use crate::prelude::*;

/// MVC. Bytes move one at a time, left to right, so an overlap may propagate.
pub fn move_character(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let to = Cpu::address(s, 0, i.b1, i.d1);
    let from = Cpu::address(s, 0, i.b2, i.d2);
    let len = i.l as usize + 1;
    let mut bytes = [0; 256];
    let bytes = &mut bytes[..len];
    s.read_bytes(from, bytes)?;
    let distance = to.address.wrapping_sub(from.address) & s.address_mask;
    if distance != 0 && distance < len as u64 {
        for n in distance as usize..len {
            bytes[n] = bytes[n - distance as usize];
        }
    }
    s.write_bytes(to, bytes)
}
