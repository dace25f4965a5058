//! The keys under which PERFORM CRYPTOGRAPHIC KEY MANAGEMENT OPERATION wraps keys.

use base::Held;
use std::sync::Mutex;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A configuration's wrapping keys, and the patterns by which wrapped keys are known. No program can see the keys.
#[derive(Clone, Copy, Default, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct WrappingKeys {
    /// For keys of AES.
    pub aes: [u8; 32],
    /// What stands after a wrapped key of AES.
    pub aes_pattern: [u8; 32],
    /// For keys of DEA, a key of triple DEA.
    pub dea: [u8; 24],
    /// What stands after a wrapped key of DEA.
    pub dea_pattern: [u8; 24],
}

/// The same, for all CPUs of a configuration. Each clear reset makes new ones, so that a key that was wrapped before is
/// good no more.
#[derive(Default)]
pub struct Wrapping(Mutex<WrappingKeys>);

impl Wrapping {
    /// Those that there are now.
    pub fn keys(&self) -> WrappingKeys {
        *self.0.lock().held()
    }

    /// Others.
    pub fn replace(&self, keys: WrappingKeys) {
        *self.0.lock().held() = keys;
    }
}
