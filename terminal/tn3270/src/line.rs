//! Line mode: a network virtual terminal's keyboard (RFC 854), turned into lines.
//!
//! Most clients edit the line themselves and send it whole. A client that sends each key (because it was asked not
//! to echo, or is a bare socket) is served too: backspace, delete, `^U` and the telnet erase commands work here.

/// The longest line kept, in bytes; what goes beyond is dropped.
pub(crate) const LINE_MAX: usize = 4096;

/// What a key completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A whole line, without its end.
    Line(String),
    /// The interrupt character, `^C`.
    Attention,
}

/// The line being typed.
#[derive(Debug, Default)]
pub(crate) struct Keyboard {
    line: Vec<u8>,
    after_cr: bool,
}

impl Keyboard {
    /// Takes the next byte from the client.
    pub(crate) fn push(&mut self, byte: u8) -> Option<Key> {
        // CR LF and CR NUL are one end of line; so are a bare CR and a bare LF.
        let after_cr = std::mem::replace(&mut self.after_cr, byte == b'\r');
        match byte {
            b'\n' | 0 if after_cr => None,
            b'\r' | b'\n' => Some(Key::Line(self.take())),
            0x03 => {
                self.line.clear();
                Some(Key::Attention)
            }
            0x08 | 0x7f => {
                self.erase_character();
                None
            }
            0x15 => {
                self.line.clear();
                None
            }
            b'\t' | 0x20.. => {
                if self.line.len() < LINE_MAX {
                    self.line.push(byte);
                }
                None
            }
            _ => None,
        }
    }

    /// Erases the last character: telnet's EC.
    pub(crate) fn erase_character(&mut self) {
        // A UTF-8 character goes as a whole: its continuation bytes, then its first byte.
        while self.line.pop().is_some_and(|b| b & 0xc0 == 0x80 && std::str::from_utf8(&self.line).is_err()) {}
    }

    /// Erases the line: telnet's EL.
    pub(crate) fn erase_line(&mut self) {
        self.line.clear();
    }

    fn take(&mut self) -> String {
        decode(std::mem::take(&mut self.line))
    }
}

/// Text from a client: UTF-8, or ISO 8859-1 if it is not that.
pub(crate) fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| e.as_bytes().iter().map(|&b| b as char).collect())
}

/// Text to a client: lines end in CR LF, a bare CR is CR NUL, IAC is doubled by nature of UTF-8 having none.
pub(crate) fn encode(out: &mut Vec<u8>, text: &str) {
    for b in text.bytes() {
        match b {
            b'\n' => out.extend(b"\r\n"),
            b'\r' => out.extend(b"\r\0"),
            b => out.push(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Key> {
        let mut keyboard = Keyboard::default();
        bytes.iter().filter_map(|&b| keyboard.push(b)).collect()
    }

    fn line(text: &str) -> Key {
        Key::Line(text.into())
    }

    #[test]
    fn every_end_of_line() {
        assert_eq!(lines(b"a\r\nb\r\0c\rd\n\r\n\n"), ["a", "b", "c", "d", "", ""].map(line));
    }

    #[test]
    fn erasing() {
        assert_eq!(lines(b"abx\x08c\x7f\x7fB\r\n"), [line("aB")]);
        assert_eq!(lines(b"\x08wrong\x15right\n"), [line("right")]);
        assert_eq!(lines("né\u{7f}ö€\u{7f}\n".as_bytes()), [line("nö")]);
    }

    #[test]
    fn latin_1_is_understood() {
        assert_eq!(lines(b"\xe9t\xe9\n"), [line("été")]);
        assert_eq!(lines(b"\xe9\xa0\x80\xbf\x7f\x7f\n").len(), 1);
    }

    #[test]
    fn interrupt_throws_the_line_away() {
        assert_eq!(lines(b"abc\x03d\n"), [Key::Attention, line("d")]);
    }

    #[test]
    fn a_line_has_an_end() {
        let mut long = vec![b'x'; LINE_MAX + 10];
        long.push(b'\n');
        assert_eq!(lines(&long), [line(&"x".repeat(LINE_MAX))]);
    }
}
