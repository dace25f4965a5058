//! The machine as `gdbstub` asks for it: each CPU is a thread, whose number is the CPU's address plus one.

use crate::registers::{Number, Registers, description};
use crate::storage::{self, Meaning};
use complex::Configuration;
use complex::debug::Action;
use cpu::{Area, State, Stops};
use gdbstub::arch::Arch;
use gdbstub::common::{Signal, Tid};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadRangeStepping, MultiThreadRangeSteppingOps, MultiThreadResume, MultiThreadResumeOps,
    MultiThreadSchedulerLocking, MultiThreadSchedulerLockingOps, MultiThreadSingleStep, MultiThreadSingleStepOps,
};
use gdbstub::target::ext::base::single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps, SwBreakpoint,
    SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps, outputln};
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{Target, TargetError, TargetResult};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

/// The errors that GDB knows: bad address, invalid argument, no such CPU.
const EFAULT: u8 = 14;
const EINVAL: u8 = 22;
const ESRCH: u8 = 3;
/// Longer storage is not watched: GDB has other means for a whole array.
const LONGEST: u64 = 1 << 20;

/// z/Architecture.
pub(crate) enum Z {}

impl Arch for Z {
    type Usize = u64;
    type Registers = Registers;
    type RegId = Number;
    type BreakpointKind = usize;

    fn target_description_xml() -> Option<&'static str> {
        Some(description())
    }
}

/// The machine, and what the debugger has said so far.
pub(crate) struct Machine {
    pub(crate) configuration: Arc<Configuration>,
    /// The thread that stands for the machine when it is stopped by the debugger.
    pub(crate) current: u16,
    instructions: Vec<u64>,
    areas: Vec<Area>,
    stops_changed: bool,
    actions: Vec<Action>,
    locked: bool,
    meaning: Meaning,
}

/// The thread of a CPU.
pub(crate) fn tid(cpu: u16) -> Tid {
    Tid::new(usize::from(cpu) + 1).expect("one more than a CPU address is not zero")
}

fn area(address: u64, length: u64, kind: WatchKind) -> Option<Area> {
    let last = address.checked_add((1..=LONGEST).contains(&length).then(|| length - 1)?)?;
    let (fetches, stores) = (kind != WatchKind::Write, kind != WatchKind::Read);
    Some(Area { first: address, last, fetches, stores })
}

/// How the watchpoint was set that has this area.
pub(crate) fn kind_of(area: Area) -> WatchKind {
    match (area.fetches, area.stores) {
        (false, _) => WatchKind::Write,
        (true, false) => WatchKind::Read,
        (true, true) => WatchKind::ReadWrite,
    }
}

impl Machine {
    pub(crate) fn new(configuration: Arc<Configuration>) -> Machine {
        let current = configuration.cpus().next().unwrap_or(0);
        Machine {
            configuration,
            current,
            instructions: Vec::new(),
            areas: Vec::new(),
            stops_changed: false,
            actions: Vec::new(),
            locked: false,
            meaning: Meaning::default(),
        }
    }

    /// The CPU of a thread, which must be there.
    fn cpu(&self, tid: Tid) -> Option<u16> {
        let cpu = u16::try_from(tid.get() - 1).ok()?;
        self.configuration.is_defined(cpu).then_some(cpu)
    }

    /// Looks at a CPU, which does not run, or changes it.
    fn with<T>(&self, tid: Tid, f: impl FnOnce(&mut State) -> T) -> TargetResult<T, Machine> {
        let cpu = self.cpu(tid).ok_or(TargetError::Errno(ESRCH))?;
        Ok(f(&mut self.configuration.interrupted_cpu(cpu).state))
    }

    fn act(&mut self, tid: Tid, action: Action) {
        let Some(cpu) = self.cpu(tid).map(usize::from) else { return };
        if self.actions.len() <= cpu {
            // What is not named runs, or nothing does: that is known when all have been named.
            self.actions.resize(cpu + 1, Action::Hold);
        }
        self.actions[cpu] = action;
    }

    fn named(&self, cpu: u16) -> Option<Action> {
        self.actions.get(usize::from(cpu)).filter(|action| **action != Action::Hold).cloned()
    }

    /// What CP would call the CPU's state.
    fn describe(&self, cpu: u16) -> String {
        let state = if self.configuration.is_stopped(cpu) {
            "stopped"
        } else if self.configuration.interrupted_cpu(cpu).state.psw().is(arch::mask::WAIT) {
            "waiting"
        } else {
            "operating"
        };
        format!("CPU {cpu:02X}, {state}")
    }

    fn command(&mut self, line: &str, out: &mut ConsoleOutput<'_>) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["storage"] => {
                let word = storage::WORDS.iter().find(|(_, meaning)| *meaning == self.meaning).map(|(word, _)| *word);
                outputln!(out, "Addresses are {}.", word.unwrap_or("logical"));
            }
            ["storage", word] => match storage::WORDS.iter().find(|(known, _)| *known == word) {
                Some((word, meaning)) => {
                    self.meaning = *meaning;
                    outputln!(out, "Addresses are {word}.");
                }
                None => outputln!(out, "{word} is no kind of address: {}", words_of_storage()),
            },
            ["cpus"] => {
                self.configuration.cpus().for_each(|cpu| outputln!(out, "{}", self.describe(cpu)));
            }
            [] | ["help"] => {
                outputln!(out, "monitor storage [{}]", words_of_storage());
                outputln!(out, "    what addresses in storage mean from now on; breakpoints are logical always");
                outputln!(out, "monitor cpus");
                outputln!(out, "    the virtual CPUs and their states");
            }
            [word, ..] => outputln!(out, "{word} is not known here; \"monitor help\" has what is."),
        }
    }
}

fn words_of_storage() -> String {
    storage::WORDS.map(|(word, _)| word).join(" | ")
}

impl Target for Machine {
    type Arch = Z;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, Z, Infallible> {
        BaseOps::MultiThread(self)
    }

    // Breakpoints lie in no storage.
    fn guard_rail_implicit_sw_breakpoints(&self) -> bool {
        true
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadBase for Machine {
    fn read_registers(&mut self, registers: &mut Registers, tid: Tid) -> TargetResult<(), Self> {
        *registers = self.with(tid, |state| Registers::of(state))?;
        Ok(())
    }

    fn write_registers(&mut self, registers: &Registers, tid: Tid) -> TargetResult<(), Self> {
        self.with(tid, |state| registers.put(state))
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, address: u64, to: &mut [u8], tid: Tid) -> TargetResult<usize, Self> {
        let meaning = self.meaning;
        match self.with(tid, |state| storage::read(state, meaning, address, to))? {
            0 if !to.is_empty() => Err(TargetError::Errno(EFAULT)),
            count => Ok(count),
        }
    }

    fn write_addrs(&mut self, address: u64, from: &[u8], tid: Tid) -> TargetResult<(), Self> {
        let meaning = self.meaning;
        let written = self.with(tid, |state| storage::write(state, meaning, address, from))?;
        if written { Ok(()) } else { Err(TargetError::Errno(EFAULT)) }
    }

    fn list_active_threads(&mut self, thread_is_active: &mut dyn FnMut(Tid)) -> Result<(), Infallible> {
        // The first is the one that GDB looks at when it comes.
        let others = self.configuration.cpus().filter(|&cpu| cpu != self.current);
        std::iter::once(self.current).chain(others).for_each(|cpu| thread_is_active(tid(cpu)));
        Ok(())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<Tid> for Machine {
    fn read_register(&mut self, tid: Tid, register: Number, to: &mut [u8]) -> TargetResult<usize, Self> {
        self.with(tid, |state| register.get(state, to))
    }

    fn write_register(&mut self, tid: Tid, register: Number, from: &[u8]) -> TargetResult<(), Self> {
        let changed = self.with(tid, |state| register.set(state, from))?;
        if changed { Ok(()) } else { Err(TargetError::Errno(EINVAL)) }
    }
}

impl ThreadExtraInfo for Machine {
    fn thread_extra_info(&self, tid: Tid, to: &mut [u8]) -> Result<usize, Infallible> {
        let text = self.cpu(tid).map(|cpu| self.describe(cpu)).unwrap_or_default();
        let count = text.len().min(to.len());
        to[..count].copy_from_slice(&text.as_bytes()[..count]);
        Ok(count)
    }
}

impl MultiThreadResume for Machine {
    fn resume(&mut self) -> Result<(), Infallible> {
        if std::mem::take(&mut self.stops_changed) {
            let stops = Stops::new(self.instructions.clone(), self.areas.clone());
            self.configuration.set_stops(Some(Arc::new(stops)));
        }
        let unnamed = if self.locked { Action::Hold } else { Action::Run };
        let action = |cpu| self.named(cpu).unwrap_or_else(|| unnamed.clone());
        self.configuration.go((0..self.configuration.max_cpus()).map(action).collect());
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), Infallible> {
        self.actions.clear();
        self.locked = false;
        Ok(())
    }

    fn set_resume_action_continue(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), Infallible> {
        self.act(tid, Action::Run);
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<MultiThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadSingleStep for Machine {
    fn set_resume_action_step(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), Infallible> {
        self.act(tid, Action::Step(0..0));
        Ok(())
    }
}

impl MultiThreadRangeStepping for Machine {
    fn set_resume_action_range_step(&mut self, tid: Tid, start: u64, end: u64) -> Result<(), Infallible> {
        self.act(tid, Action::Step(Range { start, end }));
        Ok(())
    }
}

impl MultiThreadSchedulerLocking for Machine {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), Infallible> {
        self.locked = true;
        Ok(())
    }
}

impl Breakpoints for Machine {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

/// Whether one was there.
fn remove<T: PartialEq>(all: &mut Vec<T>, one: &T) -> bool {
    let found = all.iter().position(|other| other == one);
    found.map(|n| all.swap_remove(n)).is_some()
}

impl SwBreakpoint for Machine {
    fn add_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        self.instructions.push(address);
        self.stops_changed = true;
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u64, _: usize) -> TargetResult<bool, Self> {
        self.stops_changed = true;
        Ok(remove(&mut self.instructions, &address))
    }
}

impl HwBreakpoint for Machine {
    fn add_hw_breakpoint(&mut self, address: u64, kind: usize) -> TargetResult<bool, Self> {
        self.add_sw_breakpoint(address, kind)
    }

    fn remove_hw_breakpoint(&mut self, address: u64, kind: usize) -> TargetResult<bool, Self> {
        self.remove_sw_breakpoint(address, kind)
    }
}

impl HwWatchpoint for Machine {
    fn add_hw_watchpoint(&mut self, address: u64, length: u64, kind: WatchKind) -> TargetResult<bool, Self> {
        let Some(area) = area(address, length, kind) else { return Ok(false) };
        self.areas.push(area);
        self.stops_changed = true;
        Ok(true)
    }

    fn remove_hw_watchpoint(&mut self, address: u64, length: u64, kind: WatchKind) -> TargetResult<bool, Self> {
        let Some(area) = area(address, length, kind) else { return Ok(false) };
        self.stops_changed = true;
        Ok(remove(&mut self.areas, &area))
    }
}

impl MonitorCmd for Machine {
    fn handle_monitor_cmd(&mut self, line: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), Infallible> {
        self.command(&String::from_utf8_lossy(line), &mut out);
        Ok(())
    }
}
