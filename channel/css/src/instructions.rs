//! The I/O instructions (POP, chapter 14), in the manual's order, on values instead of operands.
//!
//! Each returns its condition code. The CPU's side has checked privilege, alignment and the subsystem-identification
//! word ([`SubsystemId::decode`]), and moves operands from and to storage.

use crate::subchannel::{Phase, Run, Subchannel};
use crate::{ChannelSubsystem, Reset, Sense};
use arch::Program;
use arch::io::{
    Crw, IoInterruption, Irb, MeasurementBlock1, Orb, Schib, SubsystemId, crw_flag, pmcw_characteristic, pmcw_flag,
    scsw_flag as scsw,
};

/// Condition code, 0 to 3.
pub type Cc = u8;

const NOT_OPERATIONAL: Cc = 3;

/// Allowances that a synchronous channel program gets before it counts as endless.
const ROUNDS: u32 = 1000;

impl ChannelSubsystem {
    fn subchannel(&mut self, id: SubsystemId) -> Option<&mut Subchannel> {
        self.subchannels.get_mut(usize::from(id.number()))
    }

    /// A subchannel that is provided, valid and enabled.
    fn operational(&mut self, id: SubsystemId) -> Option<&mut Subchannel> {
        self.subchannel(id).filter(|s| s.operational())
    }

    /// CANCEL SUBCHANNEL: takes back a start function that has not reached the device: here, a suspended one.
    pub fn cancel_subchannel(&mut self, id: SubsystemId) -> Cc {
        let Some(s) = self.operational(id) else { return NOT_OPERATIONAL };
        if s.status_pending() {
            return 1;
        }
        if !matches!(&s.run, Some(Run { phase: Phase::Suspended(_), .. })) {
            return 2;
        }
        s.run = None;
        s.clear_status();
        s.unsolicited();
        self.settle(id.number());
        0
    }

    /// CLEAR SUBCHANNEL.
    pub fn clear_subchannel(&mut self, id: SubsystemId) -> Cc {
        let Some(s) = self.operational(id) else { return NOT_OPERATIONAL };
        s.run = None;
        s.sense = None;
        s.ipl = false;
        if let Some(device) = &mut s.device {
            device.reset(Reset::Clear);
        }
        s.pmcw.pnom = 0;
        s.pmcw.pom = 0xff;
        s.clear_status();
        s.scsw.control.set(scsw::CLEAR_FUNCTION | scsw::STATUS_PENDING);
        self.settle(id.number());
        0
    }

    /// HALT SUBCHANNEL.
    pub fn halt_subchannel(&mut self, id: SubsystemId) -> Cc {
        let Some(s) = self.operational(id) else { return NOT_OPERATIONAL };
        let control = s.scsw.control.get();
        let only_intermediate = control & scsw::STATUS == scsw::INTERMEDIATE | scsw::STATUS_PENDING;
        if s.status_pending() && !only_intermediate {
            return 1;
        }
        if control & (scsw::HALT_FUNCTION | scsw::CLEAR_FUNCTION) != 0 {
            return 2;
        }
        s.halt();
        self.settle(id.number());
        0
    }

    /// MODIFY SUBCHANNEL. An operand exception if bits that must be zero are not.
    pub fn modify_subchannel(&mut self, id: SubsystemId, schib: &Schib) -> Result<Cc, Program> {
        const WORD_1: u32 = pmcw_flag::ISC
            | pmcw_flag::ENABLED
            | pmcw_flag::LIMIT_MODE
            | pmcw_flag::MEASUREMENT_MODE
            | pmcw_flag::MULTIPATH;
        const WORD_6: u32 = pmcw_characteristic::MEASUREMENT_FORMAT | pmcw_characteristic::CONCURRENT_SENSE;
        let new = &schib.pmcw;
        let limits = new.flags & pmcw_flag::LIMIT_MODE == pmcw_flag::LIMIT_MODE;
        let reserved = new.flags & pmcw_flag::RESERVED | new.characteristics & pmcw_characteristic::RESERVED;
        // A measurement block of format 1 lies on a boundary of its length.
        let long = new.characteristics & pmcw_characteristic::MEASUREMENT_FORMAT != 0;
        let boundary = size_of::<MeasurementBlock1>() as u64;
        if reserved != 0 || limits || long && !schib.mba.get().is_multiple_of(boundary) {
            return Err(Program::Operand);
        }
        let Some(s) = self.subchannel(id) else { return Ok(NOT_OPERATIONAL) };
        if s.status_pending() {
            return Ok(1);
        }
        if s.run.is_some() || s.scsw.has(scsw::FUNCTION) {
            return Ok(2);
        }
        if s.pmcw.valid() {
            let pmcw = &mut s.pmcw;
            pmcw.parameter = new.parameter;
            pmcw.flags = pmcw.flags & !WORD_1 | new.flags & WORD_1;
            if !pmcw.enabled()
                && let Some(device) = &mut s.device
            {
                device.disabled();
            }
            let pmcw = &mut s.pmcw;
            (pmcw.lpm, pmcw.pom, pmcw.mbi) = (new.lpm, new.pom, new.mbi);
            pmcw.characteristics = pmcw.characteristics & !WORD_6 | new.characteristics & WORD_6;
            s.mba = schib.mba.get();
            s.unsolicited();
            self.settle(id.number());
        }
        Ok(0)
    }

    /// RESET CHANNEL PATH: what devices of the path do is abandoned; a channel report tells that it is done.
    pub fn reset_channel_path(&mut self, chpid: u8) -> Cc {
        let on_path = |s: &Subchannel| s.on_path(chpid);
        if !self.subchannels.iter().any(on_path) {
            return NOT_OPERATIONAL;
        }
        for s in self.subchannels.iter_mut().filter(|s| on_path(s)) {
            if let Some(device) = &mut s.device {
                device.reset(Reset::System);
            }
        }
        self.report(Crw::new(crw_flag::SOLICITED | Crw::CHANNEL_PATH, Crw::INITIALIZED, chpid.into()));
        0
    }

    /// RESUME SUBCHANNEL.
    pub fn resume_subchannel(&mut self, id: SubsystemId) -> Cc {
        let Some(s) = self.operational(id) else { return NOT_OPERATIONAL };
        if s.status_pending() {
            return 1;
        }
        let control = s.scsw.control.get();
        let other = control & (scsw::HALT_FUNCTION | scsw::CLEAR_FUNCTION | scsw::RESUME_PENDING) != 0;
        let suspendable = control & scsw::SUSPEND != 0;
        match &mut s.run {
            Some(run) if suspendable && !other => {
                if let Phase::Suspended(at) = run.phase {
                    run.phase = Phase::Fetch(at);
                    s.scsw.control &= !scsw::SUSPENDED;
                    s.scsw.control |= scsw::SUBCHANNEL_ACTIVE | scsw::DEVICE_ACTIVE;
                    self.carry_on(id.number());
                }
                self.measure(id.number());
                // If it is not suspended: each CCW is fetched when its turn comes, so a suspend flag that the program
                // has just turned off will not be seen, and nothing needs to be remembered.
                0
            }
            _ => 2,
        }
    }

    /// START SUBCHANNEL: executes the channel program as far as it goes. An operand exception for an invalid ORB.
    pub fn start_subchannel(&mut self, id: SubsystemId, orb: &Orb) -> Result<Cc, Program> {
        orb.check()?;
        let Some(s) = self.operational(id) else { return Ok(NOT_OPERATIONAL) };
        if s.status_pending() {
            return Ok(1);
        }
        if s.run.is_some() || s.scsw.has(scsw::FUNCTION) {
            return Ok(2);
        }
        let paths = orb.lpm() & s.pmcw.pam;
        if paths == 0 {
            return Ok(NOT_OPERATIONAL);
        }
        // The first of those that the program allows; none is ever busy.
        let path = 0x80 >> paths.leading_zeros();
        let mut run = Run::new(*orb);
        run.path = path;
        s.begin(run);
        let spooled = s.device.as_ref().is_some_and(|device| device.is_spooled());
        self.count_start(!spooled);
        self.measure(id.number());
        self.carry_on(id.number());
        Ok(0)
    }

    /// STORE CHANNEL REPORT WORD: condition code 0 and the oldest report, or 1 and zeros.
    pub fn store_channel_report_word(&mut self) -> (Cc, Crw) {
        let crw = self.reports.pop_front();
        if self.reports.is_empty() {
            self.pending.set_report(false);
        }
        match crw {
            Some(crw) => (0, crw),
            None => (1, Crw::default()),
        }
    }

    /// STORE SUBCHANNEL: the SCHIB (condition code 0), or `None` (condition code 3).
    pub fn store_subchannel(&mut self, id: SubsystemId) -> Option<Schib> {
        self.schib(id)
    }

    /// TEST PENDING INTERRUPTION, and what a CPU does when it takes an I/O interruption: gives the oldest interruption
    /// of the first subclass that `iscs` enables (bit 0, X'80', is ISC 0, as in control register 6), and withdraws it.
    /// The status stays at the subchannel for TEST SUBCHANNEL. An adapter interruption comes before those of
    /// subchannels.
    pub fn take_interruption(&mut self, iscs: u8) -> Option<IoInterruption> {
        let pending = |isc: u8| self.adapters & 0x80 >> isc != 0 || !self.queues[usize::from(isc)].is_empty();
        let isc = (0..8).find(|&isc| iscs & 0x80 >> isc != 0 && pending(isc))?;
        if self.adapters & 0x80 >> isc != 0 {
            self.adapters &= !(0x80 >> isc);
            self.counts.interruptions += 1;
            self.show_iscs();
            return Some(IoInterruption::adapter(isc));
        }
        let n = self.queues[usize::from(isc)].pop_front()?;
        let s = &mut self.subchannels[usize::from(n)];
        s.queued = false;
        let parameter = s.pmcw.parameter;
        self.counts.interruptions += 1;
        self.show_iscs();
        Some(IoInterruption::new(SubsystemId::new(n), parameter, isc))
    }

    /// TEST SUBCHANNEL: condition code 0 if status was pending, 1 if not (the IRB is stored for both), 3 without an
    /// IRB.
    pub fn test_subchannel(&mut self, id: SubsystemId) -> (Cc, Irb) {
        let n = id.number();
        let Some(s) = self.operational(id) else { return (NOT_OPERATIONAL, Irb::default()) };
        let irb = s.irb();
        if !s.status_pending() {
            return (1, irb);
        }
        self.unpost(n);
        let s = &mut self.subchannels[usize::from(n)];
        s.status_taken();
        s.unsolicited();
        self.settle(n);
        (0, irb)
    }

    /// A synchronous channel program for CP (DIAGNOSE A8 and its kin): starts `orb` and gives its status, with the
    /// sense bytes of a unit check, without any interruption. The error is the condition code of START SUBCHANNEL; a
    /// device that waits for something else is busy (2).
    pub fn perform(&mut self, id: SubsystemId, orb: &Orb) -> Result<(Irb, Option<Sense>), Cc> {
        if orb.check().is_err() {
            return Err(NOT_OPERATIONAL);
        }
        let Some(s) = self.subchannel(id).filter(|s| s.pmcw.valid()) else { return Err(NOT_OPERATIONAL) };
        if s.status_pending() {
            return Err(1);
        }
        if s.run.is_some() {
            return Err(2);
        }
        let spooled = s.device.as_ref().is_some_and(|device| device.is_spooled());
        self.count_start(!spooled);
        let s = &mut self.subchannels[usize::from(id.number())];
        let (parameter, characteristics) = (s.pmcw.parameter, s.pmcw.characteristics);
        s.pmcw.characteristics &= !pmcw_characteristic::CONCURRENT_SENSE;
        s.ipl = true;
        s.begin(Run::new(*orb));
        for _ in 0..ROUNDS {
            self.carry_on(id.number());
            if !self.subchannels[usize::from(id.number())].unfinished() {
                break;
            }
        }
        let s = &mut self.subchannels[usize::from(id.number())];
        let waits = s.run.take().is_some();
        if waits && let Some(device) = &mut s.device {
            device.reset(Reset::Clear);
        }
        let ended = (s.irb(), s.sense.take());
        s.clear_status();
        (s.pmcw.parameter, s.pmcw.characteristics) = (parameter, characteristics);
        s.ipl = false;
        s.unsolicited();
        self.settle(id.number());
        if waits { Err(2) } else { Ok(ended) }
    }

    /// For how many nanoseconds a device that takes its time would still be busy after [`ChannelSubsystem::perform`].
    pub fn left(&mut self, id: SubsystemId) -> u64 {
        self.subchannel(id).and_then(|s| s.device.as_mut()).map_or(0, |device| device.left())
    }
}
