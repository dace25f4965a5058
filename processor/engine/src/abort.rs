//! Program interruptions of a CPU in a transaction: the transaction aborts first.

use crate::exit::{Exit, program};
use cpu::transaction::{Diagnosis, abort, filtered};
use cpu::{Interruption, State};

/// Interrupts for the PER event of the instruction at `ia`. A transaction that it has begun, or is part of, aborts
/// first.
pub(crate) fn interrupt(s: &mut State, ia: u64, ilc: u8) -> Option<Exit> {
    match s.transaction {
        Some(_) => fail(s, arch::Program::PerEvent.into(), ia, ilc),
        None => program(s, arch::Program::PerEvent.into(), ilc),
    }
}

/// The instruction at `ia` ended in a program interruption: the transaction aborts, and takes it if it is not filtered.
pub(crate) fn fail(s: &mut State, why: Interruption, ia: u64, ilc: u8) -> Option<Exit> {
    let (what, dxc) = match why {
        Interruption::Program(what) => (what, 0),
        Interruption::Data(dxc) => (arch::Program::Data, dxc),
        Interruption::Vector(vxc) => (arch::Program::VectorProcessing, vxc),
        Interruption::EarlySpecification | Interruption::Intercept | Interruption::Host => {
            unreachable!(
                "no instruction that loads a PSW or is handed over is allowed, and interpreted guests have none"
            )
        }
    };
    let filtering = s.transaction.as_ref().map_or(0, |t| t.filtering);
    let (filtered, cc) = filtered(what, filtering);
    let code = if filtered { abort::FILTERED } else { abort::PROGRAM };
    let program_word = (ilc as u32) << 16 | what as u32;
    s.abort_transaction(Diagnosis { code, cc, instruction: ia, program: program_word, dxc });
    if filtered {
        return None;
    }
    s.transaction_aborted = true;
    program(s, why, ilc)
}
