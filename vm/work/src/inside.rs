//! Terminals in the process of the system, without sockets, at either of two clocks.
//!
//! At the host's clock the system's own threads run virtual CPUs, and users think as long as they think. At a clock of
//! its own ([`Steps`]) one thread does all, and time passes at once where nothing is to be done. The same seed gives
//! the same run then.

use crate::drive::{Arrival, Died, Terminals};
use crate::host::{own, resident, seconds};
use crate::log::Used;
use base::{Clock, Tod};
use consoles::display;
use consoles::terminal::{Kind, Terminal};
use mio::{Events, Poll, Token, Waker};
use nucleus::system::Cp;
use rustix::time::ClockId;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use terminals::server::Notes;
use terminals::station::Station;
use tn3270::Size;
use tn3270::codepage::CodePage;

/// The longest wait, so that a run that is told to end does.
const LOOK: Duration = Duration::from_millis(100);

/// By so many microseconds the clock advances at each look while virtual CPUs run.
const STEP: u64 = 20;

/// 1991-11-20, 08:00: when a clock of a system's own begins, in seconds of the Unix epoch.
pub const MORNING: u64 = 690_624_000;

/// The display that each user has.
const SIZE: Size = Size::new(24, 80);

/// A clock that stands still until virtual CPUs run, and advances at each look then.
pub struct Steps {
    at: AtomicU64,
    running: AtomicBool,
}

impl Steps {
    /// The clock, which begins with a time of the Unix epoch, in seconds.
    pub fn since(seconds: u64) -> Steps {
        let at = Tod::from_unix_nanos(seconds * 1_000_000_000);
        Steps { at: AtomicU64::new(at.0), running: AtomicBool::new(false) }
    }

    fn still(&self) -> Tod {
        Tod(self.at.load(Ordering::Relaxed))
    }

    fn jump(&self, to: Tod) {
        self.at.fetch_max(to.0, Ordering::Relaxed);
    }
}

impl Clock for Steps {
    fn now(&self) -> Tod {
        let passed = if self.running.load(Ordering::Relaxed) { Tod(0).plus_micros(STEP).0 } else { 0 };
        Tod(self.at.fetch_add(passed, Ordering::Relaxed) + passed)
    }
}

/// What time it is.
enum Time {
    Host(Instant),
    Steps(Arc<Steps>, Tod),
}

/// The terminals.
pub struct Inside {
    cp: Arc<Cp>,
    notes: Arc<Notes>,
    time: Time,
    seats: Vec<Option<(Arc<Terminal>, Station)>>,
    /// The user at each terminal.
    users: HashMap<u32, usize>,
    arrivals: Vec<(usize, Arrival)>,
    poll: Poll,
    events: Events,
    /// Seconds that this thread has been the system's.
    system: f64,
}

impl Inside {
    /// As many terminals as users, in front of this system, whose host is `notes`. With a clock of its own it is the
    /// system's; otherwise the system's processors are threads.
    pub fn new(cp: Arc<Cp>, notes: Arc<Notes>, clock: Option<Arc<Steps>>, users: usize) -> Result<Inside, String> {
        let fail = |error: std::io::Error| format!("the host gives no way to wake a thread: {error}");
        let poll = Poll::new().map_err(fail)?;
        notes.wake_by(Waker::new(poll.registry(), Token(0)).map_err(fail)?);
        let time = match clock {
            Some(clock) => Time::Steps(clock.clone(), clock.still()),
            None => Time::Host(Instant::now()),
        };
        let seats = (0..users).map(|_| None).collect();
        let events = Events::with_capacity(8);
        Ok(Inside { cp, notes, time, seats, users: HashMap::new(), arrivals: Vec::new(), poll, events, system: 0.0 })
    }

    /// What is new on the terminals.
    fn gather(&mut self) {
        let changed = self.notes.take_changed();
        let mut users: Vec<usize> = changed.iter().filter_map(|terminal| self.users.get(terminal).copied()).collect();
        users.sort_unstable();
        users.into_iter().for_each(|user| self.show(user));
    }

    fn show(&mut self, user: usize) {
        if let Some((_, station)) = &mut self.seats[user] {
            self.arrivals.extend(station.records().into_iter().map(|record| (user, Arrival::Record(record))));
        }
    }

    /// Runs a virtual CPU, if one is ready; whether there was one.
    fn step(&self, clock: &Steps) -> bool {
        clock.running.store(true, Ordering::Relaxed);
        let ran = self.cp.step(0);
        clock.running.store(false, Ordering::Relaxed);
        ran
    }

    /// At the system's own clock: until something has come, or until that time.
    fn steps(&mut self, clock: &Steps, until: Tod) {
        let begun = seconds(ClockId::ThreadCPUTime);
        loop {
            let mut ran = self.step(clock);
            if !ran {
                self.cp.tick();
            }
            self.gather();
            if !self.arrivals.is_empty() || clock.still() >= until {
                break;
            }
            // What was due may have made a virtual CPU ready.
            ran = ran || self.step(clock);
            if !ran {
                // Nothing is to be done before that.
                let timers = [self.cp.processors.deadline(), self.cp.deadline()];
                let next = timers.into_iter().flatten().filter(|at| *at > clock.still()).min();
                clock.jump(next.map_or(until, |next| next.min(until)));
            }
        }
        self.system += seconds(ClockId::ThreadCPUTime) - begun;
    }

    /// At the host's clock.
    fn waits(&mut self, until: u64) {
        loop {
            if self.cp.deadline().is_some_and(|at| at <= self.cp.now()) {
                self.cp.tick();
            }
            self.gather();
            let now = self.now();
            if !self.arrivals.is_empty() || now >= until {
                return;
            }
            let left = Duration::from_micros(until - now).min(LOOK);
            let now = self.cp.now();
            let due = self.cp.deadline().map(|at| Duration::from_micros(at.micros_since(now) + 1));
            if self.poll.poll(&mut self.events, Some(due.map_or(left, |due| due.min(left)))).is_err() {
                self.events.clear();
            }
            if left == LOOK {
                return;
            }
        }
    }
}

impl Terminals for Inside {
    fn way(&self) -> String {
        match self.time {
            Time::Host(_) => "3270 terminals inside the process, at the host's clock".into(),
            Time::Steps(..) => {
                "3270 terminals inside the process, at a clock of its own: times are looks at the clock, and say \
                 nothing of this host"
                    .into()
            }
        }
    }

    fn now(&self) -> u64 {
        match &self.time {
            Time::Host(begun) => begun.elapsed().as_micros() as u64,
            Time::Steps(clock, begun) => clock.still().micros_since(*begun),
        }
    }

    fn connect(&mut self, user: usize) -> Result<(), Died> {
        let size = display::Size { rows: SIZE.rows.into(), columns: SIZE.cols.into() };
        let terminal = self.cp.connect(Kind::Display(size), None, "", true);
        self.users.insert(terminal.id, user);
        self.seats[user] = Some((terminal.clone(), Station::new(terminal, SIZE, CodePage::default())));
        self.arrivals.push((user, Arrival::Connected([SIZE, SIZE])));
        self.show(user);
        Ok(())
    }

    fn send(&mut self, user: usize, record: &[u8]) {
        if let Some((_, station)) = &mut self.seats[user] {
            // What CP does with a key is the system's work.
            let begun = seconds(ClockId::ThreadCPUTime);
            station.inbound(&*self.cp, record);
            self.show(user);
            self.system += seconds(ClockId::ThreadCPUTime) - begun;
        }
    }

    fn hang_up(&mut self, user: usize) {
        if let Some((terminal, _)) = self.seats[user].take() {
            self.users.remove(&terminal.id);
            self.arrivals.retain(|(other, _)| *other != user);
            self.cp.hang_up(terminal.id);
        }
    }

    fn wait(&mut self, until: u64, arrivals: &mut Vec<(usize, Arrival)>) -> Result<(), Died> {
        if self.arrivals.is_empty() {
            match &self.time {
                Time::Steps(clock, begun) => {
                    let (clock, until) = (clock.clone(), begun.plus_micros(until));
                    self.steps(&clock, until);
                }
                Time::Host(_) => self.waits(until),
            }
        }
        arrivals.append(&mut self.arrivals);
        match self.notes.ended() {
            true => Err(Died("the system was shut down".into())),
            false => Ok(()),
        }
    }

    fn used(&mut self) -> Used {
        let (all, thread) = (own(), seconds(ClockId::ThreadCPUTime));
        let (processors, system, driver) = match self.time {
            Time::Host(_) => (self.cp.processors.count(), all - thread + self.system, thread - self.system),
            Time::Steps(..) => (1, self.system, all - self.system),
        };
        Used { processors: Some(processors), system: Some(system), driver, resident: resident(std::process::id()) }
    }
}
