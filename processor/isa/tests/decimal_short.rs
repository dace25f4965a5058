//! Decimal floating point of few digits, which has short ways, against the ways that all operands can take: results,
//! flags and interruptions of the three formats, all rounding modes, each exception enabled or not.
//!
//! `SHORT=10000000` asks for that many cases instead of a million, `SEED=2` for others.
//!
//!     SHORT=10000000 cargo test --release -p isa --test decimal_short

use isa::bfp::value::{Fpc, Trap};
use isa::dfp::value::{self, Decimal, Environment, Number, Rounding, power};
use std::fmt::Debug;
use support::Random;

/// Cases, if no number is asked for.
const FEW: u64 = 1_000_000;

fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// A number: mostly with few digits, and with an exponent near zero or near the ends.
fn any<D: Decimal>(random: &mut Random) -> D {
    let most = if random.one_in(4) { D::DIGITS } else { D::DIGITS.min(19) };
    let digits = random.below(most + 1);
    let limit = power(digits);
    let any = u128::from(random.below(u64::MAX)) << 64 | u128::from(random.below(u64::MAX));
    let coefficient = match random.below(8u32) {
        0 => limit - 1,
        1 => limit / 2,
        2 => limit / 10 * 5 % limit,
        _ => any % limit,
    };
    let exponent = match random.below(8u32) {
        0 => D::LEAST + random.below(40i32),
        1 => D::GREATEST - random.below(40i32),
        _ => random.below(24i32) - 12,
    };
    let class = match random.below(64u32) {
        0 => value::Class::Infinite,
        1 => value::Class::Quiet,
        2 => value::Class::Signaling,
        _ => value::Class::Finite,
    };
    let negative = random.one_in(2);
    D::encode(match class {
        value::Class::Finite => Number::finite(negative, coefficient, exponent.clamp(D::LEAST, D::GREATEST)),
        class => Number { negative, class, coefficient: coefficient % power(D::DIGITS - 1), exponent: 0 },
    })
}

fn environment(random: &mut Random) -> Environment {
    // Each exception enabled alone, all or none; any DFP rounding mode.
    let masks = [0, 0, 0xfc, 0x80, 0x40, 0x20, 0x10, 0x08, 0x04];
    let fpc = Fpc(random.pick(&masks) << 24 | random.below(8u32) << 4);
    let rounding = Rounding::from_modifier(random.below(16u8), fpc, true);
    Environment { fpc, rounding, suppress_inexact: random.one_in(4), extension: random.one_in(2) }
}

/// Both ways in one environment.
fn both<T: PartialEq + Debug>(
    env: Environment,
    what: impl Debug,
    short: impl FnOnce(&mut Environment) -> Result<T, Trap<T>>,
    any: impl FnOnce(&mut Environment) -> Result<T, Trap<T>>,
) {
    let (mut one, mut other) = (env, env);
    let (found, expected) = (short(&mut one), any(&mut other));
    assert_eq!((found, one.fpc), (expected, other.fpc), "{what:x?} in {env:x?}");
}

fn case<D: Decimal>(random: &mut Random) {
    let (a, b): (D, D) = (any(random), any(random));
    let (env, choice) = (environment(random), random.one_in(2));
    both(env, ("add", a, b, choice), |e| value::add(e, a, b, choice), |e| value::add_any(e, a, b, choice));
    both(env, ("multiply", a, b), |e| value::multiply(e, a, b), |e| value::multiply_any(e, a, b));
    both(env, ("quantize", a, b), |e| value::quantize(e, a, b), |e| value::quantize_any(e, a, b));
    let (mut one, mut other) = (env, env);
    let (found, expected) = (value::compare(&mut one, a, b, choice), value::compare_any(&mut other, a, b, choice));
    assert_eq!((found, one.fpc), (expected, other.fpc), "compare {a:x?} {b:x?} in {env:x?}");
    let integer = i128::from(random.below(u64::MAX) >> random.below(64u32)) * if choice { -1 } else { 1 };
    both(
        env,
        ("integer", integer),
        |e| value::from_integer::<D>(e, integer),
        |e| value::from_any_integer::<D>(e, integer),
    );
}

fn lengthened<D: Decimal, W: Decimal>(random: &mut Random) {
    let (a, env, keep): (D, _, _) = (any(random), environment(random), random.one_in(2));
    both(
        env,
        ("lengthened", a),
        |e| value::load_lengthened::<D, W>(e, a, keep),
        |e| value::load_any_lengthened::<D, W>(e, a, keep),
    );
}

#[test]
fn short_ways_lead_where_the_others_do() {
    let mut random = Random::seeded(asked("SEED").unwrap_or(1));
    for _ in 0..asked("SHORT").unwrap_or(FEW) / 3 {
        case::<u32>(&mut random);
        case::<u64>(&mut random);
        case::<u128>(&mut random);
        lengthened::<u32, u64>(&mut random);
        lengthened::<u64, u128>(&mut random);
    }
}
