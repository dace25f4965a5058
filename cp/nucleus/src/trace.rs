//! TRACE: what is to be shown of a virtual machine's instructions and interruptions.
//!
//! While there is a trap, virtual CPUs execute one instruction at a time ([`cpu::local::STEP`]). Before each, what is
//! needed to tell the story afterwards is noted ([`before`]); after it, or after an interruption, [`stepped`] finds
//! what happened, which traps want it, and shows it.

#[path = "trace/event.rs"]
mod event;
#[path = "trace/trap.rs"]
mod trap;

pub use event::{Event, Happened};
pub use trap::{Counts, Kind, Output, Trap, Window};

use crate::command::{self, Issuer, Origin};
use crate::console::display::Tone;
use crate::machine::Machine;
use crate::spooling::lock_unit;
use crate::system::Cp;
use crate::vmdbk::Vmdbk;
use base::{Held, ebcdic};
use consoles::FLOOD;
use directory::SpoolKind;
use event::Before;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// The traps of one virtual machine.
#[derive(Default)]
pub struct Trace {
    active: AtomicBool,
    inner: Mutex<Inner>,
}

/// What the lock protects.
#[derive(Default)]
pub struct Inner {
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
}

/// Gets virtual CPU `cpu` ready to execute one instruction that may be traced.
pub fn before(vmdbk: &Vmdbk, machine: &Machine, cpu: u16) {
    let noted = {
        let mut core = machine.configuration.cpu(cpu);
        core.state.local |= cpu::local::STEP;
        core.state.interrupted = 0;
        Before::note(&mut core.state)
    };
    vmdbk.trace.lock().before.insert(cpu, noted);
}

/// One instruction was executed or one interruption taken. Without a trace that wants it, stepping goes off again.
pub fn stepped(cp: &Cp, vmdbk: &Arc<Vmdbk>, machine: &Machine, cpu: u16) {
    if !vmdbk.trace.is_active() {
        machine.configuration.cpu(cpu).state.local &= !cpu::local::STEP;
        vmdbk.trace.lock().before.clear();
        return;
    }
    let Some(noted) = vmdbk.trace.lock().before.remove(&cpu) else { return };
    let event = {
        let mut core = machine.configuration.cpu(cpu);
        Event::find(noted, &mut core.state)
    };
    let Some(event) = event else { return };
    // Which traps it meets; the locks are free again when lines are written and commands performed.
    let met: Vec<Met> =
        vmdbk.trace.traps(|traps| traps.iter_mut().filter_map(|trap| Met::look(trap, &event, machine)).collect());
    if met.is_empty() {
        return;
    }
    let stops = met.iter().any(|met| met.stop);
    let mut lines = event.lines(machine, stops);
    if machine.configuration.cpus().count() > 1 {
        lines.iter_mut().for_each(|line| *line = format!("{cpu:02X}: {line}"));
    }
    let to_terminal = met.iter().any(|met| met.output.terminal);
    let to_printer = met.iter().any(|met| met.output.printer);
    for line in &lines {
        if to_terminal {
            vmdbk.write(line, Tone::Normal, cp.now());
        }
        if to_printer {
            print(cp, vmdbk, line);
        }
    }
    // A trace that runs on waits for its user, as any guest does that writes faster than can be read.
    if to_terminal && !stops && vmdbk.console().backlog() > FLOOD {
        vmdbk.flooded.store(true, Ordering::Release);
        if vmdbk.console().backlog() < FLOOD / 2 {
            vmdbk.flooded.store(false, Ordering::Release);
        }
    }
    for line in met.into_iter().filter_map(|met| met.command) {
        let issuer = Issuer { vmdbk: vmdbk.clone(), origin: Origin::Console, cpu: Some(cpu) };
        match command::execute(cp, &issuer, &line) {
            Ok(response) => response.lines.iter().for_each(|line| vmdbk.write(line, Tone::Normal, cp.now())),
            Err(message) => vmdbk.write_message(&message, cp.now()),
        }
    }
    if stops {
        cp.set_cp_read(vmdbk, true);
    }
}

/// A trap that an event has met, and what it wants done.
struct Met {
    output: Output,
    command: Option<String>,
    stop: bool,
}

impl Met {
    fn look(trap: &mut Trap, event: &Event, machine: &Machine) -> Option<Met> {
        if trap.kind == Kind::Count {
            trap.counts.add(event);
            return None;
        }
        if !trap.wants(event, machine) || !trap.count() {
            return None;
        }
        Some(Met { output: trap.output, command: trap.command.clone(), stop: trap.stops() })
    }
}

/// A line for the first virtual printer: without one, nowhere.
fn print(cp: &Cp, vmdbk: &Vmdbk, line: &str) {
    /// WRITE, SPACE 1 AFTER WRITE.
    const WRITE: u8 = 0x09;
    for unit in vmdbk.units() {
        let mut unit = lock_unit(&unit);
        if unit.kind == SpoolKind::Printer && !unit.console {
            // A spool that is full loses the line, and CLOSE tells its user so.
            let _ = unit.write(&cp.spool, WRITE, &ebcdic::from_str(line));
            return;
        }
    }
}
