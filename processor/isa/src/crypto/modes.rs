//! Modes of ciphers: KM, KMC, KMF, KMO, KMCTR, and the authentication codes KMAC and PCC.

use super::cipher::{CODES, Cipher, Keyed, Kind, unwrap, xor};
use super::{
    Chain, PIECE, absorb, function, keyed, modified, operand_register, parameters, piece, query_keyed, query_keyed_and,
    transform, unmodified,
};
use crate::general::{Operand, UNIT, set_address};
use crate::prelude::*;
use base::layout::U128;

const XTS_AES_128: u8 = 50;
const XTS_AES_256: u8 = 52;

fn specification<T>() -> Result<T, Interruption> {
    Err(Program::Specification.into())
}

/// The functions of KM and PCC with clear keys.
const WITH_XTS: [u8; 8] = [1, 2, 3, 18, 19, 20, XTS_AES_128, XTS_AES_256];

/// The cipher whose key lies at `offset` of the parameter block. `None`: it was wrapped under another key than the one
/// that is there now.
pub(super) fn key(
    s: &mut State,
    Keyed { kind, wrapped }: Keyed,
    offset: usize,
) -> Result<Option<Cipher>, Interruption> {
    let block = parameters(s);
    let at = s.further(block, offset as u64);
    let mut bytes = [0; 64];
    let bytes = &mut bytes[..Keyed { kind, wrapped }.length()];
    s.read_bytes(at, bytes)?;
    let (key, pattern) = bytes.split_at_mut(kind.key());
    if wrapped {
        let wrapping = s.shared().wrapping.keys();
        if *pattern != *kind.verification(&wrapping) {
            return Ok(None);
        }
        unwrap(kind, key, &wrapping);
    }
    Ok(Some(Cipher::new(kind, key)))
}

/// The verification pattern is another one: nothing has been done.
pub(super) fn mismatch(s: &mut State) -> Result<(), Interruption> {
    s.cc = 1;
    Ok(())
}

/// The length of the operand in R2 and R2+1, a multiple of `unit`.
fn length(s: &mut State, r2: u8, unit: usize) -> Result<u64, Interruption> {
    let length = Operand::of(s, r2)?.length;
    if length % unit as u64 != 0 { specification() } else { Ok(length) }
}

/// Nothing to do: the parameter block is not looked at.
fn nothing(s: &mut State) -> Result<(), Interruption> {
    s.cc = 0;
    Ok(())
}

/// KM. CC: 0 done, 1 another verification pattern, 3 not yet.
pub(crate) fn cipher_message(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    operand_register(i.r1)?;
    operand_register(i.r2)?;
    let (code, decrypt) = (function(s), modified(s));
    if code == 0 {
        return query_keyed(s, &WITH_XTS);
    }
    let (code, wrapped) = keyed(s, code);
    let (kind, xts) = match code {
        XTS_AES_128 => (Kind::Aes128, true),
        XTS_AES_256 => (Kind::Aes256, true),
        _ => (Kind::of(code).ok_or(Program::Specification)?, false),
    };
    let keyed = Keyed { kind, wrapped };
    if length(s, i.r2, kind.block())? == 0 {
        return nothing(s);
    }
    let Some(cipher) = key(s, keyed, 0)? else { return mismatch(s) };
    // XTS: the tweak stands after the key.
    let chain = Chain::<16>::fetch(s, keyed.length(), if xts { 16 } else { 0 })?;
    transform(s, i, kind.block(), chain, |tweak, bytes| {
        for block in bytes.chunks_exact_mut(kind.block()) {
            if xts {
                xor(block, tweak);
            }
            if decrypt {
                cipher.decrypt(block)
            } else {
                cipher.encrypt(block)
            }
            if xts {
                xor(block, tweak);
                *tweak = times_x(*tweak);
            }
        }
    })
}

/// The next tweak of XTS: times x in GF(2^128), the first byte lowest.
fn times_x(tweak: [u8; 16]) -> [u8; 16] {
    let v = u128::from_le_bytes(tweak);
    let carry = if v >> 127 != 0 { 0x87 } else { 0 };
    (v << 1 ^ carry).to_le_bytes()
}

/// What the functions of one cipher begin with: the registers of the operands, the query, and the cipher that the
/// function code names. `None`: it was the query.
fn chosen(s: &mut State, registers: &[u8]) -> Result<Option<Keyed>, Interruption> {
    registers.iter().try_for_each(|r| operand_register(*r))?;
    match function(s) {
        0 => query_keyed(s, &CODES).map(|()| None),
        code => {
            let (code, wrapped) = keyed(s, code);
            let kind = Kind::of(code).ok_or(Program::Specification)?;
            Ok(Some(Keyed { kind, wrapped }))
        }
    }
}

/// KMC: cipher block chaining.
pub(crate) fn cipher_message_with_chaining(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let Some(keyed) = chosen(s, &[i.r1, i.r2])? else { return Ok(()) };
    let decrypt = modified(s);
    if length(s, i.r2, keyed.kind.block())? == 0 {
        return nothing(s);
    }
    let n = keyed.kind.block();
    let chain = Chain::<16>::fetch(s, 0, n)?;
    let Some(cipher) = key(s, keyed, n)? else { return mismatch(s) };
    transform(s, i, n, chain, |value, bytes| {
        for block in bytes.chunks_exact_mut(n) {
            if decrypt {
                let mut text = [0; 16];
                text[..n].copy_from_slice(block);
                cipher.decrypt(block);
                xor(block, &value[..n]);
                *value = text;
            } else {
                xor(block, &value[..n]);
                cipher.encrypt(block);
                value[..n].copy_from_slice(block);
            }
        }
    })
}

/// KMF: cipher feedback. Bits 32-39 of register 0: how many bytes are fed back.
pub(crate) fn cipher_message_with_cipher_feedback(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let Some(keyed) = chosen(s, &[i.r1, i.r2])? else { return Ok(()) };
    let decrypt = modified(s);
    let (n, fed) = (keyed.kind.block(), (s.gr[0] >> 24) as u8 as usize);
    if fed == 0 || fed > n {
        return specification();
    }
    if length(s, i.r2, fed)? == 0 {
        return nothing(s);
    }
    let chain = Chain::<16>::fetch(s, 0, n)?;
    let Some(cipher) = key(s, keyed, n)? else { return mismatch(s) };
    transform(s, i, fed, chain, |value, bytes| {
        for unit in bytes.chunks_exact_mut(fed) {
            let mut mask = *value;
            cipher.encrypt(&mut mask[..n]);
            let mut text = [0; 16];
            text[..fed].copy_from_slice(unit);
            xor(unit, &mask);
            if !decrypt {
                text[..fed].copy_from_slice(unit);
            }
            value.copy_within(fed..n, 0);
            value[n - fed..n].copy_from_slice(&text[..fed]);
        }
    })
}

/// KMO: output feedback; enciphering and deciphering are the same.
pub(crate) fn cipher_message_with_output_feedback(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let Some(keyed) = chosen(s, &[i.r1, i.r2])? else { return Ok(()) };
    let n = keyed.kind.block();
    if length(s, i.r2, n)? == 0 {
        return nothing(s);
    }
    let chain = Chain::<16>::fetch(s, 0, n)?;
    let Some(cipher) = key(s, keyed, n)? else { return mismatch(s) };
    transform(s, i, n, chain, |value, bytes| {
        for block in bytes.chunks_exact_mut(n) {
            cipher.encrypt(&mut value[..n]);
            xor(block, &value[..n]);
        }
    })
}

/// KMCTR: the third operand is as many counter blocks as the second has blocks.
pub(crate) fn cipher_message_with_counter(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    let Some(keyed) = chosen(s, &[i.r1, i.r2, i.r3])? else { return Ok(()) };
    let n = keyed.kind.block();
    if length(s, i.r2, n)? == 0 {
        return nothing(s);
    }
    let Some(cipher) = key(s, keyed, 0)? else { return mismatch(s) };
    let (mut to, mut counters) = (s.address_in(i.r1), s.address_in(i.r3));
    let mut from = Operand::of(s, i.r2)?;
    let mut unit = UNIT;
    while from.length > 0 && unit > 0 {
        let len = piece(n, from.length, &[to, from.at, counters]);
        let (mut bytes, mut mask) = ([0; PIECE], [0; PIECE]);
        let (bytes, mask) = (&mut bytes[..len], &mut mask[..len]);
        s.read_bytes(from.at, bytes)?;
        s.read_bytes(counters, mask)?;
        mask.chunks_exact_mut(n).for_each(|counter| cipher.encrypt(counter));
        xor(bytes, mask);
        s.write_bytes(to, bytes)?;
        to = s.further(to, len as u64);
        counters = s.further(counters, len as u64);
        from.pass(s, len as u64);
        set_address(s, i.r1, to.address);
        set_address(s, i.r3, counters.address);
        from.save(s);
        unit = unit.saturating_sub(len as u64);
    }
    s.cc = if from.length > 0 { 3 } else { 0 };
    Ok(())
}

/// KMAC: the chaining value of CBC alone.
pub(crate) fn compute_authentication_code(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    unmodified(s)?;
    let Some(keyed) = chosen(s, &[i.r2])? else { return Ok(()) };
    let n = keyed.kind.block();
    if length(s, i.r2, n)? == 0 {
        return nothing(s);
    }
    let mut chain = Chain::<16>::fetch(s, 0, n)?;
    let Some(cipher) = key(s, keyed, n)? else { return mismatch(s) };
    let done = absorb(s, i.r2, n, &mut chain, |value, bytes| {
        for block in bytes.chunks_exact(n) {
            xor(&mut value[..n], block);
            cipher.encrypt(&mut value[..n]);
        }
    })?;
    s.cc = if done { 0 } else { 3 };
    Ok(())
}

/// PCC but for curves: the last block of CMAC, or the first tweak of XTS. The query tells of functions of curves, too.
pub(super) fn compute(s: &mut State, code: u8, of_curves: &[u8]) -> Result<(), Interruption> {
    let (code, wrapped) = keyed(s, code);
    match code {
        0 if !wrapped => query_keyed_and(s, &WITH_XTS, of_curves),
        XTS_AES_128 => xts_parameter(s, Keyed { kind: Kind::Aes128, wrapped }),
        XTS_AES_256 => xts_parameter(s, Keyed { kind: Kind::Aes256, wrapped }),
        code => {
            let kind = Kind::of(code).ok_or(Program::Specification)?;
            last_block_cmac(s, Keyed { kind, wrapped })
        }
    }
}

/// Parameters: length of the message in bits (one byte), seven reserved, the message, the chaining value, the key.
fn last_block_cmac(s: &mut State, keyed: Keyed) -> Result<(), Interruption> {
    let n = keyed.kind.block();
    let at = parameters(s);
    let mut head = [0; 24];
    s.read_bytes(at, &mut head[..8 + n])?;
    let bits = head[0] as usize;
    if bits > 8 * n {
        s.cc = 2;
        return Ok(());
    }
    let mut chain = Chain::<16>::fetch(s, 8 + n, n)?;
    let Some(cipher) = key(s, keyed, 8 + 2 * n)? else { return mismatch(s) };
    // Subkeys: twice, or four times, the cipher of zeros.
    let mut subkey = [0; 16];
    cipher.encrypt(&mut subkey[..n]);
    let doublings = if bits == 8 * n { 1 } else { 2 };
    for _ in 0..doublings {
        double(&mut subkey[..n]);
    }
    let message = &mut head[8..8 + n];
    if bits < 8 * n {
        message[bits / 8] &= !(0xff >> (bits % 8));
        message[bits / 8] |= 0x80 >> (bits % 8);
        message[bits / 8 + 1..].fill(0);
    }
    xor(message, &subkey);
    xor(&mut chain.value[..n], message);
    cipher.encrypt(&mut chain.value[..n]);
    chain.save(s)?;
    s.cc = 0;
    Ok(())
}

/// Times x in GF(2^64) or GF(2^128), the first byte highest.
fn double(block: &mut [u8]) {
    let carry = block[0] >> 7;
    for k in 0..block.len() {
        block[k] = block[k] << 1 | block.get(k + 1).map_or(0, |next| next >> 7);
    }
    let last = block.len() - 1;
    block[last] ^= carry * if last == 7 { 0x1b } else { 0x87 };
}

/// Parameters: the key, the tweak value, the number of the first block, a place for what is intermediate, the result.
fn xts_parameter(s: &mut State, keyed: Keyed) -> Result<(), Interruption> {
    let at = parameters(s);
    let Some(cipher) = key(s, keyed, 0)? else { return mismatch(s) };
    let fields = s.further(at, keyed.length() as u64);
    let [mut power, number] = s.read_layout::<[[u8; 16]; 2]>(fields)?;
    let number = U128::from_bytes(number).get();
    let mut result = Chain::<16>::fetch(s, keyed.length() + 48, 16)?;
    cipher.encrypt(&mut power);
    // Times x to the power of the block's number: bit by bit from the left, x^(2n) is (x^n) squared.
    let mut x = 1u128.to_le_bytes();
    for bit in (0..128).rev() {
        x = multiply(x, x);
        if number >> bit & 1 == 1 {
            x = times_x(x);
        }
    }
    result.value = multiply(power, x);
    result.save(s)?;
    s.cc = 0;
    Ok(())
}

/// A product in XTS's GF(2^128).
fn multiply(a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
    let (mut a, b) = (a, u128::from_le_bytes(b));
    let mut product = 0;
    for bit in 0..128 {
        if b >> bit & 1 == 1 {
            product ^= u128::from_le_bytes(a);
        }
        a = times_x(a);
    }
    product.to_le_bytes()
}
