//! A model of POP chapter 18 that works as one does on paper: a fraction is a row of hexadecimal digits, and digits are
//! shifted, added, multiplied and divided one by one.

/// Sign, characteristic, and the digits of the fraction from the left. While it is worked on, the characteristic may
/// leave its seven bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Paper {
    pub negative: bool,
    pub characteristic: i32,
    pub digits: Vec<u8>,
}

/// What may interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mask {
    pub underflow: bool,
    pub significance: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exception {
    Overflow,
    Underflow,
    Significance,
    Divide,
    SquareRoot,
}

/// A result, and an exception that goes with it.
pub(crate) type Outcome = (Paper, Option<Exception>);

/// Digits of the three formats.
pub(crate) const SHORT: usize = 6;
pub(crate) const LONG: usize = 14;
pub(crate) const EXTENDED: usize = 28;

impl Paper {
    pub(crate) fn zero(negative: bool, digits: usize) -> Paper {
        Paper { negative, characteristic: 0, digits: vec![0; digits] }
    }

    /// A number of a format, from the right of `bits`.
    pub(crate) fn read(bits: u128, digits: usize) -> Paper {
        let (number, fraction) = match digits {
            SHORT => (bits << 96, bits & 0xff_ffff),
            LONG => (bits << 64, bits & ((1 << 56) - 1)),
            _ => (bits, bits >> 64 << 72 >> 16 | bits << 72 >> 72),
        };
        let digit = |n: usize| (fraction >> (4 * (digits - 1 - n)) & 15) as u8;
        Paper {
            negative: number >> 127 != 0,
            characteristic: (number >> 120 & 0x7f) as i32,
            digits: (0..digits).map(digit).collect(),
        }
    }

    /// The number as a register has it, its characteristic modulo 128.
    pub(crate) fn write(&self) -> u128 {
        let word = |characteristic: i32, digits: &[u8]| {
            let head = u128::from(self.negative) << 7 | (characteristic & 0x7f) as u128;
            digits.iter().fold(head, |word, &digit| word << 4 | u128::from(digit))
        };
        if self.digits.len() < EXTENDED {
            return word(self.characteristic, &self.digits);
        }
        // The right part's characteristic is less by 14; a true zero has a true zero on its right.
        let less = if self.is_zero() && self.characteristic == 0 { 0 } else { 14 };
        word(self.characteristic, &self.digits[..LONG]) << 64 | word(self.characteristic - less, &self.digits[LONG..])
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.iter().all(|&digit| digit == 0)
    }

    /// Zero, negative, positive: 0, 1, 2.
    pub(crate) fn condition(&self) -> u8 {
        match (self.is_zero(), self.negative) {
            (true, _) => 0,
            (_, true) => 1,
            _ => 2,
        }
    }

    /// Without leading zeros, unless it is zero; as many digits as before.
    fn normalized(mut self) -> Paper {
        let zeros = self.digits.iter().take_while(|&&digit| digit == 0).count();
        if zeros < self.digits.len() {
            self.digits.rotate_left(zeros);
            self.characteristic -= zeros as i32;
        }
        self
    }

    /// More digits or fewer on the right.
    fn cut(mut self, digits: usize) -> Paper {
        self.digits.resize(digits, 0);
        self
    }

    /// Exponent overflow and underflow of what is to be the result.
    fn delivered(self, mask: Mask) -> Outcome {
        match self.characteristic {
            0..=127 => (self, None),
            128.. => (self, Some(Exception::Overflow)),
            _ if mask.underflow => (self, Some(Exception::Underflow)),
            _ => (Paper::zero(false, self.digits.len()), None),
        }
    }

    /// Normalized, cut off, delivered; a zero is a true one.
    fn finished(self, digits: usize, mask: Mask) -> Outcome {
        if self.is_zero() {
            return (Paper::zero(false, digits), None);
        }
        self.normalized().cut(digits).delivered(mask)
    }

    /// A digit that was carried out goes to the front.
    fn carried(mut self, carry: u8) -> Paper {
        if carry != 0 {
            self.digits.insert(0, carry);
            self.digits.pop();
            self.characteristic += 1;
        }
        self
    }

    pub(crate) fn negated(&self) -> Paper {
        Paper { negative: !self.negative, ..self.clone() }
    }
}

/// `a += b`; the carry.
fn add_digits(a: &mut [u8], b: &[u8]) -> u8 {
    let mut carry = 0;
    for (x, y) in a.iter_mut().zip(b).rev() {
        let sum = *x + y + carry;
        (*x, carry) = (sum & 15, sum >> 4);
    }
    carry
}

/// `a -= b`, which is no greater.
fn subtract_digits(a: &mut [u8], b: &[u8]) {
    let mut borrow = 0;
    for (x, y) in a.iter_mut().zip(b).rev() {
        let difference = *x as i8 - *y as i8 - borrow;
        (*x, borrow) = ((difference & 15) as u8, i8::from(difference < 0));
    }
}

/// The digits shifted right so far that a guard digit is left of what goes out.
fn aligned(digits: &[u8], by: i32) -> Vec<u8> {
    let length = digits.len() + 1;
    let mut shifted = vec![0; (by as usize).min(length)];
    shifted.extend(digits);
    shifted.resize(length, 0);
    shifted
}

/// The sum with a guard digit, and the carry in front.
fn sum(a: &Paper, b: &Paper) -> (Paper, u8) {
    let characteristic = a.characteristic.max(b.characteristic);
    let mut x = aligned(&a.digits, characteristic - a.characteristic);
    let mut y = aligned(&b.digits, characteristic - b.characteristic);
    let (negative, carry, digits) = if a.negative == b.negative {
        let carry = add_digits(&mut x, &y);
        (a.negative, carry, x)
    } else if x >= y {
        subtract_digits(&mut x, &y);
        (a.negative, 0, x)
    } else {
        subtract_digits(&mut y, &x);
        (b.negative, 0, y)
    };
    let zero = carry == 0 && digits.iter().all(|&digit| digit == 0);
    (Paper { negative: negative && !zero, characteristic, digits }, carry)
}

/// A sum of zero.
fn insignificant(characteristic: i32, digits: usize, mask: Mask) -> Outcome {
    match mask.significance {
        true => (Paper { negative: false, characteristic, digits: vec![0; digits] }, Some(Exception::Significance)),
        false => (Paper::zero(false, digits), None),
    }
}

pub(crate) fn add(a: &Paper, b: &Paper, mask: Mask) -> Outcome {
    let digits = a.digits.len();
    let (sum, carry) = sum(a, b);
    if carry == 0 && sum.is_zero() {
        return insignificant(sum.characteristic, digits, mask);
    }
    sum.carried(carry).finished(digits, mask)
}

pub(crate) fn add_unnormalized(a: &Paper, b: &Paper, mask: Mask) -> Outcome {
    let digits = a.digits.len();
    let (sum, carry) = sum(a, b);
    let sum = sum.carried(carry).cut(digits);
    if sum.is_zero() { insignificant(sum.characteristic, digits, mask) } else { sum.delivered(mask) }
}

/// 0 equal, 1 low, 2 high.
pub(crate) fn compare(a: &Paper, b: &Paper) -> u8 {
    let (difference, carry) = sum(a, &b.negated());
    difference.carried(carry).condition()
}

/// The product of two rows of digits.
fn product(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut digits = vec![0u8; a.len() + b.len()];
    for (n, &x) in a.iter().enumerate().rev() {
        let mut carry = 0u16;
        for (m, &y) in b.iter().enumerate().rev() {
            let at = n + m + 1;
            let v = u16::from(x) * u16::from(y) + u16::from(digits[at]) + carry;
            (digits[at], carry) = ((v & 15) as u8, v >> 4);
        }
        digits[n] = carry as u8;
    }
    digits
}

/// Operands normalized first; a result of so many digits.
pub(crate) fn multiply(a: &Paper, b: &Paper, digits: usize, mask: Mask) -> Outcome {
    exact_product(&a.clone().normalized(), &b.clone().normalized()).finished(digits, mask)
}

/// Nothing is normalized.
fn exact_product(a: &Paper, b: &Paper) -> Paper {
    Paper {
        negative: a.negative != b.negative,
        characteristic: a.characteristic + b.characteristic - 64,
        digits: product(&a.digits, &b.digits),
    }
}

/// MULTIPLY UNNORMALIZED: both halves with characteristics of their own, whatever the digits are.
pub(crate) fn multiply_unnormalized(a: &Paper, b: &Paper) -> [Paper; 2] {
    halves(&exact_product(a, b))
}

/// The product, and an addend written below it where its characteristic has it: what falls off the paper on either side
/// does not count.
pub(crate) fn multiply_add_unnormalized(a: &Paper, b: &Paper, c: &Paper) -> [Paper; 2] {
    let product = exact_product(a, b);
    let (mut first, mut second) = (product.digits.clone(), vec![0; product.digits.len()]);
    let place = product.characteristic.rem_euclid(128) - c.characteristic;
    for (n, &digit) in c.digits.iter().enumerate() {
        if let Some(cell) = usize::try_from(place + n as i32).ok().and_then(|at| second.get_mut(at)) {
            *cell = digit;
        }
    }
    let mut negative = product.negative;
    if negative == c.negative {
        add_digits(&mut first, &second);
    } else if first >= second {
        subtract_digits(&mut first, &second);
    } else {
        subtract_digits(&mut second, &first);
        (first, negative) = (second, c.negative);
    }
    halves(&Paper { negative, digits: first, ..product })
}

/// Both long numbers of an extended one; the right one's characteristic is less by 14, modulo 128.
fn halves(whole: &Paper) -> [Paper; 2] {
    let right = Paper { characteristic: whole.characteristic - 14, digits: whole.digits[LONG..].to_vec(), ..*whole };
    [whole.clone().cut(LONG), right]
}

pub(crate) fn divide(a: &Paper, b: &Paper, mask: Mask) -> Outcome {
    let digits = a.digits.len();
    if b.is_zero() {
        return (a.clone(), Some(Exception::Divide));
    }
    if a.is_zero() {
        return (Paper::zero(false, digits), None);
    }
    let (a, b) = (a.clone().normalized(), b.clone().normalized());
    // A zero in front, so that the remainder has room for sixteen times itself.
    let divisor: Vec<u8> = [&[0], &b.digits[..]].concat();
    let mut rest: Vec<u8> = [&[0], &a.digits[..]].concat();
    let mut quotient = Vec::new();
    for _ in 0..=digits {
        let mut digit = 0;
        while rest >= divisor {
            subtract_digits(&mut rest, &divisor);
            digit += 1;
        }
        quotient.push(digit);
        rest.remove(0);
        rest.push(0);
    }
    let characteristic = a.characteristic - b.characteristic + 65;
    Paper { negative: a.negative != b.negative, characteristic, digits: quotient }.finished(digits, mask)
}

pub(crate) fn halve(a: &Paper, mask: Mask) -> Outcome {
    let mut halved = a.clone().cut(a.digits.len() + 1);
    let mut bit = 0;
    for digit in &mut halved.digits {
        (*digit, bit) = (*digit >> 1 | bit << 3, *digit & 1);
    }
    halved.finished(a.digits.len(), mask)
}

/// Digit by digit: each is the greatest whose square fits.
pub(crate) fn square_root(a: &Paper) -> Outcome {
    let digits = a.digits.len();
    if a.is_zero() {
        return (Paper::zero(false, digits), None);
    }
    if a.negative {
        return (a.clone(), Some(Exception::SquareRoot));
    }
    let mut radicand = a.clone().normalized();
    if radicand.characteristic % 2 != 0 {
        radicand.digits.insert(0, 0);
        radicand.characteristic += 1;
    }
    let length = digits + 1;
    radicand.digits.resize(2 * length, 0);
    let mut root = vec![0; length];
    for n in 0..length {
        let fits = |digit: &u8| {
            let mut trial = root.clone();
            trial[n] = *digit;
            product(&trial, &trial) <= radicand.digits
        };
        root[n] = (0..16).rev().find(fits).expect("zero fits");
    }
    // Half of the last digit is added to what comes after it.
    let mut half = vec![0; length];
    half[digits] = 8;
    let carry = add_digits(&mut root, &half);
    let rounded = Paper { negative: false, characteristic: radicand.characteristic / 2 + 32, digits: root };
    (rounded.carried(carry).cut(digits), None)
}

/// To a longer format.
pub(crate) fn lengthened(a: &Paper, digits: usize) -> Paper {
    match digits == EXTENDED && a.is_zero() {
        true => Paper::zero(a.negative, digits),
        false => a.clone().cut(digits),
    }
}

/// To a shorter format: half of the last digit is added.
pub(crate) fn shortened(a: &Paper, digits: usize) -> Outcome {
    let mut rounded = a.clone();
    let mut half = vec![0; rounded.digits.len()];
    half[digits] = 8;
    let carry = add_digits(&mut rounded.digits, &half);
    rounded.carried(carry).cut(digits).delivered(Mask { underflow: false, significance: false })
}

/// With another sign; an extended zero becomes a true one.
pub(crate) fn with_sign(a: &Paper, negative: bool) -> Paper {
    match a.digits.len() == EXTENDED && a.is_zero() {
        true => Paper::zero(negative, EXTENDED),
        false => Paper { negative, ..a.clone() },
    }
}

/// LOAD FP INTEGER: the digits after the point are zeros.
pub(crate) fn integer(a: &Paper) -> Paper {
    let before = (a.characteristic - 64).clamp(0, a.digits.len() as i32) as usize;
    let mut cut = a.clone();
    cut.digits[before..].fill(0);
    cut.finished(a.digits.len(), Mask { underflow: false, significance: false }).0
}

pub(crate) fn from_fixed(v: i64, digits: usize) -> Paper {
    let size = v.unsigned_abs();
    let all = (0..16).map(|n| (size >> (60 - 4 * n) & 15) as u8).collect();
    let none = Mask { underflow: false, significance: false };
    Paper { negative: v < 0, characteristic: 64 + 16, digits: all }.finished(digits, none).0
}

/// CONVERT TO FIXED with a rounding method, to so many bits: the integer and the condition code.
pub(crate) fn to_fixed(a: &Paper, m3: u8, bits: u32) -> (i64, u8) {
    if a.is_zero() {
        return (0, 0);
    }
    let (least, most) = (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1);
    let extreme = (if a.negative { least } else { most } as i64, 3);
    let mut number = a.clone().normalized();
    // All digits after the point: 64 of them are more than there are.
    let before = number.characteristic - 64;
    if before > 20 {
        return extreme;
    }
    if before < 0 {
        let mut digits = vec![0; -before as usize];
        digits.append(&mut number.digits);
        number.digits = digits;
    }
    let whole = before.max(0) as usize;
    number.digits.resize(number.digits.len().max(whole) + 1, 0);
    let size = number.digits[..whole].iter().fold(0i128, |v, &digit| v << 4 | i128::from(digit));
    let after = &number.digits[whole..];
    let is_exact = after.iter().all(|&digit| digit == 0);
    let half = after[0].cmp(&8).then_with(|| after[1..].iter().any(|&digit| digit != 0).cmp(&false));
    let up = match m3 {
        1 => half.is_ge(),
        4 => half.is_gt() || half.is_eq() && size & 1 == 1,
        6 => !is_exact && !a.negative,
        7 => !is_exact && a.negative,
        _ => false,
    };
    let value = if a.negative { -size - i128::from(up) } else { size + i128::from(up) };
    match (least..=most).contains(&value) {
        true => (value as i64, a.condition()),
        false => extreme,
    }
}

/// MULTIPLY AND ADD: `a` times `b`, nothing normalized, and `c` with as many digits. What is zero has no characteristic
/// to align to.
pub(crate) fn multiply_add(a: &Paper, b: &Paper, c: &Paper, mask: Mask) -> Outcome {
    let digits = c.digits.len();
    let mut product = exact_product(a, b);
    let mut addend = c.clone().cut(2 * digits);
    if product.is_zero() {
        product.characteristic = addend.characteristic;
    }
    if addend.is_zero() {
        addend.characteristic = product.characteristic;
    }
    let (sum, carry) = sum(&product, &addend);
    sum.carried(carry).finished(digits, mask)
}
