//! Query replies: what an extended terminal says of itself (GA23-0059, *Query Reply*).

use super::structured::Extent;
use super::{Inbound, Size, StructuredField};
use zerocopy::FromBytes;

/// One query reply; only those that a host makes use of are taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryReply {
    /// Summary (X'80'): the codes of all replies that are supported.
    Summary(Vec<u8>),
    /// Usable Area (X'81'): the largest screen.
    UsableArea(Size),
    /// Implicit Partition (X'A6'): the default and the alternate screen size.
    ImplicitPartition {
        /// The default size.
        default: Size,
        /// The alternate size.
        alternate: Size,
    },
    /// Color (X'86'): how many colours are accepted, and whether each shows as itself.
    Color {
        /// Number of colour attribute values accepted.
        values: u8,
        /// Whether the terminal really shows more than one colour.
        real: bool,
    },
    /// Highlighting (X'87'): the values accepted.
    Highlighting(Vec<u8>),
    /// Any other reply: its code and its data.
    Other(u8, Vec<u8>),
}

impl QueryReply {
    /// The structured field identifier of query replies.
    pub const ID: u8 = 0x81;

    /// The query replies in what a terminal sent; replies too short for what they are come as
    /// [`QueryReply::Other`].
    pub fn all(inbound: &Inbound) -> Vec<QueryReply> {
        inbound.structured.iter().filter_map(QueryReply::parse).collect()
    }

    fn parse(field: &StructuredField) -> Option<QueryReply> {
        let (&code, data) = field.data.split_first().filter(|_| field.id == QueryReply::ID)?;
        Some(QueryReply::known(code, data).unwrap_or_else(|| QueryReply::Other(code, data.to_vec())))
    }

    fn known(code: u8, data: &[u8]) -> Option<QueryReply> {
        let extents = |at: usize| data.get(at..).unwrap_or_default();
        match code {
            0x80 => Some(QueryReply::Summary(data.to_vec())),
            // Flags, then columns and rows.
            0x81 => Extent::read_from_prefix(extents(2)).ok()?.0.size().map(QueryReply::UsableArea),
            // Two reserved bytes; one self-defining parameter: length, X'01', flags, four sizes.
            0xa6 if data.get(3) == Some(&0x01) => {
                let ([default, alternate], _) = <[Extent; 2]>::read_from_prefix(extents(5)).ok()?;
                Some(QueryReply::ImplicitPartition { default: default.size()?, alternate: alternate.size()? })
            }
            // Flags, the number of pairs, pairs of a value accepted and the colour shown for it.
            0x86 => {
                let values = *data.get(1)?;
                let mut shown = data.get(2..)?.chunks_exact(2).filter(|pair| pair[0] != 0).map(|pair| pair[1]);
                let first = shown.next();
                Some(QueryReply::Color { values, real: shown.any(|c| Some(c) != first) })
            }
            0x87 => {
                data.first()?;
                Some(QueryReply::Highlighting(data[1..].chunks_exact(2).map(|pair| pair[0]).collect()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replies(fields: &[&[u8]]) -> Vec<QueryReply> {
        let mut record = vec![0x88];
        for field in fields {
            super::super::structured::push(&mut record, 0x81, field);
        }
        QueryReply::all(&Inbound::parse(&record).expect("structured fields"))
    }

    #[test]
    fn sizes_colours_and_highlighting() {
        assert_eq!(
            replies(&[
                &[0x80, 0x80, 0x81],
                &[0x81, 0x01, 0x00, 0, 80, 0, 43, 1],
                &[0xa6, 0, 0, 11, 1, 0, 0, 80, 0, 24, 0, 132, 0, 27],
                &[0x86, 0, 3, 0, 0xf4, 0xf1, 0xf1, 0xf2, 0xf2],
                &[0x87, 2, 0, 0xf0, 0xf1, 0xf1],
                &[0x99, 1],
            ]),
            [
                QueryReply::Summary(vec![0x80, 0x81]),
                QueryReply::UsableArea(Size::new(43, 80)),
                QueryReply::ImplicitPartition { default: Size::new(24, 80), alternate: Size::new(27, 132) },
                QueryReply::Color { values: 3, real: true },
                QueryReply::Highlighting(vec![0, 0xf1]),
                QueryReply::Other(0x99, vec![1]),
            ]
        );
    }

    #[test]
    fn one_colour_for_all_is_no_colour() {
        assert_eq!(
            replies(&[&[0x86, 0, 3, 0, 0xf4, 0xf1, 0, 0xf2, 0]]),
            [QueryReply::Color { values: 3, real: false }]
        );
    }

    #[test]
    fn replies_that_are_too_short_are_kept_as_they_are() {
        assert_eq!(replies(&[&[0x81, 1], &[0xa6, 0, 0, 11, 1, 0]]).len(), 2);
        assert!(matches!(replies(&[&[0x81, 1]])[..], [QueryReply::Other(0x81, _)]));
        assert!(matches!(replies(&[&[0x81, 1, 0, 0, 0, 0, 0]])[..], [QueryReply::Other(0x81, _)]));
        assert!(replies(&[&[]]).is_empty());
    }
}
