//! `endicott dasd import-hercules`: a Hercules configuration file as statements of ours.
//!
//! Disks become DASD statements of SYSTEM CONFIG (the image files are used as they are); unit record devices and
//! consoles become statements of a user who gets the disks dedicated, so that what ran bare there runs in a virtual
//! machine here. What has no counterpart is listed with its line.

mod devices;

use say::words::words;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What a configuration file became.
#[derive(Default, Debug)]
struct Imported {
    system: Vec<String>,
    devices: Vec<String>,
    storage: Option<String>,
    processors: u32,
    /// `370` for ARCHMODE S/370.
    machine: Option<&'static str>,
    loadparm: Option<String>,
    /// The serial number of the processors: six digits.
    serial: Option<String>,
    /// The devices that there are.
    numbers: HashSet<u16>,
    /// Lines that say what such a file says, whatever became of them.
    known: usize,
    /// The files being read, each included by the one before.
    reading: Vec<PathBuf>,
    /// IGNORE INCLUDE_ERRORS: files that are not there are passed over.
    lenient: bool,
    left: Vec<Left>,
    /// What says how that program does something, and has no meaning here.
    idle: Vec<Left>,
}

/// What could not be carried over.
#[derive(PartialEq, Eq, Debug)]
struct Left {
    /// The included file, if it is in one.
    file: Option<String>,
    line: usize,
    why: String,
}

pub(super) fn import(file: &Path) -> Result<(), String> {
    let mut imported = Imported::default();
    read(file, &mut imported, &mut HashMap::new())?;
    if imported.known == 0 {
        return Err(format!("{} is not a Hercules configuration: it has no line of one", file.display()));
    }
    say::print(format_args!("{}", imported.text(file)));
    Ok(())
}

fn read(file: &Path, to: &mut Imported, names: &mut HashMap<String, String>) -> Result<(), String> {
    let bytes = base::file::read(file, base::file::TEXT).map_err(|error| format!("{}: {error}", file.display()))?;
    let text = base::text::decode(&bytes);
    if let Some((at, strange)) = text.char_indices().find(|(_, c)| *c < ' ' && !"\t\r\n\x0c\x1a".contains(*c)) {
        let what = format!("byte {at} is X'{:02X}'", u32::from(strange));
        return Err(format!("{} is not a configuration, which is text: {what}", file.display()));
    }
    to.reading.push(file.canonicalize().unwrap_or_else(|_| file.into()));
    for (n, line) in text.lines().enumerate() {
        let words = words(&substituted(line, names), Some('#'));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let keyword = words.first().map(|word| word.to_ascii_uppercase()).unwrap_or_default();
        match (keyword.as_str(), words.as_slice()) {
            ("", _) => {}
            (word, _) if word.starts_with('*') => {}
            ("INCLUDE", [_, name, rest @ ..]) => {
                to.known += 1;
                to.surplus(n + 1, "INCLUDE", rest);
                include(&included(file, name), to, names, n + 1);
            }
            ("INCLUDE", _) => to.leave(n + 1, "INCLUDE names no file".into()),
            ("IGNORE", [_, what, rest @ ..]) if what.eq_ignore_ascii_case("INCLUDE_ERRORS") => {
                to.lenient = true;
                to.surplus(n + 1, "IGNORE INCLUDE_ERRORS", rest);
            }
            ("DEFSYM", [_, name, rest @ ..]) => {
                to.surplus(n + 1, "DEFSYM", rest.get(1..).unwrap_or_default());
                names.insert(name.to_string(), rest.first().copied().unwrap_or_default().to_string());
            }
            (_, [first, kind, rest @ ..]) if numbers(first).is_some() => {
                to.known += 1;
                let (new, again): (Vec<u16>, Vec<u16>) =
                    numbers(first).expect("it was just looked at").into_iter().partition(|&n| to.numbers.insert(n));
                for number in again {
                    let what = [&[*kind], rest].concat().join(" ");
                    to.leave(n + 1, format!("{number:04X} {what}: there is a device of this number already"));
                }
                if let Some((image, _)) = first.split_once(':').filter(|(image, _)| !image.trim_matches('0').is_empty())
                {
                    to.leave(n + 1, format!("{image}: there is one channel subsystem image here"));
                }
                if !new.is_empty() {
                    devices::device(to, n + 1, &new, kind, rest);
                }
            }
            (keyword, _) => parameter(to, n + 1, keyword, &words[1..]),
        }
    }
    to.reading.pop();
    Ok(())
}

/// The file that `name` stands for in `file`. Names begin where Hercules was started: in its folder or in one above.
fn included(file: &Path, name: &str) -> PathBuf {
    let name = name.replace('\\', "/");
    let found = file.ancestors().skip(1).map(|folder| folder.join(&name)).find(|file| file.exists());
    found.unwrap_or_else(|| file.with_file_name("").join(name))
}

fn include(file: &Path, to: &mut Imported, names: &mut HashMap<String, String>, line: usize) {
    let place = file.canonicalize();
    if to.lenient && place.is_err() {
        return;
    }
    if place.is_ok_and(|place| to.reading.contains(&place)) {
        return to.leave(line, format!("{} includes itself by this", file.display()));
    }
    if let Err(why) = read(file, to, names) {
        to.leave(line, why);
    }
}

/// `line` with the values of what it names: `$(NAME)`, and with what it is else `${NAME=default}` or
/// `${NAME:=default}`. The numbers of devices are filled in where these are known.
fn substituted(line: &str, names: &mut HashMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = match rest.as_bytes().get(1) {
            Some(b'(') => rest.find(')'),
            Some(b'{') => rest.find('}'),
            // Of $$(NAME) is left what follows the first.
            Some(b'$') if rest[2..].starts_with('(') => {
                let end = rest.find(')').map_or(rest.len(), |end| end + 1);
                out.push_str(&rest[1..end]);
                rest = &rest[end..];
                continue;
            }
            _ => None,
        };
        let Some(end) = end else {
            out.push('$');
            rest = &rest[1..];
            continue;
        };
        let (whole, inside) = (&rest[..=end], &rest[2..end]);
        rest = &rest[end + 1..];
        if ["CUU", "CCUU", "cuu", "ccuu"].contains(&inside) {
            out.push_str(whole);
            continue;
        }
        let (name, default) = match inside.split_once('=').filter(|_| whole.starts_with("${")) {
            Some((name, default)) => (name.trim_end_matches(':'), default),
            None => (inside, ""),
        };
        let known = names.get(name).cloned().or_else(|| std::env::var(name).ok());
        let value = known.unwrap_or_else(|| default.to_string());
        if whole.starts_with("${") {
            names.insert(name.to_string(), value.clone());
        }
        out.push_str(&value);
    }
    out.push_str(rest);
    out
}

/// The device numbers that `0200`, `0200-0207`, `0400.10` and `0:0200,0300` stand for; `None` if it is a keyword.
fn numbers(word: &str) -> Option<Vec<u16>> {
    let hex = |text: &str| (3..=4).contains(&text.len()).then(|| u16::from_str_radix(text, 16).ok())?;
    let word = word.split_once(':').map_or(word, |(_, numbers)| numbers);
    let mut found = Vec::new();
    for part in word.split(',') {
        let (first, last) = if let Some((first, last)) = part.split_once('-') {
            (hex(first)?, hex(last)?)
        } else if let Some((first, count)) = part.split_once('.') {
            let first = hex(first)?;
            (first, first.checked_add(count.parse::<u16>().ok()?.checked_sub(1)?)?)
        } else {
            (hex(part)?, hex(part)?)
        };
        found.extend(first..=last);
    }
    // FEED and the like are words, too, but no line of the field begins with one.
    (!found.is_empty()).then_some(found)
}

fn parameter(to: &mut Imported, line: usize, keyword: &str, rest: &[&str]) {
    let value = rest.first().copied().unwrap_or_default();
    to.known += 1;
    let one = ["MAINSIZE", "NUMCPU", "CPUSERIAL", "LOADPARM", "ARCHMODE", "ARCHLVL", "TZOFFSET"].contains(&keyword);
    if one && !(keyword == "ARCHLVL" && ["ENABLE", "DISABLE", "QUERY"].contains(&value.to_ascii_uppercase().as_str())) {
        to.surplus(line, keyword, rest.get(1..).unwrap_or_default());
    }
    match keyword {
        "MAINSIZE" if !value.is_empty() => {
            let unit = if value.ends_with(|c: char| c.is_ascii_digit()) { "M" } else { "" };
            to.storage = Some(format!("{}{unit}", value.to_uppercase()));
        }
        "NUMCPU" => match value.parse() {
            Ok(processors) => to.processors = processors,
            Err(_) => to.leave(line, format!("NUMCPU {value}: it is no number")),
        },
        "CPUSERIAL" if !value.is_empty() && value.len() <= 6 && value.bytes().all(|c| c.is_ascii_hexdigit()) => {
            to.serial = Some(format!("{:0>6}", value.to_uppercase()));
        }
        "LOADPARM" => to.loadparm = Some(value.to_uppercase()),
        "ARCHMODE" | "ARCHLVL" => match value.to_ascii_uppercase().as_str() {
            "S/370" | "370" => to.machine = Some("370"),
            "ESA/390" | "390" => to.machine = Some("ESA"),
            "Z/ARCH" | "ESAME" => to.machine = None,
            // ARCHLVL ENABLE switches facilities.
            _ => to.leave(line, format!("{keyword} {}: it is not known here", rest.join(" "))),
        },
        // How that program runs, not what the machine is.
        "CNSLPORT" | "OSTAILOR" | "PANRATE" | "PANTITLE" | "CPUPRIO" | "DEVPRIO" | "HERCPRIO" | "TODPRIO"
        | "DIAG8CMD" | "SHCMDOPT" | "LOGOPT" | "DEVTMAX" | "MODPATH" | "CONKPALV" | "TIMERINT" | "PGMPRDOS"
        | "CCKD" | "CODEPAGE" | "HTTPPORT" | "HTTPROOT" | "LDMOD" | "TODDRAG" | "IGNORE" | "DEFSYM" => {
            to.idle(line, format!("{keyword} {}", rest.join(" ")).trim_end().to_owned());
        }
        // Of what is said here when no other system's is asked for.
        "CPUMODEL"
        | "MODEL"
        | "PLANT"
        | "MANUFACTURER"
        | "LPARNAME"
        | "CPUVERID"
        | "MAXCPU"
        | "SYSEPOCH"
        | "YROFFSET"
        | "XPNDSIZE"
        | "ALRF"
        | "ASN_AND_LX_REUSE"
        | "ECPSVM"
        | "AUTOMOUNT"
        | "AUTO_SCSI_MOUNT"
        | "LEGACYSENSEID"
        | "MOUNTED_TAPE_REINIT"
        | "NUMVEC" => {
            to.leave(line, format!("{keyword} {}: it has no counterpart", rest.join(" ")));
        }
        "TZOFFSET" => {
            let (side, digits) = match value.strip_prefix('-') {
                Some(digits) => ("WEST", digits),
                None => ("EAST", value.strip_prefix('+').unwrap_or(value)),
            };
            match digits.parse::<u32>().map(|number| (number / 100, number % 100)) {
                Ok((hours @ 0..=14, minutes @ 0..=59)) => {
                    to.system.push(format!("TIMEZONE LCL {side} {hours:02}:{minutes:02}"));
                }
                _ => to.leave(line, format!("TZOFFSET {value}: it is no offset such as +0100")),
            }
        }
        keyword => {
            to.known -= 1;
            to.leave(line, format!("{keyword} {}: it is not known here", rest.join(" ")));
        }
    }
}

impl Imported {
    fn leave(&mut self, line: usize, why: String) {
        let said = self.said(line, why);
        self.left.push(said);
    }

    fn idle(&mut self, line: usize, why: String) {
        let said = self.said(line, why);
        self.idle.push(said);
    }

    fn said(&self, line: usize, why: String) -> Left {
        let included = if self.reading.len() > 1 { self.reading.last() } else { None };
        Left { file: included.map(|file| file.display().to_string()), line, why }
    }

    /// Operands after those that a statement has.
    fn surplus(&mut self, line: usize, keyword: &str, operands: &[&str]) {
        if !operands.is_empty() {
            self.leave(line, format!("{keyword} ... {}: it has no such operand", operands.join(" ")));
        }
    }

    fn text(&self, file: &Path) -> String {
        let mut out = format!(
            "* From {}.\n\n* For SYSTEM CONFIG; files are looked for in the system's folder.\n",
            file.display()
        );
        for line in &self.system {
            let _ = writeln!(out, "{line}");
        }
        let storage = self.storage.as_deref().unwrap_or("64M");
        let _ = writeln!(out, "\n* For USER DIRECT: choose a password with endicott password.");
        let _ = writeln!(out, "USER GUEST1 GUEST1 {storage} {storage} G");
        if let Some(machine) = self.machine {
            let _ = writeln!(out, "  MACHINE {machine}");
        }
        if let Some(serial) = &self.serial {
            let _ = writeln!(out, "  OPTION CPUID {serial}");
        }
        for processor in 0..self.processors.min(64) {
            let _ = writeln!(out, "  CPU {processor:02X}");
        }
        if let Some(loadparm) = &self.loadparm {
            let _ = writeln!(out, "* IPL with LOADPARM {loadparm}");
        }
        for line in &self.devices {
            let _ = writeln!(out, "  {line}");
        }
        for (what, said) in [("Not carried over:", &self.left), ("Without a meaning here:", &self.idle)] {
            if !said.is_empty() {
                let _ = writeln!(out, "\n* {what}");
            }
            for Left { file, line, why } in said {
                let of = file.as_ref().map_or(String::new(), |file| format!(" of {file}"));
                let _ = writeln!(out, "* line {line}{of}: {why}");
            }
        }
        out
    }
}

#[cfg(test)]
mod tests;
