//! What is known of a block before it is emitted.

use crate::plan::arms::Arms;
use crate::plan::copies::Copies;
use crate::plan::footprints::{Ahead, Round};
use crate::plan::lanes::Lanes;
use crate::plan::spans::Spans;
use crate::plan::stretches::Stretch;
use crate::plan::table_accesses::Tables;
use arch::{Absolute, PAGE};
use cpu::{Architecture, Facilities};
use isa::Op;

/// The page beside a block's own.
#[derive(Clone, Copy)]
pub struct Other {
    /// Where it begins, from the start of the block.
    pub at: i64,
    /// Its frame: the number, the host's address, and where its code's version is and what it is.
    pub number: u32,
    pub host: u64,
    pub version_at: u64,
    pub version: u32,
}

impl Other {
    /// Whether any of these bytes of text, counted from the start of the block, are in it.
    pub fn has(&self, from: i64, to: i64) -> bool {
        from < self.at + PAGE as i64 && to > self.at
    }
}

/// What is known of a block before it is emitted.
pub struct Plan<'e> {
    pub storage: &'e storage::Storage,
    /// What text in it means.
    pub architecture: Architecture,
    pub facilities: &'e Facilities,
    /// So many of these are the block's, which are emitted first; the rest are its arms'.
    pub ops: &'e [Op],
    pub count: usize,
    pub arms: Arms,
    pub spans: Spans,
    pub tables: Tables,
    pub copies: Copies,
    pub ahead: Ahead,
    pub lanes: Option<Lanes>,
    pub stretch: Option<Stretch>,
    /// What the program goes round, if it does.
    pub round: Option<Round>,
    /// Where the block's text is.
    pub absolute: Absolute,
    /// Where its code is going to be executed, and where all code begins.
    pub origin: u64,
    pub start: u64,
    /// The numbers of its first site and its first link.
    pub first_site: usize,
    pub first_link: usize,
    /// Bits of an address in the addressing mode.
    pub mask: u64,
    /// There is no other CPU.
    pub alone: bool,
    /// Where its frame's code version is, and what it is now.
    pub version_at: u64,
    pub version: u32,
    /// Instructions after which the condition code is not wanted until the next has set it: a bit each.
    pub unwanted: u64,
    /// The page beside its own that the block goes on in.
    pub beside: Option<Other>,
    /// The host may do binary-floating-point arithmetic for the program that runs now, and so for most.
    pub float_ready: bool,
    /// Accesses look whether their span is open ([`crate::plan::spans`]).
    pub loose: bool,
}

impl Plan<'_> {
    /// The number of the instruction that the program goes on with after this one, as far as is known.
    pub fn next(&self, index: usize) -> Option<usize> {
        if index < self.count {
            return Some(index + 1).filter(|&next| next < self.count);
        }
        let arm = self.arms.with(index)?;
        Some(if index + 1 < arm.end { index + 1 } else { arm.to })
    }
}
