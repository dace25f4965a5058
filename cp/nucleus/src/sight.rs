//! What the monitor keeps from one look at the system to the next. The room `monitoring` uses it.

use iucv::area::Space;
use monitor::recorder::Recorder;
use monitor::waits::Waits;
use realstorage::sharing::ControlPages;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex};
use virtualmachine::vmdbk::Vmdbk;

/// The monitor.
#[derive(Default)]
pub(crate) struct Monitoring {
    pub inner: Mutex<Inner>,
    /// When it has something to do next, and when it had last: TOD clock values. 0: never.
    pub due: AtomicU64,
    pub last: AtomicU64,
    /// A bit for each domain whose events are recorded now.
    pub events: AtomicU32,
}

#[derive(Default)]
pub(crate) struct Inner {
    pub recorder: Recorder,
    pub seen: Sight,
}

/// What the monitor keeps from one look at the system to the next.
#[derive(Default)]
pub(crate) struct Sight {
    /// The segment's pages, as long as it has readers.
    pub pages: Option<ControlPages>,
    pub waits: Waits,
    pub applications: Applications,
}

/// A buffer that records are made of.
pub(crate) struct Buffer {
    pub userid: String,
    pub space: Space,
    pub address: u64,
    pub length: usize,
    pub configuration: bool,
    /// The virtual machine, and its generation: a reset begins another one.
    pub vmdbk: Arc<Vmdbk>,
    pub generation: u64,
}

/// The buffers of all virtual machines, by virtual machine and product.
#[derive(Default)]
pub(crate) struct Applications {
    pub buffers: BTreeMap<(u32, [u8; 16]), Buffer>,
}
