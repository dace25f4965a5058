//! What the words of `State::scratch` are used for.

/// Where generated code leaves to, with its answer in rax.
pub(crate) const LEAVE: usize = 0;
/// Where a site goes, with its number in eax.
pub(crate) const AT_SITE: usize = 1;
/// Where a call goes, with its site's number in eax.
pub(crate) const AT_CALL: usize = 2;
/// The table of targets of indirect branches.
pub(crate) const TARGETS: usize = 3;
/// What a target's key must be now.
pub(crate) const KEY: usize = 4;
/// Leads to the sites.
pub(crate) const SITES: usize = 5;
/// The answer of a site or call that leaves.
pub(crate) const ANSWER: usize = 6;
/// Whether the page that instructions were fetched from may now be another's.
pub(crate) const MOVED: usize = 28;
/// How often pages were forgotten, by the low byte of their number.
pub(crate) const ROWS: usize = 27;
/// The routines for many bytes.
pub(crate) const MOVE_BYTES: usize = 24;
pub(crate) const CLEAR_BYTES: usize = 25;
pub(crate) const COMPARE_BYTES: usize = 26;
/// The routines for strings.
pub(crate) const FIND_BYTE: usize = 30;
pub(crate) const COMPARE_STRINGS: usize = 31;
/// Where a site goes that has floating-point registers in the host's.
pub(crate) const AT_FLOAT_SITE: usize = 29;
/// The host's registers for them at a site, from the first on.
pub(crate) const SPILL_FLOATS: usize = 32;
/// The routines for accesses with a TLB probe of their own.
pub(crate) const FETCH_ALONE: usize = 48;
pub(crate) const STORE_ALONE: usize = 49;
/// 1 in the first byte: flags of the guest are in the host's MXCSR; the second is [`crate::emit::float_flags::MODEST`].
/// In the left half what that is without flags.
pub(crate) const FLOATED: usize = 50;
/// The routine that looks whether the host may do floating-point arithmetic.
pub(crate) const FLOATS_READY: usize = 51;
/// A sign and nothing else; a short number's is in the left half.
pub(crate) const SIGN: usize = 52;
/// Everything but the sign of a long number.
pub(crate) const MAGNITUDE: usize = 53;
/// Everything but the sign of a short number, and in the left half the least short number that is normal.
pub(crate) const SHORT_LEAST: usize = 54;
/// The least long number that is normal.
pub(crate) const LEAST: usize = 55;
/// Bits of exponents, for long and for short numbers: of those that are off or on only in the least and the greatest
/// numbers, and all.
pub(crate) const EXTREME: usize = 65;
pub(crate) const ENDLESS: usize = 69;
/// The order of a number's bytes the other way round, likewise.
pub(crate) const ORDER: usize = 73;
/// The routine that moves a field over the ends of pages.
pub(crate) const MOVE_FIELD: usize = 77;
/// What of the budget is not in the portion at hand, and the routine that brings the next.
pub(crate) const RESERVE: usize = 78;
pub(crate) const REFILL: usize = 79;
/// How many instructions will have been executed when the budget is used up.
pub(crate) const WHEN: usize = 80;
/// What a site that comes back has in rcx.
pub(crate) const DISTANCE: usize = 81;
/// Twice the greatest number of a place in the table of targets.
pub(crate) const TARGET_MASK: usize = 82;
/// Leads to the targets that are remembered.
pub(crate) const REMEMBERED: usize = 83;
/// The routines of the return stack ([`crate::emit::return_stack`]).
pub(crate) const PUSH_RETURN: usize = 84;
pub(crate) const TAKE_RETURN: usize = 85;
/// Where its latest entry is, in bytes from the first.
pub(crate) const RETURN_TOP: usize = 86;
/// The era of the cache that its entries lead to.
pub(crate) const RETURN_ERA: usize = 87;
/// What an entry must have to be good.
pub(crate) const RETURN_VALID: usize = 88;
/// Its entries.
pub(crate) const RETURNS: usize = 89;
/// The place of the branch by a register that was taken last ([`crate::emit::latest_targets`]); 0: none since code was
/// entered.
pub(crate) const LATEST: usize = 153;
/// The routine of those that lead elsewhere than last.
pub(crate) const ELSEWHERE: usize = 154;
/// As `AT_LOOKUP`, for the branch with its place in rsi.
pub(crate) const AT_LOOKUP_FOR: usize = 155;
/// The routines for registers over the end of a page ([`crate::emit::across_pages`]), each for words and doublewords.
pub(crate) const FETCH_ACROSS: usize = 156;
pub(crate) const FIND_ACROSS: usize = 158;
pub(crate) const STORE_ACROSS: usize = 160;
/// Where the registers are in between.
pub(crate) const BUFFER: usize = 162;
/// The order of bytes in storage for each half of a vector.
pub(crate) const BYTES_OF_VECTOR: usize = 178;
/// The routine that stores some bytes of a vector.
pub(crate) const STORE_BYTES: usize = 180;
/// The operands of a condition code that is not worked out yet.
pub(crate) const CODE_OPERANDS: usize = 56;
/// The routines that work it out, without and with floating-point registers in the host's.
pub(crate) const SETTLE_CODE: usize = 58;
/// Where a block is left to when its target is not remembered.
pub(crate) const AT_LOOKUP: usize = 60;
/// The address of what blocks have code, and how often one was found there.
pub(crate) const KNOWN: usize = 61;
pub(crate) const FOUND: usize = 62;
/// How often a site was reached, and how often a handler called.
pub(crate) const REACHED: usize = 63;
pub(crate) const CALLED: usize = 64;
/// The MXCSR before some rounds of a loop: rax is never spilled.
pub(crate) const SAVED: usize = SPILL;
/// The guard of links to other pages ([`crate::emit::cross_links`]).
pub(crate) const AT_CROSS: usize = 7;
/// Host registers at a site, by number.
pub(crate) const SPILL: usize = 8;
