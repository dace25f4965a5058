//! Page faults that a program does not wait for: it is told that a page is away, does something else, and is told again
//! when the page has come.
//!
//! There are two agreements of that kind. With a [`Handshake`] (DIAGNOSE X'258') both notices are external
//! interruptions X'2603', and have a token: what the program has at a place of its choice when the page is missed. With
//! *pseudo page faults* (SET PAGEX) both are program interruptions X'14', and have the page's address.
//!
//! **The life of a fault.** An access finds a page away, and the PSW allows a notice. The CPU takes a *ticket*
//! ([`Floating::await_page`]) and has the pager bring the page by that. The instruction ends in [`Interruption::Host`]
//! with nothing changed. At once the engine has the first notice interrupt ([`State::page_is_awaited`]); only from then
//! on can there be a second one. The pager says that the page has come ([`Floating::page_came`]), and the second notice
//! is pending. A ticket is good once. A reset takes tickets and pending notices back, so that neither reaches another
//! program.
//!
//! An access that waits asks for no ticket: one of channels, of CP or of an interpreted guest, one to tables, and one
//! in a transaction or a stretch of [`crate::lockstep`].

use crate::notices::{Awaited, Handshake, Notice, Pages};
use crate::signals::{External, Floating, attention};
use crate::state::{Architecture, Interruption, State};
use arch::interruption::external;
use arch::{Absolute, PAGE_MASK, Program, Real, mask};
use base::Held;
use std::sync::MutexGuard;

/// In the subcode, and in the page's address: the page has come.
mod completed {
    pub(super) const SUBCODE: u16 = 0x0080;
    pub(super) const ADDRESS: u32 = 0x8000_0000;
}

/// What calls a CPU's attention to a notice, and the CPU, if it is for that one alone.
type Raised = (u32, Option<u16>);

/// The external interruption that says it, if it is one.
fn external_of(notice: Notice, completed: bool) -> Option<External> {
    let status = if completed { completed::SUBCODE } else { 0 };
    let code = external::CP_SERVICE;
    match notice {
        Notice::Long(token) => {
            Some(External { code, subcode: 0x0600 | status, parameter: None, parameter64: Some(token) })
        }
        Notice::Short(token) => {
            Some(External { code, subcode: 0x0200 | status, parameter: Some(token), parameter64: None })
        }
        Notice::Pseudo(..) => None,
    }
}

impl Floating {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().held()
    }

    /// SET PAGEX: whether programs are told of pages by program interruptions.
    pub fn set_pseudo_faults(&self, on: bool) {
        self.pages().pseudo_faults = on;
    }

    /// What it is: a reset sets it off.
    pub fn pseudo_faults(&self) -> bool {
        self.pages().pseudo_faults
    }

    /// How often a program was told that a page is away, and how often that one has come.
    pub fn page_notices(&self) -> (u64, u64) {
        self.pages().counts
    }

    /// This CPU is about to wait for a page; the ticket by which it is told of that.
    fn await_page(&self, cpu: u16, notice: Notice) -> u64 {
        let mut pages = self.pages();
        let ticket = pages.next;
        pages.next += 1;
        pages.awaited.insert(ticket, Awaited { cpu, notice, told: false, came: false });
        ticket
    }

    /// The page has come that has this ticket. What to raise for the second notice, and for which CPU alone; nothing if
    /// the program does not know of the first one yet, or does not wait any more.
    pub fn page_came(&self, ticket: u64) -> Option<Raised> {
        let mut pages = self.pages();
        let awaited = pages.awaited.get_mut(&ticket)?;
        awaited.came = true;
        awaited.told.then(|| self.complete(&mut pages, ticket)).flatten()
    }

    /// The second notice becomes pending.
    fn complete(&self, pages: &mut Pages, ticket: u64) -> Option<Raised> {
        let Awaited { notice, .. } = pages.awaited.remove(&ticket)?;
        pages.counts.1 += 1;
        match (notice, external_of(notice, true)) {
            (Notice::Pseudo(cpu, page), _) => {
                pages.pseudo.push_back((cpu, page | completed::ADDRESS));
                Some((attention::PSEUDO_PAGE_FAULT, Some(cpu)))
            }
            (_, what) => Some((self.external(what?), None)),
        }
    }

    /// The program has the first notice of this ticket now: what it says, and what to raise if the page has come
    /// meanwhile.
    fn told(&self, ticket: u64) -> Option<(Notice, Option<Raised>)> {
        let mut pages = self.pages();
        let awaited = pages.awaited.get_mut(&ticket)?;
        awaited.told = true;
        let (notice, came) = (awaited.notice, awaited.came);
        pages.counts.0 += 1;
        let raised = if came { self.complete(&mut pages, ticket) } else { None };
        Some((notice, raised))
    }

    /// Nothing waits for the page of this ticket any more.
    fn forget_page(&self, ticket: u64) {
        self.pages().awaited.remove(&ticket);
    }

    /// This CPU waits for no page any more, and is told of none.
    fn forget_pages_of(&self, cpu: u16) {
        let mut pages = self.pages();
        pages.awaited.retain(|_, awaited| awaited.cpu != cpu);
        pages.pseudo.retain(|&(other, _)| other != cpu);
    }

    /// No program waits for a page any more, and `then`, with no second notice in between.
    pub(crate) fn forget_pages(&self, then: impl FnOnce()) {
        let mut pages = self.pages();
        pages.awaited.clear();
        pages.pseudo.clear();
        pages.pseudo_faults = false;
        then();
    }

    /// The oldest page that has come for this CPU, and whether there are more.
    fn take_pseudo(&self, cpu: u16) -> (Option<u32>, bool) {
        let mut pages = self.pages();
        let at = pages.pseudo.iter().position(|&(other, _)| other == cpu);
        let taken = at.and_then(|at| pages.pseudo.remove(at)).map(|(_, page)| page);
        (taken, pages.pseudo.iter().any(|&(other, _)| other == cpu))
    }

    /// For a checkpoint: what programs that were told of a page are to be told still, and what is pending beside that.
    /// Where it goes on, all pages are there.
    pub(crate) fn awaited<T>(&self, pending: impl FnOnce() -> T) -> (Vec<Notice>, T) {
        let pages = self.pages();
        let waiting = pages.awaited.values().filter(|awaited| awaited.told).map(|awaited| awaited.notice);
        let pseudo = pages.pseudo.iter().map(|&(cpu, page)| Notice::Pseudo(cpu, page & !completed::ADDRESS));
        (pseudo.chain(waiting).collect(), pending())
    }

    /// These pages have come. Returns the CPUs that have to look for pseudo page faults.
    pub fn have_come(&self, notices: &[Notice]) -> Vec<u16> {
        let come = |&notice: &Notice| {
            let cpu = if let Notice::Pseudo(cpu, _) = notice { cpu } else { 0 };
            let ticket = self.await_page(cpu, notice);
            self.told(ticket);
            self.page_came(ticket).and_then(|(_, cpu)| cpu)
        };
        notices.iter().filter_map(come).collect()
    }
}

impl State {
    /// The agreement by DIAGNOSE X'258', if there is one.
    pub fn handshake(&self) -> Option<Handshake> {
        self.handshake
    }

    /// Makes or ends the agreement. With its end, the program is told of none of the pages that it waits for.
    pub fn set_handshake(&mut self, handshake: Option<Handshake>) {
        self.handshake = handshake;
        if handshake.is_none() {
            self.shared.floating.forget_pages_of(self.address);
            self.awaited = None;
        }
    }

    /// What the program would be told of the page at `at`, if it has agreed to that and its PSW allows it now.
    fn notice(&self, at: Absolute) -> Option<Notice> {
        if let Some(Handshake { token, select, compare }) = self.handshake
            && self.psw_word() & select == compare & select
            && self.open & attention::SERVICE_SIGNAL != 0
        {
            let (place, storage) = (self.absolute(Real(token)), self.storage());
            return match self.architecture {
                Architecture::Z => storage.load_u64(place).map(Notice::Long).ok(),
                _ => storage.load_u32(place).map(Notice::Short).ok(),
            };
        }
        let pseudo = self.architecture != Architecture::Z
            && self.psw_mask & mask::IO != 0
            && self.shared.floating.pages().pseudo_faults;
        // Prefixing is its own inverse.
        pseudo.then(|| Notice::Pseudo(self.address, (self.absolute(Real(at.0)).0 & PAGE_MASK) as u32))
    }

    /// An access needs the page at `at`, which is away. True: the program does not wait for it, and the access ends in
    /// [`Interruption::Host`].
    #[cold]
    pub(crate) fn goes_on_without(&mut self, at: Absolute) -> bool {
        let waits =
            !self.in_engine || self.interpretation.is_some() || self.transaction.is_some() || self.held_clock.is_some();
        if waits {
            return false;
        }
        let Some(notice) = self.notice(at) else { return false };
        let shared = self.shared.clone();
        // What looked for a page ahead of need has not told of it.
        self.awaited.take().into_iter().for_each(|old| shared.floating.forget_page(old));
        let ticket = shared.floating.await_page(self.address, notice);
        let comes = shared.storage.bring_later(at, ticket);
        match comes {
            true => self.awaited = Some(ticket),
            false => shared.floating.forget_page(ticket),
        }
        comes
    }

    /// An instruction of `ilc` bytes has ended in [`Interruption::Host`] for a page that comes later, and is addressed
    /// by the PSW: the program is told. `None` if it has ended in that for another reason.
    pub fn page_is_awaited(&mut self, ilc: u8) -> Option<Result<(), Interruption>> {
        let ticket = self.awaited.take()?;
        let shared = self.shared.clone();
        let (notice, raised) = shared.floating.told(ticket)?;
        match raised {
            Some((bit, Some(cpu))) => shared.signals[usize::from(cpu)].raise(bit),
            Some((bit, None)) => shared.signals.iter().for_each(|signals| signals.raise(bit)),
            None => {}
        }
        Some(match (notice, external_of(notice, false)) {
            (_, Some(what)) => self.external_interruption(what.code, what.subcode, what.parameter, what.parameter64),
            (Notice::Pseudo(_, page), _) => self.pseudo_page_fault(page, ilc),
            (_, None) => unreachable!("all others are external interruptions"),
        })
    }

    /// A page has come that a pseudo page fault told of: the program interruption that says so. `None`: there is none
    /// any more.
    pub fn pseudo_page_came(&mut self) -> Option<Result<(), Interruption>> {
        self.signals().lower(attention::PSEUDO_PAGE_FAULT);
        let (page, more) = self.shared.floating.take_pseudo(self.address);
        if more {
            self.signals().raise(attention::PSEUDO_PAGE_FAULT);
        }
        Some(self.pseudo_page_fault(page?, 0))
    }

    fn pseudo_page_fault(&mut self, page: u32, ilc: u8) -> Result<(), Interruption> {
        self.translation_exception_id = page.into();
        self.program_interruption(Program::PseudoPageFault.into(), ilc)
    }
}
