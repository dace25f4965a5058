//! DIAGNOSE 308: the guest resets and loads its own configuration, and asks how it was loaded.
//!
//! CP calls [`Configuration::diagnose_308`] for a guest's DIAGNOSE.

use crate::ipl::NextIpl;
use crate::{Configuration, IplSource};
use arch::ipl::{CCW_DEVICE, IplBlock, LOAD_PARAMETER_VALID, PARM_VALID};
use arch::{Absolute, Program, Psw, Real};
use base::Held;
use base::ebcdic::padded;
use cpu::{Architecture, Interruption};
use zerocopy::{FromZeros, IntoBytes};

/// What the caller has to do after the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Go on with the next instruction.
    Continue,
    /// The configuration was reset and goes on from the PSW at absolute 0.
    Restarted,
    /// IPL from this device, storage cleared or not.
    Load {
        /// The device number to load from.
        device: u16,
        /// Whether storage is cleared first.
        clear: bool,
        /// The load parameter, in EBCDIC.
        load_parameter: [u8; 8],
    },
    /// A load was asked for, and there is no device to load from.
    NothingToLoad,
}

const OK: u64 = 0x0001;
const NO_PARAMETERS: u64 = 0x0102;
/// What subcode 5 says of a block that is not a valid one.
const NOT_VALID: u64 = 0x0402;

impl Configuration {
    /// The call of CPU `cpu`, with the address of the block in R1 and the subcode in R3.
    pub fn diagnose_308(&self, cpu: u16, r1: u8, r3: u8) -> Result<Next, Interruption> {
        let (address, subcode) = {
            let core = self.cpu(cpu);
            if r1 % 2 == 1 {
                return Err(Program::Specification.into());
            }
            (core.state.gr[r1 as usize], core.state.gr[r3 as usize])
        };
        let answer = |code: u64| self.cpu(cpu).state.gr[r1 as usize + 1] = code;
        match subcode {
            0 | 1 => {
                self.reset_and_go_on(cpu, subcode == 0);
                Ok(Next::Restarted)
            }
            3 | 4 | 7 => {
                let next = self.ipl.lock().held().next;
                let source = self.ipl.lock().held().source;
                let device = match (next, source) {
                    (Some(NextIpl(block)), _) => block.device.get(),
                    (None, Some(IplSource::Device(number))) => number,
                    _ => return Ok(Next::NothingToLoad),
                };
                let load_parameter = self.ipl.lock().held().load_parameter();
                Ok(Next::Load { device, clear: subcode == 3, load_parameter })
            }
            5 => {
                let at = self.block_address(cpu, address)?;
                let block: IplBlock = self.storage().read_layout(at).map_err(|_| Program::Addressing)?;
                // Only IPL from a CCW device, with the length such a block has.
                let good = block.kind == CCW_DEVICE && block.length >= size_of::<IplBlock>() as u32;
                if good {
                    self.ipl.lock().held().next = Some(NextIpl(block));
                }
                answer(if good { OK } else { NOT_VALID });
                Ok(Next::Continue)
            }
            6 => {
                let at = self.block_address(cpu, address)?;
                let ipl = self.ipl.lock().held();
                let Some(IplSource::Device(number)) = ipl.source else {
                    drop(ipl);
                    answer(NO_PARAMETERS);
                    return Ok(Next::Continue);
                };
                let mut block = IplBlock::new_zeroed();
                block.length.set(size_of::<IplBlock>() as u32);
                block.parameters_length.set(size_of::<IplBlock>() as u32 - 8);
                (block.kind, block.flags) = (CCW_DEVICE, LOAD_PARAMETER_VALID);
                block.load_parameter = ipl.load_parameter();
                block.device.set(number);
                if !ipl.parm.is_empty() {
                    block.vm_flags = PARM_VALID;
                    block.parm_length.set(ipl.parm.chars().count() as u32);
                    block.parm = padded(&ipl.parm);
                }
                drop(ipl);
                self.storage().write(at, block.as_bytes()).map_err(|_| Program::Addressing)?;
                answer(OK);
                Ok(Next::Continue)
            }
            _ => Err(Program::Specification.into()),
        }
    }

    fn block_address(&self, cpu: u16, address: u64) -> Result<Absolute, Interruption> {
        if address % 4096 != 0 {
            return Err(Program::Specification.into());
        }
        Ok(self.cpu(cpu).state.absolute(Real(address)))
    }

    /// Load-normal reset: CPUs and the channel subsystem are reset, storage stays. With `clear` the registers are zero,
    /// too. The CPU that issued the DIAGNOSE goes on from the short PSW at absolute 0.
    fn reset_and_go_on(&self, cpu: u16, clear: bool) {
        for n in self.cpus() {
            let mut core = self.interrupted_cpu(n);
            if clear {
                core.state.clear_reset();
            } else {
                core.state.initial_reset();
            }
            core.state.set_architecture(Architecture::Esa);
            self.cpus[n as usize].stopped.store(true, std::sync::atomic::Ordering::SeqCst);
        }
        self.css().reset();
        self.shared.floating.clear();
        self.service.lock().held().reset();
        let word = self.storage().read_u64(Absolute(0)).expect("every configuration has a first page");
        self.begin(cpu, Psw::from_short(word), true);
    }
}
