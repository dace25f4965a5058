//! The guests on the link: their hardware addresses, where their IP addresses lead, and what waits for room.

use crate::settings::is_guest;
use smoltcp::wire::EthernetAddress;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

/// The most guests that are known at a time.
const MOST: usize = 256;
/// The most IP addresses of a guest that are known: those of IPv6 change with time.
const ADDRESSES: usize = 16;
/// The most bytes of frames that wait for room.
const WAITING: usize = 256 << 10;

/// So many a second, and so many at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    level: u64,
    at: Duration,
}

/// Parts of a token.
const PARTS: u64 = 1_000_000;

impl Bucket {
    /// A full one: a level above any burst.
    fn full() -> Bucket {
        Bucket { level: u64::MAX, at: Duration::ZERO }
    }

    /// Takes a token, if there is one.
    pub(crate) fn take(&mut self, now: Duration, rate: u64, burst: u64) -> bool {
        let passed = now.saturating_sub(self.at).as_micros().min(u128::from(PARTS * 60)) as u64;
        self.at = now;
        self.level = self.level.saturating_add(passed * rate).min(burst * PARTS);
        let there = self.level >= PARTS;
        if there {
            self.level -= PARTS;
        }
        there
    }
}

/// A guest on the link.
#[derive(Debug)]
pub(crate) struct Station {
    pub(crate) mac: EthernetAddress,
    addresses: VecDeque<IpAddr>,
    seen: Duration,
    /// Its queue was full, and there was no word of room since.
    pub(crate) full: bool,
    waiting: VecDeque<Vec<u8>>,
    waiting_bytes: usize,
    /// Flows that wait for room, in the order of their turns.
    pub(crate) stalled: VecDeque<u32>,
    /// Flows that the guest has.
    pub(crate) flows: usize,
    pub(crate) neighbors: Bucket,
    pub(crate) dhcp: Bucket,
}

impl Station {
    /// Keeps `frame` until there is room. False: too much waits.
    pub(crate) fn keep(&mut self, frame: &[u8]) -> bool {
        let fits = self.waiting_bytes + frame.len() <= WAITING;
        if fits {
            self.waiting_bytes += frame.len();
            self.waiting.push_back(frame.to_vec());
        }
        fits
    }

    /// The next frame that waits.
    pub(crate) fn next_waiting(&self) -> Option<&[u8]> {
        self.waiting.front().map(Vec::as_slice)
    }

    /// The next frame has gone.
    pub(crate) fn waited(&mut self) {
        if let Some(frame) = self.waiting.pop_front() {
            self.waiting_bytes -= frame.len();
        }
    }
}

/// The guests on the link.
#[derive(Debug, Default)]
pub(crate) struct Stations {
    list: Vec<Station>,
    by_mac: HashMap<[u8; 6], usize>,
    by_address: HashMap<IpAddr, usize>,
}

impl Stations {
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn get(&self, station: usize) -> &Station {
        &self.list[station]
    }

    pub(crate) fn get_mut(&mut self, station: usize) -> &mut Station {
        &mut self.list[station]
    }

    /// Where an address leads.
    pub(crate) fn find(&self, address: IpAddr) -> Option<usize> {
        self.by_address.get(&address).copied()
    }

    /// The guest of this hardware address, which may be new. None: too many have flows.
    pub(crate) fn meet(&mut self, mac: EthernetAddress, now: Duration) -> Option<usize> {
        if let Some(&station) = self.by_mac.get(&mac.0) {
            self.list[station].seen = now;
            return Some(station);
        }
        let new = Station {
            mac,
            addresses: VecDeque::new(),
            seen: now,
            full: false,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            stalled: VecDeque::new(),
            flows: 0,
            neighbors: Bucket::full(),
            dhcp: Bucket::full(),
        };
        let station = if self.list.len() < MOST {
            self.list.push(new);
            self.list.len() - 1
        } else {
            // The first is no guest: it stands for all of them.
            let idle = self.list.iter().enumerate().skip(1).filter(|(_, old)| old.flows == 0);
            let (station, _) = idle.min_by_key(|(_, old)| old.seen)?;
            let old = std::mem::replace(&mut self.list[station], new);
            self.by_mac.remove(&old.mac.0);
            for address in old.addresses {
                self.by_address.remove(&address);
            }
            station
        };
        self.by_mac.insert(mac.0, station);
        Some(station)
    }

    /// The guest has this address, as its packets or its lease say. Gives whether that is new.
    pub(crate) fn has(&mut self, station: usize, address: IpAddr) -> bool {
        let before = self.by_address.get(&address).copied();
        if before == Some(station) || !is_guest(address) {
            return false;
        }
        if let Some(before) = before {
            self.list[before].addresses.retain(|&other| other != address);
        }
        self.by_address.insert(address, station);
        let addresses = &mut self.list[station].addresses;
        addresses.push_back(address);
        if addresses.len() > ADDRESSES
            && let Some(oldest) = addresses.pop_front()
        {
            self.by_address.remove(&oldest);
        }
        true
    }

    /// The lowest IPv4 address that a guest has.
    pub(crate) fn first_address(&self) -> Option<IpAddr> {
        let all = self.list.iter().flat_map(|station| &station.addresses);
        all.filter(|address| address.is_ipv4()).min().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::FIRST;

    #[test]
    fn a_bucket_gives_its_burst_and_then_its_rate() {
        let mut bucket = Bucket::full();
        let at = |milliseconds| Duration::from_millis(milliseconds);
        assert_eq!((0..100).filter(|_| bucket.take(at(5_000), 10, 20)).count(), 20);
        assert_eq!((0..1_000).filter(|step| bucket.take(at(5_000 + step), 10, 20)).count(), 9);
        assert_eq!((0..100).filter(|_| bucket.take(at(90_000), 10, 20)).count(), 20);
    }

    #[test]
    fn strangers_take_the_place_of_guests_without_flows() {
        let mut stations = Stations::default();
        let friend = stations.meet(EthernetAddress([2, 0, 0, 0, 0, 1]), Duration::ZERO).unwrap();
        stations.has(friend, FIRST.into());
        stations.get_mut(friend).flows = 1;
        for number in 0..10_000u32 {
            let [a, b, c, d] = number.to_be_bytes();
            assert!(stations.meet(EthernetAddress([6, 1, a, b, c, d]), Duration::from_secs(1)).is_some());
        }
        assert_eq!(stations.len(), MOST);
        assert_eq!(stations.find(FIRST.into()), Some(friend));
    }
}
