//! The identity of the machine: STORE SYSTEM INFORMATION and the CPU identification (POP, chapter 10).

use crate::Configuration;
use arch::Program;
use base::ebcdic::padded;
use cpu::{At, Interruption, State};

/// The level under this machine, for STSI 3.2.2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlProgram {
    /// The virtual machine's name, at most 8 characters.
    pub machine: String,
    /// The control program's identification, at most 16 characters: `z/VM    7.3.0`.
    pub identification: String,
}

/// What the hardware says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Machine type, four digits: `2817`.
    pub machine_type: String,
    /// Model capacity identifier, at most 16 characters.
    pub model: String,
    /// Manufacturer, at most 16 characters.
    pub manufacturer: String,
    /// The serial number's low 24 bits, as CPUID shows them.
    pub serial: u32,
    /// The logical partition's name, at most 8 characters.
    pub partition: String,
    /// Version byte of the CPU identification: FF under a control program.
    pub version: u8,
}

impl Default for Identity {
    fn default() -> Identity {
        Identity {
            machine_type: "2817".into(),
            model: "716".into(),
            manufacturer: "ENDICOTT".into(),
            serial: 0x00_3270,
            partition: "ENDICOTT".into(),
            version: 0xff,
        }
    }
}

impl Identity {
    /// The doubleword that STORE CPU ID stores: version, serial number, machine type.
    pub fn cpu_id(&self) -> u64 {
        let machine = u64::from_str_radix(&self.machine_type, 16).unwrap_or(0x2817) & 0xffff;
        (self.version as u64) << 56 | (self.serial as u64 & 0xff_ffff) << 32 | machine << 16
    }
}

/// A block being filled.
struct Sysib([u8; 4096]);

impl Sysib {
    fn text<const N: usize>(&mut self, at: usize, text: &str) {
        self.0[at..at + N].copy_from_slice(&padded::<N>(text));
    }

    fn half(&mut self, at: usize, v: u16) {
        self.0[at..at + 2].copy_from_slice(&v.to_be_bytes());
    }

    fn word(&mut self, at: usize, v: u32) {
        self.0[at..at + 4].copy_from_slice(&v.to_be_bytes());
    }
}

/// The CPU capability of STSI 1.2.2: a smaller number is a faster CPU. A z196's order of magnitude.
const CAPABILITY: u32 = 500;

impl Configuration {
    pub(crate) fn store_system_information(&self, state: &mut State, at: At) -> Result<(), Interruption> {
        let function = state.gr[0] as u32 >> 28;
        let (selector1, selector2) = (state.gr[0] as u32 & 0xff, state.gr[1] as u32 & 0xffff);
        let control_program = self.host.control_program();
        let level = if control_program.is_some() { 3 } else { 2 };
        if function > 3 {
            state.cc = 3;
            return Ok(());
        }
        if state.gr[0] & 0x0fff_ff00 != 0 || state.gr[1] & 0xffff_0000 != 0 {
            return Err(Program::Specification.into());
        }
        if function == 0 {
            let register = &mut state.gr[0];
            *register = *register & !0xffff_ffff | level << 28;
            state.cc = 0;
            return Ok(());
        }
        if at.address % 4096 != 0 {
            return Err(Program::Specification.into());
        }
        let mut block = Sysib([0; 4096]);
        let known = function as u64 <= level
            && match (function, selector1, selector2) {
                (1, 1, 1) => self.basic_machine(&mut block),
                (1, 2, 1) | (2, 2, 1) => self.one_cpu(&mut block, state.address),
                (1, 2, 2) => self.basic_machine_cpus(&mut block),
                (2, 2, 2) => self.partition(&mut block),
                (3, 2, 2) => control_program.is_some_and(|cp| self.virtual_machine(&mut block, &cp)),
                _ => false,
            };
        if known {
            state.write_bytes(at, &block.0)?;
            state.cc = 0;
        } else {
            state.cc = 3;
        }
        Ok(())
    }

    fn cpu_counts(&self) -> (u16, u16) {
        let configured = self.cpus().count() as u16;
        (configured, configured)
    }

    fn sequence(&self) -> String {
        format!("{:016X}", self.identity.serial)
    }

    fn basic_machine(&self, block: &mut Sysib) -> bool {
        let id = &self.identity;
        block.text::<16>(0x20, &id.manufacturer);
        block.text::<4>(0x30, &id.machine_type);
        block.text::<16>(0x40, &id.model);
        block.text::<16>(0x50, &self.sequence());
        block.text::<4>(0x60, "00");
        block.text::<16>(0x64, &id.model);
        block.text::<16>(0x74, "");
        block.text::<16>(0x84, "");
        true
    }

    fn one_cpu(&self, block: &mut Sysib, address: u16) -> bool {
        block.text::<16>(0x50, &self.sequence());
        block.text::<4>(0x60, "00");
        block.half(0x64, 0);
        block.half(0x66, address);
        true
    }

    fn basic_machine_cpus(&self, block: &mut Sysib) -> bool {
        let (total, configured) = self.cpu_counts();
        block.word(0x18, CAPABILITY);
        block.word(0x20, CAPABILITY);
        block.half(0x24, total);
        block.half(0x26, configured);
        true
    }

    fn partition(&self, block: &mut Sysib) -> bool {
        let (total, configured) = self.cpu_counts();
        block.half(0x20, 1);
        block.0[0x23] = 0x80;
        block.half(0x24, total);
        block.half(0x26, configured);
        block.text::<8>(0x2c, &self.identity.partition);
        block.word(0x34, 1000);
        block.half(0x4a, configured);
        true
    }

    fn virtual_machine(&self, block: &mut Sysib, cp: &ControlProgram) -> bool {
        let (total, configured) = self.cpu_counts();
        block.0[0x1f] = 1;
        let entry = 0x20;
        block.half(entry + 4, total);
        block.half(entry + 6, configured);
        block.text::<8>(entry + 0xc, &cp.machine);
        block.word(entry + 0x14, 1000);
        block.text::<16>(entry + 0x18, &cp.identification);
        true
    }
}
