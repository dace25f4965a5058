//! Transfers between frames, or blocks of expanded storage, and page space. They are begun here, and done by others.

use crate::{Block, Frame, Place, Slot};

/// Where a page is that goes to a slot, or shall be that comes from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// In a frame.
    Frame(Frame),
    /// In a block of expanded storage.
    Block(Block),
}

/// What became of a page's part of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The page was moved.
    Done,
    /// It was not, and the slot is to blame.
    Bad,
    /// It was not, as when the host has no room: the slot may be used again.
    Refused,
}

impl From<bool> for Outcome {
    fn from(good: bool) -> Outcome {
        if good { Outcome::Done } else { Outcome::Bad }
    }
}

/// One page of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The page.
    pub at: Place,
    /// Its frame or block.
    pub page: Source,
    /// Its slot.
    pub slot: Slot,
    /// The page was reclaimed or released meanwhile: what comes of the transfer does not matter.
    pub(crate) cancelled: bool,
}

/// Pages that travel together: slots in a row for those that go out, one block set for those that come in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// By which [`crate::RealStorage::ended`] knows it.
    pub number: u32,
    /// Pages go to page space; otherwise they come from there.
    pub out: bool,
    /// The pages.
    pub moves: Vec<Move>,
}
