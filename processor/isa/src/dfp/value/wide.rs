//! Integers of up to 68 decimal digits: products, and sums that are not yet rounded.

use std::cmp::Ordering;

/// Powers of ten, as far as 128 bits hold them.
const POWERS: [u128; 39] = {
    let mut table = [1; 39];
    let mut n = 1;
    while n < 39 {
        table[n] = table[n - 1] * 10;
        n += 1;
    }
    table
};

/// 10^`n`, up to 10^38.
#[inline(always)]
pub const fn power(n: u32) -> u128 {
    POWERS[n as usize]
}

/// How many digits a number has; zero has none.
#[inline]
pub fn digits(number: u128) -> u32 {
    let bits = 128 - number.leading_zeros();
    // 1233 / 4096 is a little less than the logarithm of 2.
    let least = (bits * 1233) >> 12;
    least + u32::from(number >= power(least))
}

/// Quotient and remainder of a division by 10^`n`. Most numbers fit 64 bits.
#[inline]
pub(super) fn divide(number: u128, n: u32) -> (u128, u128) {
    match u64::try_from(number) {
        Ok(number) if n < 20 => {
            let divisor = power(n) as u64;
            ((number / divisor).into(), (number % divisor).into())
        }
        Ok(_) => (0, number),
        Err(_) => (number / power(n), number % power(n)),
    }
}

/// Digits in each half.
const HALF: u32 = 34;
/// 10^34.
const BASE: u128 = power(HALF);
/// 10^17: of factors that have a half each, the halves' products fit 128 bits.
const QUARTER: u128 = power(HALF / 2);

/// high × 10^34 + low, both less than 10^34.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Wide {
    high: u128,
    low: u128,
}

/// How much is lost where digits are cut off, compared with half a unit of what is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// Nothing.
    Zero,
    /// Less than half a unit.
    Less,
    /// Half a unit.
    Half,
    /// More than that.
    More,
}

impl Wide {
    /// Any number of 128 bits.
    #[inline]
    pub fn new(number: u128) -> Wide {
        if number < BASE { Wide { high: 0, low: number } } else { Wide { high: number / BASE, low: number % BASE } }
    }

    /// The product of numbers of 34 digits at most.
    #[inline]
    pub fn product(a: u128, b: u128) -> Wide {
        if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
            return Wide::new(u128::from(a) * u128::from(b));
        }
        let ((a1, a0), (b1, b0)) = ((a / QUARTER, a % QUARTER), (b / QUARTER, b % QUARTER));
        let middle = a0 * b1 + a1 * b0;
        let low = middle % QUARTER * QUARTER + a0 * b0;
        Wide { high: a1 * b1 + middle / QUARTER + low / BASE, low: low % BASE }
    }

    /// A number of 34 digits at most, moved to the left: 68 digits must hold it.
    #[inline]
    pub fn shifted(number: u128, by: u32) -> Wide {
        if by >= HALF {
            return Wide { high: number * power(by - HALF), low: 0 };
        }
        let (high, low) = divide(number, HALF - by);
        Wide { high, low: low * power(by) }
    }

    /// The sum, which 68 digits must hold.
    #[inline]
    pub fn plus(self, other: Wide) -> Wide {
        let low = self.low + other.low;
        let carry = u128::from(low >= BASE);
        Wide { high: self.high + other.high + carry, low: low - carry * BASE }
    }

    /// The difference, which must not be negative.
    #[inline]
    pub fn minus(self, other: Wide) -> Wide {
        let borrow = u128::from(self.low < other.low);
        Wide { high: self.high - other.high - borrow, low: self.low + borrow * BASE - other.low }
    }

    /// Without the rightmost `n` digits, 34 of them at most.
    #[inline]
    pub fn shifted_right(self, n: u32) -> Wide {
        let (high, rest) = divide(self.high, n);
        Wide { high, low: rest * power(HALF - n) + divide(self.low, n).0 }
    }

    /// The rightmost `n` digits, 34 of them at most, and whether there are others.
    #[inline]
    pub fn rightmost(self, n: u32) -> (u128, bool) {
        let (left, right) = divide(self.low, n);
        (right, self.high != 0 || left != 0)
    }

    /// How many digits it has; zero has none.
    #[inline]
    pub fn digits(self) -> u32 {
        if self.high == 0 { digits(self.low) } else { HALF + digits(self.high) }
    }

    /// How many zeros it has on the right; zero has none.
    pub fn trailing_zeros(self) -> u32 {
        if self.high == 0 && self.low == 0 {
            return 0;
        }
        (1..).find(|&n| self.cut_rest(n) != Rest::Zero).map_or(0, |n| n - 1)
    }

    /// What is lost when the rightmost `n` digits are cut off.
    fn cut_rest(self, n: u32) -> Rest {
        match n {
            0..=HALF if self.low % power(n) != 0 => Rest::Less,
            0..=HALF => Rest::Zero,
            _ => self.cut(n).1,
        }
    }

    /// Cuts off the rightmost `n` digits. What is left must have 38 digits at most.
    #[inline]
    pub fn cut(self, n: u32) -> (u128, Rest) {
        if n == 0 {
            return (self.high * BASE + self.low, Rest::Zero);
        }
        let compared = |rest: u128, half: u128| match rest.cmp(&half) {
            _ if rest == 0 => Rest::Zero,
            Ordering::Less => Rest::Less,
            Ordering::Equal => Rest::Half,
            Ordering::Greater => Rest::More,
        };
        if n <= HALF {
            let (low, rest) = divide(self.low, n);
            return (self.high * power(HALF - n) + low, compared(rest, power(n) / 2));
        }
        if n > self.digits() {
            return (0, if self.high == 0 && self.low == 0 { Rest::Zero } else { Rest::Less });
        }
        let (kept, rest) = divide(self.high, n - HALF);
        let rest = match compared(rest, power(n - HALF) / 2) {
            Rest::Zero if self.low != 0 => Rest::Less,
            Rest::Half if self.low != 0 => Rest::More,
            rest => rest,
        };
        (kept, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_counted() {
        assert_eq!(digits(0), 0);
        for n in 0..39 {
            assert_eq!(digits(power(n)), n + 1);
            assert_eq!(digits(power(n) - 1), n);
        }
        assert_eq!(Wide::product(power(33), power(33)).digits(), 67);
        assert_eq!(Wide::product(BASE - 1, BASE - 1).digits(), 68);
    }

    #[test]
    fn digits_are_cut_off() {
        let square = Wide::product(BASE - 1, BASE - 1);
        assert_eq!(square, Wide { high: BASE - 2, low: 1 });
        assert_eq!(square.cut(34), (BASE - 2, Rest::Less));
        assert_eq!(square.cut(35), ((BASE - 2) / 10, Rest::More));
        assert_eq!(square.cut(68), (0, Rest::More));
        assert_eq!(square.cut(69), (0, Rest::Less));
        assert_eq!(square.cut(500), (0, Rest::Less));
        assert_eq!(Wide::shifted(25, 40).cut(41), (2, Rest::Half));
        assert_eq!(Wide::shifted(25, 33).cut(34), (2, Rest::Half));
        assert_eq!(Wide::shifted(25, 33).plus(Wide::new(1)).cut(34), (2, Rest::More));
        assert_eq!(Wide::shifted(25, 40).plus(Wide::new(1)).cut(41), (2, Rest::More));
        assert_eq!(Wide::shifted(20, 40).plus(Wide::new(1)).cut(41), (2, Rest::Less));
        assert_eq!(Wide::shifted(1, 34).minus(Wide::new(1)), Wide::new(BASE - 1));
        assert_eq!(Wide::new(BASE - 1).plus(Wide::new(1)), Wide::shifted(1, 34));
        assert_eq!(Wide::new(12_345).cut(2), (123, Rest::Less));
        assert_eq!(Wide::new(12_345).cut(0), (12_345, Rest::Zero));
        assert_eq!(Wide::new(0).cut(60), (0, Rest::Zero));
    }
}
