//! Addresses of adapters: a prefix of the system, and three bytes that no other adapter has.
//!
//! What CP chooses follows from the user and the device number. So an adapter has the same address each time the
//! system is started, in whatever order users log on: leases of DHCP and the guests' own settings go by it.

use crate::network::Place;
use net::Mac;
use std::collections::HashMap;

/// The first three bytes of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefixes {
    /// Of addresses that CP chooses.
    pub system: [u8; 3],
    /// Of addresses that MACID names.
    pub user: [u8; 3],
}

impl Default for Prefixes {
    fn default() -> Prefixes {
        Prefixes { system: [2, 0, 0], user: [2, 0, 0] }
    }
}

/// How many addresses a prefix has; 0 is none of them.
const RANGE: u32 = 1 << 24;

/// The addresses in use.
#[derive(Debug, Default)]
pub struct Addresses {
    /// The prefixes.
    pub prefixes: Prefixes,
    used: HashMap<Mac, Place>,
}

impl Addresses {
    /// An address for the adapter at `place`: with this MACID, or one that CP chooses. `None`: another adapter has it,
    /// or all are in use.
    pub fn take(&mut self, place: &Place, id: Option<u32>) -> Option<Mac> {
        let mac = match id {
            Some(id) => Some(address(self.prefixes.user, id)).filter(|mac| !self.used.contains_key(mac)),
            None => {
                let first = hash(place);
                let all = (0..RANGE - 1).map(|step| address(self.prefixes.system, (first + step) % (RANGE - 1) + 1));
                all.into_iter().find(|mac| !self.used.contains_key(mac))
            }
        }?;
        self.used.insert(mac, place.clone());
        Some(mac)
    }

    /// The adapter has gone.
    pub fn give_back(&mut self, mac: Mac) {
        self.used.remove(&mac);
    }
}

fn address(prefix: [u8; 3], id: u32) -> Mac {
    let [a, b, c] = prefix;
    let [d, e, f] = [16, 8, 0].map(|shift| (id >> shift) as u8);
    Mac([a, b, c, d, e, f])
}

/// A number below [`RANGE`] that follows from the place (FNV-1a, folded).
fn hash(place: &Place) -> u32 {
    let place = format!("{} {:04X}", place.userid, place.vdev);
    let hash = place.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash >> 24 ^ hash) & (RANGE - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(userid: &str, vdev: u16) -> Place {
        Place { userid: userid.into(), vdev }
    }

    #[test]
    fn an_adapter_gets_the_same_address_again_and_no_other_adapter_has_it() {
        let mut first = Addresses::default();
        let users: Vec<Place> = (0..2000).map(|n| place(&format!("USER{}", n / 4), 0x600 + n % 4)).collect();
        let macs: Vec<Mac> = users.iter().map(|user| first.take(user, None).unwrap()).collect();
        let distinct: std::collections::HashSet<_> = macs.iter().collect();
        assert_eq!(distinct.len(), macs.len());
        assert!(macs.iter().all(|mac| mac.0[..3] == [2, 0, 0] && mac.0[3..] != [0, 0, 0]));
        // Another order: only where two want the same may it differ.
        let mut second = Addresses::default();
        let again: Vec<Mac> = users.iter().rev().map(|user| second.take(user, None).unwrap()).collect();
        let differ = macs.iter().zip(again.iter().rev()).filter(|(a, b)| a != b).count();
        assert!(differ <= 8, "{differ}");
        first.give_back(macs[7]);
        assert_eq!(first.take(&users[7], None), Some(macs[7]));
    }

    #[test]
    fn an_address_that_is_named_is_given_once() {
        let mut addresses = Addresses::default();
        addresses.prefixes.user = [2, 0x11, 0x22];
        assert_eq!(addresses.take(&place("A", 1), Some(0x0a0b0c)), Some(Mac([2, 0x11, 0x22, 0x0a, 0x0b, 0x0c])));
        assert_eq!(addresses.take(&place("B", 1), Some(0x0a0b0c)), None);
    }
}
