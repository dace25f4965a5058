//! What wants chance: PRNO's function TRNG, whose true random numbers come from the host, and the keys that wrap keys.

use crate::Configuration;
use arch::PAGE;
use cpu::{At, Interruption, State, WrappingKeys};
use zerocopy::IntoBytes;

/// Bytes stored before the instruction ends early, with condition code 3.
const UNIT: u64 = 4096;

impl Configuration {
    /// Keys that were wrapped before are good no more.
    pub(crate) fn replace_wrapping_keys(&self) {
        let mut keys = WrappingKeys::default();
        self.host.random(keys.as_mut_bytes());
        self.shared.wrapping.replace(keys);
    }

    /// Stores random bytes into one operand after the other. Each of `first` is an even register with an operand's
    /// address; the next one has its length. CC 0: both operands are full; 3: 4096 bytes were stored, and more is to
    /// do.
    pub(crate) fn true_random_numbers(&self, state: &mut State, first: [u8; 2]) -> Result<(), Interruption> {
        let mut unit = UNIT;
        state.cc = 0;
        for r in first {
            let odd = r as usize + 1;
            let long = state.address_mask == u64::MAX;
            let width = if long { u64::MAX } else { 0xffff_ffff };
            while state.gr[odd] & width != 0 {
                if unit == 0 {
                    state.cc = 3;
                    return Ok(());
                }
                let at = At { address: state.gr[r as usize] & state.address_mask, ar: r };
                let n = (state.gr[odd] & width).min(unit).min(PAGE - at.address % PAGE).min(256);
                let mut bytes = [0; 256];
                let bytes = &mut bytes[..n as usize];
                self.host.random(bytes);
                state.write_bytes(at, bytes)?;
                let behind = state.further(at, n).address;
                let register = &mut state.gr[r as usize];
                *register = if long { behind } else { *register & !width | behind };
                state.gr[odd] = state.gr[odd] & !width | (state.gr[odd] & width) - n;
                unit -= n;
            }
        }
        Ok(())
    }
}
