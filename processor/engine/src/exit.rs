//! Why an instruction or a run ended: exits, program interruptions, and addresses that nothing can be fetched from.

use arch::{Absolute, Program, Psw, mask};
use cpu::{Intercepted, Interruption, State, Touched};

/// The PSW bits that let another interruption than a program interruption come.
const ENABLED: u64 = mask::IO | mask::EXTERNAL | mask::MACHINE_CHECK | mask::PER;

/// Why `run` came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The budget of instructions is used up: time to look at the clock.
    Budget,
    /// `attention::LEAVE` is on: CP, say, wants the CPU.
    Leave,
    /// Orders of other CPUs wait (`Signals::order_started`).
    Order,
    /// An I/O interruption is pending and the CPU is enabled for it: fetch it from the channel subsystem.
    Io,
    /// `attention::MESSAGE`, and the CPU is enabled for it: CP has a message, and knows what the interruption stores.
    Message,
    /// An instruction that belongs to the configuration or to CP. The PSW has the address after it; `ilc` is its length
    /// in bytes.
    Instruction {
        /// The instruction.
        what: Intercepted,
        /// Its length in bytes.
        ilc: u8,
    },
    /// The guest is interpreted, and the host has an external interruption for it that it is enabled for.
    Request,
    /// The guest is interpreted, and its host has no frame for what an instruction needs, which is to be executed
    /// again.
    Host,
    /// The guest is interpreted, and this program interruption is its host's; `ilc` is the instruction length in bytes.
    Program {
        /// The interruption.
        why: Interruption,
        /// The instruction length in bytes.
        ilc: u8,
    },
    /// The PSW has the wait bit on and nothing is pending that it is enabled for.
    Wait,
    /// With `local::STEP` on, one instruction has been executed or one interruption taken (`State::interrupted`).
    Step,
    /// The CPU is where a debugger wants it to stop, before the instruction that the PSW addresses.
    Stop(Stop),
    /// The program new PSW is itself invalid, or leads to an exception at once: program interruptions without end.
    ProgramLoop,
}

/// What a debugger wanted a CPU to stop for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The next instruction.
    Instruction,
    /// An access by the instruction before.
    Access(Touched),
}

/// Translates an instruction address; the low half of what it may reach is enough. That it is odd comes first.
#[inline]
pub(crate) fn fetch_address(s: &mut State, ia: u64) -> Result<Absolute, Interruption> {
    if ia & 1 != 0 {
        return Err(Program::Specification.into());
    }
    s.instruction_address(ia & s.address_mask)
}

/// An instruction of `ilc` bytes, which ends `next` bytes after `base`, was left with `why`. `None`: go on.
pub(crate) fn fault(s: &mut State, why: Interruption, base: u64, next: i32, ilc: u8) -> Option<Exit> {
    let after = base.wrapping_add(next as u64) & s.address_mask;
    match why {
        Interruption::Intercept => {
            s.ia = after;
            let what = s.intercepted.take().expect("an interception says what it is");
            return Some(Exit::Instruction { what, ilc });
        }
        Interruption::EarlySpecification => return program(s, why, 0),
        _ if why.nullifies() => s.ia = after.wrapping_sub(ilc as u64) & s.address_mask,
        // The instruction is completed, and may have been a branch.
        Interruption::Program(Program::SpaceSwitchEvent) => s.ia = s.next_ia,
        _ => s.ia = after,
    }
    if why == Interruption::Host {
        return match s.page_is_awaited(ilc) {
            None => Some(Exit::Host),
            Some(taken) => {
                s.budget -= 1;
                taken.err().and_then(|why| program(s, why, 0))
            }
        };
    }
    program(s, why, ilc)
}

/// The instruction at `ia` could not be fetched, so its length is not known. The instruction-length code is 1, and
/// where the operation is not nullified the address goes on by as much (POP, chapter 6, "ILC on instruction-fetching
/// exceptions").
pub(crate) fn unfetched(s: &mut State, why: Interruption, ia: u64) -> Option<Exit> {
    fault(s, why, ia, 2, 2)
}

/// Takes a program interruption; a new PSW that is invalid interrupts again at once, and if that one's is too, for
/// ever. So does a new PSW of which the first instruction interrupts and that lets nothing else interrupt.
pub(crate) fn program(s: &mut State, why: Interruption, ilc: u8) -> Option<Exit> {
    // A new PSW with an address from which nothing can be fetched interrupts without end, too. It uses up the budget,
    // so the caller may end it.
    s.budget -= 1;
    if s.interpretation.as_ref().is_some_and(|host| host.wants_program_interruptions(s.per_pending.is_some())) {
        return Some(Exit::Program { why, ilc });
    }
    let before = Psw { address: if why.nullifies() { s.ia } else { s.ia.wrapping_sub(ilc.into()) }, ..s.psw() };
    match s.program_interruption(why, ilc) {
        Ok(()) if s.psw() == before && before.mask & ENABLED == 0 && s.interpretation.is_none() => {
            Some(Exit::ProgramLoop)
        }
        Ok(()) => None,
        Err(_) => match s.program_interruption(Interruption::EarlySpecification, 0) {
            Ok(()) => None,
            Err(_) => Some(Exit::ProgramLoop),
        },
    }
}

/// What an intercepted instruction ended in when the configuration or CP performed it. Call it with the `ilc` of
/// [`Exit::Instruction`]. `false`: program interruptions without end.
pub fn complete(s: &mut State, result: Result<(), Interruption>, ilc: u8) -> bool {
    match result {
        // A PER event of the instruction has waited for its completion.
        Ok(()) => s.per_interruption(ilc).is_ok(),
        Err(why) => {
            if why.nullifies() {
                s.ia = s.ia.wrapping_sub(ilc as u64) & s.address_mask;
            }
            program(s, why, ilc).is_none()
        }
    }
}
