//! The identity of the machine: STORE SYSTEM INFORMATION and the CPU identification (POP, chapter 10).

use crate::Configuration;
use arch::Program;
use arch::system_information::{BasicMachine, DEDICATED, MachineCpus, OneCpu, Partition, VirtualMachines};
use base::ebcdic::padded;
use base::layout::{U16, U32};
use cpu::{At, Interruption, State};
use zerocopy::{FromZeros, IntoBytes};

/// The level under this machine, for STSI 3.2.2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlProgram {
    /// The virtual machine's name, at most 8 characters.
    pub machine: String,
    /// The control program's identification, at most 16 characters: `z/VM    7.3.0`.
    pub identification: String,
}

/// What the machine says of itself in STSI and STORE CPU ID.
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
        let mut block = [0; 4096];
        let mut put = |sysib: &[u8]| {
            block[..sysib.len()].copy_from_slice(sysib);
            true
        };
        let known = function as u64 <= level
            && match (function, selector1, selector2) {
                (1, 1, 1) => put(self.basic_machine().as_bytes()),
                (1, 2, 1) | (2, 2, 1) => put(self.one_cpu(state.address).as_bytes()),
                (1, 2, 2) => put(self.basic_machine_cpus().as_bytes()),
                (2, 2, 2) => put(self.partition().as_bytes()),
                (3, 2, 2) => control_program.is_some_and(|cp| put(self.virtual_machine(&cp).as_bytes())),
                _ => false,
            };
        if known {
            state.write_bytes(at, &block)?;
            state.cc = 0;
        } else {
            state.cc = 3;
        }
        Ok(())
    }

    /// How many CPUs there are. All are configured.
    fn cpu_count(&self) -> U16 {
        U16::new(self.cpus().count() as u16)
    }

    fn sequence(&self) -> [u8; 16] {
        padded(&format!("{:016X}", self.identity.serial))
    }

    fn basic_machine(&self) -> BasicMachine {
        let id = &self.identity;
        BasicMachine {
            manufacturer: padded(&id.manufacturer),
            machine_type: padded(&id.machine_type),
            model_capacity: padded(&id.model),
            sequence: self.sequence(),
            plant: padded("00"),
            model: padded(&id.model),
            permanent_capacity: padded(""),
            temporary_capacity: padded(""),
            ..BasicMachine::default()
        }
    }

    fn one_cpu(&self, address: u16) -> OneCpu {
        let mut sysib = OneCpu::new_zeroed();
        (sysib.sequence, sysib.plant) = (self.sequence(), padded("00"));
        sysib.cpu_address.set(address);
        sysib
    }

    fn basic_machine_cpus(&self) -> MachineCpus {
        let (capability, cpus) = (U32::new(CAPABILITY), self.cpu_count());
        let nominal_capability = capability;
        MachineCpus { nominal_capability, capability, total: cpus, configured: cpus, ..MachineCpus::default() }
    }

    fn partition(&self) -> Partition {
        let cpus = self.cpu_count();
        Partition {
            number: U16::new(1),
            characteristics: DEDICATED,
            total: cpus,
            configured: cpus,
            name: padded(&self.identity.partition),
            capability_adjustment: U32::new(1000),
            shared: cpus,
            ..Partition::default()
        }
    }

    fn virtual_machine(&self, cp: &ControlProgram) -> VirtualMachines {
        let cpus = self.cpu_count();
        VirtualMachines {
            count: 1,
            total: cpus,
            configured: cpus,
            name: padded(&cp.machine),
            capability_adjustment: U32::new(1000),
            control_program: padded(&cp.identification),
            ..VirtualMachines::default()
        }
    }
}
