//! KDSA: digital signatures by ECDSA and EdDSA, and PCC's products on their curves (message-security assist
//! extension 9).
//!
//! Parameter blocks are tables of fields of equal length, [`Kind::field`], with big-endian numbers on the right of
//! them. OpenSSL, libica and Go use them so. Private keys of EdDSA are no numbers: their bytes stand as RFC 8032 has
//! them. The last doubleword of a block is zero at first, and tells an instruction that goes on that it does.

use super::cipher::{self, unwrap, wrap};
use super::edwards::{self, ENCODING, Edwards, Secret};
use super::hash::{Hash, Progress};
use super::weierstrass::{self, Refused, Signing};
use super::{PIECE, function, modified, operand_register, parameters, query};
use crate::general::{Operand, UNIT};
use crate::prelude::*;
use base::layout::U64;
use p256::NistP256;
use p384::NistP384;
use p521::NistP521;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A kind of curve, and of keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    P256,
    P384,
    P521,
    Ed25519,
    Ed448,
    X25519,
    X448,
}
use Kind::*;

impl Kind {
    /// Bytes of a field of a parameter block.
    pub(super) fn field(self) -> usize {
        match self {
            P256 | Ed25519 | X25519 => 32,
            P384 => 48,
            P521 => 80,
            Ed448 | X448 => 64,
        }
    }

    /// The kind of key that PCKMO wraps by a function.
    pub(super) fn wrapped_by(code: u8) -> Option<Kind> {
        Some(match code {
            32 => P256,
            33 => P384,
            34 => P521,
            40 => Ed25519,
            41 => Ed448,
            _ => return None,
        })
    }

    /// The kind of curve of one of PCC's functions.
    pub(super) fn multiplied_by(code: u8) -> Option<Kind> {
        Some(match code {
            64 => P256,
            65 => P384,
            66 => P521,
            72 => Ed25519,
            73 => Ed448,
            80 => X25519,
            81 => X448,
            _ => return None,
        })
    }
}

/// The facility that brings all this.
pub(super) const SIGNATURES: u32 = 155;
/// PCKMO's functions for keys of curves.
pub(super) const WRAPPING: [u8; 5] = [32, 33, 34, 40, 41];
/// PCC's functions for curves.
pub(super) const PRODUCTS: [u8; 7] = [64, 65, 66, 72, 73, 80, 81];
/// KDSA's.
const CODES: [u8; 15] = [1, 2, 3, 9, 10, 11, 17, 18, 19, 32, 36, 40, 44, 48, 52];

/// What KDSA does with a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Verify,
    Sign { wrapped: bool },
}

/// What one of KDSA's functions does.
fn chosen(code: u8) -> Option<(Kind, Action)> {
    let kind = match (code & 0x20 != 0, code & 7) {
        (false, 1) => P256,
        (false, 2) => P384,
        (false, 3) => P521,
        (true, 0) => Ed25519,
        (true, 4) => Ed448,
        _ => return None,
    };
    let action = match code >> 3 & 3 {
        0 => Action::Verify,
        1 => Action::Sign { wrapped: false },
        2 => Action::Sign { wrapped: true },
        _ => return None,
    };
    (code < 0x40).then_some((kind, action))
}

/// Bytes of the longest parameter block: the wrapped key of P-521.
const LONGEST: usize = 5 * 80 + 32 + 8;

/// A parameter block.
struct Block {
    at: At,
    /// Bytes of a field.
    field: usize,
    bytes: [u8; LONGEST],
    length: usize,
}

impl Block {
    /// The parameter block, which will be stored into.
    fn fetch(s: &mut State, kind: Kind, length: usize) -> Result<Block, Interruption> {
        let mut block = Block { at: parameters(s), field: kind.field(), bytes: [0; LONGEST], length };
        s.test_write(block.at, length as u64)?;
        s.read_bytes(block.at, &mut block.bytes[..length])?;
        Ok(block)
    }

    fn field(&self, n: usize) -> &[u8] {
        &self.bytes[n * self.field..][..self.field]
    }

    /// A big-endian number on the right of a field, as the bytes of a little-endian one.
    fn reversed(&self, n: usize) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes.iter_mut().zip(self.field(n).iter().rev()).for_each(|(to, from)| *to = *from);
        bytes
    }

    /// The reverse.
    fn put_reversed(&mut self, n: usize, bytes: &[u8]) {
        let field = &mut self.bytes[n * self.field..][..self.field];
        field.fill(0);
        field.iter_mut().rev().zip(bytes).for_each(|(to, from)| *to = *from);
    }

    /// Makes a clear key of the one in field `key`, whose verification pattern lies at `pattern`. False: it has been
    /// wrapped under another key.
    fn unwrap(&mut self, s: &State, key: usize, pattern: usize) -> bool {
        let wrapping = s.shared().wrapping.keys();
        let good = self.bytes[pattern..][..32] == wrapping.aes_pattern;
        unwrap(cipher::Kind::Aes256, &mut self.bytes[key * self.field..][..self.field], &wrapping);
        good
    }

    /// Stores the first fields.
    fn save(&self, s: &mut State, fields: usize) -> Result<(), Interruption> {
        s.write_bytes(self.at, &self.bytes[..fields * self.field])
    }
}

/// The condition code of what cannot be done.
fn refuse(s: &mut State, refused: Refused) {
    s.cc = match refused {
        Refused::Key => 1,
        Refused::Signature => 2,
    };
}

/// KDSA. CC: 0 signed, or the signature is good; 1 the key is none of the curve, or is wrapped under another key; 2 the
/// nonce is unfit, or the signature is not good; 3 not yet.
pub(crate) fn compute_digital_signature_authentication(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    operand_register(i.r2)?;
    let code = function(s);
    if code == 0 {
        return query(s, &CODES);
    }
    let (kind, action) = chosen(code).ok_or(Program::Specification)?;
    let of_edwards = matches!(kind, Ed25519 | Ed448);
    // The modifier: the nonce is in the parameter block.
    if modified(s) && (of_edwards || action == Action::Verify) {
        return Err(Program::Specification.into());
    }
    match (kind, action) {
        (Ed25519, Action::Verify) => verify::<Ed25519Curve>(s, i, kind),
        (Ed448, Action::Verify) => verify::<Ed448Curve>(s, i, kind),
        (Ed25519, Action::Sign { wrapped }) => sign::<Ed25519Curve>(s, i, kind, wrapped),
        (Ed448, Action::Sign { wrapped }) => sign::<Ed448Curve>(s, i, kind, wrapped),
        (_, Action::Verify) => verify_digest(s, kind),
        (_, Action::Sign { wrapped }) => sign_digest(s, kind, wrapped),
    }
}

type Ed25519Curve = edwards::Ed25519;
type Ed448Curve = edwards::Ed448;

/// ECDSA: R, S, the digest, X and Y of the public key.
fn verify_digest(s: &mut State, kind: Kind) -> Result<(), Interruption> {
    let block = Block::fetch(s, kind, 5 * kind.field() + 8)?;
    let fields = [0, 1, 2, 3, 4].map(|n| block.field(n));
    let verify = match kind {
        P384 => weierstrass::verify::<NistP384>,
        P521 => weierstrass::verify::<NistP521>,
        _ => weierstrass::verify::<NistP256>,
    };
    s.cc = 0;
    verify(fields).unwrap_or_else(|refused| refuse(s, refused));
    Ok(())
}

/// ECDSA: R, S, the digest, the private key, a random number, the verification pattern of a wrapped key. Where the
/// processor makes the nonce, the configuration's wrapping key is its secret; the manual leaves open how it is made.
fn sign_digest(s: &mut State, kind: Kind, wrapped: bool) -> Result<(), Interruption> {
    let n = kind.field();
    let mut block = Block::fetch(s, kind, 5 * n + 8 + if wrapped { 32 } else { 0 })?;
    if wrapped && !block.unwrap(s, 3, 5 * n) {
        refuse(s, Refused::Key);
        return Ok(());
    }
    let wrapping = s.shared().wrapping.keys();
    let secret = (!modified(s)).then_some(&wrapping.aes[..]);
    let signing = Signing { hash: &block.bytes[2 * n..3 * n], key: block.field(3), random: block.field(4), secret };
    let (mut r, mut answer) = ([0; 80], [0; 80]);
    let (r, answer) = (&mut r[..n], &mut answer[..n]);
    let signed = match kind {
        P384 => signing.sign::<NistP384>(r, answer),
        P521 => signing.sign::<NistP521>(r, answer),
        _ => signing.sign::<NistP256>(r, answer),
    };
    match signed {
        Ok(()) => {
            block.bytes[..n].copy_from_slice(r);
            block.bytes[n..2 * n].copy_from_slice(answer);
            block.save(s, 2)?;
            s.cc = 0;
        }
        Err(refused) => refuse(s, refused),
    }
    Ok(())
}

/// Where EdDSA is in a message, left after the parameter block when the instruction ends early.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Continuation {
    hash: Progress,
    /// The nonce, and R, when the message is gone through for the second time.
    nonce: [u8; ENCODING],
    r: [u8; ENCODING],
    reserved: [u8; 6],
    /// How much of the message the nonce has had, as long as there is none.
    passed: U64,
}

/// What the last doubleword of a parameter block says of an instruction that goes on.
const FIRST_PASS: u64 = 1;
const SECOND_PASS: u64 = 2;

/// An EdDSA instruction between two executions.
struct Going<'a> {
    block: &'a Block,
    /// The continuation is wrapped, because the key is.
    wrapped: bool,
}

impl Going<'_> {
    fn place(&self, s: &State) -> At {
        s.further(self.block.at, self.block.length as u64)
    }

    /// Where it was, and in which pass. None: it begins. A program that changes what is stored here gets signatures
    /// that are not good.
    fn resume(&self, s: &mut State) -> Result<(u64, Continuation), Interruption> {
        let mark: [u8; 8] = self.block.bytes[self.block.length - 8..][..8].try_into().expect("eight bytes");
        let pass = U64::from_bytes(mark).get();
        if pass == 0 {
            return Ok((0, Continuation::new_zeroed()));
        }
        let mut continuation: Continuation = s.read_layout(self.place(s))?;
        if self.wrapped {
            unwrap(cipher::Kind::Aes256, continuation.as_mut_bytes(), &s.shared().wrapping.keys());
        }
        Ok((pass, continuation))
    }

    /// There is more to do.
    fn suspend(&self, s: &mut State, pass: u64, mut continuation: Continuation) -> Result<(), Interruption> {
        if self.wrapped {
            wrap(cipher::Kind::Aes256, continuation.as_mut_bytes(), &s.shared().wrapping.keys());
        }
        s.write_bytes(self.place(s), continuation.as_bytes())?;
        self.mark(s, pass)?;
        s.cc = 3;
        Ok(())
    }

    fn mark(&self, s: &mut State, pass: u64) -> Result<(), Interruption> {
        let at = s.further(self.block.at, self.block.length as u64 - 8);
        s.write_bytes(at, U64::new(pass).as_bytes())
    }
}

/// Digests bytes of the operand and passes over them, up to `unit`.
fn digest(s: &mut State, from: &mut Operand, hash: &mut Hash, unit: &mut u64) -> Result<(), Interruption> {
    while from.length > 0 && *unit > 0 {
        let n = from.length.min(*unit).min(PIECE as u64);
        let mut bytes = [0; PIECE];
        let bytes = &mut bytes[..n as usize];
        s.read_bytes(from.at, bytes)?;
        hash.add(bytes);
        from.pass(s, n);
        *unit -= n;
    }
    Ok(())
}

/// EdDSA: R, S, the public key; the message is the second operand.
fn verify<C: Edwards>(s: &mut State, i: &Fields, kind: Kind) -> Result<(), Interruption> {
    let block = Block::fetch(s, kind, 3 * kind.field() + 8)?;
    let [r, answer, key] = [0, 1, 2].map(|n| block.reversed(n));
    let Some(public) = decode::<C>(&key) else {
        refuse(s, Refused::Key);
        return Ok(());
    };
    let going = Going { block: &block, wrapped: false };
    let mut from = Operand::of(s, i.r2)?;
    let (pass, mut continuation) = going.resume(s)?;
    let mut hash = C::hash();
    match pass {
        0 => {
            hash.add(&r[..C::BYTES]);
            hash.add(&key[..C::BYTES]);
        }
        _ => hash = hash.at(continuation.hash),
    }
    digest(s, &mut from, &mut hash, &mut { UNIT })?;
    if from.length > 0 {
        continuation.hash = hash.progress();
        going.suspend(s, SECOND_PASS, continuation)?;
        from.save(s);
        return Ok(());
    }
    let mut whole = [0; 2 * ENCODING];
    let whole = &mut whole[..2 * C::BYTES];
    hash.finish(whole);
    going.mark(s, 0)?;
    from.save(s);
    s.cc = 0;
    let fits = r[C::BYTES..].iter().chain(&answer[C::BYTES..]).all(|&byte| byte == 0);
    if !fits || !edwards::verifies::<C>(&r, &answer, public, whole) {
        refuse(s, Refused::Signature);
    }
    Ok(())
}

/// A point in a field that can be longer than its encoding.
fn decode<C: Edwards>(field: &[u8; 64]) -> Option<C::Point> {
    if field[C::BYTES..].iter().any(|&byte| byte != 0) { None } else { C::decode(&field[..C::BYTES]) }
}

/// EdDSA: R, S, the private key, the verification pattern of a wrapped one, sixteen reserved bytes. The message, the
/// second operand, is gone through twice: for the nonce, and for S.
fn sign<C: Edwards>(s: &mut State, i: &Fields, kind: Kind, wrapped: bool) -> Result<(), Interruption> {
    let n = kind.field();
    let mut block = Block::fetch(s, kind, 3 * n + 24 + if wrapped { 32 } else { 0 })?;
    if wrapped && !block.unwrap(s, 2, 3 * n) {
        refuse(s, Refused::Key);
        return Ok(());
    }
    let secret = Secret::<C>::of(&block.field(2)[n - C::BYTES..]);
    let mut from = Operand::of(s, i.r2)?;
    let going = Going { block: &block, wrapped };
    let (pass, mut continuation) = going.resume(s)?;
    let mut unit = UNIT;
    let mut whole = [0; 2 * ENCODING];
    let whole = &mut whole[..2 * C::BYTES];
    if pass != SECOND_PASS {
        let mut hash = C::hash();
        let mut rest = from;
        if pass == 0 {
            hash.add(&secret.prefix[..C::BYTES]);
        } else {
            hash = hash.at(continuation.hash);
            rest.pass(s, continuation.passed.get().min(from.length));
        }
        digest(s, &mut rest, &mut hash, &mut unit)?;
        if rest.length > 0 {
            (continuation.hash, continuation.passed) = (hash.progress(), U64::new(from.length - rest.length));
            return going.suspend(s, FIRST_PASS, continuation);
        }
        hash.finish(whole);
        let nonce = C::reduce(whole);
        (continuation.nonce, continuation.r) = (C::number(nonce), C::encode(edwards::times_base::<C>(nonce)));
        let mut second = C::hash();
        second.add(&continuation.r[..C::BYTES]);
        second.add(&secret.public[..C::BYTES]);
        continuation.hash = second.progress();
    }
    let mut hash = C::hash().at(continuation.hash);
    digest(s, &mut from, &mut hash, &mut unit)?;
    if from.length > 0 {
        continuation.hash = hash.progress();
        going.suspend(s, SECOND_PASS, continuation)?;
        from.save(s);
        return Ok(());
    }
    hash.finish(whole);
    let answer = secret.answer(C::reduce(&continuation.nonce[..C::BYTES]), whole);
    going.mark(s, 0)?;
    block.put_reversed(0, &continuation.r[..C::BYTES]);
    block.put_reversed(1, &answer[..C::BYTES]);
    block.save(s, 2)?;
    from.save(s);
    s.cc = 0;
    Ok(())
}

/// PCC's products: X and Y of the result, X and Y of the point, the factor; of Montgomery's curves u alone. CC 1: the
/// point is none of the curve, or the factor none of the order's.
pub(super) fn multiply(s: &mut State, kind: Kind) -> Result<(), Interruption> {
    let n = kind.field();
    let fields = if matches!(kind, X25519 | X448) { 3 } else { 5 };
    let mut block = Block::fetch(s, kind, fields * n + 8)?;
    let mut product = [0; 160];
    let done = match kind {
        X25519 => {
            block.put_reversed(0, &edwards::x25519(&block.reversed(1), &block.reversed(2)));
            Ok(())
        }
        X448 => {
            block.put_reversed(0, &edwards::x448(&block.reversed(1), &block.reversed(2)));
            Ok(())
        }
        Ed25519 => multiply_edwards::<Ed25519Curve>(&mut block),
        Ed448 => multiply_edwards::<Ed448Curve>(&mut block),
        _ => {
            let (x, y) = product[..2 * n].split_at_mut(n);
            let given = [2, 3, 4].map(|k| block.field(k));
            let done = match kind {
                P384 => weierstrass::multiply::<NistP384>([x, y], given),
                P521 => weierstrass::multiply::<NistP521>([x, y], given),
                _ => weierstrass::multiply::<NistP256>([x, y], given),
            };
            block.bytes[..2 * n].copy_from_slice(&product[..2 * n]);
            done
        }
    };
    match done {
        Ok(()) => {
            block.save(s, fields / 2)?;
            s.cc = 0;
        }
        Err(refused) => refuse(s, refused),
    }
    Ok(())
}

fn multiply_edwards<C: Edwards>(block: &mut Block) -> Result<(), Refused> {
    let [x, y, factor] = [2, 3, 4].map(|n| block.reversed(n));
    let fits = [&x, &y].iter().all(|field| field[C::BYTES..].iter().all(|&byte| byte == 0));
    let point = C::point(&x[..C::BYTES], &y[..C::BYTES]).filter(|_| fits).ok_or(Refused::Key)?;
    let [x, y] = C::coordinates(edwards::multiply::<C>(point, &factor));
    block.put_reversed(0, &x[..C::BYTES]);
    block.put_reversed(1, &y[..C::BYTES]);
    Ok(())
}
