//! DIAGNOSE X'308': a program resets its virtual machine, or loads it again.

use crate::Call;
use base::ebcdic;
use complex::diagnose308::Next;
use cpu::Interruption;
use std::sync::atomic::Ordering;

/// `DIAGNOSE X'308'`: resets and loads.
///
/// Ry is the subcode: 0 and 1 reset and go on with the PSW at address 0; 3, 4 and 7 load again; 5 sets the parameters
/// of the next load, 6 stores those of the last. Rx is the address of their block, and Rx+1 gets the return code: 1 is
/// good, X'0102' no parameters, X'0402' parameters that are not valid.
pub fn reset_and_load(call: &Call<'_>) -> Result<(), Interruption> {
    match call.machine.configuration.diagnose_308(call.cpu, call.r1, call.r3)? {
        Next::Continue => (),
        Next::Restarted => {
            call.vmdbk.begin_reset();
            call.vmdbk.started.store(true, Ordering::Release);
            call.cp.processors().wake(call.vmdbk);
        }
        Next::Load { device, clear, load_parameter } => {
            let loadparm = ebcdic::to_string(&load_parameter).trim_end().to_string();
            call.cp.load(call.vmdbk, device, clear, loadparm);
        }
        Next::NothingToLoad => {
            call.vmdbk.generation.fetch_add(1, Ordering::AcqRel);
            call.cp.nothing_to_load(call.vmdbk, &message::ipl_device_type("unknown"));
        }
    }
    Ok(())
}
