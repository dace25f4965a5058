//! The device of sockets between the program and its host: queues of packets.

use crate::ring::{Broken, Chain};
use crate::sockets::Sockets;
use crate::transport::{Cause, Model, Queues};
use arch::virtio::{SocketHeader, kind};
use base::Held;
use base::layout::little::U64;
use css::{Doorbell, Unkept};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard};
use zerocopy::{FromBytes, IntoBytes};

/// The queues: packets for the program, packets from it. There are no events that the third queue would take.
const RECEIVE: u16 = 0;
const SEND: u16 = 1;
/// Packets that are moved at once, each way.
const BATCH: u16 = 256;
/// The longest packet: what Linux sends is shorter.
const LONGEST: u64 = 128 << 10;
/// The bytes before the data.
const HEAD: usize = size_of::<SocketHeader>();

/// Wakes what has the host's sockets.
type Wake = Box<dyn Fn() + Send>;

struct Shared {
    sockets: Sockets,
    bell: Option<Doorbell>,
    wake: Option<Wake>,
    /// The program has packets that wait until the host has looked at events.
    held_up: bool,
}

/// What a device of sockets and the host's sockets share. It stays when the virtual machine gets other hardware.
pub struct Hub {
    guest: u32,
    shared: Mutex<Shared>,
}

impl Hub {
    /// The hub of the program with this address.
    pub fn new(guest: u32) -> Arc<Hub> {
        let shared = Mutex::new(Shared { sockets: Sockets::new(guest), bell: None, wake: None, held_up: false });
        Arc::new(Hub { guest, shared })
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().held()
    }

    /// `wake` is called when there are events.
    pub fn on_events(&self, wake: impl Fn() + Send + 'static) {
        self.lock().wake = Some(Box::new(wake));
    }

    /// The host's side looks at the connections and changes them. The device sends what came of it.
    pub fn with<T>(&self, look: impl FnOnce(&mut Sockets) -> T) -> T {
        let mut shared = self.lock();
        let result = look(&mut shared.sockets);
        let goes_on = shared.sockets.has_packets() || shared.held_up && !shared.sockets.is_busy();
        let bell = shared.bell.clone().filter(|_| goes_on);
        drop(shared);
        if let Some(bell) = bell {
            bell.ring();
        }
        result
    }
}

/// The model of such a device.
pub struct SocketDevice {
    hub: Arc<Hub>,
    chain: Chain,
    bytes: Vec<u8>,
    /// More packets of the program than one turn takes.
    unfinished: bool,
}

impl SocketDevice {
    /// The device at this hub.
    pub fn new(hub: Arc<Hub>) -> SocketDevice {
        SocketDevice { hub, chain: Chain::default(), bytes: Vec::new(), unfinished: false }
    }

    /// Takes the program's packets.
    fn take_in(&mut self, sockets: &mut Sockets, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let storage = queues.storage;
        self.unfinished = false;
        for _ in 0..BATCH {
            if sockets.is_busy() {
                break;
            }
            if !queues.take(SEND, &mut self.chain)? {
                return queues.publish(SEND);
            }
            self.chain.read_all(storage, LONGEST, &mut self.bytes)?;
            let (header, data) = SocketHeader::ref_from_prefix(&self.bytes).map_err(|_| Broken)?;
            sockets.packet(header, data.get(..header.length.get() as usize).ok_or(Broken)?);
            queues.queue(SEND).put(storage, &self.chain, 0)?;
        }
        self.unfinished = true;
        queues.publish(SEND)
    }

    /// Hands out packets for the program.
    fn hand_out(&mut self, sockets: &mut Sockets, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let storage = queues.storage;
        for _ in 0..BATCH {
            if !sockets.has_packets() {
                return queues.publish(RECEIVE);
            }
            if !queues.take(RECEIVE, &mut self.chain)? {
                return queues.publish(RECEIVE);
            }
            let room = self.chain.writable().checked_sub(HEAD as u64 + 1).ok_or(Broken)? as usize + 1;
            let Some(header) = sockets.next(room, &mut self.bytes) else {
                queues.queue(RECEIVE).give_back(1);
                return queues.publish(RECEIVE);
            };
            self.chain.write(storage, 0, header.as_bytes())?;
            self.chain.write(storage, HEAD as u64, &self.bytes)?;
            queues.queue(RECEIVE).put(storage, &self.chain, (HEAD + self.bytes.len()) as u32)?;
        }
        queues.again();
        queues.publish(RECEIVE)
    }
}

impl Model for SocketDevice {
    fn kind(&self) -> u8 {
        kind::SOCKETS
    }

    fn queues(&self) -> &'static [u16] {
        &[128, 128, 16]
    }

    fn config(&self) -> Vec<u8> {
        U64::new(self.hub.guest.into()).as_bytes().to_vec()
    }

    fn attached(&mut self, bell: &Doorbell) {
        self.hub.lock().bell = Some(bell.clone());
        self.stop();
    }

    fn stop(&mut self) {
        self.unfinished = false;
        let mut shared = self.hub.lock();
        shared.sockets.clear();
        if let Some(wake) = shared.wake.as_ref().filter(|_| shared.sockets.has_events()) {
            wake();
        }
    }

    fn checkpoint(&self) -> Result<Value, Unkept> {
        match self.hub.lock().sockets.count() {
            0 => Ok(Value::Null),
            _ => Err(Unkept::Never("connections by --vsock are open: end them first")),
        }
    }

    fn serve(&mut self, cause: Cause, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let hub = self.hub.clone();
        let mut shared = hub.lock();
        if cause == Cause::Notified(SEND) || self.unfinished {
            self.take_in(&mut shared.sockets, queues)?;
        }
        self.hand_out(&mut shared.sockets, queues)?;
        shared.held_up = self.unfinished;
        if self.unfinished && !shared.sockets.is_busy() {
            queues.again();
        }
        if let Some(wake) = shared.wake.as_ref().filter(|_| shared.sockets.has_events()) {
            wake();
        }
        Ok(())
    }
}
