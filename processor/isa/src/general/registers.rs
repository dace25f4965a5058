//! Operands whose address and length are in general registers: MVCL, CLCLE, TRE and their kin.
//!
//! An even-odd pair holds the address and the length; what is left of it is in the pair when the instruction is
//! interrupted or ends early, and the instruction goes on from there. In the 24-bit and 31-bit modes only the right
//! half of a register takes part.

use crate::prelude::*;

/// How many bytes a long instruction handles before it ends with condition code 3, so that interruptions get in.
pub(crate) const UNIT: u64 = 0x1_0000;

/// A specification exception for an odd register where an even-odd pair begins.
#[inline(always)]
pub(crate) fn pair(r: u8) -> Result<(), Interruption> {
    if r & 1 != 0 { Err(Program::Specification.into()) } else { Ok(()) }
}

/// Whether addresses and lengths take all of a register.
#[inline(always)]
pub(super) fn long(s: &State) -> bool {
    s.address_mask == u64::MAX
}

/// Puts an address into a register, as far as the addressing mode goes.
#[inline(always)]
pub(crate) fn set_address(s: &mut State, r: u8, address: u64) {
    let address = address & s.address_mask;
    let register = &mut s.gr[r as usize];
    *register = if s.address_mask == u64::MAX { address } else { *register & !0xffff_ffff | address };
}

/// A length in a register.
#[inline(always)]
pub(crate) fn length(s: &State, r: u8) -> u64 {
    if long(s) { s.gr[r as usize] } else { s.gr[r as usize] as u32 as u64 }
}

/// Puts a length into a register.
#[inline(always)]
pub(crate) fn set_length(s: &mut State, r: u8, n: u64) {
    if long(s) {
        s.gr[r as usize] = n;
    } else {
        s.gr[r as usize] = s.gr[r as usize] & !0xffff_ffff | n & 0xffff_ffff;
    }
}

/// An operand in an even-odd pair.
#[derive(Clone, Copy)]
pub(crate) struct Operand {
    pub r: u8,
    pub at: At,
    pub length: u64,
}

impl Operand {
    /// The operand in `r` and `r + 1`, with a length of 32 or 64 bits by the addressing mode. `r` must be even.
    pub(crate) fn of(s: &mut State, r: u8) -> Result<Operand, Interruption> {
        pair(r)?;
        Ok(Operand { r, at: s.address_in(r), length: length(s, r + 1) })
    }

    /// The operand in `r` and `r + 1` with a length of 24 bits (MVCL, CLCL).
    pub(crate) fn short(s: &mut State, r: u8) -> Result<Operand, Interruption> {
        pair(r)?;
        Ok(Operand { r, at: s.address_in(r), length: s.gr[r as usize + 1] & 0x00ff_ffff })
    }

    /// Passes over `n` bytes.
    pub(crate) fn pass(&mut self, s: &State, n: u64) {
        self.at = s.further(self.at, n);
        self.length -= n;
    }

    /// Leaves address and length in the registers.
    pub(crate) fn save(&self, s: &mut State) {
        set_address(s, self.r, self.at.address);
        set_length(s, self.r + 1, self.length);
    }

    /// Leaves the address and a length of 24 bits in the registers.
    pub(crate) fn save_short(&self, s: &mut State) {
        set_address(s, self.r, self.at.address);
        let odd = &mut s.gr[self.r as usize + 1];
        *odd = *odd & !0x00ff_ffff | self.length;
    }
}

/// Moves from one operand to the other and pads, up to `unit` bytes. Progress is in the operands even when an access
/// exception ends it.
pub(super) fn move_padded(
    s: &mut State,
    to: &mut Operand,
    from: &mut Operand,
    pad: [u8; 2],
    mut unit: u64,
) -> Result<(), Interruption> {
    while to.length > 0 && unit > 0 {
        let max = to.length.min(unit);
        let n = if from.length > 0 {
            let n = s.move_within_pages(to.at, from.at, max.min(from.length))?;
            from.pass(s, n);
            n
        } else if pad[0] == pad[1] {
            s.fill_within_page(to.at, pad[0], max)?
        } else {
            // Two-byte padding; an odd address can put one character across two pages.
            let n = if max & 1 != 0 { 1 } else { max.min(256) };
            let mut bytes = [0; 256];
            for (k, byte) in bytes.iter_mut().enumerate() {
                *byte = pad[k & 1];
            }
            s.write_bytes(to.at, &bytes[..n as usize])?;
            n
        };
        to.pass(s, n);
        unit -= n;
    }
    Ok(())
}

/// Compares two operands of characters of `step` bytes, the shorter one padded, up to about `unit` bytes; `Some` is
/// the order of the first unequal characters, at which the operands are left.
pub(super) fn compare_padded(
    s: &mut State,
    a: &mut Operand,
    b: &mut Operand,
    pad: [u8; 2],
    step: usize,
    mut unit: u64,
) -> Result<Option<std::cmp::Ordering>, Interruption> {
    const CHUNK: usize = 512;
    while (a.length > 0 || b.length > 0) && unit > 0 {
        let (mut x, mut y) = ([0; CHUNK], [0; CHUNK]);
        for k in 0..CHUNK {
            if a.length == 0 {
                x[k] = pad[k & 1];
            }
            if b.length == 0 {
                y[k] = pad[k & 1];
            }
        }
        let mut n = CHUNK;
        if a.length > 0 {
            n = n.min(a.length as usize);
        }
        if b.length > 0 {
            n = n.min(b.length as usize);
        }
        if a.length > 0 {
            n = read_some(s, a.at, &mut x[..n], step)?;
        }
        if b.length > 0 {
            n = read_some(s, b.at, &mut y[..n], step)?;
        }
        let equal = x[..n] == y[..n];
        let same = if equal { n } else { x[..n].iter().zip(&y[..n]).take_while(|(x, y)| x == y).count() };
        let whole = same / step * step;
        if same < n {
            for operand in [&mut *a, &mut *b] {
                let n = operand.length.min(whole as u64);
                operand.pass(s, n);
            }
            return Ok(Some(x[same].cmp(&y[same])));
        }
        for operand in [&mut *a, &mut *b] {
            let n = operand.length.min(n as u64);
            operand.pass(s, n);
        }
        unit = unit.saturating_sub(n as u64);
    }
    Ok(None)
}

/// Reads up to the end of the page, but whole characters of `step` bytes.
fn read_some(s: &mut State, at: At, to: &mut [u8], step: usize) -> Result<usize, Interruption> {
    let n = s.read_within_page(at, to)?;
    if n % step == 0 || n == to.len() {
        return Ok(n);
    }
    if n >= step {
        return Ok(n / step * step);
    }
    s.read_bytes(at, &mut to[..step])?;
    Ok(step)
}
