//! What the frames of real storage are used for.
//!
//! Real storage is counted, not had: CP is a program of the host, and its own storage competes with no guest's. So what
//! the system programmer gives the system (STORAGE in SYSTEM CONFIG) is charged with what it would be used for. That is
//! CP itself, the frame table, save areas of processors, CP's blocks for virtual machines, and each page that the host
//! keeps for one. The rest is available.

use arch::PAGE;

/// The least that a system can have, in bytes.
pub const LEAST: u64 = 16 << 20;

/// CP itself: 3 MB.
const NUCLEUS: u64 = (3 << 20) / PAGE;
/// As many entries of the frame table lie in one frame.
const ENTRIES: u64 = 128;
/// Prefix pages and save areas of a processor.
const SAVE: u64 = 16;
/// A virtual machine whose addresses reach as far as this has segment tables beside its block.
const SMALL: u64 = 32 << 20;

/// Frames by use.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Frames {
    /// All.
    pub installed: u64,
    /// CP and the frame table.
    pub nucleus: u64,
    /// Save areas.
    pub save: u64,
    /// CP's blocks for virtual machines.
    pub free_storage: u64,
    /// Pages of virtual machines.
    pub pageable: u64,
    /// Those that LOCK keeps.
    pub locked: u64,
    /// Pages on their way in or out.
    pub transit: u64,
}

impl Frames {
    /// Those of a system with so many bytes and processors, and no user.
    pub fn new(bytes: u64, processors: u64) -> Frames {
        let installed = bytes / PAGE;
        Frames { installed, nucleus: NUCLEUS + installed / ENTRIES, save: SAVE * processors, ..Frames::default() }
    }

    /// Charges a virtual machine: its virtual CPUs, how far its addresses reach, saved segments included, and the pages
    /// that are resident.
    pub fn charge(&mut self, cpus: u64, reach: u64, resident: u64) {
        self.free_storage += Frames::blocks(cpus, reach);
        self.pageable += resident;
    }

    /// Frames of CP's own blocks for a virtual machine with so many CPUs, whose addresses reach so far.
    pub fn blocks(cpus: u64, reach: u64) -> u64 {
        cpus + if reach < SMALL { 0 } else { reach.div_ceil(1 << 30) }
    }

    /// The dynamic paging area.
    pub fn paging(&self) -> u64 {
        self.installed.saturating_sub(self.nucleus + self.save)
    }

    /// Those that are available: none while virtual machines have more than there is.
    pub fn available(&self) -> u64 {
        self.paging().saturating_sub(self.free_storage + self.pageable + self.locked + self.transit)
    }
}
