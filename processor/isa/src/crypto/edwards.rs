//! The curves Ed25519 and Ed448, EdDSA on them (RFC 8032), and the Montgomery forms X25519 and X448 (RFC 7748).
//!
//! RFC 8032's numbers are little-endian; so are those of this file, but where it says otherwise.

use super::hash::Hash;
use curve25519_dalek::{EdwardsPoint as Point25519, Scalar as Scalar25519, edwards::CompressedEdwardsY};
use ed448_goldilocks as goldilocks;
use ed448_goldilocks::elliptic_curve::point::AffineCoordinates;
use num_bigint::BigUint;
use std::ops::{Add, Mul, Neg};

/// The longest encoding of a point: Ed448's.
pub(super) const ENCODING: usize = 57;

/// A curve, as EdDSA wants it.
pub(super) trait Edwards {
    /// Bytes of a key, of a point and of S.
    const BYTES: usize;
    /// A number modulo the order of the base point.
    type Scalar: Copy + Add<Output = Self::Scalar> + Mul<Output = Self::Scalar> + Neg<Output = Self::Scalar>;
    type Point: Copy + Add<Output = Self::Point>;

    /// The digest, with what comes before everything.
    fn hash() -> Hash;
    /// Makes a secret scalar of the first half of a digest.
    fn clamp(bytes: &mut [u8]);
    /// A number twice as long, modulo the order.
    fn reduce(wide: &[u8]) -> Self::Scalar;
    /// A number that must be below the order.
    fn canonical(bytes: &[u8]) -> Option<Self::Scalar>;
    fn number(scalar: Self::Scalar) -> [u8; ENCODING];
    /// The sum of multiples of the base point and of another one.
    fn combine(base: Self::Scalar, factor: Self::Scalar, point: Self::Point) -> Self::Point;
    fn identity() -> Self::Point;
    fn decode(bytes: &[u8]) -> Option<Self::Point>;
    fn encode(point: Self::Point) -> [u8; ENCODING];
    /// The point with these coordinates, of [`Edwards::BYTES`] each, if it is one of the curve.
    fn point(x: &[u8], y: &[u8]) -> Option<Self::Point>;
    fn coordinates(point: Self::Point) -> [[u8; ENCODING]; 2];
}

/// The first bytes of a longer field.
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut all = [0; N];
    let n = N.min(bytes.len());
    all[..n].copy_from_slice(&bytes[..n]);
    all
}

/// Edwards25519.
pub(super) struct Ed25519;

impl Ed25519 {
    /// X of a point, of which the library shows Y and the sign of X: x² = (y² - 1) / (dy² + 1).
    fn x(encoding: [u8; 32]) -> [u8; 32] {
        let one = BigUint::from(1u32);
        let p: BigUint = (&one << 255) - 19u32;
        let inverse = |n: &BigUint| n.modpow(&(&p - 2u32), &p);
        let d = (&p - 121665u32) * inverse(&BigUint::from(121666u32)) % &p;
        let mut y = encoding;
        y[31] &= 0x7f;
        let y2 = BigUint::from_bytes_le(&y).modpow(&BigUint::from(2u32), &p);
        let square = (&y2 + &p - &one) * inverse(&((d * &y2 + &one) % &p)) % &p;
        let mut x = square.modpow(&((&p + 3u32) >> 3), &p);
        if &x * &x % &p != square {
            // Times the root of -1.
            x = x * BigUint::from(2u32).modpow(&((&p - &one) >> 2), &p) % &p;
        }
        if x.bit(0) != (encoding[31] >> 7 != 0) {
            x = (&p - x) % &p;
        }
        first(&x.to_bytes_le())
    }
}

impl Edwards for Ed25519 {
    const BYTES: usize = 32;
    type Scalar = Scalar25519;
    type Point = Point25519;

    fn hash() -> Hash {
        Hash::sha512()
    }

    fn clamp(bytes: &mut [u8]) {
        bytes[0] &= 0xf8;
        bytes[31] = bytes[31] & 0x7f | 0x40;
    }

    fn reduce(wide: &[u8]) -> Scalar25519 {
        Scalar25519::from_bytes_mod_order_wide(&first(wide))
    }

    fn canonical(bytes: &[u8]) -> Option<Scalar25519> {
        Option::from(Scalar25519::from_canonical_bytes(first(bytes)))
    }

    fn number(scalar: Scalar25519) -> [u8; ENCODING] {
        first(scalar.as_bytes())
    }

    fn combine(base: Scalar25519, factor: Scalar25519, point: Point25519) -> Point25519 {
        Point25519::vartime_double_scalar_mul_basepoint(&factor, &point, &base)
    }

    fn identity() -> Point25519 {
        Point25519::default()
    }

    fn decode(bytes: &[u8]) -> Option<Point25519> {
        let point = CompressedEdwardsY(first(bytes)).decompress()?;
        (Ed25519::encode(point)[..32] == bytes[..32]).then_some(point)
    }

    fn encode(point: Point25519) -> [u8; ENCODING] {
        first(point.compress().as_bytes())
    }

    fn point(x: &[u8], y: &[u8]) -> Option<Point25519> {
        let mut encoding: [u8; 32] = first(y);
        if encoding[31] >> 7 != 0 {
            return None;
        }
        encoding[31] |= x[0] << 7;
        let point = Ed25519::decode(&encoding)?;
        (Ed25519::x(encoding)[..] == x[..32]).then_some(point)
    }

    fn coordinates(point: Point25519) -> [[u8; ENCODING]; 2] {
        let encoding = point.compress().to_bytes();
        let mut y = encoding;
        y[31] &= 0x7f;
        [first(&Ed25519::x(encoding)), first(&y)]
    }
}

/// Edwards448.
pub(super) struct Ed448;

impl Edwards for Ed448 {
    const BYTES: usize = 57;
    type Scalar = goldilocks::EdwardsScalar;
    type Point = goldilocks::EdwardsPoint;

    fn hash() -> Hash {
        let mut hash = Hash::shake256();
        // No prehashing, no context.
        hash.add(b"SigEd448\0\0");
        hash
    }

    fn clamp(bytes: &mut [u8]) {
        bytes[0] &= 0xfc;
        bytes[55] |= 0x80;
        bytes[56] = 0;
    }

    fn reduce(wide: &[u8]) -> goldilocks::EdwardsScalar {
        goldilocks::EdwardsScalar::from_bytes_mod_order_wide(&first::<114>(wide).into())
    }

    fn canonical(bytes: &[u8]) -> Option<goldilocks::EdwardsScalar> {
        let scalar = Ed448::reduce(&bytes[..57]);
        (Ed448::number(scalar)[..] == bytes[..57]).then_some(scalar)
    }

    fn number(scalar: goldilocks::EdwardsScalar) -> [u8; ENCODING] {
        first(&scalar.to_bytes())
    }

    fn combine(
        base: goldilocks::EdwardsScalar,
        factor: goldilocks::EdwardsScalar,
        point: goldilocks::EdwardsPoint,
    ) -> goldilocks::EdwardsPoint {
        goldilocks::EdwardsPoint::GENERATOR * base + point * factor
    }

    fn identity() -> goldilocks::EdwardsPoint {
        goldilocks::EdwardsPoint::IDENTITY
    }

    fn decode(bytes: &[u8]) -> Option<goldilocks::EdwardsPoint> {
        let encoding = goldilocks::CompressedEdwardsY(first(bytes));
        let affine: goldilocks::AffinePoint = Option::from(encoding.decompress_unchecked())?;
        let good = bool::from(affine.is_on_curve()) && affine.compress() == encoding;
        good.then(|| affine.to_edwards())
    }

    fn encode(point: goldilocks::EdwardsPoint) -> [u8; ENCODING] {
        point.to_affine().compress().to_bytes()
    }

    fn point(x: &[u8], y: &[u8]) -> Option<goldilocks::EdwardsPoint> {
        let [x, y] = [x, y].map(first::<57>);
        let affine = goldilocks::AffinePoint::from_coordinates(&x.into(), &y.into());
        let affine: goldilocks::AffinePoint = Option::from(affine)?;
        // The library takes coordinates modulo the prime.
        (affine.x()[..] == x[..56] && affine.y()[..] == y[..56] && x[56] | y[56] == 0).then(|| affine.to_edwards())
    }

    fn coordinates(point: goldilocks::EdwardsPoint) -> [[u8; ENCODING]; 2] {
        let affine = point.to_affine();
        [first(&affine.x()), first(&affine.y())]
    }
}

/// What a private key stands for.
pub(super) struct Secret<C: Edwards> {
    scalar: C::Scalar,
    /// What the nonce is made of, with the message.
    pub prefix: [u8; ENCODING],
    /// The public key.
    pub public: [u8; ENCODING],
}

impl<C: Edwards> Secret<C> {
    /// Of the private key's bytes. They alone are hashed: not what comes before everything else.
    pub(super) fn of(key: &[u8]) -> Secret<C> {
        let mut hash = if C::BYTES == 32 { Hash::sha512() } else { Hash::shake256() };
        hash.add(key);
        let mut digest = [0; 2 * ENCODING];
        hash.finish(&mut digest[..2 * C::BYTES]);
        let prefix = first(&digest[C::BYTES..2 * C::BYTES]);
        C::clamp(&mut digest);
        let scalar = C::reduce(&digest[..C::BYTES]);
        Secret { scalar, prefix, public: C::encode(times_base::<C>(scalar)) }
    }

    /// S, of the nonce and of the digest of R, the public key and the message.
    pub(super) fn answer(&self, nonce: C::Scalar, digest: &[u8]) -> [u8; ENCODING] {
        C::number(nonce + C::reduce(digest) * self.scalar)
    }
}

/// A multiple of the base point.
pub(super) fn times_base<C: Edwards>(scalar: C::Scalar) -> C::Point {
    let zero = C::reduce(&[]);
    C::combine(scalar, zero, C::identity())
}

/// Whether `r` and `s` sign the message with this digest of R, the public key and the message.
pub(super) fn verifies<C: Edwards>(r: &[u8], s: &[u8], public: C::Point, digest: &[u8]) -> bool {
    let Some(s) = C::canonical(s) else { return false };
    C::encode(C::combine(s, -C::reduce(digest), public))[..C::BYTES] == r[..C::BYTES]
}

/// A multiple of any point: the factor is not reduced, because the point's order may be another than the base point's.
pub(super) fn multiply<C: Edwards>(point: C::Point, factor: &[u8]) -> C::Point {
    let mut product = C::identity();
    for byte in factor.iter().rev() {
        for bit in (0..8).rev() {
            product = product + product;
            if byte >> bit & 1 != 0 {
                product = product + point;
            }
        }
    }
    product
}

/// X25519 without clamping: the multiple of the point with this u.
pub(super) fn x25519(u: &[u8], factor: &[u8]) -> [u8; 32] {
    let bits = factor[..32].iter().rev().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 != 0));
    curve25519_dalek::MontgomeryPoint(first(u)).mul_bits_be(bits).to_bytes()
}

/// X448 without clamping: RFC 7748's ladder. The library reduces the factor, which is wrong for points of the twist.
pub(super) fn x448(u: &[u8], factor: &[u8]) -> [u8; 56] {
    let u = Field448::of(u);
    let (mut x2, mut z2, mut x3, mut z3) = (Field448::ONE, Field448::ZERO, u, Field448::ONE);
    let bits = factor[..56].iter().rev().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 != 0));
    for bit in bits {
        if bit {
            (x2, z2, x3, z3) = (x3, z3, x2, z2);
        }
        let (a, b) = (x2.plus(z2), x2.minus(z2));
        let (aa, bb) = (a.times(a), b.times(b));
        let e = aa.minus(bb);
        let (da, cb) = (x3.minus(z3).times(a), x3.plus(z3).times(b));
        let (sum, difference) = (da.plus(cb), da.minus(cb));
        x3 = sum.times(sum);
        z3 = u.times(difference.times(difference));
        x2 = aa.times(bb);
        z2 = e.times(aa.plus(e.times(Field448::A24)));
        if bit {
            (x2, z2, x3, z3) = (x3, z3, x2, z2);
        }
    }
    x2.times(z2.inverse()).bytes()
}

/// A number modulo 2^448 - 2^224 - 1: eight digits of 56 bits, the lowest first. A product's digits are little above
/// 56 bits; those of a sum or of a difference of products have two more, and can be multiplied.
#[derive(Clone, Copy)]
struct Field448([u64; 8]);

impl Field448 {
    const DIGIT: u64 = (1 << 56) - 1;
    const ZERO: Field448 = Field448([0; 8]);
    const ONE: Field448 = Field448([1, 0, 0, 0, 0, 0, 0, 0]);
    /// Of the curve: (156326 - 2) / 4.
    const A24: Field448 = Field448([39081, 0, 0, 0, 0, 0, 0, 0]);
    /// The prime's digits.
    const PRIME: [u64; 8] = {
        let mut digits = [Field448::DIGIT; 8];
        digits[4] -= 1;
        digits
    };

    fn of(bytes: &[u8]) -> Field448 {
        let mut digits = [0; 8];
        for (digit, bytes) in digits.iter_mut().zip(bytes[..56].chunks_exact(7)) {
            *digit = bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
        }
        Field448(digits)
    }

    fn plus(self, other: Field448) -> Field448 {
        Field448(std::array::from_fn(|n| self.0[n] + other.0[n]))
    }

    /// Twice the prime more, so that no digit is negative.
    fn minus(self, other: Field448) -> Field448 {
        Field448(std::array::from_fn(|n| self.0[n] + 2 * Field448::PRIME[n] - other.0[n]))
    }

    fn times(self, other: Field448) -> Field448 {
        let mut product = [0u128; 15];
        for (n, a) in self.0.into_iter().enumerate() {
            for (m, b) in other.0.into_iter().enumerate() {
                product[n + m] += u128::from(a) * u128::from(b);
            }
        }
        // 2^448 is 2^224 + 1.
        for n in (8..15).rev() {
            product[n - 8] += product[n];
            product[n - 4] += product[n];
        }
        for _ in 0..2 {
            let mut carry = 0;
            for digit in &mut product[..8] {
                *digit += carry;
                carry = *digit >> 56;
                *digit &= u128::from(Field448::DIGIT);
            }
            product[0] += carry;
            product[4] += carry;
        }
        Field448(std::array::from_fn(|n| product[n] as u64))
    }

    /// To the power of the prime less two: its binary digits are ones but for those of weight 2^224 and 2.
    fn inverse(self) -> Field448 {
        (0..448).rev().fold(Field448::ONE, |power, bit| {
            let square = power.times(power);
            if bit == 224 || bit == 1 { square } else { square.times(self) }
        })
    }

    fn bytes(self) -> [u8; 56] {
        let number = |digits: [u64; 8]| digits.iter().rev().fold(BigUint::ZERO, |all, &digit| (all << 56) + digit);
        first(&(number(self.0) % number(Field448::PRIME)).to_bytes_le())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7748, 5.2: the vector that is applied a thousand times, and numbers at the edges of the field.
    #[test]
    fn x448_iterates_as_the_standard_says() {
        let clamped = |mut key: [u8; 56]| {
            key[0] &= 0xfc;
            key[55] |= 0x80;
            key
        };
        let hex = |bytes: [u8; 56]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let (mut k, mut u) = ([0; 56], [0; 56]);
        (k[0], u[0]) = (5, 5);
        for times in 1..=1000 {
            (k, u) = (x448(&u, &clamped(k)), k);
            let expected = match times {
                1 => {
                    "3f482c8a9f19b01e6c46ee9711d9dc14fd4bf67af30765c2ae2b846a4d23a8cd\
                      0db897086239492caf350b51f833868b9bc2b3bca9cf4113"
                }
                1000 => {
                    "aa3b4749d55b9daf1e5b00288826c467274ce3ebbdd5c17b975e09d4af6c67cf\
                         10d087202db88286e2b79fceea3ec353ef54faa26e219f38"
                }
                _ => continue,
            };
            assert_eq!(hex(k), expected, "{times}");
        }
        // The prime is zero, and so are its sums.
        let prime: Vec<u8> = Field448::PRIME.iter().flat_map(|digit| digit.to_le_bytes()[..7].to_vec()).collect();
        assert_eq!(x448(&prime, &clamped(k)), [0; 56]);
        let n = Field448::of(&[0xff; 56]);
        assert_eq!(n.times(n.inverse()).bytes(), Field448::ONE.bytes());
        assert_eq!(n.minus(n).bytes(), [0; 56]);
    }
}
