//! SYSTEM CONFIG: what the system itself is, a statement a line.
//!
//! ```text
//! * a comment
//! SYSTEM_IDENTIFIER ENDICOTT
//! OPERATOR_USERID   OPERATOR
//! SYSTEM_USERIDS    ACCOUNT1 DISKACNT
//! TIMEZONE          EST WEST 05:00
//! JOURNALING        FACILITY ON
//! PROCESSORS        4
//! STORAGE           512M
//! XSTORE            256M
//! PAGE              2G pages
//! TN3270            127.0.0.1:3270
//! TLS               CERTIFICATE server.pem KEY server.key
//! LOGMSG            Welcome.
//! DASD              0200 volumes/vmres.3390 SAFE
//! DASD              0201 "from elsewhere/my disk.3390" R/O
//! TAPE              0580 3490 BACKUP.HET R/O
//! CP_OWNED          SLOT 1 VMRES
//! USER_VOLUME_LIST  USR001 USR002
//! USER_VOLUME_INCLUDE LIN*
//! TDISK             VMRES 100 500
//! SUBSYSTEM         02 CACHE 64M NVS 4M TIMING ON
//! VDISK             SYSLIM 8G USERLIM 512M
//! VMLAN             MACPREFIX 02AB01
//! DEFINE            LAN LAN1 OWNERID SYSTEM
//! DEFINE            VSWITCH OUTSIDE UPLINK USER PUBLISH 8080:80
//! MODIFY            VSWITCH OUTSIDE GRANT LINUX1
//! ```

use dasd::Policy as WritePolicy;
use devices::dasd::ControlUnitModel;
use devices::tape::Model;
use hostside::networks::Networks;
use iucv::records::KINDS;
use lan::Kind;
use message::calendar::Zone;
use minidisk::policy::{Limits, Policy, Settings};
use nucleus::system::{LEAST, SystemConfig};
use say::words::words;
use std::path::{Path, PathBuf};
use tools::system::CONFIGURATION;

/// Without a PAGE statement there is so many times as much page space as real storage.
const PAGE_SPACE: u64 = 4;
/// The page file in the system's folder that is there with STORAGE, if no volume has PAGE areas, and with a PAGE
/// statement that names none.
const PAGE_FILE: &str = "pages";

/// A DASD statement: a host file is a real disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Dasd {
    /// The real device number.
    pub number: u16,
    pub file: PathBuf,
    pub read_only: bool,
    /// How soon writes survive the end of the host.
    pub policy: WritePolicy,
}

/// A TAPE statement: a drive, and perhaps the tape of the folder "tapes" that is on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TapeDrive {
    pub number: u16,
    pub model: Model,
    pub tape: Option<String>,
    pub ring: bool,
}

/// What SYSTEM CONFIG says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Configuration {
    pub system: SystemConfig,
    /// Where TN3270 clients are served.
    pub tn3270: Option<String>,
    /// The certificate and the private key, PEM files.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// The real disks, and which of them are whose.
    pub dasd: Vec<Dasd>,
    pub disks: Policy,
    pub tapes: Vec<TapeDrive>,
    /// The networks.
    pub networks: Networks,
    /// Sockets for virtual machines, if they have them.
    pub sockets: Option<tcpip::Settings>,
    /// How many processors, if it is said.
    pub processors: Option<u16>,
}

/// Reads the SYSTEM CONFIG in `folder`; a folder without one has the defaults. The error has a line for each mistake.
pub(crate) fn load(folder: &Path) -> Result<Configuration, String> {
    match read(folder) {
        (configuration, mistakes) if mistakes.is_empty() => Ok(configuration),
        (_, mistakes) => Err(mistakes.join("\n")),
    }
}

/// What the SYSTEM CONFIG in `folder` says as far as it is right, and each mistake in it.
pub(crate) fn read(folder: &Path) -> (Configuration, Vec<String>) {
    let path = folder.join(CONFIGURATION);
    match base::file::read(&path, base::file::TEXT) {
        Ok(bytes) => {
            let (mut configuration, wrong) = parse(&base::text::decode(&bytes), folder);
            let system = &mut configuration.system;
            if let (Some(real), true) = (system.real, system.page_volumes.is_empty()) {
                system.page_file = Some((folder.join(PAGE_FILE), PAGE_SPACE * real));
            }
            let told = |(line, why): (usize, String)| format!("{}:{line}: {why}", path.display());
            (configuration, wrong.into_iter().map(told).collect())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => (Configuration::default(), Vec::new()),
        Err(error) => (Configuration::default(), vec![format!("{} cannot be read: {error}", path.display())]),
    }
}

/// The good statements, and what is wrong with the others, each with its line.
fn parse(text: &str, folder: &Path) -> (Configuration, Vec<(usize, String)>) {
    let (mut configuration, mut wrong) = (Configuration::default(), Vec::new());
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('*') {
            continue;
        }
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let taken = statement(&mut configuration, &keyword.to_ascii_uppercase(), rest.trim(), folder);
        wrong.extend(taken.err().map(|why| (n + 1, why)));
    }
    (configuration, wrong)
}

fn statement(configuration: &mut Configuration, keyword: &str, rest: &str, folder: &Path) -> Result<(), String> {
    let words = words(rest, None);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let system = &mut configuration.system;
    match (keyword, words.as_slice()) {
        ("SYSTEM_IDENTIFIER" | "SYSTEM_IDENTIFIER_DEFAULT", [name]) if directory::is_userid(&name.to_uppercase()) => {
            system.name = name.to_uppercase();
        }
        ("OPERATOR_USERID", [name]) if directory::is_userid(&name.to_uppercase()) => {
            system.operator = name.to_uppercase();
        }
        ("SYSTEM_USERIDS", [_, _, ..]) if words.len().is_multiple_of(2) => collectors(system, &words)?,
        ("TIMEZONE", [name, side, offset]) if (3..=4).contains(&name.len()) => {
            system.zone = time_zone(name, side, offset)?;
        }
        ("JOURNALING", ["FACILITY" | "facility", on]) => system.journal = is_on("JOURNALING FACILITY", on)?,
        ("PROCESSORS", [number]) => match number.parse() {
            Ok(processors @ 1..=64) => configuration.processors = Some(processors),
            _ => return Err("PROCESSORS needs a number from 1 to 64".into()),
        },
        ("STORAGE", [size]) => {
            let bytes = megabytes(size).filter(|&bytes| bytes >= LEAST);
            let wrong = || format!("STORAGE {size} is not a size such as 256M, of {}M at least", LEAST >> 20);
            system.real = Some(bytes.ok_or_else(wrong)?);
        }
        ("XSTORE", [size]) => {
            let bytes = megabytes(size).filter(|&bytes| bytes > 0);
            system.expanded = bytes.ok_or_else(|| format!("XSTORE {size} is not a size such as 256M"))?;
        }
        ("PAGE", [size, rest @ ..]) if rest.len() <= 1 => {
            let bytes = megabytes(size).filter(|bytes| (1 << 20..=1 << 42).contains(bytes));
            let bytes = bytes.ok_or_else(|| format!("PAGE {size} is not a size such as 2G, of 4096G at most"))?;
            let path = folder.join(rest.first().unwrap_or(&PAGE_FILE));
            if system.page_volumes.iter().any(|(other, _)| *other == path) {
                return Err(format!("there is a PAGE statement for {} already", path.display()));
            }
            system.page_volumes.push((path, bytes));
        }
        ("TN3270", [address]) => configuration.tn3270 = Some(address.to_string()),
        ("TLS", ["CERTIFICATE" | "certificate", certificate, "KEY" | "key", key]) => {
            configuration.tls = Some((folder.join(certificate), folder.join(key)));
        }
        ("DASD", [number, file, options @ ..]) => {
            let dasd = dasd(number, file, options, folder)?;
            if configuration.dasd.iter().any(|other| other.number == dasd.number) {
                return Err(format!("there is a DASD {:04X} already", dasd.number));
            }
            configuration.dasd.push(dasd);
        }
        ("TAPE", [number, options @ ..]) => {
            let drive = tape(number, options)?;
            if configuration.tapes.iter().any(|other| other.number == drive.number) {
                return Err(format!("there is a TAPE {:04X} already", drive.number));
            }
            configuration.tapes.push(drive);
        }
        ("CP_OWNED", [word, slot, serial, rest @ ..]) if word.eq_ignore_ascii_case("SLOT") && rest.len() <= 1 => {
            own(&mut configuration.disks.owned, Some(slot), serial, rest.first().copied())?;
        }
        ("CP_OWNED", [serial]) => own(&mut configuration.disks.owned, None, serial, None)?,
        ("USER_VOLUME_LIST" | "USER_VOLUME_INCLUDE", [_, ..]) => {
            for serial in &words {
                configuration.disks.users.push(volume(serial)?);
            }
        }
        ("TDISK", ["STORAGE" | "storage" | "Storage", size]) => {
            let megabytes = size.strip_suffix(['M', 'm']).and_then(|n| n.parse().ok());
            configuration.disks.temporary_storage = megabytes.ok_or("TDISK STORAGE needs a size such as 500M")?;
        }
        ("TDISK", [serial, first, count]) => match (first.parse(), count.parse()) {
            (Ok(first), Ok(count @ 1..)) => configuration.disks.temporary.push((volume(serial)?, first, count)),
            _ => return Err("TDISK needs a volid, the first cylinder or block, and how many there are".into()),
        },
        ("SUBSYSTEM", [number, options @ ..]) => configuration.disks.subsystems.push(subsystem(number, options)?),
        ("VDISK", [what, size, rest @ ..]) => virtual_disks(&mut configuration.disks.limits, what, size, rest)?,
        ("DEFINE", ["LAN" | "lan" | "Lan", ..]) => configuration.networks.define(Kind::Lan, rest)?,
        ("DEFINE", ["VSWITCH" | "vswitch" | "Vswitch", ..]) => configuration.networks.define(Kind::Vswitch, rest)?,
        ("MODIFY", ["LAN" | "lan" | "Lan", ..]) => configuration.networks.modify(Kind::Lan, rest)?,
        ("MODIFY", ["VSWITCH" | "vswitch" | "Vswitch", ..]) => configuration.networks.modify(Kind::Vswitch, rest)?,
        ("VMLAN", _) => configuration.networks.system(rest)?,
        ("TCPIP", _) => configuration.sockets = tcpip::Settings::parse(rest)?,
        ("LOGMSG", _) => system.log_message.push(rest.to_string()),
        _ => {
            return Err(format!(
                "{keyword} {rest} is not a statement; expected SYSTEM_IDENTIFIER name, OPERATOR_USERID userid, \
                 SYSTEM_USERIDS ACCOUNT1|EREP1|SYMPTOM1 userid ..., JOURNALING FACILITY ON|OFF, \
                 TIMEZONE name EAST|WEST hh:mm, PROCESSORS n, STORAGE nM, XSTORE nM, PAGE nM file, \
                 TN3270 address:port, \
                 TLS CERTIFICATE file KEY file, \
                 DASD rdev file, TAPE rdev tape, CP_OWNED SLOT n volid, USER_VOLUME_LIST volid ..., \
                 USER_VOLUME_INCLUDE mask, TDISK volid first count, SUBSYSTEM nn TYPE model CACHE nM NVS nM PATHS n \
                 TIMING ON, VDISK SYSLIM nM USERLIM nM, DEFINE LAN name, DEFINE VSWITCH name UPLINK USER, \
                 MODIFY LAN|VSWITCH name GRANT userid, VMLAN MACPREFIX nnnnnn, TCPIP ON|OFF, or LOGMSG text"
            ));
        }
    }
    Ok(())
}

/// CP_OWNED [SLOT n] volid [OWN]: the volume is CP's, in this slot or in the next.
fn own(owned: &mut Vec<String>, slot: Option<&str>, serial: &str, how: Option<&str>) -> Result<(), String> {
    let slot = match slot.map(str::parse) {
        None => owned.len() + 1,
        Some(Ok(slot @ 1..=255)) => slot,
        Some(_) => return Err("CP_OWNED SLOT needs a number from 1 to 255".into()),
    };
    if let Some(how) = how.filter(|how| !how.eq_ignore_ascii_case("OWN")) {
        return Err(format!("CP_OWNED {how} is not done here: a volume is one system's (OWN)"));
    }
    let serial = volume(serial)?;
    if let Some(other) = owned.iter().position(|other| *other == serial) {
        return Err(format!("volume {serial} is in CP_OWNED SLOT {} already", other + 1));
    }
    if owned.len() < slot {
        owned.resize(slot, String::new());
    }
    match owned[slot - 1].is_empty() {
        true => owned[slot - 1] = serial,
        false => return Err(format!("CP_OWNED SLOT {slot} has volume {} already", owned[slot - 1])),
    }
    Ok(())
}

fn time_zone(name: &str, side: &str, offset: &str) -> Result<Zone, String> {
    let sign = match side.to_ascii_uppercase().as_str() {
        "WEST" => -1,
        "EAST" => 1,
        _ => return Err("TIMEZONE needs EAST or WEST before the offset".into()),
    };
    let (hours, minutes) = offset.split_once([':', '.']).unwrap_or((offset, "0"));
    let (hours, minutes) = (hours.parse::<i32>(), minutes.parse::<i32>());
    let (Ok(hours @ 0..=14), Ok(minutes @ 0..=59)) = (hours, minutes) else {
        return Err("TIMEZONE needs an offset such as 05:00".into());
    };
    Ok(Zone { name: name.to_uppercase(), offset: sign * (hours * 3600 + minutes * 60) })
}

fn is_on(what: &str, word: &str) -> Result<bool, String> {
    match word.to_ascii_uppercase().as_str() {
        "ON" => Ok(true),
        "OFF" => Ok(false),
        _ => Err(format!("{what} needs ON or OFF")),
    }
}

/// SYSTEM_USERIDS: which users collect which records.
fn collectors(system: &mut SystemConfig, words: &[&str]) -> Result<(), String> {
    for pair in words.as_chunks::<2>().0 {
        let [role, userid] = pair.map(str::to_ascii_uppercase);
        let kind = KINDS.iter().find(|(name, _)| role.strip_suffix('1') == Some(*name));
        let kind = kind.ok_or_else(|| format!("SYSTEM_USERIDS {role}: expected ACCOUNT1, EREP1 or SYMPTOM1"))?;
        if !directory::is_userid(&userid) {
            return Err(format!("SYSTEM_USERIDS {role} {userid}: {userid} is no user ID"));
        }
        system.collectors.retain(|(service, _)| *service != kind.1);
        system.collectors.push((kind.1, userid));
    }
    Ok(())
}

/// A size such as 64M, in bytes.
fn megabytes(word: &str) -> Option<u64> {
    let (digits, shift) = match word.strip_suffix(['G', 'g']) {
        Some(digits) => (digits, 30),
        None => (word.strip_suffix(['M', 'm'])?, 20),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// SUBSYSTEM nn [TYPE model] [CACHE nM] [NVS nM] [PATHS n] [TIMING ON|OFF]: the control unit of the real devices nn00
/// to nnFF.
fn subsystem(number: &str, options: &[&str]) -> Result<Settings, String> {
    let number = u8::from_str_radix(number, 16)
        .map_err(|_| format!("{number} is not a control unit: the left half of its device numbers, such as 02"))?;
    let mut settings = Settings::usual(number);
    // The model says what else there may be, wherever it stands.
    if let Some([_, name]) = options.chunks(2).find(|pair| pair[0].eq_ignore_ascii_case("TYPE")) {
        let model = ControlUnitModel::named(name).ok_or_else(|| {
            let names: Vec<_> = ControlUnitModel::all().iter().map(|model| model.name).collect();
            format!("{name} is not a control unit; expected one of {}", names.join(", "))
        })?;
        settings = Settings::of(number, model);
    }
    for pair in options.chunks(2) {
        let [what, value] = pair else { return Err(format!("{} needs a size such as 64M", pair[0])) };
        let bytes = |has: fn(&ControlUnitModel) -> u64, what: &str| {
            let bytes = megabytes(value).ok_or_else(|| format!("{value} is not a size such as 64M"))?;
            match settings.model.filter(|model| bytes > 0 && has(model) == 0) {
                Some(model) => Err(format!("a {} has no {what}", model.name)),
                None => Ok(bytes),
            }
        };
        match what.to_ascii_uppercase().as_str() {
            "TYPE" => (),
            "CACHE" => settings.cache = bytes(|model| model.cache, "cache")?,
            "NVS" => settings.storage = bytes(|model| model.storage, "non-volatile storage")?,
            "PATHS" => match value.parse() {
                Ok(paths @ 1..=8) => settings.paths = Some(paths),
                _ => return Err(format!("PATHS {value} is not a number from 1 to 8")),
            },
            "TIMING" if value.eq_ignore_ascii_case("ON") => settings.timed = true,
            "TIMING" if value.eq_ignore_ascii_case("OFF") => settings.timed = false,
            _ => {
                return Err(format!(
                    "{what} {value} is not valid for SUBSYSTEM; expected TYPE, CACHE, NVS, PATHS or TIMING ON"
                ));
            }
        }
    }
    Ok(settings)
}

/// VDISK SYSLIM nM USERLIM nM
fn virtual_disks(limits: &mut Limits, what: &str, size: &str, rest: &[&str]) -> Result<(), String> {
    let blocks = megabytes(size).ok_or_else(|| format!("{size} is not a size such as 512M"))? / 512;
    match what.to_ascii_uppercase().as_str() {
        "SYSLIM" => limits.system = Some(blocks),
        "USERLIM" => limits.user = Some(blocks),
        _ => return Err(format!("{what} is not valid for VDISK; expected SYSLIM or USERLIM")),
    }
    match rest {
        [] => Ok(()),
        [what, size, rest @ ..] => virtual_disks(limits, what, size, rest),
        [what] => Err(format!("{what} needs a size such as 512M")),
    }
}

/// A real device number.
fn device_number(word: &str) -> Result<u16, String> {
    let hexadecimal = (1..=4).contains(&word.len()).then(|| u16::from_str_radix(word, 16).ok()).flatten();
    hexadecimal.ok_or_else(|| format!("{word} is not a device number; expected one such as 0200"))
}

/// TAPE rdev [3420|3480|3490] [tape [R/O|R/W]]
fn tape(number: &str, options: &[&str]) -> Result<TapeDrive, String> {
    let mut drive = TapeDrive { number: device_number(number)?, model: Model::default(), tape: None, ring: true };
    for option in options {
        match option.to_ascii_uppercase().as_str() {
            "3420" => drive.model = Model::T3420,
            "3480" => drive.model = Model::T3480,
            "3490" => drive.model = Model::T3490,
            "R/O" => drive.ring = false,
            "R/W" => drive.ring = true,
            _ if drive.tape.is_none() => drive.tape = Some(option.to_string()),
            _ => return Err(format!("{option} is not valid for TAPE; expected 3420, 3480, 3490, a tape, R/O or R/W")),
        }
    }
    Ok(drive)
}

/// DASD rdev file [R/O|R/W] [THROUGH|SAFE|LAZY]
fn dasd(number: &str, file: &str, options: &[&str], folder: &Path) -> Result<Dasd, String> {
    let number = device_number(number)?;
    let mut dasd = Dasd { number, file: folder.join(file), read_only: false, policy: WritePolicy::default() };
    for option in options {
        match option.to_ascii_uppercase().as_str() {
            "R/O" => dasd.read_only = true,
            "R/W" => dasd.read_only = false,
            word => match WritePolicy::ALL.iter().find(|row| row.0 == word) {
                Some(&(_, policy)) => dasd.policy = policy,
                None => {
                    return Err(format!("{option} is not valid for DASD; expected R/O, R/W, THROUGH, SAFE or LAZY"));
                }
            },
        }
    }
    Ok(dasd)
}

fn volume(serial: &str) -> Result<String, String> {
    match (1..=6).contains(&serial.chars().count()) && serial.is_ascii() {
        true => Ok(serial.to_ascii_uppercase()),
        false => Err(format!("{serial} is not a volume serial; it has 1 to 6 characters")),
    }
}

/// The volume of the sample system: the file, in the system's folder, and the serial.
pub(crate) const VOLUME: (&str, &str) = ("volumes/vmres.3390", "VMRES");

/// The SYSTEM CONFIG of the sample system.
pub(crate) const SAMPLE: &str = "\
* SYSTEM CONFIG: what the system itself is. A line that begins with * is a comment.

* The name in the lower right corner of every display.
SYSTEM_IDENTIFIER ENDICOTT

* Whose console gets the operator's messages.
OPERATOR_USERID   OPERATOR

* The virtual machine that collects accounting records. It is started with the system, when that has CMS.
*SYSTEM_USERIDS   ACCOUNT1 DISKACNT

* Whether wrong passwords at LOGON, and LINK, have accounting records, too.
* JOURNALING        FACILITY ON

* Where TN3270 clients connect. An address other than 127.0.0.1 lets other computers in: give every user
* a password of their own first.
TN3270            127.0.0.1:3270

* The disks. Each is a host file, made with endicott dasd create, under a real device number; the paths begin at
* this folder. Writes survive the end of this program; SAFE brings them to the host's medium within two seconds, THROUGH
* before the guest goes on, LAZY when the host thinks fit. A volume is known by the serial in its label: minidisks may
* lie on those that CP owns or that users have; others are free for ATTACH and DEDICATE.
*
DASD 0200 volumes/vmres.3390
CP_OWNED SLOT 1 VMRES
* DASD 0201 volumes/lin001.3390 R/O
* USER_VOLUME_LIST LIN002 LIN003
USER_VOLUME_INCLUDE LIN*

* Tape drives. A tape is a file of the folder tapes (endicott tape create makes one); MOUNT puts it on a drive, ATTACH
* gives the drive to a user.
TAPE 0580
TAPE 0581

* Temporary disks (DEFINE T3390) lie on a volume (the first cylinder, and how many), or in so much of the host's
* storage.
TDISK VMRES 2339 1000
TDISK STORAGE 512M

* Virtual disks in storage: all of them, and those that one user defines.
* VDISK SYSLIM 8G USERLIM 512M

* The real devices 0200 to 02FF are at a control unit with a cache and non-volatile storage: what it would have done is
* counted (QUERY CACHE). With TIMING ON they take as long as real ones.
* SUBSYSTEM 02 CACHE 64M NVS 4M TIMING OFF

* Networks. Users connect network adapters to them (DEFINE NIC, COUPLE, or NICDEF in USER DIRECT). A guest LAN is among
* guests; a virtual switch may have an uplink. USER needs no privilege: a gateway at 10.0.2.2 to this computer's
* network. PASST, TAP, LISTEN and CALL are others (HELP SET).
DEFINE LAN LAN1 OWNERID SYSTEM
* DEFINE VSWITCH WEB UPLINK USER PUBLISH 8080:80
* MODIFY VSWITCH WEB GRANT LINUX1
* VMLAN MACPREFIX 02AB01

* Sockets for users whose entry in USER DIRECT has IUCV *TCPIP: they reach what this computer's network has. LISTEN says
* at which address of this computer their servers are (OFF: none); HOSTACCESS ON lets them reach this computer's own
* servers.
TCPIP ON LISTEN 127.0.0.1 HOSTACCESS OFF

* TLS CERTIFICATE server.pem KEY server.key
* TIMEZONE EST WEST 05:00
* PROCESSORS 4
* LOGMSG Welcome.
";

#[cfg(test)]
mod tests {
    use super::*;

    /// What is in a text without mistakes; else the first of them.
    fn good(text: &str, folder: &Path) -> Result<Configuration, (usize, String)> {
        let (configuration, wrong) = parse(text, folder);
        wrong.into_iter().next().map_or(Ok(configuration), Err)
    }

    #[test]
    fn the_sample_and_its_commented_statements_are_right() {
        let configuration = good(SAMPLE, Path::new("/system")).unwrap();
        assert_eq!(configuration.tn3270.as_deref(), Some("127.0.0.1:3270"));
        assert_eq!(configuration.dasd[0].file, Path::new("/system").join(VOLUME.0));
        assert_eq!(configuration.disks.owned, [VOLUME.1]);
        let all = "TIMEZONE EST WEST 05:00\nPROCESSORS 4\nTLS CERTIFICATE server.pem KEY server.key\nLOGMSG Welcome.";
        let configuration = good(all, Path::new("/system")).unwrap();
        assert_eq!(configuration.system.zone.offset, -18_000);
        assert_eq!(configuration.tls.unwrap().0, Path::new("/system/server.pem"));
        assert_eq!(configuration.processors, Some(4));
    }

    #[test]
    fn disks_are_host_files_under_device_numbers() {
        let text = "DASD 0200 volumes/res.cckd\nDASD a01 /abs/work R/O lazy\nCP_OWNED SLOT 1 VMRES\n\
                    DASD a02 \"my disks/a b\" R/O\nUSER_VOLUME_LIST USR001 usr002\nUSER_VOLUME_INCLUDE LIN*\nTDISK VMRES 100 500\nTDISK STORAGE 64M";
        let configuration = good(text, Path::new("/system")).unwrap();
        let disk = |number, file: &str, read_only, policy| Dasd { number, file: file.into(), read_only, policy };
        let expected = [
            disk(0x200, "/system/volumes/res.cckd", false, WritePolicy::Safe),
            disk(0xa01, "/abs/work", true, WritePolicy::Lazy),
            disk(0xa02, "/system/my disks/a b", true, WritePolicy::Safe),
        ];
        assert_eq!(configuration.dasd, expected);
        let disks = configuration.disks;
        assert_eq!(
            (disks.owned, disks.users),
            (vec!["VMRES".into()], vec!["USR001".into(), "USR002".into(), "LIN*".into()])
        );
        assert_eq!((disks.temporary, disks.temporary_storage), (vec![("VMRES".into(), 100, 500)], 64));
        let text = "SUBSYSTEM 0a CACHE 16M NVS 2M\nsubsystem 0b cache 0M timing on\nVDISK SYSLIM 1G USERLIM 1M";
        let disks = good(text, Path::new("")).unwrap().disks;
        let size = |number, cache: u64, storage: u64, timed| Settings {
            cache: cache << 20,
            storage: storage << 20,
            timed,
            ..Settings::usual(number)
        };
        assert_eq!(disks.subsystems, [size(10, 16, 2, false), size(11, 0, 4, true)]);
        // A type brings what it has; a size is no less valid before it.
        let text =
            "SUBSYSTEM 02 TYPE 3880-3 TIMING ON\nSUBSYSTEM 03 CACHE 16M TYPE 3880-23\nSUBSYSTEM 04 TYPE 3990-3 NVS 2M";
        let typed = good(text, Path::new("")).unwrap().disks.subsystems;
        let of = |n: usize| {
            let Settings { model, cache, storage, timed, .. } = typed[n];
            (model.map(|model| model.name), cache >> 20, storage >> 20, timed)
        };
        assert_eq!(
            [of(0), of(1), of(2)],
            [(Some("3880-3"), 0, 0, true), (Some("3880-23"), 16, 0, false), (Some("3990-3"), 64, 2, false)]
        );
        let paths = good("SUBSYSTEM 02 PATHS 4\nSUBSYSTEM 03 NVS 2M", Path::new("")).unwrap().disks.subsystems;
        assert_eq!(paths.iter().map(|settings| settings.paths).collect::<Vec<_>>(), [Some(4), None]);
        for (wrong, why) in [
            ("SUBSYSTEM 02 TYPE 3880-3 CACHE 8M", "a 3880-3 has no cache"),
            ("SUBSYSTEM 02 NVS 4M TYPE 3880-23", "a 3880-23 has no non-volatile storage"),
        ] {
            assert_eq!(good(wrong, Path::new("")).err(), Some((1, why.into())));
        }
        assert_eq!(disks.limits, Limits { system: Some(1 << 21), user: Some(2048) });
        for wrong in [
            "SUBSYSTEM XX",
            "SUBSYSTEM 02 CACHE",
            "SUBSYSTEM 02 SPEED 1M",
            "SUBSYSTEM 02 TIMING MAYBE",
            "SUBSYSTEM 02 TYPE 3880-99",
            "SUBSYSTEM 02 PATHS 0",
            "SUBSYSTEM 02 PATHS 9",
            "SUBSYSTEM 02 TYPE",
            "VDISK SYSLIM 12",
            "VDISK ALL 1M",
        ] {
            assert!(matches!(good(wrong, Path::new("")), Err((1, _))), "{wrong}");
        }
        assert!(matches!(good("DASD 200 a\nDASD 0200 b", Path::new("")), Err((2, _))));
        let tapes = good("TAPE 0580\nTAPE 581 3480 first.aws r/o", Path::new("")).unwrap().tapes;
        assert_eq!((tapes[0].number, tapes[0].model, tapes[0].ring), (0x580, Model::T3490, true));
        assert_eq!((tapes[1].model, tapes[1].tape.as_deref(), tapes[1].ring), (Model::T3480, Some("first.aws"), false));
        assert_eq!(good("TAPE 0480 3420 a.aws", Path::new("")).unwrap().tapes[0].model, Model::T3420);
        assert!(matches!(good("TAPE 0580\nTAPE 580", Path::new("")), Err((2, _))));
        assert!(matches!(good("TAPE x", Path::new("")), Err((1, _))));
        assert!(matches!(good("DASD 200 a FAST", Path::new("")), Err((1, _))));
    }

    #[test]
    fn volumes_of_cp_have_slots() {
        let owned = |text: &str| good(text, Path::new("")).map(|configuration| configuration.disks.owned);
        let text = "CP_OWNED SLOT 3 vmpag1 OWN\nCP_Owned Slot 1 VMRES\nCP_OWNED VMPAG2";
        assert_eq!(owned(text).unwrap(), ["VMRES", "", "VMPAG1", "VMPAG2"]);
        for (wrong, why) in [
            ("CP_OWNED SLOT 0 VMRES", "CP_OWNED SLOT needs a number from 1 to 255"),
            ("CP_OWNED SLOT 256 VMRES", "CP_OWNED SLOT needs a number from 1 to 255"),
            ("CP_OWNED SLOT ONE VMRES", "CP_OWNED SLOT needs a number from 1 to 255"),
            ("CP_OWNED SLOT 1 TOOLONG", "TOOLONG is not a volume serial; it has 1 to 6 characters"),
            ("CP_OWNED SLOT 1 VMRES SHARED", "CP_OWNED SHARED is not done here: a volume is one system's (OWN)"),
        ] {
            assert_eq!(owned(wrong), Err((1, why.into())));
        }
        let twice = "CP_OWNED SLOT 1 VMRES\nCP_OWNED SLOT 1 VMPAG1\nCP_OWNED SLOT 2 VMRES";
        let wrong = parse(twice, Path::new("")).1;
        assert_eq!(
            wrong,
            [
                (2, "CP_OWNED SLOT 1 has volume VMRES already".into()),
                (3, "volume VMRES is in CP_OWNED SLOT 1 already".into())
            ]
        );
        let page = |text: &str| good(text, Path::new("")).map(|configuration| configuration.system);
        assert_eq!(page("STORAGE 64M\nPAGE 1G x").unwrap().page_volumes, [("x".into(), 1 << 30)]);
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        assert!(matches!(good("* x\nPROCESSORS many", Path::new("")), Err((2, _))));
        assert!(matches!(good("FROB", Path::new("")), Err((1, _))));
        assert_eq!(good("XSTORE 2G", Path::new("")).unwrap().system.expanded, 2 << 30);
        assert_eq!(good("STORAGE 16M", Path::new("")).unwrap().system.real, Some(16 << 20));
        for wrong in [
            "STORAGE",
            "STORAGE 15M",
            "STORAGE 64",
            "STORAGE 1G 2G",
            "XSTORE",
            "XSTORE 0M",
            "XSTORE 64",
            "XSTORE 17179869184G",
            "XSTORE 1M 2M",
        ] {
            assert!(matches!(good(wrong, Path::new("")), Err((1, _))), "{wrong}");
        }
        // All of them at once, and what is right stands.
        let text = "PROCESSORS many\nFROB\nOPERATOR_USERID OP\n* TAPE y\nTAPE x\nDASD 200 a\nDASD 200 b";
        let (configuration, wrong) = parse(text, Path::new(""));
        assert_eq!(wrong.iter().map(|wrong| wrong.0).collect::<Vec<_>>(), [1, 2, 5, 7]);
        assert_eq!((configuration.system.operator.as_str(), configuration.dasd.len()), ("OP", 1));
    }
}
