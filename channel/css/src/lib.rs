//! The channel subsystem of one configuration: subchannels, channel programs, I/O interruptions, channel reports
//! (POP, chapters 13 to 17).
//!
//! **What it is.** [`ChannelSubsystem`] is a plain value; a configuration keeps it in a mutex. Its methods are the I/O
//! instructions without their operand fetches: values in, values and a condition code out. It knows guest storage
//! ([`storage::Storage`], absolute addresses) and [`Device`]s, and nothing of CPUs, of CP, or of any kind of device.
//!
//! **How a channel program runs.** START SUBCHANNEL executes it at once, on the caller's thread, CCW by CCW, until it
//! ends, is suspended, or a device answers [`Outcome::Pending`]. A program that is longer than [`ALLOWANCE`] CCWs goes
//! on at the next [`ChannelSubsystem::attend`]. So an endless one can be halted, cleared, or ended by a reset.
//!
//! **What is pending** is told without the mutex by [`Pending`]: CPUs look at it between instructions or blocks. They
//! call [`ChannelSubsystem::attend`] if there is work, [`ChannelSubsystem::take_interruption`] if an enabled subclass
//! is set. What a device waits for rings its [`Doorbell`].
//!
//! **Glossary.** *Run*: a start function in progress. *Transfer*: the data movement of one command. *Idle*: no function
//! in progress and no status pending, so that the device may present status of its own.

mod ccw;
mod checkpoint;
mod chsc;
mod command;
mod data;
mod device;
mod fast;
mod instructions;
mod measurement;
mod pending;
mod protection;
mod subchannel;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use command::{Command, Outcome, Sense, sense};
pub use data::Data;
pub use device::{Adapter, Device, Reset, Unkept};
pub use fast::{FastCounts, Program};
pub use instructions::Cc;
pub use pending::{Doorbell, Notice, Pending};

use arch::io::{Crw, Irb, Pmcw, Schib, SubsystemId, crw_flag, pmcw_flag};
use measurement::Monitor;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use storage::Storage;
use subchannel::{Run, Subchannel};

/// CCWs that one call executes at most before it lets others in; each page of data counts as one more.
pub const ALLOWANCE: u32 = 8192;

/// Subchannels whose device has gone rest until so many others have gone after them. A program that is still at the
/// report of that (Linux looks at it a while later) would take another device there for the one that has gone.
const RESTING: usize = 32;

/// The condition code of SIGNAL ADAPTER without an adapter.
const NO_ADAPTER: Cc = 3;

/// Channel reports kept; later ones are lost, and the last one kept says so.
const REPORTS: usize = 64;

/// Why a device could not be attached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AttachError {
    /// A device of this number is attached already.
    #[error("device {0:04X} is attached already")]
    NumberInUse(u16),
    /// All 65,536 subchannels are in use.
    #[error("all subchannels are in use")]
    Full,
}

/// How an IPL is getting on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ipl {
    /// The channel program waits for the device, or is long: ask again after the next [`ChannelSubsystem::attend`].
    Running,
    /// Channel end and device end: the PSW at absolute 0 may be loaded.
    Loaded,
    /// It ended in any other way.
    Failed(Irb),
    /// There is no such device, or it is busy.
    NotOperational,
}

/// What was done since the configuration began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// START SUBCHANNEL with condition code 0, and I/O by DIAGNOSE.
    pub starts: u64,
    /// Of those, what accounting leaves out: to spooled devices and consoles ([`Device::is_spooled`]), and what CP says
    /// is no I/O of a device.
    pub uncharged: u64,
    /// CCWs executed.
    pub ccws: u64,
    /// I/O interruptions taken, TEST PENDING INTERRUPTION included.
    pub interruptions: u64,
    /// Channel programs by fast path and general way.
    pub fast: FastCounts,
}

/// The channel subsystem of one configuration.
pub struct ChannelSubsystem {
    storage: Arc<Storage>,
    subchannels: Vec<Subchannel>,
    /// Those whose device has gone, in the order in which they went.
    free: VecDeque<u16>,
    /// Subchannels with an interruption pending, in order of arrival, for each subclass.
    queues: [VecDeque<u16>; 8],
    /// Subclasses with an adapter interruption pending.
    adapters: u8,
    reports: VecDeque<Crw>,
    pending: Arc<Pending>,
    counts: Counts,
    /// Whether measurement blocks are updated, and where they are.
    monitor: Option<Monitor>,
}

impl ChannelSubsystem {
    /// A channel subsystem without devices, for channel programs in `storage`.
    pub fn new(storage: Arc<Storage>) -> ChannelSubsystem {
        ChannelSubsystem {
            storage,
            subchannels: Vec::new(),
            free: VecDeque::new(),
            queues: Default::default(),
            adapters: 0,
            reports: VecDeque::new(),
            pending: Arc::default(),
            counts: Counts::default(),
            monitor: None,
        }
    }

    /// What is pending, readable without locking the channel subsystem.
    pub fn pending(&self) -> &Arc<Pending> {
        &self.pending
    }

    /// The configuration's storage was replaced by another; programs in progress end as at a reset.
    pub fn set_storage(&mut self, storage: Arc<Storage>) {
        self.storage = storage;
        self.reset();
    }

    /// What was done since it was made.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// CP does I/O for the program without a channel program: it is counted as one that was started. Accounting leaves
    /// it out if it is not `charged`.
    pub fn count_start(&mut self, charged: bool) {
        self.counts.starts += 1;
        self.counts.uncharged += u64::from(!charged);
    }

    /// Attaches a device to a new subchannel, or to the one that has been free for longest when enough of them are, and
    /// reports that to the program by a channel report.
    pub fn attach(&mut self, number: u16, device: Box<dyn Device>) -> Result<SubsystemId, AttachError> {
        if self.find(number).is_some() {
            return Err(AttachError::NumberInUse(number));
        }
        let new = u16::try_from(self.subchannels.len()).ok();
        let n = match new.filter(|_| self.free.len() <= RESTING) {
            Some(n) => {
                self.subchannels.push(Subchannel::default());
                n
            }
            None => self.free.pop_front().ok_or(AttachError::Full)?,
        };
        let s = &mut self.subchannels[usize::from(n)];
        s.pmcw = initial(number, device.paths());
        let mut device = device;
        device.attached(Doorbell { pending: self.pending.clone(), subchannel: n });
        s.device = Some(device);
        s.clear_status();
        self.report_subchannel(n);
        Ok(SubsystemId::new(n))
    }

    /// Takes a device away, and reports that to the program by a channel report. What it was doing is abandoned.
    pub fn detach(&mut self, number: u16) -> Option<Box<dyn Device>> {
        let id = self.find(number)?;
        let mut device = self.subchannels[usize::from(id.number())].device.take()?;
        self.unpost(id.number());
        self.subchannels[usize::from(id.number())] = Subchannel::default();
        self.free.push_back(id.number());
        device.reset(Reset::System);
        self.report_subchannel(id.number());
        Some(device)
    }

    /// Gives an attached device another number (DEFINE vdev AS). False if there is none or the new number is in use.
    pub fn renumber(&mut self, old: u16, new: u16) -> bool {
        let Some(id) = self.find(old) else { return false };
        if self.find(new).is_some() {
            return old == new;
        }
        let s = &mut self.subchannels[usize::from(id.number())];
        s.pmcw.flags = s.pmcw.flags & 0xffff_0000 | u32::from(new);
        s.pmcw.chpid = channel_paths(new, s.pmcw.pim);
        self.report_subchannel(id.number());
        true
    }

    /// Whether channel programs for a device may take its fast path, if it has one; they may until told otherwise.
    /// False if there is no such device.
    pub fn allow_fast_path(&mut self, number: u16, allowed: bool) -> bool {
        let Some(id) = self.find(number) else { return false };
        self.subchannels[usize::from(id.number())].slow = !allowed;
        true
    }

    /// Whether channel programs for a device may take its fast path; not if there is no such device.
    pub fn allows_fast_path(&self, number: u16) -> bool {
        self.find(number).is_some_and(|id| !self.subchannels[usize::from(id.number())].slow)
    }

    /// The subchannel of a device number.
    pub fn find(&self, number: u16) -> Option<SubsystemId> {
        let n = self.subchannels.iter().position(|s| s.device.is_some() && s.pmcw.device() == number)?;
        Some(SubsystemId::new(n as u16))
    }

    /// All devices: subchannel and device number, in order of subchannels.
    pub fn devices(&self) -> impl Iterator<Item = (SubsystemId, u16)> + '_ {
        let attached = self.subchannels.iter().enumerate().filter(|(_, s)| s.device.is_some());
        attached.map(|(n, s)| (SubsystemId::new(n as u16), s.pmcw.device()))
    }

    /// The device of a subchannel, if it is of type `T`.
    pub fn device_mut<T: Device>(&mut self, id: SubsystemId) -> Option<&mut T> {
        let device = self.subchannels.get_mut(usize::from(id.number()))?.device.as_mut()?;
        let any: &mut dyn Any = device.as_mut();
        any.downcast_mut()
    }

    /// The state of a subchannel, as STORE SUBCHANNEL would store it, for display.
    pub fn schib(&self, id: SubsystemId) -> Option<Schib> {
        Some(self.subchannels.get(usize::from(id.number()))?.schib())
    }

    /// Goes on with everything that can: asks devices that rang their bells, continues long channel programs. To be
    /// called when [`Pending::work`] says so.
    pub fn attend(&mut self) {
        for n in self.pending.take_work() {
            self.signal(SubsystemId::new(n));
        }
        for n in 0..self.subchannels.len() {
            if self.subchannels[n].unfinished() {
                self.carry_on(n as u16);
            }
        }
    }

    /// Asks a device at once, as if its bell had rung.
    pub fn signal(&mut self, id: SubsystemId) {
        self.with_queues(id, |device, adapter| device.rung(adapter));
        let Some(s) = self.subchannels.get_mut(usize::from(id.number())) else { return };
        s.signalled(&self.storage, ALLOWANCE);
        self.settle(id.number());
    }

    /// SIGNAL ADAPTER. The condition code: 0, or 3 if the subchannel is not enabled or its device has no active queues.
    pub fn signal_adapter(&mut self, id: SubsystemId, function: u8, queues: u32) -> Cc {
        if !self.subchannels.get(usize::from(id.number())).is_some_and(Subchannel::operational) {
            return NO_ADAPTER;
        }
        match self.with_queues(id, |device, adapter| device.signalled(function, queues, adapter)) {
            Some(true) => 0,
            _ => NO_ADAPTER,
        }
    }

    /// The program notifies a device of what is in one of its queues. False if the subchannel is not enabled, or its
    /// device has no such queue.
    pub fn notify(&mut self, id: SubsystemId, queue: u16) -> bool {
        if !self.subchannels.get(usize::from(id.number())).is_some_and(Subchannel::operational) {
            return false;
        }
        let known = self.with_queues(id, |device, adapter| device.notified(queue, adapter)).unwrap_or(false);
        if known {
            self.subchannels[usize::from(id.number())].unsolicited();
            self.settle(id.number());
        }
        known
    }

    /// A device works with its queues.
    fn with_queues<T>(&mut self, id: SubsystemId, f: impl FnOnce(&mut dyn Device, &mut Adapter<'_>) -> T) -> Option<T> {
        let device = self.subchannels.get_mut(usize::from(id.number()))?.device.as_mut()?;
        let mut adapter = Adapter { storage: &self.storage, iscs: 0 };
        let result = f(device.as_mut(), &mut adapter);
        let iscs = adapter.iscs;
        if iscs & !self.adapters != 0 {
            self.adapters |= iscs;
            self.show_iscs();
        }
        Some(result)
    }

    fn carry_on(&mut self, n: u16) {
        self.subchannels[usize::from(n)].advance(&self.storage, ALLOWANCE);
        self.settle(n);
    }

    /// After anything that may have changed a subchannel: queues its interruption, remembers unfinished work.
    fn settle(&mut self, n: u16) {
        let s = &mut self.subchannels[usize::from(n)];
        self.counts.ccws += std::mem::take(&mut s.executed);
        let fast = std::mem::take(&mut s.fast);
        self.counts.fast.done += fast.done;
        self.counts.fast.aborted += fast.aborted;
        self.counts.fast.not_eligible += fast.not_eligible;
        if s.status_pending() && !s.queued && !s.ipl {
            s.queued = true;
            self.queues[usize::from(s.pmcw.isc())].push_back(n);
            self.show_iscs();
        }
        if self.subchannels[usize::from(n)].unfinished() {
            self.pending.set_work();
        }
    }

    /// The interruption of a subchannel is no longer pending.
    fn unpost(&mut self, n: u16) {
        let s = &mut self.subchannels[usize::from(n)];
        if std::mem::take(&mut s.queued) {
            for queue in &mut self.queues {
                queue.retain(|&other| other != n);
            }
            self.show_iscs();
        }
    }

    fn show_iscs(&self) {
        let iscs = (0..8).filter(|&isc| !self.queues[isc].is_empty()).fold(0, |iscs, isc| iscs | 0x80 >> isc);
        self.pending.set_iscs(iscs | self.adapters);
    }

    /// I/O-system reset (POP, chapter 17): all functions and status are gone, subchannels are disabled and as at
    /// power on, devices are reset. Channel reports are gone, too.
    pub fn reset(&mut self) {
        for queue in &mut self.queues {
            queue.clear();
        }
        self.adapters = 0;
        self.reports.clear();
        self.monitor = None;
        self.pending.set_report(false);
        for s in &mut self.subchannels {
            if let Some(mut device) = s.device.take() {
                device.reset(Reset::System);
                let pmcw = initial(s.pmcw.device(), device.paths());
                *s = Subchannel { pmcw, device: Some(device), slow: s.slow, ..Subchannel::default() };
            }
        }
        self.show_iscs();
    }

    /// Resets one device as a system reset does, and clears its subchannel (CP's RESET). False if there is none.
    pub fn reset_device(&mut self, number: u16) -> bool {
        let Some(id) = self.find(number) else { return false };
        self.unpost(id.number());
        let s = &mut self.subchannels[usize::from(id.number())];
        if let Some(mut device) = s.device.take() {
            device.reset(Reset::System);
            *s = Subchannel { pmcw: s.pmcw, device: Some(device), slow: s.slow, ..Subchannel::default() };
            s.clear_status();
        }
        true
    }

    /// Begins an IPL from a device: READ IPL of 24 bytes to absolute 0, then the CCW at absolute 8. The configuration
    /// has been reset before; afterwards the subchannel is enabled and no interruption is pending.
    pub fn start_ipl(&mut self, id: SubsystemId) -> Ipl {
        let Some(s) = self.subchannels.get_mut(usize::from(id.number())) else { return Ipl::NotOperational };
        if !s.pmcw.valid() || !s.idle() {
            return Ipl::NotOperational;
        }
        s.pmcw.flags |= pmcw_flag::ENABLED;
        s.ipl = true;
        s.begin(Run::ipl());
        self.carry_on(id.number());
        self.test_ipl(id)
    }

    /// How the IPL from this device is getting on; the answer other than `Running` is given once.
    pub fn test_ipl(&mut self, id: SubsystemId) -> Ipl {
        let Some(s) = self.subchannels.get_mut(usize::from(id.number())) else { return Ipl::NotOperational };
        if !s.ipl {
            return Ipl::NotOperational;
        }
        if s.run.is_some() {
            return Ipl::Running;
        }
        let irb = s.irb();
        s.status_taken();
        s.ipl = false;
        let good = irb.scsw.device == arch::io::DeviceStatus::ENDED
            && irb.scsw.subchannel & !arch::io::subchannel_status::PCI == 0;
        if good { Ipl::Loaded } else { Ipl::Failed(irb) }
    }

    /// Queues a channel report and makes the machine-check condition pending.
    pub fn report(&mut self, crw: Crw) {
        if self.reports.len() < REPORTS {
            self.reports.push_back(crw);
        } else if let Some(last) = self.reports.back_mut() {
            last.source |= crw_flag::OVERFLOW;
        }
        self.pending.set_report(true);
    }

    fn report_subchannel(&mut self, n: u16) {
        self.report(Crw::new(Crw::SUBCHANNEL, Crw::PARAMETERS_INITIALIZED, n));
    }
}

/// The PMCW of a device with so many channel paths after it was attached or reset.
fn initial(number: u16, paths: u8) -> Pmcw {
    let mask = !(0xff_u8.checked_shr(paths.clamp(1, 8).into()).unwrap_or(0));
    let flags = (pmcw_flag::VALID | u32::from(number)).into();
    Pmcw { flags, lpm: mask, pim: mask, pom: 0xff, pam: mask, chpid: channel_paths(number, mask), ..Pmcw::default() }
}

/// The channel path identifications of a device, one for each bit of the mask: devices of the same hundred (in
/// hexadecimal) share them.
pub fn channel_paths(number: u16, mask: u8) -> [u8; 8] {
    let first = (number >> 8) as u8;
    std::array::from_fn(|n| if mask & 0x80 >> n != 0 { first.wrapping_add(0x20 * n as u8) } else { 0 })
}
