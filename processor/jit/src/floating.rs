//! Binary floating point: the guest's floating-point registers in the host's, and the host's arithmetic as the guest's.
//!
//! The host's arithmetic gives the guest's result as long as results round to nearest and nothing traps, and no flag has to be
//! set as long as "inexact" is signalled already ([`Emitter::check_fpc`]) and the result is an ordinary number: then it was
//! neither invalid nor out of range. Zeros are looked at behind the block: an exact one is a result like others. Everything
//! else (NaNs, infinities, numbers that are or might have been tiny) goes to the site.
//!
//! A guest register stays in its host register from its first use to the end of the block, or around a loop ([`crate::carry`]).
//! Unlike general registers these are changed in place, always as the last thing that an instruction does: behind that,
//! nothing leads to one of its sites.

use crate::emitter::{Cold, Emitter, asm, field, scratch};
use crate::word::*;
use cpu::layout;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use isa::{Cc, Cpu, Fields, Width, Width::*};

/// Host registers that hold floating-point registers: xmm3-xmm15. The others are scratch inside one instruction.
pub const FIRST: u8 = 3;
pub const COUNT: usize = 13;

/// Where the guest's floating-point registers are at one point of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Floats {
    /// The host register of each, or `NONE`.
    pub host: [u8; 16],
    /// The host register is newer than the `State`.
    pub dirty: u16,
    /// The host register holds all 64 bits; else it holds a short number, the left half, and the rest is in the `State`.
    pub long: u16,
    /// The floating-point-control register has been looked at, and is [`ready`].
    pub checked: bool,
}

impl Floats {
    pub const EMPTY: Floats = Floats { host: [NONE; 16], dirty: 0, long: 0, checked: false };

    /// The registers that are held: the guest's, the host's, whether it is newer, whether it is long.
    pub fn held(&self) -> impl Iterator<Item = (u8, u8, bool, bool)> + '_ {
        (0..16u8)
            .filter(|&r| self.host[r as usize] != NONE)
            .map(|r| (r, self.host[r as usize], self.dirty >> r & 1 == 1, self.long >> r & 1 == 1))
    }
}

/// The bits of the floating-point-control register that decide whether the host may do the arithmetic, and how they must be:
/// results round to nearest, nothing traps, and "inexact" has been signalled already, so that it need not be again.
const DECIDE: u32 = 0xf808_0007;
const READY: u32 = 0x0008_0000;

/// Whether the host may do the arithmetic for a program with this floating-point-control register.
pub fn ready(fpc: u32) -> bool {
    fpc & DECIDE == READY
}

/// What can be done inline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Float {
    Load {
        long: bool,
    },
    Store {
        long: bool,
    },
    Copy {
        long: bool,
    },
    Zero {
        long: bool,
    },
    ToGeneral,
    FromGeneral,
    Arithmetic {
        op: Op,
        long: bool,
        storage: bool,
    },
    Compare {
        long: bool,
        storage: bool,
    },
    Test {
        long: bool,
    },
    /// With the condition code of the result, or without and whatever it is.
    Sign {
        how: Sign,
        long: bool,
        code: bool,
    },
    FromInteger {
        from: Width,
        long: bool,
    },
    /// `host`: the host's number of the rounding method.
    ToInteger {
        to: Width,
        long: bool,
        truncate: bool,
    },
    Round {
        host: i8,
        long: bool,
    },
    Lengthen {
        storage: bool,
    },
    Shorten,
}

impl Float {
    /// How many bytes of storage are its second operand, if that is in storage, and whether they are changed.
    pub fn access(self) -> Option<(i32, bool)> {
        let bytes = |long| if long { 8 } else { 4 };
        match self {
            Float::Load { long } => Some((bytes(long), false)),
            Float::Store { long } => Some((bytes(long), true)),
            Float::Arithmetic { long, storage: true, .. } | Float::Compare { long, storage: true } => {
                Some((bytes(long), false))
            }
            Float::Lengthen { storage: true } => Some((4, false)),
            _ => None,
        }
    }

    /// Whether its result is in a general register.
    pub fn sets_general(self) -> bool {
        matches!(self, Float::ToGeneral | Float::ToInteger { .. })
    }
}

/// The operation of an arithmetic instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Add,
    Subtract,
    Multiply,
    Divide,
    SquareRoot,
    MultiplyAdd,
    MultiplySubtract,
}

/// What happens to a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    Complement,
    Negative,
    Positive,
}

/// Which zero is an exact result.
#[derive(Clone, Copy)]
pub enum Exact {
    Always,
    /// If this host register has a zero.
    If(u8),
    /// If one of these has.
    Either(u8, u8),
    /// If the first and one of the others have.
    Both(u8, u8, u8),
}

/// Behind the block: what became of a result that is no ordinary number.
#[derive(Clone, Copy)]
pub struct Unusual {
    pub label: DynamicLabel,
    back: DynamicLabel,
    site: DynamicLabel,
    long: bool,
    exact: Exact,
    /// A general register with the result, which becomes that of plus zero.
    bits: Option<u8>,
}

/// What to do inline for an instruction, if anything.
pub fn float(mnemonic: &str, i: &Fields) -> Option<Float> {
    use Float::*;
    let plain = i.m3 | i.m4 == 0;
    let rounds = |name: &str| mnemonic.starts_with(name) && i.m4 == 0;
    Some(match mnemonic {
        "LE" | "LEY" => Load { long: false },
        "LD" | "LDY" => Load { long: true },
        "STE" | "STEY" => Store { long: false },
        "STD" | "STDY" => Store { long: true },
        "LER" => Copy { long: false },
        "LDR" => Copy { long: true },
        "LZER" => Zero { long: false },
        "LZDR" => Zero { long: true },
        "LGDR" => ToGeneral,
        "LDGR" => FromGeneral,
        "CEBR" | "KEBR" => Compare { long: false, storage: false },
        "CEB" | "KEB" => Compare { long: false, storage: true },
        "CDBR" | "KDBR" => Compare { long: true, storage: false },
        "CDB" | "KDB" => Compare { long: true, storage: true },
        "LTEBR" => Test { long: false },
        "LTDBR" => Test { long: true },
        "LCEBR" => Sign { how: self::Sign::Complement, long: false, code: true },
        "LCDBR" => Sign { how: self::Sign::Complement, long: true, code: true },
        "LCDFR" => Sign { how: self::Sign::Complement, long: true, code: false },
        "LNEBR" => Sign { how: self::Sign::Negative, long: false, code: true },
        "LNDBR" => Sign { how: self::Sign::Negative, long: true, code: true },
        "LNDFR" => Sign { how: self::Sign::Negative, long: true, code: false },
        "LPEBR" => Sign { how: self::Sign::Positive, long: false, code: true },
        "LPDBR" => Sign { how: self::Sign::Positive, long: true, code: true },
        "LPDFR" => Sign { how: self::Sign::Positive, long: true, code: false },
        // The modifiers change rounding and what is signalled.
        "CEFBR" if plain => FromInteger { from: W32, long: false },
        "CDFBR" if plain => FromInteger { from: W32, long: true },
        "CEGBR" if plain => FromInteger { from: W64, long: false },
        "CDGBR" if plain => FromInteger { from: W64, long: true },
        "LDEBR" => Lengthen { storage: false },
        "LDEB" => Lengthen { storage: true },
        "LEDBR" if plain => Shorten,
        // 5 is toward zero; 4, and 0 as long as the FPC says so, is to nearest.
        "CFEBR" | "CFDBR" | "CGEBR" | "CGDBR" if rounds("C") && matches!(i.m3, 0 | 4 | 5) => ToInteger {
            to: if mnemonic.starts_with("CF") { W32 } else { W64 },
            long: mnemonic.ends_with("DBR"),
            truncate: i.m3 == 5,
        },
        "FIEBR" | "FIDBR" if rounds("FI") && is_x86_feature_detected!("sse4.1") => {
            let host = match i.m3 {
                0 | 4 => 0,
                5 => 3,
                6 => 2,
                7 => 1,
                _ => return None,
            };
            Round { host, long: mnemonic == "FIDBR" }
        }
        _ => {
            let (name, storage) = match mnemonic.strip_suffix("BR") {
                Some(name) => (name, false),
                None => (mnemonic.strip_suffix('B')?, true),
            };
            let (op, long) = match name {
                "AE" => (Op::Add, false),
                "AD" => (Op::Add, true),
                "SE" => (Op::Subtract, false),
                "SD" => (Op::Subtract, true),
                "MEE" => (Op::Multiply, false),
                "MD" => (Op::Multiply, true),
                "DE" => (Op::Divide, false),
                "DD" => (Op::Divide, true),
                "SQE" => (Op::SquareRoot, false),
                "SQD" => (Op::SquareRoot, true),
                "MAE" => (Op::MultiplyAdd, false),
                "MAD" => (Op::MultiplyAdd, true),
                "MSE" => (Op::MultiplySubtract, false),
                "MSD" => (Op::MultiplySubtract, true),
                _ => return None,
            };
            if matches!(op, Op::MultiplyAdd | Op::MultiplySubtract) && !is_x86_feature_detected!("fma") {
                return None;
            }
            Arithmetic { op, long, storage }
        }
    })
}

/// The displacement from rbp of a floating-point register; a short number is in its left half.
fn fpr(r: u8, long: bool) -> i32 {
    field(layout::FPR) + 16 * (r & 15) as i32 + if long { 0 } else { 4 }
}

// ---- registers
impl Emitter<'_> {
    fn load_float(&mut self, x: u8, r: u8, long: bool) {
        if long {
            asm!(self, movsd Rx(x), [rbp + fpr(r, true)])
        } else {
            asm!(self, movss Rx(x), [rbp + fpr(r, false)])
        }
    }

    fn store_float(&mut self, x: u8, r: u8, long: bool) {
        if long { asm!(self, movsd[rbp + fpr(r, true)], Rx(x)) } else { asm!(self, movss[rbp + fpr(r, false)], Rx(x)) }
    }

    /// Stores the floating-point registers that are newer than the state. The host's flags stay.
    pub fn write_back_floats(&mut self, floats: &Floats) {
        for (r, x, dirty, long) in floats.held() {
            if dirty {
                self.store_float(x, r, long);
            }
        }
    }

    /// The state is as new as the host register.
    fn settle_float(&mut self, r: u8) {
        let floats = self.map.floats;
        if floats.dirty >> r & 1 == 1 {
            self.store_float(floats.host[r as usize], r, floats.long >> r & 1 == 1);
            self.map.floats.dirty &= !(1 << r);
        }
    }

    /// The state has, or gets, a newer value of `r` than its host register.
    fn forget_float(&mut self, r: u8) {
        self.map.floats.host[r as usize] = NONE;
        self.map.floats.dirty &= !(1 << r);
    }

    /// A host register for `r`, which has none: the same each time, if it is free.
    fn place_float(&mut self, r: u8) -> u8 {
        let taken = |e: &Self, x: u8| e.map.floats.host.iter().position(|&host| host == x);
        let order = || (0..COUNT as u8).map(|n| FIRST + (r + n) % COUNT as u8);
        let x = match order().find(|&x| taken(self, x).is_none()) {
            Some(x) => x,
            None => {
                let x =
                    order().find(|&x| self.floats_touched >> x & 1 == 0).expect("an instruction has three operands");
                let other = taken(self, x).expect("all are taken") as u8;
                self.settle_float(other);
                self.forget_float(other);
                x
            }
        };
        self.map.floats.host[r as usize] = x;
        self.floats_touched |= 1 << x;
        x
    }

    /// The host register that has the number in `r`. Must not come between the making of a site and the jump to it.
    fn float(&mut self, r: u8, long: bool) -> u8 {
        let r = r & 15;
        let bit = 1 << r;
        let x = self.map.floats.host[r as usize];
        if x != NONE && (self.map.floats.long & bit != 0) == long {
            self.floats_touched |= 1 << x;
            return x;
        }
        let x = if x == NONE {
            self.place_float(r)
        } else {
            self.settle_float(r);
            x
        };
        self.floats_touched |= 1 << x;
        self.load_float(x, r, long);
        self.map.floats.dirty &= !bit;
        self.map.floats.long = self.map.floats.long & !bit | if long { bit } else { 0 };
        x
    }

    /// The host register that is going to have a new number in `r`; what it has now may be another's. The last of an
    /// instruction.
    fn new_float(&mut self, r: u8, long: bool) -> u8 {
        let r = r & 15;
        let bit = 1 << r;
        let x = match self.map.floats.host[r as usize] {
            NONE => self.place_float(r),
            x => {
                if !long && self.map.floats.long & bit != 0 {
                    // The right half must be in the state.
                    self.settle_float(r);
                }
                x
            }
        };
        self.map.floats.dirty |= bit;
        self.map.floats.long = self.map.floats.long & !bit | if long { bit } else { 0 };
        x
    }

    /// `r` becomes the number in xmm0.
    fn set_float(&mut self, r: u8, long: bool) {
        let x = self.new_float(r, long);
        asm!(self, movaps Rx(x), xmm0);
    }

    /// All 64 bits of a floating-point register as a word.
    pub fn float_bits(&mut self, r: u8) -> Word {
        let t = self.temp();
        let (r, floats) = (r & 15, self.map.floats);
        if floats.host[r as usize] != NONE && floats.long >> r & 1 == 1 {
            asm!(self, movq Rq(t), Rx(floats.host[r as usize]))
        } else {
            self.settle_float(r);
            asm!(self, mov Rq(t), [rbp + fpr(r, true)])
        }
        self.reg(t, Left::Valid)
    }

    pub fn set_float_bits(&mut self, r: u8, v: Word) {
        let h = self.host(v, W64);
        let x = self.new_float(r, true);
        asm!(self, movq Rx(x), Rq(h));
    }

    /// The left half of a vector register is going to be looked for in the state.
    pub fn settle_vector(&mut self, r: u8) {
        if r < 16 {
            self.settle_float(r);
        }
    }

    /// The state has a newer left half of a vector register.
    pub fn forget_vector(&mut self, r: u8) {
        if r < 16 {
            self.forget_float(r);
        }
    }

    /// Brings the floating-point registers from where they are to where a loop has them; `false`: that cannot be.
    pub fn floats_go(&mut self, from: &Floats, to: &Floats) -> bool {
        if to.checked && !from.checked {
            return false;
        }
        let stays = |r: u8| {
            let bit = 1 << r;
            from.host[r as usize] == to.host[r as usize] && from.long & bit == to.long & bit
        };
        for (r, x, dirty, long) in from.held() {
            if dirty && !(stays(r) && to.dirty >> r & 1 == 1) {
                self.store_float(x, r, long);
            }
        }
        for (r, x, _, long) in to.held() {
            if !stays(r) {
                self.load_float(x, r, long);
            }
        }
        true
    }
}

// ---- instructions
impl Emitter<'_> {
    /// Emits what [`float`] chose.
    pub fn floating(&mut self, what: Float, i: &Fields) {
        match what {
            Float::Load { long } => {
                let at = self.address(i.x2, i.b2, i.d2);
                let width = if long { W64 } else { W32 };
                let Ok(v) = self.load(width, at);
                let h = self.host(v, width);
                let x = self.new_float(i.r1, long);
                self.put_bits(x, h, long);
            }
            Float::Store { long } => {
                let at = self.address(i.x2, i.b2, i.d2);
                let x = self.float(i.r1, long);
                let t = self.temp();
                let v = self.take_bits(t, x, long);
                let Ok(()) = self.store(if long { W64 } else { W32 }, at, v);
            }
            Float::Copy { long } => {
                let from = self.float(i.r2, long);
                let x = self.new_float(i.r1, long);
                asm!(self, movaps Rx(x), Rx(from));
            }
            Float::Zero { long } => {
                let x = self.new_float(i.r1, long);
                asm!(self, xorps Rx(x), Rx(x));
            }
            Float::ToGeneral => {
                let w = self.float_bits(i.r2);
                self.set_general(W64, i.r1, w);
            }
            Float::FromGeneral => {
                let w = self.general(W64, i.r2);
                self.set_float_bits(i.r1, w);
            }
            Float::Arithmetic { op, long, storage } => self.arithmetic(op, long, storage, i),
            Float::Compare { long, storage } => {
                let b = self.second_float(long, storage, i);
                let a = self.float(i.r1, long);
                self.compare_float(a, b, long);
            }
            Float::Test { long } => {
                let b = self.float(i.r2, long);
                asm!(self, pxor xmm1, xmm1);
                self.compare_float(b, 1, long);
                if i.r1 & 15 != i.r2 & 15 {
                    let x = self.new_float(i.r1, long);
                    asm!(self, movaps Rx(x), Rx(b));
                }
            }
            Float::Sign { how, long, code } => self.sign_of_float(how, long, code, i),
            Float::FromInteger { from, long } => {
                let w = self.general(from, i.r2);
                let h = self.host(w, from);
                // The others are exact.
                if from == W64 || !long {
                    self.check_fpc();
                }
                asm!(self, pxor xmm0, xmm0);
                match (from == W64, long) {
                    (true, true) => asm!(self, cvtsi2sd xmm0, Rq(h)),
                    (false, true) => asm!(self, cvtsi2sd xmm0, Rd(h)),
                    (true, false) => asm!(self, cvtsi2ss xmm0, Rq(h)),
                    (false, false) => asm!(self, cvtsi2ss xmm0, Rd(h)),
                }
                self.set_float(i.r1, long);
            }
            Float::ToInteger { to, long, truncate } => {
                self.check_fpc();
                let x = self.float(i.r2, long);
                let t = self.temp();
                let site = self.site();
                match (to == W64, long, truncate) {
                    (true, true, true) => asm!(self, cvttsd2si Rq(t), Rx(x)),
                    (true, true, false) => asm!(self, cvtsd2si Rq(t), Rx(x)),
                    (true, false, true) => asm!(self, cvttss2si Rq(t), Rx(x)),
                    (true, false, false) => asm!(self, cvtss2si Rq(t), Rx(x)),
                    (false, true, true) => asm!(self, cvttsd2si Rd(t), Rx(x)),
                    (false, true, false) => asm!(self, cvtsd2si Rd(t), Rx(x)),
                    (false, false, true) => asm!(self, cvttss2si Rd(t), Rx(x)),
                    (false, false, false) => asm!(self, cvtss2si Rd(t), Rx(x)),
                }
                // What is out of range gives the least integer, and only that less 1 overflows.
                if to == W64 {
                    asm!(self, cmp Rq(t), 1 ; jo =>site ; pxor xmm1, xmm1)
                } else {
                    asm!(self, cmp Rd(t), 1 ; jo =>site ; pxor xmm1, xmm1)
                }
                self.compare_float(x, 1, long);
                let w = self.reg(t, if to == W64 { Left::Valid } else { Left::Zero });
                self.set_general(to, i.r1, w);
            }
            Float::Round { host, long } => {
                self.check_fpc();
                let x = self.float(i.r2, long);
                let site = self.site();
                if long {
                    asm!(self, ucomisd Rx(x), Rx(x) ; jp =>site ; pxor xmm0, xmm0 ; roundsd xmm0, Rx(x), host)
                } else {
                    asm!(self, ucomiss Rx(x), Rx(x) ; jp =>site ; pxor xmm0, xmm0 ; roundss xmm0, Rx(x), host)
                }
                self.set_float(i.r1, long);
            }
            Float::Lengthen { storage } => {
                let x = self.second_float(false, storage, i);
                let site = self.site();
                asm!(self, ucomiss Rx(x), Rx(x) ; jp =>site ; pxor xmm0, xmm0 ; cvtss2sd xmm0, Rx(x));
                self.set_float(i.r1, true);
            }
            Float::Shorten => {
                self.check_fpc();
                let x = self.float(i.r2, true);
                asm!(self, pxor xmm0, xmm0 ; cvtsd2ss xmm0, Rx(x));
                // A zero is exact if a zero was rounded, which as a short number it is only with zeros in its left half too.
                let site = self.site();
                let zero = self.a.new_dynamic_label();
                asm!(self, pxor xmm2, xmm2 ; ucomisd Rx(x), xmm2 ; jp =>site ; je =>zero);
                self.ordinary(false, site);
                asm!(self, =>zero);
                self.set_float(i.r1, false);
            }
        }
    }

    fn put_bits(&mut self, x: u8, h: u8, long: bool) {
        if long { asm!(self, movq Rx(x), Rq(h)) } else { asm!(self, movd Rx(x), Rd(h)) }
    }

    fn take_bits(&mut self, h: u8, x: u8, long: bool) -> Word {
        if long {
            asm!(self, movq Rq(h), Rx(x))
        } else {
            asm!(self, movd Rd(h), Rx(x))
        }
        self.reg(h, if long { Left::Valid } else { Left::Zero })
    }

    /// The second operand: a register's, or from storage in xmm1.
    fn second_float(&mut self, long: bool, storage: bool, i: &Fields) -> u8 {
        if !storage {
            return self.float(i.r2, long);
        }
        let at = self.address(i.x2, i.b2, i.d2);
        let width = if long { W64 } else { W32 };
        let Ok(v) = self.load(width, at);
        let h = self.host(v, width);
        self.put_bits(1, h, long);
        1
    }

    /// The condition code of the comparison of two numbers, which must not be NaNs.
    fn compare_float(&mut self, a: u8, b: u8, long: bool) {
        let t = self.temp();
        let site = self.site();
        if long {
            asm!(self, ucomisd Rx(a), Rx(b))
        } else {
            asm!(self, ucomiss Rx(a), Rx(b))
        }
        asm!(self, jp =>site ; seta al ; setb cl ; movzx eax, al ; movzx ecx, cl ; lea Rd(t), [rcx + rax * 2]);
        let w = self.reg(t, Left::Zero);
        self.name_code(Cc::Value(w));
    }

    fn sign_of_float(&mut self, how: Sign, long: bool, code: bool, i: &Fields) {
        let from = self.float(i.r2, long);
        let t = self.temp();
        if code {
            let site = self.site();
            if long {
                asm!(self, ucomisd Rx(from), Rx(from) ; jp =>site)
            } else {
                asm!(self, ucomiss Rx(from), Rx(from) ; jp =>site)
            }
        }
        self.take_bits(t, from, long);
        match (how, long) {
            (Sign::Complement, true) => asm!(self, btc Rq(t), 63),
            (Sign::Negative, true) => asm!(self, bts Rq(t), 63),
            (Sign::Positive, true) => asm!(self, btr Rq(t), 63),
            (Sign::Complement, false) => asm!(self, btc Rd(t), 31),
            (Sign::Negative, false) => asm!(self, bts Rd(t), 31),
            (Sign::Positive, false) => asm!(self, btr Rd(t), 31),
        }
        let x = self.new_float(i.r1, long);
        self.put_bits(x, t, long);
        if code {
            // Zeros become plus zero: then the sign is where an integer's is.
            asm!(self, pxor xmm1, xmm1);
            if long {
                asm!(self, addsd xmm1, Rx(x))
            } else {
                asm!(self, addss xmm1, Rx(x))
            }
            let value = self.take_bits(t, 1, long);
            self.name_code(Cc::Sign { width: if long { W64 } else { W32 }, value });
        }
    }

    /// Makes sure that the host may do the arithmetic. Only instructions that are called change that, but for the flag. If
    /// there is reason to believe that it may, it is looked at once, and who may not leaves the block.
    fn check_fpc(&mut self) {
        if self.map.floats.checked {
            return;
        }
        let site = self.site();
        asm!(self, mov eax, [rbp + field(layout::FPC)] ; and eax, DECIDE as i32 ; cmp eax, READY as i32 ; jne =>site);
        if self.plan.float_ready {
            self.last_site().quits = true;
            self.map.floats.checked = true;
        }
    }

    /// Jumps unless xmm0 is a normal number clear of the ends of the range. The least exponent is left out, too: it may be
    /// the result of rounding.
    fn ordinary(&mut self, long: bool, otherwise: DynamicLabel) {
        if long {
            asm!(self, pextrw eax, xmm0, 3 ; sub eax, 2 << 4 ; and eax, 0x7ff0 ; cmp eax, 0x7fd << 4 ; jae =>otherwise)
        } else {
            asm!(self, pextrw eax, xmm0, 1 ; sub eax, 2 << 7 ; and eax, 0x7f80 ; cmp eax, 0xfd << 7 ; jae =>otherwise)
        }
    }

    fn arithmetic(&mut self, op: Op, long: bool, storage: bool, i: &Fields) {
        let with_code = matches!(op, Op::Add | Op::Subtract);
        let t = with_code.then(|| self.temp());
        self.check_fpc();
        let b = self.second_float(long, storage, i);
        // MULTIPLY AND ADD has its sum in the first operand and multiplies the third.
        let first = if op == Op::SquareRoot { b } else { self.float(i.r1, long) };
        let third = match op {
            Op::MultiplyAdd | Op::MultiplySubtract => self.float(i.r3, long),
            _ => first,
        };
        asm!(self, movaps xmm0, Rx(first));
        match (op, long) {
            (Op::Add, true) => asm!(self, addsd xmm0, Rx(b)),
            (Op::Subtract, true) => asm!(self, subsd xmm0, Rx(b)),
            (Op::Multiply, true) => asm!(self, mulsd xmm0, Rx(b)),
            (Op::Divide, true) => asm!(self, divsd xmm0, Rx(b)),
            (Op::SquareRoot, true) => asm!(self, sqrtsd xmm0, xmm0),
            (Op::MultiplyAdd, true) => asm!(self, vfmadd231sd xmm0, Rx(b), Rx(third)),
            (Op::MultiplySubtract, true) => asm!(self, vfmsub231sd xmm0, Rx(b), Rx(third)),
            (Op::Add, false) => asm!(self, addss xmm0, Rx(b)),
            (Op::Subtract, false) => asm!(self, subss xmm0, Rx(b)),
            (Op::Multiply, false) => asm!(self, mulss xmm0, Rx(b)),
            (Op::Divide, false) => asm!(self, divss xmm0, Rx(b)),
            (Op::SquareRoot, false) => asm!(self, sqrtss xmm0, xmm0),
            (Op::MultiplyAdd, false) => asm!(self, vfmadd231ss xmm0, Rx(b), Rx(third)),
            (Op::MultiplySubtract, false) => asm!(self, vfmsub231ss xmm0, Rx(b), Rx(third)),
        }
        if let Some(t) = t {
            self.take_bits(t, 0, long);
        }
        let site = self.site();
        let (label, back) = (self.a.new_dynamic_label(), self.a.new_dynamic_label());
        self.ordinary(long, label);
        asm!(self, =>back);
        let exact = match op {
            // A sum is never inexact and tiny, and a root never tiny.
            Op::Add | Op::Subtract | Op::SquareRoot => Exact::Always,
            Op::Multiply => Exact::Either(first, b),
            Op::Divide => Exact::If(first),
            Op::MultiplyAdd | Op::MultiplySubtract => Exact::Both(first, b, third),
        };
        self.cold.push(Cold::Unusual(Unusual { label, back, site, long, exact, bits: t }));
        self.set_float(i.r1, long);
        if let Some(t) = t {
            // The sign of what is not zero is where an integer's is.
            let value = self.reg(t, if long { Left::Valid } else { Left::Zero });
            self.name_code(Cc::Sign { width: if long { W64 } else { W32 }, value });
        }
    }

    /// Emits what stands behind the block for a result that is no ordinary number.
    pub fn unusual(&mut self, u: &Unusual) {
        let Unusual { label, back, site, long, exact, bits } = *u;
        asm!(self, =>label ; pxor xmm2, xmm2);
        self.zero(0, long, site);
        asm!(self, jne =>site);
        let good = self.a.new_dynamic_label();
        let either = |e: &mut Self, a: u8, b: u8| {
            e.zero(a, long, site);
            asm!(e, je =>good);
            e.zero(b, long, site);
            asm!(e, jne =>site);
        };
        match exact {
            Exact::Always => {}
            Exact::If(a) => {
                self.zero(a, long, site);
                asm!(self, jne =>site);
            }
            Exact::Either(a, b) => either(self, a, b),
            Exact::Both(sum, a, b) => {
                self.zero(sum, long, site);
                asm!(self, jne =>site);
                either(self, a, b);
            }
        }
        asm!(self, =>good);
        if let Some(t) = bits {
            asm!(self, xor Rd(t), Rd(t));
        }
        asm!(self, jmp =>back);
    }

    /// Sets the host's flags by comparing with xmm2, which is zero; a NaN goes to the site.
    fn zero(&mut self, x: u8, long: bool, site: DynamicLabel) {
        if long { asm!(self, ucomisd Rx(x), xmm2 ; jp =>site) } else { asm!(self, ucomiss Rx(x), xmm2 ; jp =>site) }
    }
}

/// Stores or loads the host registers that may have floating-point registers, where sites look for them.
pub fn spill(a: &mut crate::emitter::Assembler, store: bool) {
    struct E<'a> {
        a: &'a mut crate::emitter::Assembler,
    }
    let e = E { a };
    for n in 0..COUNT {
        let (x, at) = (FIRST + n as u8, scratch(SPILL_FLOATS + n));
        if store { asm!(e, movsd[rbp + at], Rx(x)) } else { asm!(e, movsd Rx(x), [rbp + at]) }
    }
}
