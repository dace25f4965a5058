//! Storage whose pages are taken away and brought back ([`Pager`]).
//!
//! Each page of the configuration's own has a byte here. It says whether the page is there, was referred to since that
//! was last asked, and was changed since it came. The byte is looked at where a CPU makes an entry of its TLB
//! ([`Storage::frame`]), and at each access that does not go through one. So a page that is there costs a CPU nothing.
//! Storage without a pager has no such bytes.
//!
//! **Taking a page.** The pager withholds it ([`Storage::withhold`]): from then on nothing finds it anew. Accesses that
//! do not go through a TLB hold the gate while they copy, and have ended when that returns. CPUs may have entries
//! still. When each has purged its TLB, the byte says all that was done with the page, and the bytes are the pager's.
//!
//! Attached pages (see [`Storage::attach`]) are others', and none of this concerns them. Keys, marks of code and what
//! the guest says of a page's use lie in tables of their own. They stay while the page is away.

use crate::{NotAvailable, Storage, Table};
use arch::{Absolute, PAGE};
use base::Held;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::sync::{RwLock, RwLockReadGuard};

/// The bytes of a page are lost: they could not be read back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lost;

/// What takes pages of a storage away, and brings them back. Pages are known by their number. It is called with any
/// lock held.
pub trait Pager: Send + Sync {
    /// Something refers to a page that is not there. When this returns, it was there, for a moment at least.
    fn bring(&self, page: u64) -> Result<(), Lost>;

    /// Something refers to a page that is not there, and need not wait for it. True: the page comes, and the owner of
    /// the storage is told by this ticket when it has. False: [`Pager::bring`] would not wait long.
    fn bring_later(&self, page: u64, ticket: u64) -> bool;

    /// Pages become zeros by `zero`, while CPUs may refer to them. No page comes or goes meanwhile.
    fn blank(&self, pages: Range<u64>, zero: &mut dyn FnMut());

    /// Something else takes the place of the pages by `replace`, or all CPUs have been reset. What the pages were is
    /// forgotten, and no page comes or goes meanwhile.
    fn forget(&self, pages: Range<u64>, replace: &mut dyn FnMut());
}

/// What was done with a page.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Uses {
    /// Something has referred to it since [`Storage::count_anew`].
    pub referenced: bool,
    /// Something was stored into it since it came.
    pub changed: bool,
}

/// The page is there, and may be looked for.
const HERE: u8 = 1;
const REFERENCED: u8 = 2;
const CHANGED: u8 = 4;

/// What is kept of a storage with a pager.
pub(crate) struct Paged {
    pager: Box<dyn Pager>,
    states: Table<AtomicU8>,
    /// Held by accesses that do not go through a TLB while they copy.
    gate: RwLock<()>,
}

impl Storage {
    /// From now on `pager` has all pages: nothing has been stored yet. Once only.
    pub fn set_pager(&self, pager: Box<dyn Pager>) -> io::Result<()> {
        let states = Table::new((self.size() / PAGE) as usize)?;
        self.bytes.in_single_pages();
        assert!(self.paged.set(Paged { pager, states, gate: RwLock::default() }).is_ok(), "there is one pager");
        Ok(())
    }

    /// The state of a page, if it is one that can be away.
    fn pageable(&self, page: u64) -> Option<(&Paged, &AtomicU8)> {
        let paged = self.paged.get()?;
        let state = paged.states.get(page as usize)?;
        (!self.is_attached(Absolute(page * PAGE))).then_some((paged, state))
    }

    /// Has a page be there, and notes what is going to be done with it.
    pub(crate) fn have(&self, page: u64, store: bool) -> Result<(), NotAvailable> {
        while let Some((paged, state)) = self.pageable(page) {
            if is_here(state, store) {
                break;
            }
            paged.pager.bring(page).map_err(|Lost| NotAvailable(Absolute(page * PAGE)))?;
        }
        Ok(())
    }

    /// Whether the page of `a` is not there, and something has to bring it before it can be referred to.
    #[inline]
    pub fn is_away(&self, a: Absolute) -> bool {
        self.pageable(a.0 / PAGE).is_some_and(|(_, state)| state.load(SeqCst) & HERE == 0)
    }

    /// Has the page of `a`, which is away, come without a wait: true if it comes, and the pager tells by this ticket
    /// when it has. False: whatever refers to it may as well wait.
    pub fn bring_later(&self, a: Absolute, ticket: u64) -> bool {
        let page = a.0 / PAGE;
        self.pageable(page).is_some_and(|(paged, _)| paged.pager.bring_later(page, ticket))
    }

    /// As [`Storage::have`]; and it stays there as long as the answer is kept, which is not long.
    pub(crate) fn hold(&self, page: u64, store: bool) -> Result<Option<RwLockReadGuard<'_, ()>>, NotAvailable> {
        while let Some((paged, state)) = self.pageable(page) {
            let gate = paged.gate.read().held();
            if is_here(state, store) {
                return Ok(Some(gate));
            }
            drop(gate);
            paged.pager.bring(page).map_err(|Lost| NotAvailable(Absolute(page * PAGE)))?;
        }
        Ok(None)
    }

    /// Does something with `len` bytes at `a`: with all at once, or with those of each page while that is there. It is
    /// told an address and which of the bytes are there.
    #[inline]
    pub(crate) fn in_pieces(
        &self,
        a: Absolute,
        len: usize,
        store: bool,
        mut act: impl FnMut(u64, Range<usize>),
    ) -> Result<(), NotAvailable> {
        if self.paged.get().is_none() {
            act(a.0, 0..len);
            return Ok(());
        }
        let mut done = 0;
        while done < len {
            let at = a.0 + done as u64;
            let end = len.min(done + (PAGE - at % PAGE) as usize);
            let _there = self.hold(at / PAGE, store)?;
            act(at, done..end);
            done = end;
        }
        Ok(())
    }

    /// Whether pages can be away.
    pub fn is_paged(&self) -> bool {
        self.paged.get().is_some()
    }

    /// Makes pages zeros, by way of the pager if there is one.
    pub(crate) fn blank(&self, range: Range<u64>, zero: &mut dyn FnMut()) {
        self.tell(range, zero, |paged, pages, zero| paged.pager.blank(pages, zero));
    }

    /// Has something take the place of pages, by way of the pager if there is one.
    pub(crate) fn replace(&self, range: Range<u64>, replace: &mut dyn FnMut()) {
        self.tell(range, replace, |paged, pages, replace| paged.pager.forget(pages, replace));
    }

    fn tell(&self, range: Range<u64>, act: &mut dyn FnMut(), how: impl FnOnce(&Paged, Range<u64>, &mut dyn FnMut())) {
        let end = range.end.min(self.size()) / PAGE;
        match self.paged.get().filter(|_| range.start / PAGE < end) {
            Some(paged) => how(paged, range.start / PAGE..end, act),
            None => act(),
        }
    }
}

/// What the pager does.
impl Storage {
    fn state(&self, page: u64) -> &AtomicU8 {
        let paged = self.paged.get().expect("the storage has the pager that asks");
        &paged.states[page as usize]
    }

    /// A page that was withheld may be looked for again.
    pub fn admit(&self, page: u64) {
        self.state(page).fetch_or(HERE, SeqCst);
    }

    /// Pages are not found any more, but by CPUs that have looked for them before.
    pub fn withhold(&self, pages: impl Iterator<Item = u64>) {
        let paged = self.paged.get().expect("the storage has the pager that asks");
        let _gate = paged.gate.write().held();
        for page in pages {
            paged.states[page as usize].fetch_and(!HERE, SeqCst);
        }
    }

    /// What was done with a page.
    pub fn uses(&self, page: u64) -> Uses {
        let state = self.state(page).load(SeqCst);
        Uses { referenced: state & REFERENCED != 0, changed: state & CHANGED != 0 }
    }

    /// As [`Storage::uses`], and references count from nothing. CPUs must purge their TLBs: a page is counted when it
    /// is next looked for.
    pub fn count_anew(&self, page: u64) -> Uses {
        let state = self.state(page).fetch_and(!REFERENCED, SeqCst);
        Uses { referenced: state & REFERENCED != 0, changed: state & CHANGED != 0 }
    }

    /// The page comes with these bytes, or as it lies there, which is all zeros.
    pub fn arrive(&self, page: u64, bytes: Option<&[u8; PAGE as usize]>) {
        if let Some(bytes) = bytes {
            // SAFETY: the page lies in the mapping, and nothing else reaches it before its state says that it is there.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.bytes.at(page * PAGE), bytes.len()) };
        }
        self.state(page).store(HERE, SeqCst);
    }

    /// The bytes of a page that is withheld.
    pub fn take(&self, page: u64, bytes: &mut [u8; PAGE as usize]) {
        // SAFETY: the page lies in the mapping; if something changes it meanwhile, what is read of it is not used.
        unsafe { std::ptr::copy_nonoverlapping(self.bytes.at(page * PAGE), bytes.as_mut_ptr(), bytes.len()) };
    }

    /// Puts bytes in the place of a page of a storage without a pager, which nothing else reaches.
    pub fn keep(&self, page: u64, bytes: &[u8; PAGE as usize]) {
        assert!(page < self.size() / PAGE && self.paged.get().is_none(), "there is such a page, and it is there");
        // SAFETY: the page lies in the mapping.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.bytes.at(page * PAGE), bytes.len()) };
    }

    /// Whether a page that is withheld is all zeros.
    pub fn is_blank(&self, page: u64) -> bool {
        let now = self.bytes.at(page * PAGE).cast::<[u64; 8]>();
        // SAFETY: as above, in pieces.
        (0..PAGE as usize / 64).all(|n| unsafe { now.add(n).read() } == [0; 8])
    }

    /// Gives the host back what pages have taken that are not there.
    pub fn vacate(&self, pages: Range<u64>) {
        let mut from = pages.start;
        for page in pages.start..=pages.end {
            if page == pages.end || self.is_attached(Absolute(page * PAGE)) {
                if from < page {
                    self.bytes.zero((from * PAGE) as usize, ((page - from) * PAGE) as usize);
                }
                from = page + 1;
            }
        }
    }

    /// Nothing is known of pages any more.
    pub fn forsake(&self, pages: Range<u64>) {
        for page in pages {
            let state = self.state(page);
            if state.load(SeqCst) != 0 {
                state.store(0, SeqCst);
            }
        }
    }
}

/// Whether the page is there; if so, it is referred to now.
#[inline]
fn is_here(state: &AtomicU8, store: bool) -> bool {
    let wanted = if store { HERE | REFERENCED | CHANGED } else { HERE | REFERENCED };
    let now = state.load(SeqCst);
    if now & wanted != wanted && now & HERE != 0 {
        // It may be withheld between the two. Then what is noted here counts, and it is brought back.
        return state.fetch_or(wanted & !HERE, SeqCst) & HERE != 0;
    }
    now & HERE != 0
}
