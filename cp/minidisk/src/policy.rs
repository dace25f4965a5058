//! What SYSTEM CONFIG says of disks: which volumes are CP's and its users', which control units there are, how large
//! temporary space and virtual disks may be.

use crate::real::State;
use devices::dasd::ControlUnitModel;

/// Which volumes CP takes for itself and its users when the system comes up.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// CP_OWNED: serials in the order of their slots; a slot without a volume has an empty one.
    pub owned: Vec<String>,
    /// USER_VOLUME_LIST and USER_VOLUME_INCLUDE: serials, in which `*` is any characters and `%` any one.
    pub users: Vec<String>,
    /// TDISK: temporary space: serial, first unit, number of units.
    pub temporary: Vec<(String, u32, u32)>,
    /// SUBSYSTEM: control units that are not what they usually are.
    pub subsystems: Vec<Settings>,
    /// VDISK: the limits of virtual disks.
    pub limits: Limits,
    /// TDISK STORAGE: so many megabytes of the host's storage are temporary space as well.
    pub temporary_storage: u64,
}

impl Policy {
    /// What a volume with this serial is used for.
    pub fn state(&self, serial: &str) -> State {
        match () {
            () if !serial.is_empty() && self.owned.iter().any(|owned| owned == serial) => State::Owned,
            () if !serial.is_empty() && self.users.iter().any(|mask| matches(mask, serial)) => State::System,
            () => State::Free,
        }
    }
}

/// Whether `serial` is one that `mask` means.
fn matches(mask: &str, serial: &str) -> bool {
    match (mask.as_bytes().first(), serial.is_empty()) {
        (None, empty) => empty,
        (Some(b'*'), empty) => matches(&mask[1..], serial) || !empty && matches(mask, &serial[1..]),
        (Some(b'%'), false) => matches(&mask[1..], &serial[1..]),
        (Some(c), false) => *c == serial.as_bytes()[0] && matches(&mask[1..], &serial[1..]),
        (Some(_), true) => false,
    }
}

/// What a control unit is, and how much storage it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The left half of its devices' numbers.
    pub number: u8,
    /// `None`: of each disk, the one that it usually has.
    pub model: Option<&'static ControlUnitModel>,
    /// Bytes of the cache, and of non-volatile storage. Without a cache there is neither.
    pub cache: u64,
    /// Bytes of non-volatile storage.
    pub storage: u64,
    /// Channel paths to it, 1 to 8; `None`: its disks show one, and as many are used as it can use.
    pub paths: Option<u8>,
    /// Channel programs take as long as they would on real devices.
    pub timed: bool,
}

impl Settings {
    /// A 3990 with 64 MB of cache and 4 MB of non-volatile storage, for disks that have such a one.
    pub fn usual(number: u8) -> Settings {
        Settings { number, model: None, cache: 64 << 20, storage: 4 << 20, paths: None, timed: false }
    }

    /// One of this model, with what it usually has.
    pub fn of(number: u8, model: &'static ControlUnitModel) -> Settings {
        Settings { model: Some(model), cache: model.cache, storage: model.storage, ..Settings::usual(number) }
    }
}

/// How large virtual disks may be together, in blocks; `None`: as large as the host bears.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Of the whole system.
    pub system: Option<u64>,
    /// Of those that one user defines.
    pub user: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_are_chosen_by_serial() {
        let policy = Policy { owned: vec!["RES".into()], users: vec!["US%*".into(), "X".into()], ..Policy::default() };
        for (serial, state) in [
            ("RES", State::Owned),
            ("USR001", State::System),
            ("USR", State::System),
            ("US", State::Free),
            ("X", State::System),
            ("XY", State::Free),
            ("", State::Free),
        ] {
            assert_eq!(policy.state(serial), state, "{serial}");
        }
    }
}
