//! The integrated ASCII console: a VT220 that the service element has for a virtual machine beside its virtual console.
//!
//! What the guest writes there goes to the user's terminal as it is, escape sequences and all; it is UTF-8. CP's own
//! lines come between.

use std::str;

/// The way of the guest's bytes to a terminal, which takes text.
#[derive(Default)]
pub struct AsciiConsole {
    /// The beginning of a character; the guest has still to write the rest.
    unfinished: Vec<u8>,
}

impl AsciiConsole {
    /// The text that is complete with these bytes. What is no UTF-8 shows as U+FFFD.
    pub fn text(&mut self, bytes: &[u8]) -> String {
        self.unfinished.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.unfinished);
        let mut text = String::new();
        let mut rest = bytes.as_slice();
        while let Err(error) = str::from_utf8(rest) {
            let (valid, other) = rest.split_at(error.valid_up_to());
            text.push_str(&String::from_utf8_lossy(valid));
            let Some(wrong) = error.error_len() else {
                self.unfinished = other.to_vec();
                return text;
            };
            text.push(char::REPLACEMENT_CHARACTER);
            rest = &other[wrong..];
        }
        text + &String::from_utf8_lossy(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_may_come_in_pieces() {
        let mut console = AsciiConsole::default();
        assert_eq!(console.text("ein Kä".as_bytes()), "ein Kä");
        assert_eq!(console.text(b"fer: \xf0\x9f"), "fer: ");
        assert_eq!(console.text(b"\xaa"), "");
        assert_eq!(console.text(b"\xb2\x1b[1m!"), "🪲\x1b[1m!");
    }

    #[test]
    fn what_is_no_text_takes_nothing_with_it() {
        let mut console = AsciiConsole::default();
        assert_eq!(console.text(b"a\xffb\xc3(c\xe2\x82"), "a\u{fffd}b\u{fffd}(c");
        assert_eq!(console.text(b"d"), "\u{fffd}d", "it did not go on");
    }
}
