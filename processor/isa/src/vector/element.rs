//! Elements of vectors: taking vectors apart and putting them together.

use crate::prelude::*;

/// What routines return.
pub(crate) type Done = Result<(), Interruption>;

/// A specification exception.
pub(crate) fn specification<T>() -> Result<T, Interruption> {
    Err(Program::Specification.into())
}

/// A specification exception unless `valid`.
#[inline(always)]
pub(crate) fn specified(valid: bool) -> Done {
    if valid { Ok(()) } else { specification() }
}

/// An element: an unsigned number of 8 to 128 bits.
pub(crate) trait Element: Copy {
    /// Bytes.
    const SIZE: usize;
    const BITS: u32 = 8 * Self::SIZE as u32;
    /// How many a vector has.
    const COUNT: usize = 16 / Self::SIZE;
    /// From the low bits.
    fn of(v: u128) -> Self;
    /// With zeros on the left.
    fn wide(self) -> u128;
    /// From the first bytes, the lowest first.
    fn from_low(bytes: &[u8]) -> Self;
    fn put_low(self, bytes: &mut [u8]);
    fn load(s: &mut State, at: At) -> Result<Self, Interruption>;
    fn store(self, s: &mut State, at: At) -> Done;
}

macro_rules! elements {
    ($($t:ty, $load:ident, $store:ident;)*) => { $(
        impl Element for $t {
            const SIZE: usize = size_of::<$t>();
            #[inline(always)]
            fn of(v: u128) -> $t {
                v as $t
            }
            #[inline(always)]
            fn wide(self) -> u128 {
                self as u128
            }
            #[inline(always)]
            fn from_low(bytes: &[u8]) -> $t {
                let mut own = [0; size_of::<$t>()];
                own.copy_from_slice(&bytes[..size_of::<$t>()]);
                <$t>::from_le_bytes(own)
            }
            #[inline(always)]
            fn put_low(self, bytes: &mut [u8]) {
                bytes[..size_of::<$t>()].copy_from_slice(&self.to_le_bytes());
            }
            #[inline(always)]
            fn load(s: &mut State, at: At) -> Result<$t, Interruption> {
                s.$load(at)
            }
            #[inline(always)]
            fn store(self, s: &mut State, at: At) -> Done {
                s.$store(at, self)
            }
        }
    )* };
}

elements! {
    u8, load_u8, store_u8;
    u16, load_u16, store_u16;
    u32, load_u32, store_u32;
    u64, load_u64, store_u64;
    u128, load_u128, store_u128;
}

/// Element `n`, counted from the left.
#[inline(always)]
pub(crate) fn element<T: Element>(v: u128, n: usize) -> T {
    T::of(v >> (128 - (n as u32 + 1) * T::BITS))
}

/// The vector with element `n` replaced.
#[inline(always)]
pub(crate) fn with_element<T: Element>(v: u128, n: usize, to: T) -> u128 {
    let shift = 128 - (n as u32 + 1) * T::BITS;
    v & !((u128::MAX >> (128 - T::BITS)) << shift) | to.wide() << shift
}

/// The vector whose element `n` is `f(n)`.
#[inline(always)]
pub(crate) fn build<T: Element>(mut f: impl FnMut(usize) -> T) -> u128 {
    let mut bytes = [0; 16];
    for n in 0..T::COUNT {
        f(n).put_low(&mut bytes[16 - (n + 1) * T::SIZE..]);
    }
    u128::from_le_bytes(bytes)
}

/// All elements alike.
#[inline(always)]
pub(crate) fn replicate<T: Element>(v: T) -> u128 {
    build(|_| v)
}

/// Applies `f` to each element.
#[inline(always)]
pub(crate) fn map<T: Element>(a: u128, f: impl Fn(T) -> T) -> u128 {
    let a = a.to_le_bytes();
    let mut bytes = [0; 16];
    for n in 0..T::COUNT {
        let at = n * T::SIZE;
        f(T::from_low(&a[at..])).put_low(&mut bytes[at..]);
    }
    u128::from_le_bytes(bytes)
}

/// Applies `f` to the elements of two vectors in pairs.
#[inline(always)]
pub(crate) fn map2<T: Element>(a: u128, b: u128, f: impl Fn(T, T) -> T) -> u128 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    let mut bytes = [0; 16];
    for n in 0..T::COUNT {
        let at = n * T::SIZE;
        f(T::from_low(&a[at..]), T::from_low(&b[at..])).put_low(&mut bytes[at..]);
    }
    u128::from_le_bytes(bytes)
}

/// Applies `f` to the elements of three vectors.
#[inline(always)]
pub(crate) fn map3<T: Element>(a: u128, b: u128, c: u128, f: impl Fn(T, T, T) -> T) -> u128 {
    let (a, b, c) = (a.to_le_bytes(), b.to_le_bytes(), c.to_le_bytes());
    let mut bytes = [0; 16];
    for n in 0..T::COUNT {
        let at = n * T::SIZE;
        f(T::from_low(&a[at..]), T::from_low(&b[at..]), T::from_low(&c[at..])).put_low(&mut bytes[at..]);
    }
    u128::from_le_bytes(bytes)
}

/// Runs a block once for the element size that a modifier chooses among those listed: 0 byte, 1 halfword, 2 word,
/// 3 doubleword, 4 quadword; any other is a specification exception. In it, `U` and `S` are the unsigned and the signed
/// integer of the size, `Half` and `HalfS` those of half of it, `Double` and `DoubleS` of twice.
macro_rules! sized {
    ($m:expr, [$($n:tt)+], $body:tt) => {
        match $m {
            $($n => sized!(@$n $body),)+
            _ => return crate::vector::specification(),
        }
    };
    (@0 $body:tt) => { sized!(@types u8 i8 u8 i8 u16 i16 $body) };
    (@1 $body:tt) => { sized!(@types u16 i16 u8 i8 u32 i32 $body) };
    (@2 $body:tt) => { sized!(@types u32 i32 u16 i16 u64 i64 $body) };
    (@3 $body:tt) => { sized!(@types u64 i64 u32 i32 u128 i128 $body) };
    (@4 $body:tt) => { sized!(@types u128 i128 u64 i64 u128 i128 $body) };
    (@types $u:ident $s:ident $half:ident $half_s:ident $double:ident $double_s:ident { $($body:tt)* }) => {{
        #[allow(dead_code)]
        type U = $u;
        #[allow(dead_code)]
        type S = $s;
        #[allow(dead_code)]
        type Half = $half;
        #[allow(dead_code)]
        type HalfS = $half_s;
        #[allow(dead_code)]
        type Double = $double;
        #[allow(dead_code)]
        type DoubleS = $double_s;
        $($body)*
    }};
}

/// Routines that do the same to each element: documentation, name, the modifier that has the size, the sizes, operands
/// and what becomes of them.
macro_rules! elementwise {
    ($($(#[$doc:meta])* $name:ident($m:ident $sizes:tt) |$a:ident| $body:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(s: &mut State, i: &Fields) -> Done {
            s.vector_allowed()?;
            let a = s.vr(i.r2);
            let v = sized!(i.$m, $sizes, { map::<U>(a, |$a: U| -> U { $body }) });
            s.set_vr(i.r1, v);
            Ok(())
        }
    )* };
    ($($(#[$doc:meta])* $name:ident($m:ident $sizes:tt) |$a:ident, $b:ident| $body:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(s: &mut State, i: &Fields) -> Done {
            s.vector_allowed()?;
            let (a, b) = (s.vr(i.r2), s.vr(i.r3));
            let v = sized!(i.$m, $sizes, { map2::<U>(a, b, |$a: U, $b: U| -> U { $body }) });
            s.set_vr(i.r1, v);
            Ok(())
        }
    )* };
    ($($(#[$doc:meta])* $name:ident($m:ident $sizes:tt) |$a:ident, $b:ident, $c:ident| $body:expr;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(s: &mut State, i: &Fields) -> Done {
            s.vector_allowed()?;
            let (a, b, c) = (s.vr(i.r2), s.vr(i.r3), s.vr(i.r4()));
            let v = sized!(i.$m, $sizes, { map3::<U>(a, b, c, |$a: U, $b: U, $c: U| -> U { $body }) });
            s.set_vr(i.r1, v);
            Ok(())
        }
    )* };
}

pub(crate) use {elementwise, sized};

/// The condition code of a vector of results, each all ones or all zeros: 0 all are ones, 1 some, 3 none.
#[inline(always)]
pub(crate) fn all_some_none(result: u128) -> u8 {
    match result {
        u128::MAX => 0,
        0 => 3,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_from_the_left() {
        let v = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f;
        assert_eq!(element::<u8>(v, 3), 3);
        assert_eq!(element::<u16>(v, 7), 0x0e0f);
        assert_eq!(element::<u64>(v, 0), 0x0001_0203_0405_0607);
        assert_eq!(element::<u128>(v, 0), v);
        assert_eq!(with_element(v, 1, 0xffff_ffffu32), 0x0001_0203_ffff_ffff_0809_0a0b_0c0d_0e0f);
        assert_eq!(build(|n| n as u8), v);
        assert_eq!(map2(v, v, |a: u16, b: u16| a.wrapping_sub(b)), 0);
    }
}
