//! Virtual network cards.

use base::Held;
use css::Device;
use net::{Mac, Port};
use std::sync::{Arc, Mutex};
use virtio::{Cable, Card, Virtio};

/// A virtual network card: one virtio device. It stays when the virtual machine gets other hardware.
pub struct Nic {
    vdev: Mutex<u16>,
    mac: Mac,
    mtu: u16,
    cable: Arc<Cable>,
}

impl Nic {
    /// A card with this device number and this address, for packets of up to `mtu` bytes, coupled to nothing.
    pub fn new(vdev: u16, mac: Mac, mtu: u16) -> Arc<Nic> {
        Arc::new(Nic { vdev: Mutex::new(vdev), mac, mtu, cable: Cable::new() })
    }

    /// Its virtual device number.
    pub fn vdev(&self) -> u16 {
        *self.vdev.lock().held()
    }

    /// DEFINE vdev AS vdev.
    pub fn renumber(&self, vdev: u16) {
        *self.vdev.lock().held() = vdev;
    }

    /// Its address.
    pub fn mac(&self) -> Mac {
        self.mac
    }

    /// The port that it is coupled to.
    pub fn port(&self) -> Option<Arc<Port>> {
        self.cable.port()
    }

    /// Couples it to a port, or to nothing; the guest sees that the link is up or down.
    pub fn couple(&self, port: Option<Arc<Port>>) {
        self.cable.couple(port);
    }

    /// The device by which the virtual machine reaches it.
    pub fn device(&self) -> Box<dyn Device> {
        Box::new(Virtio::new(Card::new(self.cable.clone(), self.mac, self.mtu)))
    }
}
