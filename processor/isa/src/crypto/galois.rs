//! KMA: AES in Galois/counter mode; and GHASH for KIMD.

use super::cipher::{Cipher, Kind, xor};
use super::{PIECE, function, modified, operand_register, parameters, piece, query};
use crate::general::{Operand, UNIT, set_address};
use crate::prelude::*;
use ghash::universal_hash::UniversalHash;

/// Hashes whole blocks into `state` with the hash subkey.
pub fn ghash(subkey: &[u8; 16], state: &mut [u8; 16], blocks: &[u8]) {
    let mut hash = ghash::GHash::new(&(*subkey).into());
    for (n, block) in blocks.chunks_exact(16).enumerate() {
        let mut block: [u8; 16] = block.try_into().expect("sixteen bytes");
        if n == 0 {
            // A state of zero that absorbs this is the state that absorbs the block.
            xor(&mut block, state);
        }
        hash.update(&[block.into()]);
    }
    if !blocks.is_empty() {
        *state = hash.finalize().into();
    }
}

/// Bits of general register 0: the hash subkey is in the parameter block, the last of the data, of the additional
/// authenticated data.
const SUBKEY_THERE: u64 = 0x400;
const LAST_ADDITIONAL: u64 = 0x200;
const LAST: u64 = 0x100;

/// The parameter block before the key.
const BLOCK: usize = 80;

struct Block([u8; BLOCK]);

impl Block {
    fn field(&mut self, at: usize) -> &mut [u8; 16] {
        (&mut self.0[at..at + 16]).try_into().expect("sixteen bytes")
    }

    /// Twelve reserved bytes, the counter; and behind it the tag.
    const COUNTER: usize = 12;
    const TAG: usize = 16;
    const SUBKEY: usize = 32;
    /// Lengths of both kinds of data in bits.
    const LENGTHS: usize = 48;
    const FIRST_COUNTER: usize = 64;

    fn hash(&mut self, bytes: &[u8]) {
        let subkey = *self.field(Block::SUBKEY);
        // The last block is filled up with zeros.
        let whole = bytes.len() / 16 * 16;
        ghash(&subkey, self.field(Block::TAG), &bytes[..whole]);
        if whole < bytes.len() {
            let mut last = [0; 16];
            last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
            ghash(&subkey, self.field(Block::TAG), &last);
        }
    }

    fn save(&self, s: &mut State, at: At) -> Result<(), Interruption> {
        s.write_bytes(at, &self.0)
    }
}

/// KMA. R1 the result, R2 and R2+1 the data, R3 and R3+1 the additional authenticated data. CC: 0 done, 3 not yet.
pub fn cipher_with_authentication(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    operand_register(i.r1)?;
    operand_register(i.r2)?;
    operand_register(i.r3)?;
    let kind = match function(s) {
        0 => return query(s, &[18, 19, 20]),
        code @ 18..=20 => Kind::of(code).expect("one of AES"),
        _ => return Err(Program::Specification.into()),
    };
    let flags = s.gr[0];
    let mut data = Operand::of(s, i.r2)?;
    let mut additional = Operand::of(s, i.r3)?;
    let odd = |length: u64, last: u64| length % 16 != 0 && flags & last == 0;
    if odd(data.length, LAST) || odd(additional.length, LAST_ADDITIONAL) || flags & (LAST | LAST_ADDITIONAL) == LAST {
        return Err(Program::Specification.into());
    }
    let at = parameters(s);
    s.test_write(at, BLOCK as u64)?;
    let mut block = Block([0; BLOCK]);
    s.read_bytes(at, &mut block.0)?;
    let mut key = [0; 32];
    let behind = s.further(at, BLOCK as u64);
    s.read_bytes(behind, &mut key[..kind.key()])?;
    let cipher = Cipher::new(kind, &key[..kind.key()]);
    if flags & SUBKEY_THERE == 0 {
        *block.field(Block::SUBKEY) = [0; 16];
        cipher.encrypt(block.field(Block::SUBKEY));
        block.save(s, at)?;
        s.gr[0] |= SUBKEY_THERE;
    }
    let mut unit = UNIT;
    while additional.length > 0 && unit > 0 {
        let n = piece(16, additional.length, &[additional.at]).min(additional.length as usize);
        let mut bytes = [0; PIECE];
        s.read_bytes(additional.at, &mut bytes[..n])?;
        block.hash(&bytes[..n]);
        block.save(s, at)?;
        additional.pass(s, n as u64);
        additional.save(s);
        unit = unit.saturating_sub(n as u64);
    }
    let decrypt = modified(s);
    let mut to = s.address_in(i.r1);
    while data.length > 0 && unit > 0 {
        let n = piece(16, data.length, &[to, data.at]).min(data.length as usize);
        let mut bytes = [0; PIECE];
        let bytes = &mut bytes[..n];
        s.read_bytes(data.at, bytes)?;
        if decrypt {
            block.hash(bytes);
        }
        for text in bytes.chunks_mut(16) {
            let counter: [u8; 4] = block.0[Block::COUNTER..][..4].try_into().expect("four bytes");
            let counter = u32::from_be_bytes(counter).wrapping_add(1).to_be_bytes();
            block.0[Block::COUNTER..][..4].copy_from_slice(&counter);
            let mut mask = *block.field(Block::FIRST_COUNTER);
            mask[12..].copy_from_slice(&counter);
            cipher.encrypt(&mut mask);
            xor(text, &mask);
        }
        if !decrypt {
            block.hash(bytes);
        }
        s.write_bytes(to, bytes)?;
        block.save(s, at)?;
        to = s.further(to, n as u64);
        data.pass(s, n as u64);
        set_address(s, i.r1, to.address);
        data.save(s);
        unit = unit.saturating_sub(n as u64);
    }
    if data.length > 0 || additional.length > 0 {
        s.cc = 3;
        return Ok(());
    }
    if flags & LAST != 0 {
        let lengths = *block.field(Block::LENGTHS);
        block.hash(&lengths);
        let mut mask = *block.field(Block::FIRST_COUNTER);
        cipher.encrypt(&mut mask);
        xor(block.field(Block::TAG), &mask);
        block.save(s, at)?;
    }
    s.cc = 0;
    Ok(())
}
