//! Channel measurement (POP, chapter 17, "Channel-Subsystem Monitoring"): SET CHANNEL MONITOR, and measurement blocks,
//! which count how often START SUBCHANNEL and RESUME SUBCHANNEL were executed. Times are not measured: the sample count
//! stays as the program has set it, so that no time in a block is valid.

use crate::ChannelSubsystem;
use arch::io::{MeasurementBlock0, MeasurementBlock1, pmcw_characteristic, pmcw_flag};
use arch::{Absolute, Program};
use base::layout::{U16, U32};
use serde::{Deserialize, Serialize};
use std::mem::offset_of;
use zerocopy::IntoBytes;

/// What SET CHANNEL MONITOR has set: where the blocks of format 0 are, and the access key for all blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Monitor {
    key: u8,
    origin: u64,
}

impl ChannelSubsystem {
    /// SET CHANNEL MONITOR with the contents of general registers 1 and 2. An operand exception if bits that must be
    /// zero are not. The device-connect-time mode (bit 63) is accepted, and no time is told.
    pub fn set_channel_monitor(&mut self, control: u32, origin: u64) -> Result<(), Program> {
        const UPDATE: u32 = 2;
        const RESERVED: u32 = 0x0fff_fffc;
        let updates = control & UPDATE != 0;
        if control & RESERVED != 0 || updates && !origin.is_multiple_of(size_of::<MeasurementBlock0>() as u64) {
            return Err(Program::Operand);
        }
        self.monitor = updates.then_some(Monitor { key: (control >> 28) as u8, origin });
        Ok(())
    }

    /// Counts a start or resume function of a subchannel, if its program wants that. Where there is no storage for the
    /// block, or its key does not match, the subchannel leaves the mode.
    pub(crate) fn measure(&mut self, n: u16) {
        let Some(monitor) = self.monitor else { return };
        let pmcw = &mut self.subchannels[usize::from(n)].pmcw;
        if pmcw.flags & pmcw_flag::BLOCK_UPDATE == 0 {
            return;
        }
        let long = pmcw.characteristics & pmcw_characteristic::MEASUREMENT_FORMAT != 0;
        let index = u64::from(pmcw.mbi) * size_of::<MeasurementBlock0>() as u64;
        let at = Absolute(if long { self.subchannels[usize::from(n)].mba } else { monitor.origin.wrapping_add(index) });
        let allowed = self.storage.key(at).is_ok_and(|key| monitor.key == 0 || key >> 4 == monitor.key);
        if !(allowed && self.count_one(at, long)) {
            self.subchannels[usize::from(n)].pmcw.flags &= !pmcw_flag::BLOCK_UPDATE;
        }
    }

    /// Adds one to the count of a block; false if that cannot be done.
    fn count_one(&self, at: Absolute, long: bool) -> bool {
        if long {
            const { assert!(offset_of!(MeasurementBlock1, starts) == 0) };
            let count = self.storage.read_u32(at).map(|count| U32::new(count.wrapping_add(1)));
            return count.and_then(|count| self.storage.write(at, count.as_bytes())).is_ok();
        }
        const { assert!(offset_of!(MeasurementBlock0, starts) == 0) };
        let count = self.storage.read_u16(at).map(|count| U16::new(count.wrapping_add(1)));
        count.and_then(|count| self.storage.write(at, count.as_bytes())).is_ok()
    }
}
