//! The message-security assist (POP, chapter 7, "CIPHER MESSAGE" and its kin): ciphers, digests, authentication codes,
//! signatures and random numbers.
//!
//! General register 0 has the function code, register 1 the address of the parameter block. What there is of a function
//! says its query, function 0. Keys are clear keys, or wrapped ones with the pattern that tells under which key. A long
//! operand is processed a piece at a time, and after so many bytes the instruction ends with condition code 3, to be
//! executed again from where it is.

mod cipher;
mod digest;
mod edwards;
mod galois;
mod hash;
mod modes;
mod random;
mod signature;
mod weierstrass;

pub(crate) use digest::{compute_intermediate_digest, compute_last_digest};
pub(crate) use galois::cipher_with_authentication;
pub(crate) use modes::*;
pub(crate) use random::perform_random_number_operation;
pub(crate) use signature::compute_digital_signature_authentication;

use crate::general::{Operand, UNIT, set_address};
use crate::prelude::*;
use arch::PAGE;
use cipher::{CODES, Kind, WRAPPED, wrap};
use signature::SIGNATURES;

/// The function code, without the modifier bit.
fn function(s: &State) -> u8 {
    s.gr[0] as u8 & 0x7f
}

/// The modifier bit: decipher, or whatever else a function makes of it.
fn modified(s: &State) -> bool {
    s.gr[0] & 0x80 != 0
}

/// The function code of an instruction that has no modifier: bit 56 of register 0 must be zero.
fn unmodified(s: &State) -> Result<u8, Interruption> {
    if modified(s) { Err(Program::Specification.into()) } else { Ok(function(s)) }
}

/// The parameter block.
fn parameters(s: &mut State) -> At {
    s.address_in(1)
}

/// Query: a bit for each function there is.
fn query(s: &mut State, functions: &[u8]) -> Result<(), Interruption> {
    store_functions(s, functions)?;
    s.cc = 0;
    Ok(())
}

fn store_functions(s: &mut State, functions: &[u8]) -> Result<(), Interruption> {
    let mut status = [0; 16];
    for &code in [0].iter().chain(functions) {
        status[code as usize / 8] |= 0x80 >> (code % 8);
    }
    let at = parameters(s);
    s.write_bytes(at, &status)
}

/// The facility with PCKMO, and with it functions that take wrapped keys.
const WRAPPED_KEYS: u32 = 76;

/// Query of an instruction that has these functions with clear keys, and with wrapped ones.
fn query_keyed(s: &mut State, functions: &[u8]) -> Result<(), Interruption> {
    query_keyed_and(s, functions, &[])
}

/// The same, of one that has more functions, too.
fn query_keyed_and(s: &mut State, functions: &[u8], more: &[u8]) -> Result<(), Interruption> {
    let wrapped = functions.iter().map(|code| code | WRAPPED).filter(|_| s.has(WRAPPED_KEYS));
    let all: Vec<u8> = functions.iter().copied().chain(wrapped).chain(more.iter().copied()).collect();
    query(s, &all)
}

/// The code of a function with a clear key, and whether this one's is wrapped.
fn keyed(s: &State, code: u8) -> (u8, bool) {
    let wrapped = code & WRAPPED != 0 && s.has(WRAPPED_KEYS);
    (if wrapped { code & !WRAPPED } else { code }, wrapped)
}

/// PCKMO: the key in the parameter block is wrapped, and the verification pattern stored after it. Functions 32 on, for
/// keys of elliptic curves, come with facility 155.
pub(crate) fn perform_key_management_operation(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    s.supervisor_only()?;
    let code = unmodified(s)?;
    let curves = s.has(SIGNATURES);
    if code == 0 {
        let all = if curves { [&CODES[..], &signature::WRAPPING].concat() } else { CODES.to_vec() };
        return store_functions(s, &all);
    }
    // Keys of curves are wrapped as those of AES are.
    let of_curve = signature::Kind::wrapped_by(code).filter(|_| curves).map(|kind| (Kind::Aes256, kind.field()));
    let (kind, length) = Kind::of(code).map(|kind| (kind, kind.key())).or(of_curve).ok_or(Program::Specification)?;
    let (at, wrapping) = (parameters(s), s.shared().wrapping.keys());
    let block = length + kind.pattern();
    s.test_write(at, block as u64)?;
    let mut bytes = [0; 112];
    let (key, pattern) = bytes[..block].split_at_mut(length);
    s.read_bytes(at, key)?;
    wrap(kind, key, &wrapping);
    pattern.copy_from_slice(kind.verification(&wrapping));
    s.write_bytes(at, &bytes[..block])
}

/// PCC. CC 0: done; 1: another verification pattern, or a point of no curve; 2: the message's length is wrong.
pub(crate) fn perform_cryptographic_computation(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    let code = unmodified(s)?;
    let curves = s.has(SIGNATURES);
    match signature::Kind::multiplied_by(code).filter(|_| curves) {
        Some(kind) => signature::multiply(s, kind),
        None => modes::compute(s, code, if curves { &signature::PRODUCTS } else { &[] }),
    }
}

/// A register that designates an operand: even, and not register 0.
fn operand_register(r: u8) -> Result<(), Interruption> {
    if r == 0 || r & 1 != 0 { Err(Program::Specification.into()) } else { Ok(()) }
}

/// Bytes processed at a time.
const PIECE: usize = 1024;

/// A part of the parameter block that changes as the operand is processed: a chaining value, a state.
struct Chain<const N: usize> {
    at: At,
    len: usize,
    value: [u8; N],
}

impl<const N: usize> Chain<N> {
    /// `len` bytes at `offset` of the parameter block, which can be stored into.
    fn fetch(s: &mut State, offset: usize, len: usize) -> Result<Chain<N>, Interruption> {
        let block = parameters(s);
        let at = s.further(block, offset as u64);
        let mut value = [0; N];
        if len > 0 {
            s.test_write(at, len as u64)?;
            s.read_bytes(at, &mut value[..len])?;
        }
        Ok(Chain { at, len, value })
    }

    fn save(&self, s: &mut State) -> Result<(), Interruption> {
        if self.len > 0 { s.write_bytes(self.at, &self.value[..self.len]) } else { Ok(()) }
    }
}

/// How many bytes to process next: whole units of `granule` bytes that do not cross a page, or a single unit that does.
fn piece(granule: usize, left: u64, places: &[At]) -> usize {
    let within = places.iter().map(|at| PAGE - at.address % PAGE).fold(left.min(PIECE as u64), u64::min) as usize;
    (within / granule * granule).max(granule)
}

/// Passes the second operand (R2, R2+1) through `f`, unit by unit, to the first (R1). `f` changes the chaining value
/// and the bytes; what a piece does is there at once, or not at all.
fn transform<const N: usize>(
    s: &mut State,
    i: &Fields,
    granule: usize,
    mut chain: Chain<N>,
    mut f: impl FnMut(&mut [u8; N], &mut [u8]),
) -> Result<(), Interruption> {
    let mut to = s.address_in(i.r1);
    let mut from = Operand::of(s, i.r2)?;
    let mut unit = UNIT;
    while from.length > 0 && unit > 0 {
        let n = piece(granule, from.length, &[to, from.at]);
        let mut bytes = [0; PIECE];
        let bytes = &mut bytes[..n];
        s.read_bytes(from.at, bytes)?;
        let mut value = chain.value;
        f(&mut value, bytes);
        s.write_bytes(to, bytes)?;
        chain.value = value;
        chain.save(s)?;
        to = s.further(to, n as u64);
        from.pass(s, n as u64);
        set_address(s, i.r1, to.address);
        from.save(s);
        unit = unit.saturating_sub(n as u64);
    }
    s.cc = if from.length > 0 { 3 } else { 0 };
    Ok(())
}

/// Feeds units of the second operand (R2, R2+1) to `f`, as many as there are whole ones. False: there is more to do.
fn absorb<const N: usize>(
    s: &mut State,
    r2: u8,
    granule: usize,
    chain: &mut Chain<N>,
    mut f: impl FnMut(&mut [u8; N], &[u8]),
) -> Result<bool, Interruption> {
    let mut from = Operand::of(s, r2)?;
    let mut unit = UNIT;
    while from.length >= granule as u64 && unit > 0 {
        let whole = from.length - from.length % granule as u64;
        let n = piece(granule, whole, &[from.at]);
        let mut bytes = [0; PIECE];
        s.read_bytes(from.at, &mut bytes[..n])?;
        f(&mut chain.value, &bytes[..n]);
        chain.save(s)?;
        from.pass(s, n as u64);
        from.save(s);
        unit = unit.saturating_sub(n as u64);
    }
    Ok(from.length < granule as u64)
}
