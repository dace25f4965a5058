//! One instruction by itself: for PER, for CP's tracing, and for the instruction that crosses a page.

use crate::cache::decode_one;
use crate::{Exit, fault, fetch_address};
use arch::{PAGE, Program};
use cpu::{Interruption, Space, State};

/// PER events in CR9 and in the PER code (POP, chapter 4, "Program-event recording").
mod per {
    pub const BRANCH: u64 = 0x8000_0000;
    pub const FETCH: u64 = 0x4000_0000;
    pub const STORE: u64 = 0x2000_0000;
    pub const STORE_REAL: u64 = 0x0800_0000;
    /// CR9 bit 40: branches only into the range.
    pub const BRANCH_ADDRESS_CONTROL: u64 = 0x0080_0000;
}

/// Executes the instruction at `ia`, which the block cache cannot hold. `None`: go on.
pub fn crossing(s: &mut State) -> Option<Exit> {
    match fetch(s) {
        Ok(text) => execute(s, text).0,
        Err(why) => fault(s, why, s.ia, 0, 0),
    }
}

/// The text of the instruction at `ia`.
fn fetch(s: &mut State) -> Result<[u8; 6], Interruption> {
    let ia = s.ia;
    if ia & 1 != 0 {
        return Err(Program::Specification.into());
    }
    let mut text = [0; 6];
    let first = fetch_address(s, ia)?;
    let here = (PAGE - ia % PAGE).min(6) as usize;
    s.storage().read(first, &mut text[..here]).expect("the frame was translated, so it exists");
    let len = isa::length(text[0]) as usize;
    if len > here {
        let next = ia.wrapping_add(here as u64) & s.address_mask;
        s.read_in(next, Space::Instruction, s.key, &mut text[here..len])?;
    }
    Ok(text)
}

/// Executes `text` at `ia`. The second value is whether it ended without an interruption.
fn execute(s: &mut State, text: [u8; 6]) -> (Option<Exit>, bool) {
    let ia = s.ia;
    let (op, _) = decode_one(s, text, 0);
    s.next_ia = ia.wrapping_add(op.fields.len as u64) & s.address_mask;
    s.instructions += 1;
    s.budget -= 1;
    match (op.run)(s, &op.fields) {
        Ok(()) => {
            s.ia = s.next_ia;
            (None, true)
        }
        Err(why) => (fault(s, why, ia, op.fields.next, op.fields.len), false),
    }
}

/// Executes one instruction with PER's eyes on it, and tells CP if it wants to see each one.
pub fn step(s: &mut State) -> Option<Exit> {
    let ia = s.ia;
    let stepping = s.local & cpu::local::STEP != 0;
    let events = s.per_events();
    s.per_stored = None;
    let text = match fetch(s) {
        Ok(text) => text,
        Err(why) => return fault(s, why, ia, 0, 0),
    };
    let ilc = isa::length(text[0]);
    let sequential = ia.wrapping_add(ilc as u64) & s.address_mask;
    let (exit, completed) = execute(s, text);
    if exit.is_some() {
        return exit;
    }
    if completed && events != 0 {
        let (from, to) = (s.cr[10], s.cr[11]);
        let inside = |a: u64| if from <= to { (from..=to).contains(&a) } else { a >= from || a <= to };
        let mut code = 0;
        if events & per::BRANCH != 0
            && s.ia != sequential
            && (s.cr[9] & per::BRANCH_ADDRESS_CONTROL == 0 || inside(s.ia))
        {
            code |= per::BRANCH;
        }
        if events & per::FETCH != 0 && inside(ia) {
            code |= per::FETCH;
        }
        if events & per::STORE != 0
            && let Some((first, last)) = s.per_stored
            && (inside(first) || inside(last) || first <= from && from <= last)
        {
            code |= per::STORE;
        }
        if events & per::STORE_REAL != 0 && text[..2] == [0xb9, 0x25] {
            code |= per::STORE_REAL;
        }
        if code != 0 && s.per_interruption((code >> 24) as u8, ia, ilc).is_err() {
            return Some(Exit::ProgramLoop);
        }
    }
    stepping.then_some(Exit::Step)
}
