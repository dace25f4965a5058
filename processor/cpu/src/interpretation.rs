//! A guest that is interpreted: its storage is part of a space of its host (START INTERPRETIVE EXECUTION).
//!
//! The guest's CPU is a [`State`] like any other, over the *host's* storage. Wherever a `State` holds an [`Absolute`]
//! that it got from the access path, that is a frame of the host's. The one place where a guest absolute address
//! becomes one is [`State::reach`], after prefixing and before the TLB. So an entry of the TLB holds both translations
//! at once. What is decoded, marked and translated to host code is found by the same addresses as everything else. A
//! CPU that is no guest pays one test where it translates, and nothing where it finds.
//!
//! Where the host has no frame, the instruction ends in [`Interruption::Host`] with nothing changed. The exception is
//! the host's, and the guest executes the instruction again when the host has seen to it.

use crate::access::Access;
use crate::dat::{Fault, Rules, walk_z};
use crate::interrupt::Interruption;
use crate::mode::Architecture;
use crate::state::{Shared, State};
use arch::{Absolute, PAGE, PAGE_MASK, Program, Real};
use std::sync::Arc;
use storage::Storage;

/// Facility: a translation-exception identification says whether it was a fetch or a store.
const FETCH_STORE_INDICATION: u32 = 75;
const STORED: u64 = 0x400;
const FETCHED: u64 = 0x800;
/// In a translation-exception identification: the tables protect the page.
const BY_TABLE: u64 = 4;

/// An exception that the host has while it interprets its guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostFault {
    pub code: Program,
    /// The translation-exception identification: the host virtual address of the page.
    pub id: u64,
}

/// Where a guest's storage is: part of the primary space of the host, which must be in z/Architecture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostSpace {
    asce: u64,
    prefix: u64,
    rules: Rules,
    indicates: bool,
    /// Host virtual addresses of the guest's first byte and last byte.
    first: u64,
    last: u64,
}

impl HostSpace {
    /// The storage from `first` to `last` of the primary space that `host` has now.
    pub fn of(host: &State, first: u64, last: u64) -> HostSpace {
        HostSpace {
            asce: host.cr[1],
            prefix: host.prefix,
            rules: host.dat_rules(),
            indicates: host.has(FETCH_STORE_INDICATION),
            first,
            last,
        }
    }

    /// Whether the guest has storage at this absolute address.
    pub fn has(&self, guest: Absolute) -> bool {
        self.first.checked_add(guest.0).is_some_and(|at| at <= self.last)
    }

    fn absolute(&self, real: u64) -> Absolute {
        let area = Architecture::Z.prefix_area();
        Absolute(match real & !(area - 1) {
            0 => real | self.prefix,
            block if block == self.prefix => real & (area - 1),
            _ => real,
        })
    }

    /// The frame's byte that is the guest's absolute `guest`.
    fn frame(&self, storage: &Storage, guest: Absolute, access: Access) -> Result<Absolute, Fault> {
        if !self.has(guest) {
            return Err(Program::Addressing.into());
        }
        let at = self.first + guest.0;
        let indication = match access {
            _ if !self.indicates => 0,
            Access::Fetch => FETCHED,
            Access::Store => STORED,
        };
        let fault = |code, bits| Fault::Host(HostFault { code, id: at & PAGE_MASK | indication | bits });
        let entry = |at| storage.load_u64(self.absolute(at)).map_err(|_| fault(Program::Addressing, 0));
        let walk = walk_z(self.asce, at, self.rules, entry).map_err(|why| match why {
            Fault::Own { code, .. } => fault(code, 0),
            host => host,
        })?;
        if walk.protected && access == Access::Store {
            return Err(fault(Program::Protection, BY_TABLE));
        }
        let absolute = self.absolute(walk.real.0);
        match storage.key(absolute) {
            Ok(_) => Ok(absolute),
            Err(_) => Err(fault(Program::Addressing, 0)),
        }
    }
}

/// What a CPU that is interpreted needs of its host.
#[derive(Clone)]
pub struct Interpretation {
    space: HostSpace,
    /// The CPU that interprets it: what it has in common with others of its configuration, and its address there.
    pub(crate) host: (Arc<Shared>, u16),
    /// The frames of the prefix area, which are there as long as the guest runs.
    prefix: [Absolute; 2],
    /// Controls of the state description that instructions look at.
    pub load_control: u16,
    pub interceptions: u32,
    /// PER events are the host's.
    pub per: bool,
    /// Where the host keeps what the CPUs of the guest have in common.
    pub control_area: Option<Absolute>,
    /// Why an instruction ended in [`Interruption::Host`].
    pub fault: Option<HostFault>,
    /// Translations were purged: other CPUs of the host that interpret the same guest must purge theirs.
    pub purged: bool,
}

impl Interpretation {
    /// The location `real` of the prefix area.
    pub(crate) fn low(&self, real: u64) -> Absolute {
        Absolute(self.prefix[(real / PAGE) as usize & 1].0 | real % PAGE)
    }

    /// Whether the host wants one of these to be intercepted: see [`arch::interpretation::intercept`].
    pub fn intercepts(&self, what: u32) -> bool {
        self.interceptions & what != 0
    }

    /// Whether the host wants a program interruption, with a PER event or without one, to be intercepted.
    pub fn wants_program_interruptions(&self, per: bool) -> bool {
        self.intercepts(arch::interpretation::intercept::PROGRAM_INTERRUPTION) || per && self.per
    }
}

impl State {
    /// Makes this CPU, which is not running, one that `host` interprets, in `space` and with `prefix`; or, if it is
    /// one, goes on there. Translations are kept if they still hold. The prefix area must lie in the space; if it is
    /// not there to be stored into, that is the host's exception.
    pub fn interpret_in(
        &mut self,
        host: &State,
        space: HostSpace,
        prefix: u64,
    ) -> Result<&mut Interpretation, HostFault> {
        let mut frames = [Absolute(0); 2];
        for (n, frame) in frames.iter_mut().enumerate() {
            let at = Absolute(prefix + n as u64 * PAGE);
            *frame = space.frame(self.storage(), at, Access::Store).map_err(|fault| match fault {
                Fault::Host(fault) => fault,
                Fault::Own { code, .. } => HostFault { code, id: at.0 },
            })?;
        }
        let holds = self.prefix == prefix && self.interpretation.as_ref().is_some_and(|i| i.space == space);
        self.prefix = prefix;
        if !holds {
            self.purge_tlb();
        }
        let interpretation = Interpretation {
            space,
            host: (host.shared().clone(), host.address),
            prefix: frames,
            load_control: 0,
            interceptions: 0,
            per: false,
            control_area: None,
            fault: None,
            purged: false,
        };
        Ok(self.interpretation.insert(Box::new(interpretation)))
    }

    /// Where in storage an absolute address is: there, unless the CPU is interpreted.
    #[inline]
    pub(crate) fn reach(&self, at: Absolute, access: Access) -> Result<Absolute, Fault> {
        match &self.interpretation {
            None => Ok(at),
            Some(interpretation) => interpretation.space.frame(self.storage(), at, access),
        }
    }

    /// Where the frame is that the CPU knows by this absolute address; an addressing exception if it does not exist.
    pub fn frame(&mut self, at: Absolute, access: Access) -> Result<Absolute, Interruption> {
        let found = self.reach(at, access).and_then(|frame| match self.storage().key(frame) {
            Ok(_) => Ok(frame),
            Err(_) => Err(Program::Addressing.into()),
        });
        found.map_err(|fault| self.access_exception(fault, at.0, crate::Space::Real, 0))
    }

    /// The host has no frame for what an instruction needs.
    pub(crate) fn host_fault(&mut self, fault: HostFault) -> Interruption {
        if let Some(interpretation) = &mut self.interpretation {
            interpretation.fault = Some(fault);
        }
        Interruption::Host
    }

    /// The doubleword at a location of the prefix area.
    pub fn assigned_u64(&mut self, real: Real) -> u64 {
        self.load_real_u64(real.0)
    }
}
