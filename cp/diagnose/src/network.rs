//! DIAGNOSE X'26C': network information.

use crate::Call;
use arch::Program;
use cpu::Interruption;

/// What Linux calls EINVAL.
const NO_SUCH_DEVICE: i64 = -22;

/// `DIAGNOSE X'26C'`: MAC addresses and network cards.
///
/// There are no network cards: a specification exception, by which a program knows.
pub fn network_information(_: &Call<'_>) -> Result<(), Interruption> {
    Err(Program::Specification.into())
}

/// `DIAGNOSE X'500'`: tells a virtio device that there is something in one of its queues.
///
/// General register 1 is 3, 2 the subsystem-identification word, 3 the number of the queue. Register 2 gets a number
/// that is not negative, or -22 if there is no such device, or it has no such queue. A virtual machine without virtio
/// devices gets a specification exception.
pub fn notify_device(call: &Call<'_>) -> Result<(), Interruption> {
    // The configuration does this without CP where it can; what comes here is what it could not.
    if call.machine.configuration.notify_device(&mut call.core().state) {
        return Ok(());
    }
    call.specification(!call.vmdbk.nics().is_empty() || !call.vmdbk.peripherals().is_empty())?;
    call.set_gr(2, NO_SUCH_DEVICE as u64);
    Ok(())
}
