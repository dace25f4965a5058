//! Numbers as layouts have them: big-endian bytes without alignment. They are the fields of structs that lie in guest
//! storage, on the wire or in files. `arch`'s first page says how such structs are written.
//!
//! Most are `zerocopy`'s. It has none of three bytes, which the architecture has in many places: [`U24`].

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

pub use zerocopy::big_endian::{I16, I32, I64, U16, U32, U64, U128};

/// Numbers whose least significant byte comes first: what virtio devices have in storage.
pub mod little {
    pub use zerocopy::little_endian::{U16, U32, U64};
}

/// A number of 24 bits in three bytes, such as an address of S/370.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct U24([u8; 3]);

impl U24 {
    /// The low 24 bits of a number.
    pub const fn new(n: u32) -> U24 {
        let [_, a, b, c] = U32::new(n).to_bytes();
        U24([a, b, c])
    }

    /// The number.
    pub const fn get(self) -> u32 {
        let [a, b, c] = self.0;
        U32::from_bytes([0, a, b, c]).get()
    }
}

impl std::fmt::Debug for U24 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "U24({})", self.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_bytes_hold_24_bits() {
        assert_eq!(U24::new(0x0a_bc_de).as_bytes(), [0x0a, 0xbc, 0xde]);
        assert_eq!(U24::new(0xff12_3456).get(), 0x12_3456);
        assert_eq!(format!("{:?}", U24::new(80)), "U24(80)");
    }
}
