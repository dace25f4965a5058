//! DIAGNOSE 308: the guest resets and loads its own configuration, and asks how it was loaded.
//!
//! CP calls this for a guest's DIAGNOSE; a bare machine would do the same.

use crate::{Configuration, IplSource};
use arch::{Absolute, Program, Psw, Real};
use base::Held;
use base::ebcdic::padded;
use cpu::{Architecture, Interruption};

/// What the caller has to do after the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Go on with the next instruction.
    Continue,
    /// The configuration was reset and goes on from the PSW at absolute 0.
    Restarted,
    /// IPL from this device, storage cleared or not.
    Load { device: u16, clear: bool, load_parameter: [u8; 8] },
    /// A load was asked for, and there is no device to load from.
    NothingToLoad,
}

const OK: u64 = 0x0001;
const NO_PARAMETERS: u64 = 0x0102;

/// Length of the block for a CCW-type IPL, with its header.
const BLOCK: usize = 0xc8;

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
                let next = self.ipl.lock().held().next.clone();
                let source = self.ipl.lock().held().source;
                let device = match (next, source) {
                    (Some(block), _) => u16::from_be_bytes([block[0x6e], block[0x6f]]),
                    (None, Some(IplSource::Device(number))) => number,
                    _ => return Ok(Next::NothingToLoad),
                };
                let load_parameter = self.ipl.lock().held().load_parameter();
                Ok(Next::Load { device, clear: subcode == 3, load_parameter })
            }
            5 => {
                let at = self.block_address(cpu, address)?;
                let mut block = [0; BLOCK];
                self.storage().read(at, &mut block).map_err(|_| Program::Addressing)?;
                // Only IPL from a CCW device, with the length such a block has.
                let good =
                    block[0x0c] == 2 && u32::from_be_bytes([block[0], block[1], block[2], block[3]]) as usize >= BLOCK;
                if good {
                    self.ipl.lock().held().next = Some(block.to_vec());
                }
                answer(if good { OK } else { NO_PARAMETERS });
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
                let mut block = [0; BLOCK];
                block[..4].copy_from_slice(&(BLOCK as u32).to_be_bytes());
                block[8..12].copy_from_slice(&(BLOCK as u32 - 8).to_be_bytes());
                block[0x0c] = 2;
                block[0x0d] = 0x80;
                block[0x10..0x18].copy_from_slice(&ipl.load_parameter());
                block[0x6e..0x70].copy_from_slice(&number.to_be_bytes());
                if !ipl.parm.is_empty() {
                    block[0x70] = 0x40;
                    block[0x74..0x78].copy_from_slice(&(ipl.parm.chars().count() as u32).to_be_bytes());
                    block[0x80..0xc0].copy_from_slice(&padded::<64>(&ipl.parm));
                }
                drop(ipl);
                self.storage().write(at, &block).map_err(|_| Program::Addressing)?;
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

    /// Load-normal reset (with `clear`: clear of the registers too): CPUs and channel subsystem are reset, storage
    /// stays, and the CPU that asked goes on from the short PSW at absolute 0.
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
