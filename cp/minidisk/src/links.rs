//! All links of the system: found by their user, by the place of what they are to, and by its MDISK statement.
//!
//! What a LINK, a LOGON or a LOGOFF wants to know is kept as links come and go, and not looked for among all of them: a
//! thousand users have the disk of their system in common.

use crate::link::{self, Group, Others};
use crate::{Link, Minidisk, Place};
use dasd::Kind;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;

/// Links in the order in which they were made.
type Row = BTreeMap<u64, Arc<Link>>;

/// The links to one place.
#[derive(Default)]
struct Shared {
    readers: Row,
    writers: Row,
    /// How many of them are stable, and exclusive.
    stable: usize,
    exclusive: usize,
}

/// Temporary space in the host's storage.
#[derive(Clone, Copy, Default)]
struct InStorage {
    bytes: u64,
    units: u64,
}

/// All links.
#[derive(Default)]
pub(crate) struct Links {
    made: u64,
    users: HashMap<String, Row>,
    places: HashMap<Place, Shared>,
    /// By the owner and the number of the minidisk.
    statements: HashMap<(String, u16), Row>,
    /// How many there are to each real disk and its minidisks.
    reals: HashMap<u16, u64>,
    /// Temporary space of real disks: the disk and the first unit, and how many units.
    temporary: BTreeMap<(u16, u32), u32>,
    in_storage: InStorage,
    /// Blocks of virtual disks, of all and of each owner.
    virtual_blocks: u64,
    virtual_blocks_of: HashMap<String, u64>,
}

/// The bytes that a disk in storage takes when it is full.
pub(crate) fn bytes(kind: &Kind) -> u64 {
    match *kind {
        Kind::Ckd { cylinders, heads, track, .. } => u64::from(cylinders) * u64::from(heads) * u64::from(track),
        Kind::Fba { blocks, .. } => blocks * Kind::BLOCK as u64,
    }
}

/// Counts `count` more, or less, under a key that is there only while there are any.
fn tally<K: Hash + Eq>(counts: &mut HashMap<K, u64>, key: K, count: u64, more: bool) {
    match counts.entry(key) {
        Entry::Vacant(entry) if more => drop(entry.insert(count)),
        Entry::Vacant(_) => (),
        Entry::Occupied(mut entry) if more => *entry.get_mut() += count,
        Entry::Occupied(entry) if *entry.get() <= count => drop(entry.remove()),
        Entry::Occupied(mut entry) => *entry.get_mut() -= count,
    }
}

/// Takes a link out of a row that is there only while it has any.
fn take<K: Hash + Eq>(rows: &mut HashMap<K, Row>, key: K, number: u64) {
    if let Entry::Occupied(mut entry) = rows.entry(key) {
        entry.get_mut().remove(&number);
        if entry.get().is_empty() {
            entry.remove();
        }
    }
}

impl Links {
    /// A link is there from now on.
    pub(crate) fn add(&mut self, mut link: Link) -> Arc<Link> {
        self.made += 1;
        link.number = self.made;
        let link = Arc::new(link);
        let disk = &link.disk;
        self.users.entry(link.userid.clone()).or_default().insert(link.number, link.clone());
        let statement = (disk.owner.clone(), disk.vdev);
        self.statements.entry(statement).or_default().insert(link.number, link.clone());
        if let Some(rdev) = disk.rdev() {
            tally(&mut self.reals, rdev, 1, true);
        }
        let shared = self.places.entry(disk.place.clone()).or_default();
        let first = shared.readers.is_empty() && shared.writers.is_empty();
        let row = if link.read_only { &mut shared.readers } else { &mut shared.writers };
        row.insert(link.number, link.clone());
        shared.stable += usize::from(link::is_stable(link.mode.access));
        shared.exclusive += usize::from(link::is_exclusive(link.mode.access));
        if first {
            self.count_space(disk, true);
        }
        link
    }

    /// A link is no more. Whether it was the last to its minidisk.
    pub(crate) fn remove(&mut self, link: &Link) -> bool {
        let disk = &link.disk;
        let Some(shared) = self.places.get_mut(&disk.place) else { return false };
        let row = if link.read_only { &mut shared.readers } else { &mut shared.writers };
        if row.remove(&link.number).is_none() {
            return false;
        }
        shared.stable -= usize::from(link::is_stable(link.mode.access));
        shared.exclusive -= usize::from(link::is_exclusive(link.mode.access));
        let last = shared.readers.is_empty() && shared.writers.is_empty();
        if last {
            self.places.remove(&disk.place);
            self.count_space(disk, false);
        }
        take(&mut self.users, link.userid.clone(), link.number);
        take(&mut self.statements, (disk.owner.clone(), disk.vdev), link.number);
        if let Some(rdev) = disk.rdev() {
            tally(&mut self.reals, rdev, 1, false);
        }
        last
    }

    /// The space of a minidisk is taken by its first link, and free again after its last.
    fn count_space(&mut self, disk: &Minidisk, taken: bool) {
        match disk.place {
            Place::Temporary { on: Some(at), count, .. } if taken => drop(self.temporary.insert(at, count)),
            Place::Temporary { on: Some(at), .. } => drop(self.temporary.remove(&at)),
            Place::Temporary { on: None, count, .. } => {
                let InStorage { bytes: all, units } = &mut self.in_storage;
                let (size, count) = (bytes(&disk.kind()), u64::from(count));
                (*all, *units) = if taken { (*all + size, *units + count) } else { (*all - size, *units - count) };
            }
            Place::Virtual { .. } => {
                let blocks = disk.kind().blocks();
                tally(&mut self.virtual_blocks_of, disk.owner.clone(), blocks, taken);
                self.virtual_blocks = if taken { self.virtual_blocks + blocks } else { self.virtual_blocks - blocks };
            }
            Place::Real { .. } | Place::Whole { .. } => (),
        }
    }

    /// A user's, in the order in which they were made.
    pub(crate) fn of(&self, userid: &str) -> impl Iterator<Item = &Arc<Link>> {
        self.users.get(userid).into_iter().flat_map(Row::values)
    }

    /// All users' links to what lies in a place, in the order in which they were made.
    pub(crate) fn to(&self, place: &Place) -> Vec<Arc<Link>> {
        let Some(shared) = self.places.get(place) else { return Vec::new() };
        let mut links: Vec<_> = shared.readers.values().chain(shared.writers.values()).cloned().collect();
        links.sort_by_key(|link| link.number);
        links
    }

    /// A minidisk that lies in a place, if it has a link.
    pub(crate) fn at(&self, place: &Place) -> Option<&Arc<Minidisk>> {
        let shared = self.places.get(place)?;
        let first = |row: &Row| row.first_key_value().map(|(&number, _)| number);
        let number = first(&shared.readers).into_iter().chain(first(&shared.writers)).min()?;
        shared.readers.get(&number).or(shared.writers.get(&number)).map(|link| &link.disk)
    }

    /// The minidisk of an MDISK statement, or of DEFINE, that lies where it should, if it has a link.
    pub(crate) fn statement(&self, owner: &str, vdev: u16, there: impl Fn(&Place) -> bool) -> Option<&Arc<Minidisk>> {
        let row = self.statements.get(&(owner.to_string(), vdev))?;
        row.values().map(|link| &link.disk).find(|disk| there(&disk.place))
    }

    /// The users who have links to what lies in a place.
    pub(crate) fn others(&self, place: &Place) -> Others {
        let Some(shared) = self.places.get(place) else { return Others::default() };
        let group = |row: &Row| {
            let one = row.first_key_value().map(|(_, link)| link.userid.clone()).unwrap_or_default();
            Group { count: row.len(), one }
        };
        Others {
            readers: group(&shared.readers),
            writers: group(&shared.writers),
            stable: shared.stable > 0,
            exclusive: shared.exclusive > 0,
        }
    }

    /// How many there are to a real disk and its minidisks.
    pub(crate) fn to_real(&self, rdev: u16) -> usize {
        self.reals.get(&rdev).map_or(0, |&count| count as usize)
    }

    /// The temporary space of a real disk that is taken: first units and counts, in their order.
    pub(crate) fn temporary(&self, rdev: u16) -> impl Iterator<Item = (u32, u32)> {
        self.temporary.range((rdev, 0)..=(rdev, u32::MAX)).map(|(&(_, start), &count)| (start, count))
    }

    /// Bytes and units of temporary space in the host's storage.
    pub(crate) fn temporary_in_storage(&self) -> (u64, u64) {
        (self.in_storage.bytes, self.in_storage.units)
    }

    /// Blocks of virtual disks there are, or those of one owner.
    pub(crate) fn virtual_blocks(&self, owner: Option<&str>) -> u64 {
        match owner {
            Some(owner) => self.virtual_blocks_of.get(owner).copied().unwrap_or(0),
            None => self.virtual_blocks,
        }
    }
}
