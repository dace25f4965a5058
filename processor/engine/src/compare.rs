//! Both engines in lockstep: what translated code does, the interpreter does again, and both must come to the same.
//!
//! A *stretch* is one entry into translated code, up to some thousand instructions through many blocks. Before it the
//! registers are kept and the frames that can be stored into copied. Then everything is put back, and the interpreter
//! executes as many instructions from there. Registers, the reason why the last instruction was left, if it was, and
//! all of storage that either stored into must agree. The outcome of the interpreter stays, so each stretch begins
//! where a program that was interpreted from its beginning would be.
//!
//! The clock stands still during a stretch. Interruptions are taken between stretches, once; that none was due within
//! one is compared, too. Other parts of the complex act on an instruction (an interception) once, after the stretch.
//! [`isa::Form::Once`] are the instructions that could not be done twice: traces with them are not translated, and
//! nothing is compared. The caller that chooses this engine runs one CPU of a configuration at a time.
//!
//! A difference is our own failure, so it ends in a panic, with the report for its message.

use crate::cache::BlockCache;
use crate::exit::fetch_address;
use crate::index::NONE;
use crate::step;
use cpu::{Snapshot, State, Stored, attention};
use isa::decode_op;
use std::fmt::Write;

/// Most instructions of a stretch.
const STRETCH: i64 = 4096;

/// How a stretch ended, on one engine.
struct Outcome {
    registers: Snapshot,
    stores: Vec<Stored>,
    /// The length of the last instruction, if it was left early.
    left: Option<u8>,
}

/// As [`translator::Translator::enter`], on both engines. `count` instructions are in the first block; `follows` means
/// that nothing has been done since the last stretch.
pub(crate) fn enter(s: &mut State, cache: &mut BlockCache, code: u64, count: i64, follows: bool) -> translator::Exit {
    let budget = s.budget;
    s.begin_stretch(follows);
    // Stretches of many lengths, so that the budget ends in all kinds of places.
    let most = 1 + (s.instructions.wrapping_mul(0x9e37_79b9) >> 16) as i64 % STRETCH;
    let before = s.snapshot();
    // What comes from outside the guest, as when CP takes pages away, may come at any time.
    let pending = s.attention() & !attention::ALWAYS;
    let (exit, left) = translated(s, cache, code, most.clamp(count, budget.max(count)));
    let executed = s.instructions - before.instructions();
    if executed > 0 {
        let there = Outcome { registers: s.snapshot(), stores: s.take_back_stores(), left };
        s.restore(&before);
        let here = interpreted(s, cache, executed, pending);
        match (difference(&here, &there), here) {
            (None, Ok(here)) => s.keep_stores(&here.stores),
            (what, _) => report(s, cache, code, count, &before, executed, &what.unwrap_or_default()),
        }
    }
    s.budget = budget - executed as i64;
    s.end_stretch();
    exit
}

/// Runs translated code. In what comes back, a fault's address is that after its instruction.
fn translated(s: &mut State, cache: &mut BlockCache, code: u64, budget: i64) -> (translator::Exit, Option<u8>) {
    s.budget = budget;
    match cache.enter(s, code) {
        translator::Exit::Fault { next, len } => {
            s.ia = s.ia.wrapping_add(next as u64) & s.address_mask;
            (translator::Exit::Fault { next: 0, len }, Some(len))
        }
        exit => (exit, None),
    }
}

/// Interprets so many instructions; why not, if it cannot. `pending` are attention bits that translated code had to
/// look at, if they are still there.
fn interpreted(s: &mut State, cache: &mut BlockCache, count: u64, pending: u32) -> Result<Outcome, String> {
    let mut open = count;
    let mut left = None;
    while open > 0 {
        let ia = s.ia;
        if left.is_some() {
            return Err(format!("an instruction is left early, {open} before the translator's last"));
        }
        // What was pending need not be any more: SET CLOCK COMPARATOR takes its interruption back.
        if open < count && (pending & s.attention() & s.open != 0 || s.local != 0) {
            return Err(format!("something is to be looked at, {open} instructions before the translator looked"));
        }
        let fetched =
            fetch_address(s, ia).map_err(|why| format!("no instruction can be fetched at {ia:X}: {why:?}"))?;
        let version = s.storage().code_version(fetched);
        let known = cache.find(NONE, fetched, version).and_then(|number| cache.recall(s, number));
        let number = known.or_else(|| cache.decode(s, fetched).and_then(|number| cache.recall(s, number)));
        let crossing;
        let ops = match number {
            Some(number) => cache.ops(cache.block(number)),
            None => {
                let text = step::fetch(s)
                    .map_err(|why| format!("not all of the instruction at {ia:X} can be fetched: {why:?}"))?;
                crossing = [decode_op(s, text, 0).op];
                &crossing
            }
        };
        let ops = &ops[..ops.len().min(open as usize)];
        let after = |n: usize, mask: u64| ia.wrapping_add(ops[n].fields.next as u64) & mask;
        s.next_ia = after(ops.len() - 1, s.address_mask);
        s.block_stale = false;
        let (first, rest) = ops.split_first().expect("a block has an instruction");
        (first.run)(s, &first.fields, rest);
        let n = ops.len() - s.left;
        s.instructions += n as u64;
        open -= n as u64;
        s.ia = match s.failed {
            None if s.left == 0 || !s.block_stale => s.next_ia,
            None => after(n - 1, s.address_mask),
            Some(_) => {
                left = Some(ops[n - 1].fields.len);
                after(n - 1, s.address_mask)
            }
        };
    }
    Ok(Outcome { registers: s.snapshot(), stores: s.stores(), left })
}

/// What differs between the interpreter and the translator, a line each.
fn difference(here: &Result<Outcome, String>, there: &Outcome) -> Option<String> {
    let here = match here {
        Ok(here) => here,
        Err(why) => return Some(format!("  for the interpreter, {why}\n")),
    };
    let mut text = String::new();
    let mut line = |name: &str, here: &str, there: &str| {
        let _ = writeln!(text, "  {name:<24} {here:>32} {there:>32}");
    };
    for (name, here, there) in here.registers.differences(&there.registers) {
        line(&name, &here, &there);
    }
    if here.left != there.left {
        line("length of the last", &format!("{:?}", here.left), &format!("{:?}", there.left));
    }
    let value = |stores: &[Stored], at| match stores.binary_search_by_key(&at, |stored| stored.at) {
        Ok(n) => format!("{:016X}", stores[n].value),
        Err(_) => "as before".to_string(),
    };
    let mut places: Vec<_> = here.stores.iter().chain(&there.stores).map(|stored| stored.at).collect();
    places.sort();
    places.dedup();
    for at in places {
        let (here, there) = (value(&here.stores, at), value(&there.stores, at));
        if here != there {
            line(&format!("storage {:X}", at.0), &here, &there);
        }
    }
    (!text.is_empty()).then_some(text)
}

/// So many of the last instructions are shown of a difference that is not seen again.
const LISTED: u64 = 64;

/// Finds the block that differs first, and panics with everything there is to know.
fn report(
    s: &mut State,
    cache: &mut BlockCache,
    code: u64,
    count: i64,
    before: &Snapshot,
    executed: u64,
    at_end: &str,
) -> ! {
    s.take_back_stores();
    let mut good = 0;
    let mut found = None;
    for budget in count..=executed as i64 {
        s.restore(before);
        let (_, left) = translated(s, cache, code, budget);
        let done = s.instructions - before.instructions();
        // What reaches a site now may not have done so before.
        if done <= good {
            continue;
        }
        let there = Outcome { registers: s.snapshot(), stores: s.take_back_stores(), left };
        s.restore(before);
        let here = interpreted(s, cache, done, 0);
        let what = difference(&here, &there);
        s.take_back_stores();
        if let Some(what) = what {
            found = Some((done, what, here, there));
            break;
        }
        good = done;
    }
    let mut text =
        format!("the engines differ, CPU {:02X}, after {:X}, {executed} instructions on\n", s.address, before.ia());
    match found {
        None => {
            // It takes more than the registers and storage that are compared to make them differ again.
            let _ = writeln!(text, "  {:<24} {:>32} {:>32}\n{at_end}", "", "interpreter", "translator");
            let _ = writeln!(text, "not so in another try\n");
            s.restore(before);
            text += &listing(s, cache, executed.saturating_sub(LISTED), executed);
            let _ = writeln!(text, "\nboth, before\n{}", before.text());
        }
        Some((done, what, here, there)) => {
            let _ = writeln!(text, "  {:<24} {:>32} {:>32}\n{what}", "", "interpreter", "translator");
            let _ = writeln!(text, "in the last {} of these instructions", done - good);
            s.restore(before);
            text += &listing(s, cache, good, done);
            if let Ok(here) = &here {
                let _ = writeln!(text, "\ninterpreter\n{}", here.registers.text());
            }
            let _ = writeln!(text, "\ntranslator\n{}\nboth, before\n{}", there.registers.text(), before.text());
        }
    }
    s.end_stretch();
    panic!("{text}")
}

/// Instructions `from` to `to` of the stretch as lines of assembler language, with the registers before the first.
fn listing(s: &mut State, cache: &mut BlockCache, from: u64, to: u64) -> String {
    let mut text = String::new();
    for n in 0..to {
        if n == from {
            let _ = writeln!(text, "from\n{}", s.snapshot().text());
        }
        if n >= from
            && let Ok(bytes) = step::fetch(s)
        {
            let length = isa::length(bytes[0]) as usize;
            let hex: String = bytes[..length].iter().map(|byte| format!("{byte:02X}")).collect();
            let line = isa::disassemble(bytes, s.architecture()).unwrap_or_else(|| "no instruction".into());
            let _ = writeln!(text, "  {:>16X} {hex:<12} {line}", s.ia);
        }
        if interpreted(s, cache, 1, 0).is_err() || s.failed.is_some() {
            break;
        }
    }
    s.take_back_stores();
    text
}
