//! KMA: AES in Galois/counter mode; and GHASH for KIMD.

use super::cipher::{Keyed, Kind, xor};
use super::modes::{key, mismatch};
use super::{PIECE, function, keyed, modified, operand_register, parameters, piece, query_keyed};
use crate::general::{Operand, UNIT, set_address};
use crate::prelude::*;
use arch::crypto::GaloisBlock;
use ghash::universal_hash::UniversalHash;
use zerocopy::IntoBytes;

/// Hashes whole blocks into `state` with the hash subkey.
pub(super) fn ghash(subkey: &[u8; 16], state: &mut [u8; 16], blocks: &[u8]) {
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

/// Hashes bytes into the tag; the last block is filled up with zeros.
fn hash(block: &mut GaloisBlock, bytes: &[u8]) {
    let whole = bytes.len() / 16 * 16;
    ghash(&block.subkey, &mut block.tag, &bytes[..whole]);
    if whole < bytes.len() {
        let mut last = [0; 16];
        last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
        ghash(&block.subkey, &mut block.tag, &last);
    }
}

/// KMA. R1 the result, R2 and R2+1 the data, R3 and R3+1 the additional authenticated data.
/// CC: 0 done, 1 another verification pattern, 3 not yet.
pub(crate) fn cipher_with_authentication(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    operand_register(i.r1)?;
    operand_register(i.r2)?;
    operand_register(i.r3)?;
    let (code, wrapped) = keyed(s, function(s));
    let kind = match code {
        0 if !wrapped => return query_keyed(s, &[18, 19, 20]),
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
    s.test_write(at, size_of::<GaloisBlock>() as u64)?;
    let mut block: GaloisBlock = s.read_layout(at)?;
    let found = key(s, Keyed { kind, wrapped }, size_of::<GaloisBlock>())?;
    let Some(cipher) = found else { return mismatch(s) };
    if flags & SUBKEY_THERE == 0 {
        block.subkey = [0; 16];
        cipher.encrypt(&mut block.subkey);
        s.write_bytes(at, block.as_bytes())?;
        s.gr[0] |= SUBKEY_THERE;
    }
    let mut unit = UNIT;
    while additional.length > 0 && unit > 0 {
        let n = piece(16, additional.length, &[additional.at]).min(additional.length as usize);
        let mut bytes = [0; PIECE];
        s.read_bytes(additional.at, &mut bytes[..n])?;
        hash(&mut block, &bytes[..n]);
        s.write_bytes(at, block.as_bytes())?;
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
            hash(&mut block, bytes);
        }
        for text in bytes.chunks_mut(16) {
            block.counter.set(block.counter.get().wrapping_add(1));
            let mut mask = block.first_counter;
            mask[12..].copy_from_slice(block.counter.as_bytes());
            cipher.encrypt(&mut mask);
            xor(text, &mask);
        }
        if !decrypt {
            hash(&mut block, bytes);
        }
        s.write_bytes(to, bytes)?;
        s.write_bytes(at, block.as_bytes())?;
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
        let lengths = block.lengths;
        hash(&mut block, lengths.as_bytes());
        let mut mask = block.first_counter;
        cipher.encrypt(&mut mask);
        xor(&mut block.tag, &mask);
        s.write_bytes(at, block.as_bytes())?;
    }
    s.cc = 0;
    Ok(())
}
