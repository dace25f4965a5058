//! Which EBCDIC a terminal shows.
//!
//! The 3270 emulators that people use (x3270, c3270, s3270, wc3270) default to a variant of code page 037 that they
//! call *bracket*: the square brackets are where code page 1047 and the old TN character set have them. Text for a
//! screen and text from a screen goes through here, so that a bracket typed is a bracket read, whatever the host
//! calls it inside. Data streams of guests are never touched.

use base::ebcdic;

/// The code page of a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CodePage {
    /// Code page 037 with `[` at X'AD' and `]` at X'BD': the default of the x3270 family.
    #[default]
    Bracket,
    /// Code page 037 as `base::ebcdic` has it.
    Cp037,
}

impl CodePage {
    /// The terminal's byte for a byte of code page 037; exchanges two pairs, so it is its own inverse.
    pub fn swap(self, byte: u8) -> u8 {
        match (self, byte) {
            (CodePage::Cp037, b) => b,
            (CodePage::Bracket, 0xba) => 0xad,
            (CodePage::Bracket, 0xad) => 0xba,
            (CodePage::Bracket, 0xbb) => 0xbd,
            (CodePage::Bracket, 0xbd) => 0xbb,
            (CodePage::Bracket, b) => b,
        }
    }

    /// The byte that shows `character`; X'6F' (a question mark) for what the code page has not, a blank for controls.
    pub fn encode(self, character: char) -> u8 {
        match u8::try_from(character) {
            Ok(c) => match self.swap(ebcdic::FROM_LATIN1[c as usize]) {
                0x00..0x40 | 0xff => ebcdic::BLANK,
                b => b,
            },
            Err(_) => 0x6f,
        }
    }

    /// The character that `byte` shows; nulls and other controls show as a blank.
    pub fn decode(self, byte: u8) -> char {
        match byte {
            0x00..0x40 | 0xff => ' ',
            b => ebcdic::TO_LATIN1[self.swap(b) as usize] as char,
        }
    }

    /// The characters that `bytes` show, nulls left out: how a field that was typed into is read.
    pub fn text(self, bytes: &[u8]) -> String {
        bytes.iter().filter(|&&b| b != 0).map(|&b| self.decode(b)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_graphic_character_survives_the_round_trip() {
        for page in [CodePage::Bracket, CodePage::Cp037] {
            for b in 0x40..0xff {
                assert_eq!(page.encode(page.decode(b)), b, "X'{b:02X}'");
            }
        }
    }

    #[test]
    fn brackets() {
        assert_eq!([CodePage::Bracket.encode('['), CodePage::Bracket.encode(']')], [0xad, 0xbd]);
        assert_eq!([CodePage::Cp037.encode('['), CodePage::Cp037.encode(']')], [0xba, 0xbb]);
        assert_eq!(CodePage::Bracket.text(&[0xad, 0x00, 0x81, 0x1d, 0xbd]), "[a ]");
        assert_eq!(CodePage::Bracket.encode('€'), 0x6f);
        assert_eq!(CodePage::Bracket.encode('\n'), 0x40);
    }
}
