//! The modes of a CPU that change what instructions and addresses mean.

use crate::signals::attention as bit;
use crate::state::control::{cr0, cr14};
use crate::state::tlb::Asid;
use crate::state::{Architecture, State, Stops, local};
use arch::mask;
use std::sync::Arc;

impl State {
    /// The architecture this CPU is in.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Switches the architecture (SIGP SET ARCHITECTURE; resets). Everything derived is found anew.
    pub fn set_architecture(&mut self, to: Architecture) {
        if to == Architecture::Z && self.architecture != Architecture::Z {
            // ESA/390's control registers have 32 bits; the prefix is on an 8 KiB boundary.
            self.prefix &= !0x1fff;
            for register in &mut self.cr {
                *register &= 0xffff_ffff;
            }
        }
        self.architecture = to;
        self.tlb.purge();
        self.blocks_stale = true;
        self.fetch_stale = true;
        self.control_changed();
    }

    /// To be called after any control register changed.
    pub fn control_changed(&mut self) {
        self.tlb.set_format(self.architecture, self.cr[0]);
        self.space_changed();
        self.masks_changed();
        self.per_changed();
        self.trace_changed();
    }

    /// To be called when CR1, CR7 or CR13 alone changed: no interruption mask is in them.
    pub fn space_changed(&mut self) {
        self.find_spaces();
        // If the numbers began anew on the way, the first of two is out of date.
        while self.tlb.take_renumbered() {
            self.find_spaces();
        }
    }

    fn find_spaces(&mut self) {
        let key = self.key;
        let (primary, secondary, home) = (self.cr[1], self.cr[7], self.cr[13]);
        if self.psw_mask & mask::DAT == 0 {
            let real = self.tlb.real_space(key);
            self.data_asid = real;
            self.fetch_asid = real;
        } else {
            let (data, instructions) = match self.psw_mask >> 46 & 3 {
                0 => (Some(primary), primary),
                1 => (None, primary),
                2 => (Some(secondary), primary),
                _ => (Some(home), home),
            };
            self.data_asid = data.map_or(Asid::NONE, |asce| self.tlb.space(asce, key));
            let instruction_key = self.instruction_key(key);
            self.fetch_asid = if data == Some(instructions) && instruction_key == key {
                self.data_asid
            } else {
                self.tlb.space(instructions, instruction_key)
            };
        }
        if self.per_store_active() || self.local & local::WATCH != 0 {
            self.data_asid = Asid::NONE;
        }
        self.data_window = self.tlb.window(self.data_asid);
        self.fetch_window = self.tlb.window(self.fetch_asid);
    }

    /// Which interruptions the PSW and the control registers let in, as [`crate::attention`] bits.
    pub fn masks_changed(&mut self) {
        let psw = self.psw_mask;
        let mut external = bit::REQUEST;
        let control = self.cr[0];
        for (subclass, class) in [
            (cr0::EMERGENCY_SIGNAL, bit::EMERGENCY_SIGNAL),
            (cr0::EXTERNAL_CALL, bit::EXTERNAL_CALL),
            (cr0::CLOCK_COMPARATOR, bit::CLOCK_COMPARATOR),
            (cr0::CPU_TIMER, bit::CPU_TIMER),
            (cr0::SERVICE_SIGNAL, bit::SERVICE_SIGNAL),
            (cr0::INTERRUPT_KEY, bit::INTERRUPT_KEY),
            (cr0::IUCV, bit::IUCV),
            (cr0::VMCF, bit::VMCF),
            (cr0::MALFUNCTION_ALERT, bit::MALFUNCTION_ALERT),
        ] {
            if control & subclass != 0 {
                external |= class;
            }
        }
        let mut open = bit::ALWAYS;
        if psw & mask::MACHINE_CHECK != 0 && self.cr[14] & cr14::CHANNEL_REPORT != 0 {
            open |= bit::MACHINE_CHECK;
        }
        let io = open | bit::IO | bit::PSEUDO_PAGE_FAULT;
        self.open_for = [open, open | external, io, io | external];
        self.open = self.open_for[(psw >> 56 & 3) as usize];
    }

    /// Bits of CR9 that ask for PER events; 0 when the PSW has PER off.
    pub fn per_events(&self) -> u64 {
        if self.psw_mask & mask::PER == 0 { 0 } else { self.cr[9] & 0xff00_0000 }
    }

    /// To be called after control registers 9 to 11 changed.
    pub fn per_changed(&mut self) {
        let on = self.per_events() != 0;
        self.local = self.local & !local::PER | if on { local::PER } else { 0 };
    }

    /// Whether any byte from `first` to `last` lies in the range of control registers 10 and 11, which may wrap around.
    pub fn per_range_touches(&self, first: u64, last: u64) -> bool {
        let (from, to) = (self.cr[10], self.cr[11]);
        let inside = |a: u64| if from <= to { (from..=to).contains(&a) } else { a >= from || a <= to };
        inside(first) || inside(last) || first <= from && from <= last
    }

    /// Has the CPU stop where a debugger wants it, or nowhere. It is not being run.
    pub fn set_stops(&mut self, stops: Option<Arc<Stops>>) {
        let stops = stops.filter(|stops| !stops.is_empty());
        let on = |on: bool, bit: u32| if on { bit } else { 0 };
        let watches = stops.as_ref().is_some_and(|stops| stops.watches());
        self.local &= !(local::STOPS | local::WATCH);
        self.local |= on(stops.is_some(), local::STOPS) | on(watches, local::WATCH);
        self.stops = stops;
        self.touched = None;
        // Blocks end before an instruction that is a stop.
        self.blocks_stale = true;
        self.fetch_stale = true;
        self.space_changed();
    }

    /// Where a debugger wants the CPU to stop.
    pub fn stops(&self) -> Option<&Stops> {
        self.stops.as_deref()
    }

    pub(crate) fn per_store_active(&self) -> bool {
        self.per_events() & 0x2000_0000 != 0
    }
}
