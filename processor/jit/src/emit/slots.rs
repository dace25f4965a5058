//! Slots: what generated code has on the host's stack for open spans ([`crate::plan::spans`]).

use crate::plan::spans::Open;
use arch::PAGE_MASK;
use cpu::State;

/// Where on the stack the slot of a base register is: within reach of short displacements.
pub(crate) fn slot(r: u8) -> i32 {
    8 * (15 - r as i32)
}

/// Where its second word is, the same for stores.
pub(crate) fn store_slot(r: u8) -> i32 {
    128 + slot(r)
}

/// The slot of this register outlasts its block. Mostly the register leads to the stack frame of the program that runs,
/// and other blocks want the same page. A handler, a site or a lookup of a block closes it.
pub(crate) const LASTING: u8 = 15;

/// Bytes of all slots.
pub(crate) const SLOTS: i32 = 256;
/// Bytes of what follows the slots: for each register, the page that its slot was made for.
pub(crate) const PAGES: i32 = 128;

/// Where that page is on the stack.
pub(crate) fn page(r: u8) -> i32 {
    SLOTS + 8 * r as i32
}

/// What is on the host's stack of slots and of their pages.
pub(crate) type Slots = [u64; (SLOTS + PAGES) as usize / 8];

/// Nothing is open any more.
pub(crate) fn close(slots: &mut Slots) {
    slots[..SLOTS as usize / 8].fill(0);
}

/// Opens it again, if it can be.
pub(crate) fn reopen(open: &Open, s: &State, slots: &mut Slots) -> bool {
    let at = s.gr[open.base as usize].wrapping_add_signed(open.from.into());
    let word = |at: i32| at as usize / 8;
    if open.moved {
        // Half of all addresses away: so the next access finds that it is in another page.
        slots[word(page(open.base))] = at ^ 1 << 63;
        return true;
    }
    let Some(distance) = s.distance(at, open.last.into(), open.stores) else { return false };
    slots[word(slot(open.base))] = distance;
    if open.stores {
        slots[word(store_slot(open.base))] = distance;
    }
    slots[word(page(open.base))] = at & PAGE_MASK;
    true
}
