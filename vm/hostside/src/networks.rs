//! Networks in SYSTEM CONFIG: DEFINE LAN, DEFINE VSWITCH, MODIFY and VMLAN, with the operands of the commands.

use crate::network::{HostUplinks, checked};
use lan::operands::{self, Read, SystemChange};
use lan::{Definition, Kind, Name, SYSTEM, UplinkSpec};
use message::Message;
use message::words::Words;
use std::sync::Arc;

/// What SYSTEM CONFIG says of networks.
#[derive(Clone, Debug, Default)]
pub struct Networks {
    defined: Vec<Definition>,
    system: SystemChange,
    /// Operands that change nothing.
    idle: Vec<String>,
}

fn text(message: Message) -> String {
    message.text
}

/// What stands after the first word.
fn operands_of(rest: &str) -> Words<'_> {
    let mut words = Words::new(rest);
    words.next();
    words
}

impl Networks {
    /// DEFINE LAN or DEFINE VSWITCH.
    pub fn define(&mut self, kind: Kind, rest: &str) -> Result<(), String> {
        let mut words = operands_of(rest);
        let read = match kind {
            Kind::Lan => operands::define_lan(&mut words, SYSTEM),
            Kind::Vswitch => operands::define_vswitch(&mut words),
        };
        let Read { what, idle } = read.map_err(text)?;
        check(&what.uplink)?;
        if self.defined.iter().any(|other| other.name == what.name) {
            return Err(message::network_exists(kind.word(), &what.name).text);
        }
        self.defined.push(what);
        self.idle.extend(idle);
        Ok(())
    }

    /// MODIFY LAN or MODIFY VSWITCH, of what was defined before.
    pub fn modify(&mut self, kind: Kind, rest: &str) -> Result<(), String> {
        let mut words = operands_of(rest);
        let name = operands::network_name(&mut words).map_err(text)?;
        let owner = operands::owner(&mut words, SYSTEM, SYSTEM).map_err(text)?;
        let name = Name { owner, name };
        let Read { what, idle } = operands::change(kind, &mut words).map_err(text)?;
        if let Some(uplink) = &what.uplink {
            check(uplink)?;
        }
        let found = self.defined.iter_mut().find(|other| other.name == name && other.kind == kind);
        what.apply(found.ok_or_else(|| message::network_absent(kind.word(), &name).text)?);
        self.idle.extend(idle);
        Ok(())
    }

    /// VMLAN.
    pub fn system(&mut self, rest: &str) -> Result<(), String> {
        let change = operands::system(&mut Words::new(rest), true).map_err(text)?;
        let earlier = std::mem::take(&mut self.system);
        self.system = SystemChange {
            prefix: change.prefix.or(earlier.prefix),
            user_prefix: change.user_prefix.or(earlier.user_prefix),
            persistent: change.persistent.or(earlier.persistent),
            transient: change.transient.or(earlier.transient),
            protect: change.protect.or(earlier.protect),
        };
        Ok(())
    }

    /// Makes the networks of a system that comes up; what is wrong, or worth knowing.
    pub fn install(self, networks: &lan::Networks) -> Vec<String> {
        networks.set_uplinks(Arc::new(HostUplinks));
        networks.set_system(&self.system);
        let mut troubles = Vec::new();
        for definition in self.defined {
            match networks.define(definition) {
                Ok(trouble) => troubles.extend(trouble.map(|message| message.to_string())),
                Err(message) => troubles.push(message.to_string()),
            }
        }
        if !self.idle.is_empty() {
            troubles.push(format!("SYSTEM CONFIG: read, but not used here: {}", self.idle.join(", ")));
        }
        troubles
    }
}

/// Whether what of the host is named is named as it must be.
fn check(uplink: &UplinkSpec) -> Result<(), String> {
    checked(uplink).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lan::Sockets;

    #[test]
    fn statements_are_those_of_commands() {
        let mut networks = Networks::default();
        networks.define(Kind::Lan, "LAN LAN1 OWNERID system MAXCONN 4 IPTIMEOUT 5").unwrap();
        networks.define(Kind::Vswitch, "VSWITCH WEB UPLINK USER PUBLISH 8080:80 8081:81/udp HOSTACCESS ON").unwrap();
        networks.modify(Kind::Vswitch, "VSWITCH WEB GRANT LINUX1 LINUX2").unwrap();
        networks.system("MACPREFIX 02AB01 LIMIT TRANSIENT 3").unwrap();
        networks.system("MACPROTECT ON").unwrap();
        let (lan, web) = (&networks.defined[0], &networks.defined[1]);
        assert_eq!((lan.name.clone(), lan.maximum, lan.restricted), (Name::of_system("LAN1"), Some(4), false));
        let publish = vec!["8080:80".into(), "8081:81/udp".into()];
        assert_eq!(web.uplink, UplinkSpec::User(Sockets { publish, host_access: true }));
        assert_eq!(web.grants.keys().collect::<Vec<_>>(), ["LINUX1", "LINUX2"]);
        assert_eq!((networks.system.prefix, networks.system.protect), (Some([2, 0xab, 1]), Some(true)));
        assert_eq!((networks.system.transient, networks.idle), (Some(3), vec!["IPTIMEOUT".to_string()]));
    }

    #[test]
    fn mistakes_are_told() {
        let mut networks = Networks::default();
        networks.define(Kind::Lan, "LAN L1").unwrap();
        for (kind, rest, why) in [
            (Kind::Lan, "LAN L1", "LAN SYSTEM L1 already exists"),
            (Kind::Lan, "LAN", "Operand missing"),
            (Kind::Lan, "LAN L2 TYPE TOKENRING", "Invalid operand - TOKENRING"),
            (Kind::Lan, "LAN L2 MAXCONN 0", "Invalid operand - 0"),
            (Kind::Lan, "LAN L2 TYPE HIPERSOCKETS ETHERNET", "HIPERSOCKETS ETHERNET is not available"),
            (Kind::Vswitch, "VSWITCH V UPLINK USER PUBLISH 80", "is not [ADDRESS:]HOST:GUEST[/udp]"),
            (Kind::Vswitch, "VSWITCH V UPLINK TAP", "Operand missing"),
            (Kind::Vswitch, "VSWITCH V UPLINK TAP a/b", "is no name of an interface"),
            (Kind::Vswitch, "VSWITCH V UPLINK LISTEN /tmp/x", "is neither unix:PATH nor tcp:ADDRESS:PORT"),
            (Kind::Vswitch, "VSWITCH V UPLINK PASST PUBLISH 80", "is not [ADDRESS:]HOST:GUEST[/udp]"),
            (Kind::Vswitch, "VSWITCH V RDEV 0600", "RDEV 0600 is not available"),
            (Kind::Vswitch, "VSWITCH V NATIVE 3", "Invalid option - NATIVE"),
        ] {
            let said = networks.define(kind, rest).unwrap_err();
            assert!(said.contains(why), "{rest}: {said}");
        }
        assert!(networks.modify(Kind::Vswitch, "VSWITCH L1 GRANT A").unwrap_err().contains("does not exist"));
        assert!(networks.modify(Kind::Lan, "LAN L1").unwrap_err().contains("Operand missing"));
        for wrong in ["MACPREFIX 000001", "MACPREFIX 2", "LIMIT", "LIMIT PERSISTENT many", "FROB"] {
            assert!(networks.system(wrong).is_err(), "{wrong}");
        }
    }
}
