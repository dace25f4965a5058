//! Which binary-floating-point instructions are done inline, and what each needs; [`crate::floating`] emits them.

pub use isa::form::{Arithmetic as Op, Sign};
use isa::{Fields, Width};

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

/// What to do inline for an instruction of this form, if anything.
pub fn float(form: isa::form::Float, i: &Fields) -> Option<Float> {
    use isa::form::Float as Form;
    if !is_x86_feature_detected!("avx") {
        return None;
    }
    // The modifiers change rounding and what is signalled.
    let plain = i.m3 | i.m4 == 0;
    Some(match form {
        Form::Load { long } => Float::Load { long },
        Form::Store { long } => Float::Store { long },
        Form::Copy { long } => Float::Copy { long },
        Form::Zero { long } => Float::Zero { long },
        Form::ToGeneral => Float::ToGeneral,
        Form::FromGeneral => Float::FromGeneral,
        Form::Compare { long, storage } => Float::Compare { long, storage },
        Form::Test { long } => Float::Test { long },
        Form::Sign { how, long, code } => Float::Sign { how, long, code },
        Form::FromInteger { from, long } if plain => Float::FromInteger { from, long },
        Form::Lengthen { storage } => Float::Lengthen { storage },
        Form::Shorten if plain => Float::Shorten,
        // 5 is toward zero; 4, and 0 as long as the FPC says so, is to nearest.
        Form::ToInteger { to, long } if i.m4 == 0 && matches!(i.m3, 0 | 4 | 5) => {
            Float::ToInteger { to, long, truncate: i.m3 == 5 }
        }
        Form::Round { long } if i.m4 == 0 && is_x86_feature_detected!("sse4.1") => {
            let host = match i.m3 {
                0 | 4 => 0,
                5 => 3,
                6 => 2,
                7 => 1,
                _ => return None,
            };
            Float::Round { host, long }
        }
        Form::Arithmetic { op: Op::MultiplyAdd | Op::MultiplySubtract, .. } if !is_x86_feature_detected!("fma") => {
            return None;
        }
        Form::Arithmetic { op, long, storage } => Float::Arithmetic { op, long, storage },
        _ => return None,
    })
}
