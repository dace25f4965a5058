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

pub(crate) fn clear_subchannel(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::ClearSubchannel)
}

pub(crate) fn halt_subchannel(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::HaltSubchannel)
}

pub(crate) fn cancel_subchannel(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::CancelSubchannel)
}

pub(crate) fn resume_subchannel(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::ResumeSubchannel)
}

pub(crate) fn reset_channel_path(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::ResetChannelPath)
}

pub(crate) fn set_address_limit(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::SetAddressLimit)
}

pub(crate) fn set_channel_monitor(s: &mut State, _: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::SetChannelMonitor)
}

pub(crate) fn modify_subchannel(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::ModifySubchannel)
}

pub(crate) fn start_subchannel(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::StartSubchannel)
}

pub(crate) fn store_subchannel(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::StoreSubchannel)
}

pub(crate) fn test_subchannel(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::TestSubchannel)
}

pub(crate) fn test_pending_interruption(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::TestPendingInterruption)
}

pub(crate) fn store_channel_report_word(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::StoreChannelReportWord)
}

pub(crate) fn store_channel_path_status(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    with_operand(s, i, IoInstruction::StoreChannelPathStatus)
}

pub(crate) fn channel_subsystem_call(s: &mut State, i: &Fields) -> Result<(), Interruption> {
    plain(s, IoInstruction::ChannelSubsystemCall { r2: i.r1 })
}
