//! A run: all users do what the load says, in three phases, and every command is told.

use crate::chance::Chance;
use crate::load::Load;
use crate::log::{Early, End, LeftOut, Line, Run, Used};
use crate::person::{Person, Scene, Wish, micros};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tn3270::Size;

/// What comes from a terminal.
#[derive(Debug)]
pub enum Arrival {
    /// It is connected, and has these sizes, default first.
    Connected([Size; 2]),
    /// A record of the 3270 data stream.
    Record(Vec<u8>),
    /// The line is gone, for this reason.
    Gone(String),
}

/// The system is gone; how that was seen.
#[derive(Debug)]
pub struct Died(pub String);

/// The terminals of a load's users. Users have numbers from 0 on; time is in microseconds since the run began.
pub trait Terminals {
    /// How users reach the system, in a few words.
    fn way(&self) -> String;
    /// The time.
    fn now(&self) -> u64;
    /// Has a user's terminal connected; [`Arrival::Connected`] says when it is.
    fn connect(&mut self, user: usize) -> Result<(), Died>;
    /// Sends a record.
    fn send(&mut self, user: usize, record: &[u8]);
    /// Closes a user's line. No [`Arrival`] of it follows.
    fn hang_up(&mut self, user: usize);
    /// Waits until something comes, or until that time, or a while.
    fn wait(&mut self, until: u64, arrivals: &mut Vec<(usize, Arrival)>) -> Result<(), Died>;
    /// What was used so far.
    fn used(&mut self) -> Used;
}

/// How a load is run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How many users.
    pub users: usize,
    /// The number of the first, from 1 on.
    pub first: usize,
    /// The seed of chance.
    pub seed: u64,
    /// Phases and think times are divided by this.
    pub scale: f64,
}

/// How far a run is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The phase.
    pub phase: &'static str,
    /// Seconds since the run began, and those that it takes.
    pub seconds: [f64; 2],
    /// Users that work.
    pub working: usize,
    /// Commands of scripts that are over, and those of them that failed.
    pub commands: [u64; 2],
}

/// At the end users have so many seconds to log off.
const LEAVING: u64 = 30_000_000;

/// What a run goes by.
struct Drive<'a> {
    terminals: &'a mut dyn Terminals,
    log: &'a mut dyn FnMut(&Line) -> Result<(), String>,
    scene: Scene<'a>,
    people: Vec<Person>,
    /// When something is due for a user. What is not true any more is passed over.
    agenda: BinaryHeap<Reverse<(u64, usize)>>,
    /// Of each user: what the agenda was told last, and whether it is counted as working.
    noted: Vec<(Option<u64>, bool)>,
    /// How many users work.
    working: usize,
    commands: [u64; 2],
}

/// Runs a load. `log` gets each line, and `goes_on` says whether to go on.
pub fn run(
    load: &Load,
    plan: &Plan,
    terminals: &mut dyn Terminals,
    log: &mut dyn FnMut(&Line) -> Result<(), String>,
    goes_on: &mut dyn FnMut(&Progress) -> bool,
) -> Result<(), String> {
    let scripts: Vec<_> = load.runnable().collect();
    let phases = phases(load, plan);
    log(&Line::Run(describe(load, plan, phases, terminals.way())))?;
    let mut people = Vec::new();
    let ends = [phases[0], phases[0] + phases[1], phases.iter().sum()].map(micros);
    for n in 0..plan.users {
        let begins = micros(n as f64 / load.phases.logons);
        let number = plan.first + n;
        people.push(Person::new(load.identity(number)?, Chance::of(plan.seed, number), begins));
    }
    let agenda = people.iter().enumerate().filter_map(|(n, person)| Some(Reverse((person.due()?, n)))).collect();
    let scene = Scene {
        load,
        scripts: &scripts,
        scale: plan.scale,
        ramp: ends[0],
        now: 0,
        wishes: Vec::new(),
        commands: Vec::new(),
    };
    let noted = vec![(None, false); plan.users];
    let mut drive = Drive { terminals, log, scene, people, agenda, noted, working: 0, commands: [0; 2] };
    drive.go(ends, goes_on)
}

/// Ramp, settle and measure as they are run: logging on takes as long as it takes.
fn phases(load: &Load, plan: &Plan) -> [f64; 3] {
    let load = &load.phases;
    let ramp = (load.ramp / plan.scale).max(plan.users as f64 / load.logons);
    [ramp, load.settle / plan.scale, (load.measure / plan.scale).max(1.0)]
}

fn describe(load: &Load, plan: &Plan, phases: [f64; 3], way: String) -> Run {
    let all = load.scripts.iter().map(toml::Spanned::get_ref);
    let left_out = all.clone().filter_map(|script| {
        let why = script.cannot.clone()?;
        Some(LeftOut { script: script.name.clone(), weight: script.weight, why })
    });
    Run {
        load: load.name.clone(),
        about: load.about.clone(),
        notes: load.notes.clone(),
        way,
        users: plan.users,
        seed: plan.seed,
        scale: plan.scale,
        phases,
        weight: all.clone().map(|script| script.weight).sum(),
        left_out: left_out.collect(),
    }
}

impl Drive<'_> {
    fn go(&mut self, ends: [u64; 3], goes_on: &mut dyn FnMut(&Progress) -> bool) -> Result<(), String> {
        let mut marks: Vec<(f64, usize, Used)> = Vec::new();
        let mut early = None;
        loop {
            self.scene.now = self.terminals.now();
            let now = self.scene.now;
            // Measuring begins and ends.
            while marks.len() < 2 && now >= ends[1 + marks.len()] {
                self.mark(&mut marks);
            }
            if marks.len() == 2 {
                break;
            }
            let phase = ["ramp", "settle", "measure"][ends.iter().filter(|end| now >= **end).count().min(2)];
            let seconds = [now, ends[2]].map(|at| at as f64 / 1e6);
            if !goes_on(&Progress { phase, seconds, working: self.working, commands: self.commands }) {
                early = Some(Early::Stopped);
                break;
            }
            if let Err(Died(how)) = self.turn(ends[1 + marks.len()])? {
                early = Some(Early::Died(how));
                break;
            }
        }
        let has_begun = !marks.is_empty();
        while marks.len() < 2 {
            self.mark(&mut marks);
        }
        let (from, first, before) = marks[0];
        let (to, last, after) = marks[1];
        let measured = [if has_begun { from } else { to }, to];
        if !matches!(early, Some(Early::Died(_))) {
            self.leave()?;
        }
        (self.log)(&Line::End(End { measured, working: [first, last], used: after.since(before), early }))
    }

    fn mark(&mut self, marks: &mut Vec<(f64, usize, Used)>) {
        let used = self.terminals.used();
        marks.push((self.terminals.now() as f64 / 1e6, self.working, used));
    }

    /// Does what is due, waits for what comes next, and does that.
    fn turn(&mut self, limit: u64) -> Result<Result<(), Died>, String> {
        while let Some(Reverse((at, user))) =
            self.agenda.peek().copied().filter(|Reverse((at, _))| *at <= self.scene.now)
        {
            self.agenda.pop();
            if self.people[user].due() == Some(at) {
                self.people[user].wakes(&mut self.scene);
                if let died @ Err(_) = self.follow(user)? {
                    return Ok(died);
                }
            }
        }
        let until = self.agenda.peek().map_or(limit, |Reverse((at, _))| (*at).min(limit));
        let mut arrivals = Vec::new();
        if let died @ Err(_) = self.terminals.wait(until, &mut arrivals) {
            return Ok(died);
        }
        self.scene.now = self.terminals.now();
        for (user, arrival) in arrivals {
            let person = &mut self.people[user];
            match arrival {
                Arrival::Connected(sizes) => person.connected(&mut self.scene, sizes),
                Arrival::Record(record) => person.arrived(&mut self.scene, &record),
                Arrival::Gone(why) => person.lost(&mut self.scene, &why),
            }
            if let died @ Err(_) = self.follow(user)? {
                return Ok(died);
            }
        }
        Ok(Ok(()))
    }

    /// Notes what is due for a user, tells what is over, and does what the user wants.
    fn follow(&mut self, user: usize) -> Result<Result<(), Died>, String> {
        let (due, works) = (self.people[user].due(), self.people[user].is_working());
        let (noted, worked) = std::mem::replace(&mut self.noted[user], (due, works));
        self.working = self.working + usize::from(works) - usize::from(worked);
        if due != noted {
            self.agenda.extend(due.map(|due| Reverse((due, user))));
        }
        for command in self.scene.commands.drain(..) {
            if command.is_of_script() {
                self.commands[0] += 1;
            }
            self.commands[1] += u64::from(command.failed.is_some());
            (self.log)(&Line::Command(command))?;
        }
        for wish in std::mem::take(&mut self.scene.wishes) {
            match wish {
                Wish::Connect => {
                    if let died @ Err(_) = self.terminals.connect(user) {
                        return Ok(died);
                    }
                }
                Wish::Send(record) => self.terminals.send(user, &record),
                Wish::HangUp => self.terminals.hang_up(user),
            }
        }
        Ok(Ok(()))
    }

    /// All log off.
    fn leave(&mut self) -> Result<(), String> {
        for user in 0..self.people.len() {
            self.people[user].leaves(&mut self.scene);
            if self.follow(user)?.is_err() {
                return Ok(());
            }
        }
        let end = self.terminals.now() + LEAVING;
        while self.terminals.now() < end && self.people.iter().any(|person| !person.is_gone()) {
            self.scene.now = self.terminals.now();
            if self.turn(end)?.is_err() {
                break;
            }
        }
        Ok(())
    }
}
