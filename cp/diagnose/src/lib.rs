//! DIAGNOSE: CP's services to programs in virtual machines.
//!
//! One row a code. A function gets the registers' numbers and the virtual CPU that issued it; the instruction is
//! complete when it returns `Ok`, and an [`Interruption`] is the program's own mistake. Codes without a row are
//! specification exceptions, as on every VM for codes that it does not have.

use arch::{PAGE, Program, Real};
use complex::Core;
use cpu::{Interruption, State};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};
use virtualmachine::machine::Machine;
use virtualmachine::vmdbk::Vmdbk;

mod control_program;

pub use control_program::{ApplicationData, ControlProgram};

/// A DIAGNOSE in progress. The virtual CPU is not locked, so that CP may do anything; [`Call::core`] locks it.
pub struct Call<'a> {
    /// The system.
    pub cp: &'a dyn ControlProgram,
    /// The virtual machine that executes the instruction.
    pub vmdbk: &'a Arc<Vmdbk>,
    /// Its hardware.
    pub machine: &'a Machine,
    /// The address of the virtual CPU.
    pub cpu: u16,
    /// The length of the instruction in bytes.
    pub ilc: u8,
    /// The R1 field, a general register's number.
    pub r1: u8,
    /// The R3 field, a general register's number.
    pub r3: u8,
    /// The virtual machine's generation when the call began: a reset begins another one.
    pub generation: u64,
}

/// The function of a DIAGNOSE code.
pub type DiagnoseFn = fn(&Call<'_>) -> Result<(), Interruption>;

/// A row of the table.
pub struct Diagnose {
    /// The code: X'0258', say.
    pub code: u16,
    /// The function that performs it.
    pub run: DiagnoseFn,
    function: &'static str,
    source: &'static str,
}

impl Diagnose {
    /// The documentation comment of the function.
    pub fn help(&self) -> Vec<&'static str> {
        message::help::documentation(self.source, self.function)
    }
}

impl Call<'_> {
    /// The virtual CPU. Not to be held while a command is performed.
    pub fn core(&self) -> MutexGuard<'_, Core> {
        self.machine.configuration.cpu(self.cpu)
    }

    /// Whether the virtual machine is still the one that issued the DIAGNOSE.
    pub fn is_current(&self) -> bool {
        self.vmdbk.generation.load(Ordering::Acquire) == self.generation
    }

    /// The contents of general register `n`.
    pub fn gr(&self, n: u8) -> u64 {
        self.core().state.gr[usize::from(n & 15)]
    }

    /// An address in general register `n`, as the addressing mode cuts it.
    pub fn address(&self, n: u8) -> Real {
        let core = self.core();
        Real(core.state.gr[usize::from(n & 15)] & core.state.address_mask)
    }

    /// Puts `value` into general register `n`: all of it in the 64-bit mode, its right half otherwise.
    pub fn set_gr(&self, n: u8, value: u64) {
        let state = &mut self.core().state;
        let register = &mut state.gr[usize::from(n & 15)];
        *register = match state.address_mask == u64::MAX {
            true => value,
            false => *register & !0xffff_ffff | value & 0xffff_ffff,
        };
    }

    /// Sets the condition code of the virtual CPU.
    pub fn set_cc(&self, cc: u8) {
        self.core().state.cc = cc;
    }

    /// Reads the program's real storage.
    pub fn read(&self, from: Real, to: &mut [u8]) -> Result<(), Interruption> {
        let core = self.core();
        for (address, range) in pieces(from, to.len()) {
            let absolute = core.state.absolute(address);
            core.state.storage().read(absolute, &mut to[range]).map_err(|_| Program::Addressing)?;
        }
        Ok(())
    }

    /// Writes the program's real storage. All of it can be written, or nothing is.
    pub fn write(&self, to: Real, from: &[u8]) -> Result<(), Interruption> {
        let core = self.core();
        let state: &State = &core.state;
        for (address, range) in pieces(to, from.len()) {
            let mut byte = [0];
            let last = Real(address.0 + (range.len() as u64 - 1));
            state.storage().read(state.absolute(last), &mut byte).map_err(|_| Program::Addressing)?;
            if state.storage().is_read_only(state.absolute(last)) {
                return Err(Program::Protection.into());
            }
        }
        for (address, range) in pieces(to, from.len()) {
            let absolute = state.absolute(address);
            state.storage().write(absolute, &from[range]).map_err(|_| Program::Addressing)?;
        }
        Ok(())
    }

    /// Counts I/O that this DIAGNOSE does without a channel program; accounting leaves it out if it is not `charged`.
    pub fn count_io(&self, charged: bool) {
        self.machine.configuration.css().count_start(charged);
    }

    /// The I/O of this DIAGNOSE takes so many nanoseconds (SET TIMING): the virtual CPU goes on after that time.
    pub fn take(&self, nanoseconds: u64) {
        if nanoseconds > 0 {
            self.machine.defer(self.cpu, self.cp.now().plus_micros(nanoseconds.div_ceil(1000)));
        }
    }

    /// The DIAGNOSE waits for something outside: it is executed again after so many microseconds, or as soon as
    /// [`Machine::go_on`] says so. What it has done by now it does again.
    pub fn again(&self, microseconds: u64) {
        let mut core = self.core();
        let state = &mut core.state;
        state.ia = state.ia.wrapping_sub(u64::from(self.ilc)) & state.address_mask;
        drop(core);
        self.machine.defer_at_most(self.cpu, self.cp.now().plus_micros(microseconds));
    }

    /// A specification exception unless `good`.
    pub fn specification(&self, good: bool) -> Result<(), Interruption> {
        if good { Ok(()) } else { Err(Program::Specification.into()) }
    }
}

/// The parts of a range of real storage that lie within one page each: prefixing may separate them.
fn pieces(start: Real, length: usize) -> impl Iterator<Item = (Real, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let address = start.0.wrapping_add(done as u64);
        let count = (length - done).min((PAGE - address % PAGE) as usize);
        let piece = (Real(address), done..done + count);
        done += count;
        (count > 0).then_some(piece)
    })
}

macro_rules! diagnoses {
    ($($file:ident { $($code:literal $function:ident;)+ })+) => {
        $(pub mod $file;)+
        /// Every DIAGNOSE code, in the order of the files.
        pub static DIAGNOSES: &[Diagnose] = &[$($(
            Diagnose {
                code: $code,
                run: $file::$function,
                function: stringify!($function),
                source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/", stringify!($file), ".rs")),
            },
        )+)+];
    };
}

pub mod iucv;

diagnoses! {
    accounting { 0x04c accounting_record; }
    block_io { 0x0a4 synchronous_block_io; 0x250 block_io; }
    channel_io { 0x018 disk_io; 0x020 general_io; 0x0a8 synchronous_general_io; }
    command { 0x008 cp_command; 0x05c edit_message; }
    information {
        0x000 extended_identification; 0x00c pseudo_timer; 0x270 extended_timer; 0x060 storage_size;
        0x260 storage_extents; 0x0c8 set_language; 0x218 real_cpu;
    }
    devices { 0x024 device_type; 0x08c display_information; 0x210 device_information; }
    reader { 0x014 input_spool_file; }
    spool_files { 0x0bc spool_characteristics; 0x0f8 spool_origin; }
    segments { 0x064 saved_segments; }
    storage { 0x010 release_pages; 0x214 pending_page_release; 0x258 page_fault_handshake; }
    full_screen { 0x058 console_io; 0x264 communication; }
    time { 0x044 end_time_slice; 0x09c directed_yield; 0x288 watchdog; }
    monitor { 0x0dc application_data; 0x204 partition_data; 0x2fc guest_data; 0x304 partition_resources; }
    network { 0x26c network_information; 0x500 notify_device; }
    load { 0x308 reset_and_load; }
    vmcf { 0x068 communicate; }
}

/// Performs DIAGNOSE `code`.
pub fn perform(call: &Call<'_>, code: u16) -> Result<(), Interruption> {
    call.vmdbk.account.diagnoses.fetch_add(1, Ordering::Relaxed);
    let row = DIAGNOSES.iter().find(|row| row.code == code).ok_or(Program::Specification)?;
    (row.run)(call)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_there_once_and_explained() {
        for (n, row) in DIAGNOSES.iter().enumerate() {
            assert!(row.help().len() >= 3, "{:03X}", row.code);
            assert!(row.code % 4 == 0, "{:03X}", row.code);
            assert!(DIAGNOSES[..n].iter().all(|other| other.code != row.code), "{:03X}", row.code);
        }
    }

    #[test]
    fn a_range_is_taken_apart_at_pages() {
        let parts: Vec<_> = pieces(Real(0x1ffe), 4).collect();
        assert_eq!(parts, [(Real(0x1ffe), 0..2), (Real(0x2000), 2..4)]);
        assert_eq!(pieces(Real(5), 0).count(), 0);
    }
}
