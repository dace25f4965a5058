//! The guarded-storage facility: whether a pointer leads into guarded storage, and the event if one is loaded (POP,
//! chapter 4, "Guarded-storage facility").

use crate::state::{At, Interruption, Space, State, cr2};
use arch::guarded::EventList;
use arch::{AddressSpaceControl, mask};
use std::mem::offset_of;
use zerocopy::IntoBytes;

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
        let handler = self.load_u64(self.further(at, offset_of!(EventList, handler) as u64));
        let handler = handler.map_err(|why| self.side_effect(why))?;
        let psw = self.psw();
        let mode = (psw.is(mask::EXTENDED_ADDRESSING) as u8) << 1 | psw.is(mask::BASIC_ADDRESSING) as u8;
        let dat = psw.is(mask::DAT);
        let ar = if dat && psw.space() == AddressSpaceControl::AccessRegister { operand.ar } else { 0 };
        let access = (dat as u8) << 6 | (psw.space() as u8) << 4 | ar;
        let mut list = EventList::default();
        (list.mode, list.cause, list.access) = (mode, logical as u8, access);
        list.instruction = instruction.into();
        list.operand = operand.address.into();
        list.pointer = pointer.into();
        list.return_address = instruction.into();
        // The header, and everything after the handler's address.
        let (header, rest) = (&list.as_bytes()[..4], &list.as_bytes()[offset_of!(EventList, instruction)..]);
        let behind = self.further(at, offset_of!(EventList, instruction) as u64);
        let stored = self.test_store(at.address, size_of::<EventList>() as u64, Space::Mode { ar: 0 }, self.key);
        stored.map_err(|why| self.side_effect(why))?;
        self.write_bytes(at, header)?;
        self.write_bytes(behind, rest)?;
        self.breaking_event = instruction;
        self.next_ia = handler & self.address_mask;
        Ok(())
    }
}
