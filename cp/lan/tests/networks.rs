//! Networks from outside: frames among adapters, as grants, VLANs and settings allow; lives of LANs; uplinks.

use base::{Clock, Tod};
use lan::operands::{self, Change};
use lan::{Adapter, Definition, Extent, Kind, Name, NetworkType, Networks, Place, Uplink, UplinkSpec, Uplinks};
use message::words::Words;
use net::{Mac, Port, Takes};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

struct Still;

impl Clock for Still {
    fn now(&self) -> Tod {
        Tod(1 << 60)
    }
}

fn networks() -> Networks {
    Networks::new(Arc::new(Still))
}

fn lan(text: &str) -> Definition {
    operands::define_lan(&mut Words::new(text), "OWNER").expect("it is right").what
}

fn vswitch(text: &str) -> Definition {
    operands::define_vswitch(&mut Words::new(text)).expect("it is right").what
}

fn set(networks: &Networks, kind: Kind, name: &Name, text: &str) -> Vec<Place> {
    let change = operands::change(kind, &mut Words::new(text)).expect("it is right").what;
    let (gone, trouble) = networks.change(kind, name, &change).expect("it is there");
    assert_eq!(trouble, None);
    gone
}

/// An adapter of a user, with an address from its device number.
fn adapter(userid: &str, vdev: u16) -> Adapter {
    let place = Place { userid: userid.into(), vdev };
    Adapter { place, mac: mac(vdev), kind: "VIRTIO", family: NetworkType::Qdio, promiscuous: false, protect: None }
}

fn mac(vdev: u16) -> Mac {
    Mac([2, 0, 0, 0, (vdev >> 8) as u8, vdev as u8])
}

/// A port of an adapter that takes frames.
fn up(networks: &Networks, userid: &str, vdev: u16, name: &Name) -> Arc<Port> {
    let (_, port) = networks.couple(adapter(userid, vdev), name, None).expect("it may");
    port.takes(Takes::ALL);
    port.set_up(true);
    port
}

fn frame(to: u16, from: u16, text: &str) -> Vec<u8> {
    [&mac(to).0[..], &mac(from).0, &[0x88, 0xb5], text.as_bytes()].concat()
}

fn received(port: &Port) -> usize {
    let (mut count, mut space) = (0, Vec::new());
    while port.receive(&mut space) {
        count += 1;
    }
    count
}

#[test]
fn adapters_on_a_lan_reach_each_other_and_no_others() {
    let networks = networks();
    let (one, other) = (Name { owner: "OWNER".into(), name: "L1".into() }, Name::of_system("L1"));
    networks.define(lan("L1")).unwrap();
    networks.define(lan("L1 OWNERID SYSTEM")).unwrap();
    assert!(networks.define(lan("L1")).unwrap_err().text.contains("already exists"));
    let [a, b] = [("A", 1), ("B", 2)].map(|(user, vdev)| up(&networks, user, vdev, &one));
    let c = up(&networks, "C", 3, &other);
    a.send(&frame(0xffff, 1, "to all"));
    a.send(&frame(2, 1, "to B"));
    a.send(&frame(3, 1, "to C, which is not here"));
    assert_eq!((received(&a), received(&b), received(&c)), (0, 3, 0));
    let place = Place { userid: "B".into(), vdev: 2 };
    networks.renumber("B", 2, 7);
    assert_eq!(networks.uncouple(&place), None);
    assert_eq!(networks.uncouple(&Place { vdev: 7, ..place }), Some((Kind::Lan, one)));
}

#[test]
fn a_restricted_network_wants_a_grant_and_a_revoked_one_ends_the_connection() {
    let networks = networks();
    let name = Name::of_system("V");
    networks.define(vswitch("V MAXCONN 2")).unwrap();
    let couple = |user: &str, vdev| networks.couple(adapter(user, vdev), &name, None).map(drop);
    assert_eq!(couple("A", 1).unwrap_err().number, 6011);
    assert!(!networks.may_see("A", &name));
    set(&networks, Kind::Vswitch, &name, "GRANT A B C");
    assert!(networks.may_see("A", &name));
    couple("A", 1).unwrap();
    couple("B", 2).unwrap();
    assert!(couple("C", 3).unwrap_err().text.starts_with("Maximum number of connections"));
    let gone = set(&networks, Kind::Vswitch, &name, "REVOKE B");
    assert_eq!(gone, [Place { userid: "B".into(), vdev: 2 }]);
    assert_eq!((networks.of(&gone[0]), couple("C", 3)), (None, Ok(())));
    // What the directory names wants no grant.
    let own = Some(lan::Grant::default());
    networks.uncouple(&Place { userid: "C".into(), vdev: 3 });
    networks.couple(adapter("D", 4), &name, own).unwrap();
    assert_eq!(set(&networks, Kind::Vswitch, &name, "REVOKE D"), []);
}

#[test]
fn vlans_keep_adapters_apart_and_follow_grants_at_once() {
    let networks = networks();
    let name = Name::of_system("V");
    networks.define(vswitch("V VLAN 5 NATIVE 9")).unwrap();
    set(&networks, Kind::Vswitch, &name, "GRANT A B C");
    set(&networks, Kind::Vswitch, &name, "GRANT C VLAN 6");
    let [a, b, c] = [("A", 1), ("B", 2), ("C", 3)].map(|(user, vdev)| up(&networks, user, vdev, &name));
    a.send(&frame(0xffff, 1, "VLAN 5"));
    assert_eq!((received(&b), received(&c)), (1, 0));
    set(&networks, Kind::Vswitch, &name, "GRANT C VLAN 5-6 PORTTYPE TRUNK");
    a.send(&frame(0xffff, 1, "VLAN 5"));
    assert_eq!((received(&b), received(&c)), (1, 1));
    networks.define(vswitch("W VLAN AWARE")).unwrap();
    let other = Name::of_system("W");
    set(&networks, Kind::Vswitch, &other, "GRANT A");
    assert_eq!(networks.couple(adapter("A", 9), &other, None).map(drop).unwrap_err().number, 6011);
    for wrong in
        ["GRANT A VLAN", "GRANT A VLAN 0", "GRANT A VLAN 5-4", "GRANT A VLAN 4095", "GRANT A PORTTYPE ACCESS VLAN 1 2"]
    {
        assert!(operands::change(Kind::Vswitch, &mut Words::new(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn isolation_protection_and_copies_of_all_frames() {
    let networks = networks();
    let name = Name::of_system("V");
    networks.define(vswitch("V UNRESTRICTED")).unwrap();
    let [a, b, c] = [("A", 1), ("B", 2), ("C", 3)].map(|(user, vdev)| up(&networks, user, vdev, &name));
    b.send(&frame(1, 2, "here"));
    assert_eq!((received(&a), received(&c)), (1, 1), "it is not known yet where A is");
    a.send(&frame(2, 1, "for B"));
    assert_eq!((received(&b), received(&c)), (1, 0));
    // C may not look on without a grant that says so.
    let mut curious = adapter("C", 3);
    curious.promiscuous = true;
    assert_eq!(networks.set_adapter(&curious), None);
    set(&networks, Kind::Vswitch, &name, "GRANT C PROMISCUOUS");
    assert_eq!(networks.set_adapter(&curious), Some(()));
    a.send(&frame(2, 1, "for B"));
    assert_eq!((received(&b), received(&c)), (1, 1));
    set(&networks, Kind::Vswitch, &name, "REVOKE C");
    a.send(&frame(2, 1, "for B"));
    assert_eq!((received(&b), received(&c)), (1, 0));

    set(&networks, Kind::Vswitch, &name, "MACPROTECT ON");
    a.send(&frame(2, 9, "of a stranger's address"));
    assert_eq!((received(&b), a.counters().refused), (0, 1));
    let mut free = adapter("A", 1);
    free.protect = Some(false);
    networks.set_adapter(&free).unwrap();
    a.send(&frame(2, 9, "allowed for this adapter"));
    assert_eq!(received(&b), 1);

    // What the system says holds where nothing else is said, at once.
    set(&networks, Kind::Vswitch, &name, "MACPROTECT UNSPECIFIED");
    b.send(&frame(1, 9, "of a stranger's address"));
    assert_eq!(received(&a), 1);
    networks.set_system(&operands::system(&mut Words::new("MACPROTECT ON"), false).unwrap());
    b.send(&frame(1, 9, "of a stranger's address"));
    assert_eq!(received(&a), 0);

    set(&networks, Kind::Vswitch, &name, "ISOLATION ON");
    a.send(&frame(2, 1, "to nobody"));
    assert_eq!(received(&b), 0);
    set(&networks, Kind::Vswitch, &name, "ISOLATION OFF");
    a.send(&frame(2, 1, "again"));
    assert_eq!(received(&b), 1);
}

#[test]
fn a_users_lan_goes_with_its_owner_or_with_its_last_adapter() {
    let networks = networks();
    let name = |name: &str| Name { owner: "OWNER".into(), name: name.into() };
    for one in ["L1", "L2", "L3"] {
        networks.define(lan(one)).unwrap();
    }
    up(&networks, "A", 1, &name("L2"));
    up(&networks, "A", 2, &name("L3"));
    networks.leaves("OWNER");
    let there = || ["L1", "L2", "L3"].map(|one| networks.exists(Kind::Lan, &name(one)));
    assert_eq!(there(), [false, true, true]);
    networks.uncouple(&Place { userid: "A".into(), vdev: 1 });
    assert_eq!(there(), [false, false, true]);
    // The owner is back: it stays.
    networks.returns("OWNER");
    networks.uncouple(&Place { userid: "A".into(), vdev: 2 });
    assert_eq!(there(), [false, false, true]);
    // SYSTEM's stay anyway.
    networks.define(lan("L1 OWNERID SYSTEM")).unwrap();
    networks.leaves("SYSTEM");
    networks.leaves("OWNER");
    assert!(networks.exists(Kind::Lan, &Name::of_system("L1")));
    assert_eq!(there(), [false; 3]);
    // DETACH gives back what was connected.
    up(&networks, "A", 1, &Name::of_system("L1"));
    let gone = networks.destroy(Kind::Lan, &Name::of_system("L1")).unwrap();
    assert_eq!(gone, [Place { userid: "A".into(), vdev: 1 }]);
    assert!(networks.destroy(Kind::Lan, &Name::of_system("L1")).is_err());
}

#[test]
fn there_are_only_so_many() {
    let networks = networks();
    let limits = operands::system(&mut Words::new("LIMIT TRANSIENT 2 PERSISTENT 1"), false).unwrap();
    networks.set_system(&limits);
    networks.define(lan("L1")).unwrap();
    networks.define(lan("L2")).unwrap();
    assert!(networks.define(lan("L3")).unwrap_err().text.contains("Limit of 2 TRANSIENT"));
    networks.define(vswitch("V")).unwrap();
    assert!(networks.define(lan("L3 OWNERID SYSTEM")).unwrap_err().text.contains("Limit of 1 PERSISTENT"));
}

/// A host with one port that can be published: 1.
#[derive(Default)]
struct Outside {
    ports: Mutex<Vec<Arc<Port>>>,
    open: Arc<AtomicUsize>,
}

struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

impl Uplink for Open {
    fn details(&self) -> Vec<String> {
        vec!["Gateway".into()]
    }

    fn notices(&self) -> Vec<String> {
        vec!["something".into()]
    }
}

impl Uplinks for Outside {
    fn open(&self, port: &Arc<Port>, spec: &UplinkSpec) -> Result<Box<dyn Uplink>, String> {
        assert_ne!(*spec, UplinkSpec::None, "there is nothing to open");
        let publish = spec.published();
        if publish.iter().any(|port| port != "1:1") {
            return Err("port in use".into());
        }
        port.set_up(true);
        self.ports.lock().unwrap().push(port.clone());
        self.open.fetch_add(1, SeqCst);
        Ok(Box::new(Open(self.open.clone())))
    }
}

#[test]
fn a_way_out_is_opened_closed_and_told_of() {
    let networks = networks();
    let outside = Arc::new(Outside::default());
    let name = Name::of_system("V");
    let said = networks.define(vswitch("V UNRESTRICTED UPLINK USER")).unwrap().unwrap();
    assert!(said.text.contains("there is no way out here"), "{said}");
    networks.set_uplinks(outside.clone());
    set(&networks, Kind::Vswitch, &name, "UPLINK CONNECT");
    let a = up(&networks, "A", 1, &name);
    let out = outside.ports.lock().unwrap()[0].clone();
    a.send(&frame(0xffff, 1, "hello"));
    assert_eq!(received(&out), 1);
    // Isolation lets frames out.
    set(&networks, Kind::Vswitch, &name, "ISOLATION ON");
    a.send(&frame(0xffff, 1, "hello"));
    assert_eq!(received(&out), 1);
    assert_eq!(networks.notices(), [(name.clone(), "something".to_string())]);
    let lines = |extent| networks.lines(Kind::Vswitch, Some(&name), |_| true, extent).unwrap().join("\n");
    assert!(lines(Extent::default()).contains("State: Ready"));
    assert!(lines(Extent { details: true, ..Extent::default() }).contains("Gateway"));

    let change = |text: &str| {
        let change: Change = operands::change(Kind::Vswitch, &mut Words::new(text)).unwrap().what;
        networks.change(Kind::Vswitch, &name, &change).unwrap().1
    };
    assert!(change("UPLINK USER PUBLISH 2:2").unwrap().text.contains("port in use"));
    assert!(lines(Extent::default()).contains("Not connected: port in use"));
    assert_eq!((outside.open.load(SeqCst), change("UPLINK USER PUBLISH 1:1")), (0, None));
    assert_eq!((change("UPLINK DISCONNECT"), outside.open.load(SeqCst)), (None, 0));
    assert!(lines(Extent::default()).contains("State: Disconnected"));
    assert_eq!((change("UPLINK CONNECT"), outside.open.load(SeqCst)), (None, 1));
    // Other ways out, each with the line that tells which it is. Names of the host's are as they are written.
    for (words, line) in [
        ("PASST PUBLISH 1:1 HOSTACCESS ON", "  Type: PASST   Host access: ON"),
        ("TAP Tap0", "  Type: TAP   Interface: Tap0"),
        ("LISTEN unix:/Tmp/x", "  Type: LISTEN   Place: unix:/Tmp/x"),
        ("CALL tcp:127.0.0.1:9", "  Type: CALL   Place: tcp:127.0.0.1:9"),
    ] {
        assert_eq!((change(&format!("UPLINK {words}")), outside.open.load(SeqCst)), (None, 1));
        let lines = lines(Extent::default());
        assert!(lines.contains(line) && lines.contains("Published: 1:1") == words.contains("PUBLISH"), "{lines}");
    }
    networks.destroy(Kind::Vswitch, &name).unwrap();
    assert_eq!(outside.open.load(SeqCst), 0);
}

/// Words that programs read: `znetconf` of s390-tools takes them by their numbers.
#[test]
fn programs_find_the_words_that_they_read() {
    let networks = networks();
    networks.define(lan("L1 OWNERID SYSTEM")).unwrap();
    networks.define(vswitch("V UNRESTRICTED")).unwrap();
    let word = |line: &str, number: usize| line.split_whitespace().nth(number - 1).unwrap().to_string();
    for (kind, name) in [(Kind::Lan, Name::of_system("L1")), (Kind::Vswitch, Name::of_system("V"))] {
        let lines = networks.lines(kind, Some(&name), |_| true, Extent::default()).unwrap();
        assert_eq!(word(&lines[1], 3), "ETHERNET");
        up(&networks, "A", 0x600, &name);
        let lines = networks.adapter_lines(&adapter("A", 0x600), 1, false);
        assert_eq!(word(&lines[0], 4), "VIRTIO");
        let words = [3, 4, 5].map(|number| word(&lines[1], number));
        assert_eq!(words, [format!("{}:", kind.word()), name.owner.clone(), name.name.clone()]);
        networks.uncouple(&Place { userid: "A".into(), vdev: 0x600 });
    }
    assert_eq!(networks.adapter_lines(&adapter("A", 0x600), 1, false)[1].split_whitespace().nth(2), Some("LAN:"));
}

/// Whatever is typed: it is taken or refused.
#[test]
fn random_words_are_answered() {
    let words = [
        "V",
        "OWNERID",
        "*",
        "SYSTEM",
        "MAXCONN",
        "5",
        "INF",
        "RESTRICTED",
        "TYPE",
        "QDIO",
        "HIPER",
        "ETH",
        "IP",
        "GRANT",
        "A",
        "REVOKE",
        "VLAN",
        "1-9",
        "PORTTYPE",
        "TRUNK",
        "NATIVE",
        "UPLINK",
        "USER",
        "PUBLISH",
        "1:1",
        "HOSTACCESS",
        "ON",
        "OFF",
        "ISOLATION",
        "MACPROTECT",
        "UNSPEC",
        "CONNECT",
        "IPTIMEOUT",
        "RDEV",
        "NONE",
        "LIMIT",
        "PRO",
        "ü",
    ];
    let mut random = support::Random::seeded(7);
    let (mut right, networks) = (0, networks());
    for _ in 0..20_000 {
        let line: Vec<&str> = (0..random.below(9)).map(|_| words[random.below(words.len() as u64) as usize]).collect();
        let line = line.join(" ");
        let read = || Words::new(&line);
        right += usize::from(
            operands::define_lan(&mut read(), "OWNER").is_ok_and(|read| networks.define(read.what).is_ok()),
        );
        right +=
            usize::from(operands::define_vswitch(&mut read()).is_ok_and(|read| networks.define(read.what).is_ok()));
        for kind in [Kind::Lan, Kind::Vswitch] {
            if let Ok(change) = operands::change(kind, &mut read()) {
                let name = Name::of_system("V");
                right += usize::from(networks.change(kind, &name, &change.what).is_ok());
            }
        }
        let _ = operands::system(&mut read(), true);
    }
    assert!(right > 100, "{right}");
}
