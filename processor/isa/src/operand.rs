//! What the operand names in the table mean: how each is fetched.
//!
//! `r1_32` is the low word of the register that field R1 names, `m2_64` the doubleword at the second operand's address,
//! `m1_8` the byte at the first operand's, `rel_32a` the word at a relative address, which must be aligned, `imm` the
//! immediate field. A suffix `s` on the width means that the operand is sign-extended to 64 bits: `m2_16s`.

use crate::prelude::*;

macro_rules! registers {
    ($($name:ident $width:ident $field:ident)*) => { $(
        #[inline(always)]
        pub(crate) fn $name<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C, C::Word> {
            Ok(cpu.gr($width, i.$field))
        }
    )* };
}

registers! {
    r1_32 W32 r1   r2_32 W32 r2   r3_32 W32 r3
    r1_64 W64 r1   r2_64 W64 r2   r3_64 W64 r3
    r1_8 W8 r1     r1_16 W16 r1   r2_8 W8 r2   r2_16 W16 r2
}

/// Parts of registers: the high word as `h`, halfwords as `hh` to `ll` from left to right.
macro_rules! parts {
    ($($name:ident $field:ident $shift:literal $width:ident)*) => { $(
        #[inline(always)]
        pub(crate) fn $name<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C, C::Word> {
            let (v, n, mask) = (cpu.gr(W64, i.$field), cpu.imm($shift), cpu.imm($width.mask()));
            let v = cpu.shift_right(W64, v, n);
            Ok(cpu.and(v, mask))
        }
    )* };
}

parts! {
    r1_hh r1 48 W16   r1_hl r1 32 W16   r1_lh r1 16 W16
}

macro_rules! high {
    ($($name:ident $field:ident)*) => { $(
        #[inline(always)]
        pub(crate) fn $name<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C, C::Word> {
            Ok(cpu.gr_high(i.$field))
        }
    )* };
}

high! { r1_h r1  r2_h r2  r3_h r3 }

/// Access registers.
#[inline(always)]
pub(crate) fn a2<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C, C::Word> {
    Ok(cpu.ar(i.r2))
}

macro_rules! storage {
    ($($name:ident $width:ident $extend:ident ($($address:tt)+))*) => { $(
        #[inline(always)]
        pub(crate) fn $name<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C, C::Word> {
            let at = place!(cpu i $($address)+);
            extend!(cpu $width $extend at)
        }
    )* };
}

macro_rules! place {
    ($cpu:ident $i:ident second) => {
        $cpu.address($i.x2, $i.b2, $i.d2)
    };
    ($cpu:ident $i:ident first) => {
        $cpu.address(0, $i.b1, $i.d1)
    };
    ($cpu:ident $i:ident relative) => {
        $cpu.relative($i)
    };
    ($cpu:ident $i:ident relative $align:literal) => {{
        let at = $cpu.relative($i);
        $cpu.aligned(at, $align)?;
        at
    }};
}

macro_rules! extend {
    ($cpu:ident $width:ident zero $at:ident) => {
        $cpu.load($width, $at)
    };
    ($cpu:ident $width:ident sign $at:ident) => {
        $cpu.load_signed($width, $at)
    };
}

storage! {
    m2_8 W8 zero (second)      m2_16 W16 zero (second)    m2_32 W32 zero (second)    m2_64 W64 zero (second)
    m2_8s W8 sign (second)     m2_16s W16 sign (second)   m2_32s W32 sign (second)
    m1_8 W8 zero (first)       m1_16 W16 zero (first)     m1_32 W32 zero (first)     m1_64 W64 zero (first)
    rel_16 W16 zero (relative) rel_16s W16 sign (relative)
    rel_32a W32 zero (relative 4) rel_32as W32 sign (relative 4) rel_64a W64 zero (relative 8)
}

/// The low word of R2, sign-extended.
#[inline(always)]
pub(crate) fn r2_32s<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C, C::Word> {
    let v = cpu.gr(W32, i.r2);
    Ok(cpu.sign_extend(W32, v))
}

macro_rules! extended {
    ($($name:ident $width:ident $field:ident)*) => { $(
        #[inline(always)]
        pub(crate) fn $name<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C, C::Word> {
            let v = cpu.gr($width, i.$field);
            Ok(cpu.sign_extend($width, v))
        }
    )* };
}

extended! { r2_8s W8 r2  r2_16s W16 r2 }

macro_rules! immediate {
    ($($name:ident $type:ty, $shift:literal)*) => { $(
        #[inline(always)]
        pub(crate) fn $name<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C, C::Word> {
            Ok(cpu.imm((i.imm as $type as u64) << $shift))
        }
    )* };
}

// Immediate fields at the places of register halves and halfwords.
immediate! { imm_hh u16, 48  imm_hl u16, 32  imm_lh u16, 16  imm_h u32, 32 }

/// The immediate field, sign-extended (unsigned in SI and SIY).
#[inline(always)]
pub(crate) fn imm<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C, C::Word> {
    Ok(cpu.imm(i.imm as u64))
}

/// The immediate field, its low 16 bits unsigned.
#[inline(always)]
pub(crate) fn imm16u<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C, C::Word> {
    Ok(cpu.imm(i.imm as u16 as u64))
}

/// The immediate field, its low 32 bits unsigned.
#[inline(always)]
pub(crate) fn imm32u<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C, C::Word> {
    Ok(cpu.imm(i.imm as u32 as u64))
}

/// A shift amount: the low six bits of the second-operand address.
#[inline(always)]
pub(crate) fn shift<C: Cpu>(cpu: &mut C, i: &Fields) -> Step<C, C::Word> {
    let at = cpu.address(0, i.b2, i.d2);
    let six = cpu.imm(63);
    Ok(cpu.and(at.address, six))
}

/// Where results go.
pub(crate) mod result {
    use crate::prelude::*;

    macro_rules! registers {
        ($($name:ident $width:ident $field:ident)*) => { $(
            #[inline(always)]
            pub(crate) fn $name<C: Cpu>(cpu: &mut C, i: &Fields, v: C::Word) -> Step<C> {
                cpu.set_gr($width, i.$field, v);
                Ok(())
            }
        )* };
    }

    registers! { r1_8 W8 r1  r1_16 W16 r1  r1_32 W32 r1  r1_64 W64 r1 }

    macro_rules! parts {
        ($($name:ident $shift:literal)*) => { $(
            #[inline(always)]
            pub(crate) fn $name<C: Cpu>(cpu: &mut C, i: &Fields, v: C::Word) -> Step<C> {
                let old = cpu.gr(W64, i.r1);
                let (n, rest) = (cpu.imm($shift), cpu.imm(!(0xffff << $shift)));
                let v = cpu.shift_left(W64, v, n);
                let old = cpu.and(old, rest);
                let new = cpu.or(old, v);
                cpu.set_gr(W64, i.r1, new);
                Ok(())
            }
        )* };
    }

    parts! { r1_hh 48  r1_hl 32  r1_lh 16 }

    #[inline(always)]
    pub(crate) fn r1_h<C: Cpu>(cpu: &mut C, i: &Fields, v: C::Word) -> Step<C> {
        cpu.set_gr_high(i.r1, v);
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn a1<C: Cpu>(cpu: &mut C, i: &Fields, v: C::Word) -> Step<C> {
        cpu.set_ar(i.r1, v);
        Ok(())
    }

    macro_rules! storage {
        ($($name:ident $width:ident ($($address:tt)+))*) => { $(
            #[inline(always)]
            pub(crate) fn $name<C: Cpu>(cpu: &mut C, i: &Fields, v: C::Word) -> Step<C> {
                let at = place!(cpu i $($address)+);
                cpu.store($width, at, v)
            }
        )* };
    }

    storage! {
        m2_8 W8 (second)    m2_16 W16 (second)    m2_32 W32 (second)    m2_64 W64 (second)
        m1_8 W8 (first)     m1_16 W16 (first)     m1_32 W32 (first)     m1_64 W64 (first)
        rel_16 W16 (relative) rel_32a W32 (relative 4) rel_64a W64 (relative 8)
    }
}
