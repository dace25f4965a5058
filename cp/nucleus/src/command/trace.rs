//! TRACE: traps for instructions and interruptions.

use super::{Issuer, Response};
use crate::system::Cp;
use base::layout::U64;
use message::Message;
use message::words::{Word, Words};
use std::num::NonZeroU64;
use virtualmachine::trace::{Counts, Kind, Output, Trap, Window};
use zerocopy::IntoBytes;

/// The name of the trap that counts.
const COUNT: &str = "COUNT";

/// `TRace Inst|BRanch|STore|Gn|MNEmonic name|SVC [n]|PROG [n]|EXTernal [n]|I/O [vdev]|MC|ALL [options] | TRACE COUNT
/// [BY length] | TRACE id [options] | TRACE END [id|ALL]`
///
/// Shows what your virtual machine does, event by event, and stops it after each, so that you can DISPLAY and STORE;
/// BEGIN goes on. INST traces every instruction, BRANCH those that branch, STORE those that store, Gn those that change
/// general register n (G any of them), MNEMONIC those of one name; SVC, PROG, EXTERNAL and I/O take a code or device,
/// or trace all of them.
///
/// Options: RANGE (or PSWA) a-b or a.count takes instructions of that part of storage only; INTO takes branches and
/// stores into it, FROM branches from it. DATA hex takes instructions that begin with that, stores of it at the
/// beginning of INTO, and with Gn values of the register. RUN lets the virtual machine go on after an event, NORUN does
/// not. PASS n lets n events pass first, SKIP n leaves out n between two, STEP n stops after every n, STOP n stops
/// after n, even with RUN. TERMINAL, PRINTER, BOTH or NOTERM say where the lines go. NAME gives the trap a name instead
/// of a number. CMD, which comes last, is a command that is performed at each event. TRACE id changes a trap, TRACE END
/// ends one or all. QUERY TRACE shows them.
///
/// TRACE COUNT shows nothing until TRACE END COUNT: then how many instructions the virtual machine has executed since,
/// how many of them were privileged, and DIAGNOSE, and how many pages it has referred to, shared ones and those of its
/// own. With BY it also shows, for each area of so many bytes (hexadecimal) that instructions lie in, how many were
/// executed there, most first.
pub fn trace(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let first = words.need()?;
    let traps = &issuer.vmdbk.trace;
    if first.is("END") || first.is("DELete") {
        return end(issuer, words, first.is("END"));
    }
    if first.is(COUNT) {
        let by = match words.accept("BY") {
            true => {
                let length = words.need()?;
                Some(length.hexadecimal().and_then(NonZeroU64::new).ok_or_else(|| length.invalid())?)
            }
            false => None,
        };
        words.end()?;
        let machine = issuer.vmdbk.machine();
        machine.configuration.storage().forget_references();
        machine.configuration.purge();
        traps.traps(|traps| {
            traps.retain(|trap| trap.id != COUNT);
            traps.push(Trap {
                run: true,
                output: Output { terminal: false, printer: false },
                counts: Counts { by, ..Counts::default() },
                ..Trap::new(COUNT.into(), Kind::Count)
            });
        });
        machine.hold();
        return Ok(Response::none());
    }
    let existing = traps.traps(|traps| traps.iter().find(|trap| trap.id == first.upper()).cloned());
    let old = existing.as_ref().map(|trap| trap.id.clone());
    let mut trap = match existing {
        Some(trap) => trap,
        None => {
            let kind = kind(first, &mut words)?;
            Trap::new(traps.traps(|traps| free(traps)), kind)
        }
    };
    while let Some(word) = words.next() {
        if !option(&mut trap, word, &mut words)? {
            return Err(message::invalid_option(word.upper()));
        }
    }
    if trap.kind == Kind::Store && trap.data.is_some() && trap.into.is_none() {
        return Err(message::operand_missing());
    }
    (trap.met, trap.shown) = (0, 0);
    traps.traps(|traps| match traps.iter_mut().find(|other| Some(&other.id) == old.as_ref()) {
        Some(place) => *place = trap,
        None => {
            traps.retain(|other| other.id != trap.id);
            traps.push(trap);
        }
    });
    // Virtual CPUs that are being run leave the engine, and then go on in single steps.
    issuer.vmdbk.machine().hold();
    Ok(Response::none())
}

/// The lowest number that no trap has as its name.
pub(super) fn free(traps: &[Trap]) -> String {
    let unused = |id: &String| traps.iter().all(|trap| trap.id != *id);
    (1..).map(|n: u32| n.to_string()).find(unused).expect("numbers do not run out")
}

/// TRACE END, or (not `said`) DELETE: of one trap or all.
pub(super) fn end(issuer: &Issuer, mut words: Words<'_>, said: bool) -> Result<Response, Message> {
    let which = words.next();
    words.end()?;
    let which = which.filter(|word| !word.is("ALL"));
    let goes = |trap: &mut Trap| which.is_none_or(|word| trap.id == word.upper());
    let gone: Vec<Trap> = issuer.vmdbk.trace.traps(|traps| traps.extract_if(.., goes).collect());
    if let Some(word) = which.filter(|_| gone.is_empty()) {
        return Err(message::no_trap(word.upper()));
    }
    let pages = issuer.vmdbk.machine().configuration.storage().references();
    let counted = gone.iter().filter(|trap| trap.kind == Kind::Count);
    let mut lines: Vec<String> = counted.flat_map(|trap| trap.counts.lines(pages)).collect();
    if said {
        lines.push("Trace ended".into());
    }
    Ok(lines.into())
}

fn kind(word: Word<'_>, words: &mut Words<'_>) -> Result<Kind, Message> {
    let mut code = |limit: u64| match words.peek().and_then(Word::hexadecimal).filter(|&n| n <= limit) {
        Some(n) => {
            words.next();
            Some(n as u16)
        }
        None => None,
    };
    Ok(match () {
        () if word.is("Instruction") => Kind::Instruction,
        () if word.is("BRanch") => Kind::Branch,
        () if word.is("STore") => Kind::Store,
        () if word.is("PROGram") => Kind::Program(code(0xffff)),
        () if word.is("SVC") => Kind::Svc(code(0xff).map(|n| n as u8)),
        () if word.is("EXTernal") => Kind::External(code(0xffff)),
        () if word.is("I/O") || word.is("IO") => Kind::Io(code(0xffff)),
        () if word.is("MC") || word.is("MCHeck") => Kind::MachineCheck,
        () if word.is("ALL") => Kind::All,
        () if word.is("MNEmonic") => Kind::Mnemonic(words.need()?.upper()),
        () => Kind::Register(register(word.upper().strip_prefix('G')).ok_or_else(|| word.invalid())?),
    })
}

/// The number of a general register; empty is any of them.
pub(super) fn register(number: Option<&str>) -> Option<Option<usize>> {
    match number? {
        "" => Some(None),
        number => number.parse().ok().filter(|&n| n < 16).map(Some),
    }
}

/// Takes an option that begins with the word `option`. False if it is none.
pub(super) fn option(trap: &mut Trap, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, Message> {
    match () {
        () if option.is("Range") || option.is("PSWA") => trap.ranges = vec![window(words.need()?)?],
        () if option.is("INTO") => trap.into = Some(window(words.need()?)?),
        () if option.is("FROM") => trap.from = Some(window(words.need()?)?),
        () if option.is("DATA") => trap.data = Some(data(words.need()?, &trap.kind)?),
        () if option.is("RUN") => trap.run = true,
        () if option.is("NORun") => trap.run = false,
        () if option.is("TERMinal") => trap.output = Output { terminal: true, printer: false },
        () if option.is("PRINTer") => trap.output = Output { terminal: false, printer: true },
        () if option.is("BOTH") => trap.output = Output { terminal: true, printer: true },
        () if option.is("NOTERM") => trap.output.terminal = false,
        () if option.is("PASS") => trap.pass = count(words)?,
        () if option.is("SKIP") => trap.skip = count(words)?,
        () if option.is("STEP") => trap.step = count(words)?,
        () if option.is("STOP") => trap.stop = count(words)?,
        () if option.is("NAME") || option.is("IDentifier") => trap.id = words.need()?.userid()?,
        () if option.is("CMD") => {
            let command = words.rest();
            if command.is_empty() {
                return Err(message::operand_missing());
            }
            let some = !command.eq_ignore_ascii_case("NONE");
            trap.commands = some.then(|| command.to_string()).into_iter().collect();
            words.by_ref().for_each(drop);
        }
        () => return Ok(false),
    }
    Ok(true)
}

/// An even number of hexadecimal digits; for a register's value any number up to 16.
pub(super) fn data(word: Word<'_>, kind: &Kind) -> Result<Vec<u8>, Message> {
    let digits = word.hexadecimal().filter(|_| word.0.len() <= 16).map(|number| U64::new(number).as_bytes().to_vec());
    let whole = || {
        let pairs = word.0.as_bytes().chunks_exact(2);
        let even = word.0.len().is_multiple_of(2) && !word.0.is_empty();
        let byte = |pair: &[u8]| Word(std::str::from_utf8(pair).ok()?).hexadecimal().map(|byte| byte as u8);
        pairs.map(byte).collect::<Option<Vec<u8>>>().filter(|_| even)
    };
    let data = if matches!(kind, Kind::Register(_)) { digits } else { whole() };
    data.ok_or_else(|| word.invalid())
}

pub(super) fn count(words: &mut Words<'_>) -> Result<u32, Message> {
    let word = words.need()?;
    word.decimal().filter(|&n| n <= 65_535).map(|n| n as u32).ok_or_else(|| word.invalid())
}

pub(super) fn window(word: Word<'_>) -> Result<Window, Message> {
    let (first, last) = virtualmachine::examine::range(word.0, u64::MAX, 16)?;
    Ok((first, last.unwrap_or(first)))
}
