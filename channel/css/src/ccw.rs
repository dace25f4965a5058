//! Fetching CCWs: alignment, keys, TRANSFER IN CHANNEL, and what makes a CCW invalid (POP, chapter 15,
//! "Channel-command word", and chapter 16, "Program check").

use crate::protection::may_fetch;
use arch::Absolute;
use arch::io::{Ccw, CcwFormat, Orb, ccw_flag, orb_flag, subchannel_status};
use storage::Storage;

/// What an ORB says about all CCWs of its channel program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub format: CcwFormat,
    /// Access key, 0 to 15.
    pub key: u8,
    flags: u32,
}

impl Rules {
    pub(crate) fn new(orb: &Orb) -> Rules {
        Rules { format: orb.format(), key: orb.key(), flags: orb.flags.get() }
    }

    /// Whether a bit of [`orb_flag`] is on.
    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The highest address that CCWs of this format can mean.
    pub(crate) fn highest_address(&self) -> i64 {
        match self.format {
            CcwFormat::Zero => 0x00ff_ffff,
            CcwFormat::One => 0x7fff_ffff,
        }
    }
}

/// Why a CCW could not be had, and the address of the CCW to blame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Invalid {
    pub status: u8,
    pub at: u32,
}

/// Fetches the CCW at `at`, following one TRANSFER IN CHANNEL. `first` is for the CCW that the ORB designates, which
/// must not be one. Returns the CCW with its address; its flags are not checked yet.
pub(crate) fn fetch(storage: &Storage, rules: &Rules, at: u32, first: bool) -> Result<(u32, Ccw), Invalid> {
    let ccw = load(storage, rules, at).map_err(|status| Invalid { status, at })?;
    if !ccw.is_tic() {
        return Ok((at, ccw));
    }
    let invalid = Invalid { status: subchannel_status::PROGRAM_CHECK, at };
    if first || !pure(rules, &ccw) {
        return Err(invalid);
    }
    let to = ccw.address;
    if aligned(rules, to).is_err() {
        return Err(invalid);
    }
    let ccw = load(storage, rules, to).map_err(|status| Invalid { status, at: to })?;
    if ccw.is_tic() {
        return Err(Invalid { status: subchannel_status::PROGRAM_CHECK, at: to });
    }
    Ok((to, ccw))
}

/// Whether the CCW after the one at `at` is a TRANSFER IN CHANNEL back to it.
pub(crate) fn returns(storage: &Storage, rules: &Rules, at: u32) -> bool {
    let next = load(storage, rules, at.wrapping_add(8));
    next.is_ok_and(|ccw| ccw.is_tic() && pure(rules, &ccw) && ccw.address == at)
}

/// A TRANSFER IN CHANNEL has nothing else in its CCW.
fn pure(rules: &Rules, ccw: &Ccw) -> bool {
    rules.format == CcwFormat::Zero || ccw.command == 0x08 && ccw.flags == 0 && ccw.count == 0
}

fn aligned(rules: &Rules, at: u32) -> Result<(), u8> {
    if at.is_multiple_of(8) && i64::from(at) <= rules.highest_address() {
        Ok(())
    } else {
        Err(subchannel_status::PROGRAM_CHECK)
    }
}

fn load(storage: &Storage, rules: &Rules, at: u32) -> Result<Ccw, u8> {
    aligned(rules, at)?;
    may_fetch(storage, rules.key, u64::from(at))?;
    let bytes = storage.read_array(Absolute(u64::from(at))).map_err(|_| subchannel_status::PROGRAM_CHECK)?;
    Ok(Ccw::decode(rules.format, bytes))
}

/// The checks of flags and address that every CCW must pass, a data-chained one too.
pub(crate) fn check_flags(rules: &Rules, ccw: &Ccw) -> Result<(), u8> {
    let suspend = ccw.has(ccw_flag::SUSPEND) && !rules.has(orb_flag::SUSPEND);
    // Modified IDAWs are not installed, so their flag is one of those that must be zero.
    let address = rules.format == CcwFormat::One && ccw.address > 0x7fff_ffff;
    if suspend || ccw.has(ccw_flag::MIDA) || address { Err(subchannel_status::PROGRAM_CHECK) } else { Ok(()) }
}

/// The checks of a CCW that brings a new command.
pub(crate) fn check_command(rules: &Rules, ccw: &Ccw) -> Result<(), u8> {
    check_flags(rules, ccw)?;
    let code = ccw.command & 0x0f == 0;
    let count = ccw.count == 0 && (rules.format == CcwFormat::Zero || ccw.has(ccw_flag::CHAIN_DATA));
    if code || count { Err(subchannel_status::PROGRAM_CHECK) } else { Ok(()) }
}
