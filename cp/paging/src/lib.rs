//! Real storage as CP owns it: which page has a frame, which page loses its frame, and where its bytes are meanwhile.
//!
//! Pure policy. No page of a guest is touched here, no file is read, and time is an argument. A [`Mover`] does what is
//! decided: it clears frames, copies pages to and from expanded storage, and takes pages away from processors.
//! Transfers to and from page space are handed out as [`Transfer`]s, and come back by [`RealStorage::ended`]. Their
//! bytes are the caller's meanwhile: it copies pages that go out as soon as it is given the transfer.
//!
//! **The life of a page.** At first it has nothing: it is all zeros. A reference gives it a frame
//! ([`RealStorage::touch`]), cleared. The demand scan ([`RealStorage::scan`]) takes the frame when few are available.
//! A page that was never changed goes back to nothing. One whose copy on a slot is still good needs no transfer. Others
//! go to a block of expanded storage or, many at once, to slots. The next reference brings the page back. A page on its
//! way out is reclaimed by a reference, and costs no transfer.
//!
//! **Two ways to scan.** [`RealStorage::scan`] does all at once. Where processors need time to give pages up, the
//! caller gets them in batches ([`RealStorage::next_batch`]), withdraws them with nothing locked, and then has them put
//! away ([`RealStorage::put_away`]). A page that is referred to meanwhile stays.
//!
//! **References that cannot wait**, as those of a processor in the middle of an instruction, get a frame even if none
//! is available ([`RealStorage::touch_at_once`]). It is *lent*: the next frame that becomes free pays it back.
//!
//! **A frame** is, on this host, an entry of the frame table and the host's page at the guest's address. So a frame
//! number says nothing of an address, and frames need not be contiguous
//! ([why](../../../docs/decisions/0013-storage-that-cp-owns.md)).
//!
//! Glossary. *Available list*: frames without a page. *User-frame-owned list*: the frames of one address space, about
//! in the order of their last reference. *Slot*: room for a page in page space. *Block set*: pages that went out
//! together, and come back together. *PGMBK*: the page management block of a megabyte, which takes a frame itself.
//! *WSS*: how many pages a virtual machine is expected to need for its next stay in the dispatch list.

mod audit;
mod blocks;
mod counts;
mod drain;
mod list;
mod migrate;
mod orders;
mod scan;
mod slots;
mod space;
mod storage;
mod transfer;

pub use audit::{Census, SlotCensus, Tally};
pub use counts::Counts;
pub use scan::{Batch, Scan};
pub use slots::{Room, SlotUse};
pub use space::{Kind, SpaceId, Standing};
pub use storage::{Limits, RealStorage, Refused, Touch};
pub use transfer::{Move, Outcome, Source, Transfer};

/// A frame of real storage, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Frame(pub u32);

/// A block of expanded storage, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Block(pub u32);

/// A slot of page space, by its number over all volumes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot(pub u32);

/// A page of an address space.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The address space.
    pub space: SpaceId,
    /// The page's number in it.
    pub page: u32,
}

/// What processors and channel programs have done with a page since they last lost it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Use {
    /// It was referred to.
    pub referenced: bool,
    /// Something was stored into it.
    pub changed: bool,
}

/// What does to pages what is decided here.
pub trait Mover {
    /// What was done with the page since [`Mover::withdraw`]. A look, which costs processors nothing.
    fn look(&mut self, at: Place, frame: Frame) -> Use;

    /// As for [`Mover::withdraw`], but processors reach the pages still. What is referred to from now on counts from
    /// nothing, and what was changed counts as changed.
    fn count_anew(&mut self, pages: &[(Place, Frame)], done: &mut Vec<Use>);

    /// Whether the page, which no processor reaches, is all zeros.
    fn is_blank(&mut self, at: Place, frame: Frame) -> bool;

    /// Takes the pages from all processors and channel programs: when it returns, none can reach them but by a new
    /// [`RealStorage::touch`]. Says for each what was done with it until then, and counts from nothing afterwards.
    fn withdraw(&mut self, pages: &[(Place, Frame)], done: &mut Vec<Use>);

    /// The page gets the frame, all zeros. No processor reaches it yet.
    fn clear(&mut self, at: Place, frame: Frame);

    /// The frame has no page any more.
    fn vacate(&mut self, at: Place, frame: Frame);

    /// Copies a page into a block of expanded storage.
    fn put(&mut self, at: Place, frame: Frame, block: Block);

    /// The page gets the frame, with the bytes of a block.
    fn get(&mut self, block: Block, at: Place, frame: Frame);

    /// The page gets the frame, with the bytes that a transfer has brought from a slot.
    fn land(&mut self, slot: Slot, at: Place, frame: Frame);
}
