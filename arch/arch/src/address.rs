//! The kinds of address that POP chapter 3 keeps apart. A function that takes `Absolute` has no translation left to do.

/// The size of a page and of a frame, in bytes.
pub const PAGE: u64 = 4096;
/// The bits of an address that name its page.
pub const PAGE_MASK: u64 = !(PAGE - 1);

/// What an instruction forms: subject to dynamic address translation if the PSW says so.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Logical(pub u64);

/// After translation, before prefixing: what this CPU calls location 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Real(pub u64);

/// After prefixing: what every CPU and the channel subsystem call the location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Absolute(pub u64);

impl Absolute {
    /// The address `n` bytes further.
    pub fn plus(self, n: u64) -> Absolute {
        Absolute(self.0.wrapping_add(n))
    }
}
