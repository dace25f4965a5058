//! One instruction by itself: for PER, for CP's tracing, and for the instruction that crosses a page.

use crate::abort::interrupt;
use crate::exit::{Exit, fault, fetch_address, unfetched};
use arch::{PAGE, Program};
use cpu::{Interruption, PerEvent, Space, State};
use isa::watch::Registers;
use isa::{Cpu, Ends, Fields, Form, Instruction, Kind, Op, decode_op};

/// PER events in CR9 and in the PER code (POP, chapter 4, "Program-event recording").
mod per {
    pub(super) const BRANCH: u64 = 0x8000_0000;
    pub(super) const FETCH: u64 = 0x4000_0000;
    pub(super) const STORE: u64 = 0x2000_0000;
    pub(super) const STORE_REAL: u64 = 0x0800_0000;
    /// The outermost transaction ends.
    pub(super) const TRANSACTION_END: u64 = 0x0200_0000;
    /// CR9 bit 41: no event but that one in a transaction, where it begins and ends included.
    pub(super) const SUPPRESSION: u64 = 0x0040_0000;
    /// CR9 bit 40: branches only into the range.
    pub(super) const BRANCH_ADDRESS_CONTROL: u64 = 0x0080_0000;
}

/// Executes the instruction at `ia`, which the block cache cannot hold. `None`: go on.
pub(crate) fn crossing(s: &mut State) -> Option<Exit> {
    let ia = s.ia;
    let text = match fetch(s) {
        Ok(text) => text,
        Err(why) => return unfetched(s, why, ia),
    };
    let op = prepare(s, text);
    match isa::perform(op.run, s, &op.fields) {
        Ok(()) => {
            s.ia = s.next_ia;
            None
        }
        Err(why) => fault(s, why, ia, op.fields.next, op.fields.len),
    }
}

/// The text of the instruction at `ia`.
pub(crate) fn fetch(s: &mut State) -> Result<[u8; 6], Interruption> {
    let ia = s.ia;
    let mut text = [0; 6];
    let first = fetch_address(s, ia)?;
    let here = (PAGE - ia % PAGE).min(6) as usize;
    s.storage().load(first, &mut text[..here]).expect("the frame was translated, so it exists");
    let len = isa::length(text[0]) as usize;
    if len > here {
        let next = ia.wrapping_add(here as u64) & s.address_mask;
        s.read_in(next, Space::Instruction, s.key, &mut text[here..len])?;
    }
    Ok(text)
}

/// Decodes `text`, which stands at `ia`, for execution.
pub(crate) fn prepare(s: &mut State, text: [u8; 6]) -> Op {
    let op = decode_op(s, text, 0).op;
    s.next_ia = s.ia.wrapping_add(op.fields.len as u64) & s.address_mask;
    s.instructions += 1;
    s.budget -= 1;
    op
}

/// No instruction is at an odd address, so the breaking-event address never is.
const NO_BRANCH: u64 = 1;

/// Executes one instruction with PER's eyes on it, and tells CP if it wants to see each one.
pub(crate) fn step(s: &mut State) -> Option<Exit> {
    let ia = s.ia;
    let stepping = s.local & cpu::local::STEP != 0;
    s.per_pending = None;
    let text = match fetch(s) {
        Ok(text) => text,
        Err(why) => return unfetched(s, why, ia).or(stepping.then_some(Exit::Step)),
    };
    let op = prepare(s, text);
    if s.local & cpu::local::WATCH != 0 {
        note_fetches(s, ia, text);
    }
    match watched(s, text, &op) {
        Ok(()) => {
            let event = s.per_pending.is_some();
            let exit = if event { interrupt(s, ia, op.fields.len) } else { None };
            exit.or(stepping.then_some(Exit::Step))
        }
        // The event goes with the program interruption, or waits until an intercepted instruction is completed.
        Err(why) => {
            if why.nullifies() {
                s.touched = None;
            }
            fault(s, why, ia, op.fields.next, op.fields.len).or(stepping.then_some(Exit::Step))
        }
    }
}

/// Operands longer than one access: how much of them is fetched is in the instruction.
fn note_fetches(s: &mut State, ia: u64, text: [u8; 6]) {
    let Some(row) = Instruction::of(text, s.architecture()) else { return };
    let registers = Registers { address: ia, mask: s.address_mask, general: &s.gr, vector: &s.fpr };
    for operand in row.addressed(text, &registers) {
        s.note_fetch(operand.address, operand.fetched);
    }
}

/// Executes the instruction `op` at `ia` and goes on to the next one; a PER event of it is in `per_pending` then.
pub(crate) fn watched(s: &mut State, text: [u8; 6], op: &Op) -> Result<(), Interruption> {
    let ia = s.ia;
    let events = s.per_events();
    let atmid = s.per_atmid();
    let inside = s.transaction.is_some();
    s.per_stored = false;
    let row = Instruction::of(text, s.architecture());
    let target = row.and_then(|row| execute_target(s, row, &op.fields));
    // The instruction that is executed in the end.
    let row = target.map_or(row, |target| Instruction::at(s, target));
    let branches = row.is_some_and(|row| row.ends != Ends::No);
    let last_branch = s.breaking_event;
    if branches {
        s.breaking_event = NO_BRANCH;
    }
    s.space_left = None;
    let mut result = isa::perform(op.run, s, &op.fields);
    let mut branched = branches && s.breaking_event != NO_BRANCH;
    if branches && !branched {
        s.breaking_event = last_branch;
    }
    let kind = row.map_or(Kind::Plain, |row| row.shape.kind);
    branched &= kind != Kind::LoadPsw;
    let completed = matches!(result, Ok(()) | Err(Interruption::Program(Program::SpaceSwitchEvent)));
    if completed {
        s.ia = s.next_ia;
    }
    // What is nullified will be executed again, and be seen then.
    if !result.is_err_and(Interruption::nullifies) {
        // An abort leaves another condition code than 0.
        let ends = inside && s.transaction.is_none() && result.is_ok() && s.cc == 0;
        let end = if ends { events & per::TRANSACTION_END } else { 0 };
        let suppressed = s.cr[9] & per::SUPPRESSION != 0 && (inside || s.transaction.is_some());
        let events = if suppressed { 0 } else { events };
        let mut code = event_code(s, events, ia, kind, branched, completed) | end;
        // The target of EXECUTE is fetched, too.
        if events & per::FETCH != 0 && target.is_some_and(|target| s.per_range_touches(target, target)) {
            code |= per::FETCH;
        }
        if code != 0 {
            // With DAT on, storage alteration says in which space: as the mode does.
            let in_space = code & per::STORE != 0 && atmid & 0x10 != 0;
            let atmid = if in_space { atmid | atmid >> 2 & 3 } else { atmid };
            s.per_pending = Some(PerEvent { code: (code >> 24) as u8, atmid, address: ia });
            // With it, going to another space is an event too.
            if let Some(id) = s.space_left.take() {
                result = Err(s.identified(Program::SpaceSwitchEvent, id));
            }
        }
    }
    result
}

/// The address of the instruction that EXECUTE at `ia` is going to execute.
fn execute_target(s: &mut State, row: &Instruction, fields: &Fields) -> Option<u64> {
    match row.shape.form {
        Form::Execute { relative: false } => Some(s.address(fields.x2, fields.b2, fields.d2).address),
        Form::Execute { relative: true } => Some(s.relative(fields).address),
        _ => None,
    }
}

/// The PER events of an instruction of this kind at `ia`, as bits of CR9.
fn event_code(s: &State, events: u64, ia: u64, kind: Kind, branched: bool, completed: bool) -> u64 {
    let mut code = 0;
    let watched = s.cr[9] & per::BRANCH_ADDRESS_CONTROL == 0 || s.per_range_touches(s.ia, s.ia);
    if events & per::BRANCH != 0 && branched && completed && watched {
        code |= per::BRANCH;
    }
    if events & per::FETCH != 0 && s.per_range_touches(ia, ia) {
        code |= per::FETCH;
    }
    if events & per::STORE != 0 && s.per_stored {
        code |= per::STORE;
    }
    if events & per::STORE != 0 && events & per::STORE_REAL != 0 && kind == Kind::StoreReal && completed {
        code |= per::STORE | per::STORE_REAL;
    }
    code
}
