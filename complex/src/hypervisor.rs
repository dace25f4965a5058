//! STORE HYPERVISOR INFORMATION: the machine and the partition, for capacity planning.
//!
//! The response has a header, a machine section and a partition section. The control program's level is not described.
//! Under a control program the header says that the information is incomplete.

use crate::Configuration;
use arch::Program;
use arch::hypervisor::{
    HypervisorHeader, HypervisorInformation, INCOMPLETE, MACHINE_COUNTED, MACHINE_IDENTIFIED, MachineSection,
    PARTITION_COUNTED, PARTITION_IDENTIFIED, PartitionSection,
};
use base::ebcdic::padded;
use base::layout::U16;
use cpu::{At, Interruption, State};
use std::mem::offset_of;
use zerocopy::IntoBytes;

const BLOCK: usize = 4096;

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
        const MACHINE: usize = offset_of!(HypervisorInformation, machine);
        const PARTITION: usize = offset_of!(HypervisorInformation, partition);
        let half = |n: usize| U16::new(n as u16);
        let (cpus, id) = (half(self.cpus().count()), &self.identity);
        let header = HypervisorHeader {
            flags: if self.host.control_program().is_some() { INCOMPLETE } else { 0 },
            total: half(size_of::<HypervisorInformation>()),
            length: half(size_of::<HypervisorHeader>()),
            machine_offset: half(MACHINE),
            machine_length: half(size_of::<MachineSection>()),
            partition_offset: half(PARTITION),
            partition_length: half(size_of::<PartitionSection>()),
            ..HypervisorHeader::default()
        };
        let machine = MachineSection {
            valid: MACHINE_IDENTIFIED | MACHINE_COUNTED,
            cpus,
            machine_type: padded(&id.machine_type),
            manufacturer: padded(&id.manufacturer),
            sequence: padded(&format!("{:016X}", id.serial)),
            plant: padded("00"),
            ..MachineSection::default()
        };
        let partition = PartitionSection {
            valid: PARTITION_COUNTED | PARTITION_IDENTIFIED,
            number: half(1),
            cpus,
            name: padded(&id.partition),
            ..PartitionSection::default()
        };
        let mut block = [0; BLOCK];
        let information = HypervisorInformation { header, machine, partition };
        information.write_to_prefix(&mut block).expect("a page has room for it");
        block
    }
}
