//! Which interruption comes next (POP, chapter 6, "Priority of interruptions").

use crate::exit::{Exit, Stop, program};
use arch::interruption::external;
use cpu::{Interruption, State, attention, local};

/// What the engine does after a look at the attention bits.
pub(crate) enum Next {
    /// Nothing to do: execute.
    Go,
    /// An interruption was taken: look again.
    Again,
    Exit(Exit),
    /// One instruction by itself.
    Step,
    /// One instruction of a transaction.
    Transaction,
}

/// Looks at what is pending and allowed, and takes the first by priority.
#[cold]
pub(crate) fn look(s: &mut State) -> Next {
    if s.local & local::TRANSACTION != 0 {
        return Next::Transaction;
    }
    let pending = s.attention() & s.open;
    if pending & (attention::PURGE | attention::MEET) != 0 {
        s.answer_purge();
        return Next::Again;
    }
    if pending & attention::ORDER != 0 {
        return Next::Exit(Exit::Order);
    }
    if pending & attention::LEAVE != 0 {
        return Next::Exit(Exit::Leave);
    }
    if pending & attention::REQUEST != 0 {
        return Next::Exit(Exit::Request);
    }
    if let Some(touched) = s.touched.take() {
        return Next::Exit(Exit::Stop(Stop::Access(touched)));
    }
    // A CPU that waits has no instruction to execute, whatever a debugger wants.
    if s.local & (local::QUIET | local::WAIT) == local::QUIET && s.budget > 0 {
        return Next::Step;
    }
    if pending & attention::MACHINE_CHECK != 0 {
        s.signals().lower(attention::MACHINE_CHECK);
        if let Some(code) = s.shared().clone().floating.take_machine_check() {
            return taken(s, |s| s.machine_check_interruption(code));
        }
        return Next::Again;
    }
    if pending & attention::PSEUDO_PAGE_FAULT != 0 {
        return match s.pseudo_page_came() {
            Some(result) => taken(s, |_| result),
            None => Next::Again,
        };
    }
    if pending & attention::EXTERNAL != 0 {
        return take_external(s, pending);
    }
    if pending & attention::IO != 0 {
        let open = (s.cr[6] >> 24) as u8;
        let waiting = s.shared().floating.io_subclasses();
        if waiting & open != 0 {
            return Next::Exit(Exit::Io);
        }
        if waiting == 0 {
            s.signals().lower(attention::IO);
            if s.shared().floating.io_subclasses() != 0 {
                s.signals().raise(attention::IO);
            }
        }
    }
    if s.local & local::WAIT != 0 {
        return Next::Exit(Exit::Wait);
    }
    if s.local & local::STOPS != 0 && s.stops().is_some_and(|stops| stops.has(s.ia)) {
        return Next::Exit(Exit::Stop(Stop::Instruction));
    }
    if s.local & (local::PER | local::STEP | local::TRACE | local::WATCH) != 0 && s.budget > 0 {
        return Next::Step;
    }
    Next::Go
}

fn take_external(s: &mut State, pending: u32) -> Next {
    let timers = attention::CLOCK_COMPARATOR | attention::CPU_TIMER;
    if pending & timers != 0 {
        // They stay pending as long as they are due, and only so long.
        s.timers_changed();
        if s.signals().attention() & s.open & pending & timers != pending & timers {
            return Next::Again;
        }
    }
    if pending & attention::INTERRUPT_KEY != 0 {
        return take_floating(s, attention::INTERRUPT_KEY);
    }
    if pending & attention::EMERGENCY_SIGNAL != 0 {
        return match s.signals().take_emergency_signal() {
            Some(from) => taken(s, |s| s.external_interruption(external::EMERGENCY_SIGNAL, from, None, None)),
            None => Next::Again,
        };
    }
    if pending & attention::EXTERNAL_CALL != 0 {
        return match s.signals().take_external_call() {
            Some(from) => taken(s, |s| s.external_interruption(external::EXTERNAL_CALL, from, None, None)),
            None => Next::Again,
        };
    }
    if pending & attention::CLOCK_COMPARATOR != 0 {
        return taken(s, |s| s.external_interruption(external::CLOCK_COMPARATOR, 0, None, None));
    }
    if pending & attention::CPU_TIMER != 0 {
        return taken(s, |s| s.external_interruption(external::CPU_TIMER, 0, None, None));
    }
    take_floating(s, pending)
}

/// Service signals, CP's services and the interrupt key wait in the configuration's queue. For a message CP has raised
/// a bit, which stays until CP is asked.
fn take_floating(s: &mut State, pending: u32) -> Next {
    let shared = s.shared().clone();
    let queued = attention::SERVICE_SIGNAL | attention::INTERRUPT_KEY;
    s.signals().lower(queued);
    let (found, left) = shared.floating.take_external(pending & (queued | attention::IUCV));
    s.signals().raise(left);
    match found {
        Some(e) => taken(s, |s| s.external_interruption(e.code, e.subcode, e.parameter, e.parameter64)),
        // Nothing was in the queue, so CP itself raised the bit.
        None if pending & attention::MESSAGE != 0 => {
            s.signals().lower(pending & attention::MESSAGE);
            Next::Exit(Exit::Message)
        }
        None => Next::Again,
    }
}

/// An interruption was taken; its new PSW may be invalid.
fn taken(s: &mut State, how: impl FnOnce(&mut State) -> Result<(), Interruption>) -> Next {
    match how(s) {
        Ok(()) => Next::Again,
        Err(why) => match program(s, why, 0) {
            None => Next::Again,
            Some(exit) => Next::Exit(exit),
        },
    }
}
