//! STORE HYPERVISOR INFORMATION: the machine and the partition as capacity planners want them.
//!
//! The response has a header, a machine section and a partition section. What is above the partition is only said to be
//! missing: a level of its own for the control program is not described.

use crate::Configuration;
use arch::Program;
use base::ebcdic::padded;
use cpu::{At, Interruption, State};

const HEADER: usize = 44;
const MACHINE: usize = 64;
const PARTITION: usize = 56;
const BLOCK: usize = 4096;

/// Header flags: the stack of levels is not complete.
const INCOMPLETE: u8 = 0x20;
/// Machine section, what is valid: its identification, its counts of CPUs.
const MACHINE_VALID: u8 = 0x40 | 0x20;
/// Partition section, what is valid: its counts of CPUs, its identification.
const PARTITION_VALID: u8 = 0x80 | 0x40;

impl Configuration {
    /// CC 0, or 3 with return code 4 for a function code that is not 0. The buffer is a page.
    pub(crate) fn store_hypervisor_information(&self, state: &mut State, r1: u8, r2: u8) -> Result<(), Interruption> {
        let at = At { address: state.gr[r2 as usize] & state.address_mask, ar: r2 };
        let (cc, code) = match state.gr[r1 as usize] {
            0 if at.address % BLOCK as u64 != 0 => return Err(Program::Specification.into()),
            0 => {
                state.write_bytes(at, &self.hypervisor_information())?;
                (0, 0)
            }
            _ => (3, 4),
        };
        state.gr[r2 as usize + 1] = code;
        state.cc = cc;
        Ok(())
    }

    fn hypervisor_information(&self) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        let cpus = (self.cpus().count() as u16).to_be_bytes();
        let id = &self.identity;
        if self.host.control_program().is_some() {
            put(0, &[INCOMPLETE]);
        }
        let half = |n: usize| (n as u16).to_be_bytes();
        // Total length, then length of the header, then offset and length of each section.
        let lengths = [HEADER + MACHINE + PARTITION, HEADER, HEADER, MACHINE, HEADER + MACHINE, PARTITION];
        for (n, length) in lengths.into_iter().enumerate() {
            put(8 + 2 * n, &half(length));
        }
        let machine = HEADER;
        put(machine + 2, &[MACHINE_VALID]);
        put(machine + 4, &cpus);
        put(machine + 20, &padded::<4>(&id.machine_type));
        put(machine + 24, &padded::<16>(&id.manufacturer));
        put(machine + 40, &padded::<16>(&format!("{:016X}", id.serial)));
        put(machine + 56, &padded::<4>("00"));
        let partition = HEADER + MACHINE;
        put(partition + 2, &[PARTITION_VALID]);
        put(partition + 4, &1u16.to_be_bytes());
        put(partition + 6, &cpus);
        put(partition + 16, &padded::<8>(&id.partition));
        block
    }
}
