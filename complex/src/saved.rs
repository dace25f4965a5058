//! A CPU as SAVESYS keeps it, and IPL of what was kept.

use crate::{Configuration, IplSource, ipl};
use arch::Psw;
use base::Held;
use cpu::Architecture;

/// The registers and the PSW of a CPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedCpu {
    /// The architecture in which the CPU was.
    pub architecture: Architecture,
    /// The PSW.
    pub psw: Psw,
    /// General registers, 64 bits each.
    pub general: [u64; 16],
    /// Control registers, 64 bits each.
    pub control: [u64; 16],
    /// Floating-point registers, 64 bits each.
    pub floating: [u64; 16],
    /// Access registers.
    pub access: [u32; 16],
    /// The prefix register.
    pub prefix: u64,
}

impl SavedCpu {
    /// The form in which a saved system keeps them, big-endian. Doublewords: architecture (0 S/370, 1 ESA/390,
    /// 2 z/Architecture), the PSW's mask and address, the prefix, general, control and floating-point registers. Then,
    /// as words, the access registers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let architecture = match self.architecture {
            Architecture::S370 => 0,
            Architecture::Esa => 1,
            Architecture::Z => 2,
        };
        let words = [architecture, self.psw.mask, self.psw.address, self.prefix];
        let all = words.into_iter().chain(self.general).chain(self.control).chain(self.floating);
        all.flat_map(u64::to_be_bytes).chain(self.access.into_iter().flat_map(u32::to_be_bytes)).collect()
    }

    /// The registers from [`SavedCpu::to_bytes`]; `None` if the bytes do not have that form.
    pub fn from_bytes(bytes: &[u8]) -> Option<SavedCpu> {
        let (long, short) = bytes.split_at_checked((4 + 3 * 16) * 8)?;
        let long: Vec<u64> = long.as_chunks().0.iter().copied().map(u64::from_be_bytes).collect();
        let short: Vec<u32> = short.as_chunks().0.iter().copied().map(u32::from_be_bytes).collect();
        let registers = |from: usize| long[from..from + 16].try_into().ok();
        Some(SavedCpu {
            architecture: match long[0] {
                0 => Architecture::S370,
                1 => Architecture::Esa,
                2 => Architecture::Z,
                _ => return None,
            },
            psw: Psw { mask: long[1], address: long[2] },
            prefix: long[3],
            general: registers(4)?,
            control: registers(20)?,
            floating: registers(36)?,
            access: short.try_into().ok()?,
        })
    }
}

impl Configuration {
    /// The registers and the PSW of a CPU as they are now.
    pub fn saved_cpu(&self, cpu: u16) -> SavedCpu {
        let core = self.interrupted_cpu(cpu);
        let state = &core.state;
        SavedCpu {
            architecture: state.architecture(),
            psw: state.psw(),
            general: state.gr,
            control: state.cr,
            floating: std::array::from_fn(|n| state.fpr[n]),
            access: state.ar,
            prefix: state.prefix,
        }
    }

    /// IPL without a device: CPU 0, which was reset, gets the saved registers and begins if `start`. The caller has
    /// already put the saved pages into storage. False if the prefix area is not in storage.
    pub fn ipl_saved(&self, saved: &SavedCpu, parm: &str, start: bool) -> bool {
        {
            let mut core = self.interrupted_cpu(0);
            let state = &mut core.state;
            state.set_architecture(saved.architecture);
            if state.set_prefix(saved.prefix).is_err() {
                return false;
            }
            state.gr = saved.general;
            state.cr = saved.control;
            (0..16).for_each(|n| state.fpr[n] = saved.floating[n]);
            state.ar = saved.access;
            state.control_changed();
            state.per_changed();
            state.purge_tlb();
        }
        let mut parameters = ipl::IplParameters::default();
        (parameters.source, parameters.parm) = (Some(IplSource::Direct), parm.into());
        *self.ipl.lock().held() = parameters;
        self.begin(0, saved.psw, start);
        true
    }
}
