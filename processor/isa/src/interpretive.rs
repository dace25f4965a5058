//! Instructions of an interpreted guest: which of them are its host's (Interpretive Execution, "Instruction
//! interception").
//!
//! Some are always intercepted: they need what only the host has, the channel subsystem, other CPUs, the machine's
//! identity. Some are if the state description says so, or while another CPU looks into the guest's tables. Only these
//! two kinds are decoded to [`handler`] and pay for the question; everything else is executed as on any CPU.

use crate::decode::decode;
use crate::fields::{Format, length};
use crate::prelude::*;
use crate::row::{Ends, Instruction};
use crate::threaded::{Handler, Op, go_on, leave, perform};
use arch::interpretation::{TABLES_LOCKED, control, intercept};

/// Whose an instruction is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    Guest,
    Host,
    /// The host's if one of these interceptions is on.
    Intercepted(u32),
    /// The host's if the state description names one of the control registers from R1 to R3.
    ControlRegisters,
    /// The host's while the guest's tables are locked.
    Tables,
    /// The guest's, but what the host lacks for it is its program's to find out.
    Tested,
    /// MOVE PAGE, if the state description lets it be interpreted; a page that the host lacks is told with its place in
    /// the host's tables.
    MovePage,
    /// No instruction: it belongs to the control program of a machine, and a guest's is another.
    Nobody,
}

fn owner(code: u16) -> Owner {
    match code {
        // LPSW, LPSWE, LPSWEY; LCTL, LCTLG; STCTL, STCTG.
        0x82 | 0xb2b2 | 0xeb71 => Owner::Intercepted(intercept::LOAD_PSW),
        0xb7 | 0xeb2f => Owner::ControlRegisters,
        0xb6 | 0xeb25 => Owner::Intercepted(intercept::STORE_CONTROL),
        // ISKE, IRBM; SSKE; RRBE, RRBM.
        0xb229 | 0xb9ac => Owner::Intercepted(intercept::INSERT_KEY),
        0xb22b => Owner::Intercepted(intercept::SET_KEY),
        0xb22a | 0xb9ae => Owner::Intercepted(intercept::RESET_REFERENCE),
        // TPROT; MVPG.
        0xe501 => Owner::Tested,
        0xb254 => Owner::MovePage,
        // IPTE, CSP, CSPG, RDP, IDTE, CRDTE.
        0xb221 | 0xb250 | 0xb98a | 0xb98b | 0xb98e | 0xb98f => Owner::Tables,
        // DIAG, SIGP; STIDP, SCK, SPX, STPX, STAP; SIE, SERVC; TB; STHYI; STSI; STFL.
        0x83 | 0xae | 0xb202 | 0xb204 | 0xb210..=0xb212 | 0xb214 | 0xb220 | 0xb22c | 0xb256 | 0xb27d | 0xb2b1 => {
            Owner::Host
        }
        // Input and output; adapters; topology; frames and what is said of their use.
        0xb230..=0xb23c | 0xb25f | 0xb274 | 0xb276 | 0xb2ad..=0xb2af | 0xb99c | 0xb9a0 | 0xb9a2 | 0xb9a4 => Owner::Host,
        0xb9ab | 0xb9af | 0xb9d0..=0xb9d6 | 0xe3d0 | 0xe3d4 | 0xeb8a | 0xebd0 | 0xebd1 | 0xebd4 => Owner::Host,
        0xb2f0 => Owner::Nobody,
        _ => Owner::Guest,
    }
}

/// STHYI and MVPG, which the problem state may issue.
const NOT_PRIVILEGED: [u16; 2] = [0xb256, 0xb254];

/// An instruction that is ready to be executed.
#[derive(Clone, Copy)]
pub struct Decoded {
    /// Its handler and its fields.
    pub op: Op,
    /// `None`: it has no body.
    pub row: Option<&'static Instruction>,
    /// Whether a block ends with it.
    pub ends: Ends,
}

/// One instruction, `at` bytes after where its block starts.
pub fn decode_op(s: &State, text: [u8; 6], at: i64) -> Decoded {
    let len = length(text[0]);
    let found = decode_for(s, text);
    let row = found.map(|(row, _)| row);
    let (run, format, ends) = match found {
        Some((row, run)) => (run, row.format, row.ends),
        None => (operation_exception as _, Format::E, Ends::Always),
    };
    let mut decoded = Decoded { op: Op { run, fields: Fields::extract(format, text) }, row, ends };
    decoded.op.fields.next = at as i32 + len as i32;
    // BC, BCR, BRC, BRCL with all conditions.
    let always = text[1] >> 4 == 15 && matches!(format, Format::RR | Format::RXb | Format::RIc | Format::RILc);
    if ends == Ends::IfTaken && always {
        decoded.ends = Ends::Always;
    }
    decoded
}

/// The instruction that `text` begins with and what executes it on this CPU, if it has a body.
pub fn decode_for(s: &State, text: [u8; 6]) -> Option<(&'static Instruction, Handler)> {
    let row = decode(text, s.architecture(), &s.shared().facilities)?;
    let run = row.run?;
    let concerned = s.interpretation.is_some() && owner(row.code) != Owner::Guest;
    Some((row, if concerned { handler } else { run }))
}

/// The handler of instructions that may be the host's.
fn handler(s: &mut State, i: &Fields, rest: &[Op]) {
    match text(s, i).and_then(|text| execute(s, i, text, 0)) {
        Ok(()) => go_on(s, rest, true),
        Err(why) => leave(s, rest, why),
    }
}

/// The text of the instruction with these fields.
fn text(s: &mut State, i: &Fields) -> Result<[u8; 6], Interruption> {
    let mut text = [0; 6];
    let at = i.address(s) & s.address_mask;
    s.read_in(at, Space::Instruction, s.key, &mut text[..i.len as usize])?;
    Ok(text)
}

/// Executes an instruction of an interpreted guest, which an EXECUTE of `executed` bytes fetched (0: none), or hands it
/// to the host.
pub(crate) fn execute(s: &mut State, i: &Fields, text: [u8; 6], executed: u8) -> Result<(), Interruption> {
    let row = decode(text, s.architecture(), &s.shared().facilities);
    let Some((row, run)) = row.and_then(|row| row.run.map(|run| (row, run))) else {
        return Err(no_such_instruction(s, text, executed));
    };
    let owner = owner(row.code);
    if owner == Owner::Guest {
        return perform(run, s, i);
    }
    if owner == Owner::Nobody {
        return Err(no_such_instruction(s, text, executed));
    }
    if !NOT_PRIVILEGED.contains(&row.code) {
        s.supervisor_only()?;
    }
    let controls = s.interpretation.as_ref().expect("only an interpreted guest's instructions come here");
    let hosts = match owner {
        Owner::Host => true,
        Owner::Intercepted(what) => controls.intercepts(what),
        Owner::ControlRegisters => {
            let last = i.r1 + (i.r3.wrapping_sub(i.r1) & 15);
            (i.r1..=last).any(|r| controls.load_control << (r & 15) & 0x8000 != 0)
        }
        Owner::Tables => {
            controls.control_area.is_some_and(|at| s.storage().load_u64(at).is_ok_and(|word| word & TABLES_LOCKED != 0))
        }
        Owner::Tested => controls.intercepts(intercept::TEST_PROTECTION),
        Owner::MovePage => controls.controls & control::MOVE_PAGE == 0,
        Owner::Guest | Owner::Nobody => unreachable!("done above"),
    };
    if hosts {
        return s.intercept(Intercepted::Interpreted { text, executed, unknown: false });
    }
    match perform(run, s, i) {
        Err(Interruption::Host) if owner == Owner::Tested => {
            s.intercept(Intercepted::Interpreted { text, executed, unknown: false })
        }
        Err(Interruption::Host) if owner == Owner::MovePage => {
            let operands = [i.r1, i.r2].map(|r| Cpu::address_in(s, r));
            let Some(entries) = s.host_entries(operands) else { return Err(Interruption::Host) };
            s.intercept(Intercepted::MissingPage { text, executed, entries })
        }
        result => result,
    }
}

/// How an instruction ends that does not exist: in an operation exception, or with the host.
pub(crate) fn no_such_instruction(s: &mut State, text: [u8; 6], executed: u8) -> Interruption {
    if s.interpretation.as_ref().is_some_and(|host| host.intercepts(intercept::OPERATION_EXCEPTION)) {
        s.intercepted = Some(Intercepted::Interpreted { text, executed, unknown: true });
        return Interruption::Intercept;
    }
    Program::Operation.into()
}

/// The handler of what is no instruction.
pub fn operation_exception(s: &mut State, i: &Fields, rest: &[Op]) {
    let why = match s.interpretation {
        None => Program::Operation.into(),
        Some(_) => match text(s, i) {
            Ok(text) => no_such_instruction(s, text, 0),
            Err(why) => why,
        },
    };
    leave(s, rest, why);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_over_has_a_routine_for_a_body() {
        // The translator makes code of bodies that are compositions, whatever the handler is.
        let names: Vec<&str> =
            crate::instructions().filter(|row| owner(row.code) != Owner::Guest).map(|row| row.mnemonic).collect();
        for expected in
            ["DIAG", "SIGP", "SIE", "SSCH", "LPSWE", "LCTLG", "TPROT", "IPTE", "SERVC", "STSI", "PFMF", "IUCV", "MVPG"]
        {
            assert!(names.contains(&expected), "{expected}");
        }
        for unexpected in ["SVC", "LRA", "PTLB", "STCK", "STFLE", "SPT", "SCKC", "EPSW", "SSM", "LPR"] {
            assert!(!names.contains(&unexpected), "{unexpected}");
        }
    }
}
