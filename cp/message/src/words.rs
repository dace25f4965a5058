//! A command line taken word by word, with minimum abbreviations.
//!
//! A keyword is written with its minimum abbreviation in capitals: `DISConnect` is met by DISC, DISCO ... and
//! DISCONNECT, in any case. The same spelling serves the command table, the operands and HELP, so what a user
//! reads is what is compared.

use crate::Message;
use std::fmt;

/// Whether `word` is `keyword` or one of its abbreviations, down to the capitals at its front.
pub fn abbreviates(word: &str, keyword: &str) -> bool {
    let minimum = minimum(keyword);
    word.len() >= minimum
        && word.len() <= keyword.len()
        && word.bytes().zip(keyword.bytes()).all(|(w, k)| w.eq_ignore_ascii_case(&k))
}

/// The length of the shortest abbreviation of `keyword`: everything before its first small letter.
pub fn minimum(keyword: &str) -> usize {
    keyword.bytes().position(|b| b.is_ascii_lowercase()).unwrap_or(keyword.len())
}

/// One word of a command line, as it was typed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Word<'a>(pub &'a str);

impl<'a> Word<'a> {
    /// Whether this word is `keyword` or an abbreviation of it.
    pub fn is(self, keyword: &str) -> bool {
        abbreviates(self.0, keyword)
    }

    /// The word in upper case.
    pub fn upper(self) -> String {
        self.0.to_ascii_uppercase()
    }

    /// The word as a user ID, in upper case; HCP007E if no user could be called so.
    pub fn userid(self) -> Result<String, Message> {
        let legal = |b: u8| b.is_ascii_alphanumeric() || b"$#@-:._+".contains(&b);
        if (1..=8).contains(&self.0.len()) && self.0.bytes().all(legal) {
            Ok(self.upper())
        } else {
            Err(crate::invalid_userid(self.upper()))
        }
    }

    /// The word as a virtual device number of one to four hexadecimal digits, if it is one.
    pub fn device(self) -> Option<u16> {
        let hexadecimal = (1..=4).contains(&self.0.len()) && self.0.bytes().all(|b| b.is_ascii_hexdigit());
        hexadecimal.then(|| u16::from_str_radix(self.0, 16).ok()).flatten()
    }

    /// The word as a hexadecimal number, if it is one.
    pub fn hexadecimal(self) -> Option<u64> {
        let legal = !self.0.is_empty() && self.0.bytes().all(|b| b.is_ascii_hexdigit());
        legal.then(|| u64::from_str_radix(self.0, 16).ok()).flatten()
    }

    /// The word as a decimal number, if it is one.
    pub fn decimal(self) -> Option<u64> {
        let legal = !self.0.is_empty() && self.0.bytes().all(|b| b.is_ascii_digit());
        legal.then(|| self.0.parse().ok()).flatten()
    }

    /// The word as an amount of storage in bytes: a decimal number with K, M or G.
    pub fn storage(self) -> Option<u64> {
        let (digits, unit) = self.0.split_at_checked(self.0.len().checked_sub(1)?)?;
        let shift = match unit {
            "K" | "k" => 10,
            "M" | "m" => 20,
            "G" | "g" => 30,
            _ => return None,
        };
        Word(digits).decimal()?.checked_mul(1 << shift).filter(|&bytes| bytes > 0)
    }

    /// The word as ON or OFF; HCP002E otherwise.
    pub fn on_or_off(self) -> Result<bool, Message> {
        match () {
            () if self.is("ON") => Ok(true),
            () if self.is("OFF") => Ok(false),
            () => Err(crate::invalid_operand(self.upper())),
        }
    }

    /// HCP002E naming this word.
    pub fn invalid(self) -> Message {
        crate::invalid_operand(self.upper())
    }
}

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// What is left of a command line.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    left: &'a str,
    /// How many words have been taken. The first is the command's name.
    taken: usize,
}

impl<'a> Words<'a> {
    /// All words of `line`.
    pub fn new(line: &'a str) -> Words<'a> {
        Words { left: line.trim_ascii_start(), taken: 0 }
    }

    /// The next word, without taking it.
    pub fn peek(&self) -> Option<Word<'a>> {
        self.left.split_ascii_whitespace().next().map(Word)
    }

    /// Takes the next word if it is `keyword` or an abbreviation of it.
    pub fn accept(&mut self, keyword: &str) -> bool {
        let found = self.peek().is_some_and(|word| word.is(keyword));
        if found {
            self.next();
        }
        found
    }

    /// The next word; HCP026E if the line ends here.
    pub fn need(&mut self) -> Result<Word<'a>, Message> {
        self.next().ok_or_else(crate::operand_missing)
    }

    /// The next word as a virtual device number; HCP022E otherwise.
    pub fn need_device(&mut self) -> Result<u16, Message> {
        self.next().and_then(Word::device).ok_or_else(crate::device_missing)
    }

    /// The next word as a real device number; HCP021E otherwise.
    pub fn need_real_device(&mut self) -> Result<u16, Message> {
        self.next().and_then(Word::device).ok_or_else(crate::real_device_missing)
    }

    /// The next word as a user ID; HCP020E if the line ends here.
    pub fn need_userid(&mut self) -> Result<String, Message> {
        self.next().ok_or_else(crate::userid_missing)?.userid()
    }

    /// All that is left, as it was typed, without blanks at either end.
    pub fn rest(&self) -> &'a str {
        self.left.trim_ascii_end()
    }

    /// All that is left exactly as it was typed.
    pub fn verbatim(&self) -> &'a str {
        self.left
    }

    /// Whether no word is left.
    pub fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// HCP003E if anything is left. A first operand is not extra: then the command takes none.
    pub fn end(mut self) -> Result<(), Message> {
        let first = self.taken <= 1;
        match self.next() {
            Some(word) if first => Err(crate::invalid_option(word.upper())),
            Some(word) => Err(crate::extra_option(word.upper())),
            None => Ok(()),
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let word = self.peek()?;
        self.left = self.left[word.0.len()..].trim_ascii_start();
        self.taken += 1;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_are_the_minimum() {
        assert!(abbreviates("disc", "DISConnect") && abbreviates("DISCONNECT", "DISConnect"));
        assert!(!abbreviates("dis", "DISConnect") && !abbreviates("disconnects", "DISConnect"));
        assert!(!abbreviates("discard", "DISConnect"));
        assert!(abbreviates("msg", "MSG") && !abbreviates("ms", "MSG"));
    }

    #[test]
    fn words_are_taken_and_the_rest_is_untouched() {
        let mut words = Words::new("  msg  * Hello  World ");
        assert!(words.accept("Message") || words.accept("MSG"));
        assert_eq!(words.next().unwrap().0, "*");
        assert_eq!(words.rest(), "Hello  World");
    }

    #[test]
    fn only_what_follows_operands_is_extra() {
        let end = |line, taken| {
            let mut words = Words::new(line);
            words.by_ref().take(taken).for_each(drop);
            words.end().unwrap_err().text
        };
        assert_eq!(end("logoff frob", 1), "Invalid option - FROB");
        assert_eq!(end("set msg on frob", 3), "Invalid option - command contains extra option(s) starting with FROB");
    }

    #[test]
    fn numbers_in_their_forms() {
        assert_eq!(Word("00c").device(), Some(0x0c));
        assert_eq!(Word("12345").device(), None);
        assert_eq!(Word("+9").device(), None);
        assert_eq!(Word("256M").storage(), Some(256 << 20));
        assert_eq!(Word("M").storage(), None);
        assert_eq!(Word("99999999999G").storage(), None);
        assert_eq!(Word("Ω").storage(), None);
    }
}
