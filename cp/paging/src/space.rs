//! Address spaces: those of virtual machines, of saved systems and segments, and CP's own.

use crate::list::List;
use crate::{Block, Frame, Slot};

/// The pages of a page management block: a megabyte.
pub(crate) const SEGMENT: u32 = 256;

/// An address space. A number is never used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpaceId(pub u32);

/// Whose pages an address space has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A virtual machine's.
    Guest,
    /// Those of a saved system or segment, for all its users.
    Shared,
    /// CP's own.
    System,
}

/// Where the scheduler has the owner of an address space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// In the dispatch list.
    Dispatch,
    /// In the eligible list, with this class: 1 to 3.
    Eligible(u8),
    /// It has nothing to do, since then.
    Dormant(u64),
}

/// Where the bytes of a page are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Held {
    /// Nowhere: they are zeros.
    Nothing,
    Resident(Frame),
    /// In a frame, and on their way to a slot.
    Leaving(Frame, u32),
    /// On a slot, and on their way into a frame, by this transfer.
    Coming(Frame, u32),
    Expanded(Block),
    /// In a block, and on their way to a slot, by this transfer.
    Migrating(Block, u32),
    /// On the slot that is the page's copy.
    Away,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    pub(crate) held: Held,
    /// A slot with the same bytes.
    pub(crate) copy: Option<Slot>,
    /// How often it is locked.
    pub(crate) locks: u16,
}

/// A page management block.
#[derive(Debug)]
pub(crate) struct Segment {
    /// The frame that it takes itself, while it has one.
    pub(crate) frame: Option<Frame>,
    /// How many of its pages have a frame, or are on their way into or out of one.
    pub(crate) framed: u32,
    pub(crate) pages: [Page; SEGMENT as usize],
}

impl Segment {
    pub(crate) fn new() -> Segment {
        let page = Page { held: Held::Nothing, copy: None, locks: 0 };
        Segment { frame: None, framed: 0, pages: [page; SEGMENT as usize] }
    }
}

/// What lies at a megabyte of an address space.
#[derive(Debug)]
pub(crate) enum Megabyte {
    /// Never referred to.
    Untouched,
    Own(Box<Segment>),
    /// That of another space.
    Attached(SpaceId, u32),
}

#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) kind: Kind,
    pub(crate) pages: u32,
    pub(crate) megabytes: Vec<Megabyte>,
    /// Its user-frame-owned list.
    pub(crate) list: List,
    /// Frames with pages of it, those on their way apart.
    pub(crate) resident: u32,
    pub(crate) locked: u32,
    /// SET RESERVED.
    pub(crate) reserved: u32,
    pub(crate) wss: u32,
    pub(crate) standing: Standing,
    /// Pages read from page space, and written there.
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    /// Pages from expanded storage, to it, and from there to page space.
    pub(crate) gets: u64,
    pub(crate) puts: u64,
    pub(crate) migrated: u64,
    /// How many megabytes of other spaces are attached from here.
    pub(crate) users: u32,
}
