//! The operands of a statement, taken one by one, and the words that they are made of. What cannot be taken is a
//! [`Problem`].

use crate::source::Statement;

/// What is wrong with a statement, and what would be right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem {
    pub problem: String,
    pub expected: String,
}

pub(crate) fn problem(problem: impl Into<String>, expected: impl Into<String>) -> Problem {
    Problem { problem: problem.into(), expected: expected.into() }
}

/// The operands of a statement, taken from the left.
pub(crate) struct Operands<'a> {
    statement: &'a Statement,
    next: usize,
}

impl Operands<'_> {
    /// Those of `statement`, all of them.
    pub(crate) fn of(statement: &Statement) -> Operands<'_> {
        Operands { statement, next: 1 }
    }

    /// The next operand in upper case, if there is one.
    pub(crate) fn next(&mut self) -> Option<String> {
        let word = self.statement.word(self.next)?;
        self.next += 1;
        Some(word)
    }

    /// The next operand without taking it.
    pub(crate) fn peek(&self) -> Option<String> {
        self.statement.word(self.next)
    }

    /// The next operand, which must be there; `expected` says what it is.
    pub(crate) fn need(&mut self, expected: &str) -> Result<String, Problem> {
        self.next().ok_or_else(|| problem("an operand is missing", expected))
    }

    /// The next operand, which must be there and which `parse` must understand.
    pub(crate) fn parse<T>(&mut self, expected: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, Problem> {
        let word = self.need(expected)?;
        parse(&word).ok_or_else(|| problem(format!("{word} is not valid here"), expected))
    }

    /// The same, or `None` if there is no further operand.
    pub(crate) fn optional<T>(
        &mut self,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        if self.peek().is_some() { self.parse(expected, parse).map(Some) } else { Ok(None) }
    }

    /// Everything that is left, as written; taken.
    pub(crate) fn rest(&mut self) -> String {
        let rest = self.statement.rest(self.next).to_string();
        self.next = self.statement.len();
        rest
    }

    /// The line of the statement.
    pub(crate) fn line(&self) -> usize {
        self.statement.line
    }

    /// No operand may be left. Nothing of what is there is repeated: it could be a password out of its place.
    pub(crate) fn end(&self) -> Result<(), Problem> {
        if self.next < self.statement.len() {
            return Err(problem(
                format!("there are {} operands, which is too many", self.statement.len() - 1),
                format!("at most {}", self.next - 1),
            ));
        }
        Ok(())
    }
}

/// Whether `word` is `name` or a short form of it not shorter than `shortest`.
pub(crate) fn abbreviates(word: &str, name: &str, shortest: &str) -> bool {
    word.len() >= shortest.len() && name.starts_with(word)
}

/// A number in decimal digits and nothing else.
pub(crate) fn decimal(word: &str) -> Option<u64> {
    word.bytes().all(|b| b.is_ascii_digit()).then(|| word.parse().ok())?
}

/// A number in at most `digits` hexadecimal digits and nothing else.
pub(crate) fn hexadecimal(word: &str, digits: usize) -> Option<u32> {
    let valid = (1..=digits).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_hexdigit());
    valid.then(|| u32::from_str_radix(word, 16).ok())?
}

/// What is expected where a virtual device number is.
pub(crate) const VDEV: &str = "a virtual device number of 1 to 4 hexadecimal digits";

/// A device number, of 1 to 4 hexadecimal digits.
pub(crate) fn device_number(word: &str) -> Option<u16> {
    hexadecimal(word, 4).map(|n| n as u16)
}

/// The next operand, a virtual device number.
pub(crate) fn vdev(operands: &mut Operands) -> Result<u16, Problem> {
    operands.parse(VDEV, device_number)
}
