//! The I/O instructions: operands come from and go to the guest's storage, the channel subsystem does the rest.

use crate::Configuration;
use arch::io::{Irb, Orb, Schib, SubsystemId, orb_flag};
use arch::{Program, Real};
use cpu::{Architecture, At, Interruption, IoInstruction, Space, State};
use zerocopy::IntoBytes;

impl Configuration {
    pub(crate) fn perform_io(&self, state: &mut State, io: IoInstruction) -> Result<(), Interruption> {
        use IoInstruction::*;
        if let SignalAdapter
        | BufferState { .. }
        | CallLogicalProcessor { .. }
        | PciFunction { .. }
        | AdjunctProcessor = io
        {
            return self.perform_adapter(state, io);
        }
        let id = |state: &State| SubsystemId::decode(state.gr[1] as u32).map_err(Interruption::from);
        state.cc = match io {
            ClearSubchannel => self.css().clear_subchannel(id(state)?),
            HaltSubchannel => self.css().halt_subchannel(id(state)?),
            CancelSubchannel => self.css().cancel_subchannel(id(state)?),
            ResumeSubchannel => self.css().resume_subchannel(id(state)?),
            ResetChannelPath if state.gr[1] & 0xffff_ff00 != 0 => return Err(Program::Operand.into()),
            ResetChannelPath => self.css().reset_channel_path(state.gr[1] as u8),
            SetAddressLimit => state.cc,
            SetChannelMonitor => {
                let reach = if state.architecture() == Architecture::Z { u64::MAX } else { 0x7fff_ffff };
                self.css().set_channel_monitor(state.gr[1] as u32, state.gr[2] & reach)?;
                state.cc
            }
            ModifySubchannel(at) => {
                let id = id(state)?;
                let schib: Schib = state.read_layout(at)?;
                self.css().modify_subchannel(id, &schib)?
            }
            StartSubchannel(at) => {
                let id = id(state)?;
                // A page that is missing takes its time, and others want the channel subsystem meanwhile.
                let orb = fetch_orb(state, at)?;
                self.css().start_subchannel(id, &orb)?
            }
            StoreSubchannel(at) => {
                let id = id(state)?;
                let schib = self.css().store_subchannel(id);
                match schib {
                    Some(schib) => {
                        state.write_bytes(at, schib.as_bytes())?;
                        0
                    }
                    None => 3,
                }
            }
            TestSubchannel(at) => {
                let id = id(state)?;
                // The status is gone once it has been given: be sure that it can be stored.
                state.test_store(at.address, size_of::<Irb>() as u64, Space::Mode { ar: at.ar }, state.key)?;
                let (cc, irb) = self.css().test_subchannel(id);
                if cc != 3 {
                    state.write_bytes(at, irb.as_bytes())?;
                }
                cc
            }
            TestPendingInterruption(at) => self.test_pending_interruption(state, at)?,
            StoreChannelReportWord(at) => {
                state.test_store(at.address, 4, Space::Mode { ar: at.ar }, state.key)?;
                let (cc, crw) = self.css().store_channel_report_word();
                state.write_bytes(at, crw.as_bytes())?;
                cc
            }
            StoreChannelPathStatus(at) => {
                // All paths are available, none is in use.
                state.write_bytes(at, &[0; 32])?;
                0
            }
            ChannelSubsystemCall { r2 } => {
                let at = At { address: state.gr[r2 as usize] & state.address_mask, ar: r2 };
                if at.address % 4096 != 0 {
                    return Err(Program::Specification.into());
                }
                let mut block = [0; arch::io::chsc::BLOCK];
                state.read_bytes(at, &mut block)?;
                let cc = self.css().channel_subsystem_call(&mut block)?;
                state.write_bytes(at, &block)?;
                cc
            }
            SignalAdapter
            | BufferState { .. }
            | CallLogicalProcessor { .. }
            | PciFunction { .. }
            | AdjunctProcessor => unreachable!("done above"),
        };
        Ok(())
    }

    /// TEST PENDING INTERRUPTION. Returns the condition code.
    fn test_pending_interruption(&self, state: &mut State, at: At) -> Result<u8, Interruption> {
        let open = (state.cr[6] >> 24) as u8;
        if at.address != 0 {
            state.test_store(at.address, 8, Space::Mode { ar: at.ar }, state.key)?;
        }
        let Some(io) = self.css().take_interruption(open) else { return Ok(0) };
        if at.address == 0 {
            let to = state.absolute(Real(arch::lowcore::z::SUBSYSTEM_ID));
            self.storage().write(to, io.as_bytes()).expect("the prefix area lies in storage");
        } else {
            state.write_bytes(at, &io.as_bytes()[..8])?;
        }
        Ok(1)
    }
}

/// Fetches an ORB: three words, and the extension if the ORB says that it has one.
fn fetch_orb(state: &mut State, at: At) -> Result<Orb, Interruption> {
    let mut orb = Orb::default();
    state.read_bytes(at, &mut orb.as_mut_bytes()[..Orb::BASE])?;
    if orb.has(orb_flag::EXTENSION) {
        let extension = state.further(at, Orb::BASE as u64);
        state.read_bytes(extension, orb.extension.as_mut_bytes())?;
    }
    Ok(orb)
}
