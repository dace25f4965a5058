//! The words of DEFINE LAN, DEFINE VSWITCH, SET LAN, SET VSWITCH, and of the same statements in SYSTEM CONFIG.
//!
//! Operands that z/VM has and that are without an effect here are taken, and the answer says so.

use crate::network::{Definition, Grant, Kind, Name, NetworkType, Place, PortType, Tags, Transport};
use crate::uplink::{Sockets, UplinkSpec};
use message::Message;
use message::words::{Word, Words};

/// A statement, and what of it changes nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read<T> {
    /// What it says.
    pub what: T,
    /// Operands that were taken and change nothing.
    pub idle: Vec<String>,
}

/// Operands without an effect, and how many words follow each.
static IDLE: &[(&str, usize)] = &[
    ("IPTimeout", 1),
    ("QUEuestorage", 1),
    ("CONTRoller", 1),
    ("ACCOUNTing", 1),
    ("VLAN_counters", 1),
    ("VEPA", 1),
    ("PORTname", 1),
    ("GROup", 1),
    ("LOCal", 0),
    ("GVRP", 0),
    ("NOGVRP", 0),
    ("USERBASED", 0),
];

/// The most adapters that MAXCONN can say.
const MOST: u64 = 1024;
/// The most users of one GRANT.
const USERS: usize = 64;

/// The name of a network: 1 to 8 characters of those that user IDs have.
pub fn network_name(words: &mut Words<'_>) -> Result<String, Message> {
    let word = words.need()?;
    word.userid().map_err(|_| word.invalid())
}

/// `OWNERid user|*|SYSTEM`, if that is next; else `usual`.
pub fn owner(words: &mut Words<'_>, issuer: &str, usual: &str) -> Result<String, Message> {
    if !words.accept("OWNERid") {
        return Ok(usual.to_string());
    }
    let word = words.need()?;
    if word.0 == "*" { Ok(issuer.to_string()) } else { word.userid() }
}

/// What follows DEFINE LAN; `issuer` owns it if nothing else is said.
pub fn define_lan(words: &mut Words<'_>, issuer: &str) -> Result<Read<Definition>, Message> {
    let name = network_name(words)?;
    let mut definition = Definition::new(Kind::Lan, Name { owner: issuer.into(), name });
    let (mut idle, mut transport) = (Vec::new(), None);
    while let Some(word) = words.peek() {
        if words.peek().is_some_and(|word| word.is("OWNERid")) {
            definition.name.owner = owner(words, issuer, issuer)?;
            continue;
        }
        words.next();
        match () {
            () if word.is("MAXCONN") => definition.maximum = maximum(words)?,
            () if word.is("RESTricted") => definition.restricted = true,
            () if word.is("UNRESTricted") => definition.restricted = false,
            () if word.is("TYPE") => definition.family = network_type(words.need()?)?,
            () if word.is("ETHernet") => transport = Some(Transport::Ethernet),
            () if word.is("IP") => transport = Some(Transport::Ip),
            () if word.is("MFS") => return Err(message::transport(word.upper())),
            () if word.is("GRANT") => {
                for userid in users(words)? {
                    definition.grants.insert(userid, Grant::default());
                }
            }
            () if word.is("MACProtect") => definition.protect = on_off_unspecified(words.need()?)?,
            () if word.is("ISOLation") => definition.isolated = words.need()?.on_or_off()?,
            () => idle.push(idle_operand(word, words)?),
        }
    }
    definition.transport = match (definition.family, transport) {
        (NetworkType::Hipersockets, Some(Transport::Ethernet)) => {
            return Err(message::transport("TYPE HIPERSOCKETS ETHERNET"));
        }
        (NetworkType::Hipersockets, _) => Transport::Ip,
        (NetworkType::Qdio, transport) => transport.unwrap_or_default(),
    };
    Ok(Read { what: definition, idle })
}

/// What follows DEFINE VSWITCH.
pub fn define_vswitch(words: &mut Words<'_>) -> Result<Read<Definition>, Message> {
    let name = network_name(words)?;
    let mut definition = Definition::new(Kind::Vswitch, Name::of_system(name));
    let mut idle = Vec::new();
    let (mut port, mut native) = (None, None);
    while let Some(word) = words.next() {
        match () {
            () if word.is("TYPE") => match network_type(words.need()?)? {
                NetworkType::Qdio => (),
                NetworkType::Hipersockets => return Err(message::transport("TYPE HIPERSOCKETS")),
            },
            () if word.is("ETHernet") => definition.transport = Transport::Ethernet,
            () if word.is("IP") => definition.transport = Transport::Ip,
            () if ["NONrouter", "PRIrouter", "BRIDGEport", "PORTBASED", "GLObal"].iter().any(|no| word.is(no)) => {
                return Err(message::transport(word.upper()));
            }
            () if word.is("RESTricted") => definition.restricted = true,
            () if word.is("UNRESTricted") => definition.restricted = false,
            () if word.is("MAXCONN") => definition.maximum = maximum(words)?,
            () if word.is("UPLINK") => definition.uplink = uplink(words)?,
            () if word.is("RDEV") => definition.uplink = rdev(words)?,
            () if word.is("NOUPLINK") => definition.uplink = UplinkSpec::None,
            () if word.is("VLAN") => definition.tags = tags(words.need()?)?,
            () if word.is("PORTType") => port = Some(port_type(words.need()?)?),
            () if word.is("NATive") => native = Some(vlan(words.need()?)?),
            () if word.is("MACProtect") => definition.protect = on_off_unspecified(words.need()?)?,
            () if word.is("ISOLation") => definition.isolated = words.need()?.on_or_off()?,
            () => idle.push(idle_operand(word, words)?),
        }
    }
    match &mut definition.tags {
        Some(tags) => (tags.port, tags.native) = (port.unwrap_or(tags.port), native.unwrap_or(tags.native)),
        // Without VLANs there is no port of the one or other type.
        None if port.is_some() => return Err(message::invalid_option("PORTTYPE")),
        None if native.is_some() => return Err(message::invalid_option("NATIVE")),
        None => (),
    }
    Ok(Read { what: definition, idle })
}

/// What SET LAN or SET VSWITCH changes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Change {
    /// Users that get a grant, or another one.
    pub grant: Vec<(String, Grant)>,
    /// Users whose grant is taken back.
    pub revoke: Vec<String>,
    /// ISOLATION.
    pub isolated: Option<bool>,
    /// MACPROTECT.
    pub protect: Option<Option<bool>>,
    /// Another way out.
    pub uplink: Option<UplinkSpec>,
    /// UPLINK CONNECT or DISCONNECT.
    pub connect: Option<bool>,
}

impl Change {
    /// The definition with this changed.
    pub fn apply(&self, definition: &mut Definition) {
        definition.grants.extend(self.grant.iter().cloned());
        self.revoke.iter().for_each(|userid| drop(definition.grants.remove(userid)));
        definition.isolated = self.isolated.unwrap_or(definition.isolated);
        definition.protect = self.protect.unwrap_or(definition.protect);
        if let Some(uplink) = &self.uplink {
            definition.uplink = uplink.clone();
        }
    }
}

/// What follows the name in SET LAN or SET VSWITCH, and the owner of the LAN.
pub fn change(kind: Kind, words: &mut Words<'_>) -> Result<Read<Change>, Message> {
    let (mut change, mut idle) = (Change::default(), Vec::new());
    let vswitch = kind == Kind::Vswitch;
    words.peek().ok_or_else(message::operand_missing)?;
    while let Some(word) = words.next() {
        match () {
            () if word.is("GRAnt") => {
                let users = users(words)?;
                let grant = grant(words, vswitch)?;
                change.grant.extend(users.into_iter().map(|userid| (userid, grant.clone())));
            }
            () if word.is("REVoke") => change.revoke.extend(users(words)?),
            () if word.is("ISOLation") => change.isolated = Some(words.need()?.on_or_off()?),
            () if word.is("MACProtect") => change.protect = Some(on_off_unspecified(words.need()?)?),
            () if vswitch && word.is("UPLINK") => match () {
                () if words.accept("CONnect") => change.connect = Some(true),
                () if words.accept("DISCONnect") => change.connect = Some(false),
                () => change.uplink = Some(uplink(words)?),
            },
            () if vswitch && word.is("CONnect") => change.connect = Some(true),
            () if vswitch && word.is("DISCONnect") => change.connect = Some(false),
            () => idle.push(idle_operand(word, words)?),
        }
    }
    Ok(Read { what: change, idle })
}

/// What VMLAN says of all networks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SystemChange {
    /// MACPREFIX.
    pub prefix: Option<[u8; 3]>,
    /// USERPREFIX.
    pub user_prefix: Option<[u8; 3]>,
    /// LIMIT PERSISTENT.
    pub persistent: Option<usize>,
    /// LIMIT TRANSIENT.
    pub transient: Option<usize>,
    /// MACPROTECT.
    pub protect: Option<bool>,
}

/// What follows VMLAN. `prefixes`: those of addresses may be changed, as adapters have none yet.
pub fn system(words: &mut Words<'_>, prefixes: bool) -> Result<SystemChange, Message> {
    let mut change = SystemChange::default();
    words.peek().ok_or_else(message::operand_missing)?;
    while let Some(word) = words.next() {
        match () {
            () if prefixes && word.is("MACPREFIX") => change.prefix = Some(prefix(words.need()?)?),
            () if prefixes && word.is("USERPREFIX") => change.user_prefix = Some(prefix(words.need()?)?),
            () if word.is("MACPROTECT") => change.protect = Some(words.need()?.on_or_off()?),
            () if word.is("LIMIT") => {
                let before = (change.persistent, change.transient);
                loop {
                    match () {
                        () if words.accept("PERSistent") => change.persistent = Some(limit(words.need()?)?),
                        () if words.accept("TRANSient") => change.transient = Some(limit(words.need()?)?),
                        () => break,
                    }
                }
                if before == (change.persistent, change.transient) {
                    return Err(message::operand_missing());
                }
            }
            () => return Err(word.invalid()),
        }
    }
    Ok(change)
}

/// Three bytes of an address, as MACID has them.
pub fn mac_id(word: Word<'_>) -> Result<u32, Message> {
    let id = word.hexadecimal().filter(|id| word.0.len() <= 6 && (1..1 << 24).contains(id));
    id.map(|id| id as u32).ok_or_else(|| word.invalid())
}

/// The target of COUPLE or the network of NICDEF: the owner and the name.
pub fn target(words: &mut Words<'_>, issuer: &str) -> Result<Name, Message> {
    let owner = words.need()?;
    let owner = if owner.0 == "*" { issuer.to_string() } else { owner.userid()? };
    Ok(Name { owner, name: network_name(words)? })
}

/// VLANs as SET VSWITCH and NICDEF have them: numbers and ranges.
pub fn vlan_set<'a>(mut next: impl FnMut() -> Option<Word<'a>>) -> Result<Vec<(u16, u16)>, Message> {
    let mut all = Vec::new();
    while let Some(word) = next() {
        let (first, last) = word.0.split_once('-').unwrap_or((word.0, word.0));
        let range = (vlan(Word(first)).map_err(|_| word.invalid())?, vlan(Word(last)).map_err(|_| word.invalid())?);
        if range.0 > range.1 {
            return Err(word.invalid());
        }
        all.push(range);
    }
    match all.is_empty() {
        true => Err(message::operand_missing()),
        false => Ok(all),
    }
}

/// ACCESS or TRUNK.
pub fn port_type(word: Word<'_>) -> Result<PortType, Message> {
    match () {
        () if word.is("ACCESS") => Ok(PortType::Access),
        () if word.is("TRUNK") => Ok(PortType::Trunk),
        () => Err(word.invalid()),
    }
}

/// ON, OFF or UNSPECIFIED.
pub fn on_off_unspecified(word: Word<'_>) -> Result<Option<bool>, Message> {
    if word.is("UNSPECified") { Ok(None) } else { word.on_or_off().map(Some) }
}

/// An adapter that is named by a user and a device number.
pub fn place(userid: &str, vdev: u16) -> Place {
    Place { userid: userid.into(), vdev }
}

/// The options of one GRANT, up to the first word that is none of them.
fn grant(words: &mut Words<'_>, vlans: bool) -> Result<Grant, Message> {
    let mut grant = Grant::default();
    loop {
        match () {
            () if words.accept("PROmiscuous") => grant.promiscuous = true,
            () if words.accept("NOPROmiscuous") => grant.promiscuous = false,
            () if vlans && words.accept("PORTType") => grant.port = Some(port_type(words.need()?)?),
            () if vlans && words.accept("VLAN") => {
                let number = |word: &Word<'_>| word.0.starts_with(|c: char| c.is_ascii_digit());
                grant.vlans = vlan_set(|| words.peek().filter(number).and_then(|_| words.next()))?;
            }
            () => break,
        }
    }
    let several = grant.vlans.len() > 1 || grant.vlans.iter().any(|(first, last)| first != last);
    if several && grant.port == Some(PortType::Access) {
        return Err(message::invalid_option("PORTTYPE ACCESS"));
    }
    // Several VLANs need tags.
    if several {
        grant.port = Some(PortType::Trunk);
    }
    Ok(grant)
}

/// Words that follow user IDs and are none.
static AFTER_USERS: &[&str] = &[
    "PORTType",
    "VLAN",
    "PROmiscuous",
    "NOPROmiscuous",
    "GRAnt",
    "REVoke",
    "ISOLation",
    "MACProtect",
    "MAXCONN",
    "RESTricted",
    "UNRESTricted",
    "TYPE",
    "OWNERid",
    "IPTimeout",
    "ACCOUNTing",
];

/// One or more user IDs.
fn users(words: &mut Words<'_>) -> Result<Vec<String>, Message> {
    let mut users = vec![words.need_userid()?];
    while let Some(word) = words.peek().filter(|word| !AFTER_USERS.iter().any(|other| word.is(other))) {
        users.push(word.userid()?);
        words.next();
        if users.len() > USERS {
            return Err(word.invalid());
        }
    }
    Ok(users)
}

/// The way out: `USER|PASST [PUBLISH port ...] [HOSTACCESS ON|OFF]`, `TAP interface`, `LISTEN|CALL place`, `NONE`, or
/// `RDEV NONE`. Names of the host's are in upper and lower case.
fn uplink(words: &mut Words<'_>) -> Result<UplinkSpec, Message> {
    let name = |words: &mut Words<'_>| words.need().map(|word| word.0.to_string());
    match () {
        () if words.accept("NONE") => Ok(UplinkSpec::None),
        () if words.accept("RDEV") => rdev(words),
        () if words.accept("USER") => sockets(words).map(UplinkSpec::User),
        () if words.accept("PASST") => sockets(words).map(UplinkSpec::Passt),
        () if words.accept("TAP") => name(words).map(UplinkSpec::Tap),
        () if words.accept("LISTEN") => name(words).map(UplinkSpec::Listen),
        () if words.accept("CALL") => name(words).map(UplinkSpec::Call),
        () => Err(words.next().map_or_else(message::operand_missing, |word| word.invalid())),
    }
}

/// `[PUBLISH port ...] [HOSTACCESS ON|OFF]`
fn sockets(words: &mut Words<'_>) -> Result<Sockets, Message> {
    let mut sockets = Sockets::default();
    loop {
        match () {
            () if words.accept("PUBlish") => {
                sockets.publish.push(words.need()?.0.to_string());
                while let Some(word) = words.peek().filter(|word| word.0.contains(':')) {
                    sockets.publish.push(word.0.to_string());
                    words.next();
                }
            }
            () if words.accept("HOSTaccess") => sockets.host_access = words.need()?.on_or_off()?,
            () => return Ok(sockets),
        }
    }
}

/// `NONE`: there are no real network adapters.
fn rdev(words: &mut Words<'_>) -> Result<UplinkSpec, Message> {
    let word = words.need()?;
    match word.is("NONE") {
        true => Ok(UplinkSpec::None),
        false => Err(message::transport(format!("RDEV {}", word.upper()))),
    }
}

/// UNAWARE, AWARE, or the default VLAN.
fn tags(word: Word<'_>) -> Result<Option<Tags>, Message> {
    let tags = |default| Some(Tags { default, port: PortType::Access, native: 1 });
    match () {
        () if word.is("UNAWARE") => Ok(None),
        () if word.is("AWARE") => Ok(tags(None)),
        () => vlan(word).map(|default| tags(Some(default))),
    }
}

fn vlan(word: Word<'_>) -> Result<u16, Message> {
    let number = word.decimal().filter(|number| (1..=4094).contains(number));
    number.map(|number| number as u16).ok_or_else(|| word.invalid())
}

fn maximum(words: &mut Words<'_>) -> Result<Option<u16>, Message> {
    let word = words.need()?;
    if word.is("INFinite") {
        return Ok(None);
    }
    let number = word.decimal().filter(|number| (1..=MOST).contains(number));
    number.map(|number| Some(number as u16)).ok_or_else(|| word.invalid())
}

fn limit(word: Word<'_>) -> Result<usize, Message> {
    if word.is("INFinite") {
        return Ok(usize::MAX);
    }
    word.decimal().filter(|limit| *limit <= MOST).map(|limit| limit as usize).ok_or_else(|| word.invalid())
}

fn prefix(word: Word<'_>) -> Result<[u8; 3], Message> {
    let number = word.hexadecimal().filter(|_| word.0.len() == 6).ok_or_else(|| word.invalid())?;
    let [a, b, c] = [16, 8, 0].map(|shift| (number >> shift) as u8);
    // Addresses of one station, made here: not a maker's.
    if a & 3 == 2 { Ok([a, b, c]) } else { Err(word.invalid()) }
}

/// QDIO or HIPERSOCKETS.
fn network_type(word: Word<'_>) -> Result<NetworkType, Message> {
    match () {
        () if word.is("QDIO") => Ok(NetworkType::Qdio),
        () if word.is("HIPERsockets") => Ok(NetworkType::Hipersockets),
        () => Err(word.invalid()),
    }
}

/// An operand that changes nothing, with its values.
fn idle_operand(word: Word<'_>, words: &mut Words<'_>) -> Result<String, Message> {
    let (name, values) = IDLE.iter().find(|(name, _)| word.is(name)).ok_or_else(|| word.invalid())?;
    for _ in 0..*values {
        words.need()?;
    }
    Ok(name.to_ascii_uppercase())
}
