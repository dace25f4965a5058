//! PER: the older front end of TRACE.

use super::trace::{count, data, end, free, option, register, window};
use super::{Issuer, Response};
use crate::system::Cp;
use message::Message;
use message::words::{Word, Words};
use virtualmachine::examine;
use virtualmachine::trace::{Bits, Kind, Trap, Window};

/// `PER Instruct [hex] | Branch [range] | G[n] [value] | Mask address hex | STore [range | address hex] [OFF] [[Range]
/// range ...] [options] | PER END [id|ALL] | PER Query`
///
/// Sets traps of TRACE in the words of older systems; several on a line make several traps. INSTRUCT (or IFETCH) takes
/// every instruction, or those that begin with hex; BRANCH those that branch, into a range; G (or GREG) those that
/// change a general register, n or any, to a value; STORE those that store into a range, or put hex at an address; MASK
/// those that alter bits at an address, which are on in hex. They are shown after the instruction, as TRACE shows them.
///
/// RANGE takes instructions of that part of storage only, and there may be several; the word can be left out of
/// first-last, first-, -last and first.count. STEP n stops after every n that are shown, PASS n lets n pass first, SKIP
/// n leaves out n between two. RUN and NORUN, TERMINAL and NOTERMINAL, PRINT and NOPRINT say whether the virtual
/// machine goes on and where the lines go. CMD, which comes last, is one command or several with ; between them.
/// TRACE's other options are taken, too. Options without a kind change all traps. OFF ends the kinds that are named,
/// END (or CLEAR) all traps or one. QUERY PER and PER QUERY show all, as QUERY TRACE does. SAVE, GET, DUMP and
/// PAGETRACE of older systems are not here.
pub fn per(_: &Cp, issuer: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    let first = *words.peek().as_ref().ok_or_else(message::operand_missing)?;
    if first.is("END") || first.is("CLear") || first.is("Query") {
        words.next();
        if first.is("Query") {
            words.end()?;
            return Ok(super::query::virtual_machine::traps(issuer));
        }
        return end(issuer, words, true);
    }
    let asked = Asked::parse(issuer, &mut words)?;
    if asked.off {
        return Ok(asked.end(issuer));
    }
    let change = |trap: &mut Trap| {
        if !asked.ranges.is_empty() {
            trap.ranges.clone_from(&asked.ranges);
        }
        for &(word, mut words) in &asked.options {
            set(trap, word, &mut words)?;
        }
        (trap.met, trap.shown) = (0, 0);
        Ok(())
    };
    issuer.vmdbk.trace.traps(|traps| {
        if asked.traps.is_empty() {
            if traps.is_empty() {
                return Err(message::operand_missing());
            }
            let mut changed = traps.clone();
            changed.iter_mut().filter(|trap| trap.kind != Kind::Count).try_for_each(change)?;
            *traps = changed;
            return Ok(());
        }
        let mut new = asked.traps.clone();
        new.iter_mut().try_for_each(change)?;
        for mut trap in new {
            // NAME may have given it a name.
            if trap.id.is_empty() {
                trap.id = free(traps);
            }
            traps.retain(|other| other.id != trap.id);
            traps.push(trap);
        }
        Ok(())
    })?;
    issuer.vmdbk.machine().hold();
    Ok(Response::none())
}

/// What a PER command asks for.
#[derive(Default)]
struct Asked<'a> {
    /// A trap for each kind that is named.
    traps: Vec<Trap>,
    ranges: Vec<Window>,
    /// The first words of options, and what follows each.
    options: Vec<(Word<'a>, Words<'a>)>,
    off: bool,
}

impl<'a> Asked<'a> {
    fn parse(issuer: &Issuer, words: &mut Words<'a>) -> Result<Asked<'a>, Message> {
        let mut asked = Asked::default();
        while let Some(word) = words.next() {
            if word.is("OFF") {
                asked.off = true;
            } else if let Some(trap) = kind(issuer, word, words)? {
                asked.traps.push(trap);
            } else if word.is("Range") {
                asked.ranges.push(part(words.need()?)?);
            } else if is_range(word) {
                asked.ranges.push(part(word)?);
            } else {
                asked.options.push((word, *words));
                set(&mut Trap::new(String::new(), Kind::Instruction), word, words)?;
            }
        }
        Ok(asked)
    }

    /// OFF: ends the traps of the kinds that are named, or all.
    fn end(&self, issuer: &Issuer) -> Response {
        let same = |trap: &Trap| {
            let kind = std::mem::discriminant(&trap.kind);
            self.traps.is_empty() || self.traps.iter().any(|named| std::mem::discriminant(&named.kind) == kind)
        };
        issuer.vmdbk.trace.traps(|traps| traps.retain(|trap| !same(trap)));
        Response::none()
    }
}

/// A trap of the kind that `word` names, with what belongs to the kind; `None` if it is no kind.
fn kind(issuer: &Issuer, word: Word<'_>, words: &mut Words<'_>) -> Result<Option<Trap>, Message> {
    let upper = word.upper();
    let number = ["GREG", "GRE", "GR", "G"].iter().find_map(|name| upper.strip_prefix(name));
    let kind = match () {
        () if word.is("Instruction") || word.is("Ifetch") => Kind::Instruction,
        () if word.is("Branch") => Kind::Branch,
        () if word.is("STore") => Kind::Store,
        () if word.is("Mask") => {
            let address = words.need()?;
            let at = address.hexadecimal().ok_or_else(|| address.invalid())?;
            let mask = data(words.need()?, &Kind::Store)?;
            let machine = issuer.vmdbk.machine();
            let state = &mut machine.configuration.interrupted_cpu(issuer.cpu()).state;
            let last = examine::bytes(state, at, mask.len());
            Kind::Mask(Bits { at, mask, last })
        }
        () => match register(number) {
            Some(register) => Kind::Register(register),
            None => return Ok(None),
        },
    };
    let mut trap = Trap::new(String::new(), kind);
    let value = |word: &Word<'_>| word.hexadecimal().is_some() || data(*word, &Kind::Store).is_ok();
    match trap.kind {
        Kind::Instruction | Kind::Register(_) => {
            if let Some(word) = words.peek().filter(value) {
                words.next();
                trap.data = Some(data(word, &trap.kind)?);
            }
        }
        Kind::Branch | Kind::Store => {
            if let Some(word) = words.peek().filter(|word| value(word) || is_range(*word)) {
                words.next();
                let (first, last) = part(word)?;
                trap.into = Some((first, last));
                if trap.kind == Kind::Store
                    && !is_range(word)
                    && let Some(word) = words.peek().filter(value)
                {
                    words.next();
                    let data = data(word, &trap.kind)?;
                    trap.into = Some((first, first.saturating_add(data.len() as u64 - 1)));
                    trap.data = Some(data);
                }
            }
        }
        _ => (),
    }
    Ok(Some(trap))
}

/// Whether a word can only be a range of addresses.
fn is_range(word: Word<'_>) -> bool {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
    let parts = word.0.split_once(['-', '.', ':']);
    parts.is_some_and(|(first, last)| digits(first) && (digits(last) || last.eq_ignore_ascii_case("END")))
}

/// A range, which may end in a minus sign for the end of storage.
fn part(word: Word<'_>) -> Result<Window, Message> {
    match word.0.strip_suffix('-') {
        Some(first) => window(Word(&format!("{first}-END"))),
        None => window(word),
    }
}

/// Takes an option, PER's or TRACE's.
fn set(trap: &mut Trap, word: Word<'_>, words: &mut Words<'_>) -> Result<(), Message> {
    match () {
        () if word.is("CMd") => {
            let commands = words.rest().split(';').map(str::trim).filter(|command| !command.is_empty());
            trap.commands = commands.map(str::to_string).collect();
            if trap.commands.is_empty() {
                return Err(message::operand_missing());
            }
            words.by_ref().for_each(drop);
        }
        () if word.is("SKip") => trap.skip = count(words)?,
        () if word.is("STEp") => trap.step = count(words)?,
        () if word.is("RUn") => trap.run = true,
        () if word.is("TErminal") => trap.output.terminal = true,
        () if word.is("NOTerminal") => trap.output.terminal = false,
        () if word.is("PRint") => trap.output.printer = true,
        () if word.is("NOPrint") => trap.output.printer = false,
        () if !option(trap, word, words)? => return Err(word.invalid()),
        () => (),
    }
    Ok(())
}
