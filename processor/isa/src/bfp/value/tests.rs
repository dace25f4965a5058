//! What the comparison with another machine does not show: enabled exceptions, and the rarer operations.

use super::arithmetic::{soft_add, soft_divide, soft_multiply, soft_multiply_add, soft_square_root};
use super::*;
use support::Random;

const MASK: u32 = 8;

fn short(value: f32) -> u32 {
    value.to_bits()
}

fn long(value: f64) -> u64 {
    value.to_bits()
}

/// The outcome and the FPC after an operation under `fpc`.
fn under<T>(fpc: u32, operation: impl FnOnce(&mut Fpc) -> Outcome<T>) -> (Outcome<T>, u32) {
    let mut fpc = Fpc(fpc);
    let outcome = operation(&mut fpc);
    (outcome, fpc.0)
}

#[test]
fn enabled_overflow_and_underflow_deliver_a_scaled_result() {
    let overflow = Fpc::OVERFLOW << MASK;
    let underflow = Fpc::UNDERFLOW << MASK;
    // Nmax × 2 = (2 − 2^−23) × 2^128, exactly; less 2^192.
    let nmax = short(f32::MAX);
    let product = under(overflow, |fpc| multiply(fpc, nmax, short(2.0)));
    assert_eq!(product, (Err(Trap::Complete(0x1fff_ffff, 0x20)), overflow));
    // Nmax + half a unit is rounded up to 2^128.
    let sum = under(overflow, |fpc| add(fpc, nmax, short(f32::from_bits(0x7300_0000))));
    assert_eq!(sum, (Err(Trap::Complete((127 + 128 - 192) << 23, 0x2c)), overflow));
    // Rounded down, and so not beyond Nmax: no overflow.
    let sum = under(overflow | 1, |fpc| add(fpc, nmax, short(1.0)));
    assert_eq!(sum, (Ok(nmax), overflow | 1 | Fpc::INEXACT));
    let quotient = under(overflow, |fpc| divide(fpc, nmax, short(0.7)));
    assert!(matches!(quotient.0, Err(Trap::Complete(_, 0x28 | 0x2c))), "{quotient:?}");

    // Half the least number is 2^−150; plus 2^192.
    let product = under(underflow, |fpc| multiply(fpc, 1u32, short(0.5)));
    assert_eq!(product, (Err(Trap::Complete((127 + 42) << 23, 0x10)), underflow));
    // A subnormal result that is exact is an underflow only when enabled.
    assert_eq!(under(0, |fpc| multiply(fpc, 2u32, short(0.5))), (Ok(1), 0));
    let product = under(0, |fpc| multiply(fpc, 1u32, short(0.5)));
    assert_eq!(product, (Ok(0), Fpc::UNDERFLOW | Fpc::INEXACT));
    // Tiny is what the precise result is, though it rounds to Nmin.
    let nearly = under(0, |fpc| multiply(fpc, 0x00ff_ffffu32, short(0.5)));
    assert_eq!(nearly, (Ok(0x0080_0000), Fpc::UNDERFLOW | Fpc::INEXACT));

    let long_underflow = under(underflow, |fpc| multiply(fpc, 1u64, long(0.5)));
    assert_eq!(long_underflow.0, Err(Trap::Complete((1023 + 1536 - 1075) << 52, 0x10)));
    let extended = under(overflow, |fpc| multiply(fpc, u128::largest(false), u128::largest(true)));
    let exponent = (16383 + 32767 - 24576) << 112;
    assert_eq!(extended.0, Err(Trap::Complete(1 << 127 | exponent | (u128::FRACTION - 1), 0x28)));
}

#[test]
fn an_overflow_that_is_not_enabled_depends_on_the_rounding_mode() {
    let nmax = short(f32::MAX);
    let flags = Fpc::OVERFLOW | Fpc::INEXACT;
    let infinity = u32::infinity(false);
    for (mode, positive, negative) in [
        (0, infinity, 1 << 31 | infinity),
        (1, nmax, 1 << 31 | nmax),
        (2, infinity, 1 << 31 | nmax),
        (7, nmax, 1 << 31 | nmax),
    ] {
        assert_eq!(under(mode, |fpc| add(fpc, nmax, nmax)), (Ok(positive), flags | mode));
        assert_eq!(under(mode, |fpc| multiply(fpc, nmax, short(-2.0))), (Ok(negative), flags | mode));
    }
    // Then an enabled inexact exception tells which it was.
    let inexact = Fpc::INEXACT << MASK;
    let outcome = under(inexact, |fpc| add(fpc, nmax, nmax));
    assert_eq!(outcome, (Err(Trap::Complete(infinity, 0x0c)), inexact | Fpc::OVERFLOW));
    let outcome = under(inexact | 1, |fpc| add(fpc, nmax, nmax));
    assert_eq!(outcome, (Err(Trap::Complete(nmax, 0x08)), inexact | 1 | Fpc::OVERFLOW));
}

#[test]
fn enabled_inexact_completes_and_tells_whether_the_magnitude_grew() {
    let inexact = Fpc::INEXACT << MASK;
    let quotient = |a, b| under(inexact, |fpc| divide(fpc, long(a), long(b)));
    assert_eq!(quotient(1.0, 3.0), (Err(Trap::Complete(long(1.0 / 3.0), 0x08)), inexact));
    assert_eq!(quotient(1.0, 10.0), (Err(Trap::Complete(long(0.1), 0x0c)), inexact));
    assert_eq!(quotient(-1.0, 10.0), (Err(Trap::Complete(long(-0.1), 0x0c)), inexact));
    assert_eq!(quotient(1.0, 4.0), (Ok(long(0.25)), inexact));
    let root = under(inexact, |fpc| square_root(fpc, long(2.0)));
    assert_eq!(root, (Err(Trap::Complete(long(2f64.sqrt()), 0x0c)), inexact));
}

#[test]
fn conversions_complete_when_inexact_is_enabled() {
    let inexact = Fpc(Fpc::INEXACT << MASK);
    let env = |method| Environment::modified(inexact, method, 0).expect("it is assigned");
    assert_eq!(to_signed(&mut env(5), long(-2.5), 32), Err(Trap::Complete((-2, 1), 0x08)));
    assert_eq!(to_signed(&mut env(7), long(-2.5), 64), Err(Trap::Complete((-3, 1), 0x0c)));
    assert_eq!(to_unsigned(&mut env(5), long(-0.5), 32), Err(Trap::Complete((0, 1), 0x08)));
    assert_eq!(load_fp_integer(&mut env(6), long(2.25)), Err(Trap::Complete(long(3.0), 0x0c)));
    assert_eq!(load_fp_integer(&mut env(5), long(2.25)), Err(Trap::Complete(long(2.0), 0x08)));
    assert_eq!(load_fp_integer(&mut env(5), long(-3.0)), Ok(long(-3.0)));
    let narrowed = load_rounded::<u64, u32>(&mut env(0), long(0.1));
    assert_eq!(narrowed, Err(Trap::Complete(Narrowed::Target(short(0.1)), 0x0c)));
    assert_eq!(from_integer::<u32>(&mut env(0), 0x0100_0001), Err(Trap::Complete(short(16777216.0), 0x08)));
    // Out of range: invalid, and inexact beside it.
    assert_eq!(to_signed(&mut env(5), long(1e10), 32), Err(Trap::Complete((0x7fff_ffff, 3), 0x08)));
    let mut suppressed = Environment::modified(inexact, 5, 4).expect("it is assigned");
    assert_eq!(to_signed(&mut suppressed, long(1e10), 32), Ok((0x7fff_ffff, 3)));
    assert_eq!(suppressed.fpc.0, inexact.0 | Fpc::INVALID);
}

#[test]
fn enabled_invalid_operation_and_division_by_zero_suppress() {
    let all = 0xf800_0000;
    let signaling = 0x7fa0_0000u32;
    let invalid = (Err(Trap::Suppress(0x80)), all);
    assert_eq!(under(all, |fpc| add(fpc, signaling, short(1.0))), invalid);
    assert_eq!(under(all, |fpc| subtract(fpc, u32::infinity(false), u32::infinity(false))), invalid);
    assert_eq!(under(all, |fpc| multiply(fpc, 0, u32::infinity(true))), invalid);
    assert_eq!(under(all, |fpc| square_root(fpc, short(-1.0))), invalid);
    assert_eq!(under(all, |fpc| load_and_test(fpc, signaling)), invalid);
    assert_eq!(under(all, |fpc| divide(fpc, short(1.0), 0)), (Err(Trap::Suppress(0x40)), all));
    assert_eq!(under(0, |fpc| divide(fpc, short(-1.0), 0)), (Ok(u32::infinity(true)), Fpc::DIVISION_BY_ZERO));
    let unordered = |compare: fn(&mut Fpc, u32, u32) -> Result<u8, Trap<()>>, fpc| {
        let mut fpc = Fpc(fpc);
        (compare(&mut fpc, u32::default_nan(), 0), fpc.0)
    };
    assert_eq!(unordered(compare, all), (Ok(3), all));
    assert_eq!(unordered(compare_and_signal, all), (Err(Trap::Suppress(0x80)), all));
    assert_eq!(unordered(compare_and_signal, 0), (Ok(3), Fpc::INVALID));
}

#[test]
fn the_first_signaling_nan_is_returned_else_the_first_quiet_one() {
    let (quiet, signaling, other) = (0x7fc0_0001u32, 0xffa0_0002u32, 0x7fa0_0003u32);
    let sum = |a, b| under(0, |fpc| add(fpc, a, b));
    assert_eq!(sum(quiet, signaling), (Ok(0xffe0_0002), Fpc::INVALID));
    assert_eq!(sum(other, signaling), (Ok(0x7fe0_0003), Fpc::INVALID));
    assert_eq!(sum(quiet, 0xffc0_0007), (Ok(quiet), 0));
    assert_eq!(sum(0, 0xffc0_0007), (Ok(0xffc0_0007), 0));
    let fused = |a, b, c| under(0, |fpc| multiply_add(fpc, a, b, c));
    assert_eq!(fused(quiet, 0xffc0_0009, signaling), (Ok(0xffe0_0002), Fpc::INVALID));
    assert_eq!(fused(quiet, 0xffc0_0009, 0), (Ok(0xffc0_0009), 0));
}

/// POP, figure "Results: MULTIPLY AND ADD": every format, sign and addend, and each order of the factors.
#[test]
fn infinity_times_zero_is_invalid_whatever_is_added() {
    fn every<B: Binary>() -> usize {
        let mut cases = 0;
        let invalid = (Ok(B::default_nan()), Fpc::INVALID);
        let quiet = B::from_bits(B::INFINITY | B::QUIET | 1);
        let signaling = B::from_bits(B::SIGN | B::INFINITY | 2);
        for addend in [quiet, signaling, B::infinity(true), B::zero(false), B::largest(true)] {
            for signs in 0..4 {
                let (infinity, zero) = (B::infinity(signs & 1 != 0), B::zero(signs & 2 != 0));
                for (a, b) in [(infinity, zero), (zero, infinity)] {
                    for fused in [multiply_add, multiply_subtract] {
                        assert_eq!(
                            under(0, |fpc| fused(fpc, a, b, addend)),
                            invalid,
                            "{a:x?} × {b:x?} with {addend:x?}"
                        );
                        let enabled = Fpc::INVALID << MASK;
                        let trap = under(enabled, |fpc| fused(fpc, a, b, addend));
                        assert_eq!(trap, (Err(Trap::Suppress(0x80)), enabled));
                        cases += 2;
                    }
                }
            }
        }
        cases
    }
    assert_eq!(every::<u32>() + every::<u64>() + every::<u128>(), 3 * 5 * 4 * 2 * 2 * 2);
}

#[test]
fn a_product_of_the_next_longer_format_is_exact() {
    let third = 1.0f32 / 3.0;
    let product = under(0, |fpc| multiply_longer::<u32, u64>(fpc, short(third), short(third)));
    assert_eq!(product, (Ok(long(f64::from(third) * f64::from(third))), 0));
    let product = under(0, |fpc| multiply_longer::<u32, u64>(fpc, 1, 1 << 31 | 1));
    assert_eq!(product, (Ok(long(-(2f64.powi(-298)))), 0));
}

#[test]
fn load_rounded_delivers_the_source_format_when_it_is_out_of_range() {
    let modes = |fpc| Environment::current(Fpc(fpc));
    let huge = long(1e300);
    let narrowed = load_rounded::<u64, u32>(&mut modes(Fpc::OVERFLOW << MASK), huge);
    // 1e300 rounded to 24 bits, as a long number, and divided by 2^512.
    let rounded = ((huge + (1 << 28)) & !((1 << 29) - 1)) - (512 << 52);
    assert!(matches!(narrowed, Err(Trap::Complete(Narrowed::Source(value), 0x28 | 0x2c)) if value == rounded));
    let narrowed = load_rounded::<u64, u32>(&mut modes(0), huge);
    assert_eq!(narrowed, Ok(Narrowed::Target(u32::infinity(false))));
    let mut env = Environment::modified(Fpc(0), 5, 4).expect("toward zero is assigned");
    assert_eq!(load_rounded::<u64, u32>(&mut env, long(0.1)), Ok(Narrowed::Target(0x3dcc_cccc)));
    assert_eq!(env.fpc, Fpc(0), "inexact is suppressed");
}

/// POP, *LOAD ROUNDED*: a result that traps is scaled by 2^512 from long, by 2^8192 from extended numbers.
#[test]
fn what_load_rounded_delivers_out_of_range_is_scaled() {
    fn power<B: Binary>(exponent: i32) -> B {
        B::from_bits(((exponent + B::EMAX) as u128) << (B::PRECISION - 1))
    }
    fn every<W: Binary, B: Binary>(scale: i32) -> u32 {
        let mut cases = 0;
        let mut check = |fpc, exponent: i32, expected: Outcome<Narrowed<B, W>>| {
            let mut env = Environment::current(Fpc(fpc << MASK));
            assert_eq!(load_rounded::<W, B>(&mut env, power(exponent)), expected, "2^{exponent}");
            cases += 1;
        };
        for exponent in [B::EMAX + 1, (B::EMAX + W::EMAX) / 2, W::EMAX] {
            let scaled = Trap::Complete(Narrowed::Source(power(exponent - scale)), 0x20);
            check(Fpc::OVERFLOW, exponent, Err(scaled));
            check(Fpc::UNDERFLOW, exponent, Ok(Narrowed::Target(B::infinity(false))));
        }
        for exponent in [B::EMIN - 1, (B::EMIN + W::EMIN) / 2, W::EMIN] {
            let scaled = Trap::Complete(Narrowed::Source(power(exponent + scale)), 0x10);
            check(Fpc::UNDERFLOW, exponent, Err(scaled));
        }
        check(Fpc::OVERFLOW | Fpc::UNDERFLOW, B::EMAX, Ok(Narrowed::Target(power(B::EMAX))));
        check(Fpc::OVERFLOW | Fpc::UNDERFLOW, B::EMIN, Ok(Narrowed::Target(power(B::EMIN))));
        // The least number of the source, which is subnormal, is scaled to a normal one.
        let mut env = Environment::current(Fpc(Fpc::UNDERFLOW << MASK));
        let least = W::EMIN - (W::PRECISION as i32 - 1);
        let scaled = Trap::Complete(Narrowed::Source(power(least + scale)), 0x10);
        assert_eq!(load_rounded::<W, B>(&mut env, W::from_bits(1)), Err(scaled));
        cases + 1
    }
    assert_eq!(every::<u64, u32>(512) + every::<u128, u32>(8192) + every::<u128, u64>(8192), 36);
}

#[test]
fn integers_by_every_rounding_method() {
    let halves = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.25, 2.75];
    let expected: [(u8, [i64; 8]); 6] = [
        (1, [-3, -2, -1, 1, 2, 3, 2, 3]),
        (3, [-3, -1, -1, 1, 1, 3, 3, 3]),
        (4, [-2, -2, 0, 0, 2, 2, 2, 3]),
        (5, [-2, -1, 0, 0, 1, 2, 2, 2]),
        (6, [-2, -1, 0, 1, 2, 3, 3, 3]),
        (7, [-3, -2, -1, 0, 1, 2, 2, 2]),
    ];
    for (m3, integers) in expected {
        for (half, integer) in halves.into_iter().zip(integers) {
            let mut env = Environment::modified(Fpc(0), m3, 0).expect("it is assigned");
            let cc = if half < 0.0 { 1 } else { 2 };
            assert_eq!(to_signed(&mut env, long(half), 64), Ok((integer, cc)), "{half} by method {m3}");
            assert_eq!(env.fpc, Fpc(Fpc::INEXACT));
            let loaded = load_fp_integer(&mut env, long(half)).expect("nothing is enabled");
            assert_eq!(f64::from_bits(loaded), integer as f64);
            assert_eq!(loaded >> 63, u64::from(half < 0.0), "a zero keeps its sign");
        }
    }
    assert!(Environment::modified(Fpc(0), 2, 0).is_none());
    assert!(Environment::modified(Fpc(0), 8, 0).is_none());
}

#[test]
fn data_classes() {
    let mask_of = |value: u32| (0..12).map(|bit| 0x800 >> bit).find(|&mask| data_class(value, mask) == 1);
    for (n, value) in [0, 0x3f80_0000, 1, 0x7f80_0000, 0x7fc0_0000, 0x7f80_0001].into_iter().enumerate() {
        assert_eq!(mask_of(value), Some(0x800 >> (2 * n)));
        assert_eq!(mask_of(value | 1 << 31), Some(0x400 >> (2 * n)));
    }
}

#[test]
fn dividing_until_the_remainder_is_complete() {
    let mut fpc = Fpc(0);
    let mut divided =
        |a: f64, b: f64, method| divide_to_integer(&mut fpc, long(a), long(b), method).expect("nothing is enabled");
    let parts = |d: Division<u64>| (f64::from_bits(d.quotient), f64::from_bits(d.remainder), d.cc);
    assert_eq!(parts(divided(7.0, 2.0, Rounding::TowardZero)), (3.0, 1.0, 0));
    assert_eq!(parts(divided(7.0, 2.0, Rounding::NearestEven)), (4.0, -1.0, 0));
    assert_eq!(parts(divided(-7.0, 2.0, Rounding::TowardZero)), (-3.0, -1.0, 0));
    let zero = parts(divided(-6.0, 2.0, Rounding::NearestEven));
    assert_eq!((zero.0, zero.1.is_sign_negative(), zero.1), (-3.0, true, 0.0));
    assert_eq!(parts(divided(5.5, f64::INFINITY, Rounding::TowardZero)), (0.0, 5.5, 0));
    assert_eq!(parts(divided(0.0, 3.0, Rounding::TowardZero)), (0.0, 0.0, 0));
    for (a, b) in [(1e300, 3.7), (1.7e308, 5e-324), (123456789.0, 0.001), (-1e18, 7.0), (5e-324, 1e10)] {
        let mut remainder = a;
        loop {
            let (_, next, cc) = parts(divided(remainder, b, Rounding::TowardZero));
            remainder = next;
            if cc & 2 == 0 {
                break;
            }
        }
        assert_eq!(remainder, a % b, "{a} by {b}");
    }
    // More bits of quotient than fit, and nothing is left: the remainder is complete.
    let exact = divided(3.0 * 2f64.powi(200), -3.0, Rounding::TowardZero);
    assert_eq!((parts(exact).0, exact.remainder, exact.cc), (-(2f64.powi(200)), 0, 0));
    let exact = divided(-f64::MAX, 5e-324, Rounding::TowardZero);
    assert_eq!((exact.quotient >> 52, exact.remainder, exact.cc), (0xe30, 1 << 63, 1));
    let overflowed = divided(f64::MAX, 1.5e-323, Rounding::TowardZero);
    assert_eq!(overflowed.cc, 3);
    assert_eq!(overflowed.quotient >> 52, (1023 + 1023 + 1073 - 1536), "the exponent is less by 1536");
    assert_eq!(fpc, Fpc(0));
    let nan = divided_by_zero();
    assert_eq!((nan.quotient, nan.remainder, nan.cc), (u64::default_nan(), u64::default_nan(), 1));
}

fn divided_by_zero() -> Division<u64> {
    divide_to_integer(&mut Fpc(0), long(1.0), 0, Rounding::NearestEven).expect("nothing is enabled")
}

#[test]
fn hexadecimal_numbers() {
    for (binary, hexadecimal) in [
        (1.0, 0x4110_0000_0000_0000),
        (-0.5, 0xc080_0000_0000_0000),
        (0.1, 0x4019_9999_9999_999a),
        (100.0, 0x4264_0000_0000_0000),
        (0.0, 0),
        (-0.0, 1 << 63),
    ] {
        let cc = if binary == 0.0 { 0 } else { 1 + u8::from(binary > 0.0) };
        assert_eq!(to_hexadecimal(long(binary)), (hexadecimal, cc), "{binary}");
        assert_eq!(from_hexadecimal(hexadecimal, Rounding::NearestEven), (long(binary), cc), "{binary}");
    }
    assert_eq!(to_hexadecimal(long(1e300)), (0x7fff_ffff_ffff_ffff, 3));
    assert_eq!(to_hexadecimal(long(f64::NEG_INFINITY)), (u64::MAX, 3));
    assert_eq!(to_hexadecimal(long(-1e-300)), (1 << 63, 1));
    // Not normalized, and too long for a short number.
    assert_eq!(from_hexadecimal(0x4200_1000_0000_0000, Rounding::TowardZero), (short(1.0 / 16.0), 2));
    assert_eq!(from_hexadecimal(0x7fff_ffff_ffff_ffff, Rounding::NearestEven), (u32::infinity(false), 3));
    assert_eq!(from_hexadecimal(0x7fff_ffff_ffff_ffff, Rounding::TowardZero), (u32::largest(false), 3));
}

/// The two ways to a result agree wherever the host answers.
#[test]
fn the_host_computes_what_the_exact_path_does() {
    let mut random = Random::seeded(0x5eed);
    let mut answered = 0;
    for n in 0..200_000u64 {
        // Exponents near each other and near the ends of the range; few significant bits at times.
        let mut number = || {
            let exponent = match n % 4 {
                0 => 1023 + random.below(60),
                1 => random.below(4) * 682,
                2 => random.below(120),
                _ => 2047 - random.below(120),
            };
            let fraction = if random.one_in(2) { random.word() } else { random.word() & 7 << 49 };
            random.word() << 63 | exponent << 52 | fraction & (u64::MAX >> 12)
        };
        let (a, b, c) = (number(), number(), number());
        for fpc in [Fpc(0), Fpc(Fpc::INEXACT)] {
            let exactly = |operation: &dyn Fn(&mut Environment) -> Outcome<u64>| {
                let mut env = Environment::current(fpc);
                let outcome = operation(&mut env);
                (outcome, env.fpc)
            };
            let mut check = |host: Option<u64>, exact: (Outcome<u64>, Fpc), what: &str| {
                if let Some(value) = host {
                    assert_eq!((Ok(value), fpc), exact, "{what} of {a:x}, {b:x}, {c:x} under {fpc:?}");
                    answered += 1;
                }
            };
            use super::host::Host;
            check(u64::host_add(fpc, a, b), exactly(&|env| soft_add(env, a, b, false)), "sum");
            check(u64::host_subtract(fpc, a, b), exactly(&|env| soft_add(env, a, b, true)), "difference");
            check(u64::host_multiply(fpc, a, b), exactly(&|env| soft_multiply(env, a, b)), "product");
            check(u64::host_divide(fpc, a, b), exactly(&|env| soft_divide(env, a, b)), "quotient");
            check(u64::host_square_root(fpc, a), exactly(&|env| soft_square_root(env, a)), "root");
            let fused = exactly(&|env| soft_multiply_add(env, a, b, c, false));
            check(u64::host_multiply_add(fpc, a, b, c), fused, "fused sum");
        }
    }
    assert!(answered > 400_000, "the host answers often: {answered}");
}
