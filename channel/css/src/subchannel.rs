//! One subchannel: its SCHIB, its device, and the execution of its channel program.
//!
//! A start function lives as a [`Run`]. [`Subchannel::advance`] carries it on until it ends, is suspended, waits for
//! the device, or has used up its allowance of CCWs; so a program that chains to itself does not hold its caller for
//! long, and HALT and CLEAR SUBCHANNEL find it between two CCWs. Status collects in the SCSW; queueing interruptions is
//! the caller's part.

use crate::ccw::{self, Invalid, Rules};
use crate::command::{Command, Outcome, Sense, usual};
use crate::data::{Data, Transfer};
use crate::device::Device;
use crate::fast::{Ended, FastCounts, Program};
use arch::io::{
    Ccw, DeviceStatus, Esw, Irb, Orb, Pmcw, Schib, Scsw, ccw_flag, command, orb_flag, scsw_flag as scsw,
    subchannel_status as status,
};
use storage::Storage;

/// The mask of the first channel path, which every device has.
const PATH: u8 = 0x80;

#[derive(Default)]
pub(crate) struct Subchannel {
    pub pmcw: Pmcw,
    pub scsw: Scsw,
    pub esw: Esw,
    pub ecw: [u8; 32],
    pub mba: u64,
    pub device: Option<Box<dyn Device>>,
    /// Sense bytes of the last unit check, until a Sense command or concurrent sense takes them.
    pub sense: Option<Sense>,
    pub run: Option<Run>,
    /// Whether an interruption is queued for the status.
    pub queued: bool,
    /// CCWs executed since the last count.
    pub executed: u64,
    /// Whether IPL started the program, or a service that waits for its end: its status makes no interruption, and is
    /// not held.
    pub ipl: bool,
    /// Whether the device's fast path is not to be taken.
    pub slow: bool,
    /// Channel programs by path, since the last count.
    pub fast: FastCounts,
}

/// A start function in progress.
pub(crate) struct Run {
    pub orb: Orb,
    /// Mask of the channel path that it goes by.
    pub path: u8,
    pub phase: Phase,
    /// False until the first command was given to the device.
    chained: bool,
    /// The CCW last used, its residual count, and the device's status when it ended.
    at: u32,
    count: u16,
    last: DeviceStatus,
    /// The implied first CCW of IPL.
    implied: Option<Ccw>,
}

pub(crate) enum Phase {
    /// The CCW at this address is to be fetched.
    Fetch(u32),
    /// The device has the command and said that it is pending.
    Command(Command, Transfer),
    /// Channel end was given; at device end the program goes on at this address.
    Chaining(u32),
    /// Primary status was given; device end is missing.
    Ending,
    /// Suspended before the CCW at this address.
    Suspended(u32),
    /// It has ended so, and the device takes its time.
    Holding(DeviceStatus, u8, Option<Sense>),
}

impl Run {
    pub(crate) fn new(orb: Orb) -> Run {
        Run {
            orb,
            path: PATH,
            phase: Phase::Fetch(orb.program.get()),
            chained: false,
            at: orb.program.get().wrapping_sub(8),
            count: 0,
            last: DeviceStatus(0),
            implied: None,
        }
    }

    /// The channel program of IPL: READ IPL of 24 bytes to absolute 0, then on at absolute 8.
    pub(crate) fn ipl() -> Run {
        let flags = ccw_flag::CHAIN_COMMAND | ccw_flag::SUPPRESS_LENGTH;
        let implied = Ccw { command: command::READ_IPL, flags, count: 24, address: 0 };
        Run { at: 0, implied: Some(implied), ..Run::new(Orb::default()) }
    }
}

impl Subchannel {
    pub(crate) fn schib(&self) -> Schib {
        Schib { pmcw: self.pmcw, scsw: self.scsw, mba: self.mba.into(), model_dependent: [0; 4] }
    }

    pub(crate) fn irb(&self) -> Irb {
        Irb { scsw: self.scsw, esw: self.esw, ecw: self.ecw }
    }

    pub(crate) fn operational(&self) -> bool {
        self.pmcw.valid() && self.pmcw.enabled()
    }

    /// Whether one of the device's channel paths is `chpid`.
    pub(crate) fn on_path(&self, chpid: u8) -> bool {
        self.device.is_some() && (0..8).any(|n| self.pmcw.pim & 0x80 >> n != 0 && self.pmcw.chpid[n] == chpid)
    }

    /// The type of the channel path `chpid`, if it is one of the device's.
    pub(crate) fn path_type(&self, chpid: u8) -> Option<u8> {
        self.device.as_ref().filter(|_| self.on_path(chpid)).map(|device| device.path_type())
    }

    pub(crate) fn status_pending(&self) -> bool {
        self.scsw.has(scsw::STATUS_PENDING)
    }

    /// Whether nothing is in progress and no status waits for the program.
    pub(crate) fn idle(&self) -> bool {
        self.run.is_none() && self.scsw.control & (scsw::STATUS | scsw::FUNCTION) == 0
    }

    /// Whether the program in progress can go on by itself.
    pub(crate) fn unfinished(&self) -> bool {
        matches!(&self.run, Some(Run { phase: Phase::Fetch(_), .. }))
    }

    /// Begins a start function; `advance` then carries it on.
    pub(crate) fn begin(&mut self, run: Run) {
        self.pmcw.parameter = run.orb.parameter;
        self.clear_status();
        let inherited = scsw::SUSPEND
            | scsw::FORMAT_1
            | scsw::PREFETCH
            | scsw::INITIAL_STATUS
            | scsw::ADDRESS_LIMIT
            | scsw::SUPPRESS_SUSPENDED;
        let active = scsw::SUBCHANNEL_ACTIVE | scsw::DEVICE_ACTIVE;
        let control = run.orb.flags & (0xf000_0000 | inherited) | scsw::START_FUNCTION | active;
        self.scsw = Scsw { control, ..Scsw::default() };
        if let Some(device) = &mut self.device {
            device.begin(&run.orb);
        }
        self.run = Some(run);
    }

    pub(crate) fn clear_status(&mut self) {
        self.scsw = Scsw::default();
        self.esw = Esw { logout: (u32::from(self.pmcw.lpum) << 16).into(), ..Esw::default() };
        self.ecw = [0; 32];
    }

    /// Carries the start function on, for at most `allowance` CCWs; one that moves much data counts for several.
    pub(crate) fn advance(&mut self, storage: &Storage, mut allowance: u32) {
        self.take_fast_path(storage, &mut allowance);
        while let Some(run) = &mut self.run {
            match &run.phase {
                Phase::Fetch(_) if allowance == 0 => break,
                Phase::Fetch(at) => {
                    let at = *at;
                    allowance -= 1;
                    self.executed += 1;
                    self.fetch(storage, at);
                }
                Phase::Command(command, transfer) => {
                    let (command, mut transfer) = (*command, transfer.clone());
                    let outcome = self.perform(storage, command, &mut transfer);
                    allowance = allowance.saturating_sub(transfer.moved / 4096);
                    match outcome {
                        Outcome::Pending => break,
                        Outcome::Done(status) => self.ended(command, transfer, status, None),
                        Outcome::Check(status, sense) => {
                            self.ended(command, transfer, status | DeviceStatus::UNIT_CHECK, Some(sense));
                        }
                    }
                }
                Phase::Chaining(_) | Phase::Ending | Phase::Suspended(_) | Phase::Holding(..) => break,
            }
        }
    }

    /// At the beginning of a channel program: the device performs by itself what it can.
    fn take_fast_path(&mut self, storage: &Storage, allowance: &mut u32) {
        let (Some(device), Some(run)) = (&mut self.device, &mut self.run) else { return };
        let Phase::Fetch(at) = run.phase else { return };
        if self.slow || run.chained || run.implied.is_some() || run.orb.has(orb_flag::INITIAL_STATUS) {
            return;
        }
        let mut program = Program::new(storage, &run.orb, at, *allowance);
        if !device.fast(&mut program) {
            return;
        }
        let Program { at: next, executed, allowance: left, last, ended, .. } = program;
        if executed == 0 {
            self.fast.not_eligible += 1;
            return;
        }
        (*allowance, self.sense) = (left, None);
        self.executed += u64::from(executed);
        run.chained = true;
        match ended {
            Some(Ended { command, transfer, status, sense }) => self.ended(command, transfer, status, sense),
            None => {
                (run.at, run.count, run.last) = (next.wrapping_sub(8), 0, last);
                run.phase = Phase::Fetch(next);
            }
        }
        if matches!(self.run, None | Some(Run { phase: Phase::Holding(..), .. })) {
            self.fast.done += 1;
        } else {
            self.fast.aborted += 1;
        }
    }

    /// Takes the CCW at `at` into control, or ends or suspends the program there.
    fn fetch(&mut self, storage: &Storage, at: u32) {
        let Some(run) = &mut self.run else { return };
        let rules = Rules::new(&run.orb);
        let fetched = match run.implied.take() {
            // It chains to the CCW at 8, as if it had been at 0.
            Some(ccw) => Ok((0, ccw)),
            None => ccw::fetch(storage, &rules, at, !run.chained),
        };
        let checked = fetched.and_then(|(at, ccw)| match ccw::check_command(&rules, &ccw) {
            Ok(()) => Ok((at, ccw)),
            Err(status) => Err(Invalid { status, at }),
        });
        let (at, ccw) = match checked {
            Ok(found) => found,
            Err(invalid) => {
                (run.at, run.count) = (invalid.at, 0);
                let last = run.last;
                return self.end(last, invalid.status, None);
            }
        };
        if ccw.has(ccw_flag::SUSPEND) {
            (run.at, run.phase) = (at, Phase::Suspended(at));
            return self.suspend();
        }
        run.at = at;
        let command = Command { code: ccw.command, flags: ccw.flags, count: ccw.count, chained: run.chained };
        run.phase = Phase::Command(command, Transfer::new(rules, at, ccw));
        run.chained = true;
        if ccw.has(ccw_flag::PCI) {
            self.intermediate(at, status::PCI);
        }
    }

    fn suspend(&mut self) {
        let Some(run) = &self.run else { return };
        let (at, quiet) = (run.at, run.orb.has(orb_flag::SUPPRESS_SUSPENDED));
        self.scsw.control &= !scsw::ACTIVITY;
        self.scsw.control |= scsw::SUSPENDED;
        if quiet {
            self.scsw.ccw.set(at.wrapping_add(8));
        } else {
            self.intermediate(at, 0);
        }
    }

    /// An intermediate interruption condition; the CCW at `at` is in control.
    fn intermediate(&mut self, at: u32, subchannel: u8) {
        self.scsw.control |= scsw::INTERMEDIATE | scsw::STATUS_PENDING;
        self.scsw.subchannel |= subchannel;
        self.scsw.ccw.set(at.wrapping_add(8));
    }

    /// Has the device, or the subchannel for it, perform a command.
    fn perform(&mut self, storage: &Storage, command: Command, transfer: &mut Transfer) -> Outcome {
        let Some(device) = &mut self.device else { return Outcome::intervention(1) };
        let mut data = Data::new(storage, transfer);
        match command.code {
            command::BASIC_SENSE => {
                let sense = self.sense.take().unwrap_or_else(|| device.sense());
                data.store(sense.bytes());
                Outcome::ENDED
            }
            command::SENSE_ID => match device.describe() {
                Some(id) => {
                    data.store(&id.encode());
                    Outcome::ENDED
                }
                None => device.command(command, &mut data),
            },
            code => {
                if code != command::NO_OPERATION {
                    self.sense = None;
                }
                device.command(command, &mut data)
            }
        }
    }

    /// A command is over: go on by command chaining, or end the start function.
    fn ended(&mut self, command: Command, transfer: Transfer, device: DeviceStatus, sense: Option<Sense>) {
        let Some(run) = &mut self.run else { return };
        let mut subchannel = transfer.check;
        if transfer.check == 0 && transfer.wrong_length(&run.orb, device) {
            subchannel |= status::INCORRECT_LENGTH;
        }
        (run.at, run.count, run.last) = (transfer.at, transfer.residual as u16, device);
        let next = transfer.at.wrapping_add(if device.has(DeviceStatus::STATUS_MODIFIER) { 16 } else { 8 });
        let chain = transfer.ccw.flags & (ccw_flag::CHAIN_COMMAND | ccw_flag::CHAIN_DATA) == ccw_flag::CHAIN_COMMAND;
        let goes_on = chain && subchannel == 0 && usual(device) && device.has(DeviceStatus::CHANNEL_END);
        if goes_on {
            let over = device.has(DeviceStatus::DEVICE_END);
            run.phase = if over { Phase::Fetch(next) } else { Phase::Chaining(next) };
        }
        let initial = !command.chained && transfer.requested && run.orb.has(orb_flag::INITIAL_STATUS);
        if initial {
            self.scsw.control |= scsw::ZERO_STATUS;
            self.intermediate(transfer.at, 0);
        }
        if transfer.pci {
            self.intermediate(transfer.at, status::PCI);
        }
        if !goes_on {
            self.end(device, subchannel, sense);
        }
    }

    /// Ends the start function, wholly or (channel end without device end) but for the secondary status.
    fn end(&mut self, device: DeviceStatus, subchannel: u8, sense: Option<Sense>) {
        let Some(run) = &mut self.run else { return };
        let failed = self.device.as_mut().and_then(|device| device.end());
        let device = if failed.is_some() { device | DeviceStatus::ENDED | DeviceStatus::UNIT_CHECK } else { device };
        let sense = sense.or(failed);
        if !self.ipl && self.device.as_mut().is_some_and(|device| device.busy()) {
            run.phase = Phase::Holding(device, subchannel, sense);
            return;
        }
        self.present(device, subchannel, sense);
    }

    /// Status that was held, if it is: the device is at its end.
    pub(crate) fn release(&mut self) {
        let Some(Run { phase: Phase::Holding(device, subchannel, sense), .. }) = &self.run else { return };
        let (device, subchannel, sense) = (*device, *subchannel, *sense);
        self.present(device, subchannel, sense);
    }

    /// Presents the ending status of the start function.
    fn present(&mut self, device: DeviceStatus, subchannel: u8, sense: Option<Sense>) {
        let Some(run) = &mut self.run else { return };
        let clean = subchannel & !status::PCI == 0;
        let primary_only = clean && usual(device) && !device.has(DeviceStatus::DEVICE_END);
        self.pmcw.lpum = run.path;
        self.scsw.ccw.set(run.at.wrapping_add(8));
        self.scsw.count.set(run.count);
        self.scsw.device = device;
        self.scsw.subchannel = self.scsw.subchannel & status::PCI | subchannel;
        self.scsw.control &= !(scsw::ACTIVITY | scsw::ALERT | scsw::SECONDARY);
        self.scsw.control |= scsw::PRIMARY | scsw::STATUS_PENDING;
        if primary_only {
            self.scsw.control |= scsw::DEVICE_ACTIVE;
            run.phase = Phase::Ending;
        } else {
            self.scsw.control |= scsw::SECONDARY;
            self.run = None;
        }
        if !clean || !usual(device) {
            self.scsw.control |= scsw::ALERT;
        }
        self.esw.logout.set(u32::from(self.pmcw.lpum) << 16);
        if device.has(DeviceStatus::UNIT_CHECK) {
            self.unit_check(sense);
        }
    }

    /// Keeps the sense bytes, or presents them at once if the program asked for concurrent sense.
    fn unit_check(&mut self, sense: Option<Sense>) {
        self.sense = sense;
        if self.pmcw.concurrent_sense()
            && let Some(sense) = self.sense.take()
        {
            let bytes = sense.bytes();
            self.ecw = [0; 32];
            self.ecw[..bytes.len()].copy_from_slice(bytes);
            self.esw.set_sense_count(bytes.len());
            self.scsw.control |= scsw::EXTENDED_CONTROL;
        }
    }

    /// The device has something to say: it is asked for what the subchannel waits for.
    pub(crate) fn signalled(&mut self, storage: &Storage, allowance: u32) {
        match &self.run {
            Some(Run { phase: Phase::Command(..), .. }) => self.advance(storage, allowance),
            Some(Run { phase: Phase::Chaining(_), .. }) => {
                if let Some(device) = self.attention() {
                    self.device_end_chaining(device);
                    self.advance(storage, allowance);
                }
            }
            Some(Run { phase: Phase::Ending, .. }) => {
                if let Some(device) = self.attention() {
                    self.secondary(device);
                }
            }
            Some(Run { phase: Phase::Holding(..), .. }) => {
                if !self.device.as_mut().is_some_and(|device| device.busy()) {
                    self.release();
                }
            }
            // Asked again when the program in progress has ended.
            Some(_) => {}
            None => self.unsolicited(),
        }
    }

    fn attention(&mut self) -> Option<DeviceStatus> {
        self.device.as_mut().and_then(|device| device.attention())
    }

    fn device_end_chaining(&mut self, device: DeviceStatus) {
        let Some(run) = &mut self.run else { return };
        let Phase::Chaining(next) = run.phase else { return };
        run.last |= device;
        let last = run.last;
        if usual(device) {
            let skip = if device.has(DeviceStatus::STATUS_MODIFIER) { 8 } else { 0 };
            run.phase = Phase::Fetch(next.wrapping_add(skip));
        } else {
            let sense = self.device.as_mut().map(|device| device.sense());
            self.end(last | DeviceStatus::DEVICE_END, 0, sense);
        }
    }

    /// Device end after primary status.
    fn secondary(&mut self, device: DeviceStatus) {
        self.run = None;
        if !self.status_pending() {
            (self.scsw.device, self.scsw.subchannel) = (DeviceStatus(0), 0);
        }
        self.scsw.device |= device | DeviceStatus::DEVICE_END;
        self.scsw.control &= !scsw::ACTIVITY;
        self.scsw.control |= scsw::SECONDARY | scsw::STATUS_PENDING;
        if !usual(device) {
            self.scsw.control |= scsw::ALERT;
        }
        if device.has(DeviceStatus::UNIT_CHECK) {
            let sense = self.device.as_mut().map(|device| device.sense());
            self.unit_check(sense);
        }
    }

    /// Presents the device's own status if the subchannel is enabled and idle; otherwise the device keeps it.
    pub(crate) fn unsolicited(&mut self) {
        if !self.operational() || !self.idle() || self.ipl {
            return;
        }
        let Some(device) = self.attention() else { return };
        self.clear_status();
        self.scsw.device = device;
        self.scsw.control |= scsw::ALERT | scsw::STATUS_PENDING;
        if device.has(DeviceStatus::UNIT_CHECK) {
            let sense = self.device.as_mut().map(|device| device.sense());
            self.unit_check(sense);
        }
    }

    /// HALT SUBCHANNEL, when its conditions are met.
    pub(crate) fn halt(&mut self) {
        // An intermediate condition that waits is lost.
        let kept = !(scsw::STATUS | scsw::ZERO_STATUS);
        self.scsw.control &= kept;
        self.scsw.subchannel &= !status::PCI;
        let Some(run) = &mut self.run else {
            self.clear_status();
            self.scsw.control.set(scsw::HALT_FUNCTION | scsw::STATUS_PENDING);
            return;
        };
        if let Phase::Command(_, transfer) = &run.phase {
            (run.at, run.count) = (transfer.at, transfer.residual as u16);
        }
        match run.phase {
            Phase::Suspended(_) => {
                self.run = None;
                self.scsw.control &= !scsw::ACTIVITY;
                self.scsw.control |= scsw::STATUS_PENDING;
            }
            // All of it was performed.
            Phase::Holding(..) => self.release(),
            Phase::Ending => {
                let device = self.device.as_mut().map_or(DeviceStatus::DEVICE_END, |device| device.halt());
                self.secondary(DeviceStatus(device.0 & !DeviceStatus::CHANNEL_END.0));
            }
            _ => {
                let device = self.device.as_mut().map_or(DeviceStatus::ENDED, |device| device.halt());
                self.end(device | DeviceStatus::ENDED, 0, None);
            }
        }
        self.scsw.control |= scsw::HALT_FUNCTION;
    }

    /// Clears what TEST SUBCHANNEL clears (POP, chapter 14, "Conditions and indications cleared").
    pub(crate) fn status_taken(&mut self) {
        let taken = self.scsw.status_control();
        self.scsw.control &= !(scsw::STATUS | scsw::ZERO_STATUS | scsw::EXTENDED_CONTROL);
        self.scsw.subchannel &= !status::PCI;
        if taken == scsw::INTERMEDIATE | scsw::STATUS_PENDING {
            if !self.scsw.has(scsw::SUSPENDED) {
                return;
            }
            self.scsw.control &= !(scsw::RESUME_PENDING | scsw::PATH_NOT_OPERATIONAL);
        } else {
            let ended = scsw::FUNCTION | scsw::PATH_NOT_OPERATIONAL | scsw::DEFERRED_CC;
            let pending = scsw::RESUME_PENDING | scsw::START_PENDING | scsw::HALT_PENDING | scsw::CLEAR_PENDING;
            self.scsw.control &= !(ended | pending | scsw::SUSPENDED);
            (self.scsw.device, self.scsw.subchannel) = (DeviceStatus(0), 0);
        }
        self.esw = Esw { logout: self.esw.logout, ..Esw::default() };
        self.ecw = [0; 32];
    }
}
