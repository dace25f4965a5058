//! DIAGNOSE X'44', X'9C', X'288': giving up the processor, and the watchdog.

use super::Call;
use arch::Program;
use cpu::Interruption;

/// `DIAGNOSE X'44'`: ends the time slice.
///
/// The virtual CPU has nothing useful to do at the moment: others run first.
pub fn end_time_slice(call: &Call<'_>) -> Result<(), Interruption> {
    call.machine.configuration.leave(call.cpu);
    Ok(())
}

/// `DIAGNOSE X'9C'`: ends the time slice in favour of another virtual CPU.
///
/// Rx: the address of the virtual CPU that this one waits for. It is made ready to run.
pub fn directed_yield(call: &Call<'_>) -> Result<(), Interruption> {
    let other = call.gr(call.r1) as u16;
    let configuration = &call.machine.configuration;
    if other != call.cpu && configuration.is_defined(other) && !configuration.is_stopped(other) {
        call.cp.processors.wake_one(call.vmdbk, other);
        configuration.leave(call.cpu);
    }
    Ok(())
}

/// `DIAGNOSE X'288'`: the virtual machine's watchdog.
///
/// There is none: a specification exception, by which a program knows.
pub fn watchdog(_: &Call<'_>) -> Result<(), Interruption> {
    Err(Program::Specification.into())
}
