//! All networks of a system: they are defined, adapters come and go, settings change.

use crate::address::Addresses;
use crate::network::{Adapter, Connection, Definition, Grant, Kind, Name, Network, Place};
use crate::operands::Change;
use crate::uplink::{Connected, UplinkSpec, Uplinks};
use base::{Clock, Held};
use message::Message;
use net::{Mac, Port, Settings, Switch};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// How many networks there may be (SET VMLAN LIMIT).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// LANs of SYSTEM, and virtual switches.
    pub persistent: usize,
    /// LANs of users.
    pub transient: usize,
}

/// So many, so that users cannot take all of the host's storage.
impl Default for Limits {
    fn default() -> Limits {
        Limits { persistent: 1024, transient: 1024 }
    }
}

#[derive(Default)]
pub(crate) struct State {
    pub networks: BTreeMap<Name, Network>,
    pub addresses: Addresses,
    pub limits: Limits,
    /// MACPROTECT where neither adapter nor network says.
    pub protect: bool,
    /// Owners that have logged off while adapters were connected to their LANs.
    orphans: Vec<Name>,
    uplinks: Option<Arc<dyn Uplinks>>,
}

/// The networks of a system.
pub struct Networks {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

impl Networks {
    /// No networks yet, whose switches will go by `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Networks {
        Networks { clock, state: Mutex::default() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().held()
    }

    /// What opens ways out from now on.
    pub fn set_uplinks(&self, uplinks: Arc<dyn Uplinks>) {
        self.lock().uplinks = Some(uplinks);
    }

    /// Changes prefixes and limits.
    pub fn set_system(&self, change: &crate::operands::SystemChange) {
        let mut state = self.lock();
        let prefixes = &mut state.addresses.prefixes;
        (prefixes.system, prefixes.user) =
            (change.prefix.unwrap_or(prefixes.system), change.user_prefix.or(change.prefix).unwrap_or(prefixes.user));
        let limits = &mut state.limits;
        (limits.persistent, limits.transient) =
            (change.persistent.unwrap_or(limits.persistent), change.transient.unwrap_or(limits.transient));
        state.protect = change.protect.unwrap_or(state.protect);
        let protect = state.protect;
        // Nothing that was allowed is forbidden by this.
        state.networks.values_mut().for_each(|network| _ = network.settle(protect));
    }

    /// Makes a network. The way out of a virtual switch that cannot be opened does not keep it from being there: the
    /// second value says what is wrong.
    pub fn define(&self, definition: Definition) -> Result<Option<Message>, Message> {
        let mut state = self.lock();
        let name = definition.name.clone();
        if let Some(other) = state.networks.get(&name) {
            return Err(message::network_exists(other.definition.kind.word(), name));
        }
        let persistent = definition.persistent();
        let there = state.networks.values().filter(|other| other.definition.persistent() == persistent).count();
        let (limit, what) = match persistent {
            true => (state.limits.persistent, "PERSISTENT"),
            false => (state.limits.transient, "TRANSIENT"),
        };
        if there >= limit {
            return Err(message::network_limit(what, limit));
        }
        let mut network = Network::new(definition, Switch::new(self.clock.clone()));
        let trouble = state.connect(&mut network).err();
        state.networks.insert(name, network);
        Ok(trouble)
    }

    /// Whether there is a network of this kind and name.
    pub fn exists(&self, kind: Kind, name: &Name) -> bool {
        self.lock().get(kind, name).is_ok()
    }

    /// The kind of the network with this name.
    pub fn kind(&self, name: &Name) -> Option<Kind> {
        self.lock().networks.get(name).map(|network| network.definition.kind)
    }

    /// Takes a network away. The adapters that were connected to it.
    pub fn destroy(&self, kind: Kind, name: &Name) -> Result<Vec<Place>, Message> {
        let gone = {
            let mut state = self.lock();
            state.get(kind, name)?;
            state.orphans.retain(|other| other != name);
            state.networks.remove(name)
        };
        // Outside the lock: a way out waits for its thread.
        Ok(gone.into_iter().flat_map(|network| network.connections).map(|one| one.adapter.place).collect())
    }

    /// An address for the adapter at `place`, which CP chooses unless a MACID is given.
    pub fn take_address(&self, place: &Place, id: Option<u32>) -> Result<Mac, Message> {
        let taken = self.lock().addresses.take(place, id);
        taken.ok_or_else(|| message::address_in_use(id.map_or("NONE".into(), |id| format!("{id:06X}"))))
    }

    /// The adapter with this address has gone.
    pub fn give_back_address(&self, mac: Mac) {
        self.lock().addresses.give_back(mac);
    }

    /// Connects an adapter to a network: the port. `own` is what the directory lets it do there.
    pub fn couple(&self, adapter: Adapter, name: &Name, own: Option<Grant>) -> Result<(Kind, Arc<Port>), Message> {
        let mut state = self.lock();
        let protect = state.protect;
        let found = state.networks.get_mut(name);
        let network = found.ok_or_else(|| message::network_absent("LAN", name).from("CPL"))?;
        let kind = network.definition.kind;
        let settings = network.settings(&adapter, own.as_ref(), protect);
        let settings = settings.ok_or_else(|| message::not_to_couple(name))?;
        if network.definition.family != adapter.family {
            return Err(message::network_type(adapter.kind, kind.word(), name, network.definition.family.word()));
        }
        let full = |limit: &u16| network.connections.len() >= usize::from(*limit);
        if network.definition.maximum.as_ref().is_some_and(full) || network.connections.len() >= usize::from(u16::MAX) {
            return Err(message::network_full(kind.word(), name));
        }
        let port = Arc::new(network.switch.port(settings));
        let number = network.free_number();
        network.connections.push(Connection { adapter, own, port: port.clone(), number });
        Ok((kind, port))
    }

    /// The network that the adapter at `place` is connected to.
    pub fn of(&self, place: &Place) -> Option<(Kind, Name)> {
        let state = self.lock();
        let network = state.networks.values().find(|network| network.has(place))?;
        Some((network.definition.kind, network.definition.name.clone()))
    }

    /// Disconnects the adapter at `place`, if it is connected: from where.
    pub fn uncouple(&self, place: &Place) -> Option<(Kind, Name)> {
        let mut state = self.lock();
        let network = state.networks.values_mut().find(|network| network.has(place))?;
        network.connections.retain(|one| one.adapter.place != *place);
        let (kind, name) = (network.definition.kind, network.definition.name.clone());
        if network.connections.is_empty() && state.orphans.contains(&name) {
            state.orphans.retain(|other| *other != name);
            state.networks.remove(&name);
        }
        Some((kind, name))
    }

    /// The adapter has another device number.
    pub fn renumber(&self, userid: &str, old: u16, new: u16) {
        let mut state = self.lock();
        let all = state.networks.values_mut().flat_map(|network| &mut network.connections);
        let place = Place { userid: userid.into(), vdev: old };
        all.filter(|one| one.adapter.place == place).for_each(|one| one.adapter.place.vdev = new);
    }

    /// A user has logged off, whose adapters are disconnected already: the user's LANs go, at the latest with their
    /// last adapter.
    pub fn leaves(&self, userid: &str) {
        let mut state = self.lock();
        let owned = |network: &&Network| network.definition.name.owner == userid && !network.definition.persistent();
        let owned: Vec<Name> =
            state.networks.values().filter(owned).map(|network| network.definition.name.clone()).collect();
        for name in owned {
            match state.networks[&name].connections.is_empty() {
                true => drop(state.networks.remove(&name)),
                false if state.orphans.contains(&name) => (),
                false => state.orphans.push(name),
            }
        }
    }

    /// A user has logged on: LANs of that user that are still there have their owner again.
    pub fn returns(&self, userid: &str) {
        self.lock().orphans.retain(|name| name.owner != userid);
    }

    /// SET LAN, SET VSWITCH. The adapters that may not be connected any more, which are disconnected: the caller tells
    /// their users. The second value is what is wrong with a way out that could not be opened.
    pub fn change(&self, kind: Kind, name: &Name, change: &Change) -> Result<(Vec<Place>, Option<Message>), Message> {
        let mut state = self.lock();
        state.get(kind, name)?;
        let mut network = state.networks.remove(name).expect("it was just found");
        change.apply(&mut network.definition);
        network.apply_rules();
        let mut opened = Ok(());
        if change.uplink.is_some() || change.connect.is_some() {
            // What is closed gives its ports of the host back before the next one wants them.
            network.uplink = None;
            network.trouble = None;
            if change.connect != Some(false) {
                opened = state.connect(&mut network);
            }
        }
        let gone = network.settle(state.protect);
        state.networks.insert(name.clone(), network);
        Ok((gone, opened.err()))
    }

    /// SET NIC: what an adapter that is connected wants from now on. `None`: it may not have that.
    pub fn set_adapter(&self, adapter: &Adapter) -> Option<()> {
        let mut state = self.lock();
        let protect = state.protect;
        let network = state.networks.values_mut().find(|network| network.has(&adapter.place));
        // One that is not connected is looked at when it is.
        let Some(network) = network else { return Some(()) };
        let at = network.connections.iter().position(|one| one.adapter.place == adapter.place)?;
        let settings = network.settings(adapter, network.connections[at].own.as_ref(), protect)?;
        if adapter.promiscuous && !settings.promiscuous {
            return None;
        }
        network.connections[at].port.set(settings);
        network.connections[at].adapter = adapter.clone();
        Some(())
    }

    /// What the operator should know of ways out that was not told before, each with the switch's name.
    pub fn notices(&self) -> Vec<(Name, String)> {
        let state = self.lock();
        let named = |network: &Network| {
            let name = network.definition.name.clone();
            let notices = network.uplink.iter().flat_map(|connected| connected.uplink.notices());
            notices.map(|notice| (name.clone(), notice)).collect::<Vec<_>>()
        };
        state.networks.values().flat_map(named).collect()
    }
}

impl State {
    pub(crate) fn get(&self, kind: Kind, name: &Name) -> Result<&Network, Message> {
        let found = self.networks.get(name).filter(|network| network.definition.kind == kind);
        found.ok_or_else(|| message::network_absent(kind.word(), name))
    }

    /// Opens the way out that the definition asks for.
    fn connect(&self, network: &mut Network) -> Result<(), Message> {
        network.trouble = None;
        if network.definition.uplink == UplinkSpec::None {
            return Ok(());
        }
        let vlan = network.definition.tags.map_or(net::Vlan::Unaware, |tags| net::Vlan::Access(tags.native));
        let port = Arc::new(network.switch.port(Settings { uplink: true, vlan, ..Settings::default() }));
        let opened = match &self.uplinks {
            Some(uplinks) => uplinks.open(&port, &network.definition.uplink),
            None => Err("there is no way out here".into()),
        };
        match opened {
            Ok(uplink) => {
                network.uplink = Some(Connected { port, uplink });
                Ok(())
            }
            Err(why) => {
                network.trouble = Some(why.clone());
                Err(message::uplink_failed(&network.definition.name, why))
            }
        }
    }
}

impl Network {
    fn has(&self, place: &Place) -> bool {
        self.connections.iter().any(|one| one.adapter.place == *place)
    }

    /// Gives every port the settings that follow from the grants now; the adapters that have to go.
    fn settle(&mut self, protect: bool) -> Vec<Place> {
        let mut gone = Vec::new();
        for one in &self.connections {
            match self.settings(&one.adapter, one.own.as_ref(), protect) {
                Some(settings) => one.port.set(settings),
                None => gone.push(one.adapter.place.clone()),
            }
        }
        self.connections.retain(|one| !gone.contains(&one.adapter.place));
        gone
    }
}
