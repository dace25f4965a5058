//! `endicott dasd import-hercules`: a Hercules configuration file as statements of ours.
//!
//! Disks become DASD statements of SYSTEM CONFIG (the image files are used as they are); unit record devices and consoles
//! become statements of a user who gets the disks dedicated, so that what ran bare there runs in a virtual machine here.
//! What has no counterpart is listed with its line.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

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
    /// What could not be carried over: line number and why.
    left: Vec<(usize, String)>,
}

/// Files included in one another, at most.
const DEPTH: usize = 8;

pub fn import(file: &Path) -> Result<(), String> {
    let mut imported = Imported::default();
    read(file, &mut imported, &mut HashMap::new(), 0)?;
    print!("{}", imported.text(file));
    Ok(())
}

fn read(file: &Path, to: &mut Imported, names: &mut HashMap<String, String>, depth: usize) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    for (n, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
        let line = substituted(line.split('#').next().unwrap_or_default(), names);
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [word, ..] if word.starts_with('*') => {}
            [word, name, ..] if word.eq_ignore_ascii_case("INCLUDE") => {
                let inner = file.parent().unwrap_or(Path::new("")).join(name.trim_matches('"'));
                if depth >= DEPTH {
                    to.left.push((n + 1, format!("{line}: files are included too deeply")));
                } else if let Err(why) = read(&inner, to, names, depth + 1) {
                    to.left.push((n + 1, why));
                }
            }
            [first, kind, rest @ ..] if numbers(first).is_some() => {
                let numbers = numbers(first).expect("it was just looked at");
                device(to, n + 1, &numbers, kind, rest);
            }
            [keyword, rest @ ..] => parameter(to, n + 1, keyword, rest),
        }
    }
    Ok(())
}

/// `line` with `${NAME}`, `${NAME=default}` and `${NAME:=default}` replaced.
fn substituted(line: &str, names: &mut HashMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("${") {
        let Some(length) = rest[at..].find('}') else { break };
        out.push_str(&rest[..at]);
        let inside = &rest[at + 2..at + length];
        let (name, default) = match inside.split_once('=') {
            Some((name, default)) => (name.trim_end_matches(':'), Some(default)),
            None => (inside, None),
        };
        let known = names.get(name).cloned().or_else(|| std::env::var(name).ok());
        let value = known.or(default.map(str::to_string)).unwrap_or_default();
        names.insert(name.to_string(), value.clone());
        out.push_str(&value);
        rest = &rest[at + length + 1..];
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
    let value = rest.first().copied().unwrap_or_default().trim_matches('"');
    match keyword.to_ascii_uppercase().as_str() {
        "MAINSIZE" if !value.is_empty() => {
            let unit = if value.ends_with(|c: char| c.is_ascii_digit()) { "M" } else { "" };
            to.storage = Some(format!("{}{unit}", value.to_uppercase()));
        }
        "NUMCPU" => to.processors = value.parse().unwrap_or(1),
        "CPUSERIAL" if !value.is_empty() && value.len() <= 6 && value.bytes().all(|c| c.is_ascii_hexdigit()) => {
            to.serial = Some(format!("{:0>6}", value.to_uppercase()));
        }
        "LOADPARM" => to.loadparm = Some(value.to_uppercase()),
        "ARCHMODE" | "ARCHLVL" => match value.to_ascii_uppercase().as_str() {
            "S/370" | "370" => to.machine = Some("370"),
            "ESA/390" | "390" => to.machine = Some("ESA"),
            _ => to.machine = None,
        },
        // How that program runs, not what the machine is.
        "CNSLPORT" | "OSTAILOR" | "PANRATE" | "PANTITLE" | "CPUPRIO" | "DEVPRIO" | "HERCPRIO" | "TODPRIO"
        | "DIAG8CMD" | "SHCMDOPT" | "LOGOPT" | "DEVTMAX" | "MODPATH" | "CONKPALV" | "TIMERINT" | "PGMPRDOS"
        | "DEFSYM" | "CCKD" => {}
        "TZOFFSET" => {
            let (sign, offset) = value.split_at(value.len().min(1));
            let side = if sign == "-" { "WEST" } else { "EAST" };
            if offset.len() == 4 && offset.is_ascii() {
                to.system.push(format!("TIMEZONE LCL {side} {}:{}", &offset[..2], &offset[2..]));
            }
        }
        keyword => to.left.push((line, format!("{keyword} {}: it has no counterpart", rest.join(" ")))),
    }
}

/// Device types that are disks: an image's own header says more.
const DISKS: &[&str] = &[
    "2305", "2311", "2314", "3330", "3340", "3350", "3375", "3380", "3390", "9345", "0671", "3310", "3370", "9313",
    "9332", "9335", "9336",
];

/// `file` with the number of its device where it says so.
fn named(file: &str, number: u16) -> String {
    let (short, long) = (format!("{:03X}", number & 0xfff), format!("{number:04X}"));
    let upper = file.replace("$(CUU)", &short).replace("$(CCUU)", &long);
    upper.replace("$(cuu)", &short.to_lowercase()).replace("$(ccuu)", &long.to_lowercase())
}

fn device(to: &mut Imported, line: usize, numbers: &[u16], kind: &str, rest: &[&str]) {
    let kind = kind.to_ascii_uppercase();
    let file = rest.first().copied().unwrap_or_default().trim_matches('"');
    let mut leave = |why: String| to.left.push((line, format!("{:04X} {kind}: {why}", numbers[0])));
    let base = kind.split('-').next().unwrap_or_default();
    if DISKS.contains(&base) {
        if file.is_empty() {
            return leave("it has no file".into());
        }
        // Each of several disks has a file of its own, named by its number.
        if numbers.len() > 1 {
            let lower = file.to_ascii_lowercase();
            if !lower.contains("$(cuu)") && !lower.contains("$(ccuu)") {
                return leave(format!("{} disks cannot be in one file", numbers.len()));
            }
            for &number in numbers {
                device(to, line, &[number], &kind, rest);
            }
            return;
        }
        let file = named(file, numbers[0]);
        let file = file.as_str();
        if file.contains(':') {
            return leave(format!("{file} is a disk of another computer; copy its image file here"));
        }
        let number = numbers[0];
        let mut options = String::new();
        for option in &rest[1..] {
            let option = option.to_ascii_lowercase();
            match option.split_once('=') {
                None if ["ro", "rdonly", "readonly"].contains(&option.as_str()) => options.push_str(" R/O"),
                // How its control unit and its cache are simulated is ours to say.
                None if ["rw", "fakewrite", "fakewrt", "lazywrite", "fulltrackio", "syncio", "nosyncio"]
                    .contains(&option.as_str()) => {}
                Some(("cu" | "ser" | "cyls" | "lazywrite", _)) => {}
                Some(("sf", template)) => leave(format!(
                    "its shadow files {template}: rename them to the disk's name with _s1, _s2 ... in front of the extension"
                )),
                _ => leave(format!("option {option}")),
            }
        }
        to.system.push(format!("DASD {number:04X} {file}{options}"));
        to.devices.push(format!("DEDICATE {number:04X} {number:04X}"));
        return;
    }
    let mut each =
        |statement: &str| to.devices.extend(numbers.iter().map(|n| statement.replace("vdev", &format!("{n:04X}"))));
    match base {
        "3215" | "1052" => each("CONSOLE vdev 3215"),
        "3270" | "3278" | "3287" => each("SPECIAL vdev 3270"),
        "3505" | "2501" => {
            each("SPOOL vdev 3505");
            if !file.is_empty() {
                leave(format!("its cards {file}: endicott punch puts them into the reader"));
            }
        }
        "2540" | "3525" => each("SPOOL vdev 3525"),
        "1403" | "3211" | "3203" => {
            each(&format!("SPOOL vdev {base}"));
            if !file.is_empty() {
                leave(format!("its output {file}: the printer's files are in the spool"));
            }
        }
        "3480" | "3490" => {
            let tape = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
            let tape = tape.filter(|_| numbers.len() == 1 && !file.is_empty() && file != "*");
            if let Some(tape) = &tape {
                leave(format!("its tape: put {file} into the folder tapes, as {tape}"));
            }
            let tape = tape.map_or(String::new(), |tape| format!(" {tape}"));
            to.system.extend(numbers.iter().map(|number| format!("TAPE {number:04X} {base}{tape}")));
            to.devices.extend(numbers.iter().map(|number| format!("DEDICATE {number:04X} {number:04X}")));
        }
        "3420" | "3410" | "3422" | "3430" | "3590" | "8809" | "9347" | "9348" => {
            leave("tape drives are 3480 and 3490 here; what is on AWSTAPE and HET tapes is the same".into())
        }
        "CTCA" | "CTCE" | "CTCI" | "LCS" | "QETH" | "OSA" | "OSD" | "3088" | "HCHAN" => {
            leave("this network device is not carried over".into())
        }
        _ => leave("the device type is unknown here".into()),
    }
}

impl Imported {
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
        if !self.left.is_empty() {
            let _ = writeln!(out, "\n* Not carried over:");
            for (line, why) in &self.left {
                let _ = writeln!(out, "* line {line}: {why}");
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_becomes_statements() {
        let folder = std::env::temp_dir().join(format!("endicott-import-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("hercules.cnf");
        let text = "\
# a system
ARCHMODE  z/Arch
MAINSIZE  256      # megabytes
NUMCPU    2
ECPSVM    yes
TZOFFSET  -0500
0009      3215-C / noprompt
000C      3505 deck.txt ascii
000E      1403 print.txt crlf
0200      3390 ${DIR=disks}/res.cckd cu=3990-6 ro
0201-0202 3390
0203      3390 disks/work.cckd sf=shadows/work_*.cckd
0400.4    3270
0580      3480 *
0581      3490 tapes/backup.het
0582      3420 old.aws
CPUSERIAL 611
0210.2    3390 disks/d$(CUU).$(ccuu) ro
INCLUDE   nowhere.cnf
";
        std::fs::write(&file, text).unwrap();
        let mut imported = Imported::default();
        read(&file, &mut imported, &mut HashMap::new(), 0).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            imported.system,
            [
                "TIMEZONE LCL WEST 05:00",
                "DASD 0200 disks/res.cckd R/O",
                "DASD 0203 disks/work.cckd",
                "TAPE 0580 3480",
                "TAPE 0581 3490 backup.het",
                "DASD 0210 disks/d210.0210 R/O",
                "DASD 0211 disks/d211.0211 R/O",
            ]
        );
        assert_eq!(imported.devices.len(), 3 + 4 + 4 + 2);
        assert!(imported.devices.contains(&"SPECIAL 0403 3270".into()));
        let lines: Vec<usize> = imported.left.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [5, 8, 9, 11, 12, 15, 16, 19]);
        let out = imported.text(&file);
        assert!(out.contains("USER GUEST1 GUEST1 256M 256M G\n") && out.contains("  CPU 01\n"), "{out}");
        assert!(out.contains("  OPTION CPUID 000611\n"), "{out}");
    }
}
