//! A guest that is interpreted: where its storage is, and what its CPU wants of its host (START INTERPRETIVE
//! EXECUTION).

use super::architecture::Architecture;
use super::operand::Access;
use super::shared::Shared;
use crate::dat::{Fault, HostFault, Place, Rules, walk_z};
use arch::{Absolute, PAGE, PAGE_MASK, Program};
use std::sync::Arc;
use storage::Storage;

/// In a translation-exception identification: it was a store, or a fetch.
const STORED: u64 = 0x400;
const FETCHED: u64 = 0x800;
/// In a translation-exception identification: the tables protect the page.
const BY_TABLE: u64 = 4;

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

impl HostSpace {
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
    pub(crate) fn frame(&self, storage: &Storage, guest: Absolute, access: Access) -> Result<Absolute, Fault> {
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
