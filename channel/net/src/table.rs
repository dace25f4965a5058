//! What a learning switch knows (IEEE 802.1D and 802.1Q, as far as guests see them): its ports, where addresses were
//! heard, and so where frames go.

use crate::Mac;
use crate::frame::{Head, VlanId, stays_on_link};
use crate::queue::{Queue, Settings};
use base::{Clock, Held, Tod};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

/// For how long an address is known where it was heard: 300 seconds, in microseconds.
const AGE: u64 = 300_000_000;
/// How often addresses that were not heard again are forgotten.
const SWEEP: u64 = 10_000_000;
/// The most addresses that are known of one port. Frames to others go to all ports.
const ADDRESSES: usize = 1024;

/// What holds for all ports of a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    /// No frame goes from a port to another unless one of them is an uplink.
    pub isolated: bool,
}

struct Member {
    queue: Arc<Queue>,
    settings: Arc<Settings>,
    addresses: usize,
}

struct Heard {
    port: u32,
    last: Tod,
}

#[derive(Default)]
struct Table {
    members: BTreeMap<u32, Member>,
    heard: HashMap<(VlanId, Mac), Heard>,
    next: u32,
    rules: Rules,
    swept: Tod,
}

impl Table {
    /// Remembers where an address was heard.
    fn learn(&mut self, vlan: VlanId, from: Mac, port: u32, now: Tod) {
        if let Some(heard) = self.heard.get_mut(&(vlan, from)).filter(|heard| heard.port == port) {
            heard.last = now;
            return;
        }
        if self.members.get(&port).is_none_or(|member| member.addresses >= ADDRESSES) {
            return;
        }
        let before = self.heard.insert((vlan, from), Heard { port, last: now });
        if let Some(member) = before.and_then(|heard| self.members.get_mut(&heard.port)) {
            member.addresses -= 1;
        }
        self.members.get_mut(&port).expect("it was there").addresses += 1;
    }

    /// Forgets what was not heard for long, or some port's.
    fn forget(&mut self, gone: impl Fn(&Heard) -> bool) {
        let members = &mut self.members;
        self.heard.retain(|_, heard| {
            let gone = gone(heard);
            if let Some(member) = members.get_mut(&heard.port).filter(|_| gone) {
                member.addresses -= 1;
            }
            !gone
        });
    }

    fn sweep(&mut self, now: Tod) {
        if now.micros_since(self.swept) >= SWEEP {
            self.swept = now;
            self.forget(|heard| now.micros_since(heard.last) >= AGE);
        }
    }

    fn port_of(&self, vlan: VlanId, to: Mac, now: Tod) -> Option<u32> {
        let heard = self.heard.get(&(vlan, to)).filter(|_| to.is_unicast())?;
        (now.micros_since(heard.last) < AGE).then_some(heard.port)
    }
}

/// A port that shall have a frame, and what it is like.
type Target = (Arc<Queue>, Arc<Settings>);

/// What a switch and its ports have in common.
pub(crate) struct Shared {
    table: Mutex<Table>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Shared {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Shared {
        Shared { table: Mutex::default(), clock }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().held()
    }

    /// The VLAN of a frame and the ports that shall have it; `None` if the port must not send it.
    pub(crate) fn route(&self, port: u32, head: &Head, now: Tod) -> Option<(VlanId, Vec<Target>)> {
        let mut table = self.lock();
        let sender = table.members.get(&port)?.settings.clone();
        let vlan = sender.vlan.of(head)?;
        if sender.only.is_some_and(|only| only != head.from) {
            return None;
        }
        table.sweep(now);
        table.learn(vlan, head.from, port, now);
        if stays_on_link(head.to) {
            return Some((vlan, Vec::new()));
        }
        let known = table.port_of(vlan, head.to, now);
        let separate = table.rules.isolated && !sender.uplink;
        let wants = |(number, member): &(&u32, &Member)| {
            let settings = &member.settings;
            let meant = known.is_none_or(|known| known == **number) && (!separate || settings.uplink);
            **number != port && (meant || settings.promiscuous) && settings.vlan.carries(vlan)
        };
        let targets = table.members.iter().filter(wants);
        Some((vlan, targets.map(|(_, member)| (member.queue.clone(), member.settings.clone())).collect()))
    }

    pub(crate) fn settings(&self, port: u32) -> Settings {
        self.lock().members.get(&port).map(|member| Settings::clone(&member.settings)).unwrap_or_default()
    }

    pub(crate) fn set(&self, port: u32, settings: Settings) {
        let mut table = self.lock();
        let changed = table.members.get(&port).is_some_and(|member| member.settings.vlan != settings.vlan);
        if changed {
            table.forget(|heard| heard.port == port);
        }
        if let Some(member) = table.members.get_mut(&port) {
            member.settings = Arc::new(settings);
        }
    }

    pub(crate) fn remove(&self, port: u32) {
        let mut table = self.lock();
        table.forget(|heard| heard.port == port);
        table.members.remove(&port);
    }

    /// A new port: its queue and its number.
    pub(crate) fn add(&self, settings: Settings) -> (Arc<Queue>, u32) {
        let mut table = self.lock();
        let number = table.next;
        table.next += 1;
        let queue = Arc::new(Queue::default());
        let member = Member { queue: queue.clone(), settings: Arc::new(settings), addresses: 0 };
        table.members.insert(number, member);
        (queue, number)
    }

    pub(crate) fn ports(&self) -> usize {
        self.lock().members.len()
    }

    pub(crate) fn addresses(&self) -> usize {
        self.lock().heard.len()
    }

    pub(crate) fn rules(&self) -> Rules {
        self.lock().rules
    }

    pub(crate) fn set_rules(&self, rules: Rules) {
        self.lock().rules = rules;
    }
}
