//! Which bytes an instruction means, and what for.

/// The address of an operand: its logical address, and the access register that belongs to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At<W = u64> {
    /// The logical address.
    pub address: W,
    /// The base register's number (or that of the register that holds the address): it matters in the
    /// access-register mode only.
    pub ar: u8,
}

/// Which address space an access means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// As the PSW says, with access register `ar` in the access-register mode.
    Mode {
        /// The access register's number.
        ar: u8,
    },
    /// The primary space.
    Primary,
    /// The secondary space.
    Secondary,
    /// The home space.
    Home,
    /// Through an access register, whatever the mode.
    Register(u8),
    /// Where instructions are fetched from.
    Instruction,
    /// No space: the address is real.
    Real,
}

/// What is done with the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// They are fetched.
    Fetch,
    /// They are stored.
    Store,
}
