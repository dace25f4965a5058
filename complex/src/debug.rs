//! A debugger's hold on the virtual CPUs. It is outside of the guest: it stops CPUs between two instructions, and the
//! guest sees nothing of it but that time has passed.
//!
//! All CPUs run or all are frozen. A frozen CPU is one that waits, to whatever runs it. When one comes to a stop
//! ([`Stops`]), or has done the step that it was told to do, it freezes all, and the debugger is told. One that is let
//! go alone leaves the others frozen ([`Action::Hold`]).

use crate::run::Leave;
use crate::{Configuration, Core, Exit};
use arch::Psw;
use base::Held;
use cpu::{State, Stops, local};
use engine::Stop;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard};

/// What a CPU is to do when the debugger lets the machine go.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Action {
    /// It runs until it comes to a stop.
    #[default]
    Run,
    /// It executes one instruction, and takes no interruption before that. Where the range is not empty, it goes on as
    /// long as it is in there. One that waits takes an interruption instead.
    Step(Range<u64>),
    /// It does nothing.
    Hold,
}

/// Why the CPUs were frozen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The CPU is at a stop.
    Stop(Stop),
    /// The CPU has done its step.
    Stepped,
    /// The CPU has loaded a wait PSW that no interruption can end.
    DisabledWait(Psw),
    /// The CPU is in a loop of program interruptions.
    ProgramLoop,
}

/// Is told, with locks held, that there is an [`Event`]: it only takes a note.
type Listener = Box<dyn Fn() + Send>;

/// What a debugger wants of a configuration.
#[derive(Default)]
pub(crate) struct Debug {
    /// There is a debugger.
    active: AtomicBool,
    frozen: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    listener: Option<Listener>,
    /// By CPU addresses; those after the end run.
    actions: Vec<Action>,
    /// The CPUs that step, with what each had executed before.
    began: Vec<(u16, u64)>,
    event: Option<(u16, Event)>,
    /// CPUs that do nothing any more by themselves, of which the debugger has been told.
    at_end: Vec<u16>,
}

impl Debug {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().held()
    }

    pub(crate) fn is_frozen(&self) -> bool {
        self.frozen.load(SeqCst)
    }
}

impl Configuration {
    /// There is a debugger from now on, which is told of events: all CPUs are frozen.
    pub fn debug(&self, listener: impl Fn() + Send + 'static) {
        *self.debug.lock() = Inner { listener: Some(Box::new(listener)), ..Inner::default() };
        self.debug.active.store(true, SeqCst);
        self.freeze();
    }

    /// There is no debugger any more: the CPUs go on, and stop nowhere.
    pub fn end_debugging(&self) {
        self.set_stops(None);
        self.debug.active.store(false, SeqCst);
        *self.debug.lock() = Inner::default();
        self.thaw();
    }

    /// Freezes all CPUs: none executes anything after this returns.
    pub fn freeze(&self) {
        self.debug.frozen.store(true, SeqCst);
        for cpu in 0..self.max_cpus() {
            // One that was about to run looks again once it has its lock.
            drop(self.interrupted_cpu(cpu));
        }
    }

    /// Lets the CPUs go, each to do what `actions` has for its address, or to run. What was not yet told of an event is
    /// forgotten.
    pub fn go(&self, actions: Vec<Action>) {
        {
            let mut inner = self.debug.lock();
            (inner.actions, inner.event) = (actions, None);
            inner.began.clear();
        }
        self.thaw();
    }

    fn thaw(&self) {
        self.debug.frozen.store(false, SeqCst);
        for cpu in self.cpus().filter(|&cpu| !self.is_stopped(cpu)) {
            self.host.runnable(cpu);
        }
    }

    /// Has all CPUs stop there and nowhere else. They are frozen.
    pub fn set_stops(&self, stops: Option<Arc<Stops>>) {
        for cpu in 0..self.max_cpus() {
            self.interrupted_cpu(cpu).state.set_stops(stops.clone());
        }
    }

    /// Why the CPUs were frozen, and by which, if the debugger has not been told yet.
    pub fn take_event(&self) -> Option<(u16, Event)> {
        self.debug.lock().event.take()
    }

    /// What CPU `n` may do, which is about to run.
    pub(crate) fn leave_to_run(&self, n: u16, state: &mut State) -> Leave {
        if !self.debug.active.load(SeqCst) {
            return Leave::Free;
        }
        if self.debug.is_frozen() {
            return Leave::Nothing;
        }
        let mut inner = self.debug.lock();
        match inner.actions.get(usize::from(n)).cloned().unwrap_or_default() {
            Action::Run => Leave::Run,
            Action::Hold => Leave::Nothing,
            Action::Step(range) => {
                let before = inner.began.iter().find(|(cpu, _)| *cpu == n).map(|(_, before)| *before);
                // An instruction that CP has performed meanwhile is a step, too.
                if before.is_some_and(|before| before != state.instructions) && !range.contains(&state.ia) {
                    drop(inner);
                    self.report(n, Event::Stepped);
                    return Leave::Nothing;
                }
                inner.began.retain(|(cpu, _)| *cpu != n);
                inner.began.push((n, state.instructions));
                state.interrupted = 0;
                state.local |= local::STEP | local::QUIET;
                Leave::Step
            }
        }
    }

    /// Whether CPU `n`, which has done a step, is to go on: it is in its range yet, and at no stop.
    pub(crate) fn steps_on(&self, n: u16, state: &State) -> bool {
        let inner = self.debug.lock();
        let inside = match inner.actions.get(usize::from(n)) {
            Some(Action::Step(range)) => range.contains(&state.ia),
            _ => false,
        };
        let stop = state.touched.is_some() || state.stops().is_some_and(|stops| stops.has(state.ia));
        inside && !stop && state.interrupted == 0 && !self.debug.is_frozen()
    }

    /// CPU `n` has come out of the engine so. The debugger is told of an event; what comes back is for the caller.
    pub(crate) fn debugged(&self, n: u16, leave: &Leave, core: &mut Core, exit: Exit) -> Exit {
        let Core { state, stop, .. } = core;
        let at = stop.take();
        if matches!(leave, Leave::Step) {
            state.local &= !(local::STEP | local::QUIET);
        }
        let event = match (&exit, leave, at) {
            (_, _, Some(stop)) => Event::Stop(stop),
            (Exit::Step, Leave::Step, _) => match state.touched.take() {
                Some(touched) => Event::Stop(Stop::Access(touched)),
                None if state.stops().is_some_and(|stops| stops.has(state.ia)) => Event::Stop(Stop::Instruction),
                None => Event::Stepped,
            },
            (Exit::DisabledWait(psw), ..) if self.is_news(n) => Event::DisabledWait(*psw),
            (Exit::ProgramLoop, ..) if self.is_news(n) => Event::ProgramLoop,
            _ => return exit,
        };
        if !self.report(n, event)
            && let Event::Stop(Stop::Access(touched)) = event
        {
            // Another CPU was first: the debugger is told when it has let this one go.
            state.touched = Some(touched);
        }
        match exit {
            Exit::DisabledWait(_) | Exit::ProgramLoop => Exit::Left,
            exit => exit,
        }
    }

    /// Whether the debugger has not been told that CPU `n` is at its end. The next time it is CP that hears of it.
    fn is_news(&self, n: u16) -> bool {
        let mut inner = self.debug.lock();
        let news = !inner.at_end.contains(&n);
        if news {
            inner.at_end.push(n);
        } else {
            inner.at_end.retain(|&cpu| cpu != n);
        }
        news
    }

    /// Freezes all CPUs and tells the debugger. False if it has not heard of another event yet.
    fn report(&self, n: u16, event: Event) -> bool {
        let mut inner = self.debug.lock();
        let first = inner.event.is_none() && !self.debug.frozen.swap(true, SeqCst);
        if first {
            inner.event = Some((n, event));
            for cpu in self.cpus().filter(|&cpu| cpu != n) {
                self.leave(cpu);
            }
            if let Some(listener) = &inner.listener {
                listener();
            }
        }
        first
    }
}
