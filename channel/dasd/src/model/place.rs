//! Where a track is: the four bytes that name it in home addresses, count areas and labels.

use base::layout::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A cylinder and a head, CCHH.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(crate) struct Cchh {
    pub cylinder: U16,
    pub head: U16,
}
const _: () = assert!(size_of::<Cchh>() == 4);

impl Cchh {
    pub(crate) const fn new(cylinder: u16, head: u16) -> Cchh {
        Cchh { cylinder: U16::new(cylinder), head: U16::new(head) }
    }

    pub(crate) const fn get(self) -> (u16, u16) {
        (self.cylinder.get(), self.head.get())
    }
}
