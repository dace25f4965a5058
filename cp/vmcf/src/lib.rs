//! VMCF, the Virtual Machine Communication Facility: messages between virtual machines without paths.
//!
//! This is VMCF without the instruction: a table of members (logged-on virtual machines) and of messages. The source of
//! a message numbers it, the sink gets an interruption and moves the data, and the source gets another one, the
//! response. Subfunctions and codes are those of the VM/SP System Programmer's Guide (SC19-6203). How storage is read
//! and written is [`Space`], which CP knows.
//!
//! * `message`: SEND, SEND/RECV, SENDX, IDENTIFY, RECEIVE, REPLY, REJECT, CANCEL, and SMSG.
//! * `interruption`: what is presented, and in which order.
//!
//! A message counts against its source's limit until the source has got the response. So what waits for a program
//! that never looks is limited.

mod interruption;
mod message;
#[cfg(test)]
mod tests;

pub use interruption::Interruption;

use arch::vmcf::{Header, Parameters, function, option, status};
use std::collections::{HashMap, VecDeque};
use zerocopy::FromZeros;

/// VMCF of a whole system. Its lock is beside IUCV's: nothing else is locked with it, and nothing is called with it but
/// [`Ring`]s and [`Space`]s.
pub type Shared<S> = std::sync::Arc<std::sync::Mutex<Vmcf<S>>>;

/// Has the virtual CPUs look for a VMCF interruption. May be called with anything locked.
pub type Ring = Box<dyn Fn() + Send + Sync>;

/// How many messages of a source may be active.
pub const MOST: usize = 50;

/// How long the text of SMSG may be.
pub const SPECIAL_MOST: usize = 256;

/// So many bytes are moved at a time.
const PIECE: usize = 4096;

/// What DIAGNOSE X'68' leaves in Ry, and a response in VMCMEFLG.
pub mod code {
    /// It is done, or has begun.
    pub const DONE: u8 = 0;
    /// An address or a length is wrong.
    pub const ADDRESS: u8 = 1;
    /// There is no such subfunction.
    pub const FUNCTION: u8 = 2;
    /// The protocol has no such thing now: a second RECEIVE, a REPLY to SEND.
    pub const PROTOCOL: u8 = 3;
    /// The issuer has not said AUTHORIZE.
    pub const NOT_AUTHORIZED: u8 = 4;
    /// The other user is not there, has not said AUTHORIZE, or wants messages of another one.
    pub const NOT_AVAILABLE: u8 = 5;
    /// The storage key does not allow it.
    pub const PROTECTION: u8 = 6;
    /// SENDX: the other end's buffer is too short.
    pub const TOO_LARGE: u8 = 7;
    /// A message of this number for this user is active.
    pub const DUPLICATE: u8 = 8;
    /// The other end has said QUIESCE.
    pub const QUIESCED: u8 = 9;
    /// As many messages are active as may be.
    pub const LIMIT: u8 = 10;
    /// CANCEL came between RECEIVE and REPLY.
    pub const REPLY_CANCELED: u8 = 11;
    /// There is no such message.
    pub const NO_MESSAGE: u8 = 12;
    /// The interruption for the message has not come yet.
    pub const TOO_EARLY: u8 = 13;
    /// CANCEL came too late.
    pub const TOO_LATE: u8 = 14;
    /// The data are longer than the room for them.
    pub const LENGTH: u8 = 16;
    /// Both areas are in one storage, and overlap.
    pub const OVERLAP: u8 = 17;
    /// The other end takes no priority messages.
    pub const NO_PRIORITY: u8 = 18;
    /// The source's buffer for the reply cannot be written.
    pub const REPLY_BUFFER: u8 = 19;
}

/// Why storage cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unusable {
    /// Some of it is not there.
    Addressing,
    /// Its key is another one.
    Protection,
}

impl Unusable {
    fn code(self) -> u8 {
        match self {
            Unusable::Addressing => code::ADDRESS,
            Unusable::Protection => code::PROTECTION,
        }
    }
}

/// A program's storage, as it was when the program named it: with its prefix and the key of its PSW.
pub trait Space: Clone {
    /// Reads real storage.
    fn fetch(&self, at: u32, to: &mut [u8]) -> Result<(), Unusable>;
    /// Writes real storage.
    fn store(&self, at: u32, from: &[u8]) -> Result<(), Unusable>;
    /// Whether all of an area can be read, and if `store` written.
    fn check(&self, at: u32, length: u32, store: bool) -> Result<(), Unusable>;
}

/// What AUTHORIZE has said.
struct Authorized<S> {
    space: S,
    buffer: u32,
    length: u32,
    specific: Option<[u8; 8]>,
    priority: bool,
}

/// A logged-on virtual machine.
struct Member<S> {
    user: [u8; 8],
    ring: Ring,
    authorized: Option<Authorized<S>>,
    quiesced: bool,
    /// Interruptions that it has not got, those of priority messages in front.
    waiting: VecDeque<Waiting>,
}

/// An interruption to come.
struct Waiting {
    priority: bool,
    what: What,
}

enum What {
    /// A message has come.
    Send(u64),
    /// A message is over; it is active until this is taken.
    Response(u64, Header),
    /// SMSG: the user who said it, and the text.
    Special([u8; 8], Vec<u8>),
}

/// How far a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The sink has not got the interruption.
    Waiting,
    /// It has.
    Presented,
    /// SEND/RECV: it has said RECEIVE.
    Received,
    /// The response waits for the source.
    Over,
}

/// An active message.
struct Message<S> {
    source: u32,
    sink: u32,
    list: Parameters,
    space: S,
    stage: Stage,
    /// How much of the data has been moved.
    moved: u32,
}

/// VMCF of a system.
pub struct Vmcf<S> {
    members: HashMap<u32, Member<S>>,
    messages: HashMap<u64, Message<S>>,
    next: u64,
}

impl<S> Default for Vmcf<S> {
    fn default() -> Vmcf<S> {
        Vmcf { members: HashMap::new(), messages: HashMap::new(), next: 0 }
    }
}

impl<S: Space> Vmcf<S> {
    /// A virtual machine is there: `id` is its number, `ring` how its virtual CPUs are told.
    pub fn enter(&mut self, id: u32, user: [u8; 8], ring: Ring) {
        let waiting = VecDeque::new();
        self.members.insert(id, Member { user, ring, authorized: None, quiesced: false, waiting });
    }

    /// A virtual machine has logged off.
    pub fn leave(&mut self, id: u32) {
        self.reset(id);
        self.members.remove(&id);
    }

    /// A virtual machine was reset: VMCF is not used there any more. The sources of messages that wait for it get
    /// their responses.
    pub fn reset(&mut self, id: u32) {
        let Some(member) = self.members.get_mut(&id) else { return };
        member.authorized = None;
        member.quiesced = false;
        member.waiting.clear();
        self.messages.retain(|_, message| message.source != id);
        self.refuse(|message| message.sink == id);
        for member in self.members.values_mut() {
            member.waiting.retain(|waiting| match waiting.what {
                What::Send(number) => self.messages.contains_key(&number),
                What::Response(..) | What::Special(..) => true,
            });
        }
    }

    /// Messages whose sink is not available any more: their sources are told.
    fn refuse(&mut self, which: impl Fn(&Message<S>) -> bool) {
        let active = |message: &Message<S>| message.stage != Stage::Over && which(message);
        let mut gone: Vec<u64> = self.messages.iter().filter(|(_, m)| active(m)).map(|(&number, _)| number).collect();
        gone.sort_unstable();
        for number in gone {
            self.respond(number, code::NOT_AVAILABLE, 0, None);
        }
    }

    /// Performs the subfunction of `list` for virtual machine `id`; the return code.
    pub fn perform(&mut self, id: u32, list: &Parameters, space: S) -> u8 {
        self.performed(id, list, space).map_or_else(|code| code, |()| code::DONE)
    }

    fn performed(&mut self, id: u32, list: &Parameters, space: S) -> Result<(), u8> {
        let wanted = list.function.get();
        if wanted > function::REJECT {
            return Err(code::FUNCTION);
        }
        if wanted == function::AUTHORIZE {
            return self.authorize(id, list, space);
        }
        let member = self.members.get_mut(&id).filter(|member| member.authorized.is_some());
        let member = member.ok_or(code::NOT_AUTHORIZED)?;
        match wanted {
            function::UNAUTHORIZE => self.reset(id),
            function::QUIESCE => member.quiesced = true,
            function::RESUME => member.quiesced = false,
            function::RECEIVE => return self.receive(id, list, &space),
            function::CANCEL => return self.cancel(id, list),
            function::REPLY => return self.reply(id, list, &space),
            function::REJECT => return self.reject(id, list),
            _ => return self.send(id, list, space),
        }
        Ok(())
    }

    fn authorize(&mut self, id: u32, list: &Parameters, space: S) -> Result<(), u8> {
        let (buffer, length) = (list.address.get(), list.length.get());
        if !buffer.is_multiple_of(8) || (length as usize) < size_of::<Header>() {
            return Err(code::ADDRESS);
        }
        space.check(buffer, length, true).map_err(Unusable::code)?;
        let member = self.members.get_mut(&id).ok_or(code::NOT_AUTHORIZED)?;
        let specific = (list.flags & option::SPECIFIC != 0).then_some(list.user);
        let priority = list.flags & option::PRIORITY != 0;
        member.authorized = Some(Authorized { space, buffer, length, specific, priority });
        if let Some(user) = specific {
            // Messages of others that wait are not taken any more.
            let others: Vec<u32> = self.members.iter().filter(|(_, m)| m.user != user).map(|(&id, _)| id).collect();
            self.refuse(|message| {
                message.sink == id && message.stage == Stage::Waiting && others.contains(&message.source)
            });
            self.forget_over(id);
        }
        Ok(())
    }

    /// Interruptions of messages that are over do not come any more.
    fn forget_over(&mut self, id: u32) {
        let messages = &self.messages;
        if let Some(member) = self.members.get_mut(&id) {
            member.waiting.retain(|waiting| match waiting.what {
                What::Send(number) => messages.get(&number).is_some_and(|message| message.stage == Stage::Waiting),
                What::Response(..) | What::Special(..) => true,
            });
        }
    }

    /// Whether a program of the virtual machine uses VMCF.
    pub fn is_authorized(&self, id: u32) -> bool {
        self.members.get(&id).is_some_and(|member| member.authorized.is_some())
    }

    fn user(&self, id: u32) -> [u8; 8] {
        self.members.get(&id).map_or_else(FromZeros::new_zeroed, |member| member.user)
    }

    /// The virtual machine of this user.
    fn find(&self, user: [u8; 8]) -> Option<u32> {
        self.members.iter().find(|(_, member)| member.user == user).map(|(&id, _)| id)
    }

    /// Has an interruption wait for a virtual machine.
    fn wait(&mut self, id: u32, priority: bool, what: What) {
        let Some(member) = self.members.get_mut(&id) else { return };
        let at = match priority {
            true => member.waiting.iter().position(|waiting| !waiting.priority).unwrap_or(member.waiting.len()),
            false => member.waiting.len(),
        };
        member.waiting.insert(at, Waiting { priority, what });
        (member.ring)();
    }

    /// A message is over: its source gets the response. `moved` is how much of the reply has been moved, `doubleword`
    /// what the sink says.
    fn respond(&mut self, number: u64, error: u8, moved: u32, doubleword: Option<[u8; 8]>) {
        self.end(number, error, 0, moved, doubleword);
    }

    fn end(&mut self, number: u64, error: u8, flags: u8, moved: u32, doubleword: Option<[u8; 8]>) {
        let Some(message) = self.messages.get_mut(&number) else { return };
        message.stage = Stage::Over;
        let (source, sink, list) = (message.source, message.sink, message.list);
        let priority = list.flags & option::PRIORITY != 0;
        let of_priority = if priority { status::PRIORITY } else { 0 };
        let header = Header {
            status: status::RESPONSE | flags | of_priority,
            error,
            function: list.function,
            message: list.message,
            user: self.user(sink),
            address: list.address,
            length: (list.length.get() - message_moved(&self.messages, number)).into(),
            reply_address: list.reply_address,
            reply_length: match list.function.get() {
                function::SEND_RECEIVE => (list.reply_length.get() - moved).into(),
                _ => list.reply_length,
            },
            doubleword: doubleword.unwrap_or(list.doubleword),
        };
        self.wait(source, priority, What::Response(number, header));
    }
}

fn message_moved<S>(messages: &HashMap<u64, Message<S>>, number: u64) -> u32 {
    messages.get(&number).map_or(0, |message| message.moved)
}
