//! Intervals: what has happened between two samples.

use crate::counters::{gone, passed, passed_down, seconds};
use crate::figures::{
    Cache, Device, Frames, Host, Interceptions, Lists, Machines, Processors, Spool, States, User, Work,
};
use crate::gather::{EachCpu, Monitor, Sample, Userid};
use arch::monitor::{DeviceActivity, LogoffData, UserActivity, UserInteraction};
use base::Tod;
use base::layout::U32;
use std::collections::BTreeMap;

/// A user in an interval.
#[derive(Clone, Debug, Default)]
pub struct OfUser {
    /// What has gone on.
    pub figures: User,
    /// The records of its first CPU, as it was last; nothing if it has logged off.
    pub last: Option<UserActivity>,
    /// Virtual CPUs.
    pub cpus: usize,
    /// Total and virtual processor time since logon, at the end of the interval, in seconds.
    pub total: (f64, f64),
    /// What its virtual CPUs were found doing.
    pub states: States,
}

/// What has happened between two samples.
#[derive(Clone, Debug, Default)]
pub struct Interval {
    /// Its beginning.
    pub from: Tod,
    /// Its end.
    pub to: Tod,
    /// How long it was.
    pub seconds: f64,
    /// Processors that there were.
    pub count: usize,
    /// All processors.
    pub processors: Processors,
    /// Interceptions.
    pub interceptions: Interceptions,
    /// Users and transactions.
    pub work: Work,
    /// The scheduler's lists.
    pub lists: Lists,
    /// Frames.
    pub frames: Frames,
    /// Pages that the host brought.
    pub host: Host,
    /// Virtual machines' storage.
    pub machines: Machines,
    /// Spool space.
    pub spool: Spool,
    /// The minidisk cache.
    pub cache: Cache,
    /// What all virtual CPUs were found doing: how many, on the mean of all looks.
    pub states: States,
    /// Users.
    pub users: BTreeMap<Userid, OfUser>,
    /// Disks: what has gone on, and the record.
    pub devices: BTreeMap<u16, (Device, DeviceActivity)>,
}

/// The intervals that samples make: two that follow each other in time, of a system that was up meanwhile.
pub fn intervals(monitor: &Monitor) -> Vec<Interval> {
    let up = |a: Tod, b: Tod| !monitor.starts.iter().any(|&started| a < started && started <= b);
    let pairs = monitor.samples.windows(2).filter(|two| two[0].at < two[1].at && up(two[0].at, two[1].at));
    pairs.map(|two| Interval::between(&two[0], &two[1], monitor)).collect()
}

/// Adds up how far something of each processor has gone on.
fn each<T>(before: &EachCpu<T>, after: &EachCpu<T>, mut add: impl FnMut(&T, &T)) -> bool {
    let both = after.iter().filter_map(|(cpu, after)| Some((before.get(cpu)?, after)));
    both.fold(false, |_, (before, after)| {
        add(before, after);
        true
    })
}

fn on(before: U32, after: U32) -> f64 {
    gone(before.get(), after.get())
}

fn word(value: U32) -> f64 {
    f64::from(value.get())
}

impl Interval {
    /// Adds what has happened in a later interval.
    pub fn add(&mut self, later: &Interval) {
        if self.seconds == 0.0 {
            self.from = later.from;
        }
        self.to = later.to;
        self.seconds += later.seconds;
        self.count = self.count.max(later.count);
        self.processors.add(&later.processors);
        self.interceptions.add(&later.interceptions);
        self.work.add(&later.work);
        self.lists.add(&later.lists);
        self.frames.add(&later.frames);
        self.host.add(&later.host);
        self.machines.add(&later.machines);
        self.spool.add(&later.spool);
        self.cache.add(&later.cache);
        self.states.add(&later.states);
        for (userid, later) in &later.users {
            let of = self.users.entry(*userid).or_default();
            of.figures.add(&later.figures);
            of.states.add(&later.states);
            (of.last, of.cpus, of.total) = (later.last, later.cpus, later.total);
        }
        for (number, (figures, record)) in &later.devices {
            let of = self.devices.entry(*number).or_insert((Device::default(), *record));
            // Another volume at the address counts for itself.
            if of.1.serial != record.serial {
                of.0 = Device::default();
            }
            of.0.add(figures);
            of.1 = *record;
        }
    }

    fn between(before: &Sample, after: &Sample, monitor: &Monitor) -> Interval {
        let mut all = Interval {
            from: before.at,
            to: after.at,
            seconds: seconds(after.at.0 - before.at.0),
            count: after.times.len(),
            ..Interval::default()
        };
        all.processors(before, after);
        all.system(before, after);
        all.storage(before, after);
        all.users(before, after, monitor);
        all.interactions(before, after);
        all.devices(before, after);
        all
    }

    fn processors(&mut self, before: &Sample, after: &Sample) {
        let seconds = self.seconds;
        let to = &mut self.processors;
        let timed = each(&before.times, &after.times, |b, a| {
            to.emulation += passed_down(b.emulation.get(), a.emulation.get());
            to.users += passed(b.users.get(), a.users.get());
            to.system += passed(b.system.get(), a.system.get());
            to.wait += passed(b.wait.get(), a.wait.get());
            to.dispatched += on(b.dispatched, a.dispatched);
            to.interpreted += on(b.interpreted, a.interpreted);
        });
        to.seconds = if timed { seconds } else { 0.0 };
        each(&before.processors, &after.processors, |b, a| {
            to.diagnoses += on(b.diagnoses, a.diagnoses);
            to.started += on(b.started, a.started);
        });
        each(&before.communication, &after.communication, |b, a| to.iucv += on(b.iucv, a.iucv));
        each(&before.scheduling, &after.scheduling, |b, a| to.slices += on(b.slices, a.slices));
        let to = &mut self.interceptions;
        let there = each(&before.activity, &after.activity, |b, a| to.intercepted += on(b.intercepted, a.intercepted));
        to.seconds = if there { seconds } else { 0.0 };
    }

    fn system(&mut self, before: &Sample, after: &Sample) {
        let seconds = self.seconds;
        if let (Some(b), Some(a)) = (&before.transactions, &after.transactions) {
            let time = |b: [u64; 2], a: [u64; 2]| passed(b[0], a[0]) + passed(b[1], a[1]);
            self.work = Work {
                seconds,
                users: word(a.logged_on) * seconds,
                trivial: on(b.mp_trivial, a.mp_trivial) + on(b.up_trivial, a.up_trivial),
                trivial_time: time(
                    [b.mp_trivial_time.get(), b.up_trivial_time.get()],
                    [a.mp_trivial_time.get(), a.up_trivial_time.get()],
                ),
                other: on(b.mp_other, a.mp_other) + on(b.up_other, a.up_other),
                other_time: time(
                    [b.mp_other_time.get(), b.up_other_time.get()],
                    [a.mp_other_time.get(), a.up_other_time.get()],
                ),
            };
        }
        if let Some(a) = &after.lists {
            let times = |numbers: &[base::layout::U16]| {
                seconds * numbers.iter().map(|number| f64::from(number.get())).sum::<f64>()
            };
            self.lists = Lists {
                seconds,
                q0: times(&[a.class_0]),
                q1: times(&[a.class_1]),
                q2: times(&[a.class_2]),
                q3: times(&[a.class_3]),
                eligible: times(&[a.eligible_1, a.eligible_2, a.eligible_3]),
                limited: times(&[a.limited]),
            };
        }
        if let (Some(b), Some(a)) = (&before.cache, &after.cache) {
            self.cache = Cache {
                seconds,
                reads: on(b.reads, a.reads),
                writes: on(b.writes, a.writes),
                hits: on(b.hits, a.hits),
                inserts: on(b.inserts, a.inserts),
                refused: on(b.refused, a.refused),
                bytes: a.bytes.get() as f64 * seconds,
            };
        }
        if let (Some(b), Some(a)) = (&before.waits, &after.waits) {
            self.states = States {
                seconds,
                looks: on(b.looks, a.looks),
                running: on(b.running, a.running),
                cpu_wait: on(b.cpu_wait, a.cpu_wait),
                page_wait: on(b.page_wait, a.page_wait),
                eligible: on(b.other, a.other),
                test_idle: on(b.test_idle, a.test_idle),
                ..States::default()
            };
        }
    }

    fn storage(&mut self, before: &Sample, after: &Sample) {
        let seconds = self.seconds;
        let times = |value: U32| word(value) * seconds;
        if let Some(a) = &after.real {
            self.frames = Frames {
                seconds,
                installed: times(a.installed),
                nucleus: times(a.nucleus),
                free_storage: times(a.free_storage),
                shared: times(a.shared),
                pageable: times(a.pageable),
                available: times(a.available),
            };
        }
        if let Some(a) = &after.storage {
            self.machines = Machines {
                seconds,
                defined: a.defined.get() as f64 * seconds,
                resident: times(a.resident),
                segments: times(a.segments),
                expanded: times(a.expanded),
            };
        }
        if let Some(a) = &after.auxiliary {
            self.spool = Spool { seconds, pages: times(a.spool_used), files: times(a.spool_files) };
        }
        let to = &mut self.host;
        let there = each(&before.pages, &after.pages, |b, a| {
            to.reads += on(b.reads, a.reads);
            to.cleared += on(b.cleared, a.cleared);
        });
        to.seconds = if there { seconds } else { 0.0 };
    }

    fn users(&mut self, before: &Sample, after: &Sample, monitor: &Monitor) {
        let (had, has) = (whole(before), whole(after));
        let seconds = self.seconds;
        // What those who logged off meanwhile have used; then they may have logged on again.
        let within = |at: Tod| before.at < at && at <= after.at;
        let mut gone_off = BTreeMap::new();
        for (_, off) in monitor.logoffs.iter().filter(|(at, _)| within(*at)) {
            let of = self.users.entry(off.userid).or_default();
            of.figures.seconds = seconds;
            let earlier = had.get(&off.userid).filter(|_| gone_off.insert(off.userid, ()).is_none());
            log_off(&mut of.figures, earlier.map(|(user, _)| user), off);
        }
        // A user that was not there before has begun at zero, if all users were recorded then, too.
        let all_recorded = !before.users.is_empty() && after.commands == 0;
        for (userid, (user, cpus)) in has {
            let off = gone_off.contains_key(&userid);
            let figures = match had.get(&userid).filter(|_| !off) {
                Some((earlier, _)) => used(earlier, &user),
                None if all_recorded || off || logged_on(monitor, userid, &within) => {
                    used(&UserActivity::default(), &user)
                }
                None => continue,
            };
            let of = self.users.entry(userid).or_default();
            of.figures.add(&figures);
            of.figures.seconds = seconds;
            of.figures.present = seconds;
            of.figures.resident = word(user.resident) * seconds;
            of.figures.working_set = word(user.working_set) * seconds;
            of.figures.expanded = word(user.expanded) * seconds;
            of.total = (crate::counters::seconds(user.total.get()), crate::counters::seconds(user.emulation.get()));
            (of.last, of.cpus) = (Some(user), cpus);
        }
    }

    fn interactions(&mut self, before: &Sample, after: &Sample) {
        for (key, a) in &after.interactions {
            let Some(of) = self.users.get_mut(&key.0) else { continue };
            let none = UserInteraction::default();
            let b = before.interactions.get(key).unwrap_or(&none);
            of.states.add(&States {
                seconds: self.seconds,
                looks: on(b.looks, a.looks),
                running: on(b.running, a.running),
                cpu_wait: on(b.cpu_wait, a.cpu_wait),
                page_wait: on(b.page_wait, a.page_wait),
                eligible: on(b.eligible, a.eligible),
                limited: on(b.limited, a.limited),
                test_idle: on(b.test_idle, a.test_idle),
                dormant: on(b.dormant, a.dormant),
            });
        }
    }

    fn devices(&mut self, before: &Sample, after: &Sample) {
        for (number, a) in &after.devices {
            // Another volume at the address counts for itself.
            let Some(b) = before.devices.get(number).filter(|b| b.serial == a.serial) else { continue };
            let figures = Device {
                seconds: self.seconds,
                started: on(b.started, a.started),
                reads: on(b.reads, a.reads),
                writes: on(b.writes, a.writes),
                hits: on(b.hits, a.hits),
                inserts: on(b.inserts, a.inserts),
                users: word(a.users) * self.seconds,
            };
            self.devices.insert(*number, (figures, *a));
        }
    }
}

fn logged_on(monitor: &Monitor, userid: Userid, within: &dyn Fn(Tod) -> bool) -> bool {
    monitor.logons.iter().any(|(at, on)| within(*at) && on.userid == userid)
}

/// Users as a whole: the record of the first virtual CPU with the times of all of them, and how many these are.
fn whole(sample: &Sample) -> BTreeMap<Userid, (UserActivity, usize)> {
    let mut users: BTreeMap<Userid, (UserActivity, usize)> = BTreeMap::new();
    for ((userid, _), record) in &sample.users {
        let (user, cpus) = users.entry(*userid).or_insert((*record, 0));
        if *cpus > 0 {
            user.total = user.total.get().saturating_add(record.total.get()).into();
            user.emulation = user.emulation.get().saturating_add(record.emulation.get()).into();
            // What belongs to the virtual machine stands in the record of its first CPU, whatever its address.
            if record.storage.get() > user.storage.get() {
                let (total, emulation) = (user.total, user.emulation);
                *user = UserActivity { total, emulation, ..*record };
            }
        }
        *cpus += 1;
    }
    users
}

/// What a user has used between two samples.
fn used(before: &UserActivity, after: &UserActivity) -> User {
    let none = UserActivity::default();
    // Its time went back: this is another session.
    let b = if after.total.get() < before.total.get() { &none } else { before };
    let a = after;
    let fast = on(b.fast_done, a.fast_done);
    User {
        total: passed(b.total.get(), a.total.get()),
        emulation: passed(b.emulation.get(), a.emulation.get()),
        started: on(b.started, a.started),
        ccws: on(b.ccws, a.ccws),
        fast,
        programs: fast + on(b.fast_aborted, a.fast_aborted) + on(b.not_eligible, a.not_eligible),
        diagnoses: on(b.diagnoses, a.diagnoses),
        read: on(b.read, a.read),
        printed: on(b.printed, a.printed),
        punched: on(b.punched, a.punched),
        cache_reads: on(b.cache_reads, a.cache_reads),
        cache_hits: on(b.cache_hits, a.cache_hits),
        ..User::default()
    }
}

/// What a user has used up to LOGOFF.
fn log_off(to: &mut User, before: Option<&UserActivity>, off: &LogoffData) {
    let none = UserActivity::default();
    let b = before.filter(|b| b.total.get() <= off.total.get()).unwrap_or(&none);
    to.total += passed(b.total.get(), off.total.get());
    to.emulation += passed(b.emulation.get(), off.emulation.get());
    to.started += on(b.started, off.started);
    to.diagnoses += on(b.diagnoses, off.diagnoses);
    to.read += on(b.read, off.read);
    to.printed += on(b.printed, off.printed);
    to.punched += on(b.punched, off.punched);
}
