//! The operands of the device statements.

use crate::entry::Entry;
use crate::is_userid;
use crate::model::*;
use crate::network;
use crate::operands::{Operands, Problem, VDEV, abbreviates, decimal, device_number, problem, vdev};
use crate::password::LinkPassword;

const MODE: &str = "R, RR, W, WR, M, MR or MW, perhaps with V";

fn spool_class(word: &str) -> Option<char> {
    let mut chars = word.chars();
    let class = chars.next().filter(char::is_ascii_alphanumeric)?;
    chars.next().is_none().then_some(class)
}

fn volume(word: &str) -> Option<String> {
    (1..=6).contains(&word.chars().count()).then(|| word.to_string())
}

/// CONSOLE vdev 3210|3215|3270 [class] [secondary-user [OBSERVER]]
pub(crate) fn console(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let number = vdev(operands)?;
    let device = operands.parse("3210, 3215 or 3270", |word| match word {
        "3210" => Some(3210),
        "3215" => Some(3215),
        "3270" => Some(3270),
        _ => None,
    })?;
    let class = operands.optional("a spool class, A to Z or 0 to 9", spool_class)?.unwrap_or('T');
    let secondary = operands.optional("the secondary user", |w| is_userid(w).then(|| w.to_string()))?;
    let observer = operands.optional("OBSERVER", |w| abbreviates(w, "OBSERVER", "OBS").then_some(()))?.is_some();
    entry.add(number, DeviceKind::Console(Console { device, class, secondary, observer }), operands.line())
}

/// Types of unit record devices; 2540 alone is two machines in one.
static UNIT_RECORD: &[(&str, SpoolKind)] = &[
    ("2501", SpoolKind::Reader),
    ("3505", SpoolKind::Reader),
    ("3525", SpoolKind::Punch),
    ("1403", SpoolKind::Printer),
    ("1443", SpoolKind::Printer),
    ("3203", SpoolKind::Printer),
    ("3211", SpoolKind::Printer),
    ("3262", SpoolKind::Printer),
    ("3289", SpoolKind::Printer),
    ("3800", SpoolKind::Printer),
    ("3800-1", SpoolKind::Printer),
    ("3800-3", SpoolKind::Printer),
    ("3800-8", SpoolKind::Printer),
    ("4245", SpoolKind::Printer),
    ("4248", SpoolKind::Printer),
    ("AFP1", SpoolKind::Printer),
    ("VAFP", SpoolKind::Printer),
];

/// SPOOL vdev type [class]
pub(crate) fn spool(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let number = vdev(operands)?;
    let expected = "2540 READER, 2540 PUNCH, 1403, 3203, 3211, 3505, 3525 or another unit record device";
    let device = operands.need(expected)?;
    let kind = if device == "2540" {
        operands.parse("READER or PUNCH", |word| {
            let kinds = [("READER", SpoolKind::Reader), ("PUNCH", SpoolKind::Punch)];
            kinds.into_iter().find(|(name, _)| abbreviates(word, name, &name[..1])).map(|(_, kind)| kind)
        })?
    } else {
        let found = UNIT_RECORD.iter().find(|row| row.0 == device).map(|row| row.1);
        found.ok_or_else(|| problem(format!("{device} is not a unit record device"), expected))?
    };
    let class = match kind {
        SpoolKind::Reader => operands
            .optional("a spool class, A to Z, 0 to 9 or *", |w| if w == "*" { Some('*') } else { spool_class(w) })?
            .unwrap_or('*'),
        _ => operands.optional("a spool class, A to Z or 0 to 9", spool_class)?.unwrap_or('A'),
    };
    if operands.peek().is_some() {
        // Form width and length, character sets: of printers that print on paper.
        operands.rest();
        entry.unused.push("form and width".into());
    }
    entry.add(number, DeviceKind::Spool(SpoolDevice { device, kind, class }), operands.line())
}

/// SPECIAL vdev type [operands]
pub(crate) fn special(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    const TYPES: &[&str] = &[
        "CTCA", "3088", "CNC", "FCTC", "SCTC", "3270", "3138", "3148", "3158", "TIMER", "2701", "2702", "2703",
        "MSGPROC", "MSGD", "IEDN", "INMN",
    ];
    let number = vdev(operands)?;
    let device =
        operands.parse("3270, CTCA, 3088, TIMER, VIRTIO, QDIO, HIPERS, LCS or another special device", |w| {
            let adapter = AdapterType::ALL.iter().any(|kind| kind.name() == w);
            (adapter || TYPES.contains(&w)).then(|| w.to_string())
        })?;
    if let Some(kind) = AdapterType::of(&device) {
        let nic = network::special(kind, operands, entry)?;
        return entry.add(number, DeviceKind::Nic(nic), operands.line());
    }
    let rest = operands.rest().to_uppercase();
    // Of 3270s the operands name real lines and terminals; of adapters a user; of others there is no device.
    match device.as_str() {
        "3270" if rest.is_empty() => (),
        "3270" => entry.unused.push(format!("3270 {rest}")),
        "CTCA" | "3088" if rest.is_empty() || rest == "*" || is_userid(&rest) => (),
        "CTCA" | "3088" => return Err(problem(format!("{rest} is not a userid"), "the user who may couple, or *")),
        _ => entry.unused.push(device.clone()),
    }
    let rest = rest.split_whitespace().map(str::to_string).collect();
    entry.add(number, DeviceKind::Special { device, operands: rest }, operands.line())
}

/// DEDICATE vdev [DEVNO|VOLID] rdev|volume [R/O] [NOASSIST] [MULTIUSER] [NOIOASSIST]
pub(crate) fn dedicate(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let number = vdev(operands)?;
    let word = operands.need("a real device number or a volume serial")?;
    let real = match word.as_str() {
        "DEVNO" => RealDevice::Number(operands.parse("a real device number", device_number)?),
        "VOLID" => RealDevice::Volume(operands.parse("a volume serial of 1 to 6 characters", volume)?),
        // What can be read as a number is one; VOLID says otherwise.
        _ => match (device_number(&word), volume(&word)) {
            (Some(rdev), _) => RealDevice::Number(rdev),
            (_, Some(volume)) => RealDevice::Volume(volume),
            _ => {
                let expected = "a real device number or a volume serial of 1 to 6 characters";
                return Err(problem(format!("{word} is not valid here"), expected));
            }
        },
    };
    let mut read_only = false;
    while let Some(word) = operands.next() {
        match word.as_str() {
            "R/O" | "READONLY" => read_only = true,
            "NOASSIST" | "MULTIUSER" | "SINGLEUSER" | "NOIOASSIST" | "NOQIOASSIST" => entry.unused.push(word),
            _ => return Err(problem(format!("{word} is not valid here"), "R/O, NOASSIST, MULTIUSER or NOIOASSIST")),
        }
    }
    entry.add(number, DeviceKind::Dedicate { real, read_only }, operands.line())?;
    // A device of one's own may be controlled, unless DASDOPT says otherwise.
    if let Some(device) = entry.user.devices.last_mut() {
        device.dasd.control = DasdControl::Device;
    }
    Ok(())
}

/// LINK userid vdev [as-vdev [mode]]
pub(crate) fn link(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let userid = operands
        .parse("the owner's userid, or * for the user itself", |w| (w == "*" || is_userid(w)).then(|| w.to_string()))?;
    let theirs = vdev(operands)?;
    let ours = operands.optional(VDEV, device_number)?.unwrap_or(theirs);
    let mode = operands.optional(MODE, LinkMode::parse)?.unwrap_or(LinkMode { access: Access::RR, reserve: false });
    entry.add(ours, DeviceKind::Link { userid, vdev: theirs, mode }, operands.line())
}

static DISK_TYPES: &[&str] = &[
    "3390", "3380", "9345", "3375", "3350", "3340", "3330", "2314", "2319", "2311", "2305", "2305-1", "2305-2",
    "FB-512", "3310", "3370", "9313", "9332", "9335", "9336", "0671",
];

/// The largest virtual disk, 2 GB, in blocks.
const MAX_VDISK: u32 = 4 * 1024 * 1024;

/// MDISK vdev type start count|END volume [mode [read [write [multiple]]]]
/// MDISK vdev type DEVNO rdev [mode ...] | T-DISK count [mode ...] | V-DISK blocks [mode ...]
pub(crate) fn mdisk(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    const COUNT: &str = "a number of cylinders or blocks, at least 1";
    let number = vdev(operands)?;
    let device = operands
        .parse("3390, 3380, 9345, FB-512 or another disk type", |w| DISK_TYPES.contains(&w).then(|| w.to_string()))?;
    let count = |w: &str| decimal(w).and_then(|n| u32::try_from(n).ok()).filter(|&n| n > 0);
    let start = operands.need("the first cylinder or block, DEVNO, T-DISK or V-DISK")?;
    let extent = match start.as_str() {
        "DEVNO" => Extent::Device(operands.parse("a real device number", device_number)?),
        "T-DISK" => Extent::Temporary(operands.parse(COUNT, count)?),
        "V-DISK" => {
            if device != "FB-512" {
                return Err(problem(format!("a virtual disk cannot be a {device}"), "FB-512"));
            }
            let blocks = count_vdisk(operands)?;
            Extent::Virtual(blocks)
        }
        _ => {
            let start = decimal(&start).and_then(|n| u32::try_from(n).ok()).ok_or_else(|| {
                problem(format!("{start} is not valid here"), "the first cylinder or block, in decimal")
            })?;
            let count = operands.parse("a number of cylinders or blocks, or END", |w| {
                if w == "END" { Some(None) } else { count(w).map(Some) }
            })?;
            if count.is_some_and(|n| start.checked_add(n).is_none()) {
                return Err(problem("the minidisk ends beyond every volume", "a smaller start or count"));
            }
            let volume = operands.parse("a volume serial of 1 to 6 characters", volume)?;
            Extent::Volume { volume, start, count }
        }
    };
    let temporary = matches!(extent, Extent::Temporary(_) | Extent::Virtual(_));
    let access = if temporary { Access::MR } else { Access::W };
    let mode = operands.optional(MODE, LinkMode::parse)?.unwrap_or(LinkMode { access, reserve: false });
    let mut clear = Vec::new();
    let mut link_password = |which: usize| {
        // A password is never repeated in a message.
        match operands.next() {
            None => Ok(LinkPassword::Nobody),
            Some(word) if word == "ALL" => Ok(LinkPassword::All),
            Some(word) if word.chars().count() <= 8 => {
                clear.push((number, which, word));
                Ok(LinkPassword::Nobody)
            }
            Some(_) => Err(problem("a password has more than 8 characters", "1 to 8 characters, or ALL")),
        }
    };
    let (read, write, multiple) = (link_password(0)?, link_password(1)?, link_password(2)?);
    let disk = Mdisk { device, extent, mode, read, write, multiple, cache: None, bypass: false, records: false };
    entry.add(number, DeviceKind::Mdisk(disk), operands.line())?;
    entry.clear_links.append(&mut clear);
    Ok(())
}

fn count_vdisk(operands: &mut Operands) -> Result<u32, Problem> {
    operands.parse("a number of blocks, 1 to 4194304 (2 GB)", |w| {
        let blocks = decimal(w).and_then(|n| u32::try_from(n).ok()).filter(|n| (1..=MAX_VDISK).contains(n))?;
        Some(blocks.next_multiple_of(8))
    })
}

/// MINIOPT CACHE|NOCACHE|MDC|NOMDC|RECORDMDC ..., after the MDISK it is about
pub(crate) fn miniopt(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    let (mut cache, mut bypass, mut records) = (None, None, None);
    let mut word = operands.need("CACHE, NOCACHE, MDC, NOMDC or RECORDMDC")?;
    loop {
        match word.as_str() {
            "MDC" => (cache, records) = (Some(true), Some(false)),
            "NOMDC" => (cache, records) = (Some(false), Some(false)),
            "CACHE" => bypass = Some(false),
            "NOCACHE" => bypass = Some(true),
            "RECORDMDC" => (cache, records) = (Some(true), Some(true)),
            _ => return Err(problem(format!("{word} is not valid here"), "CACHE, NOCACHE, MDC, NOMDC or RECORDMDC")),
        }
        match operands.next() {
            Some(next) => word = next,
            None => break,
        }
    }
    match entry.user.devices.last_mut().map(|d| &mut d.kind) {
        Some(DeviceKind::Mdisk(disk)) => {
            disk.cache = cache.or(disk.cache);
            disk.bypass = bypass.unwrap_or(disk.bypass);
            disk.records = records.unwrap_or(disk.records);
            Ok(())
        }
        _ => Err(problem("there is no MDISK before it", "MINIOPT after the MDISK it is about")),
    }
}

/// DASDOPT DEVCTL|NODEVCTL|SYSCTL [WORKALLEG|NOWORKALLEG], after the DEDICATE, MDISK or LINK it is about
pub(crate) fn dasdopt(operands: &mut Operands, entry: &mut Entry) -> Result<(), Problem> {
    const EXPECTED: &str = "DEVCTL, NODEVCTL, SYSCTL, WORKALLEG or NOWORKALLEG";
    let mut options = entry.user.devices.last().map_or(DasdOptions::default(), |device| device.dasd);
    let mut word = operands.need(EXPECTED)?;
    loop {
        match word.as_str() {
            "DEVCTL" => options.control = DasdControl::Device,
            "NODEVCTL" => options.control = DasdControl::None,
            "SYSCTL" => options.control = DasdControl::Subsystem,
            "WORKALLEG" => options.working_allegiance = true,
            "NOWORKALLEG" => options.working_allegiance = false,
            _ => return Err(problem(format!("{word} is not valid here"), EXPECTED)),
        }
        match operands.next() {
            Some(next) => word = next,
            None => break,
        }
    }
    match entry.user.devices.last_mut() {
        Some(device)
            if matches!(device.kind, DeviceKind::Dedicate { .. } | DeviceKind::Mdisk(_) | DeviceKind::Link { .. }) =>
        {
            device.dasd = options;
            Ok(())
        }
        _ => Err(problem("there is no disk before it", "DASDOPT after the DEDICATE, MDISK or LINK it is about")),
    }
}
