//! KIMD and KLMD: SHA-1, SHA-2, SHA-3, SHAKE and GHASH.

use super::galois::ghash;
use super::{Chain, absorb, function, operand_register, query, unmodified};
use crate::general::{Operand, UNIT, length, set_address, set_length};
use crate::prelude::*;
use base::layout::{U32, U64};
use zerocopy::FromBytes;

/// A digest as the parameter block has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Digest {
    Sha1,
    Sha256,
    Sha512,
    /// SHA-3 with so many bytes in a block.
    Sha3(usize),
    /// An extendable output, likewise.
    Shake(usize),
    /// The hash subkey is in the parameter block after the state.
    Ghash,
}

const CODES: [u8; 9] = [1, 2, 3, 32, 33, 34, 35, 36, 37];
const GHASH: u8 = 65;
/// Bytes of the state of SHA-3.
pub(super) const STATE: usize = 200;

impl Digest {
    fn of(code: u8) -> Option<Digest> {
        Some(match code {
            1 => Digest::Sha1,
            2 => Digest::Sha256,
            3 => Digest::Sha512,
            32 => Digest::Sha3(144),
            33 => Digest::Sha3(136),
            34 => Digest::Sha3(104),
            35 => Digest::Sha3(72),
            36 => Digest::Shake(168),
            37 => Digest::Shake(136),
            _ => return None,
        })
    }

    /// Bytes of a block.
    pub(super) fn block(self) -> usize {
        match self {
            Digest::Sha1 | Digest::Sha256 => 64,
            Digest::Sha512 => 128,
            Digest::Sha3(rate) | Digest::Shake(rate) => rate,
            Digest::Ghash => 16,
        }
    }

    /// Bytes of the chaining value.
    fn state(self) -> usize {
        match self {
            Digest::Sha1 => 20,
            Digest::Sha256 => 32,
            Digest::Sha512 => 64,
            Digest::Sha3(_) | Digest::Shake(_) => STATE,
            Digest::Ghash => 16,
        }
    }

    /// Absorbs whole blocks.
    pub(super) fn absorb(self, value: &mut [u8; STATE], blocks: &[u8], subkey: &[u8; 16]) {
        let n = self.block();
        for block in blocks.chunks_exact(n) {
            match self {
                Digest::Sha1 => {
                    let (state, _) = <[U32; 5]>::mut_from_prefix(value).expect("as many words");
                    let mut words = state.map(U32::get);
                    sha1::block_api::compress(&mut words, &[block.try_into().expect("a block")]);
                    *state = words.map(U32::new);
                }
                Digest::Sha256 => {
                    let (state, _) = <[U32; 8]>::mut_from_prefix(value).expect("as many words");
                    let mut words = state.map(U32::get);
                    sha2::block_api::compress256(&mut words, &[block.try_into().expect("a block")]);
                    *state = words.map(U32::new);
                }
                Digest::Sha512 => {
                    let (state, _) = <[U64; 8]>::mut_from_prefix(value).expect("as many words");
                    let mut words = state.map(U64::get);
                    sha2::block_api::compress512(&mut words, &[block.try_into().expect("a block")]);
                    *state = words.map(U64::new);
                }
                Digest::Sha3(_) | Digest::Shake(_) => {
                    super::cipher::xor(value, block);
                    permute(value);
                }
                Digest::Ghash => {
                    let state: &mut [u8; 16] = (&mut value[..16]).try_into().expect("sixteen bytes");
                    ghash(subkey, state, block);
                }
            }
        }
    }
}

/// The permutation under SHA-3; its lanes are little-endian.
pub(super) fn permute(state: &mut [u8; STATE]) {
    let mut lanes = [0; 25];
    for (lane, bytes) in lanes.iter_mut().zip(state.chunks_exact(8)) {
        *lane = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    }
    keccak::Keccak::new().with_f1600(|f| f(&mut lanes));
    for (bytes, lane) in state.chunks_exact_mut(8).zip(lanes) {
        bytes.copy_from_slice(&lane.to_le_bytes());
    }
}

/// KIMD: whole blocks of the second operand. CC: 0 done, 3 not yet.
pub(crate) fn compute_intermediate_digest(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    operand_register(i.r2)?;
    let code = unmodified(s)?;
    if code == 0 {
        let mut functions = [GHASH; 10];
        functions[1..].copy_from_slice(&CODES);
        return query(s, &functions);
    }
    let digest = if code == GHASH { Digest::Ghash } else { Digest::of(code).ok_or(Program::Specification)? };
    let len = Operand::of(s, i.r2)?.length;
    if len % digest.block() as u64 != 0 {
        return Err(Program::Specification.into());
    }
    if len == 0 {
        s.cc = 0;
        return Ok(());
    }
    let mut chain = Chain::<STATE>::fetch(s, 0, digest.state())?;
    let mut subkey = [0; 16];
    if digest == Digest::Ghash {
        let at = s.further(chain.at, 16);
        s.read_bytes(at, &mut subkey)?;
    }
    let done = absorb(s, i.r2, digest.block(), &mut chain, |value, bytes| digest.absorb(value, bytes, &subkey))?;
    s.cc = if done { 0 } else { 3 };
    Ok(())
}

/// With SHAKE: the message has been padded, and output goes on.
const PADDED: u64 = 0x80;

/// KLMD: all that is left of a message, and its padding; the length in bits of the whole message stands after the
/// chaining value. SHAKE's output goes to the first operand (R1, R1+1). CC: 0 done, 3 not yet.
pub(crate) fn compute_last_digest(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let shake = matches!(Digest::of(function(s)), Some(Digest::Shake(_)));
    let code = if shake { function(s) } else { unmodified(s)? };
    if code == 0 {
        operand_register(i.r2)?;
        return query(s, &CODES);
    }
    let digest = Digest::of(code).ok_or(Program::Specification)?;
    if shake {
        operand_register(i.r1)?;
    }
    operand_register(i.r2)?;
    let n = digest.block();
    let mut chain = Chain::<STATE>::fetch(s, 0, digest.state())?;
    if !(shake && s.gr[0] & PADDED != 0) {
        // The length of a SHA-1 or SHA-2 message.
        let mut bits = [0; 16];
        let field = match digest {
            Digest::Sha1 | Digest::Sha256 => 8,
            Digest::Sha512 => 16,
            _ => 0,
        };
        let at = s.further(chain.at, digest.state() as u64);
        s.read_bytes(at, &mut bits[..field])?;
        if !absorb(s, i.r2, n, &mut chain, |value, bytes| digest.absorb(value, bytes, &[0; 16]))? {
            s.cc = 3;
            return Ok(());
        }
        let mut rest = Operand::of(s, i.r2)?;
        let left = rest.length as usize;
        // One block, or two if the length does not fit into the first.
        let mut last = [0; 256];
        s.read_bytes(rest.at, &mut last[..left])?;
        let end = match digest {
            Digest::Sha3(_) | Digest::Shake(_) => {
                last[left] |= if shake { 0x1f } else { 0x06 };
                last[n - 1] |= 0x80;
                n
            }
            _ => {
                last[left] = 0x80;
                let end = if left + 1 + field > n { 2 * n } else { n };
                last[end - field..end].copy_from_slice(&bits[..field]);
                end
            }
        };
        digest.absorb(&mut chain.value, &last[..end], &[0; 16]);
        chain.save(s)?;
        rest.pass(s, left as u64);
        rest.save(s);
    }
    if !shake {
        s.cc = 0;
        return Ok(());
    }
    squeeze(s, i, n, &mut chain)
}

/// SHAKE's output: blocks of the state, which is permuted between them.
fn squeeze(s: &mut State, i: &Fields, n: usize, chain: &mut Chain<STATE>) -> Result<(), Interruption> {
    let mut to = s.address_in(i.r1);
    let mut left = length(s, i.r1 + 1);
    let mut unit = UNIT;
    // What is stored before an exception is not stored again.
    s.gr[0] |= PADDED;
    while left > 0 && unit > 0 {
        let take = left.min(n as u64);
        s.write_bytes(to, &chain.value[..take as usize])?;
        to = s.further(to, take);
        left -= take;
        if left > 0 {
            permute(&mut chain.value);
            chain.save(s)?;
        }
        set_address(s, i.r1, to.address);
        set_length(s, i.r1 + 1, left);
        unit = unit.saturating_sub(take);
    }
    s.cc = if left > 0 { 3 } else { 0 };
    if left == 0 {
        s.gr[0] &= !PADDED;
    }
    Ok(())
}
