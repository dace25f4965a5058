//! The guarded-storage facility: whether a pointer leads into guarded storage, and the event if one is loaded (POP,
//! chapter 4, "Guarded-storage facility").

use crate::access::{At, Space};
use crate::interrupt::Interruption;
use crate::state::{State, cr2};
use arch::{AddressSpaceControl, mask};

/// The guarded-storage registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Guarded {
    /// Guarded-storage designation: origin, load shift (bits 53-55), characteristic (bits 58-63).
    pub designation: u64,
    /// Which of the 64 sections are guarded.
    pub sections: u64,
    /// Logical address of the parameter list.
    pub parameters: u64,
}

impl Guarded {
    /// How far LLGFSG shifts the word it loads.
    pub fn load_shift(&self) -> u32 {
        (self.designation >> 8 & 7).min(4) as u32
    }

    /// Whether `pointer` leads into a guarded section.
    pub fn guards(&self, pointer: u64) -> bool {
        let characteristic = (self.designation & 63) as u32;
        if !(25..=56).contains(&characteristic) {
            return false;
        }
        let section = pointer >> (characteristic - 6) & 63;
        (pointer ^ self.designation) >> characteristic == 0 && self.sections << section >> 63 == 1
    }
}

/// Places in the guarded-storage-event parameter list.
mod list {
    pub const HANDLER: u64 = 8;
    pub const INSTRUCTION: u64 = 16;
}

impl State {
    /// Whether pointers are looked at.
    pub fn guarded_storage_enabled(&self) -> bool {
        self.cr[2] & cr2::GUARDED_STORAGE != 0
    }

    /// A guarded-storage event: the instruction at `instruction` (`logical` if it loads a logical pointer of 32 bits)
    /// would have loaded `pointer` from `operand`. The parameter list says so, and execution goes on at its handler.
    pub fn guarded_storage_event(
        &mut self,
        instruction: u64,
        operand: At,
        pointer: u64,
        logical: bool,
    ) -> Result<(), Interruption> {
        let at = At { address: self.guarded.parameters & self.address_mask, ar: 0 };
        let mut handler = [0; 8];
        self.read_bytes(self.further(at, list::HANDLER), &mut handler)?;
        let psw = self.psw();
        let mode = (psw.is(mask::EXTENDED_ADDRESSING) as u8) << 1 | psw.is(mask::BASIC_ADDRESSING) as u8;
        let dat = psw.is(mask::DAT);
        let ar = if dat && psw.space() == AddressSpaceControl::AccessRegister { operand.ar } else { 0 };
        let access = (dat as u8) << 6 | (psw.space() as u8) << 4 | ar;
        // The header, and everything after the handler's address.
        let header = [0, mode, logical as u8, access];
        let mut rest = [0; 32];
        for (place, v) in rest.chunks_exact_mut(8).zip([instruction, operand.address, pointer, instruction]) {
            place.copy_from_slice(&v.to_be_bytes());
        }
        let behind = self.further(at, list::INSTRUCTION);
        self.test_store(at.address, list::INSTRUCTION + rest.len() as u64, Space::Mode { ar: 0 }, self.key)?;
        self.write_bytes(at, &header)?;
        self.write_bytes(behind, &rest)?;
        self.breaking_event = instruction;
        self.next_ia = u64::from_be_bytes(handler) & self.address_mask;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_a_sixty_fourth_of_the_area() {
        // 32 MiB at 4000000, so sections of 512 KiB; the first and the last are guarded.
        let g = Guarded { designation: 0x0400_0000 | 25, sections: 0x8000_0000_0000_0001, parameters: 0 };
        assert!(g.guards(0x0400_0000) && g.guards(0x0407_ffff) && g.guards(0x05f8_0000));
        assert!(!g.guards(0x0408_0000) && !g.guards(0x03ff_ffff) && !g.guards(0x0600_0000));
        assert!(!Guarded { designation: 0x0400_0000 | 24, ..g }.guards(0x0400_0000), "no such characteristic");
    }
}
