//! `endicott directory check`: all that is wrong with a system, without starting it.
//!
//! Mistakes in SYSTEM CONFIG and USER DIRECT come first, each with its line; then what the good statements name and
//! what is not there: host files, volumes, users, devices. What need not be wrong is told, too, and does not count.

use crate::configuration::{self, Configuration};
use crate::volumes;
use ::directory::{Device, DeviceKind, Directory, Extent, RealDevice, User};
use dasd::allocation::Allocation;
use dasd::{Image, ImageError, Options, Volume};
use minidisk::real;
use nucleus::owned;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tape::{Tape, TapeError};
use terminals::tls;
use tools::system::load_directory;

/// What is to be done.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Tells every mistake in USER DIRECT and SYSTEM CONFIG, and what they name that is not there; the system is not
    /// started, and may be running. Exit code 1: there is one.
    Check {
        /// The folder of the system.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// Does it; `false`: something is wrong.
pub(crate) fn directory(command: &Command) -> Result<bool, String> {
    let Command::Check { folder } = command;
    if !folder.is_dir() {
        return Err(format!("there is no folder {}", folder.display()));
    }
    let found = check(folder);
    found.wrong.iter().for_each(|line| say!("{line}"));
    found.notes.iter().for_each(|line| say!("note: {line}"));
    match found.wrong.len() {
        0 => say!("Nothing is wrong."),
        count => say!("{}: {count} to mend", folder.display()),
    }
    Ok(found.wrong.is_empty())
}

/// What was found, a line each.
#[derive(Default)]
struct Found {
    wrong: Vec<String>,
    /// What need not be wrong.
    notes: Vec<String>,
}

/// A volume of SYSTEM CONFIG.
struct Disk {
    number: u16,
    /// Empty if the volume has none, or if it cannot be looked at now.
    serial: String,
    /// Cylinders or blocks; `None`: it cannot be looked at.
    size: Option<u64>,
    /// A program has it, so it is there.
    in_use: bool,
    /// A system may only read it.
    read_only: bool,
    /// The volume itself, if it can be looked at.
    volume: Option<Arc<dyn Volume>>,
}

fn check(folder: &Path) -> Found {
    let mut found = Found::default();
    let (configuration, wrong) = configuration::read(folder);
    found.wrong.extend(wrong);
    if let Some((certificate, key)) = &configuration.tls {
        found.wrong.extend(tls::configuration(certificate, key).err());
    }
    let disks = found.disks(&configuration);
    found.tapes(&configuration, folder);
    let directory = match load_directory(folder) {
        Ok(directory) => directory,
        Err(why) => {
            found.wrong.extend(why.lines().map(str::to_owned));
            return found;
        }
    };
    found.wrong.extend(directory.mistakes.iter().map(ToString::to_string));
    found.notes.extend(directory.accepted_but_unused.iter().map(|unused| format!("{unused}: read, but not used here")));
    let operator = &configuration.system.operator;
    if directory.user(operator).is_none() {
        found.wrong.push(format!("OPERATOR_USERID: there is no user {operator}"));
    }
    let system = System { configuration: &configuration, directory: &directory, disks: &disks };
    for user in &directory.users {
        user.devices.iter().for_each(|device| found.wrong.extend(system.device(user, device)));
        let others = user.xautolog.iter().chain(&user.logonby);
        let missing = others.filter(|name| directory.user(name).is_none());
        found.notes.extend(missing.map(|name| format!("{}: {} names {name}, who is no user", user.place, user.userid)));
    }
    found.wrong.extend(system.owned());
    found.notes.extend(system.overlaps());
    found
}

impl Found {
    /// The disks; what is wrong with their files.
    fn disks(&mut self, configuration: &Configuration) -> Vec<Disk> {
        let mut disks = Vec::new();
        for disk in &configuration.dasd {
            let number = disk.number;
            let (mut serial, mut size, mut in_use, mut volume) = (String::new(), None, false, None);
            match Image::open(&disk.file, Options { read_only: true, ..Options::default() }) {
                Ok(image) => {
                    self.notes.extend(image.notices().iter().map(|notice| format!("DASD {number:04X}: {notice}")));
                    serial = real::serial(&*image).unwrap_or_default();
                    size = Some(real::size(&image.kind()).0);
                    volume = Some(image as Arc<dyn Volume>);
                }
                Err(error @ ImageError::InUse { .. }) => {
                    in_use = true;
                    self.notes.push(format!("DASD {number:04X} is not looked at: {error}"));
                }
                Err(error) => self.wrong.push(format!("DASD {number:04X}: {error}")),
            }
            let closed = std::fs::metadata(&disk.file).is_ok_and(|found| found.permissions().readonly());
            disks.push(Disk { number, serial, size, in_use, read_only: disk.read_only || closed, volume });
        }
        let serials: Vec<(u16, &str)> = disks.iter().map(|disk| (disk.number, disk.serial.as_str())).collect();
        self.wrong.extend(volumes::same_serials(&serials));
        disks
    }

    fn tapes(&mut self, configuration: &Configuration, folder: &Path) {
        let mut mounted = HashSet::new();
        for drive in &configuration.tapes {
            let Some(name) = &drive.tape else { continue };
            if !mounted.insert(name) {
                self.wrong.push(format!("TAPE {:04X}: {name} is on another drive", drive.number));
                continue;
            }
            match Tape::open(&folder.join(volumes::TAPES).join(name), false) {
                Ok(tape) => self.notes.extend(tape.notice()),
                Err(TapeError::InUse) => self.notes.push(format!("TAPE {:04X}: {name} is in use", drive.number)),
                Err(error) => self.wrong.push(format!("TAPE {:04X}: {name}: {error}", drive.number)),
            }
        }
    }
}

/// What there is, for what statements of the directory name.
struct System<'a> {
    configuration: &'a Configuration,
    directory: &'a Directory,
    disks: &'a [Disk],
}

impl System<'_> {
    /// What is wrong with what a device statement names.
    fn device(&self, user: &User, device: &Device) -> Option<String> {
        let (what, why) = match &device.kind {
            DeviceKind::Mdisk(disk) => ("MDISK", self.minidisk(&disk.extent)?),
            DeviceKind::Link { userid, vdev, .. } => {
                let owner = if userid == "*" { user.userid.as_str() } else { userid };
                ("LINK", self.link(owner, *vdev)?)
            }
            DeviceKind::Dedicate { real: RealDevice::Number(number), .. } => ("DEDICATE", self.real(*number)?),
            DeviceKind::Dedicate { real: RealDevice::Volume(serial), .. } => ("DEDICATE", self.volume(serial).err()?),
            _ => return None,
        };
        Some(format!("{}: {what} {:04X} of {}: {why}", device.place, device.vdev, user.userid))
    }

    fn real(&self, number: u16) -> Option<String> {
        let Configuration { dasd, tapes, .. } = self.configuration;
        let there = dasd.iter().any(|disk| disk.number == number) || tapes.iter().any(|drive| drive.number == number);
        (!there).then(|| format!("SYSTEM CONFIG has no DASD or TAPE {number:04X}"))
    }

    /// The size of a volume, if it can be looked at; an error if there is none.
    fn volume(&self, serial: &str) -> Result<Option<u64>, String> {
        match self.disks.iter().find(|disk| disk.serial == serial) {
            Some(disk) => Ok(disk.size),
            // It may be one of those.
            None if self.disks.iter().any(|disk| disk.in_use) => Ok(None),
            None => Err(format!("no DASD of SYSTEM CONFIG has the serial {serial}")),
        }
    }

    fn minidisk(&self, extent: &Extent) -> Option<String> {
        let (volume, start, count) = match extent {
            Extent::Volume { volume, start, count } => (volume, u64::from(*start), count.map(u64::from)),
            Extent::Device(number) => return self.real(*number),
            Extent::Temporary(_) | Extent::Virtual(_) => return None,
        };
        let size = match self.volume(volume) {
            Ok(size) => size?,
            Err(why) => return Some(why),
        };
        if self.configuration.disks.state(volume) == real::State::Free {
            return Some(format!("no minidisk may be on {volume}: SYSTEM CONFIG needs USER_VOLUME_LIST {volume}"));
        }
        let end = count.map_or(size.max(start + 1), |count| start + count);
        (end > size).then(|| format!("it ends at {}, and {volume} at {}", end - 1, size - 1))
    }

    /// What is wrong with the volumes that CP owns.
    fn owned(&self) -> Vec<String> {
        let Configuration { disks: policy, system, .. } = self.configuration;
        let mut told = Vec::new();
        for (n, serial) in policy.owned.iter().enumerate().filter(|(_, serial)| !serial.is_empty()) {
            if let Err(why) = self.volume(serial) {
                told.push(format!("CP_OWNED SLOT {}: {why}", n + 1));
            }
            let Some(disk) = self.disks.iter().find(|disk| disk.serial == *serial) else { continue };
            let Some(volume) = &disk.volume else { continue };
            let map = Allocation::read(&**volume);
            let volume = (volume.kind(), serial.as_str(), disk.read_only);
            let (_, wrong) = owned::usable(volume, &map, self.directory.users.iter(), policy, &system.name);
            told.extend(wrong.into_iter().map(|why| format!("DASD {:04X} {serial}: {why}", disk.number)));
        }
        told
    }

    fn link(&self, owner: &str, vdev: u16) -> Option<String> {
        let Some(owner) = self.directory.user(owner) else { return Some(format!("there is no user {owner}")) };
        let disk = |device: &Device| matches!(device.kind, DeviceKind::Mdisk(_) | DeviceKind::Link { .. });
        let there = owner.device(vdev).is_some_and(disk);
        (!there).then(|| format!("{} has no minidisk {vdev:04X}", owner.userid))
    }

    /// Minidisks that lie on a part of another one; a minidisk of a whole volume may.
    fn overlaps(&self) -> Vec<String> {
        let mut disks = Vec::new();
        for user in &self.directory.users {
            for device in &user.devices {
                if let DeviceKind::Mdisk(disk) = &device.kind
                    && let Extent::Volume { volume, start, count: Some(count) } = &disk.extent
                {
                    disks.push((volume, *start, start.saturating_add(*count), user, device));
                }
            }
        }
        disks.sort_by_key(|disk| (disk.0, disk.1, disk.2));
        let mut told = Vec::new();
        // The one that goes furthest of those before, on the same volume.
        let mut before: Option<usize> = None;
        for (n, (volume, start, end, user, device)) in disks.iter().enumerate() {
            let furthest = before.map(|n| &disks[n]).filter(|other| other.0 == *volume);
            if let Some((_, _, _, first, one)) = furthest.filter(|other| *start < other.2) {
                told.push(format!(
                    "{}: MDISK {:04X} of {} overlaps MDISK {:04X} of {} on {volume}",
                    device.place, device.vdev, user.userid, one.vdev, first.userid
                ));
            }
            if furthest.is_none_or(|other| other.2 < *end) {
                before = Some(n);
            }
        }
        told
    }
}
