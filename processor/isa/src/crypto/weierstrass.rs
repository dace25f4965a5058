//! The curves P-256, P-384 and P-521, and ECDSA on them (FIPS 186-5, chapter 6; SP 800-186).
//!
//! Numbers are big-endian, and the fields that hold them can be longer than the numbers are: those of P-521 have 80
//! bytes.

use super::hash::sha512;
use num_bigint::BigUint;
use p256::elliptic_curve::ff::{Field, PrimeField};
use p256::elliptic_curve::group::{Curve, Group};
use p256::elliptic_curve::ops::Invert;
use p256::elliptic_curve::point::{AffineCoordinates, AffinePoint, ProjectivePoint};
use p256::elliptic_curve::{CurveArithmetic, FieldBytes, Scalar};

/// The number in a field, as long as the numbers of the curve are. `None`: it is longer.
fn number<C: CurveArithmetic>(field: &[u8]) -> Option<FieldBytes<C>> {
    let mut bytes = FieldBytes::<C>::default();
    let (high, low) = field.split_at(field.len() - bytes.len());
    bytes.copy_from_slice(low);
    high.iter().all(|&byte| byte == 0).then_some(bytes)
}

/// Puts a number into a field.
fn put(field: &mut [u8], number: &[u8]) {
    let (high, low) = field.split_at_mut(field.len() - number.len());
    high.fill(0);
    low.copy_from_slice(number);
}

/// A number below the order, and not zero.
fn scalar<C: CurveArithmetic>(field: &[u8]) -> Option<Scalar<C>> {
    let scalar: Scalar<C> = Option::from(Scalar::<C>::from_repr(number::<C>(field)?))?;
    (!bool::from(scalar.is_zero())).then_some(scalar)
}

/// A number of any length, modulo the order.
fn reduce<C: CurveArithmetic>(bytes: &[u8]) -> Scalar<C> {
    let last = BigUint::from_bytes_be(&(-Scalar::<C>::from(1)).to_repr());
    let mut field = FieldBytes::<C>::default();
    put(&mut field, &(BigUint::from_bytes_be(bytes) % (last + 1u32)).to_bytes_be());
    Option::from(Scalar::<C>::from_repr(field)).expect("a remainder is below the divisor")
}

/// The point with these coordinates, if it is one of the curve.
fn point<C: CurveArithmetic>(x: &[u8], y: &[u8]) -> Option<ProjectivePoint<C>> {
    let point = AffinePoint::<C>::from_coordinates(&number::<C>(x)?, &number::<C>(y)?);
    Option::<AffinePoint<C>>::from(point).map(Into::into)
}

/// What a signature is made with.
pub(super) struct Signing<'a> {
    /// The digest of the message: all of the field is one number.
    pub hash: &'a [u8],
    /// The private key.
    pub key: &'a [u8],
    /// The nonce, or a part of what one is made of.
    pub random: &'a [u8],
    /// A secret that goes into the nonce. `None`: the nonce is what `random` has.
    pub secret: Option<&'a [u8]>,
}

/// Why there is no signature, or no product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refused {
    /// The key, or the point, is none of the curve.
    Key,
    /// The nonce is unfit, or the signature is not one of the message.
    Signature,
}

impl Signing<'_> {
    /// A nonce that follows from all that goes into the signature and the secret. 128 bits more than the order has
    /// leave no bias to speak of.
    fn nonce<C: CurveArithmetic>(&self, secret: &[u8]) -> Scalar<C> {
        let wide: Vec<u8> = (0..2).flat_map(|n| sha512(&[&[n], secret, self.key, self.hash, self.random])).collect();
        reduce::<C>(&wide[..FieldBytes::<C>::default().len() + 16])
    }

    /// Leaves the signature in two fields.
    pub(super) fn sign<C: CurveArithmetic>(&self, r_field: &mut [u8], s_field: &mut [u8]) -> Result<(), Refused> {
        let key = scalar::<C>(self.key).ok_or(Refused::Key)?;
        let nonce = match self.secret {
            Some(secret) => self.nonce::<C>(secret),
            None => scalar::<C>(self.random).ok_or(Refused::Signature)?,
        };
        let inverse: Scalar<C> = Option::from(Invert::invert(&nonce)).ok_or(Refused::Signature)?;
        let r = reduce::<C>(&(ProjectivePoint::<C>::generator() * nonce).to_affine().x());
        let s = inverse * (reduce::<C>(self.hash) + r * key);
        if bool::from(r.is_zero()) || bool::from(s.is_zero()) {
            return Err(Refused::Signature);
        }
        put(r_field, &r.to_repr());
        put(s_field, &s.to_repr());
        Ok(())
    }
}

/// Whether R and S sign the digest, by the public key X and Y: fields one after the other.
pub(super) fn verify<C: CurveArithmetic>([r, s, hash, x, y]: [&[u8]; 5]) -> Result<(), Refused> {
    let key = point::<C>(x, y).ok_or(Refused::Key)?;
    let (r, s) = scalar::<C>(r).zip(scalar::<C>(s)).ok_or(Refused::Signature)?;
    let inverse: Scalar<C> = Option::from(Invert::invert(&s)).ok_or(Refused::Signature)?;
    let sum = ProjectivePoint::<C>::generator() * (reduce::<C>(hash) * inverse) + key * (r * inverse);
    let there = !bool::from(sum.is_identity()) && reduce::<C>(&sum.to_affine().x()) == r;
    if there { Ok(()) } else { Err(Refused::Signature) }
}

/// A multiple of a point, into two fields.
pub(super) fn multiply<C: CurveArithmetic>(
    [to_x, to_y]: [&mut [u8]; 2],
    [x, y, factor]: [&[u8]; 3],
) -> Result<(), Refused> {
    let (point, factor) = point::<C>(x, y).zip(scalar::<C>(factor)).ok_or(Refused::Key)?;
    let product = (point * factor).to_affine();
    put(to_x, &product.x());
    put(to_y, &product.y());
    Ok(())
}
