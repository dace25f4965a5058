//! IUCV: messages between virtual machines and CP's services.
//!
//! There are no paths yet. QUERY answers condition code 3, by which programs know that IUCV cannot be used; every other
//! function answers that no buffer has been declared.

use crate::machine::Machine;
use cpu::Interruption;

/// Performs the IUCV function in general register 0 of virtual CPU `cpu`.
pub fn perform(machine: &Machine, cpu: u16) -> Result<(), Interruption> {
    machine.configuration.cpu(cpu).state.cc = 3;
    Ok(())
}
