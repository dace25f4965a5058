//! A console (specification, chapter 5.3): a line of bytes each way.

use crate::ring::{Broken, Chain};
use crate::transport::{Cause, Model, Queues};
use arch::virtio::kind;
use base::Held;
use css::{Doorbell, Unkept};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// The queues: bytes for the program, bytes from it.
const RECEIVE: u16 = 0;
const SEND: u16 = 1;
/// Chains that are moved in one turn, each way.
const BATCH: u16 = 64;
/// The longest piece that the program sends.
const LONGEST: u64 = 64 << 10;
/// Bytes that wait, each way, at most.
pub const LINE: usize = 64 << 10;

#[derive(Default)]
struct Shared {
    to_program: VecDeque<u8>,
    from_program: VecDeque<u8>,
    /// Bytes that the program has sent and nothing has taken in time.
    lost: u64,
    bell: Option<Doorbell>,
    /// The driver takes bytes.
    runs: bool,
    /// Nothing looks at the line any more.
    closed: bool,
}

/// A console's line. It stays when the virtual machine gets other hardware.
///
/// A program waits for nothing while it writes to its console, so what nothing takes in time is lost, the oldest bytes
/// first.
#[derive(Default)]
pub struct Line {
    shared: Mutex<Shared>,
    news: Condvar,
}

impl Line {
    /// A line with nothing at its end.
    pub fn new() -> Arc<Line> {
        Arc::default()
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().held()
    }

    /// Bytes for the program; waits until there is room for them. False: the line is closed.
    pub fn send(&self, mut bytes: &[u8]) -> bool {
        let mut shared = self.lock();
        while !bytes.is_empty() {
            while shared.to_program.len() >= LINE && !shared.closed {
                shared = self.news.wait(shared).held();
            }
            if shared.closed {
                return false;
            }
            let (now, later) = bytes.split_at(bytes.len().min(LINE - shared.to_program.len()));
            shared.to_program.extend(now);
            bytes = later;
            let bell = shared.bell.clone();
            drop(shared);
            if let Some(bell) = bell {
                bell.ring();
            }
            shared = self.lock();
        }
        true
    }

    /// How many bytes for the program there is room for now.
    pub fn room(&self) -> usize {
        LINE - self.lock().to_program.len().min(LINE)
    }

    /// Waits for bytes of the program and takes them, unless `over` says that they are not wanted any more. Nothing:
    /// that, or the line is closed.
    pub fn receive(&self, over: impl Fn() -> bool) -> Vec<u8> {
        let mut shared = self.lock();
        while shared.from_program.is_empty() && !shared.closed && !over() {
            shared = self.news.wait(shared).held();
        }
        if over() { Vec::new() } else { shared.from_program.drain(..).collect() }
    }

    /// What waits looks again.
    pub fn look_again(&self) {
        // With the lock, so that none is between its look and its sleep.
        let _shared = self.lock();
        self.news.notify_all();
    }

    /// Nothing looks at the line any more.
    pub fn close(&self) {
        self.lock().closed = true;
        self.news.notify_all();
    }

    /// Whether the program uses the line, and how many bytes were lost.
    pub fn figures(&self) -> (bool, u64) {
        let shared = self.lock();
        (shared.runs, shared.lost)
    }
}

/// The model of a console.
pub struct SerialConsole {
    line: Arc<Line>,
    chain: Chain,
    bytes: Vec<u8>,
}

impl SerialConsole {
    /// The console of this line.
    pub fn new(line: Arc<Line>) -> SerialConsole {
        SerialConsole { line, chain: Chain::default(), bytes: Vec::new() }
    }

    fn take_in(&mut self, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let storage = queues.storage;
        for _ in 0..BATCH {
            if !queues.take(SEND, &mut self.chain)? {
                return queues.publish(SEND);
            }
            self.chain.read_all(storage, LONGEST, &mut self.bytes)?;
            let mut shared = self.line.lock();
            shared.from_program.extend(&self.bytes);
            let over = shared.from_program.len().saturating_sub(LINE);
            shared.from_program.drain(..over);
            shared.lost += over as u64;
            drop(shared);
            self.line.news.notify_all();
            queues.queue(SEND).put(storage, &self.chain, 0)?;
        }
        queues.again();
        queues.publish(SEND)
    }

    fn hand_out(&mut self, queues: &mut Queues<'_>) -> Result<(), Broken> {
        let storage = queues.storage;
        for _ in 0..BATCH {
            if self.line.lock().to_program.is_empty() {
                return queues.publish(RECEIVE);
            }
            if !queues.take(RECEIVE, &mut self.chain)? {
                return queues.publish(RECEIVE);
            }
            let mut shared = self.line.lock();
            let count = (self.chain.writable() as usize).min(shared.to_program.len());
            self.bytes.clear();
            self.bytes.extend(shared.to_program.drain(..count));
            drop(shared);
            self.line.news.notify_all();
            let length = self.chain.write(storage, 0, &self.bytes)?;
            queues.queue(RECEIVE).put(storage, &self.chain, length as u32)?;
        }
        queues.again();
        queues.publish(RECEIVE)
    }
}

impl Model for SerialConsole {
    fn kind(&self) -> u8 {
        kind::CONSOLE
    }

    fn queues(&self) -> &'static [u16] {
        &[64, 64]
    }

    fn config(&self) -> Vec<u8> {
        // Columns, rows and ports come with features that it has not; and there is no emergency write.
        vec![0; 12]
    }

    fn attached(&mut self, bell: &Doorbell) {
        self.line.lock().bell = Some(bell.clone());
    }

    fn start(&mut self, _: u64) {
        self.line.lock().runs = true;
    }

    fn stop(&mut self) {
        self.line.lock().runs = false;
    }

    fn checkpoint(&self) -> Result<Value, Unkept> {
        Ok(Value::Null)
    }

    fn serve(&mut self, _: Cause, queues: &mut Queues<'_>) -> Result<(), Broken> {
        self.take_in(queues)?;
        self.hand_out(queues)
    }
}
