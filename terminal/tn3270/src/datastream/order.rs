//! Taking an outbound data stream apart: the command, then orders and data one by one.

use super::{Attribute, code, decode_address};

/// What an outbound record asks for. Remote (SNA) and local (channel) command codes are both understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Write.
    Write,
    /// Erase/Write.
    EraseWrite,
    /// Erase/Write Alternate.
    EraseWriteAlternate,
    /// Erase All Unprotected.
    EraseAllUnprotected,
    /// Read Buffer.
    ReadBuffer,
    /// Read Modified.
    ReadModified,
    /// Read Modified All.
    ReadModifiedAll,
    /// Write Structured Field.
    WriteStructuredField,
    /// No operation.
    NoOperation,
}

impl Command {
    /// The command that the first byte of a record is; `None` if it is none.
    pub fn from_byte(byte: u8) -> Option<Command> {
        Some(match byte {
            0xf1 | 0x01 => Command::Write,
            0xf5 | 0x05 => Command::EraseWrite,
            0x7e | 0x0d => Command::EraseWriteAlternate,
            0x6f | 0x0f => Command::EraseAllUnprotected,
            0xf2 | 0x02 => Command::ReadBuffer,
            0xf6 | 0x06 => Command::ReadModified,
            0x6e | 0x0e => Command::ReadModifiedAll,
            0xf3 | 0x11 => Command::WriteStructuredField,
            0x03 => Command::NoOperation,
            _ => return None,
        })
    }
}

/// Whether a position can hold `byte`: a graphic character or a format control (null, SUB, DUP, FM, FF, CR, NL, EM,
/// EO, shift out and in, and what else terminals keep). Other controls are orders, or nothing.
pub fn is_character(byte: u8) -> bool {
    matches!(byte, 0x40..|0x00| 0x0c..=0x0f | 0x15 | 0x19 | 0x1c | 0x1e | 0x25 | 0x3f)
}

/// One order, or one byte of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// A character or format control; what is neither ([`is_character`]) has no effect on a display.
    Data(u8),
    /// Graphic Escape: a character of the alternate character set.
    GraphicEscape(u8),
    /// Start Field.
    StartField(Attribute),
    /// Start Field Extended: pairs of [`super::attribute_type`] and value.
    StartFieldExtended(Vec<(u8, u8)>),
    /// Modify Field: the same pairs.
    ModifyField(Vec<(u8, u8)>),
    /// Set Attribute: type and value.
    SetAttribute(u8, u8),
    /// Set Buffer Address.
    SetBufferAddress(u16),
    /// Repeat to Address.
    RepeatToAddress {
        /// Where to stop.
        stop: u16,
        /// The character.
        byte: u8,
        /// It is of the alternate character set.
        graphic_escape: bool,
    },
    /// Erase Unprotected to Address.
    EraseUnprotectedToAddress(u16),
    /// Insert Cursor.
    InsertCursor,
    /// Program Tab.
    ProgramTab,
}

/// The orders after command and WCC. An order cut off at the end of the stream yields `Err(Truncated)`, once.
#[derive(Clone, Debug)]
pub struct Orders<'a> {
    rest: &'a [u8],
}

/// The stream ended inside an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncated;

impl<'a> Orders<'a> {
    /// The orders in `data`.
    pub fn new(data: &'a [u8]) -> Orders<'a> {
        Orders { rest: data }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Truncated> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or(Truncated)?;
        self.rest = rest;
        Ok(*head)
    }

    fn pairs(&mut self) -> Result<Vec<(u8, u8)>, Truncated> {
        let [count] = self.take()?;
        (0..count).map(|_| self.take().map(|[kind, value]| (kind, value))).collect()
    }

    fn order(&mut self) -> Result<Order, Truncated> {
        let [byte] = self.take()?;
        Ok(match byte {
            code::SF => Order::StartField(Attribute::from_byte(self.take::<1>()?[0])),
            code::SFE => Order::StartFieldExtended(self.pairs()?),
            code::MF => Order::ModifyField(self.pairs()?),
            code::SA => {
                let [kind, value] = self.take()?;
                Order::SetAttribute(kind, value)
            }
            code::SBA => Order::SetBufferAddress(decode_address(self.take()?)),
            code::RA => {
                let stop = decode_address(self.take()?);
                let [byte] = self.take()?;
                if byte == code::GE {
                    Order::RepeatToAddress { stop, byte: self.take::<1>()?[0], graphic_escape: true }
                } else {
                    Order::RepeatToAddress { stop, byte, graphic_escape: false }
                }
            }
            code::EUA => Order::EraseUnprotectedToAddress(decode_address(self.take()?)),
            code::IC => Order::InsertCursor,
            code::PT => Order::ProgramTab,
            code::GE => Order::GraphicEscape(self.take::<1>()?[0]),
            byte => Order::Data(byte),
        })
    }
}

impl Iterator for Orders<'_> {
    type Item = Result<Order, Truncated>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let order = self.order();
        if order.is_err() {
            self.rest = &[];
        }
        Some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order() {
        let stream = [
            0x11, 0x5d, 0x7f, 0x1d, 0x60, 0x29, 2, 0xc0, 0x40, 0x42, 0xf4, 0x28, 0x41, 0xf1, 0x2c, 1, 0xc0, 0x60, 0x13,
            0x05, 0x3c, 0x40, 0x40, 0x00, 0x12, 0x40, 0xc1, 0x08, 0xad, 0xc1, 0x00,
        ];
        let orders: Result<Vec<Order>, Truncated> = Orders::new(&stream).collect();
        assert_eq!(
            orders.expect("whole orders"),
            [
                Order::SetBufferAddress(1919),
                Order::StartField(Attribute::TEXT),
                Order::StartFieldExtended(vec![(0xc0, 0x40), (0x42, 0xf4)]),
                Order::SetAttribute(0x41, 0xf1),
                Order::ModifyField(vec![(0xc0, 0x60)]),
                Order::InsertCursor,
                Order::ProgramTab,
                Order::RepeatToAddress { stop: 0, byte: 0, graphic_escape: false },
                Order::EraseUnprotectedToAddress(1),
                Order::GraphicEscape(0xad),
                Order::Data(0xc1),
                Order::Data(0),
            ]
        );
    }

    #[test]
    fn a_cut_order_is_an_error_and_the_end() {
        for stream in [&[0x11, 0x40][..], &[0x1d], &[0x29, 2, 0xc0, 0x40, 0x42], &[0x3c, 0x40, 0x40], &[0x3c, 0, 0, 8]]
        {
            assert_eq!(Orders::new(stream).collect::<Vec<_>>(), [Err(Truncated)], "{stream:02x?}");
        }
    }

    #[test]
    fn local_and_remote_commands() {
        assert_eq!(Command::from_byte(0x05), Command::from_byte(0xf5));
        assert_eq!(Command::from_byte(0x7e), Some(Command::EraseWriteAlternate));
        assert_eq!(Command::from_byte(0xc1), None);
    }
}
