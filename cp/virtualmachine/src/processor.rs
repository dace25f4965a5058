//! Real processors: host threads that run virtual CPUs.
//!
//! The policy is in `dispatch`, which knows no virtual machine. Here are the threads around it, the numbers by which it
//! knows virtual CPUs, and the times at which waiting ones have something to do. A virtual CPU that waits is an entry
//! in a table. One of the processors without work sleeps until the earliest of these times.
//!
//! The lock here comes last in the order: [`Processors::ready`] may be called with any other lock held.

use crate::machine::Listener;
use crate::vmdbk::Vmdbk;
use base::Held;
use base::{Clock, Timers, Tod};
use directory::{Limit, Portion};
use dispatch::{Decision, Dispatcher, Event, Maximum, Return, Share, Srm, Status, UserId, VcpuId, Wakes};
use realstorage::pager::Standing;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, TryLockError, Weak};
use std::time::Duration;

/// CPU addresses that a virtual machine has at most.
pub const CPUS: u32 = 64;

/// What a processor is to run.
pub struct Work {
    /// The processor.
    pub processor: usize,
    /// The virtual machine.
    pub vmdbk: Arc<Vmdbk>,
    /// The address of the virtual CPU.
    pub cpu: u16,
    /// Microseconds.
    pub slice: u64,
}

struct Inner {
    dispatcher: Dispatcher,
    vcpus: HashMap<VcpuId, (Weak<Vmdbk>, u16)>,
    timers: Timers<VcpuId>,
    /// Processors that sleep, and the one of them that watches the timers.
    asleep: Vec<bool>,
    keeper: Option<usize>,
    ended: bool,
    contention: Contention,
}

/// How the lock of the processors was taken, since the system came up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Contention {
    /// How often.
    pub taken: u64,
    /// Of these, how often another thread had it.
    pub contended: u64,
    /// Nanoseconds that were waited for it.
    pub waited_ns: u64,
}

impl Contention {
    /// What came since then.
    pub fn since(self, earlier: Contention) -> Contention {
        Contention {
            taken: self.taken - earlier.taken,
            contended: self.contended - earlier.contended,
            waited_ns: self.waited_ns - earlier.waited_ns,
        }
    }
}

/// The processors of the system.
pub struct Processors {
    inner: Mutex<Inner>,
    bells: Vec<Condvar>,
    clock: Arc<dyn Clock>,
}

/// The number of a virtual CPU for the dispatcher.
pub fn vcpu(user: u32, cpu: u16) -> VcpuId {
    VcpuId(user * CPUS + u32::from(cpu))
}

/// A share of the directory as the dispatcher takes it.
fn portion(portion: Portion) -> Share {
    match portion {
        Portion::Relative(n) => Share::Relative(n),
        Portion::Absolute(n) => Share::Absolute(n),
    }
}

impl Processors {
    /// `count` processors of a host with so many bytes of storage; 0 if that is not known.
    pub fn new(count: u16, storage: u64, clock: Arc<dyn Clock>) -> Processors {
        let count = usize::from(count.max(1)).min(dispatch::MAX_PROCESSORS);
        let inner = Inner {
            dispatcher: Dispatcher::new(count, Srm { pages: storage >> 12, ..Srm::default() }),
            vcpus: HashMap::new(),
            timers: Timers::default(),
            asleep: vec![false; count],
            keeper: None,
            ended: false,
            contention: Contention::default(),
        };
        Processors { inner: Mutex::new(inner), bells: (0..count).map(|_| Condvar::new()).collect(), clock }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // It is hardly ever held: the clock is asked only where another thread has it.
        let (mut inner, waited) = match self.inner.try_lock() {
            Ok(inner) => (inner, None),
            Err(TryLockError::Poisoned(inner)) => (inner.into_inner(), None),
            Err(TryLockError::WouldBlock) => {
                let begun = self.clock.now();
                let inner = self.inner.lock().held();
                (inner, Some(self.clock.now().nanos_since(begun)))
            }
        };
        let contention = &mut inner.contention;
        contention.taken += 1;
        if let Some(waited) = waited {
            contention.contended += 1;
            contention.waited_ns += waited;
        }
        inner
    }

    /// How the lock that all processors share was taken.
    pub fn contention(&self) -> Contention {
        self.lock().contention
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.bells.len()
    }

    /// Calls the dispatcher for INDICATE and QUERY SRM.
    pub fn dispatcher<T>(&self, f: impl FnOnce(&mut Dispatcher, Tod) -> T) -> T {
        f(&mut self.lock().dispatcher, self.clock.now())
    }

    /// Where users stand that are not dormant, by their numbers, as the pager has it.
    pub fn standings(&self) -> Vec<(u32, Standing)> {
        let queued = self.dispatcher(|dispatcher, at| dispatcher.queues(at));
        let mut users: HashMap<u32, Standing> = HashMap::new();
        for entry in queued {
            let user = entry.vcpu.0 / CPUS;
            match entry.status {
                Status::Eligible => _ = users.entry(user).or_insert(Standing::Eligible(entry.class.clamp(1, 3))),
                _ => _ = users.insert(user, Standing::Dispatch),
            }
        }
        users.into_iter().collect()
    }

    /// SET SRM.
    pub fn set_srm(&self, srm: Srm) {
        let at = self.clock.now();
        let wakes = self.lock().dispatcher.set_srm(at, srm);
        self.ring(wakes);
    }

    /// The virtual machine and the CPU address that have this number.
    pub fn who(&self, vcpu: VcpuId) -> Option<(Arc<Vmdbk>, u16)> {
        let (vmdbk, cpu) = self.lock().vcpus.get(&vcpu)?.clone();
        Some((vmdbk.upgrade()?, cpu))
    }

    /// A user logs on, or its shares are set anew.
    fn log_on(&self, user: u32, share: Share, maximum: Option<Maximum>, quickdsp: bool) {
        let (at, user) = (self.clock.now(), UserId(user));
        let mut inner = self.lock();
        let wakes = inner.dispatcher.event(at, Event::User { user, share, quickdsp });
        self.ring(wakes);
        let wakes = inner.dispatcher.event(at, Event::Limit { user, maximum });
        self.ring(wakes);
    }

    /// Tells the dispatcher the shares and QUICKDSP of a virtual machine.
    pub fn share(&self, vmdbk: &Vmdbk) {
        let (share, quickdsp) = vmdbk.shares();
        let maximum = portion(share.maximum.unwrap_or(share.normal));
        let maximum = Maximum { share: maximum, hard: share.limit == Limit::Hard };
        let limit = (share.limit != Limit::NoLimit).then_some(maximum);
        self.log_on(vmdbk.id, portion(share.normal), limit, quickdsp);
    }

    /// Tells the dispatcher how many pages of a user's storage are resident.
    pub fn working_set(&self, user: u32, pages: u64) {
        let at = self.clock.now();
        let wakes = self.lock().dispatcher.event(at, Event::WorkingSet { user: UserId(user), pages });
        self.ring(wakes);
    }

    /// A user has logged off.
    pub fn log_off(&self, user: u32) {
        let at = self.clock.now();
        let mut inner = self.lock();
        for cpu in 0..CPUS as u16 {
            let vcpu = self::vcpu(user, cpu);
            if inner.vcpus.remove(&vcpu).is_some() {
                inner.timers.set(vcpu, None);
                let wakes = inner.dispatcher.event(at, Event::Remove(vcpu));
                self.ring(wakes);
            }
        }
        inner.dispatcher.event(at, Event::UserGone(UserId(user)));
    }

    /// A virtual CPU has something to do.
    pub fn ready(&self, vmdbk: &Weak<Vmdbk>, user: u32, cpu: u16) {
        let at = self.clock.now();
        let vcpu = self::vcpu(user, cpu);
        let mut inner = self.lock();
        if let Entry::Vacant(entry) = inner.vcpus.entry(vcpu) {
            if vmdbk.upgrade().is_none_or(|vmdbk| vmdbk.is_leaving()) {
                return;
            }
            entry.insert((vmdbk.clone(), cpu));
            inner.dispatcher.event(at, Event::Add { vcpu, user: UserId(user) });
        }
        inner.timers.set(vcpu, None);
        let wakes = inner.dispatcher.event(at, Event::Ready(vcpu));
        self.ring(wakes);
    }

    /// Every virtual CPU of a virtual machine that is not stopped may have something to do.
    pub fn wake(&self, vmdbk: &Arc<Vmdbk>) {
        let configuration = &vmdbk.machine().configuration;
        for cpu in configuration.cpus() {
            if !configuration.is_stopped(cpu) {
                self.wake_one(vmdbk, cpu);
            }
        }
    }

    /// One virtual CPU may have something to do.
    pub fn wake_one(&self, vmdbk: &Arc<Vmdbk>, cpu: u16) {
        self.ready(&Arc::downgrade(vmdbk), vmdbk.id, cpu);
    }

    fn ring(&self, wakes: Wakes) {
        wakes.for_each(|processor| self.bells[processor].notify_one());
    }

    /// The virtual CPU that `processor` is to run. With `wait`, waits for one; `None` when the system ends. Without,
    /// `None` also if there is none now.
    pub fn next(&self, processor: usize, wait: bool) -> Option<Work> {
        let mut inner = self.lock();
        loop {
            if inner.ended {
                return None;
            }
            let now = self.clock.now();
            self.expire(&mut inner, now);
            match inner.dispatcher.next(now, processor) {
                Decision::Run { vcpu, slice, wakes } => {
                    self.ring(wakes);
                    let known = inner.vcpus.get(&vcpu).and_then(|(vmdbk, cpu)| Some((vmdbk.upgrade()?, *cpu)));
                    if let Some((vmdbk, cpu)) = known {
                        self.hand_over(&inner);
                        return Some(Work { processor, vmdbk, cpu, slice });
                    }
                    let gone = Event::Returned { processor, used: 0, why: Return::Stopped };
                    let wakes = inner.dispatcher.event(now, gone);
                    self.ring(wakes);
                }
                Decision::Idle { .. } if !wait => return None,
                Decision::Idle { until } => {
                    let keeps = inner.keeper.is_none();
                    let timer = inner.timers.first().filter(|_| keeps);
                    let until = until.into_iter().chain(timer).min();
                    if keeps {
                        inner.keeper = Some(processor);
                    }
                    inner.asleep[processor] = true;
                    inner = match until {
                        None => self.bells[processor].wait(inner).held(),
                        Some(at) => {
                            let time = Duration::from_micros(at.micros_since(now) + 1);
                            let waited = self.bells[processor].wait_timeout(inner, time);
                            waited.held().0
                        }
                    };
                    inner.asleep[processor] = false;
                    if keeps {
                        inner.keeper = None;
                    }
                }
            }
        }
    }

    /// This processor has work: wakes another one, which watches the timers from now on.
    fn hand_over(&self, inner: &Inner) {
        if inner.keeper.is_none()
            && inner.timers.first().is_some()
            && let Some(other) = inner.asleep.iter().position(|&asleep| asleep)
        {
            self.bells[other].notify_one();
        }
    }

    /// Makes virtual CPUs ready whose time has come.
    fn expire(&self, inner: &mut Inner, now: Tod) {
        while let Some(vcpu) = inner.timers.take(|at| at <= now) {
            let wakes = inner.dispatcher.event(now, Event::Ready(vcpu));
            self.ring(wakes);
        }
    }

    /// A processor gives back the virtual CPU that it ran for `used` microseconds. One that waits has something to do
    /// at `until`.
    pub fn returned(&self, processor: usize, work: &Work, used: u64, why: Return, until: Option<Tod>) {
        let at = self.clock.now();
        let vcpu = self::vcpu(work.vmdbk.id, work.cpu);
        let mut inner = self.lock();
        // The time of its last return may be left, if it was made ready while it ran and so did not wait.
        inner.timers.set(vcpu, None);
        if let Some(until) = until.filter(|_| inner.vcpus.contains_key(&vcpu)) {
            let first = inner.timers.first().is_none_or(|first| until < first);
            inner.timers.set(vcpu, Some(until));
            if let Some(keeper) = inner.keeper.filter(|_| first) {
                self.bells[keeper].notify_one();
            }
        }
        let wakes = inner.dispatcher.event(at, Event::Returned { processor, used, why });
        self.ring(wakes);
    }

    /// When a waiting virtual CPU has something to do next.
    pub fn deadline(&self) -> Option<Tod> {
        self.lock().timers.first()
    }

    /// The system ends: [`Processors::next`] gives no more work.
    pub fn end(&self) {
        self.lock().ended = true;
        self.bells.iter().for_each(Condvar::notify_all);
    }
}

/// The [`Listener`] that tells the processors what the hardware of a virtual machine does. The VMDBK is set after it
/// has been made, which is after the hardware.
pub struct Owner {
    vmdbk: OnceLock<Weak<Vmdbk>>,
    id: u32,
    processors: Arc<Processors>,
}

impl Owner {
    /// Of the virtual machine that will have this number.
    pub fn new(id: u32, processors: &Arc<Processors>) -> Owner {
        Owner { vmdbk: OnceLock::new(), id, processors: processors.clone() }
    }

    /// Says which VMDBK it belongs to, once.
    pub fn set(&self, vmdbk: &Arc<Vmdbk>) {
        let _ = self.vmdbk.set(Arc::downgrade(vmdbk));
    }
}

impl Listener for Owner {
    fn runnable(&self, cpu: u16) {
        if let Some(vmdbk) = self.vmdbk.get() {
            self.processors.ready(vmdbk, self.id, cpu);
        }
    }

    fn hold(&self) {
        if let Some(vmdbk) = self.vmdbk.get().and_then(Weak::upgrade) {
            vmdbk.machine().hold();
        }
    }
}
