//! What a translation-exception identification says beside the page and the space (POP, chapter 3, "Assigned storage
//! locations"; "Suppression on protection").

use crate::state::{Access, Architecture};

/// Facility: the identification says whether it was a fetch or a store.
pub(crate) const FETCH_STORE_INDICATION: u32 = 75;
/// Facility: instruction-execution protection.
pub(crate) const EXECUTION_PROTECTION: u32 = 130;
/// Facility: side-effect accesses, and with them enhanced suppression on protection 2.
pub(crate) const SUPPRESSION_ON_PROTECTION_2: u32 = 131;

/// It was a store, or a fetch.
const STORED: u64 = 0x400;
const FETCHED: u64 = 0x800;
/// It was an access to none of the instruction's operands: to the list of a guarded-storage event.
pub(crate) const SIDE_EFFECT: u64 = 0x200;
/// The tables protect the page.
pub(crate) const BY_TABLE: u64 = 0x04;

/// What protects a location from an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Guard {
    /// An entry of a translation table.
    Table,
    /// The storage key.
    Key,
    /// An access-list entry that is for fetches only.
    AccessList,
    /// Low-address protection.
    LowAddress,
    /// Instruction-execution protection.
    Execution,
}

impl Guard {
    /// What the identification has of it: bits 56, 60 and 61, the code of enhanced suppression on protection 2. Without
    /// that, bit 61 says whether the rest of the identification is good, and bit 60 that it was the access list.
    pub(crate) fn bits(self, architecture: Architecture, suppression2: bool) -> u64 {
        let list = if architecture == Architecture::Z { 0x0c } else { BY_TABLE };
        match self {
            Guard::Table => BY_TABLE,
            Guard::AccessList => list,
            _ if architecture != Architecture::Z || !suppression2 => 0,
            Guard::Key => 0x08,
            Guard::LowAddress => 0x80,
            Guard::Execution => 0x84,
        }
    }
}

/// Which of the two it was.
pub(crate) fn indication(access: Access) -> u64 {
    match access {
        Access::Fetch => FETCHED,
        Access::Store => STORED,
    }
}
