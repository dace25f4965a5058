//! Reading what a display sends: the operator's key, the cursor and the fields that were typed into.

use super::{Aid, code, decode_address, structured};
use crate::codepage::CodePage;

/// A field of a Read Modified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModifiedField {
    /// The position of the field's first character (after its attribute); `None` on an unformatted screen.
    pub position: Option<u16>,
    /// The characters, nulls left out by the terminal.
    pub data: Vec<u8>,
}

impl ModifiedField {
    /// The characters as text.
    pub fn text(&self, page: CodePage) -> String {
        page.text(&self.data)
    }
}

/// A structured field from a display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructuredField {
    /// The identifier: X'81' is a query reply.
    pub id: u8,
    /// What follows the identifier.
    pub data: Vec<u8>,
}

/// What a display sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inbound {
    /// The key.
    pub aid: Aid,
    /// The cursor's position; `None` in a short read and with structured fields.
    pub cursor: Option<u16>,
    /// The modified fields, in the order sent.
    pub fields: Vec<ModifiedField>,
    /// The structured fields of [`Aid::StructuredField`].
    pub structured: Vec<StructuredField>,
}

/// Why a record is not a display's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InboundError {
    /// There is nothing in it.
    #[error("an empty 3270 record")]
    Empty,
    /// It ends inside an address, an order or a structured field.
    #[error("a 3270 record that ends too early")]
    Truncated,
}

impl Inbound {
    /// Reads a Read Modified, a short read or structured fields. Character attributes (SA) and graphic escapes are
    /// skipped: only characters are left.
    pub fn parse(record: &[u8]) -> Result<Inbound, InboundError> {
        let (&aid, rest) = record.split_first().ok_or(InboundError::Empty)?;
        let aid = Aid::from_byte(aid);
        let mut inbound = Inbound { aid, cursor: None, fields: Vec::new(), structured: Vec::new() };
        if aid == Aid::StructuredField {
            inbound.structured = structured_fields(rest)?;
        } else if !rest.is_empty() {
            let (&cursor, rest) = rest.split_first_chunk().ok_or(InboundError::Truncated)?;
            inbound.cursor = Some(decode_address(cursor));
            inbound.fields = fields(rest)?;
        }
        Ok(inbound)
    }

    /// The text of the field at `position`; `None` if it was not sent, that is, not modified.
    pub fn field(&self, position: u16, page: CodePage) -> Option<String> {
        self.fields.iter().find(|f| f.position == Some(position)).map(|f| f.text(page))
    }

    /// The text of everything sent, fields one after the other.
    pub fn text(&self, page: CodePage) -> String {
        self.fields.iter().map(|f| f.text(page)).collect()
    }
}

fn fields(mut rest: &[u8]) -> Result<Vec<ModifiedField>, InboundError> {
    let mut fields: Vec<ModifiedField> = Vec::new();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let skip = match byte {
            code::SBA => {
                let (&address, after) = rest.split_first_chunk().ok_or(InboundError::Truncated)?;
                rest = after;
                fields.push(ModifiedField { position: Some(decode_address(address)), data: Vec::new() });
                continue;
            }
            code::SA => 2,
            code::GE => 0,
            byte => {
                match fields.last_mut() {
                    Some(field) => field.data.push(byte),
                    None => fields.push(ModifiedField { position: None, data: vec![byte] }),
                }
                continue;
            }
        };
        rest = rest.get(skip..).ok_or(InboundError::Truncated)?;
    }
    Ok(fields)
}

fn structured_fields(mut rest: &[u8]) -> Result<Vec<StructuredField>, InboundError> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let (id, data, others) = structured::split(rest).ok_or(InboundError::Truncated)?;
        fields.push(StructuredField { id, data: data.to_vec() });
        rest = others;
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enter_with_two_fields() {
        let record =
            [0x7d, 0xc1, 0x50, 0x11, 0xc1, 0x50, 0x81, 0x82, 0x28, 0x42, 0xf1, 0x83, 0x11, 0x40, 0xc2, 0x08, 0xad];
        let inbound = Inbound::parse(&record).expect("a record");
        assert_eq!((inbound.aid, inbound.cursor), (Aid::Enter, Some(80)));
        assert_eq!(inbound.field(80, CodePage::Bracket).as_deref(), Some("abc"));
        assert_eq!(inbound.field(2, CodePage::Bracket).as_deref(), Some("["));
        assert_eq!(inbound.field(3, CodePage::Bracket), None);
        assert_eq!(inbound.text(CodePage::Bracket), "abc[");
    }

    #[test]
    fn short_reads_and_unformatted_screens() {
        let clear = Inbound::parse(&[0x6d]).expect("a short read");
        assert_eq!((clear.aid, clear.cursor, clear.fields.len()), (Aid::Clear, None, 0));
        let unformatted = Inbound::parse(&[0xf1, 0x40, 0x40, 0xd8]).expect("a record");
        assert_eq!(unformatted.aid, Aid::Pf(1));
        assert_eq!(unformatted.fields, [ModifiedField { position: None, data: vec![0xd8] }]);
    }

    #[test]
    fn structured_fields_by_length() {
        let inbound = Inbound::parse(&[0x88, 0, 4, 0x81, 0x99, 0, 0, 0x81, 1, 2]).expect("structured fields");
        assert_eq!(
            inbound.structured,
            [StructuredField { id: 0x81, data: vec![0x99] }, StructuredField { id: 0x81, data: vec![1, 2] }]
        );
    }

    #[test]
    fn what_ends_too_early() {
        assert_eq!(Inbound::parse(&[]), Err(InboundError::Empty));
        for record in
            [&[0x7d, 0x40][..], &[0x7d, 0x40, 0x40, 0x11, 0x40], &[0x88, 0, 9, 0x81], &[0x88, 0, 2], &[0x88, 0]]
        {
            assert_eq!(Inbound::parse(record), Err(InboundError::Truncated), "{record:02x?}");
        }
        assert_eq!(Inbound::parse(&[0x7d, 0x40, 0x40, 0x28, 0x42]), Err(InboundError::Truncated));
    }
}
