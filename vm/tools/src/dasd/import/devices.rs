//! What the devices of a Hercules configuration become.

use super::Imported;
use say::words::quoted;
use std::net::IpAddr;
use std::path::Path;

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

/// What is said of a device's operands.
#[derive(Default)]
struct Said {
    /// What could not be carried over, and what there is to do about it.
    left: Vec<String>,
    /// What says how that program does it, which here is ours to say.
    idle: Vec<String>,
}

impl Said {
    fn left(why: String) -> Said {
        Said { left: vec![why], idle: Vec::new() }
    }

    /// Operands that nothing here is like.
    fn without(mut self, options: &[&str]) -> Said {
        if !options.is_empty() {
            self.left.push(format!("{}: nothing here does that", options.join(" ")));
        }
        self
    }
}

pub(super) fn device(to: &mut Imported, line: usize, numbers: &[u16], kind: &str, rest: &[&str]) {
    let kind = kind.to_ascii_uppercase();
    let base = kind.split('-').next().unwrap_or_default();
    let file = rest.first().copied().unwrap_or_default();
    let disk = DISKS.contains(&base);
    let by_number = ["$(cuu)", "$(ccuu)"].iter().any(|name| file.to_ascii_lowercase().contains(name));
    if disk && numbers.len() > 1 && by_number {
        return numbers.iter().for_each(|&number| device(to, line, &[number], &kind, rest));
    }
    let said = match (disk, numbers) {
        (true, _) if file.is_empty() => Said::left("it has no file".into()),
        (true, &[number]) => self::disk(to, number, base, &named(file, number), &rest[1..]),
        // Each of several disks has a file of its own.
        (true, _) => Said::left(format!("{} disks cannot be in one file {}", numbers.len(), rest.join(" "))),
        (false, _) => other(to, numbers, base, rest),
    };
    let of = |why| format!("{:04X} {kind}: {why}", numbers[0]);
    said.left.into_iter().for_each(|why| to.leave(line, of(why)));
    said.idle.into_iter().for_each(|why| to.idle(line, of(why)));
}

/// A disk in `file`. What of it could not be carried over.
fn disk(to: &mut Imported, number: u16, base: &str, file: &str, options: &[&str]) -> Said {
    let file = &file.replace('\\', "/");
    if file.as_bytes().get(1) == Some(&b':') && file.as_bytes()[0].is_ascii_alphabetic() {
        let own = file.rsplit(['/', ':']).next().unwrap_or_default();
        let why = format!("{file} is on Windows; with its file here, DASD {number:04X} {}", quoted(own));
        return Said::left(why).without(options);
    }
    if file.contains(':') || file.parse::<IpAddr>().is_ok() {
        return Said::left(format!("{file} is a disk of another computer; copy its image file here")).without(options);
    }
    // Of a file with fixed blocks, two numbers may name a part, or all.
    let options = match options {
        ["0" | "*", "*", rest @ ..] | ["*", rest @ ..] if FIXED_BLOCK.contains(&base) => rest,
        options => options,
    };
    if let Some(Ok(origin)) = options.first().map(|option| option.parse::<u64>())
        && FIXED_BLOCK.contains(&base)
    {
        let size = options.get(1).copied().filter(|size| size.parse::<u64>().is_ok() || *size == "*");
        let count = size.filter(|size| *size != "*").unwrap_or("END");
        let rest = &options[1 + usize::from(size.is_some())..];
        return Said::left(format!(
            "a part of {file}, which is a minidisk here: DASD for all of the file under a number of its own, and \
             MDISK {number:04X} FB-512 {origin} {count} with the volume's serial instead of DEDICATE"
        ))
        .without(rest);
    }
    let (mut said, mut ours, mut written) = (Said::default(), "", false);
    // With shadow files it is the base that may not be written: what is written goes to them.
    let shadowed = options.iter().any(|option| option.to_ascii_lowercase().starts_with("sf="));
    for option in options {
        let lower = option.to_ascii_lowercase();
        match lower.split_once('=') {
            None if ["ro", "rdonly", "readonly"].contains(&lower.as_str()) && shadowed => {
                said.idle
                    .push(format!("{option}: it protects the base, which with shadow files is not written anyway"));
            }
            None if ["ro", "rdonly", "readonly"].contains(&lower.as_str()) => ours = " R/O",
            None if lower == "rw" => written = true,
            // Writes seem to be done there, and the file stays as it is.
            None if ["fakewrite", "fakewrt", "fw"].contains(&lower.as_str()) => {
                ours = " R/O";
                said.left.push(format!("option {option}: the disk is R/O, and writes are rejected"));
            }
            None if ["lazywrite", "nolazywrite", "fulltrackio", "fulltrkio", "ftio", "nofulltrackio"]
                .contains(&lower.as_str())
                || ["syncio", "nosyncio", "syio", "nosyio"].contains(&lower.as_str()) =>
            {
                said.idle.push(option.to_string());
            }
            Some(("cu", model)) => said.idle.push(format!(
                "{option}: SUBSYSTEM {:02X} TYPE {} gives all of {0:02X}00 to {0:02X}FF such a control unit",
                number >> 8,
                model.to_uppercase()
            )),
            Some(("ser" | "cyls" | "lazywrite", _)) => said.idle.push(option.to_string()),
            Some(("sf", _)) => said.left.push(format!(
                "its shadow files {}: rename them to the disk's name with _s1, _s2 ... before the extension",
                &option[3..]
            )),
            _ => said.left.push(format!("option {option}: nothing here does that")),
        }
    }
    match (written, ours) {
        (true, "") => ours = " R/W",
        (true, _) => said.left.push("option rw: another one makes the disk R/O".into()),
        (false, _) => {}
    }
    to.system.push(format!("DASD {number:04X} {}{ours}", quoted(file)));
    to.devices.push(format!("DEDICATE {number:04X} {number:04X}"));
    said
}

/// Options of card readers, punches and printers, which stand among the names of files.
const UNIT_RECORD: &[&str] = &[
    "ascii",
    "ebcdic",
    "trunc",
    "noautopad",
    "autopad",
    "eof",
    "intrq",
    "multifile",
    "sockdev",
    "crlf",
    "append",
    "noclear",
    "rawcc",
    "nofcbcheck",
    "fcbcheck",
    "nostopprt",
    "stopprt",
    "noautoeject",
];

/// Devices that are no disks. What of them could not be carried over.
fn other(to: &mut Imported, numbers: &[u16], base: &str, operands: &[&str]) -> Said {
    let has_console = to.devices.iter().any(|device| device.starts_with("CONSOLE "));
    let mut each =
        |statement: &str| to.devices.extend(numbers.iter().map(|n| statement.replace("vdev", &format!("{n:04X}"))));
    let all = operands.join(" ");
    let more = if all.is_empty() { String::new() } else { format!(" ({all})") };
    let option = |word: &&&str| word.contains('=') || UNIT_RECORD.contains(&word.to_ascii_lowercase().as_str());
    let files: Vec<&str> = operands.iter().filter(|word| !option(word)).copied().collect();
    let mut options: Vec<&str> = operands.iter().filter(option).copied().collect();
    match base {
        "3215" | "1052" if has_console => {
            Said::left(format!("a user has one console; another 3215{more} is for another user"))
        }
        "3215" | "1052" => {
            to.devices.push(format!("CONSOLE {:04X} 3215", numbers[0]));
            let mut said = Said::default();
            if numbers.len() > 1 {
                said.left.push(format!("a user has one console; {} more are for other users", numbers.len() - 1));
            }
            said.idle.extend(operands.iter().map(|word| word.to_string()));
            said
        }
        "3270" | "3278" | "3287" => {
            each("SPECIAL vdev 3270");
            match all.is_empty() {
                true => Said::default(),
                false => Said::left(format!("{all}: any terminal that connects may DIAL the user")),
            }
        }
        "3505" | "2501" => {
            each("SPOOL vdev 3505");
            let text = options.iter().any(|word| word.eq_ignore_ascii_case("ascii"));
            options
                .retain(|word| files.is_empty() || !["ascii", "ebcdic"].contains(&word.to_ascii_lowercase().as_str()));
            let how = if text { "endicott punch --text" } else { "endicott punch" };
            let said = match files.as_slice() {
                [] => Said::default(),
                files => Said::left(format!("its cards {}: {how} puts them into the reader", files.join(" "))),
            };
            said.without(&options)
        }
        "2540" | "3525" => {
            each("SPOOL vdev 3525");
            let said = match files.as_slice() {
                [] => Said::default(),
                files => Said::left(format!("its cards go to the spool, not to {}", files.join(" "))),
            };
            said.without(&options)
        }
        "1403" | "3211" | "3203" => {
            each(&format!("SPOOL vdev {base}"));
            let said = match files.as_slice() {
                [] => Said::default(),
                files => Said::left(format!("its output {}: the printer's files are in the spool", files.join(" "))),
            };
            said.without(&options)
        }
        "3420" | "3480" | "3490" => tape(to, numbers, base, operands),
        "3410" | "3422" | "3430" | "3590" | "8809" | "9347" | "9348" => Said::left(format!(
            "tape drives are 3420, 3480 and 3490 here; what is on AWSTAPE and HET tapes is the same{more}"
        )),
        "CTCA" | "CTCE" | "CTCI" | "CTCT" | "VMNET" | "LCS" | "QETH" | "OSA" | "OSD" | "3088" | "HCHAN" => {
            Said::left(format!("this network device is not carried over{more}"))
        }
        _ => Said::left(format!("the device type is unknown here{more}")),
    }
}

/// A tape drive, with the tape that is on it. What of it could not be carried over.
fn tape(to: &mut Imported, numbers: &[u16], base: &str, operands: &[&str]) -> Said {
    let file = operands.first().copied().unwrap_or_default();
    let (mut said, mut protected, mut written, mut rest) = (Said::default(), false, None, Vec::new());
    for option in operands.iter().skip(1) {
        match option.to_ascii_lowercase().as_str() {
            "ro" | "noring" | "readonly" | "rdonly" => protected = true,
            "rw" | "ring" => written = Some(option),
            "awstape" | "het" | "compress=1" | "method=1" => said.idle.push(option.to_string()),
            _ => rest.push(*option),
        }
    }
    if let Some(option) = written.filter(|_| protected) {
        said.left.push(format!("option {option}: another one takes the ring off the tape"));
    }
    let real = file.starts_with("/dev/") || file.starts_with(r"\\.\");
    let list = file.strip_prefix('@');
    let name = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.filter(|_| numbers.len() == 1 && !real && list.is_none() && file != "*");
    let tape = name.as_ref().map_or(String::new(), |tape| format!(" {}", quoted(tape)));
    // Without a tape there is nothing yet that has a ring.
    let ring = if protected && name.is_some() { " R/O" } else { "" };
    to.system.extend(numbers.iter().map(|number| format!("TAPE {number:04X} {base}{tape}{ring}")));
    to.devices.extend(numbers.iter().map(|number| format!("DEDICATE {number:04X} {number:04X}")));
    match (&name, list) {
        _ if real => said.left.push(format!("{file}: tapes are files here, in the folder tapes")),
        (_, Some(list)) => said.left.push(format!(
            "@{list} is a list of tapes, which are not changed without an operator: put each of them into the folder \
             tapes, and MOUNT them one after the other"
        )),
        (Some(tape), _) => said.left.push(format!("its tape: put {file} into the folder tapes, as {tape}")),
        _ if file.is_empty() || file == "*" => {}
        _ => said.left.push(format!("its tapes {file}: put them into the folder tapes, and MOUNT them")),
    }
    if protected && name.is_none() {
        said.left.push("its tapes are to be read only: MOUNT them R/O".into());
    }
    said.without(&rest)
}
