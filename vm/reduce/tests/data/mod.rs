//! Monitor data as files have it, made with CP's own writer of records.

use arch::monitor::{
    ControlElement, DeviceActivity, EventProfile, ExpandedStorage, MonwriteControl, ProcessorActivity, ProcessorTime,
    SampleProfile, SchedulerGlobal, SystemConfiguration, SystemProcessor, Transactions, UserActivity, UserInteraction,
    UserWait,
};
use base::{Tod, ebcdic};
use iucv::{List, kind};
use monitor::frames::Frames;
use zerocopy::{FromZeros, IntoBytes};

/// A second, in TOD units.
pub(crate) const SECOND: u64 = 4_096_000_000;
/// 2023-11-14 22:13:20 UTC.
pub(crate) const START: u64 = Tod::UNIX_EPOCH.0 + 1_700_000_000 * SECOND;

/// The forms of files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Monreader,
    Monwrite,
}

impl Form {
    /// Bytes before the pages of a message.
    pub(crate) fn control(self) -> usize {
        match self {
            Form::Monreader => size_of::<ControlElement>(),
            Form::Monwrite => size_of::<MonwriteControl>(),
        }
    }
}

/// A file.
pub(crate) struct File {
    form: Form,
    pub(crate) bytes: Vec<u8>,
}

impl File {
    pub(crate) fn new(form: Form) -> File {
        File { form, bytes: Vec::new() }
    }

    /// Adds a message: S or E, and its records.
    pub(crate) fn put(&mut self, letter: u8, at: u64, fill: impl FnOnce(&mut Frames)) {
        let mut frames = Frames::new(Tod(at));
        fill(&mut frames);
        let (pages, masks) = frames.finish();
        let start = 0x0060_0000;
        let element = ControlElement {
            kind: ebcdic::FROM_LATIN1[usize::from(letter)],
            domains: masks.into(),
            start: start.into(),
            end: (start + pages.len() as u32 - 1).into(),
            ..ControlElement::default()
        };
        match self.form {
            Form::Monreader => self.bytes.extend(element.as_bytes()),
            Form::Monwrite => {
                let mut control = MonwriteControl::new_zeroed();
                let mut list = List::default();
                list.set_kind(kind::MESSAGE);
                control.interruption = list.0;
                control.elements[0] = element;
                self.bytes.extend(control.as_bytes());
            }
        }
        self.bytes.extend(pages);
    }
}

/// The configuration of a system whose local time is an hour ahead.
pub(crate) fn configuration(to: &mut Frames) {
    to.put(SystemConfiguration {
        name: ebcdic::padded("TESTSYS"),
        level: ebcdic::padded("A level"),
        started: START.into(),
        zone: 3600.into(),
        ..SystemConfiguration::default()
    });
    to.put(SampleProfile { interval: (15 * SECOND).into(), ..SampleProfile::default() });
    to.put(EventProfile::default());
}

/// A user that has used so many seconds.
pub(crate) fn user(userid: &str, total: u64) -> UserActivity {
    UserActivity {
        userid: ebcdic::padded(userid),
        total: (total * SECOND).into(),
        emulation: (total * SECOND / 2).into(),
        share_kind: 0x40,
        share: 100.into(),
        list: 0x40,
        resident: 500.into(),
        storage: (64 << 20).into(),
        ..UserActivity::default()
    }
}

/// The `n`th sample of two processors, with these users.
pub(crate) fn sample(to: &mut Frames, n: u64, users: &[UserActivity]) {
    let times = |seconds: u64| seconds * n * SECOND;
    let count = |step: u32| (n as u32 * step).into();
    for cpu in 0..2u16 {
        // Near its end at the first sample, if 100 come with each.
        let diagnoses = u32::MAX.wrapping_sub(150).wrapping_add(100 * n as u32);
        to.put(SystemProcessor { cpu: cpu.into(), diagnoses: diagnoses.into(), ..SystemProcessor::default() });
        to.put(ProcessorTime {
            cpu: cpu.into(),
            emulation: (0x7fff_ffff_0000_0000 - times(2)).into(),
            users: times(3).into(),
            system: times(1).into(),
            wait: times(5).into(),
            interpreted: count(1000),
            ..ProcessorTime::default()
        });
        to.put(ProcessorActivity { cpu: cpu.into(), intercepted: count(500), ..ProcessorActivity::default() });
    }
    to.put(Transactions {
        logged_on: (users.len() as u32).into(),
        up_trivial: count(10),
        up_trivial_time: times(1).into(),
        ..Transactions::default()
    });
    to.put(SchedulerGlobal { class_1: 2.into(), ..SchedulerGlobal::default() });
    to.put(UserWait { running: count(5), looks: count(10), ..UserWait::default() });
    to.put(ExpandedStorage { reads: count(40), hits: count(30), ..ExpandedStorage::default() });
    for user in users {
        to.put(*user);
        to.put(UserInteraction {
            userid: user.userid,
            running: count(5),
            dormant: count(5),
            looks: count(10),
            ..UserInteraction::default()
        });
    }
    to.put(DeviceActivity {
        number: 0x200.into(),
        kind: 0x3390.into(),
        serial: ebcdic::padded("VOL001"),
        state: 0x40,
        reads: count(80),
        hits: count(20),
        writes: count(15),
        started: count(75),
        ..DeviceActivity::default()
    });
}

/// Configuration, and samples after 10, 20 and 40 seconds.
pub(crate) fn plain(form: Form) -> Vec<u8> {
    let mut file = File::new(form);
    file.put(b'S', START, configuration);
    for (n, at) in [(1, 10), (2, 20), (3, 40)] {
        let mut bob = user("BOB", n);
        (bob.share_kind, bob.share, bob.quick) = (0x80, 125.into(), 1);
        file.put(b'S', START + at * SECOND, |to| sample(to, n, &[user("ALICE", 2 * n), bob]));
    }
    file.bytes
}
