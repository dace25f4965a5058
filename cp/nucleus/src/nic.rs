//! Virtual network adapters.

use base::Held;
use css::Device;
use directory::AdapterType;
use lan::{Adapter, Grant, Name, Place};
use net::{Mac, Port};
use std::sync::{Arc, Mutex};
use virtio::{Cable, Card, Virtio};

/// The longest packet: what Ethernet has.
pub const MTU: u16 = 1500;

/// What is wanted of an adapter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wishes {
    /// Copies of all frames, where the network allows it.
    pub promiscuous: bool,
    /// MACPROTECT, if the adapter has a setting of its own.
    pub protect: Option<bool>,
    /// The network that the directory names, and what it lets the adapter do there.
    pub network: Option<(Name, Grant)>,
}

/// A virtual network adapter: one virtio device. It stays when the virtual machine gets other hardware.
pub struct Nic {
    vdev: Mutex<u16>,
    mac: Mac,
    mtu: u16,
    cable: Arc<Cable>,
    wishes: Mutex<Wishes>,
}

impl Nic {
    /// An adapter with this device number and this address, for packets of up to `mtu` bytes, coupled to nothing.
    pub fn new(vdev: u16, mac: Mac, mtu: u16) -> Arc<Nic> {
        Arc::new(Nic { vdev: Mutex::new(vdev), mac, mtu, cable: Cable::new(), wishes: Mutex::default() })
    }

    /// Its virtual device number.
    pub fn vdev(&self) -> u16 {
        *self.vdev.lock().held()
    }

    /// DEFINE vdev AS vdev.
    pub fn renumber(&self, vdev: u16) {
        *self.vdev.lock().held() = vdev;
    }

    /// Its type.
    pub fn kind(&self) -> AdapterType {
        AdapterType::Virtio
    }

    /// How many devices it is.
    pub fn devices(&self) -> u16 {
        1
    }

    /// Its address.
    pub fn mac(&self) -> Mac {
        self.mac
    }

    /// What is wanted of it.
    pub fn wishes(&self) -> Wishes {
        self.wishes.lock().held().clone()
    }

    /// Changes what is wanted of it.
    pub fn set_wishes(&self, wishes: Wishes) {
        *self.wishes.lock().held() = wishes;
    }

    /// The adapter as networks know it.
    pub fn adapter(&self, userid: &str) -> Adapter {
        let wishes = self.wishes();
        Adapter {
            place: Place { userid: userid.into(), vdev: self.vdev() },
            mac: self.mac,
            kind: self.kind().name(),
            promiscuous: wishes.promiscuous,
            protect: wishes.protect,
        }
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
