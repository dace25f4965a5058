//! Virtual channel-to-channel adapters.

use base::Held;
use css::Device;
use devices::CtcaPlug;
use std::sync::{Arc, Mutex};

/// The other side of an adapter that is coupled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Peer {
    /// The user whose it is.
    pub userid: String,
    /// Its device number there.
    pub vdev: u16,
}

/// One side of a virtual channel-to-channel adapter. It stays when the virtual machine gets other hardware.
pub struct VirtualCtca {
    vdev: Mutex<u16>,
    /// The only user whose adapters may be coupled to it.
    partner: Option<String>,
    plug: Arc<CtcaPlug>,
}

impl VirtualCtca {
    /// An adapter with this device number, coupled to nothing.
    pub fn new(vdev: u16, partner: Option<String>) -> Arc<VirtualCtca> {
        Arc::new(VirtualCtca { vdev: Mutex::new(vdev), partner, plug: CtcaPlug::new() })
    }

    /// Its virtual device number.
    pub fn vdev(&self) -> u16 {
        *self.vdev.lock().held()
    }

    /// DEFINE vdev AS vdev.
    pub fn renumber(&self, vdev: u16) {
        *self.vdev.lock().held() = vdev;
    }

    /// Whether an adapter of this user may be coupled to it.
    pub fn admits(&self, userid: &str) -> bool {
        self.partner.as_deref().is_none_or(|partner| partner == userid)
    }

    /// Its end of the cable.
    pub fn plug(&self) -> &Arc<CtcaPlug> {
        &self.plug
    }

    /// Whether it is the other end of this one's cable.
    pub fn is_peer(&self, other: &VirtualCtca) -> bool {
        self.plug.peer().is_some_and(|peer| Arc::ptr_eq(&peer, &other.plug))
    }

    /// The device by which the virtual machine reaches it.
    pub fn device(&self) -> Box<dyn Device> {
        self.plug.device()
    }
}
