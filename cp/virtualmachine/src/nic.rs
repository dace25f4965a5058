//! Virtual network adapters.

use base::Held;
use css::{ChannelSubsystem, Device};
use directory::AdapterType;
use lan::{Adapter, Grant, Name, NetworkType, Place};
use net::{Mac, Port};
use qeth::Family;
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

/// A virtual network adapter: one virtio device, the three of an OSA, or the two of a LAN channel station. It stays
/// when the virtual machine gets other hardware.
pub struct Nic {
    kind: AdapterType,
    vdev: Mutex<u16>,
    mac: Mac,
    mtu: u16,
    cable: Arc<Cable>,
    wishes: Mutex<Wishes>,
}

impl Nic {
    /// An adapter with this device number and this address, coupled to nothing. Packets have up to `mtu` bytes, where
    /// the adapter says how many they may have.
    pub fn new(kind: AdapterType, vdev: u16, mac: Mac, mtu: u16) -> Arc<Nic> {
        Arc::new(Nic { kind, vdev: Mutex::new(vdev), mac, mtu, cable: Cable::new(), wishes: Mutex::default() })
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
        self.kind
    }

    /// How many devices it is.
    pub fn devices(&self) -> u16 {
        self.kind.devices()
    }

    /// Whether a device number is one of its.
    pub fn has(&self, vdev: u16) -> bool {
        vdev.checked_sub(self.vdev()).is_some_and(|n| n < self.devices())
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
            family: match self.kind() {
                AdapterType::Hipersockets => NetworkType::Hipersockets,
                _ => NetworkType::Qdio,
            },
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

    /// Attaches the devices by which the virtual machine reaches it. False if one has a number that is in use: then
    /// none is attached.
    pub fn attach(&self, css: &mut ChannelSubsystem) -> bool {
        let devices: Vec<Box<dyn Device>> = match self.kind {
            AdapterType::Virtio => vec![Box::new(Virtio::new(Card::new(self.cable.clone(), self.mac, self.mtu)))],
            AdapterType::Qdio => qeth::devices(Family::Osa, &self.cable, self.mac).into(),
            AdapterType::Lcs => lcs::devices(&self.cable, self.mac).into(),
            AdapterType::Hipersockets => qeth::devices(Family::Hipersockets, &self.cable, self.mac).into(),
        };
        let Some(last) = self.vdev().checked_add(self.devices() - 1) else { return false };
        let numbers = self.vdev()..=last;
        if numbers.clone().any(|number| css.find(number).is_some()) {
            return false;
        }
        numbers.zip(devices).all(|(number, device)| css.attach(number, device).is_ok())
    }

    /// Takes its devices away from the virtual machine.
    pub fn detach(&self, css: &mut ChannelSubsystem) {
        (0..self.devices()).for_each(|n| drop(css.detach(self.vdev() + n)));
    }
}
