//! One network: what it is, and which adapters are connected to it.

use crate::uplink::{Connected, UplinkSpec};
use net::{Mac, Port, Rules, Settings, Switch, Vlan, VlanSet};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The owner of virtual switches, and of LANs that belong to no user.
pub const SYSTEM: &str = "SYSTEM";

/// What kind of network it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A guest LAN.
    Lan,
    /// A virtual switch.
    Vswitch,
}

impl Kind {
    /// Its name in responses.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Lan => "LAN",
            Kind::Vswitch => "VSWITCH",
        }
    }
}

/// The type of a network: which adapters are connected to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NetworkType {
    /// Adapters of Ethernet: types VIRTIO and QDIO.
    #[default]
    Qdio,
    /// HiperSockets.
    Hipersockets,
}

impl NetworkType {
    /// Its name in responses.
    pub fn word(self) -> &'static str {
        match self {
            NetworkType::Qdio => "QDIO",
            NetworkType::Hipersockets => "HIPERS",
        }
    }
}

/// What a network carries, as it tells those that set up a guest's driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Transport {
    /// Frames: drivers are at layer 2.
    #[default]
    Ethernet,
    /// Packets of IP: drivers are at layer 3.
    Ip,
}

impl Transport {
    /// Its name in responses.
    pub fn word(self) -> &'static str {
        match self {
            Transport::Ethernet => "ETHERNET",
            Transport::Ip => "IP",
        }
    }
}

/// The name of a network: its owner's and its own.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name {
    /// A user, or SYSTEM.
    pub owner: String,
    /// The network's own name, of up to 8 characters.
    pub name: String,
}

impl Name {
    /// A network of SYSTEM.
    pub fn of_system(name: impl Into<String>) -> Name {
        Name { owner: SYSTEM.into(), name: name.into() }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.owner, self.name)
    }
}

/// Where an adapter is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// Whose it is.
    pub userid: String,
    /// Its first virtual device number.
    pub vdev: u16,
}

/// An adapter, as a network knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Adapter {
    /// Where it is.
    pub place: Place,
    /// Its address.
    pub mac: Mac,
    /// The name of its kind.
    pub kind: &'static str,
    /// The type of networks that it may be connected to.
    pub family: NetworkType,
    /// It wants copies of all frames.
    pub promiscuous: bool,
    /// MACPROTECT, if the adapter has a setting of its own.
    pub protect: Option<bool>,
}

/// Whether an adapter sees tags of VLANs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PortType {
    /// It sees none, and is in one VLAN.
    #[default]
    Access,
    /// It sees them.
    Trunk,
}

impl PortType {
    /// Its name in responses.
    pub fn word(self) -> &'static str {
        match self {
            PortType::Access => "Access",
            PortType::Trunk => "Trunk",
        }
    }
}

/// What a user may do on a network.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Grant {
    /// Whether adapters see tags; what the network says if it is not said.
    pub port: Option<PortType>,
    /// The VLANs, each a first and a last number; none: the network's default.
    pub vlans: Vec<(u16, u16)>,
    /// Adapters may get copies of all frames.
    pub promiscuous: bool,
}

impl Grant {
    /// The VLANs as they are shown.
    pub(crate) fn vlans(&self) -> String {
        let range = |&(first, last): &(u16, u16)| match first == last {
            true => format!("{first:04}"),
            false => format!("{first:04}-{last:04}"),
        };
        self.vlans.iter().map(range).collect::<Vec<_>>().join(" ")
    }
}

/// The VLANs of a virtual switch that is aware of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tags {
    /// The VLAN of adapters whose grant names none; `None`: they are refused.
    pub default: Option<u16>,
    /// What adapters see whose grant does not say.
    pub port: PortType,
    /// The VLAN of frames without a tag.
    pub native: u16,
}

/// What DEFINE LAN or DEFINE VSWITCH makes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// Whether a LAN or a virtual switch.
    pub kind: Kind,
    /// Its name.
    pub name: Name,
    /// Its type.
    pub family: NetworkType,
    /// What it carries.
    pub transport: Transport,
    /// Only users with a grant, and the owner, may connect.
    pub restricted: bool,
    /// The most adapters.
    pub maximum: Option<u16>,
    /// Frames go from and to the uplink only.
    pub isolated: bool,
    /// MACPROTECT; `None`: what the system says.
    pub protect: Option<bool>,
    /// What it knows of VLANs.
    pub tags: Option<Tags>,
    /// Grants, by user.
    pub grants: BTreeMap<String, Grant>,
    /// The way out.
    pub uplink: UplinkSpec,
}

impl Definition {
    /// A network with the usual settings: a LAN is open to all, a virtual switch to users with a grant.
    pub fn new(kind: Kind, name: Name) -> Definition {
        Definition {
            kind,
            name,
            family: NetworkType::default(),
            transport: Transport::default(),
            restricted: kind == Kind::Vswitch,
            maximum: None,
            isolated: false,
            protect: None,
            tags: None,
            grants: BTreeMap::new(),
            uplink: UplinkSpec::None,
        }
    }

    /// Whether it stays without its owner and without adapters.
    pub(crate) fn persistent(&self) -> bool {
        self.name.owner == SYSTEM
    }

    /// What a user may do here: by a grant, as the owner, or as anyone on a network that is open to all.
    pub(crate) fn grant(&self, userid: &str) -> Option<Grant> {
        match self.grants.get(userid) {
            Some(grant) => Some(grant.clone()),
            None if userid == self.name.owner => Some(Grant { promiscuous: true, ..Grant::default() }),
            None => (!self.restricted).then(Grant::default),
        }
    }

    /// The VLANs of an adapter with this grant; `None`: it may be in none.
    pub(crate) fn vlan(&self, grant: &Grant) -> Option<Vlan> {
        let Some(tags) = self.tags else { return Some(Vlan::Unaware) };
        let mut vlans: Vec<u16> = grant.vlans.iter().flat_map(|&(first, last)| first..=last).collect();
        if vlans.is_empty() {
            vlans.push(tags.default?);
        }
        Some(match grant.port.unwrap_or(tags.port) {
            PortType::Access => Vlan::Access(vlans[0]),
            PortType::Trunk => Vlan::Trunk { native: tags.native, allowed: VlanSet::from_iter(vlans) },
        })
    }
}

/// A connected adapter.
pub(crate) struct Connection {
    pub adapter: Adapter,
    /// What the directory lets it do, if that is how it came here.
    pub own: Option<Grant>,
    pub port: Arc<Port>,
    pub number: u16,
}

/// A network that is there.
pub(crate) struct Network {
    pub definition: Definition,
    pub switch: Switch,
    pub connections: Vec<Connection>,
    /// The way out, while it is connected.
    pub uplink: Option<Connected>,
    /// Why there is none, if there should be.
    pub trouble: Option<String>,
}

impl Network {
    pub(crate) fn new(definition: Definition, switch: Switch) -> Network {
        let network = Network { definition, switch, connections: Vec::new(), uplink: None, trouble: None };
        network.apply_rules();
        network
    }

    /// The switch isolates as the definition says.
    pub(crate) fn apply_rules(&self) {
        self.switch.set_rules(Rules { isolated: self.definition.isolated });
    }

    /// What the port of an adapter is like; `None`: it may not be here, or not any more.
    pub(crate) fn settings(&self, adapter: &Adapter, own: Option<&Grant>, protect: bool) -> Option<Settings> {
        let grant = own.cloned().or_else(|| self.definition.grant(&adapter.place.userid))?;
        let protect = adapter.protect.or(self.definition.protect).unwrap_or(protect);
        Some(Settings {
            vlan: self.definition.vlan(&grant)?,
            promiscuous: adapter.promiscuous && grant.promiscuous,
            uplink: false,
            only: protect.then_some(adapter.mac),
        })
    }

    /// The lowest port number that is free.
    pub(crate) fn free_number(&self) -> u16 {
        (1..=u16::MAX).find(|number| self.connections.iter().all(|other| other.number != *number)).unwrap_or(u16::MAX)
    }
}
