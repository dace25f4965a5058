//! The guarded-storage facility: whether a pointer leads into guarded storage, and the event if one is loaded (POP,
//! chapter 4, "Guarded-storage facility").

use crate::state::{At, Interruption, Space, State, cr2};
use arch::{AddressSpaceControl, mask};

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
