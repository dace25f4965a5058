//! The fast path: a device takes the commands at the beginning of a channel program by itself, as long as they are of
//! the ordinary kind it looks for.
//!
//! CCWs are fetched, and data moved, by the same code as on the general way: [`Data`] checks keys and follows indirect
//! address lists. What the fast path leaves out is the bookkeeping between two commands, which cannot be seen while
//! they follow one another without a hitch; and a search that is repeated until it finds goes through the track at
//! once. At the first command that a device does not want, or that ends in any way but the usual one, the general way
//! goes on from there; so a program gives the same results on both, whatever is in it.

use crate::ccw::{self, Rules};
use crate::command::{Command, Outcome, Sense, usual};
use crate::data::{Data, Transfer};
use arch::io::{DeviceStatus, Orb, ccw_flag};
use storage::Storage;

/// How many channel programs of devices that have a fast path took it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FastCounts {
    /// To their end.
    pub done: u64,
    /// At their beginning; the general way finished them.
    pub aborted: u64,
    /// Not at all.
    pub not_eligible: u64,
}

/// A command that has ended and how, for the general way to act on.
pub(crate) struct Ended {
    pub command: Command,
    pub transfer: Transfer,
    pub status: DeviceStatus,
    pub sense: Option<Sense>,
}

/// A channel program on the fast path, at some command of it.
pub struct Program<'a> {
    storage: &'a Storage,
    rules: Rules,
    orb: &'a Orb,
    /// Where the next CCW is, and the command and data of the one that [`Program::next`] gave last.
    pub(crate) at: u32,
    current: Option<(Command, Transfer)>,
    /// CCWs that may still be executed, and that were.
    pub(crate) allowance: u32,
    pub(crate) executed: u32,
    pub(crate) last: DeviceStatus,
    pub(crate) ended: Option<Ended>,
}

impl<'a> Program<'a> {
    pub(crate) fn new(storage: &'a Storage, orb: &'a Orb, at: u32, allowance: u32) -> Program<'a> {
        let (rules, last) = (Rules::new(orb), DeviceStatus(0));
        Program { storage, rules, orb, at, current: None, allowance, executed: 0, last, ended: None }
    }

    /// The next command, if its CCW is in order and has nothing that only the general way knows (PCI, suspension). To
    /// be asked again only after [`Program::end`] has said so.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Command> {
        const SPECIAL: u8 = ccw_flag::PCI | ccw_flag::SUSPEND | ccw_flag::MIDA;
        if self.allowance == 0 || self.ended.is_some() {
            return None;
        }
        let chained = self.executed > 0;
        let (at, ccw) = ccw::fetch(self.storage, &self.rules, self.at, !chained).ok()?;
        if ccw.flags & SPECIAL != 0 || ccw::check_command(&self.rules, &ccw).is_err() {
            return None;
        }
        let command = Command { code: ccw.command, flags: ccw.flags, count: ccw.count, chained };
        self.current = Some((command, Transfer::new(self.rules, at, ccw)));
        Some(command)
    }

    /// The data of the command that [`Program::next`] gave.
    pub fn data(&mut self) -> Data<'_> {
        let (_, transfer) = self.current.as_mut().expect("data belongs to a command");
        Data::new(self.storage, transfer)
    }

    /// Whether the command that [`Program::next`] gave is performed again as long as it does not find what it searches
    /// for: then the device may do so by itself, as often as this says at most, and tell it by [`Program::repeated`].
    pub fn repeats(&self) -> Option<u32> {
        let (_, transfer) = self.current.as_ref()?;
        let chain = transfer.ccw.flags & (ccw_flag::CHAIN_COMMAND | ccw_flag::CHAIN_DATA) == ccw_flag::CHAIN_COMMAND;
        (chain && ccw::returns(self.storage, &self.rules, transfer.at)).then_some(self.allowance)
    }

    /// So often more was the command performed; `anew`: the last time ended before it wanted data.
    pub fn repeated(&mut self, times: u32, anew: bool) {
        self.executed += times;
        self.allowance = self.allowance.saturating_sub(times);
        if anew && let Some((_, transfer)) = &mut self.current {
            *transfer = Transfer::new(self.rules, transfer.at, transfer.ccw);
        }
    }

    /// The command has ended so. True if another one follows on the fast path, as far as one can tell.
    pub fn end(&mut self, outcome: Outcome) -> bool {
        let Some((command, transfer)) = self.current.take() else { return false };
        let (status, sense) = match outcome {
            Outcome::Done(status) => (status, None),
            Outcome::Check(status, sense) => (status | DeviceStatus::UNIT_CHECK, Some(sense)),
            // It was not performed, then: the general way asks again.
            Outcome::Pending => return false,
        };
        self.executed += 1;
        self.allowance = self.allowance.saturating_sub(1 + transfer.moved / 4096);
        let chain = transfer.ccw.flags & (ccw_flag::CHAIN_COMMAND | ccw_flag::CHAIN_DATA) == ccw_flag::CHAIN_COMMAND;
        let plain = transfer.check == 0 && !transfer.pci && usual(status) && status.has(DeviceStatus::ENDED);
        if chain && plain && !transfer.wrong_length(self.orb, status) {
            self.at = transfer.at.wrapping_add(if status.has(DeviceStatus::STATUS_MODIFIER) { 16 } else { 8 });
            self.last = status;
            return true;
        }
        self.ended = Some(Ended { command, transfer, status, sense });
        false
    }
}
