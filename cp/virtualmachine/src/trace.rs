//! TRACE: what is to be shown of a virtual machine's instructions and interruptions.
//!
//! While there is a trap, virtual CPUs execute one instruction at a time ([`cpu::local::STEP`]). Before each,
//! [`Trace::before`] notes the state that lines about it need. After it, or after an interruption, [`Trace::stepped`]
//! finds what happened and which traps want it. This module only reads the configuration; the caller shows the lines
//! and performs the commands.

#[path = "trace/event.rs"]
mod event;
#[path = "trace/trap.rs"]
mod trap;

pub use event::{Event, Happened};
pub use trap::{Bits, Counts, Kind, Output, Trap, Window};

use base::Held;
use complex::Configuration;
use event::Before;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

/// The traps of one virtual machine.
#[derive(Default)]
pub struct Trace {
    active: AtomicBool,
    inner: Mutex<Inner>,
}

/// What the lock protects.
#[derive(Default)]
pub struct Inner {
    /// The traps that are set.
    pub traps: Vec<Trap>,
    before: HashMap<u16, Before>,
}

impl Trace {
    /// Whether there is a trap.
    pub fn is_active(&self) -> bool {
        self.active.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().held()
    }

    /// Looks at the traps, or changes them.
    pub fn traps<T>(&self, f: impl FnOnce(&mut Vec<Trap>) -> T) -> T {
        let mut inner = self.lock();
        let result = f(&mut inner.traps);
        self.active.store(!inner.traps.is_empty(), Ordering::Release);
        result
    }

    /// Gets virtual CPU `cpu` ready to execute one instruction that may be traced.
    pub fn before(&self, configuration: &Configuration, cpu: u16) {
        let noted = {
            let mut core = configuration.cpu(cpu);
            core.state.local |= cpu::local::STEP;
            core.state.interrupted = 0;
            Before::note(&mut core.state)
        };
        self.lock().before.insert(cpu, noted);
    }

    /// One instruction was executed or one interruption taken. Returns what is to be shown and done, if a trap wants
    /// it. If there is no trap any more, ends stepping.
    pub fn stepped(&self, configuration: &Configuration, cpu: u16) -> Option<Seen> {
        if !self.is_active() {
            configuration.cpu(cpu).state.local &= !cpu::local::STEP;
            self.lock().before.clear();
            return None;
        }
        let noted = self.lock().before.remove(&cpu)?;
        let watched: Vec<_> = self.traps(|traps| traps.iter().filter_map(Trap::watches).collect());
        let event = {
            let mut core = configuration.cpu(cpu);
            Event::find(noted, &mut core.state, &watched)?
        };
        // Which traps it meets; the locks are free again when lines are written and commands performed.
        let met: Vec<Met> =
            self.traps(|traps| traps.iter_mut().filter_map(|trap| Met::look(trap, &event, configuration)).collect());
        if met.is_empty() {
            return None;
        }
        let stops = met.iter().any(|met| met.stop);
        let mut lines = event.lines(configuration, stops);
        if configuration.cpus().count() > 1 {
            lines.iter_mut().for_each(|line| *line = format!("{cpu:02X}: {line}"));
        }
        Some(Seen {
            lines,
            terminal: met.iter().any(|met| met.output.terminal),
            printer: met.iter().any(|met| met.output.printer),
            commands: met.into_iter().flat_map(|met| met.commands).collect(),
            stops,
        })
    }
}

/// What traps want shown and done of one step of a virtual CPU.
pub struct Seen {
    /// The lines to be shown.
    pub lines: Vec<String>,
    /// Where the lines go: the terminal, the first virtual printer.
    pub terminal: bool,
    /// Whether the lines go to the first virtual printer.
    pub printer: bool,
    /// CP commands that are performed then.
    pub commands: Vec<String>,
    /// The virtual machine stops.
    pub stops: bool,
}

/// A trap that an event has met, and what it wants done.
struct Met {
    output: Output,
    commands: Vec<String>,
    stop: bool,
}

impl Met {
    fn look(trap: &mut Trap, event: &Event, configuration: &Configuration) -> Option<Met> {
        if trap.kind == Kind::Count {
            trap.counts.add(event);
            return None;
        }
        let altered = trap.alters(event);
        if !altered || !trap.wants(event, configuration) || !trap.count() {
            return None;
        }
        Some(Met { output: trap.output, commands: trap.commands.clone(), stop: trap.stops() })
    }
}
