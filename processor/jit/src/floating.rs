//! Binary floating point: the guest's floating-point registers in the host's, and the host's arithmetic as the guest's.
//!
//! The host's arithmetic gives the guest's result as long as results round to nearest and nothing traps, which is looked at once
//! ([`Emitter::check_fpc`]). The flags then stay in the host's MXCSR, where they are as sticky as in the floating-point-control
//! register, and get there when somebody else needs it: at a site, a call, or the way out ([`take_flags`]). Two results go to the
//! site: a NaN, since the host makes others of them, and the least normal number where it may have been tiny before it was
//! rounded, which the guest takes for underflow and the host does not. So "invalid" never comes from the host.
//!
//! A guest register stays in a host register from its first use to the end of the block, or around a loop ([`crate::carry`]).
//! What arithmetic makes gets a host register of its own as long as there are any; else, and unlike general registers, they are
//! changed in place, always as the last thing that an instruction does: behind that, nothing leads to one of its sites.

use crate::carry::in_turn;
use crate::emitter::{Cold, Emitter, asm, field, scratch};
use crate::word::*;
use cpu::{State, layout};
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

/// The bits of the floating-point-control register that must be off so that the host may do the arithmetic: results round to
/// nearest, and nothing traps.
const DECIDE: u32 = 0xf800_0007;

/// Whether the host may do the arithmetic for a program with this floating-point-control register.
pub fn ready(fpc: u32) -> bool {
    fpc & DECIDE == 0
}

/// The host's MXCSR with every exception masked, rounding to nearest, and no flag on.
const MXCSR: u32 = 0x1f80;
/// Its flags that are the guest's, too, and where the guest has them (POP, chapter 9): division by zero, overflow, underflow,
/// inexact.
const FLAGS: [(u32, u32); 4] = [(4, 0x0040_0000), (8, 0x0020_0000), (16, 0x0010_0000), (32, 0x0008_0000)];

/// Whether flags of the guest are in the MXCSR.
pub fn owes_flags(s: &State) -> bool {
    s.scratch[FLOATED] as u8 != 0
}

/// What generated code needs to find in `State::scratch` when it is entered; `routine` is what [`emit`] made.
pub fn prepare(s: &mut State, routine: u64) {
    s.scratch[FLOATED] = u64::from(MXCSR) << 32;
    s.scratch[FLOATS_READY] = routine;
    s.scratch[SIGN] = 1 << 63;
    s.scratch[MAGNITUDE] = u64::MAX >> 1;
    s.scratch[SHORT_LEAST] = 0x0080_0000_7fff_ffff;
    s.scratch[LEAST] = 0x0010_0000_0000_0000;
}

/// The flags that are in the MXCSR go into the floating-point-control register, and stay there alone.
pub fn take_flags(s: &mut State) {
    let mut mxcsr = 0u32;
    // SAFETY: four bytes are stored into a variable of four.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags)) };
    for (host, guest) in FLAGS {
        if mxcsr & host != 0 {
            s.fpc |= guest;
        }
    }
    s.scratch[FLOATED] = u64::from(MXCSR) << 32;
}

/// The host may go on as it did before [`take_flags`], unless that is no longer so.
pub fn give_flags(s: &mut State) {
    if ready(s.fpc) {
        let mxcsr = MXCSR;
        // SAFETY: that is how Rust has it, but for the flags, which mean nothing there.
        unsafe {
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack, preserves_flags, readonly))
        };
        s.scratch[FLOATED] |= 1;
    }
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

/// Behind the block: what becomes of a result that is to be looked at again. The host's flags say how it compares.
#[derive(Clone, Copy)]
pub struct Unusual {
    label: DynamicLabel,
    back: DynamicLabel,
    site: DynamicLabel,
    what: Again,
}

#[derive(Clone, Copy)]
enum Again {
    /// Nothing is known yet of the floating-point-control register.
    Control,
    /// A zero, or a NaN; a general register with the bits of the result, which become those of plus zero.
    Zero(u8),
    /// Tiny, or the least normal number, or a NaN.
    Tiny,
}

/// What to do inline for an instruction, if anything.
pub fn float(mnemonic: &str, i: &Fields) -> Option<Float> {
    use Float::*;
    if !is_x86_feature_detected!("avx") {
        return None;
    }
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

    /// A host register for a result that is not sure yet: one that nobody has, or xmm0.
    fn free_float(&mut self) -> u8 {
        let held = self.map.floats.held().fold(self.floats_touched, |all, (_, x, ..)| all | 1 << x);
        (FIRST..FIRST + COUNT as u8).find(|&x| held >> x & 1 == 0).unwrap_or(0)
    }

    /// `r` becomes the number in `x`, which [`Emitter::free_float`] found. The last of an instruction.
    fn set_float(&mut self, r: u8, x: u8, long: bool) {
        if x == 0 {
            let x = self.new_float(r, long);
            return asm!(self, movaps Rx(x), xmm0);
        }
        let r = r & 15;
        let bit = 1 << r;
        if !long && self.map.floats.host[r as usize] != NONE && self.map.floats.long & bit != 0 {
            self.settle_float(r);
        }
        self.map.floats.host[r as usize] = x;
        self.map.floats.dirty |= bit;
        self.map.floats.long = self.map.floats.long & !bit | if long { bit } else { 0 };
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

    /// Brings the floating-point registers from where they are to where others have them; `false`: that cannot be.
    pub fn floats_go(&mut self, from: &Floats, to: &Floats) -> bool {
        if to.checked && !from.checked {
            return false;
        }
        let same = |r: u8| {
            let bit = 1 << r;
            from.host[r as usize] != NONE && to.host[r as usize] != NONE && from.long & bit == to.long & bit
        };
        for (r, x, dirty, long) in from.held() {
            if dirty && !(same(r) && to.dirty >> r & 1 == 1) {
                self.store_float(x, r, long);
            }
        }
        let moves = to.held().filter(|&(r, ..)| same(r)).map(|(r, x, ..)| (x, from.host[r as usize])).collect();
        for (to, from) in in_turn(moves) {
            asm!(self, movaps Rx(to), Rx(from));
        }
        for (r, x, _, long) in to.held().filter(|&(r, ..)| !same(r)) {
            self.load_float(x, r, long);
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
                let x = self.free_float();
                asm!(self, xorps Rx(x), Rx(x));
                match (from == W64, long) {
                    (true, true) => asm!(self, cvtsi2sd Rx(x), Rq(h)),
                    (false, true) => asm!(self, cvtsi2sd Rx(x), Rd(h)),
                    (true, false) => asm!(self, cvtsi2ss Rx(x), Rq(h)),
                    (false, false) => asm!(self, cvtsi2ss Rx(x), Rd(h)),
                }
                self.set_float(i.r1, x, long);
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
                self.set_float(i.r1, 0, long);
            }
            Float::Lengthen { storage } => {
                let x = self.second_float(false, storage, i);
                let site = self.site();
                let to = self.free_float();
                asm!(self, ucomiss Rx(x), Rx(x) ; jp =>site ; xorps Rx(to), Rx(to) ; cvtss2sd Rx(to), Rx(x));
                self.set_float(i.r1, to, true);
            }
            Float::Shorten => {
                self.check_fpc();
                let from = self.float(i.r2, true);
                let x = self.free_float();
                asm!(self, xorps Rx(x), Rx(x) ; cvtsd2ss Rx(x), Rx(from));
                let site = self.site();
                self.not_tiny(x, false, site);
                self.set_float(i.r1, x, false);
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
        let t = code.then(|| self.temp());
        let x = self.free_float();
        let sign = scratch(SIGN);
        let magnitude = scratch(if long { MAGNITUDE } else { SHORT_LEAST });
        match (how, long) {
            (Sign::Complement, true) => asm!(self, vxorpd Rx(x), Rx(from), [rbp + sign]),
            (Sign::Negative, true) => asm!(self, vorpd Rx(x), Rx(from), [rbp + sign]),
            (Sign::Positive, true) => asm!(self, vandpd Rx(x), Rx(from), [rbp + magnitude]),
            (Sign::Complement, false) => asm!(self, vxorps Rx(x), Rx(from), [rbp + sign + 4]),
            (Sign::Negative, false) => asm!(self, vorps Rx(x), Rx(from), [rbp + sign + 4]),
            (Sign::Positive, false) => asm!(self, vandps Rx(x), Rx(from), [rbp + magnitude]),
        }
        if let Some(t) = t {
            self.sign_code(x, t, long);
        }
        self.set_float(i.r1, x, long);
    }

    /// The condition code of a result, which goes into `t`, too: its sign is where an integer's is, unless it is a zero.
    fn sign_code(&mut self, x: u8, t: u8, long: bool) {
        let value = self.take_bits(t, x, long);
        let site = self.site();
        asm!(self, xorps xmm2, xmm2);
        if long {
            asm!(self, ucomisd Rx(x), xmm2)
        } else {
            asm!(self, ucomiss Rx(x), xmm2)
        }
        let again = self.again(Again::Zero(t), site);
        asm!(self, je =>again.label ; =>again.back);
        self.name_code(Cc::Sign { width: if long { W64 } else { W32 }, value });
    }

    /// Code behind the block.
    fn again(&mut self, what: Again, site: DynamicLabel) -> Unusual {
        let [label, back] = [0; 2].map(|_| self.a.new_dynamic_label());
        let unusual = Unusual { label, back, site, what };
        self.cold.push(Cold::Unusual(unusual));
        unusual
    }

    /// Makes sure that the host may do the arithmetic. Only instructions that are called change that, but for the flag. If
    /// there is reason to believe that it may, it is looked at once, and who may not leaves the block.
    fn check_fpc(&mut self) {
        if self.map.floats.checked {
            return;
        }
        let site = self.site();
        let again = self.again(Again::Control, site);
        asm!(self, cmp BYTE [rbp + scratch(FLOATED)], 1 ; jne =>again.label ; =>again.back);
        if self.plan.float_ready {
            self.last_site().quits = true;
            self.map.floats.checked = true;
        }
    }

    /// Makes sure that `x` is no NaN and has not been rounded to the least normal number.
    fn not_tiny(&mut self, x: u8, long: bool, site: DynamicLabel) {
        let again = self.again(Again::Tiny, site);
        if long {
            asm!(self, vandpd xmm2, Rx(x), [rbp + scratch(MAGNITUDE)] ; vucomisd xmm2, QWORD [rbp + scratch(LEAST)])
        } else {
            asm!(self, vandps xmm2, Rx(x), [rbp + scratch(SHORT_LEAST)] ; vucomiss xmm2, DWORD [rbp + scratch(SHORT_LEAST) + 4])
        }
        asm!(self, jbe =>again.label ; =>again.back);
    }

    fn arithmetic(&mut self, op: Op, long: bool, storage: bool, i: &Fields) {
        let t = matches!(op, Op::Add | Op::Subtract).then(|| self.temp());
        self.check_fpc();
        let b = self.second_float(long, storage, i);
        // MULTIPLY AND ADD has its sum in the first operand and multiplies the third.
        let first = if op == Op::SquareRoot { b } else { self.float(i.r1, long) };
        let third = match op {
            Op::MultiplyAdd | Op::MultiplySubtract => self.float(i.r3, long),
            _ => first,
        };
        let x = self.free_float();
        match (op, long) {
            (Op::Add, true) => asm!(self, vaddsd Rx(x), Rx(first), Rx(b)),
            (Op::Subtract, true) => asm!(self, vsubsd Rx(x), Rx(first), Rx(b)),
            (Op::Multiply, true) => asm!(self, vmulsd Rx(x), Rx(first), Rx(b)),
            (Op::Divide, true) => asm!(self, vdivsd Rx(x), Rx(first), Rx(b)),
            (Op::SquareRoot, true) => asm!(self, vsqrtsd Rx(x), Rx(b), Rx(b)),
            (Op::MultiplyAdd, true) => asm!(self, movaps Rx(x), Rx(first) ; vfmadd231sd Rx(x), Rx(b), Rx(third)),
            (Op::MultiplySubtract, true) => asm!(self, movaps Rx(x), Rx(first) ; vfmsub231sd Rx(x), Rx(b), Rx(third)),
            (Op::Add, false) => asm!(self, vaddss Rx(x), Rx(first), Rx(b)),
            (Op::Subtract, false) => asm!(self, vsubss Rx(x), Rx(first), Rx(b)),
            (Op::Multiply, false) => asm!(self, vmulss Rx(x), Rx(first), Rx(b)),
            (Op::Divide, false) => asm!(self, vdivss Rx(x), Rx(first), Rx(b)),
            (Op::SquareRoot, false) => asm!(self, vsqrtss Rx(x), Rx(b), Rx(b)),
            (Op::MultiplyAdd, false) => asm!(self, movaps Rx(x), Rx(first) ; vfmadd231ss Rx(x), Rx(b), Rx(third)),
            (Op::MultiplySubtract, false) => asm!(self, movaps Rx(x), Rx(first) ; vfmsub231ss Rx(x), Rx(b), Rx(third)),
        }
        match (op, t) {
            (_, Some(t)) => self.sign_code(x, t, long),
            // A root is never tiny.
            (Op::SquareRoot, _) => {
                let site = self.site();
                if long {
                    asm!(self, ucomisd Rx(x), Rx(x) ; jp =>site)
                } else {
                    asm!(self, ucomiss Rx(x), Rx(x) ; jp =>site)
                }
            }
            _ => {
                let site = self.site();
                self.not_tiny(x, long, site);
            }
        }
        self.set_float(i.r1, x, long);
    }

    /// Emits what stands behind the block for a result that is to be looked at again.
    pub fn unusual(&mut self, u: &Unusual) {
        let Unusual { label, back, site, what } = *u;
        asm!(self, =>label);
        match what {
            Again::Control => asm!(self, call QWORD [rbp + scratch(FLOATS_READY)] ; jne =>site),
            Again::Zero(t) => asm!(self, jp =>site ; xor Rd(t), Rd(t)),
            Again::Tiny => asm!(self, jp =>site ; je =>site),
        }
        asm!(self, jmp =>back);
    }
}

/// Emits what finds out whether the host may do the arithmetic, and prepares for it: "not equal": it may not.
pub fn emit(a: &mut crate::emitter::Assembler) -> usize {
    struct E<'a> {
        a: &'a mut crate::emitter::Assembler,
    }
    let e = E { a };
    let at = e.a.offset().0;
    asm!(e, test DWORD [rbp + field(layout::FPC)], DECIDE as i32 ; jne >no
        ; ldmxcsr [rbp + scratch(FLOATED) + 4] ; mov BYTE [rbp + scratch(FLOATED)], 1 ; no: ; ret);
    at
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
