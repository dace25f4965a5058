//! A user or profile as it grows, statement by statement.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::*;
use crate::operands::{Problem, problem};
use crate::password::Password;

/// Which of the operands of USER were given, there or in a statement of their own.
#[derive(Clone, Copy, Default)]
pub(crate) struct Given {
    pub storage: bool,
    pub max_storage: bool,
    pub classes: bool,
}

/// A user or profile while it is read.
pub(crate) struct Entry {
    pub user: User,
    pub profile: bool,
    /// The source file, for the places of devices.
    pub file: Arc<str>,
    /// A clear-text password that is still to be hashed.
    pub clear: Option<String>,
    /// Clear-text link passwords still to be hashed: device number, which of the three, password.
    pub clear_links: Vec<(u16, usize, String)>,
    /// Parts of the current statement that are accepted and not acted upon.
    pub unused: Vec<String>,
    /// What was given and is not the default.
    pub given: Given,
    /// Devices that came from a profile and may be replaced.
    pub inherited: HashSet<u16>,
    /// CPU addresses that came from a profile and may be replaced.
    pub inherited_cpus: HashSet<u16>,
    /// How many of the IUCV statements came from a profile and may be replaced: they are the first.
    pub inherited_iucv: usize,
    /// OPTION CPUID came from a profile.
    pub inherited_cpuid: bool,
    /// Statements seen that may stand once only.
    pub seen: HashSet<&'static str>,
    pub devices_begun: bool,
    pub control_begun: bool,
    pub included: bool,
    /// The profile that was included.
    pub profile_name: Option<String>,
    /// The USER statement was wrong: what belongs to it is read for its mistakes only.
    pub broken: bool,
    /// What USER is here is a word that is no statement.
    pub foreign: bool,
}

impl Entry {
    pub(crate) fn new(file: Arc<str>, place: Place) -> Entry {
        Entry {
            user: User {
                userid: String::new(),
                password: Password::NoLog,
                storage: 1 << 20,
                max_storage: 8 << 20,
                classes: Classes::GENERAL,
                priority: 50,
                editing: Editing::default(),
                account: String::new(),
                distribution: String::new(),
                machine: Machine::default(),
                max_cpus: 0,
                cpu_model: arch::Model::default(),
                cpus: Vec::new(),
                ipl: None,
                share: Share::default(),
                options: Options::default(),
                iucv: Vec::new(),
                xautolog: Vec::new(),
                logonby: Vec::new(),
                commands: Vec::new(),
                max_spool: 9999,
                acigroup: None,
                namesave: Vec::new(),
                xstore: 0,
                devices: Vec::new(),
                barred: false,
                place,
            },
            profile: false,
            file,
            clear: None,
            clear_links: Vec::new(),
            unused: Vec::new(),
            given: Given::default(),
            inherited: HashSet::new(),
            inherited_cpus: HashSet::new(),
            inherited_iucv: 0,
            inherited_cpuid: false,
            seen: HashSet::new(),
            devices_begun: false,
            control_begun: false,
            included: false,
            profile_name: None,
            broken: false,
            foreign: false,
        }
    }

    /// Adds a device; its number must be free, or a profile's.
    pub(crate) fn add(&mut self, vdev: u16, kind: DeviceKind, line: usize) -> Result<(), Problem> {
        if let Some(at) = self.user.devices.iter().position(|d| d.vdev == vdev) {
            if !self.inherited.remove(&vdev) {
                return Err(problem(format!("device {vdev:04X} is there already"), "another device number"));
            }
            self.user.devices.remove(at);
            self.clear_links.retain(|link| link.0 != vdev);
        }
        if matches!(kind, DeviceKind::Console(_))
            && let Some((old, _)) = self.user.console()
        {
            if !self.inherited.remove(&old) {
                return Err(problem("there is a CONSOLE statement already", "one console"));
            }
            self.user.devices.retain(|d| d.vdev != old);
        }
        let place = Place { file: self.file.clone(), line };
        self.user.devices.push(Device { vdev, kind, dasd: DasdOptions::default(), place });
        Ok(())
    }

    /// Adds a virtual CPU; its address must be free, or a profile's.
    pub(crate) fn add_cpu(&mut self, cpu: Cpu) -> Result<(), Problem> {
        if self.user.cpus.iter().any(|c| c.address == cpu.address) && !self.inherited_cpus.remove(&cpu.address) {
            return Err(problem(format!("CPU {:02X} is there already", cpu.address), "another CPU address"));
        }
        self.user.cpus.retain(|c| c.address != cpu.address);
        if cpu.base && self.user.cpus.iter().any(|c| c.base && !self.inherited_cpus.contains(&c.address)) {
            return Err(problem("another CPU is the base CPU already", "BASE on one CPU statement"));
        }
        for other in self.user.cpus.iter_mut().filter(|_| cpu.base) {
            other.base = false;
        }
        self.user.cpus.push(cpu);
        Ok(())
    }

    /// A CPU statement is about to give an identification, which goes before a profile's.
    pub(crate) fn forget_inherited_cpuid(&mut self) {
        for other in self.user.cpus.iter_mut().filter(|cpu| self.inherited_cpus.contains(&cpu.address)) {
            other.cpuid = None;
        }
        if std::mem::take(&mut self.inherited_cpuid) {
            self.user.options.cpuid = None;
        }
    }

    /// Adds an IUCV statement; it goes before a profile's for the same.
    pub(crate) fn add_iucv(&mut self, iucv: Iucv) {
        let inherited = self.user.iucv.iter().take(self.inherited_iucv);
        if let Some(at) = inherited.enumerate().find_map(|(at, other)| (other.with == iucv.with).then_some(at)) {
            self.user.iucv.remove(at);
            self.inherited_iucv -= 1;
        }
        self.user.iucv.push(iucv);
    }

    /// Takes over all that `profile` says.
    pub(crate) fn include(&mut self, profile: &Entry) {
        let own = std::mem::replace(&mut self.user, profile.user.clone());
        // These are the USER statement's; classes and sizes that it gives go before the profile's.
        self.user.userid = own.userid;
        self.user.password = own.password;
        if self.given.classes || !profile.given.classes {
            self.user.classes = own.classes;
        }
        if self.given.storage || !profile.given.storage {
            self.user.storage = own.storage;
        }
        if self.given.max_storage || !profile.given.max_storage {
            self.user.max_storage = own.max_storage;
        }
        self.given.storage |= profile.given.storage;
        self.given.max_storage |= profile.given.max_storage;
        self.user.priority = own.priority;
        self.user.editing = own.editing;
        self.user.place = own.place;
        self.inherited = self.user.devices.iter().map(|d| d.vdev).collect();
        self.inherited_cpus = self.user.cpus.iter().map(|c| c.address).collect();
        self.inherited_iucv = self.user.iucv.len();
        self.inherited_cpuid = self.user.options.cpuid.is_some();
        self.clear_links = profile.clear_links.clone();
    }
}
