//! Registers and storage as DISPLAY shows them and STORE changes them.
//!
//! Everything here works on one virtual CPU's state and knows no user: it reads the operands of DISPLAY and STORE, and
//! returns lines. Storage is reached as by the operator's panel, without protection by keys or page tables.

use arch::{Absolute, PAGE, PAGE_MASK, Program, Real};
use base::ebcdic;
use cpu::{Architecture, Space, State, Translation};
use message::Message;
use message::words::Word;

/// The most lines that one operand shows.
const LINES: usize = 4096;
/// The most pages that one operand looks at.
const PAGES: u64 = 1 << 20;
/// Bytes of a line of storage.
const ROW: u64 = 16;

/// What an address means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// What the PSW makes of it: translated if DAT is on, else real.
    Logical,
    /// Translated by the virtual machine's own tables.
    Virtual(Space),
    /// Real: with prefixing.
    Real,
    /// Absolute.
    Absolute,
}

/// What is shown of storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// Words alone.
    Words,
    /// Words, and characters beside them.
    Text,
    /// Storage keys.
    Keys,
    /// Instructions, one a line.
    Instructions,
}

/// A range of storage and how it is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Area {
    /// Which kind of addresses they are.
    pub meaning: Meaning,
    /// How storage is shown.
    pub view: View,
    /// The first address.
    pub first: u64,
    /// `None`: as little as can be shown.
    pub last: Option<u64>,
}

/// A register file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum File {
    /// General registers, the low words.
    General,
    /// General registers, all 64 bits.
    GeneralLong,
    /// General registers, the high words.
    GeneralHigh,
    /// Control registers, the low words.
    Control,
    /// Control registers, all 64 bits.
    ControlLong,
    /// Floating-point registers.
    Floating,
    /// Access registers.
    Access,
}

/// `first-last`, `first:last` or `first.count`: the first value, and the last if one was named. `END` is `end`.
pub fn range(text: &str, end: u64, radix: u32) -> Result<(u64, Option<u64>), Message> {
    let wrong = || message::invalid_range(text.to_ascii_uppercase());
    let number = |digits: &str, radix: u32| -> Result<u64, Message> {
        let legal = !digits.is_empty() && digits.bytes().all(|b| (b as char).is_digit(radix));
        legal.then(|| u64::from_str_radix(digits, radix).ok()).flatten().ok_or_else(wrong)
    };
    let Some(at) = text.find(['-', ':', '.']) else { return Ok((number(text, radix)?, None)) };
    let first = if at == 0 { 0 } else { number(&text[..at], radix)? };
    let second = &text[at + 1..];
    let last = match text.as_bytes()[at] {
        b'.' => match number(second, radix)? {
            0 => return Err(wrong()),
            count => first.checked_add(count - 1).ok_or_else(wrong)?,
        },
        _ if second.eq_ignore_ascii_case("END") => end,
        _ => number(second, radix)?,
    };
    if last < first { Err(wrong()) } else { Ok((first, Some(last))) }
}

impl Area {
    /// Reads an address operand: letters for what the address means (V, L, R, N, PRI, SEC, HOM) and what is shown (T,
    /// K, I), then the range. `end` is the address of the last byte of storage.
    pub fn parse(word: Word<'_>, end: u64) -> Result<Area, Message> {
        let upper = word.upper();
        let mut rest = upper.as_str();
        let mut area = Area { meaning: Meaning::Logical, view: View::Words, first: 0, last: None };
        let meanings = [
            ("PRI", Meaning::Virtual(Space::Primary)),
            ("SEC", Meaning::Virtual(Space::Secondary)),
            ("HOM", Meaning::Virtual(Space::Home)),
            ("V", Meaning::Virtual(Space::Mode { ar: 0 })),
            ("L", Meaning::Logical),
            ("R", Meaning::Real),
            ("N", Meaning::Absolute),
        ];
        let views = [("T", View::Text), ("K", View::Keys), ("I", View::Instructions)];
        loop {
            if let Some((after, meaning)) = meanings.iter().find_map(|(p, m)| Some((rest.strip_prefix(p)?, *m))) {
                (rest, area.meaning) = (after, meaning);
            } else if let Some((after, view)) = views.iter().find_map(|(p, v)| Some((rest.strip_prefix(p)?, *v))) {
                (rest, area.view) = (after, view);
            } else {
                break;
            }
        }
        if rest.is_empty() && rest.len() < upper.len() {
            // K, T or I alone is all of storage, or its beginning.
            area.last = (area.view == View::Keys).then_some(end);
            return Ok(area);
        }
        if !rest.starts_with(|c: char| c.is_ascii_hexdigit() || "-:.".contains(c)) {
            return Err(message::invalid_operand(upper));
        }
        // The whole operand is what was typed.
        (area.first, area.last) = range(rest, end, 16).map_err(|_| message::invalid_range(upper.clone()))?;
        Ok(area)
    }

    /// The letter before the addresses of this area.
    fn letter(&self, state: &State) -> char {
        match self.meaning {
            Meaning::Logical if state.psw().is(arch::mask::DAT) => 'V',
            Meaning::Logical | Meaning::Real => 'R',
            Meaning::Virtual(_) => 'V',
            Meaning::Absolute => 'N',
        }
    }
}

/// The absolute address that an address means. A translation that fails leaves the CPU's exception identification as
/// it was.
pub fn locate(state: &mut State, meaning: Meaning, address: u64) -> Result<Absolute, Program> {
    let dat = state.psw().is(arch::mask::DAT);
    let absolute = match meaning {
        Meaning::Absolute => Absolute(address),
        Meaning::Real => state.absolute(Real(address)),
        Meaning::Logical if !dat => state.absolute(Real(address)),
        Meaning::Logical | Meaning::Virtual(_) => {
            let space = if let Meaning::Virtual(space) = meaning { space } else { Space::Mode { ar: 0 } };
            let kept = (state.translation_exception_id, state.exception_access_id);
            let found = state.translate_only(address, space);
            (state.translation_exception_id, state.exception_access_id) = kept;
            match found {
                Ok(Translation::Found(place)) => state.placed(place),
                Ok(Translation::Missing { code, .. }) => return Err(code),
                Err(cpu::Interruption::Program(program)) => return Err(program),
                Err(_) => return Err(Program::Addressing),
            }
        }
    };
    state.storage().key(absolute).map(|_| absolute).map_err(|_| Program::Addressing)
}

/// HCP160E or HCP161E: why an address leads nowhere.
pub fn nowhere(state: &State, address: u64, program: Program) -> Message {
    let address = hexadecimal(state, address);
    match program {
        Program::Addressing => message::not_addressable(address),
        _ => message::not_translated(address),
    }
}

/// An address in eight digits, or sixteen if it needs them.
fn hexadecimal(_: &State, address: u64) -> String {
    if address >> 32 == 0 { format!("{address:08X}") } else { format!("{address:016X}") }
}

/// Up to `to.len()` bytes from `address` to the end of its page.
fn read_page(state: &mut State, meaning: Meaning, address: u64, to: &mut [u8]) -> Result<usize, Program> {
    let absolute = locate(state, meaning, address)?;
    let count = to.len().min((PAGE - address % PAGE) as usize);
    state.storage().read(absolute, &mut to[..count]).map_err(|_| Program::Addressing)?;
    Ok(count)
}

/// Reads bytes wherever the address leads.
pub fn read(state: &mut State, meaning: Meaning, address: u64, to: &mut [u8]) -> Result<(), Program> {
    let mut done = 0;
    while done < to.len() {
        done += read_page(state, meaning, address.wrapping_add(done as u64), &mut to[done..])?;
    }
    Ok(())
}

/// So many bytes from a logical address on, if they can be read.
pub fn bytes(state: &mut State, address: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    read(state, Meaning::Logical, address, &mut bytes).ok()?;
    Some(bytes)
}

/// Changes bytes wherever the address leads: all of them, or none.
pub fn write(state: &mut State, meaning: Meaning, address: u64, from: &[u8]) -> Result<(), Message> {
    let mut pieces = Vec::new();
    let mut done = 0;
    while done < from.len() {
        let at = address.wrapping_add(done as u64);
        let absolute = locate(state, meaning, at).map_err(|program| nowhere(state, at, program))?;
        let count = (from.len() - done).min((PAGE - at % PAGE) as usize);
        pieces.push((absolute, done..done + count));
        done += count;
    }
    for (absolute, piece) in pieces {
        let last = absolute.0;
        let written = state.storage().write(absolute, &from[piece]);
        written.map_err(|_| message::not_addressable(hexadecimal(state, last)))?;
    }
    Ok(())
}

/// The lines that show an area.
pub fn storage(state: &mut State, area: &Area) -> Result<Vec<String>, Message> {
    match area.view {
        View::Words | View::Text => words(state, area),
        View::Keys => Ok(keys(state, area)),
        View::Instructions => instructions(state, area),
    }
}

/// Lines of words, of which equal ones are left out.
struct Rows {
    letter: char,
    lines: Vec<String>,
    last: Option<Vec<u8>>,
    /// The first address that was left out.
    same: Option<u64>,
}

impl Rows {
    fn flush(&mut self, state: &State, next: u64) {
        if let Some(first) = self.same.take() {
            let (first, last) = (hexadecimal(state, first), hexadecimal(state, next.wrapping_sub(1)));
            self.lines.push(format!("{}{first} TO {last}  SUPPRESSED LINE(S) SAME AS ABOVE ....", self.letter));
        }
    }
}

fn words(state: &mut State, area: &Area) -> Result<Vec<String>, Message> {
    let text = area.view == View::Text;
    let unit = if text { ROW } else { 4 };
    let first = area.first & !(unit - 1);
    let last = area.last.unwrap_or(area.first) | (unit - 1);
    let mut rows = Rows { letter: area.letter(state), lines: Vec::new(), last: None, same: None };
    let mut at = first;
    let mut pages = 0;
    loop {
        // As far as the end of the page, and of the range.
        let end = (at | (PAGE - 1)).min(last);
        let mut bytes = vec![0; (end - at + 1) as usize];
        match read_page(state, area.meaning, at, &mut bytes) {
            Ok(_) => page_of_words(state, &mut rows, at, &bytes, text),
            Err(program) if at == first && (last - first) < PAGE => return Err(nowhere(state, at, program)),
            Err(_) => {
                rows.flush(state, at);
                let (from, to) = (hexadecimal(state, at), hexadecimal(state, end));
                let line = format!("{}{from} TO {to}  NON-ADDRESSABLE STORAGE", rows.letter);
                join(&mut rows.lines, line);
                rows.last = None;
            }
        }
        pages += 1;
        if end == last || rows.lines.len() > LINES || pages == PAGES {
            rows.flush(state, end.wrapping_add(1));
            return Ok(rows.lines);
        }
        at = end + 1;
    }
}

/// Makes one line of two neighbours that say that storage cannot be reached.
fn join(lines: &mut Vec<String>, line: String) {
    let split = |line: &str| Some((line.split_once(" TO ")?.0.to_string(), line.split_once(" TO ")?.1.to_string()));
    if let Some(before) = lines.last_mut()
        && before.ends_with("NON-ADDRESSABLE STORAGE")
        && let (Some((from, _)), Some((_, to))) = (split(before), split(&line))
    {
        *before = format!("{from} TO {to}");
        return;
    }
    lines.push(line);
}

fn page_of_words(state: &State, rows: &mut Rows, at: u64, bytes: &[u8], text: bool) {
    for (n, row) in bytes.chunks(ROW as usize).enumerate() {
        let address = at + n as u64 * ROW;
        if rows.last.as_deref() == Some(row) {
            rows.same.get_or_insert(address);
            continue;
        }
        rows.flush(state, address);
        let words: String = row
            .chunks(4)
            .map(|word| word.iter().map(|b| format!("{b:02X}")).collect::<String>())
            .collect::<Vec<_>>()
            .join(" ");
        let mut line = format!("{}{}  {words}", rows.letter, hexadecimal(state, address));
        if text {
            line.push_str(&format!("  *{}*", characters(row)));
        }
        rows.lines.push(line);
        rows.last = Some(row.to_vec());
    }
}

/// Bytes as EBCDIC characters, with periods for what cannot be shown.
pub fn characters(bytes: &[u8]) -> String {
    let shown = |&b: &u8| match ebcdic::TO_LATIN1[usize::from(b)] {
        c @ 0x20..=0x7e => c as char,
        _ => '.',
    };
    bytes.iter().map(shown).collect()
}

fn keys(state: &mut State, area: &Area) -> Vec<String> {
    let mut lines = Vec::new();
    let last = area.last.unwrap_or(area.first) | (PAGE - 1);
    let mut at = area.first & PAGE_MASK;
    let mut run: Option<(u64, Option<u8>)> = None;
    let mut pages = 0;
    let mut line = |state: &State, (first, key): (u64, Option<u8>), end: u64| {
        let range = format!("{} TO {}", hexadecimal(state, first), hexadecimal(state, end));
        lines.push(key.map_or(format!("{range}  NON-ADDRESSABLE STORAGE"), |key| format!("{range}  KEY = {key:02X}")));
        lines.len()
    };
    loop {
        let found = locate(state, area.meaning, at);
        let key = found.ok().and_then(|absolute| state.storage().key(absolute).ok());
        match run {
            Some((_, same)) if same == key => (),
            Some(before) => {
                if line(state, before, at - 1) > LINES {
                    break;
                }
                run = Some((at, key));
            }
            None => run = Some((at, key)),
        }
        pages += 1;
        if at | (PAGE - 1) >= last || pages == PAGES {
            line(state, run.expect("set above"), at | (PAGE - 1));
            break;
        }
        at += PAGE;
    }
    lines
}

fn instructions(state: &mut State, area: &Area) -> Result<Vec<String>, Message> {
    let letter = area.letter(state);
    let mut lines = Vec::new();
    let mut at = area.first & !1;
    let last = area.last.unwrap_or(area.first);
    while at <= last && lines.len() < LINES {
        let text = instruction_text(state, area.meaning, at).map_err(|program| nowhere(state, at, program))?;
        let length = isa::length(text[0]);
        let digits: String = text[..usize::from(length)].iter().map(|b| format!("{b:02X}")).collect();
        let assembler = isa::disassemble(text, state.architecture()).unwrap_or_else(|| "????".into());
        lines.push(format!("{letter}{}  {digits:<12}  {assembler}", hexadecimal(state, at)));
        at = at.saturating_add(length.into());
    }
    Ok(lines)
}

/// The instruction at `address`, and zeros after it.
pub fn instruction_text(state: &mut State, meaning: Meaning, address: u64) -> Result<[u8; 6], Program> {
    let mut text = [0; 6];
    read(state, meaning, address, &mut text[..2])?;
    let length = usize::from(isa::length(text[0]));
    read(state, meaning, address.wrapping_add(2), &mut text[2..length.max(2)])?;
    Ok(text)
}

impl File {
    /// The register file that an operand begins with, and the rest of the operand.
    pub fn parse(word: &str) -> Option<(File, &str)> {
        let files = [
            ("GG", File::GeneralLong),
            ("GH", File::GeneralHigh),
            ("G", File::General),
            ("XG", File::ControlLong),
            ("X", File::Control),
            ("Y", File::Floating),
            ("AR", File::Access),
        ];
        files.iter().find_map(|&(prefix, file)| {
            let rest = word.strip_prefix(prefix)?;
            rest.bytes().all(|b| b.is_ascii_hexdigit() || b"-:.".contains(&b)).then_some((file, rest))
        })
    }

    /// How many digits a register has.
    pub fn digits(self) -> usize {
        match self {
            File::GeneralLong | File::ControlLong | File::Floating => 16,
            _ => 8,
        }
    }

    fn name(self) -> &'static str {
        match self {
            File::General => "GPR",
            File::GeneralLong => "GRG",
            File::GeneralHigh => "GRH",
            File::Control => "ECR",
            File::ControlLong => "CRG",
            File::Floating => "FPR",
            File::Access => "AR ",
        }
    }

    fn get(self, state: &State, n: usize) -> u64 {
        match self {
            File::General => state.gr[n] & 0xffff_ffff,
            File::GeneralLong => state.gr[n],
            File::GeneralHigh => state.gr[n] >> 32,
            File::Control => state.cr[n] & 0xffff_ffff,
            File::ControlLong => state.cr[n],
            File::Floating => state.fpr[n],
            File::Access => state.ar[n].into(),
        }
    }

    /// Changes a register, and what follows from it.
    pub fn set(self, state: &mut State, n: usize, value: u64) {
        let low = |old: u64| old & !0xffff_ffff | value & 0xffff_ffff;
        match self {
            File::General => state.gr[n] = low(state.gr[n]),
            File::GeneralLong => state.gr[n] = value,
            File::GeneralHigh => state.gr[n] = state.gr[n] & 0xffff_ffff | value << 32,
            File::Control => state.cr[n] = low(state.cr[n]),
            File::ControlLong => state.cr[n] = value,
            File::Floating => state.fpr[n] = value,
            File::Access => state.ar[n] = value as u32,
        }
        if matches!(self, File::Control | File::ControlLong) {
            state.control_changed();
            state.per_changed();
            state.purge_tlb();
        }
    }

    /// The registers that the rest of an operand names: first and last. Nothing is all of them.
    pub fn range(self, rest: &str) -> Result<(usize, usize), Message> {
        if rest.is_empty() {
            return Ok((0, 15));
        }
        // Registers are numbered in decimal, A to F are accepted as well.
        let wrong = || message::invalid_register(rest.to_string());
        let (first, last) = range(rest, 15, 10).or_else(|_| range(rest, 15, 16)).map_err(|_| wrong())?;
        let last = last.unwrap_or(first);
        if last > 15 { Err(wrong()) } else { Ok((first as usize, last as usize)) }
    }
}

/// The lines that show registers `first` to `last`.
pub fn registers(state: &State, file: File, first: usize, last: usize) -> Vec<String> {
    let all: Vec<usize> = (first..=last).collect();
    let per_line = match file {
        File::Floating => 1,
        _ if file.digits() == 16 => 2,
        _ => 4,
    };
    let line = |some: &[usize]| {
        let values: Vec<String> =
            some.iter().map(|&n| format!("{:0width$X}", file.get(state, n), width = file.digits())).collect();
        let values = values.join("  ");
        let hexadecimal_float = match file {
            File::Floating => format!("   {}", float(state.fpr[some[0]])),
            _ => String::new(),
        };
        format!("{} {:>2} =  {values}{hexadecimal_float}", file.name(), some[0])
    };
    all.chunks(per_line).map(line).collect()
}

/// A hexadecimal floating-point number in decimal: `.16 E 02`.
fn float(register: u64) -> String {
    let sign = if register >> 63 != 0 { "-" } else { "" };
    let fraction = (register & 0x00ff_ffff_ffff_ffff) as f64 / (1u64 << 56) as f64;
    if fraction == 0.0 {
        return format!("{sign}.0 E 00");
    }
    let exponent = (register >> 56 & 0x7f) as i32 - 64;
    let value = fraction * 16f64.powi(exponent);
    let scientific = format!("{value:.15e}");
    let (digits, power) = scientific.split_once('e').expect("the format has an e");
    let digits = digits.replace('.', "");
    let digits = digits.trim_end_matches('0');
    let power = power.parse::<i32>().expect("the exponent is a number") + 1;
    format!("{sign}.{digits} E{}{:02}", if power < 0 { "-" } else { " " }, power.abs())
}

/// `PSW = ...`: two words, or four in z/Architecture.
pub fn psw(state: &State) -> String {
    format!("PSW = {}", psw_words(state.architecture(), state.psw()))
}

/// A PSW in words.
pub fn psw_words(architecture: Architecture, psw: arch::Psw) -> String {
    let words = |n: u64| format!("{:08X} {:08X}", n >> 32, n as u32);
    match architecture {
        Architecture::Z => format!("{} {}", words(psw.mask), words(psw.address)),
        _ => words(psw.to_short()),
    }
}

/// Loads the PSW from two words, or four in z/Architecture; of one word, the instruction address.
pub fn set_psw(state: &mut State, words: &[u32]) -> bool {
    let double = |n: usize| u64::from(words[n]) << 32 | u64::from(words[n + 1]);
    let psw = match (state.architecture(), words.len()) {
        (_, 1) => arch::Psw { address: u64::from(words[0]) & state.address_mask, ..state.psw() },
        (Architecture::Z, 4) => arch::Psw::from_long(double(0), double(2)),
        (_, 2) => arch::Psw::from_short(double(0)),
        _ => return false,
    };
    state.set_psw(psw);
    true
}

/// The old and new PSWs of the prefix area: `PSW ALL`.
pub fn all_psws(state: &mut State) -> Vec<String> {
    let z = state.architecture() == Architecture::Z;
    let size = if z { 16 } else { 8 };
    let mut lines = vec![psw(state)];
    let classes: [(&str, u64, u64); 6] = if z {
        [
            ("RST ", 0x120, 0x1a0),
            ("EXT ", 0x130, 0x1b0),
            ("SVC ", 0x140, 0x1c0),
            ("PRG ", 0x150, 0x1d0),
            ("MCH ", 0x160, 0x1e0),
            ("I/O ", 0x170, 0x1f0),
        ]
    } else {
        [
            ("RST ", 0x08, 0x00),
            ("EXT ", 0x18, 0x58),
            ("SVC ", 0x20, 0x60),
            ("PRG ", 0x28, 0x68),
            ("MCH ", 0x30, 0x70),
            ("I/O ", 0x38, 0x78),
        ]
    };
    for (name, old, new) in classes {
        let mut show = |at: u64| {
            let mut bytes = [0; 16];
            // The prefix area exists, or the prefix would not have been accepted.
            let _ = read(state, Meaning::Real, at, &mut bytes[..size]);
            bytes[..size]
                .chunks(4)
                .map(|word| format!("{:08X}", u32::from_be_bytes([word[0], word[1], word[2], word[3]])))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let (old, new) = (show(old), show(new));
        lines.push(format!("{name}OLD {old}"));
        lines.push(format!("{name}NEW {new}"));
    }
    lines
}
