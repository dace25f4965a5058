//! Key-controlled protection of what a channel program fetches and stores (POP, chapter 3, "Key-controlled
//! protection").

use arch::Absolute;
use arch::io::subchannel_status;
use storage::{Storage, key};

/// Key-controlled protection and availability for a fetch by the channel subsystem; the error is subchannel status.
pub(crate) fn may_fetch(storage: &Storage, access: u8, at: u64) -> Result<(), u8> {
    let k = storage.key(Absolute(at)).map_err(|_| subchannel_status::PROGRAM_CHECK)?;
    let allowed = access == 0 || k >> 4 == access || k & key::FETCH == 0;
    if allowed { Ok(()) } else { Err(subchannel_status::PROTECTION_CHECK) }
}

/// The same for a store.
pub(crate) fn may_store(storage: &Storage, access: u8, at: u64) -> Result<(), u8> {
    let k = storage.key(Absolute(at)).map_err(|_| subchannel_status::PROGRAM_CHECK)?;
    let allowed = (access == 0 || k >> 4 == access) && !storage.is_read_only(Absolute(at));
    if allowed { Ok(()) } else { Err(subchannel_status::PROTECTION_CHECK) }
}
