//! I/O instructions: privilege and operand alignment; the channel subsystem does the rest.

use super::privileged_operand;
use crate::prelude::*;

/// Ends as an interception after the check for privilege.
fn plain(s: &mut State, what: IoInstruction) -> Result<(), Interruption> {
    s.supervisor_only()?;
    s.intercept(Intercepted::Io(what))
}

/// The same with an operand on a word boundary.
fn with_operand(s: &mut State, i: &Fields, what: fn(At) -> IoInstruction) -> Result<(), Interruption> {
    let at = privileged_operand(s, i, 4)?;
    s.intercept(Intercepted::Io(what(at)))
}

pub fn clear_subchannel(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::ClearSubchannel)
}

pub fn halt_subchannel(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::HaltSubchannel)
}

pub fn cancel_subchannel(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::CancelSubchannel)
}

pub fn resume_subchannel(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::ResumeSubchannel)
}

pub fn reset_channel_path(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::ResetChannelPath)
}

pub fn set_address_limit(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::SetAddressLimit)
}

pub fn set_channel_monitor(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::SetChannelMonitor)
}

pub fn modify_subchannel(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::ModifySubchannel)
}

pub fn start_subchannel(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::StartSubchannel)
}

pub fn store_subchannel(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::StoreSubchannel)
}

pub fn test_subchannel(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::TestSubchannel)
}

pub fn test_pending_interruption(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::TestPendingInterruption)
}

pub fn store_channel_report_word(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::StoreChannelReportWord)
}

pub fn store_channel_path_status(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::StoreChannelPathStatus)
}

pub fn channel_subsystem_call(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::ChannelSubsystemCall { r2: i.r1 })
}
