//! `endicott dasd import-hercules`: a Hercules configuration file as statements of ours.
//!
//! Disks become DASD statements of SYSTEM CONFIG (the image files are used as they are); unit record devices and
//! consoles become statements of a user who gets the disks dedicated, so that what ran bare there runs in a virtual
//! machine here. What has no counterpart is listed with its line.

use crate::words::{quoted, words};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::net::IpAddr;
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
    crate::say::print(format_args!("{}", imported.text(file)));
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
            ("INCLUDE", [_, name, ..]) => {
                to.known += 1;
                include(&included(file, name), to, names, n + 1);
            }
            ("INCLUDE", _) => to.leave(n + 1, "INCLUDE names no file".into()),
            ("IGNORE", [_, what, ..]) if what.eq_ignore_ascii_case("INCLUDE_ERRORS") => to.lenient = true,
            ("DEFSYM", [_, name, rest @ ..]) => {
                names.insert(name.to_string(), rest.first().copied().unwrap_or_default().to_string());
            }
            (_, [first, kind, rest @ ..]) if numbers(first).is_some() => {
                to.known += 1;
                let (new, again): (Vec<u16>, Vec<u16>) =
                    numbers(first).expect("it was just looked at").into_iter().partition(|&n| to.numbers.insert(n));
                for number in again {
                    to.leave(n + 1, format!("{number:04X} {kind}: there is a device of this number already"));
                }
                if !new.is_empty() {
                    device(to, n + 1, &new, kind, rest);
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
        | "CCKD" | "CODEPAGE" | "HTTPPORT" | "HTTPROOT" | "LDMOD" | "TODDRAG" | "IGNORE" | "DEFSYM" => {}
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

/// Device types that are disks: an image's own header says more.
const DISKS: &[&str] = &[
    "2305", "2311", "2314", "3330", "3340", "3350", "3375", "3380", "3390", "9345", "0671", "3310", "3370", "9313",
    "9332", "9335", "9336",
];
const FIXED_BLOCK: &[&str] = &["0671", "3310", "3370", "9313", "9332", "9335", "9336"];

/// `file` with the number of its device where it says so.
fn named(file: &str, number: u16) -> String {
    let (short, long) = (format!("{:03X}", number & 0xfff), format!("{number:04X}"));
    let upper = file.replace("$(CUU)", &short).replace("$(CCUU)", &long);
    upper.replace("$(cuu)", &short.to_lowercase()).replace("$(ccuu)", &long.to_lowercase())
}

fn device(to: &mut Imported, line: usize, numbers: &[u16], kind: &str, rest: &[&str]) {
    let kind = kind.to_ascii_uppercase();
    let base = kind.split('-').next().unwrap_or_default();
    let file = rest.first().copied().unwrap_or_default();
    let disk = DISKS.contains(&base);
    let by_number = ["$(cuu)", "$(ccuu)"].iter().any(|name| file.to_ascii_lowercase().contains(name));
    if disk && numbers.len() > 1 && by_number {
        return numbers.iter().for_each(|&number| device(to, line, &[number], &kind, rest));
    }
    let left = match (disk, numbers) {
        (true, _) if file.is_empty() => vec!["it has no file".into()],
        (true, &[number]) => self::disk(to, number, base, &named(file, number), &rest[1..]),
        // Each of several disks has a file of its own.
        (true, _) => vec![format!("{} disks cannot be in one file", numbers.len())],
        (false, _) => other(to, numbers, base, file),
    };
    left.into_iter().for_each(|why| to.leave(line, format!("{:04X} {kind}: {why}", numbers[0])));
}

/// A disk in `file`. What of it could not be carried over.
fn disk(to: &mut Imported, number: u16, base: &str, file: &str, options: &[&str]) -> Vec<String> {
    let file = &file.replace('\\', "/");
    if file.as_bytes().get(1) == Some(&b':') && file.as_bytes()[0].is_ascii_alphabetic() {
        let own = file.rsplit(['/', ':']).next().unwrap_or_default();
        return vec![format!("{file} is on Windows; with its file here, DASD {number:04X} {}", quoted(own))];
    }
    if file.contains(':') || file.parse::<IpAddr>().is_ok() {
        return vec![format!("{file} is a disk of another computer; copy its image file here")];
    }
    // Of a file with fixed blocks, two numbers may name a part, or all.
    let options = match options {
        ["0" | "*", "*", rest @ ..] | ["*", rest @ ..] if FIXED_BLOCK.contains(&base) => rest,
        options => options,
    };
    if let Some(Ok(origin)) = options.first().map(|option| option.parse::<u64>())
        && FIXED_BLOCK.contains(&base)
    {
        let count = options.get(1).and_then(|option| option.parse::<u64>().ok());
        let size = count.map_or("END".into(), |count| count.to_string());
        return vec![format!(
            "a part of {file}, which is a minidisk here: DASD for all of the file under a number of its own, and MDISK {number:04X} FB-512 {origin} {size} \
             with the volume's serial instead of DEDICATE"
        )];
    }
    let (mut left, mut ours) = (Vec::new(), String::new());
    for option in options {
        let lower = option.to_ascii_lowercase();
        match lower.split_once('=') {
            None if ["ro", "rdonly", "readonly"].contains(&lower.as_str()) => ours.push_str(" R/O"),
            // Writes seem to be done there, and the file stays as it is.
            None if ["fakewrite", "fakewrt", "fw"].contains(&lower.as_str()) => {
                ours.push_str(" R/O");
                left.push(format!("option {option}: the disk is R/O, and writes are rejected"));
            }
            // How its control unit and its cache are simulated is ours to say.
            None if ["rw", "lazywrite", "fulltrackio", "fulltrkio", "ftio", "syncio", "nosyncio", "syio"]
                .contains(&lower.as_str()) => {}
            Some(("cu" | "ser" | "cyls" | "lazywrite", _)) => {}
            Some(("sf", _)) => left.push(format!(
                "its shadow files {}: rename them to the disk's name with _s1, _s2 ... in front of the extension",
                &option[3..]
            )),
            _ => left.push(format!("option {option}")),
        }
    }
    to.system.push(format!("DASD {number:04X} {}{ours}", quoted(file)));
    to.devices.push(format!("DEDICATE {number:04X} {number:04X}"));
    left
}

/// Devices that are no disks. What of them could not be carried over.
fn other(to: &mut Imported, numbers: &[u16], base: &str, file: &str) -> Vec<String> {
    let has_console = to.devices.iter().any(|device| device.starts_with("CONSOLE "));
    let mut each =
        |statement: &str| to.devices.extend(numbers.iter().map(|n| statement.replace("vdev", &format!("{n:04X}"))));
    let with_file = |why: String| if file.is_empty() { Vec::new() } else { vec![why] };
    match base {
        "3215" | "1052" if has_console => {
            return vec!["a user has one console; another 3215 is for another user".into()];
        }
        "3215" | "1052" => to.devices.push(format!("CONSOLE {:04X} 3215", numbers[0])),
        "3270" | "3278" | "3287" => each("SPECIAL vdev 3270"),
        "3505" | "2501" => {
            each("SPOOL vdev 3505");
            return with_file(format!("its cards {file}: endicott punch puts them into the reader"));
        }
        "2540" | "3525" => each("SPOOL vdev 3525"),
        "1403" | "3211" | "3203" => {
            each(&format!("SPOOL vdev {base}"));
            return with_file(format!("its output {file}: the printer's files are in the spool"));
        }
        "3480" | "3490" => {
            let real = file.starts_with("/dev/") || file.starts_with(r"\\.\");
            let tape = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
            let tape = tape.filter(|_| numbers.len() == 1 && !real && file != "*");
            let name = tape.as_ref().map_or(String::new(), |tape| format!(" {}", quoted(tape)));
            to.system.extend(numbers.iter().map(|number| format!("TAPE {number:04X} {base}{name}")));
            to.devices.extend(numbers.iter().map(|number| format!("DEDICATE {number:04X} {number:04X}")));
            if real {
                return vec![format!("{file}: tapes are files here, in the folder tapes")];
            }
            if tape.is_none() && file != "*" {
                return with_file(format!("its tapes {file}: put them into the folder tapes, and MOUNT them"));
            }
            let put = |tape| format!("its tape: put {file} into the folder tapes, as {tape}");
            return tape.map(put).into_iter().collect();
        }
        "3420" | "3410" | "3422" | "3430" | "3590" | "8809" | "9347" | "9348" => {
            return vec!["tape drives are 3480 and 3490 here; what is on AWSTAPE and HET tapes is the same".into()];
        }
        "CTCA" | "CTCE" | "CTCI" | "LCS" | "QETH" | "OSA" | "OSD" | "3088" | "HCHAN" => {
            return vec!["this network device is not carried over".into()];
        }
        _ => return vec!["the device type is unknown here".into()],
    }
    Vec::new()
}

impl Imported {
    fn leave(&mut self, line: usize, why: String) {
        let included = if self.reading.len() > 1 { self.reading.last() } else { None };
        self.left.push(Left { file: included.map(|file| file.display().to_string()), line, why });
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
        if !self.left.is_empty() {
            let _ = writeln!(out, "\n* Not carried over:");
            for Left { file, line, why } in &self.left {
                let of = file.as_ref().map_or(String::new(), |file| format!(" of {file}"));
                let _ = writeln!(out, "* line {line}{of}: {why}");
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_editors_leave_in_a_file_is_no_part_of_it() {
        let file = std::env::temp_dir().join(format!("endicott-marks-{}.cnf", std::process::id()));
        std::fs::write(&file, "\u{feff}ARCHMODE S/370\r\nMAINSIZE 16\r\n0200 3390 a.cckd\r\n\u{1a}").expect("a folder");
        let mut imported = Imported::default();
        read(&file, &mut imported, &mut HashMap::new()).expect("it is text");
        std::fs::remove_file(&file).expect("it is ours");
        assert_eq!(imported.machine, Some("370"));
        assert!(imported.left.is_empty() && imported.storage.is_some() && imported.system.len() == 1, "{imported:?}");
    }

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
        read(&file, &mut imported, &mut HashMap::new()).unwrap();
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
        let lines: Vec<usize> = imported.left.iter().map(|left| left.line).collect();
        assert_eq!(lines, [5, 8, 9, 11, 12, 15, 16, 19]);
        let out = imported.text(&file);
        assert!(out.contains("USER GUEST1 GUEST1 256M 256M G\n") && out.contains("  CPU 01\n"), "{out}");
        assert!(out.contains("  OPTION CPUID 000611\n"), "{out}");
    }

    /// A folder with these files, which goes with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[(&str, &[u8])]) -> Folder {
            let folder = std::env::temp_dir().join(format!("endicott-import-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            files.iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
            Folder(folder)
        }

        fn read(&self, name: &str) -> Result<Imported, String> {
            let mut imported = Imported::default();
            read(&self.0.join(name), &mut imported, &mut HashMap::new()).map(|()| imported)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn names_have_blanks_and_symbols() {
        let text = br#"
DEFSYM  DISKS  "my disks"
defsym  PLAIN  disks
0200    3390   "$(DISKS)/res # 1.cckd" ro       # the system
0201    3390   $(PLAIN)/a$$(b).cckd
0202    3390   '$(ENDICOTT_NO_SUCH)x.cckd' sf="old shadows_*.cckd"
0203,0205 3340 "$(DISKS)/d.$(CUU)"
0580    3490   "tapes/my tape.het"
"#;
        let folder = Folder::new("names", &[("a.cnf", text)]);
        let imported = folder.read("a.cnf").unwrap();
        assert_eq!(
            imported.system,
            [
                "DASD 0200 \"my disks/res # 1.cckd\" R/O",
                "DASD 0201 disks/a$(b).cckd",
                "DASD 0202 x.cckd",
                "DASD 0203 \"my disks/d.203\"",
                "DASD 0205 \"my disks/d.205\"",
                "TAPE 0580 3490 \"my tape.het\"",
            ]
        );
        assert!(imported.left[0].why.contains("its shadow files old shadows_*.cckd"), "{:?}", imported.left);
    }

    #[test]
    fn a_part_of_a_fixed_block_file_is_a_minidisk() {
        let text = b"0300 3370 all.fba\n0301 9336 all.fba 1000 500\n0302 3370 all.fba 2000 *\n0303 3390 odd.cckd 7\n";
        let folder = Folder::new("part", &[("a.cnf", text)]);
        let imported = folder.read("a.cnf").unwrap();
        assert_eq!(imported.system, ["DASD 0300 all.fba", "DASD 0303 odd.cckd"]);
        let left: Vec<(usize, bool)> = imported
            .left
            .iter()
            .zip(["MDISK 0301 FB-512 1000 500 ", "MDISK 0302 FB-512 2000 END ", "option 7"])
            .map(|(left, why)| (left.line, left.why.contains(why)))
            .collect();
        assert_eq!(left, [(2, true), (3, true), (4, true)], "{:?}", imported.left);
    }

    #[test]
    fn included_files_are_named_and_read_once() {
        let outer = b"MAINSIZE 32\nINCLUDE\nINCLUDE inner.cnf\nINCLUDE nowhere.cnf\n\
                      ignore include_errors\nINCLUDE nowhere.cnf\nINCLUDE \"inner.cnf\"\n";
        let inner = b"0009 3215-C\nFROB 7\nINCLUDE outer.cnf\n";
        let folder = Folder::new("include", &[("outer.cnf", outer), ("inner.cnf", inner)]);
        let imported = folder.read("outer.cnf").unwrap();
        assert_eq!(imported.devices, ["CONSOLE 0009 3215"]);
        let text = imported.text(Path::new("outer.cnf"));
        let left: Vec<&str> = text.lines().skip_while(|line| *line != "* Not carried over:").skip(1).collect();
        let inner = folder.0.canonicalize().unwrap().join("inner.cnf");
        assert_eq!(left.len(), 7, "{text}");
        assert!(
            left.iter().any(|left| left.ends_with(": 0009 3215-C: there is a device of this number already")),
            "{text}"
        );
        assert_eq!(left[0], "* line 2: INCLUDE names no file");
        assert_eq!(left[1], format!("* line 2 of {}: FROB 7: it is not known here", inner.display()));
        assert!(
            left[2].starts_with("* line 3 of ") && left[2].ends_with("outer.cnf includes itself by this"),
            "{text}"
        );
        assert!(left[3].starts_with("* line 4: ") && left[3].contains("nowhere.cnf: No such file"), "{text}");
    }

    #[test]
    fn what_is_no_configuration_is_refused() {
        let files: [(&str, &[u8]); 3] = [
            ("disk", b"CKD_P370\x0f\0\0\0"),
            ("letter", b"Dear Sir,\nthank you for your letter.\n"),
            ("empty", b"# \n"),
        ];
        let folder = Folder::new("refused", &files);
        let refused = ["disk", "letter", "empty", "none"].map(|name| import(&folder.0.join(name)).unwrap_err());
        assert!(refused[0].ends_with("disk is not a configuration, which is text: byte 8 is X'0F'"), "{refused:?}");
        assert!(refused[1].ends_with("letter is not a Hercules configuration: it has no line of one"), "{refused:?}");
        assert!(refused[2].ends_with("it has no line of one") && refused[3].contains("No such file"), "{refused:?}");
    }

    /// Systems that are sold ready to run have their parts in a folder beside the disks, and are started from there.
    #[test]
    fn names_of_included_files_begin_in_a_folder_above() {
        let folder = Folder::new("above", &[]);
        std::fs::create_dir(folder.0.join("conf")).unwrap();
        std::fs::write(folder.0.join("conf/all.cnf"), "INCLUDE conf/part.cnf\n").unwrap();
        std::fs::write(folder.0.join("conf/part.cnf"), "0200 3390 x\n").unwrap();
        let imported = folder.read("conf/all.cnf").unwrap();
        assert_eq!((imported.system, imported.left), (vec!["DASD 0200 x".to_string()], vec![]));
        // A file that only includes what is not there is a configuration, too.
        std::fs::write(folder.0.join("conf/all.cnf"), "INCLUDE conf/none.cnf\n").unwrap();
        let imported = folder.read("conf/all.cnf").unwrap();
        assert!(imported.known == 1 && imported.left[0].why.contains("none.cnf: No such file"), "{:?}", imported.left);
    }

    /// Lines of configurations that are published, each with what it becomes and what is said of it.
    #[test]
    fn lines_as_others_write_them() {
        const LINES: &[(&str, &[&str], &str)] = &[
            ("0A80 3390 disks\\res.cckd", &["DASD 0A80 disks/res.cckd"], ""),
            (
                "0A85 3390 C:/ZOS110/zadb83.cckd sf=shadow/zadb83_*",
                &[],
                "is on Windows; with its file here, DASD 0A85 zadb83.cckd",
            ),
            ("0123 3380 192.168.1.100", &[], "192.168.1.100 is a disk of another computer"),
            ("0123 3380 server:3990:0200", &[], "server:3990:0200 is a disk of another computer"),
            ("0A84 3390 x.cckd FW", &["DASD 0A84 x.cckd R/O"], "option FW: the disk is R/O"),
            ("0A84 3390 x.cckd SF=Old/X_*", &["DASD 0A84 x.cckd"], "its shadow files Old/X_*"),
            ("0A84 3390 x.cckd FTIO SyIO CU=3990-6 RO", &["DASD 0A84 x.cckd R/O"], ""),
            ("0140 9336 dosres.140 0 *", &["DASD 0140 dosres.140"], ""),
            ("0140 9336 dosres.140 * ro", &["DASD 0140 dosres.140 R/O"], ""),
            ("0140 9336 dosres.140 0 500", &[], "FB-512 0 500"),
            ("0590 3480 /dev/nst0 --no-erg", &["TAPE 0590 3480"], "/dev/nst0: tapes are files here"),
            ("0590 3490 \\\\.\\Tape0", &["TAPE 0590 3490"], "tapes are files here"),
            ("0590.2 3480 t/$(CUU).aws", &["TAPE 0590 3480", "TAPE 0591 3480"], "its tapes t/$(CUU).aws"),
            ("TZOFFSET +0930", &["TIMEZONE LCL EAST 09:30"], ""),
            ("TZOFFSET 0", &["TIMEZONE LCL EAST 00:00"], ""),
            ("TZOFFSET +2500", &[], "TZOFFSET +2500: it is no offset"),
            ("NUMCPU two", &[], "NUMCPU two: it is no number"),
            ("ARCHLVL ENABLE asn_lx_reuse", &[], "ARCHLVL ENABLE asn_lx_reuse: it is not known here"),
            ("0590.2 3480 *", &["TAPE 0590 3480", "TAPE 0591 3480"], ""),
            ("0009 3215-C\n001F 3215-C", &[], "001F 3215-C: a user has one console"),
            ("0200 3390 a\n0200 3390 b", &["DASD 0200 a"], "0200 3390: there is a device of this number already"),
        ];
        for (line, system, said) in LINES {
            let folder = Folder::new("lines", &[("a.cnf", line.as_bytes())]);
            let imported = folder.read("a.cnf").unwrap();
            assert_eq!(imported.system, *system, "{line}");
            let left: Vec<&str> = imported.left.iter().map(|left| left.why.as_str()).collect();
            assert_eq!(left.len(), usize::from(!said.is_empty()), "{line}: {left:?}");
            assert!(left.iter().all(|why| why.contains(said)), "{line}: {left:?}");
        }
    }
}
