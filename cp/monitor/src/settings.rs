//! How the monitor is set: which domains, how often, and how the segment is divided.

use crate::domain::{Domain, Side};
use base::Tod;
use std::collections::BTreeMap;

/// A second, in microseconds.
pub const SECOND: u64 = 1_000_000;
/// A minute, in microseconds.
pub const MINUTE: u64 = 60 * SECOND;

/// What of a domain is enabled or disabled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// All of it.
    All,
    /// A user.
    User(String),
    /// Real devices from the first number to the last.
    Devices(u16, u16),
    /// Disks of a type: X'3390'.
    Type(u16),
    /// The disk with this volume serial.
    Volume(String),
}

/// A real device, as choices look at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Device<'a> {
    /// Its number.
    pub number: u16,
    /// Its type: X'3390'.
    pub kind: u16,
    /// The volume serial.
    pub serial: &'a str,
}

/// Samples or events: what of them is set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// When they were started.
    pub started: Option<Tod>,
    /// What was enabled (true) and disabled of each domain. The last that fits decides.
    rules: BTreeMap<Domain, Vec<(bool, What)>>,
    /// Pages of the configuration area.
    pub configuration: u32,
    /// How long a reader may take to reply to configuration records, in microseconds.
    pub limit: u64,
}

impl Part {
    fn new(configuration: u32) -> Part {
        Part { started: None, rules: BTreeMap::new(), configuration, limit: MINUTE }
    }

    /// Enables or disables something.
    pub fn enable(&mut self, domain: Domain, what: What, on: bool) {
        let rules = self.rules.entry(domain).or_default();
        match what {
            What::All => rules.clear(),
            _ => rules.retain(|(_, other)| *other != what),
        }
        rules.push((on, what));
    }

    fn decides(&self, domain: Domain, fits: impl Fn(&What) -> bool) -> bool {
        let rules = self.rules.get(&domain).into_iter().flatten();
        domain.is_fixed() || rules.rev().find(|(_, what)| fits(what)).is_some_and(|(on, _)| *on)
    }

    /// Whether anything of a domain is enabled.
    pub fn has(&self, domain: Domain) -> bool {
        domain.is_fixed() || self.rules.get(&domain).is_some_and(|rules| rules.iter().any(|(on, _)| *on))
    }

    /// Whether all of a domain is enabled, but what [`Part::exceptions`] says.
    pub fn has_all(&self, domain: Domain) -> bool {
        self.decides(domain, |what| *what == What::All)
    }

    /// Whether a user is enabled in a domain.
    pub fn has_user(&self, domain: Domain, userid: &str) -> bool {
        self.decides(domain, |what| match what {
            What::All => true,
            What::User(user) => user == userid,
            _ => false,
        })
    }

    /// Whether a device is enabled.
    pub fn has_device(&self, device: &Device<'_>) -> bool {
        self.decides(Domain::Io, |what| match what {
            What::All => true,
            What::Devices(first, last) => (*first..=*last).contains(&device.number),
            What::Type(kind) => *kind == device.kind,
            What::Volume(serial) => serial == device.serial,
            What::User(_) => false,
        })
    }

    /// What was enabled or disabled by name.
    pub fn exceptions(&self, domain: Domain) -> impl Iterator<Item = (bool, &What)> {
        let rules = self.rules.get(&domain).into_iter().flatten();
        rules.filter(|(_, what)| *what != What::All).map(|(on, what)| (*on, what))
    }

    /// A bit for each domain of which something is enabled.
    pub fn domains(&self, side: Side) -> u16 {
        Domain::all(side).filter(|domain| self.has(*domain)).fold(0, |bits, domain| bits | domain.bit())
    }
}

/// All that is set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Samples.
    pub sample: Part,
    /// Events.
    pub event: Part,
    /// How often samples are taken, in microseconds.
    pub interval: u64,
    /// How often virtual CPUs are looked at, in microseconds; `None`: never.
    pub rate: Option<u64>,
    /// Pages of a block of events.
    pub block: u32,
    /// Pages for events; `None`: half of what there is.
    pub partition: Option<u32>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            sample: Part::new(241),
            event: Part::new(68),
            interval: MINUTE,
            rate: Some(2 * SECOND),
            block: 4,
            partition: None,
        }
    }
}

impl Settings {
    /// Samples or events.
    pub fn part(&self, side: Side) -> &Part {
        if side == Side::Sample { &self.sample } else { &self.event }
    }

    /// The same, to be changed.
    pub fn part_mut(&mut self, side: Side) -> &mut Part {
        if side == Side::Sample { &mut self.sample } else { &mut self.event }
    }

    /// Whether events of a domain are recorded at all.
    pub fn records(&self, domain: Domain) -> bool {
        self.event.started.is_some() && self.event.has(domain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_that_fits_decides() {
        let mut part = Part::new(1);
        assert!(part.has(Domain::System) && part.has_all(Domain::Monitor), "these are always enabled");
        assert!(!part.has(Domain::User) && !part.has_user(Domain::User, "A"));
        part.enable(Domain::User, What::User("A".into()), true);
        assert!(part.has(Domain::User) && part.has_user(Domain::User, "A") && !part.has_user(Domain::User, "B"));
        part.enable(Domain::User, What::All, true);
        part.enable(Domain::User, What::User("A".into()), false);
        assert!(part.has_all(Domain::User) && part.has_user(Domain::User, "B") && !part.has_user(Domain::User, "A"));
        part.enable(Domain::User, What::All, false);
        assert!(!part.has(Domain::User) && part.exceptions(Domain::User).count() == 0);
    }

    #[test]
    fn devices_are_chosen_by_number_type_and_volume() {
        let mut part = Part::new(1);
        let device = |number, kind, serial| Device { number, kind, serial };
        part.enable(Domain::Io, What::Devices(0x200, 0x20f), true);
        part.enable(Domain::Io, What::Volume("VMRES".into()), true);
        part.enable(Domain::Io, What::Type(0x3380), true);
        assert!(part.has_device(&device(0x20f, 0x3390, "")) && !part.has_device(&device(0x210, 0x3390, "")));
        assert!(part.has_device(&device(0x300, 0x3390, "VMRES")) && part.has_device(&device(0x300, 0x3380, "X")));
        part.enable(Domain::Io, What::Devices(0x205, 0x205), false);
        assert!(!part.has_device(&device(0x205, 0x3380, "X")));
        assert_eq!(part.domains(Side::Sample), 0xc200);
    }
}
