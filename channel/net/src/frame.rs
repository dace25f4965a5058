//! What a switch looks at in a frame: its addresses, and the tag of a VLAN.

use crate::Mac;
use base::layout::U16;
use smoltcp::wire::EthernetFrame;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The number of a VLAN, 1 to 4094; 0 stands for none.
pub type VlanId = u16;

/// The fewest bytes of a frame: addresses and a type. Links here need no padding.
pub const SHORTEST: usize = 14;
/// The most bytes of a frame: a tag, addresses, a type, and the longest IP packet.
pub const LONGEST: usize = 65_553;

/// Where a tag stands: after the two addresses.
const TAG_AT: usize = 12;
/// A tag as IEEE 802.1Q has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct Tag {
    /// X'00': X'8100'.
    kind: U16,
    /// X'02': priority in bits 0-2, drop eligible in bit 3, the VLAN in bits 4-15.
    control: U16,
}
const _: () = assert!(size_of::<Tag>() == 4);

impl Tag {
    /// The type that begins a tag.
    pub(crate) const KIND: u16 = 0x8100;

    pub(crate) fn vlan(self) -> VlanId {
        self.control.get() & 0x0fff
    }

    pub(crate) fn of(vlan: VlanId, priority: Option<Tag>) -> Tag {
        let control = priority.map_or(0, |tag| tag.control.get() & 0xf000) | vlan & 0x0fff;
        Tag { kind: Tag::KIND.into(), control: control.into() }
    }
}

/// What is known of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Head {
    pub to: Mac,
    pub from: Mac,
    pub tag: Option<Tag>,
}

impl Head {
    /// The head of `frame`; `None` if it is too short or too long, or comes from an address that is none.
    pub(crate) fn of(frame: &[u8]) -> Option<Head> {
        if !(SHORTEST..=LONGEST).contains(&frame.len()) {
            return None;
        }
        let ethernet = EthernetFrame::new_checked(frame).ok()?;
        let (to, from) = (ethernet.dst_addr(), ethernet.src_addr());
        let tag = match u16::from(ethernet.ethertype()) {
            // A tag is followed by a type.
            Tag::KIND if frame.len() < SHORTEST + size_of::<Tag>() => return None,
            Tag::KIND => Tag::read_from_prefix(&frame[TAG_AT..]).ok().map(|(tag, _)| tag),
            _ => None,
        };
        from.is_unicast().then_some(Head { to, from, tag })
    }
}

/// Whether a bridge keeps frames to this address to itself (IEEE 802.1D: spanning tree, link aggregation, LLDP).
pub(crate) fn stays_on_link(to: Mac) -> bool {
    to.0[..5] == [0x01, 0x80, 0xc2, 0x00, 0x00] && to.0[5] < 0x10
}

/// Puts a copy of `frame` into `into`: without the tag that it has, and with `tag`.
pub(crate) fn copy(frame: &[u8], strip: bool, tag: Option<Tag>, into: &mut Vec<u8>) {
    into.clear();
    if !strip && tag.is_none() {
        return into.extend_from_slice(frame);
    }
    into.extend_from_slice(&frame[..TAG_AT]);
    into.extend_from_slice(tag.as_ref().map_or(&[], |tag| tag.as_bytes()));
    into.extend_from_slice(&frame[TAG_AT + if strip { size_of::<Tag>() } else { 0 }..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_put_in_and_taken_out() {
        let plain: Vec<u8> = (0..12).map(|n| n * 2).chain([8, 0]).chain([7; 20]).collect();
        let mut tagged = Vec::new();
        copy(&plain, false, Some(Tag::of(0x123, None)), &mut tagged);
        assert_eq!(tagged[12..18], [0x81, 0, 0x01, 0x23, 8, 0]);
        let head = Head::of(&tagged).expect("it is one");
        assert_eq!(head.tag.map(Tag::vlan), Some(0x123));
        let mut back = Vec::new();
        copy(&tagged, true, None, &mut back);
        assert_eq!(back, plain);
        copy(&tagged, true, Some(Tag::of(2, head.tag)), &mut back);
        assert_eq!(back[12..16], [0x81, 0, 0, 2]);
    }

    #[test]
    fn what_is_no_frame_has_no_head() {
        let frame = |len: usize| [&[2; 12][..], &[0x81, 0]].concat().into_iter().chain(std::iter::repeat(0)).take(len);
        let head = |len| Head::of(&frame(len).collect::<Vec<u8>>());
        assert_eq!(head(13), None);
        assert_eq!(head(14), None, "a tag without what it stands before");
        assert_eq!(head(17), None);
        assert!(head(18).is_some() && head(LONGEST).is_some());
        assert_eq!(head(LONGEST + 1), None);
        let mut group = frame(60).collect::<Vec<u8>>();
        group[6] = 1;
        assert_eq!(Head::of(&group), None, "no frame comes from a group");
        group[6] = 2;
        assert!(Head::of(&group).is_some());
    }
}
