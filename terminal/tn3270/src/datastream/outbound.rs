//! Building what a host sends to a display.

use super::{Attribute, Color, Highlight, Size, attribute_type, code, command};
use crate::codepage::CodePage;

/// The write control character: what a write does besides writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wcc(u8);

impl Wcc {
    const RESET: u8 = 0x40;
    const ALARM: u8 = 0x04;
    const RESTORE: u8 = 0x02;
    const RESET_MDT: u8 = 0x01;

    /// Nothing besides.
    pub const NONE: Wcc = Wcc(0);
    /// Unlock the keyboard and forget which fields were modified: the usual end of an exchange.
    pub const UNLOCK: Wcc = Wcc(Wcc::RESTORE | Wcc::RESET_MDT);

    /// And unlock the keyboard.
    pub const fn restore(self) -> Wcc {
        Wcc(self.0 | Wcc::RESTORE)
    }

    /// And reset all modified-data tags.
    pub const fn reset_mdt(self) -> Wcc {
        Wcc(self.0 | Wcc::RESET_MDT)
    }

    /// And sound the alarm.
    pub const fn alarm(self) -> Wcc {
        Wcc(self.0 | Wcc::ALARM)
    }

    /// The WCC that a received byte means.
    pub const fn from_byte(byte: u8) -> Wcc {
        Wcc(byte & (Wcc::ALARM | Wcc::RESTORE | Wcc::RESET_MDT))
    }

    /// The byte as it is sent: a graphic character, with the bit that resets the reply mode.
    pub fn byte(self) -> u8 {
        super::SIX_BITS[(self.0 & 0x3f) as usize] | Wcc::RESET
    }

    /// The keyboard is unlocked.
    pub const fn restores(self) -> bool {
        self.0 & Wcc::RESTORE != 0
    }

    /// Modified-data tags are reset.
    pub const fn resets_mdt(self) -> bool {
        self.0 & Wcc::RESET_MDT != 0
    }

    /// The alarm sounds.
    pub const fn alarms(self) -> bool {
        self.0 & Wcc::ALARM != 0
    }
}

/// A record for a display, under construction. The finished bytes go to `Session::send_3270` (or to
/// `Screen::apply`).
///
/// ```
/// use tn3270::datastream::{Attribute, Outbound, Size, Wcc};
///
/// let mut screen = Outbound::erase_write(Size::new(24, 80), Wcc::UNLOCK);
/// screen.at(0, 0).field(Attribute::TEXT).text("Fill in your USERID");
/// screen.at(1, 0).field(Attribute::INPUT).cursor();
/// let record = screen.finish();
/// # assert_eq!(record[0], 0xf5);
/// ```
#[derive(Clone, Debug)]
pub struct Outbound {
    size: Size,
    page: CodePage,
    data: Vec<u8>,
}

impl Outbound {
    fn new(size: Size, command: u8, wcc: Wcc) -> Outbound {
        Outbound { size, page: CodePage::default(), data: vec![command, wcc.byte()] }
    }

    /// Write: changes the screen as it is. `size` is the size in effect.
    pub fn write(size: Size, wcc: Wcc) -> Outbound {
        Outbound::new(size, command::W, wcc)
    }

    /// Erase/Write: clears the screen and switches to the default size, which `size` must be.
    pub fn erase_write(size: Size, wcc: Wcc) -> Outbound {
        Outbound::new(size, command::EW, wcc)
    }

    /// Erase/Write Alternate: clears the screen and switches to the alternate size, which `size` must be.
    pub fn erase_write_alternate(size: Size, wcc: Wcc) -> Outbound {
        Outbound::new(size, command::EWA, wcc)
    }

    /// Writes text in `page` from here on; the default is [`CodePage::Bracket`].
    pub fn code_page(&mut self, page: CodePage) -> &mut Outbound {
        self.page = page;
        self
    }

    /// Set Buffer Address: what follows goes to `row` and `col`, both from 0.
    pub fn at(&mut self, row: u16, col: u16) -> &mut Outbound {
        self.position(self.size.at(row, col))
    }

    /// Set Buffer Address by position.
    pub fn position(&mut self, position: u16) -> &mut Outbound {
        self.data.push(code::SBA);
        self.address(position)
    }

    fn address(&mut self, position: u16) -> &mut Outbound {
        self.data.extend(self.size.encode(position % self.size.positions()));
        self
    }

    /// Start Field: the attribute takes one position, the field begins after it.
    pub fn field(&mut self, attribute: Attribute) -> &mut Outbound {
        self.data.extend([code::SF, attribute.byte()]);
        self
    }

    /// Start Field Extended, with a colour and a highlighting. Only for extended terminals.
    pub fn extended_field(&mut self, attribute: Attribute, color: Color, highlight: Highlight) -> &mut Outbound {
        let count_at = self.data.len() + 1;
        self.data.extend([code::SFE, 1, attribute_type::FIELD, attribute.byte()]);
        for (kind, value) in [(attribute_type::HIGHLIGHT, highlight as u8), (attribute_type::COLOR, color as u8)] {
            if value != 0 {
                self.data.extend([kind, value]);
                self.data[count_at] += 1;
            }
        }
        self
    }

    /// Set Attribute: the characters that follow have this colour. Only for extended terminals.
    pub fn color(&mut self, color: Color) -> &mut Outbound {
        self.data.extend([code::SA, attribute_type::COLOR, color as u8]);
        self
    }

    /// Set Attribute: the characters that follow have this highlighting. Only for extended terminals.
    pub fn highlight(&mut self, highlight: Highlight) -> &mut Outbound {
        self.data.extend([code::SA, attribute_type::HIGHLIGHT, highlight as u8]);
        self
    }

    /// Set Attribute: the characters that follow have their field's attributes again.
    pub fn plain(&mut self) -> &mut Outbound {
        self.data.extend([code::SA, attribute_type::RESET, 0]);
        self
    }

    /// Text, in the terminal's code page. Controls (a new line too) become blanks: a screen has only positions.
    pub fn text(&mut self, text: &str) -> &mut Outbound {
        let page = self.page;
        self.data.extend(text.chars().map(|c| page.encode(c)));
        self
    }

    /// Text that is EBCDIC (code page 037) already; bytes that are no graphic characters become blanks.
    pub fn ebcdic(&mut self, bytes: &[u8]) -> &mut Outbound {
        let page = self.page;
        self.data.extend(bytes.iter().map(|&b| if matches!(b, 0x40..=0xfe) { page.swap(b) } else { 0x40 }));
        self
    }

    /// Orders and data as they are, unchecked.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Outbound {
        self.data.extend(bytes);
        self
    }

    /// Insert Cursor: the cursor goes where the next character would.
    pub fn cursor(&mut self) -> &mut Outbound {
        self.data.push(code::IC);
        self
    }

    /// Program Tab: on to the next unprotected field.
    pub fn tab(&mut self) -> &mut Outbound {
        self.data.push(code::PT);
        self
    }

    /// Repeat to Address: fills with `byte` up to, not including, `row` and `col`; the whole screen if that is where
    /// it begins. X'00' makes room that can be typed into with insert mode; X'40' shows blanks.
    pub fn repeat_to(&mut self, row: u16, col: u16, byte: u8) -> &mut Outbound {
        self.data.push(code::RA);
        self.address(self.size.at(row, col));
        self.data.push(byte);
        self
    }

    /// Erase Unprotected to Address: clears what can be typed into, up to, not including, `row` and `col`.
    pub fn erase_unprotected_to(&mut self, row: u16, col: u16) -> &mut Outbound {
        self.data.push(code::EUA);
        self.address(self.size.at(row, col))
    }

    /// The record.
    pub fn finish(self) -> Vec<u8> {
        self.data
    }
}

/// The record that asks an extended terminal what it is: Write Structured Field, Read Partition (Query).
pub fn read_partition_query() -> Vec<u8> {
    vec![command::WSF, 0x00, 0x05, 0x01, 0xff, 0x02]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size::new(24, 80);

    #[test]
    fn a_screen_byte_by_byte() {
        let mut w = Outbound::erase_write(SIZE, Wcc::UNLOCK);
        w.at(0, 0).field(Attribute::TEXT).text("A[").at(23, 79).field(Attribute::INPUT).cursor();
        w.repeat_to(0, 0, 0).erase_unprotected_to(0, 1).tab();
        #[rustfmt::skip]
        assert_eq!(w.finish(), [
            0xf5, 0xc3,
            0x11, 0x40, 0x40, 0x1d, 0x60, 0xc1, 0xad,
            0x11, 0x5d, 0x7f, 0x1d, 0x40, 0x13,
            0x3c, 0x40, 0x40, 0x00,
            0x12, 0x40, 0xc1,
            0x05,
        ]);
    }

    #[test]
    fn extended_attributes() {
        let mut w = Outbound::erase_write_alternate(SIZE, Wcc::UNLOCK.alarm());
        w.extended_field(Attribute::SKIP, Color::Red, Highlight::Reverse).color(Color::Green);
        w.highlight(Highlight::Blink).plain().extended_field(Attribute::TEXT, Color::Default, Highlight::Default);
        #[rustfmt::skip]
        assert_eq!(w.finish(), [
            0x7e, 0xc7,
            0x29, 3, 0xc0, 0xf0, 0x41, 0xf2, 0x42, 0xf2,
            0x28, 0x42, 0xf4, 0x28, 0x41, 0xf1, 0x28, 0, 0,
            0x29, 1, 0xc0, 0x60,
        ]);
    }

    #[test]
    fn no_text_can_be_an_order() {
        let all: String = (0..=255u8).map(char::from).collect();
        let mut w = Outbound::write(SIZE, Wcc::NONE);
        w.text(&all).ebcdic(&(0..=255).collect::<Vec<u8>>());
        assert!(w.finish()[2..].iter().all(|&b| (0x40..0xff).contains(&b)));
    }

    #[test]
    fn write_control_characters() {
        assert_eq!(Wcc::NONE.byte(), 0x40);
        assert_eq!(Wcc::UNLOCK.byte(), 0xc3);
        assert_eq!(Wcc::from_byte(0xc7), Wcc::UNLOCK.alarm());
    }
}
