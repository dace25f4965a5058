//! The order in which others see a CPU's accesses.
//!
//! As CPUs and channel programs observe them, fetches happen in order, stores happen in order, and no store happens
//! before an earlier fetch. A fetch may happen before an earlier store (POP, chapter 5, *Sequence of Storage
//! References*). Hosts of x86-64 and s390x promise the same of plain accesses. Others get a fence.

use std::sync::atomic::{
    Ordering::{Acquire, Release},
    fence,
};

/// Whether plain accesses of the host are seen in the guest's order.
const ORDERED: bool = cfg!(any(target_arch = "x86_64", target_arch = "s390x"));

/// Bytes of the guest were fetched: what the CPU accesses from here on comes after that.
#[inline(always)]
pub fn fetched() {
    if !ORDERED {
        fence(Acquire);
    }
}

/// Bytes of the guest will be stored: what the CPU has accessed comes before that.
#[inline(always)]
pub fn storing() {
    if !ORDERED {
        fence(Release);
    }
}
