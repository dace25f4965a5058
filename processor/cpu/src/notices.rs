//! What programs are told of pages that are away, and what is known of those that they wait for; see `handshake.rs`.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// What a program has agreed upon by DIAGNOSE X'258'.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Handshake {
    /// The real address of the token.
    pub token: u64,
    /// These bits of the PSW decide whether there is a notice,
    pub select: u64,
    /// by having these values.
    pub compare: u64,
}

/// What a program is told of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Notice {
    /// In z/Architecture: a token of 64 bits.
    Long(u64),
    /// In ESA/390: a token of 32 bits.
    Short(u32),
    /// To this CPU, by program interruptions: the page's real address.
    Pseudo(u16, u32),
}

/// A page that something waits for.
pub(crate) struct Awaited {
    /// The CPU that missed it.
    pub(crate) cpu: u16,
    pub(crate) notice: Notice,
    /// The program has had the first notice.
    pub(crate) told: bool,
    /// The page is there.
    pub(crate) came: bool,
}

/// Pages that programs wait for, and pseudo page faults that are pending.
#[derive(Default)]
pub(crate) struct Pages {
    /// The next ticket.
    pub(crate) next: u64,
    /// By their tickets.
    pub(crate) awaited: BTreeMap<u64, Awaited>,
    /// CPUs, and the addresses of pages that have come.
    pub(crate) pseudo: VecDeque<(u16, u32)>,
    /// SET PAGEX.
    pub(crate) pseudo_faults: bool,
    /// First notices and second ones, ever.
    pub(crate) counts: (u64, u64),
}
