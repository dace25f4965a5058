//! Copies of frames whose stores may be taken back.

use arch::PAGE;

/// Frames that can be stored into, as they were when the stretch began.
#[derive(Default)]
pub(crate) struct Watch(pub Vec<(u64, Box<[u8; PAGE as usize]>)>);
