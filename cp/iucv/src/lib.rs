//! IUCV: paths between virtual machines, and between virtual machines and CP's own services, and the messages on them.
//!
//! This is IUCV without the instruction: a table of members (logged-on virtual machines), each with its buffers, its
//! ends of paths and what is pending for it. A function takes the parameter list of the program that performs it and
//! changes it as the program will find it. The instruction itself, with the fetching and storing, is CP's.
//!
//! * `path`: CONNECT, ACCEPT, SEVER, QUIESCE, RESUME and which users may connect to which.
//! * `message`: SEND, RECEIVE, REPLY, REJECT, PURGE and the tests.
//! * `service`: CP's ends of paths: *MSG and the like; `records`: *ACCOUNT, *LOGREC, *SYMPTOM; `block`: *BLOCKIO;
//!   `monitor`: *MONITOR; `server`: services that answer.
//! * `area`: where data lie.
//!
//! A message stays in the receiver's end of its path until it is complete, and its completion with the sender until it
//! is taken; all that time it counts against the sender's limit, so a guest that looks at nothing fills no more than
//! its limits.

pub mod area;
pub mod block;
mod checkpoint;
mod list;
mod message;
mod monitor;
mod path;
pub mod records;
pub mod server;
pub mod service;
#[cfg(test)]
mod tests;

pub use checkpoint::Checkpoint;
pub use list::{LENGTH, List};

use area::Area;
use directory::User;
use records::Records;
use serde::{Deserialize, Serialize};
use server::{Asked, Server};
use service::Service;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex};

/// IUCV of a whole system. Its lock is below a console's and above that of the tables of disks; nothing is called with
/// it but [`Ring`]s and a [`Server`].
pub type Shared<D> = Arc<Mutex<Iucv<D>>>;

/// Has a virtual CPU look for an IUCV interruption. May be called with anything locked.
pub type Ring = Box<dyn Fn(u16) + Send + Sync>;

/// What a function comes to: a condition code, or a return code (IPRCODE) with condition code 1.
pub type Answer = Result<u8, u8>;

/// Return codes (IPRCODE).
pub mod code {
    /// There is no such path.
    pub const INVALID_PATH: u8 = 0x01;
    /// The path is quiesced.
    pub const QUIESCED: u8 = 0x02;
    /// As many messages are outstanding as the path allows.
    pub const MESSAGE_LIMIT: u8 = 0x03;
    /// The path does not allow priority messages.
    pub const NO_PRIORITY: u8 = 0x04;
    /// The buffer is too short for the message or the reply.
    pub const TOO_SHORT: u8 = 0x05;
    /// Storage of the program or of the sender does not have the address.
    pub const ADDRESSING: u8 = 0x07;
    /// The message is there, but in another class or on another path.
    pub const MISMATCH: u8 = 0x08;
    /// A length is negative.
    pub const NEGATIVE_LENGTH: u8 = 0x0a;
    /// The user to connect to is not logged on.
    pub const NOT_LOGGED_ON: u8 = 0x0b;
    /// No buffer is declared: the issuer's, or that of the user to connect to.
    pub const NO_BUFFER: u8 = 0x0c;
    /// The issuer has as many paths as it may have.
    pub const OWN_PATHS: u8 = 0x0d;
    /// The user to connect to has as many paths as it may have; of a service or resource, it is taken.
    pub const TARGET_PATHS: u8 = 0x0e;
    /// The directory authorises no such path.
    pub const NOT_AUTHORISED: u8 = 0x0f;
    /// There is no system service of this name.
    pub const NO_SERVICE: u8 = 0x10;
    /// A buffer is declared already.
    pub const BUFFER_EXISTS: u8 = 0x13;
    /// The other end has severed the path.
    pub const SEVERED: u8 = 0x14;
    /// The path takes no data in parameter lists.
    pub const NO_PARAMETER_DATA: u8 = 0x15;
    /// The list of buffers cannot be used.
    pub const BAD_LIST: u8 = 0x16;
    /// A length in the list of buffers is negative.
    pub const NEGATIVE_ENTRY: u8 = 0x17;
    /// The lengths in the list are not those of the whole.
    pub const WRONG_SUM: u8 = 0x18;
    /// Data in the parameter list, and a list of buffers, were asked for at once.
    pub const DATA_AND_LIST: u8 = 0x1a;
}

/// The flag byte (IPFLAGS1) of the functions.
pub mod flag {
    /// The data are in the parameter list; of a path: may be.
    pub const PARAMETER_DATA: u8 = 0x80;
    /// SEVER, QUIESCE, RESUME: all paths.
    pub const ALL: u8 = 0x80;
    /// IPBUFLST: the address is of a list of buffers.
    pub const BUFFER_LIST: u8 = 0x40;
    /// CONNECT, ACCEPT: the path begins quiesced.
    pub const QUIESCE: u8 = 0x40;
    /// IPPRTY: a priority message; of a path: it takes them.
    pub const PRIORITY: u8 = 0x20;
    /// IPNORPY: no reply is wanted.
    pub const ONE_WAY: u8 = 0x10;
    /// IPANSLST: the address for the answer is of a list of buffers.
    pub const ANSWER_LIST: u8 = 0x08;
    /// A message is named by its number, path, class.
    pub const BY_MESSAGE: u8 = 0x04;
    /// A message is named by its path.
    pub const BY_PATH: u8 = 0x02;
    /// A message is named by its class.
    pub const BY_CLASS: u8 = 0x01;
}

/// The masks of SET MASK and SET CONTROL MASK.
pub mod mask {
    /// Messages that are not priority messages.
    pub const MESSAGES: u8 = 0x80;
    /// Priority messages.
    pub const PRIORITY_MESSAGES: u8 = 0x40;
    /// Completions of messages that are not priority messages.
    pub const COMPLETIONS: u8 = 0x20;
    /// Completions of priority messages.
    pub const PRIORITY_COMPLETIONS: u8 = 0x10;
    /// Interruptions about paths.
    pub const CONTROL: u8 = 0x08;
    /// All of them.
    pub const ALL: u8 = 0xf8;
}

/// The types of interruptions (IPTYPE).
pub mod kind {
    /// Another virtual machine asks for a path.
    pub const CONNECTION_PENDING: u8 = 0x01;
    /// A path that was asked for is there.
    pub const CONNECTION_COMPLETE: u8 = 0x02;
    /// The other end has severed a path.
    pub const SEVERED: u8 = 0x03;
    /// The other end has quiesced a path.
    pub const QUIESCED: u8 = 0x04;
    /// The other end has resumed a path.
    pub const RESUMED: u8 = 0x05;
    /// A priority message is complete.
    pub const PRIORITY_COMPLETION: u8 = 0x06;
    /// A message is complete.
    pub const COMPLETION: u8 = 0x07;
    /// A priority message has come.
    pub const PRIORITY_MESSAGE: u8 = 0x08;
    /// A message has come.
    pub const MESSAGE: u8 = 0x09;
}

/// What a message has come to (IPAUDIT).
pub mod audit {
    /// The reply was longer than the room for it.
    pub const REPLY_TOO_LONG: u32 = 0x80_0000;
    /// The sender's buffer could not be read.
    pub const SEND_BUFFER: u32 = 0x20_0000;
    /// The sender's buffer for the answer could not be written.
    pub const ANSWER_BUFFER: u32 = 0x08_0000;
    /// The receiver has rejected the message.
    pub const REJECTED: u32 = 0x04_0000;
}

/// The function codes.
pub mod function {
    /// How large the buffer is, and how many paths there may be.
    pub const QUERY: u32 = 0x00;
    /// Whether messages or completions are pending.
    pub const TEST_MESSAGE: u32 = 0x01;
    /// Gives the buffer back; with the last one the paths go, too.
    pub const RETRIEVE_BUFFER: u32 = 0x02;
    /// The next message that has not been announced.
    pub const DESCRIBE: u32 = 0x03;
    /// A message for the other end of a path.
    pub const SEND: u32 = 0x04;
    /// Moves a message to a buffer.
    pub const RECEIVE: u32 = 0x05;
    /// Answers a message, which is then complete.
    pub const REPLY: u32 = 0x06;
    /// What a message of one's own has come to.
    pub const TEST_COMPLETION: u32 = 0x07;
    /// Refuses a message, which is then complete.
    pub const REJECT: u32 = 0x08;
    /// Takes back a message that is not complete.
    pub const PURGE: u32 = 0x09;
    /// Agrees to a path that another has asked for.
    pub const ACCEPT: u32 = 0x0a;
    /// Asks for a path to a user, a resource or a service.
    pub const CONNECT: u32 = 0x0b;
    /// Names the buffer for interruptions.
    pub const DECLARE_BUFFER: u32 = 0x0c;
    /// No messages on a path for now.
    pub const QUIESCE: u32 = 0x0d;
    /// Messages again on a path that was quiesced.
    pub const RESUME: u32 = 0x0e;
    /// Ends one path, or all of them.
    pub const SEVER: u32 = 0x0f;
    /// Which interruptions are taken: of messages, of completions, about paths.
    pub const SET_MASK: u32 = 0x10;
    /// Which interruptions about paths are taken.
    pub const SET_CONTROL_MASK: u32 = 0x11;
}

/// The buffer that a virtual CPU has declared, and which interruptions it takes.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Buffer {
    address: u32,
    mask: u8,
    control: u8,
}

/// The other end of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Peer {
    Member(u32, u16),
    Service(Service),
}

/// The disk at the other end of a path to *BLOCKIO.
pub trait Disk {
    /// What it is a part of: a disk has one path.
    type Device: ?Sized;

    /// The device, by which two paths to one disk are told.
    fn device(&self) -> &Arc<Self::Device>;
    /// Its first and its last block, as the program counts them.
    fn extent(&self) -> (u32, u32);
    /// Whether the disk may only be read.
    fn is_read_only(&self) -> bool;
}

/// The disk of a system that has none for *BLOCKIO: there is no value of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoDisk {}

impl Disk for NoDisk {
    type Device = ();

    fn device(&self) -> &Arc<()> {
        match *self {}
    }

    fn extent(&self) -> (u32, u32) {
        match *self {}
    }

    fn is_read_only(&self) -> bool {
        match *self {}
    }
}

/// How far a path is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The other end has asked for it, and it has not been accepted here.
    Asked,
    /// It was asked for here, and has not been accepted there.
    Asking,
    Open,
    /// The other end has severed it; it is here until it is severed here.
    Severed,
}

/// One end of a path.
struct Path<D> {
    peer: Peer,
    stage: Stage,
    /// How many messages sent from here may be on their way or not yet seen to be complete, and how many are.
    limit: u16,
    outstanding: u16,
    priority: bool,
    /// This end takes messages and replies in parameter lists.
    takes_parameter_data: bool,
    /// This end takes no messages now.
    quiesced: bool,
    /// Messages for this end, by number.
    incoming: BTreeMap<u32, Message>,
    /// The disk at the other end, if that is *BLOCKIO.
    block: Option<Arc<D>>,
    /// Which of all paths to a server it is, and the messages that it has not answered, by number.
    serial: u64,
    asked: BTreeMap<u32, Asked>,
}

/// What a message says.
enum Data {
    Parameter([u8; 8]),
    Area(Area),
    Control(Vec<u8>),
}

impl Data {
    fn length(&self) -> u32 {
        match self {
            Data::Parameter(_) => 8,
            Data::Area(area) => area.length,
            Data::Control(bytes) => bytes.len() as u32,
        }
    }
}

/// A message that is not complete.
struct Message {
    order: u64,
    priority: bool,
    one_way: bool,
    class: u32,
    source_class: u32,
    tag: u32,
    data: Data,
    /// Bytes that have been received, and whether that is all.
    received: u32,
    is_received: bool,
    answer: Option<Area>,
    /// The sender's answer area has this many bytes.
    answer_length: u32,
}

/// A message that is complete, for its sender.
struct Completion {
    path: u16,
    id: u32,
    audit: u32,
    reply: Option<[u8; 8]>,
    source_class: u32,
    tag: u32,
    residual: u32,
    one_way: bool,
}

/// A logged-on virtual machine.
struct Member<D> {
    user: Arc<User>,
    ring: Ring,
    buffers: BTreeMap<u16, Buffer>,
    paths: BTreeMap<u16, Path<D>>,
    /// Interruptions about paths, whole.
    control: VecDeque<List>,
    /// Messages that have not been announced, in their order: path and number. Those with priority are second.
    messages: [BTreeMap<u64, (u16, u32)>; 2],
    completions: [BTreeMap<u64, Completion>; 2],
    /// How many bytes of its messages a server has not answered.
    waiting: usize,
}

impl<D> Member<D> {
    fn most_paths(&self) -> u16 {
        self.user.options.max_connections
    }

    /// A path number that is free.
    fn free_path(&self) -> Option<u16> {
        (0..self.most_paths()).find(|path| !self.paths.contains_key(path))
    }

    /// Whether something is pending that a buffer's masks let through.
    fn is_pending(&self, buffer: &Buffer) -> bool {
        self.pending(buffer).is_some()
    }

    fn pending(&self, buffer: &Buffer) -> Option<Pending> {
        let open = |bit| buffer.mask & bit != 0;
        if open(mask::CONTROL)
            && let Some(n) = self.control.iter().position(|list| buffer.control >> (8 - list.kind()) & 1 != 0)
        {
            return Some(Pending::Control(n));
        }
        let first = |map: &BTreeMap<u64, _>| map.first_key_value().map(|(&order, _)| order);
        let completion = |n: usize| self.completions[n].first_key_value().map(|(&order, _)| order);
        match () {
            () if open(mask::PRIORITY_COMPLETIONS) && completion(1).is_some() => {
                completion(1).map(|order| Pending::Completion(1, order))
            }
            () if open(mask::PRIORITY_MESSAGES) && first(&self.messages[1]).is_some() => {
                first(&self.messages[1]).map(|order| Pending::Message(1, order))
            }
            () if open(mask::COMPLETIONS) && completion(0).is_some() => {
                completion(0).map(|order| Pending::Completion(0, order))
            }
            () if open(mask::MESSAGES) => first(&self.messages[0]).map(|order| Pending::Message(0, order)),
            () => None,
        }
    }

    /// Has the virtual CPUs look that would find something.
    fn tell(&self) {
        for (&cpu, buffer) in &self.buffers {
            if self.is_pending(buffer) {
                (self.ring)(cpu);
            }
        }
    }
}

/// The next interruption.
enum Pending {
    Control(usize),
    Completion(usize, u64),
    Message(usize, u64),
}

/// An interruption to be presented: what is stored, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interruption {
    /// The parameter list that is stored.
    pub list: List,
    /// The real address of the buffer.
    pub buffer: u32,
    /// There is another one for the same virtual CPU.
    pub more: bool,
}

/// IUCV of a system, with `D` for the disks that *BLOCKIO connects to.
pub struct Iucv<D> {
    members: HashMap<u32, Member<D>>,
    names: HashMap<String, u32>,
    /// *IDENT: which member owns which resource, and by which path.
    resources: HashMap<String, (u32, u16)>,
    records: Records,
    /// What answers *TCPIP, and how many bytes of messages for it there may be.
    server: Option<Arc<dyn Server>>,
    bounds: server::Bounds,
    waiting: usize,
    next_message: u32,
    next_order: u64,
}

impl<D> Default for Iucv<D> {
    fn default() -> Iucv<D> {
        Iucv {
            members: HashMap::new(),
            names: HashMap::new(),
            resources: HashMap::new(),
            records: Records::default(),
            server: None,
            bounds: server::Bounds::default(),
            waiting: 0,
            next_message: 0,
            next_order: 0,
        }
    }
}

impl<D: Disk> Iucv<D> {
    /// A virtual machine is there: `id` is its number, `ring` how its virtual CPUs are told.
    pub fn enter(&mut self, id: u32, user: Arc<User>, ring: Ring) {
        self.names.insert(user.userid.clone(), id);
        let member = Member {
            user,
            ring,
            buffers: BTreeMap::new(),
            paths: BTreeMap::new(),
            control: VecDeque::new(),
            messages: Default::default(),
            completions: Default::default(),
            waiting: 0,
        };
        self.members.insert(id, member);
    }

    /// A virtual machine has logged off.
    pub fn leave(&mut self, id: u32) {
        self.reset(id);
        if let Some(member) = self.members.remove(&id)
            && self.names.get(&member.user.userid) == Some(&id)
        {
            self.names.remove(&member.user.userid);
        }
    }

    /// A virtual machine was reset: its buffers are gone and its paths are severed.
    pub fn reset(&mut self, id: u32) {
        let Some(member) = self.members.get_mut(&id) else { return };
        member.buffers.clear();
        let paths: Vec<u16> = member.paths.keys().copied().collect();
        for path in paths {
            self.sever_one(id, path, [0; 16]);
        }
        if let Some(member) = self.members.get_mut(&id) {
            member.control.clear();
        }
    }

    fn member(&mut self, id: u32) -> Option<&mut Member<D>> {
        self.members.get_mut(&id)
    }

    fn path(&mut self, id: u32, path: u16) -> Option<&mut Path<D>> {
        self.members.get_mut(&id)?.paths.get_mut(&path)
    }

    fn tell(&self, id: u32) {
        if let Some(member) = self.members.get(&id) {
            member.tell();
        }
    }

    fn order(&mut self) -> u64 {
        self.next_order += 1;
        self.next_order
    }

    /// The number of a new message: never 0, and none that is in use for long.
    fn message_number(&mut self) -> u32 {
        self.next_message = self.next_message.wrapping_add(1).max(1);
        self.next_message
    }

    /// Whether a virtual machine has declared a buffer, for one virtual CPU or for any.
    pub fn has_buffer(&self, id: u32, cpu: Option<u16>) -> bool {
        self.members.get(&id).is_some_and(|member| match cpu {
            Some(cpu) => member.buffers.contains_key(&cpu),
            None => !member.buffers.is_empty(),
        })
    }

    /// DECLARE BUFFER: the real address of 40 bytes for interruptions that virtual CPU `cpu` takes.
    pub fn declare(&mut self, id: u32, cpu: u16, address: u32) -> Answer {
        let Some(member) = self.member(id) else { return Err(code::NO_BUFFER) };
        if member.buffers.contains_key(&cpu) {
            return Err(code::BUFFER_EXISTS);
        }
        member.buffers.insert(cpu, Buffer { address, mask: mask::ALL, control: mask::ALL });
        member.tell();
        Ok(0)
    }

    /// RETRIEVE BUFFER: with the last one of a virtual machine its paths go, too.
    pub fn retrieve(&mut self, id: u32, cpu: u16) -> Answer {
        let Some(member) = self.member(id) else { return Err(code::NO_BUFFER) };
        member.buffers.remove(&cpu).ok_or(code::NO_BUFFER)?;
        if member.buffers.is_empty() {
            self.reset(id);
        }
        Ok(0)
    }

    /// SET MASK, or with `control` SET CONTROL MASK.
    pub fn set_mask(&mut self, id: u32, cpu: u16, mask: u8, control: bool) -> Answer {
        let buffer = self.member(id).and_then(|member| member.buffers.get_mut(&cpu)).ok_or(code::NO_BUFFER)?;
        *(if control { &mut buffer.control } else { &mut buffer.mask }) = mask & mask::ALL;
        self.tell(id);
        Ok(0)
    }

    /// Whether an interruption waits for a virtual CPU.
    pub fn is_pending(&self, id: u32, cpu: u16) -> bool {
        let member = self.members.get(&id);
        member.is_some_and(|member| member.buffers.get(&cpu).is_some_and(|buffer| member.is_pending(buffer)))
    }

    /// The next interruption for a virtual CPU; it is no longer pending.
    pub fn take(&mut self, id: u32, cpu: u16) -> Option<Interruption> {
        let member = self.members.get_mut(&id)?;
        let buffer = member.buffers.get(&cpu)?;
        let address = buffer.address;
        let list = match member.pending(buffer)? {
            Pending::Control(n) => member.control.remove(n)?,
            Pending::Completion(priority, order) => self.take_completion(id, priority, order)?,
            Pending::Message(priority, order) => self.present(id, priority, order)?,
        };
        let member = self.members.get(&id)?;
        let more = member.buffers.get(&cpu).is_some_and(|buffer| member.is_pending(buffer));
        Some(Interruption { list, buffer: address, more })
    }
}
