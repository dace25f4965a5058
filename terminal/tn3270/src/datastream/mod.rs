//! The 3270 data stream (GA23-0059): [`Outbound`] builds what a host sends, [`order`] takes it apart again,
//! [`Inbound`] reads what a display sends, [`QueryReply`] what it says of itself.
//!
//! Buffer positions are plain numbers, row times columns plus column, both counted from 0; [`Size`] converts.

mod inbound;
pub mod order;
mod outbound;
mod query;
pub(crate) mod structured;

pub use inbound::{Inbound, InboundError, ModifiedField, StructuredField};
pub use outbound::{Outbound, Wcc, read_partition_query};
pub use query::QueryReply;

/// Remote (SNA) command codes, the first byte of an outbound record. Local codes are understood too, see
/// [`order::Command`].
pub mod command {
    /// Write.
    pub const W: u8 = 0xf1;
    /// Read Buffer.
    pub const RB: u8 = 0xf2;
    /// Write Structured Field.
    pub const WSF: u8 = 0xf3;
    /// Erase/Write.
    pub const EW: u8 = 0xf5;
    /// Read Modified.
    pub const RM: u8 = 0xf6;
    /// Erase/Write Alternate.
    pub const EWA: u8 = 0x7e;
    /// Read Modified All.
    pub const RMA: u8 = 0x6e;
    /// Erase All Unprotected.
    pub const EAU: u8 = 0x6f;

    /// The command of a record for the channel command `ccw` to a 3270 (GA23-0059, *Channel commands*): what a
    /// guest's channel program or DIAGNOSE asks for. `None` for what never goes to the terminal: sense, select, no
    /// operation.
    pub fn of_channel_command(ccw: u8) -> Option<u8> {
        Some(match ccw {
            0x01 => W,
            0x05 => EW,
            0x0d => EWA,
            0x0f => EAU,
            0x11 => WSF,
            0x02 => RB,
            0x06 => RM,
            0x0e => RMA,
            _ => return None,
        })
    }
}

/// Order codes.
pub mod code {
    /// Program Tab.
    pub const PT: u8 = 0x05;
    /// Graphic Escape.
    pub const GE: u8 = 0x08;
    /// Set Buffer Address.
    pub const SBA: u8 = 0x11;
    /// Erase Unprotected to Address.
    pub const EUA: u8 = 0x12;
    /// Insert Cursor.
    pub const IC: u8 = 0x13;
    /// Start Field.
    pub const SF: u8 = 0x1d;
    /// Set Attribute.
    pub const SA: u8 = 0x28;
    /// Start Field Extended.
    pub const SFE: u8 = 0x29;
    /// Modify Field.
    pub const MF: u8 = 0x2c;
    /// Repeat to Address.
    pub const RA: u8 = 0x3c;
}

/// Types of extended attributes in SFE, SA and MF.
pub mod attribute_type {
    /// Reset all (SA only).
    pub const RESET: u8 = 0x00;
    /// Highlighting.
    pub const HIGHLIGHT: u8 = 0x41;
    /// Foreground colour.
    pub const COLOR: u8 = 0x42;
    /// Character set.
    pub const CHARSET: u8 = 0x43;
    /// Background colour.
    pub const BACKGROUND: u8 = 0x45;
    /// The 3270 field attribute.
    pub const FIELD: u8 = 0xc0;
    /// Field validation.
    pub const VALIDATION: u8 = 0xc1;
    /// Field outlining.
    pub const OUTLINING: u8 = 0xc2;
}

/// The 64 graphic characters that six-bit values are sent as (GA23-0059, *Code conversions*).
static SIX_BITS: [u8; 64] = [
    0x40, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x50, 0xd1, 0xd2,
    0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x60, 0x61, 0xe2, 0xe3, 0xe4, 0xe5,
    0xe6, 0xe7, 0xe8, 0xe9, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8,
    0xf9, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f,
];

/// A screen's size, and the arithmetic of its buffer positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// Number of rows.
    pub rows: u16,
    /// Number of columns.
    pub cols: u16,
}

impl Size {
    /// The largest number of positions that a 14-bit address reaches.
    pub const POSITIONS_MAX: usize = 1 << 14;

    /// A size; rows times columns must be 1 to [`Size::POSITIONS_MAX`].
    pub const fn new(rows: u16, cols: u16) -> Size {
        let positions = rows as usize * cols as usize;
        assert!(positions > 0 && positions <= Size::POSITIONS_MAX, "a screen that addresses reach");
        Size { rows, cols }
    }

    /// The size, if it is one that addresses reach.
    pub fn checked(rows: u16, cols: u16) -> Option<Size> {
        (1..=Size::POSITIONS_MAX).contains(&(rows as usize * cols as usize)).then_some(Size { rows, cols })
    }

    /// Number of positions.
    pub const fn positions(self) -> u16 {
        self.rows * self.cols
    }

    /// The position of a row and column, both from 0, wrapped into the screen.
    pub const fn at(self, row: u16, col: u16) -> u16 {
        ((row as u32 * self.cols as u32 + col as u32) % self.positions() as u32) as u16
    }

    /// The row and column, both from 0, of a position.
    pub const fn row_col(self, position: u16) -> (u16, u16) {
        (position / self.cols, position % self.cols)
    }

    /// A position as the two bytes of a buffer address: 12-bit coded where that suffices, else 14-bit binary.
    pub fn encode(self, position: u16) -> [u8; 2] {
        if self.positions() <= 4096 {
            [SIX_BITS[(position >> 6 & 0x3f) as usize], SIX_BITS[(position & 0x3f) as usize]]
        } else {
            [(position >> 8 & 0x3f) as u8, position as u8]
        }
    }
}

/// The position that a two-byte buffer address means: 14-bit if its first two bits are zero, else 12-bit.
pub fn decode_address(bytes: [u8; 2]) -> u16 {
    match bytes[0] >> 6 {
        0 => u16::from_be_bytes(bytes),
        _ => u16::from(bytes[0] & 0x3f) << 6 | u16::from(bytes[1] & 0x3f),
    }
}

/// A field attribute: whether and how a field can be typed into and is shown.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Attribute(u8);

impl Attribute {
    const PROTECTED: u8 = 0x20;
    const NUMERIC: u8 = 0x10;
    const DISPLAY: u8 = 0x0c;
    const INTENSIFIED: u8 = 0x08;
    const NONDISPLAY: u8 = 0x0c;
    const MODIFIED: u8 = 0x01;

    /// An input field: unprotected, alphanumeric, normal intensity.
    pub const INPUT: Attribute = Attribute(0);
    /// Text: protected, normal intensity.
    pub const TEXT: Attribute = Attribute(Attribute::PROTECTED);
    /// Text that the cursor skips: protected and numeric.
    pub const SKIP: Attribute = Attribute(Attribute::PROTECTED | Attribute::NUMERIC);
    /// An input field whose contents are not shown: for passwords.
    pub const HIDDEN: Attribute = Attribute(Attribute::NONDISPLAY);

    /// The attribute that a received byte means: its low six bits, of which X'02' is reserved and taken as zero.
    pub const fn from_byte(byte: u8) -> Attribute {
        Attribute(byte & 0x3d)
    }

    /// The attribute as it is sent: a graphic character.
    pub fn byte(self) -> u8 {
        SIX_BITS[self.0 as usize]
    }

    /// The same, shown intensified.
    pub const fn intensified(self) -> Attribute {
        Attribute(self.0 & !Attribute::DISPLAY | Attribute::INTENSIFIED)
    }

    /// The same, not shown.
    pub const fn hidden(self) -> Attribute {
        Attribute(self.0 | Attribute::NONDISPLAY)
    }

    /// The same, taking digits only (or, if protected, skipped by the cursor).
    pub const fn numeric(self) -> Attribute {
        Attribute(self.0 | Attribute::NUMERIC)
    }

    /// The same with the modified-data tag set or reset: a field with it set is sent even if the user typed nothing
    /// into it.
    pub const fn modified(self, on: bool) -> Attribute {
        Attribute(if on { self.0 | Attribute::MODIFIED } else { self.0 & !Attribute::MODIFIED })
    }

    /// Nothing can be typed into the field.
    pub const fn is_protected(self) -> bool {
        self.0 & Attribute::PROTECTED != 0
    }

    /// Numeric; with [`Attribute::is_protected`], the cursor skips the field.
    pub const fn is_numeric(self) -> bool {
        self.0 & Attribute::NUMERIC != 0
    }

    /// The field is shown intensified.
    pub const fn is_intensified(self) -> bool {
        self.0 & Attribute::DISPLAY == Attribute::INTENSIFIED
    }

    /// The field is not shown.
    pub const fn is_hidden(self) -> bool {
        self.0 & Attribute::DISPLAY == Attribute::NONDISPLAY
    }

    /// The modified-data tag is set.
    pub const fn is_modified(self) -> bool {
        self.0 & Attribute::MODIFIED != 0
    }
}

impl std::fmt::Debug for Attribute {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}", if self.is_protected() { "protected" } else { "unprotected" })?;
        for (is, word) in [
            (self.is_numeric(), "numeric"),
            (self.is_intensified(), "intensified"),
            (self.is_hidden(), "hidden"),
            (self.is_modified(), "modified"),
        ] {
            if is {
                write!(f, " {word}")?;
            }
        }
        Ok(())
    }
}

/// A colour, of the seven that terminals have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Color {
    /// What the terminal shows when no colour is given.
    #[default]
    Default = 0x00,
    /// Blue.
    Blue = 0xf1,
    /// Red.
    Red = 0xf2,
    /// Pink.
    Pink = 0xf3,
    /// Green.
    Green = 0xf4,
    /// Turquoise.
    Turquoise = 0xf5,
    /// Yellow.
    Yellow = 0xf6,
    /// White (neutral).
    White = 0xf7,
}

impl Color {
    /// The colour of an attribute value; values beyond the seven colours are the default.
    pub const fn from_byte(byte: u8) -> Color {
        match byte {
            0xf1 => Color::Blue,
            0xf2 => Color::Red,
            0xf3 => Color::Pink,
            0xf4 => Color::Green,
            0xf5 => Color::Turquoise,
            0xf6 => Color::Yellow,
            0xf7 => Color::White,
            _ => Color::Default,
        }
    }
}

/// Extended highlighting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Highlight {
    /// None.
    #[default]
    Default = 0x00,
    /// Blinking.
    Blink = 0xf1,
    /// Reverse video.
    Reverse = 0xf2,
    /// Underscored.
    Underscore = 0xf4,
}

impl Highlight {
    /// The highlighting of an attribute value; unknown values are the default.
    pub const fn from_byte(byte: u8) -> Highlight {
        match byte {
            0xf1 => Highlight::Blink,
            0xf2 => Highlight::Reverse,
            0xf4 => Highlight::Underscore,
            _ => Highlight::Default,
        }
    }
}

/// The attention identifier: which key (or what else) made the terminal send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aid {
    /// No key: the answer to a read that the host asked for.
    None,
    /// ENTER.
    Enter,
    /// CLEAR: the screen is now empty, in the default size.
    Clear,
    /// PA1, PA2 or PA3, by number.
    Pa(u8),
    /// PF1 to PF24, by number.
    Pf(u8),
    /// The test-request or SYSREQ key in classic TN3270.
    SysReq,
    /// The selector pen (cursor select) on an attention field.
    CursorSelect,
    /// A structured field follows: a query reply and the like.
    StructuredField,
    /// Any other code: trigger, card reader, printer.
    Other(u8),
}

impl Aid {
    /// The PF keys' codes, in order.
    const PF: [u8; 24] = [
        0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0x7a, 0x7b, 0x7c, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6,
        0xc7, 0xc8, 0xc9, 0x4a, 0x4b, 0x4c,
    ];

    /// The meaning of an AID byte.
    pub fn from_byte(byte: u8) -> Aid {
        match byte {
            0x60 => Aid::None,
            0x7d => Aid::Enter,
            0x6d => Aid::Clear,
            0x6c => Aid::Pa(1),
            0x6e => Aid::Pa(2),
            0x6b => Aid::Pa(3),
            0xf0 => Aid::SysReq,
            0x7e => Aid::CursorSelect,
            0x88 => Aid::StructuredField,
            _ => match Aid::PF.iter().position(|&pf| pf == byte) {
                Some(n) => Aid::Pf(n as u8 + 1),
                None => Aid::Other(byte),
            },
        }
    }

    /// The AID byte; X'60' for a key that does not exist, such as `Pf(25)`.
    pub fn byte(self) -> u8 {
        match self {
            Aid::None => 0x60,
            Aid::Enter => 0x7d,
            Aid::Clear => 0x6d,
            Aid::Pa(1) => 0x6c,
            Aid::Pa(2) => 0x6e,
            Aid::Pa(3) => 0x6b,
            Aid::Pf(n @ 1..=24) => Aid::PF[n as usize - 1],
            Aid::Pa(_) | Aid::Pf(_) => 0x60,
            Aid::SysReq => 0xf0,
            Aid::CursorSelect => 0x7e,
            Aid::StructuredField => 0x88,
            Aid::Other(byte) => byte,
        }
    }

    /// The key is CLEAR or a PA key: it sends its AID alone, no cursor and no fields (a *short read*).
    pub fn is_short(self) -> bool {
        matches!(self, Aid::Clear | Aid::Pa(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let size = Size::new(24, 80);
        // The manual's example: row 24, column 80 is position 1919, X'5D7F'.
        assert_eq!(size.encode(size.at(23, 79)), [0x5d, 0x7f]);
        assert_eq!(size.encode(0), [0x40, 0x40]);
        for size in [Size::new(24, 80), Size::new(27, 132), Size::new(62, 160), Size::new(128, 128)] {
            for position in 0..size.positions() {
                assert_eq!(decode_address(size.encode(position)), position);
                let (row, col) = size.row_col(position);
                assert_eq!(size.at(row, col), position);
            }
        }
        assert_eq!(Size::checked(0, 80), None);
        assert_eq!(Size::checked(65535, 65535), None);
    }

    #[test]
    fn channel_commands_mean_what_they_mean_on_the_wire() {
        for ccw in 0..=255 {
            if let Some(remote) = command::of_channel_command(ccw) {
                assert_eq!(order::Command::from_byte(ccw), order::Command::from_byte(remote));
            }
        }
        assert_eq!(command::of_channel_command(0x0d), Some(command::EWA));
        assert_eq!(command::of_channel_command(0x04), None);
    }

    #[test]
    fn aids() {
        for byte in 0..=255 {
            assert_eq!(Aid::from_byte(byte).byte(), byte);
        }
        assert_eq!(Aid::from_byte(0xf3), Aid::Pf(3));
        assert_eq!(Aid::from_byte(0x4c), Aid::Pf(24));
        assert!(Aid::Pa(2).is_short() && !Aid::Enter.is_short());
    }

    #[test]
    fn attributes() {
        assert_eq!(Attribute::TEXT.byte(), 0x60);
        assert_eq!(Attribute::SKIP.intensified().byte(), 0xf8);
        assert_eq!(Attribute::HIDDEN.byte(), 0x4c);
        assert_eq!(Attribute::INPUT.modified(true).byte(), 0xc1);
        assert!(Attribute::from_byte(0x4c).is_hidden());
        assert_eq!(format!("{:?}", Attribute::SKIP.modified(true)), "protected numeric modified");
    }
}
