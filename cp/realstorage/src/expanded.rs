//! Expanded storage of the system, and which virtual machines have a part of it.
//!
//! It is counted in megabytes. SYSTEM CONFIG says how many there are; CP has all that no virtual machine has. A
//! [`Partition`] is one virtual machine's: its blocks have numbers from 0 on, and are zeros at first. So what one user
//! leaves there no other finds. A partition that is dropped gives its megabytes back.
//!
//! RETAIN XSTORE keeps megabytes from being attached. As long as virtual machines have too many of them, some are
//! pending: they become CP's as partitions go.

use base::Held;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use storage::Storage;

const MEGABYTE: u64 = 1 << 20;

/// How much of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// So many megabytes.
    Megabytes(u64),
    /// All that there is for the purpose.
    All,
}

/// Why a virtual machine got none.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system has none.
    #[error("the system has none")]
    Absent,
    /// There are only so many megabytes to be attached.
    #[error("only {0}M are available")]
    TooMuch(u64),
    /// The host refuses it.
    #[error("the host has no storage for it: {0}")]
    Host(#[from] io::Error),
}

/// What CP has, in megabytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct System {
    /// All that no virtual machine has.
    pub megabytes: u64,
    /// As many are kept from being attached.
    pub retained: u64,
    /// As many more will be, when virtual machines give some back.
    pub pending: u64,
}

impl System {
    /// As many may be attached.
    pub fn available(&self) -> u64 {
        self.megabytes - self.retained
    }
}

#[derive(Default)]
struct Table {
    installed: u64,
    /// RETAIN XSTORE.
    wanted: u64,
    /// The partitions, in the order in which they were made: the user ID and the megabytes of each.
    partitions: BTreeMap<u64, (String, u64)>,
    made: u64,
}

impl Table {
    fn system(&self) -> System {
        let attached: u64 = self.partitions.values().map(|(_, megabytes)| megabytes).sum();
        let megabytes = self.installed - attached;
        let retained = self.wanted.min(megabytes);
        System { megabytes, retained, pending: self.wanted - retained }
    }
}

/// The expanded storage of a system.
#[derive(Clone, Default)]
pub struct Expanded(Arc<Mutex<Table>>);

/// The part that one virtual machine has.
pub struct Partition {
    expanded: Expanded,
    number: u64,
    /// Its megabytes.
    pub megabytes: u64,
    /// Its blocks.
    pub blocks: Arc<Storage>,
}

impl Drop for Partition {
    fn drop(&mut self) {
        self.expanded.table().partitions.remove(&self.number);
    }
}

impl Expanded {
    /// So many bytes, of which whole megabytes count.
    pub fn new(bytes: u64) -> Expanded {
        Expanded(Arc::new(Mutex::new(Table { installed: bytes / MEGABYTE, ..Table::default() })))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().held()
    }

    /// How many megabytes there are.
    pub fn installed(&self) -> u64 {
        self.table().installed
    }

    /// What CP has of them.
    pub fn system(&self) -> System {
        self.table().system()
    }

    /// Which users have partitions, and their megabytes.
    pub fn owners(&self) -> Vec<(String, u64)> {
        self.table().partitions.values().cloned().collect()
    }

    /// Keeps megabytes from being attached (RETAIN XSTORE); as many as there are, if more are asked for.
    pub fn retain(&self, amount: Amount) -> System {
        let mut table = self.table();
        table.wanted = match amount {
            Amount::All => table.installed,
            Amount::Megabytes(megabytes) => megabytes.min(table.installed),
        };
        table.system()
    }

    /// A partition for a virtual machine (ATTACH XSTORE, the directory's XSTORE).
    pub fn attach(&self, userid: &str, amount: Amount) -> Result<Partition, Error> {
        let mut table = self.table();
        let available = table.system().available();
        let megabytes = match amount {
            _ if table.installed == 0 => return Err(Error::Absent),
            Amount::Megabytes(megabytes) if (1..=available).contains(&megabytes) => megabytes,
            Amount::All if available > 0 => available,
            _ => return Err(Error::TooMuch(available)),
        };
        let blocks = Arc::new(Storage::new(megabytes * MEGABYTE)?);
        table.made += 1;
        let number = table.made;
        table.partitions.insert(number, (userid.into(), megabytes));
        Ok(Partition { expanded: self.clone(), number, megabytes, blocks })
    }
}
