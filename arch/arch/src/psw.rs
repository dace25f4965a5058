//! The program-status word in its storage formats (POP, chapter 4, "Program-status word").

/// Mask bits of a PSW, in the position they have in bits 0–63 of the z/Architecture format.
pub mod mask {
    use base::bits::bit64;
    /// R: program-event recording.
    pub const PER: u64 = bit64(1);
    /// T: dynamic address translation.
    pub const DAT: u64 = bit64(5);
    /// IO: I/O interruptions are let in.
    pub const IO: u64 = bit64(6);
    /// EX: external interruptions are let in.
    pub const EXTERNAL: u64 = bit64(7);
    /// The access key, bits 8-11.
    pub const KEY: u64 = 0x00f0_0000_0000_0000;
    /// Bit 12: on in the 8-byte format, off in that of 16 bytes.
    pub const SHORT: u64 = bit64(12);
    /// M: machine checks are let in.
    pub const MACHINE_CHECK: u64 = bit64(13);
    /// W: the CPU executes nothing.
    pub const WAIT: u64 = bit64(14);
    /// P: the problem state, in which privileged instructions are forbidden.
    pub const PROBLEM: u64 = bit64(15);
    /// AS: an [`AddressSpaceControl`](super::AddressSpaceControl).
    pub const SPACE: u64 = bit64(16) | bit64(17);
    /// CC: the condition code.
    pub const CC: u64 = bit64(18) | bit64(19);
    /// The program mask, the four bits that follow.
    pub const PROGRAM: u64 = 0x0000_0f00_0000_0000;
    /// Of the program mask: overflow of signed fixed-point numbers interrupts.
    pub const FIXED_POINT_OVERFLOW: u64 = bit64(20);
    /// Of the program mask: decimal overflow interrupts.
    pub const DECIMAL_OVERFLOW: u64 = bit64(21);
    /// Of the program mask: exponent underflow of HFP interrupts.
    pub const HFP_UNDERFLOW: u64 = bit64(22);
    /// Of the program mask: a zero fraction of HFP interrupts.
    pub const HFP_SIGNIFICANCE: u64 = bit64(23);
    /// EA: with `BASIC_ADDRESSING`, addresses have 64 bits.
    pub const EXTENDED_ADDRESSING: u64 = bit64(31);
    /// BA: addresses have 31 bits, not 24.
    pub const BASIC_ADDRESSING: u64 = bit64(32);
    /// Bits that must be zero in a 16-byte PSW: 0, 2–4, 12 (which selects the short format), 24–30 and 33–63.
    pub const MUST_BE_ZERO: u64 = 0xb800_00fe_7fff_ffff | SHORT;
}

/// Which address space logical addresses mean (PSW bits 16–17).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum AddressSpaceControl {
    /// All are of the primary space.
    Primary = 0,
    /// The access register of the base register tells; instructions are of the primary space.
    AccessRegister = 1,
    /// Operands are of the secondary space, instructions of the primary one.
    Secondary = 2,
    /// All are of the home space.
    Home = 3,
}

/// A PSW as a value: `mask` is bits 0–63 of the z/Architecture format, `address` is bits 64–127.
///
/// The ESA/390 and short formats are read into this form; bit 12 is kept as found, so that an early exception can
/// be recognised and the old PSW shows what was loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Psw {
    /// Bits 0-63 of the z/Architecture format.
    pub mask: u64,
    /// The instruction address.
    pub address: u64,
}

impl Psw {
    /// From the 16-byte z/Architecture format.
    pub fn from_long(mask: u64, address: u64) -> Psw {
        Psw { mask, address }
    }

    /// From the 8-byte format (ESA/390's PSW, and what LPSW loads in z/Architecture). Bit 12, which must be one in
    /// this format, is inverted, so that the result is a z/Architecture PSW with bit 12 zero.
    pub fn from_short(word: u64) -> Psw {
        Psw { mask: (word & !0x7fff_ffff) ^ mask::SHORT, address: word & 0x7fff_ffff }
    }

    /// The 8-byte format. Address bits above 31 are lost, as POP has it for ESA/390.
    pub fn to_short(self) -> u64 {
        ((self.mask & !0x7fff_ffff) ^ mask::SHORT) | self.address & 0x7fff_ffff
    }

    /// Whether all bits of `mask` (one of [`mask`]) are on.
    pub fn is(self, mask: u64) -> bool {
        self.mask & mask == mask
    }

    /// Condition code.
    pub fn cc(self) -> u8 {
        (self.mask >> 44 & 3) as u8
    }

    /// Access key, 0–15.
    pub fn key(self) -> u8 {
        (self.mask >> 52 & 15) as u8
    }

    /// Address-space control.
    pub fn space(self) -> AddressSpaceControl {
        match self.mask >> 46 & 3 {
            0 => AddressSpaceControl::Primary,
            1 => AddressSpaceControl::AccessRegister,
            2 => AddressSpaceControl::Secondary,
            _ => AddressSpaceControl::Home,
        }
    }

    /// The bits that an address has in this PSW's addressing mode.
    pub fn address_mask(self) -> u64 {
        match (self.is(mask::EXTENDED_ADDRESSING), self.is(mask::BASIC_ADDRESSING)) {
            (true, _) => u64::MAX,
            (false, true) => 0x7fff_ffff,
            (false, false) => 0x00ff_ffff,
        }
    }

    /// Whether loading this PSW in z/Architecture mode ends in an early specification exception (POP, chapter 6,
    /// "Early exception recognition").
    pub fn is_invalid(self) -> bool {
        self.mask & mask::MUST_BE_ZERO != 0
            || self.is(mask::EXTENDED_ADDRESSING) && !self.is(mask::BASIC_ADDRESSING)
            || self.address & !self.address_mask() != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_format_round_trips() {
        let psw = Psw::from_short(0x0008_0000_8000_0200);
        assert_eq!(psw, Psw { mask: 0x0000_0000_8000_0000, address: 0x200 });
        assert!(!psw.is_invalid());
        assert_eq!(psw.to_short(), 0x0008_0000_8000_0200);
    }

    #[test]
    fn early_exceptions() {
        assert!(!Psw::from_long(0x0705_0001_8000_0000, 0xffff_ffff_ffff_fffe).is_invalid());
        assert!(Psw::from_long(0x0000_0001_0000_0000, 0).is_invalid(), "bit 31 without bit 32");
        assert!(Psw::from_long(0x0008_0000_8000_0000, 0).is_invalid(), "bit 12");
        assert!(Psw::from_long(0x0000_0000_8000_0000, 0x8000_0000).is_invalid(), "more than 31 bits");
        assert!(Psw::from_long(0, 0x0100_0000).is_invalid(), "more than 24 bits");
    }
}
