//! TRACE: what is to be shown of a virtual machine's instructions and interruptions.

use crate::machine::Machine;
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use std::sync::Arc;

/// One instruction was executed with stepping on. Without a trace that wants it, stepping goes off again.
pub fn stepped(_cp: &Cp, _vmdbk: &Arc<Vmdbk>, machine: &Machine, cpu: u16) {
    machine.configuration.cpu(cpu).state.local &= !cpu::local::STEP;
}
