//! A CPU as SAVESYS keeps it, and IPL of what was kept.

use crate::{Configuration, IplSource, ipl};
use arch::Psw;
use base::Held;
use cpu::Architecture;

/// The registers and the PSW of a CPU.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedCpu {
    pub architecture: Architecture,
    pub psw: Psw,
    pub general: [u64; 16],
    pub control: [u64; 16],
    pub floating: [u64; 16],
    pub access: [u32; 16],
    pub prefix: u64,
}

impl Configuration {
    /// The CPU as it is now.
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

    /// IPL without a device: CPU 0, which was reset, becomes what was saved and begins. Storage is already what it is
    /// to be. False if the prefix area is not there.
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
