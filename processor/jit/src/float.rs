//! Which binary-floating-point instructions are done inline, and what each needs; [`crate::floating`] emits them.

use isa::{Fields, Width, Width::*};

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

    /// The floating-point registers whose numbers it needs.
    pub fn reads(self, i: &Fields) -> u16 {
        let [first, second, third] = [i.r1, i.r2, i.r3].map(|r| 1u16 << (r & 15));
        let other = |storage: bool| if storage { 0 } else { second };
        match self {
            Float::Load { .. } | Float::Zero { .. } | Float::FromGeneral | Float::FromInteger { .. } => 0,
            Float::Store { .. } => first,
            Float::Arithmetic { op: Op::SquareRoot, storage, .. } | Float::Lengthen { storage } => other(storage),
            Float::Arithmetic { op: Op::MultiplyAdd | Op::MultiplySubtract, storage, .. } => {
                first | third | other(storage)
            }
            Float::Arithmetic { storage, .. } | Float::Compare { storage, .. } => first | other(storage),
            _ => second,
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
