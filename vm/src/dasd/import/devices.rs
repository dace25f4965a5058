//! What the devices of a Hercules configuration become.

use super::Imported;
use crate::words::quoted;
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
