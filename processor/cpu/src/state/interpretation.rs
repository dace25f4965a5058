//! A guest that is interpreted: where its storage is, and what its CPU wants of its host (START INTERPRETIVE
//! EXECUTION).

use super::architecture::Architecture;
use super::operand::Access;
use super::shared::Shared;
use crate::dat::{Fault, HostFault, Place, Rules, walk_z};
use crate::exception_id;
use arch::interpretation::entry;
use arch::{Absolute, PAGE, PAGE_MASK, Program};
use std::cell::Cell;
use std::sync::Arc;
use storage::Storage;

/// Where a guest's storage is: part of the primary space of the host, which must be in z/Architecture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostSpace {
    pub(crate) asce: u64,
    pub(crate) prefix: u64,
    pub(crate) rules: Rules,
    pub(crate) indicates: bool,
    /// Host virtual addresses of the guest's first byte and last byte.
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// Whether tables end before they lead to a page.
fn is_missing(code: Program) -> bool {
    use Program::*;
    matches!(
        code,
        PageTranslation
            | SegmentTranslation
            | RegionThirdTranslation
            | RegionSecondTranslation
            | RegionFirstTranslation
    )
}

impl HostSpace {
    /// Whether the guest has storage at this absolute address.
    pub fn has(&self, guest: Absolute) -> bool {
        self.first.checked_add(guest.0).is_some_and(|at| at <= self.last)
    }

    /// The last entry that the host's tables have for the guest's absolute `guest`, with what
    /// [`arch::interpretation::entry`] says of it, and whether the page is missing. None if another exception than that
    /// would be recognized.
    pub(crate) fn entry(&self, storage: &Storage, guest: Absolute) -> Option<(u64, bool)> {
        let at = self.has(guest).then(|| self.first + guest.0)?;
        let found = Cell::new((0, 0));
        let fetch = |at| {
            let absolute = self.absolute(at);
            found.set((found.get().0 + 1, absolute.0));
            storage.load_u64(absolute).map_err(|_| Program::Addressing.into())
        };
        let (protected, missing) = match walk_z(self.asce, at, self.rules, fetch) {
            Ok(walk) => (walk.protected, false),
            Err(Fault::Own { code: Program::PageTranslation, .. }) => (false, true),
            // Entries above page tables are told with enhanced DAT alone.
            Err(Fault::Own { code, .. }) if is_missing(code) && self.rules.enhanced => (false, true),
            Err(_) => return None,
        };
        let (looked, last) = found.get();
        let tables = (self.asce >> 2 & 3) + 2;
        let of_page_table = if looked == tables { 0 } else { entry::NO_PAGE_TABLE };
        let protection = if protected { entry::PROTECTED } else { 0 };
        (looked > 0).then_some((last | of_page_table | protection, missing))
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
    pub(crate) fn frame(&self, storage: &Storage, guest: Absolute, access: Access) -> Result<Absolute, Fault> {
        if !self.has(guest) {
            return Err(Program::Addressing.into());
        }
        let at = self.first + guest.0;
        let indication = if self.indicates { exception_id::indication(access) } else { 0 };
        let fault = |code, bits| Fault::Host(HostFault { code, id: at & PAGE_MASK | indication | bits });
        let entry = |at| storage.load_u64(self.absolute(at)).map_err(|_| fault(Program::Addressing, 0));
        let walk = walk_z(self.asce, at, self.rules, entry).map_err(|why| match why {
            Fault::Own { code, .. } => fault(code, 0),
            host => host,
        })?;
        if walk.protected && access == Access::Store {
            return Err(fault(Program::Protection, exception_id::BY_TABLE));
        }
        let absolute = match walk.place {
            Place::Real(real) => self.absolute(real.0),
            Place::Absolute(absolute) => absolute,
        };
        match storage.key(absolute) {
            Ok(_) => Ok(absolute),
            Err(_) => Err(fault(Program::Addressing, 0)),
        }
    }
}

/// What a CPU that is interpreted needs of its host.
#[derive(Clone)]
pub struct Interpretation {
    pub(crate) space: HostSpace,
    /// The CPU that interprets it: what it has in common with others of its configuration, and its address there.
    pub(crate) host: (Arc<Shared>, u16),
    /// The frames of the prefix area, which are there as long as the guest runs.
    pub(crate) prefix: [Absolute; 2],
    /// Controls of the state description that instructions look at.
    pub load_control: u16,
    /// What is intercepted: [`arch::interpretation::intercept`].
    pub interceptions: u32,
    /// What is interpreted: [`arch::interpretation::control`].
    pub controls: u32,
    /// PER events are the host's.
    pub per: bool,
    /// Where the host keeps what the CPUs of the guest have in common.
    pub control_area: Option<Absolute>,
    /// Why an instruction ended in [`crate::Interruption::Host`].
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
