//! What QUERY LAN, QUERY VSWITCH, QUERY NIC and QUERY VMLAN show.
//!
//! Programs read words of these lines by their number: of a network the third word of the second line, which is the
//! transport; of an adapter the fourth word of the first line, and the third to fifth of the second.

use crate::network::{Adapter, Connection, Kind, Name, Network, Place};
use crate::networks::{Networks, State};
use crate::uplink::UplinkSpec;
use message::Message;
use net::{Counters, Mac, Vlan};

/// How much of a network is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Connected adapters with their counts.
    pub details: bool,
    /// Only networks with connected adapters.
    pub active: bool,
    /// Users with a grant.
    pub access: bool,
    /// Adapters that may get copies of all frames.
    pub promiscuous: bool,
}

/// An address as `02-00-00-00-00-01`.
pub fn mac(mac: Mac) -> String {
    mac.0.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join("-")
}

fn on_off(on: bool) -> &'static str {
    if on { "ON" } else { "OFF" }
}

fn limit(limit: usize) -> String {
    if limit == usize::MAX { "INFINITE".into() } else { limit.to_string() }
}

impl Networks {
    /// The networks of a kind that `wanted` wants, one after the other. `named`: there is to be one.
    pub fn lines(
        &self,
        kind: Kind,
        named: Option<&Name>,
        wanted: impl Fn(&Name) -> bool,
        extent: Extent,
    ) -> Result<Vec<String>, Message> {
        let state = self.lock();
        let mut lines = Vec::new();
        for (name, network) in &state.networks {
            let of_kind = network.definition.kind == kind && named.is_none_or(|named| named == name);
            let active = !extent.active || !network.connections.is_empty();
            if of_kind && active && wanted(name) {
                lines.extend(network.lines(extent));
            }
        }
        match named {
            Some(name) if lines.is_empty() => Err(message::network_absent(kind.word(), name)),
            _ => Ok(lines),
        }
    }

    /// The names of all networks.
    pub fn names(&self) -> Vec<Name> {
        self.lock().networks.keys().cloned().collect()
    }

    /// Whether a network is to have a way out.
    pub fn has_uplink(&self, name: &Name) -> bool {
        self.lock().networks.get(name).is_some_and(|network| network.definition.uplink != UplinkSpec::None)
    }

    /// Whether a user may see a network: one of the user's own, one that is open, or one with a grant.
    pub fn may_see(&self, userid: &str, name: &Name) -> bool {
        let state = self.lock();
        state.networks.get(name).is_some_and(|network| network.definition.grant(userid).is_some())
    }

    /// An adapter: two lines, and with `details` its counts.
    pub fn adapter_lines(&self, adapter: &Adapter, devices: u16, details: bool) -> Vec<String> {
        let state = self.lock();
        let vdev = adapter.place.vdev;
        let found = state.find(&adapter.place);
        let to = match found {
            None => "LAN: *".into(),
            Some((network, _)) => {
                let definition = &network.definition;
                format!("{}: {}", definition.kind.word(), definition.name)
            }
        };
        let mut lines = vec![
            format!("Adapter {vdev:04X}.P00 Type: {:<9} Name: UNASSIGNED  Devices: {devices}", adapter.kind),
            format!("  MAC: {}         {to}", mac(adapter.mac)),
        ];
        if details {
            match found {
                Some((_, connection)) => lines.extend(connection.count_lines()),
                None => lines.extend(count_lines(Counters::default())),
            }
            let protect = adapter.protect.map_or("Unspecified", on_off);
            lines
                .push(format!("      Promiscuous mode: {:<11} MAC Protection: {protect}", on_off(adapter.promiscuous)));
            if let Some((_, connection)) = found {
                lines.push(format!("      {}", connection.port_line()));
            }
        }
        lines
    }

    /// What holds for all networks.
    pub fn system_lines(&self) -> Vec<String> {
        let state = self.lock();
        let prefix = |prefix: [u8; 3]| prefix.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
        let prefixes = state.addresses.prefixes;
        let count =
            |persistent| state.networks.values().filter(|one| one.definition.persistent() == persistent).count();
        let limits = state.limits;
        vec![
            "VMLAN MAC address assignment:".into(),
            format!("  System MAC Protection: {}", on_off(state.protect)),
            format!("  MACADDR Prefix: {} USER Prefix: {}", prefix(prefixes.system), prefix(prefixes.user)),
            "  MACIDRANGE SYSTEM: 000001-FFFFFF".into(),
            "             USER:   000000-000000".into(),
            "VMLAN general activity:".into(),
            format!("  PERSISTENT Limit: {:<9} Current: {}", limit(limits.persistent), count(true)),
            format!("  TRANSIENT  Limit: {:<9} Current: {}", limit(limits.transient), count(false)),
        ]
    }
}

impl State {
    fn find(&self, place: &Place) -> Option<(&Network, &Connection)> {
        self.networks.values().find_map(|network| {
            let found = network.connections.iter().find(|one| one.adapter.place == *place);
            found.map(|connection| (network, connection))
        })
    }
}

impl Network {
    fn lines(&self, extent: Extent) -> Vec<String> {
        let definition = &self.definition;
        let (kind, name) = (definition.kind.word(), &definition.name);
        let maximum = definition.maximum.map_or("INFINITE".into(), |most| most.to_string());
        let persistent = if definition.persistent() { "PERSISTENT" } else { "TRANSIENT" };
        let restricted = if definition.restricted { "RESTRICTED" } else { "UNRESTRICTED" };
        let protect = definition.protect.map_or("Unspecified", on_off);
        let title = format!("{kind} {} {}", name.owner, name.name);
        let mut lines = vec![
            format!(
                "{title:<23} Type: {:<7} Connected: {:<4} Maxconn: {maximum}",
                definition.family.word(),
                self.connections.len()
            ),
            format!("  {persistent:<11} {restricted:<13} {:<25} Accounting: OFF", definition.transport.word()),
        ];
        if definition.kind == Kind::Vswitch {
            lines.push("  USERBASED".into());
            lines.push(match definition.tags {
                None => "  VLAN Unaware".into(),
                Some(tags) => {
                    let default = tags.default.map_or("NONE".into(), |vlan| format!("{vlan:04}"));
                    let port = tags.port.word();
                    format!(
                        "  VLAN Aware  Default VLAN: {default}  Default Porttype: {port}  Native VLAN: {:04}",
                        tags.native
                    )
                }
            });
        }
        lines.push(format!("  MAC Protection: {protect}"));
        lines.push(format!("  Isolation Status: {}", on_off(definition.isolated)));
        if definition.kind == Kind::Vswitch {
            lines.extend(self.uplink_lines(extent.details));
        }
        if extent.details || extent.promiscuous {
            lines.extend(self.adapter_lines(extent));
        }
        if extent.details || extent.access {
            lines.push("  Authorized userids:".into());
            for (userid, grant) in &definition.grants {
                let mut line = format!("      {userid:<8}");
                if let Some(tags) = definition.tags {
                    let vlans = if grant.vlans.is_empty() { "default".into() } else { grant.vlans() };
                    line += &format!(" Porttype: {:<6} VLAN: {vlans}", grant.port.unwrap_or(tags.port).word());
                }
                if grant.promiscuous {
                    line += " Promiscuous";
                }
                lines.push(line.trim_end().to_string());
            }
            if definition.grants.is_empty() {
                lines.push("      None".into());
            }
        }
        lines
    }

    fn uplink_lines(&self, details: bool) -> Vec<String> {
        let spec = &self.definition.uplink;
        let Some(what) = spec.line() else { return vec![" Uplink Port: None".into()] };
        let state = match (&self.uplink, &self.trouble) {
            (Some(_), _) => "Ready".into(),
            (None, Some(why)) => format!("Not connected: {why}"),
            (None, None) => "Disconnected".into(),
        };
        let mut lines = vec![" Uplink Port:".into(), format!("  State: {state}")];
        lines.push(format!("  {what}"));
        lines.extend(spec.published().iter().map(|ports| format!("  Published: {ports}")));
        if let Some(connected) = self.uplink.as_ref().filter(|_| details) {
            lines.extend(connected.uplink.details().iter().map(|line| format!("  {line}")));
            lines.extend(count_lines(connected.port.counters()));
        }
        lines
    }

    fn adapter_lines(&self, extent: Extent) -> Vec<String> {
        let mut lines = vec![format!("  Adapter Connections:           Connected: {}", self.connections.len())];
        let shown = |one: &&Connection| !extent.promiscuous || one.port.settings().promiscuous;
        for one in self.connections.iter().filter(shown) {
            let Place { userid, vdev } = &one.adapter.place;
            let kind = one.adapter.kind;
            lines.push(format!("    Adapter Owner: {userid:<8} NIC: {vdev:04X}.P00 Name: UNASSIGNED Type: {kind}"));
            lines.extend(one.count_lines());
            lines.push(format!("      {}", one.port_line()));
            lines.push("      Unicast MAC Addresses:".into());
            lines.push(format!("        {}", mac(one.adapter.mac)));
        }
        lines
    }
}

impl Connection {
    fn count_lines(&self) -> Vec<String> {
        count_lines(self.port.counters())
    }

    fn port_line(&self) -> String {
        let settings = self.port.settings();
        let vlan = match settings.vlan {
            Vlan::Unaware => "ANY".into(),
            Vlan::Access(vlan) => format!("{vlan:04}"),
            Vlan::Trunk { .. } => "Trunk".into(),
        };
        let only = if settings.only.is_some() { " MAC protected" } else { "" };
        let all = if settings.promiscuous { " Promiscuous" } else { "" };
        format!("Port: {:04}  VLAN: {vlan}  Options: Ethernet Broadcast{only}{all}", self.number)
    }
}

fn count_lines(counts: Counters) -> Vec<String> {
    vec![
        format!("      RX Packets: {:<10} Discarded: {:<10} Errors: 0", counts.received, counts.dropped),
        format!("      TX Packets: {:<10} Discarded: {:<10} Errors: 0", counts.sent, counts.refused),
        format!("      RX Bytes: {:<20} TX Bytes: {}", counts.received_bytes, counts.sent_bytes),
    ]
}
