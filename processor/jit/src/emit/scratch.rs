//! What the words of `State::scratch` are used for.

/// Where generated code leaves to, with its answer in rax.
pub const LEAVE: usize = 0;
/// Where a site goes, with its number in eax.
pub const AT_SITE: usize = 1;
/// Where a call goes, with its site's number in eax.
pub const AT_CALL: usize = 2;
/// The table of targets of indirect branches.
pub const TARGETS: usize = 3;
/// What a target's key must be now.
pub const KEY: usize = 4;
/// Leads to the sites.
pub const SITES: usize = 5;
/// The answer of a site or call that leaves.
pub const ANSWER: usize = 6;
/// Whether the page that instructions were fetched from may now be another's.
pub const MOVED: usize = 28;
/// How often pages were forgotten, by the low byte of their number.
pub const ROWS: usize = 27;
/// The routines for many bytes.
pub const MOVE_BYTES: usize = 24;
pub const CLEAR_BYTES: usize = 25;
pub const COMPARE_BYTES: usize = 26;
/// The routines for strings.
pub const FIND_BYTE: usize = 30;
pub const COMPARE_STRINGS: usize = 31;
/// Where a site goes that has floating-point registers in the host's.
pub const AT_FLOAT_SITE: usize = 29;
/// The host's registers for them at a site, from the first on.
pub const SPILL_FLOATS: usize = 32;
/// The routines for accesses with a TLB probe of their own.
pub const FETCH_ALONE: usize = 48;
pub const STORE_ALONE: usize = 49;
/// 1 in the first byte: flags of the guest are in the host's MXCSR; the second is [`crate::emit::float_flags::MODEST`].
/// In the left half what that is without flags.
pub const FLOATED: usize = 50;
/// The routine that looks whether the host may do floating-point arithmetic.
pub const FLOATS_READY: usize = 51;
/// A sign and nothing else; a short number's is in the left half.
pub const SIGN: usize = 52;
/// Everything but the sign of a long number.
pub const MAGNITUDE: usize = 53;
/// Everything but the sign of a short number, and in the left half the least short number that is normal.
pub const SHORT_LEAST: usize = 54;
/// The least long number that is normal.
pub const LEAST: usize = 55;
/// Bits of exponents, for long and for short numbers: of those that are off or on only in the least and the greatest
/// numbers, and all.
pub const EXTREME: usize = 65;
pub const ENDLESS: usize = 69;
/// The order of a number's bytes the other way round, likewise.
pub const ORDER: usize = 73;
/// The routine that moves a field over the ends of pages.
pub const MOVE_FIELD: usize = 77;
/// What of the budget is not in the portion at hand, and the routine that brings the next.
pub const RESERVE: usize = 78;
pub const REFILL: usize = 79;
/// How many instructions will have been executed when the budget is used up.
pub const WHEN: usize = 80;
/// What a site that comes back has in rcx.
pub const DISTANCE: usize = 81;
/// Twice the greatest number of a place in the table of targets.
pub const TARGET_MASK: usize = 82;
/// Leads to the targets that are remembered.
pub const REMEMBERED: usize = 83;
/// The operands of a condition code that is not worked out yet.
pub const CODE_OPERANDS: usize = 56;
/// The routines that work it out, without and with floating-point registers in the host's.
pub const SETTLE_CODE: usize = 58;
/// Where a block is left to when its target is not remembered.
pub const AT_LOOKUP: usize = 60;
/// The address of what blocks have code, and how often one was found there.
pub const KNOWN: usize = 61;
pub const FOUND: usize = 62;
/// How often a site was reached, and how often a handler called.
pub const REACHED: usize = 63;
pub const CALLED: usize = 64;
/// The MXCSR before some rounds of a loop: rax is never spilled.
pub const SAVED: usize = SPILL;
/// Host registers at a site, by number.
pub const SPILL: usize = 8;
