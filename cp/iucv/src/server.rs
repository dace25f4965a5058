//! Services of CP that answer messages: sockets, which is *TCPIP.
//!
//! The service is outside CP: a thread with the host's sockets. A message for it is copied when it is sent, and its
//! answer goes to the sender's answer area when the service has one, which may be much later. The service is told of
//! paths and messages with the table locked, so it only notes them.
//!
//! What waits for an answer counts: a virtual machine has at most so many bytes of messages on their way, and the
//! system so many for all. Beyond that SEND ends with the code for too many messages.
//!
//! CONNECT to the user TCPIP leads here, too, as long as none of that name is logged on: programs know it so.

use crate::area::{Area, Source, Space};
use crate::message::{Wanted, area};
use crate::service::Service;
use crate::{Answer, Completion, Disk, Iucv, List, Path, Peer, audit, code, flag};
use directory::User;
use std::sync::Arc;

/// The user that programs connect to for sockets.
pub(crate) const USUAL: &str = "TCPIP";
/// The most messages of a path that may wait for answers.
const MESSAGES: u16 = 255;
/// The longest message that is copied. Of a longer one the service has so much and the length.
pub const LONGEST: u32 = (64 << 10) + 128;
/// What a message costs beside its bytes.
const HEAD: usize = 128;

/// Which path to the service.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ServerPath {
    /// The virtual machine.
    pub member: u32,
    /// Its number for the path.
    pub path: u16,
    /// Which of all paths there have been: a number is used again.
    pub serial: u64,
}

/// A message that wants an answer, or with `one_way` none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Where it came from.
    pub from: ServerPath,
    /// Its number.
    pub message: u32,
    /// What is asked (IPTRGCLS).
    pub class: u32,
    /// The message, of which [`LONGEST`] bytes count.
    pub data: Vec<u8>,
    /// How long it was.
    pub length: u32,
    /// How many bytes the answer may have.
    pub room: u32,
    /// No answer is wanted.
    pub one_way: bool,
}

/// What answers. All of it is called with the table of paths locked: it notes what it is told, and no more.
pub trait Server: Send + Sync {
    /// A path leads here now.
    fn connected(&self, path: ServerPath, user: &Arc<User>);
    /// A message has come; [`Iucv::answer`] answers it.
    fn asked(&self, request: Request);
    /// A message was taken back.
    fn purged(&self, path: ServerPath, message: u32);
    /// A path was severed, or its virtual machine was reset or is gone.
    fn severed(&self, path: ServerPath);
}

/// How many bytes of messages may wait for answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Of one virtual machine.
    pub user: usize,
    /// Of all together.
    pub system: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { user: 1 << 20, system: 64 << 20 }
    }
}

/// A message that waits for its answer.
pub(crate) struct Asked {
    answer: Option<Area>,
    room: u32,
    source_class: u32,
    tag: u32,
    priority: bool,
    one_way: bool,
    bytes: usize,
}

impl<D: Disk> Iucv<D> {
    /// From now on `server` answers on paths to *TCPIP.
    pub fn serve(&mut self, server: Arc<dyn Server>, bounds: Bounds) {
        self.server = Some(server);
        self.bounds = bounds;
    }

    /// Whether a user's name stands for the service.
    pub(crate) fn is_served(&self, name: &str) -> bool {
        name == USUAL && self.server.is_some() && !self.names.contains_key(USUAL)
    }

    fn server_path(&self, member: u32, path: u16) -> Option<ServerPath> {
        let serial = self.members.get(&member)?.paths.get(&path)?.serial;
        Some(ServerPath { member, path, serial })
    }

    /// A new path leads to the service.
    pub(crate) fn bind(&mut self, id: u32, number: u16, path: &mut Path<D>) {
        path.serial = self.order();
        path.limit = path.limit.min(MESSAGES);
        if let (Some(server), Some(member)) = (&self.server, self.members.get(&id)) {
            server.connected(ServerPath { member: id, path: number, serial: path.serial }, &member.user);
        }
    }

    /// A path of CP's is gone.
    pub(crate) fn left(&mut self, id: u32, number: u16, path: &Path<D>) {
        self.waits_less(id, path.asked.values().map(|asked| asked.bytes).sum());
        if let Some(server) = self.server.as_ref().filter(|_| path.peer == Peer::Service(Service::Tcpip)) {
            server.severed(ServerPath { member: id, path: number, serial: path.serial });
        }
    }

    /// Whether messages wait for answers of the service.
    pub fn is_asking(&self) -> bool {
        self.waiting > 0
    }

    /// Bytes of a virtual machine's messages no longer wait.
    fn waits_less(&mut self, id: u32, bytes: usize) {
        self.waiting -= bytes;
        if let Some(member) = self.members.get_mut(&id) {
            member.waiting -= bytes;
        }
    }

    /// SEND to the service.
    pub(crate) fn ask(&mut self, id: u32, space: &Space, list: &mut List) -> Answer {
        let given = |bit| list.flags() & bit != 0;
        let (priority, one_way) = (given(flag::PRIORITY), given(flag::ONE_WAY));
        let number = list.path();
        let path = self.path(id, number).ok_or(code::INVALID_PATH)?;
        match () {
            () if path.outstanding >= path.limit => return Err(code::MESSAGE_LIMIT),
            () if priority && !path.priority => return Err(code::NO_PRIORITY),
            () if given(flag::PARAMETER_DATA) && given(flag::BUFFER_LIST) => return Err(code::DATA_AND_LIST),
            () => (),
        }
        let (data, length) = match given(flag::PARAMETER_DATA) {
            true => (list.data().to_vec(), 8),
            false => copied(&area(space, list.address(), list.length(), given(flag::BUFFER_LIST))?)?,
        };
        let room = if one_way { 0 } else { list.answer_length() };
        let answer = match room {
            0 => None,
            length => Some(area(space, list.answer(), length, given(flag::ANSWER_LIST))?),
        };
        let bytes = data.len() + HEAD;
        let (own, all) = (self.member(id).map_or(0, |member| member.waiting), self.waiting);
        if own + bytes > self.bounds.user || all + bytes > self.bounds.system {
            return Err(code::MESSAGE_LIMIT);
        }
        self.waiting += bytes;
        if let Some(member) = self.member(id) {
            member.waiting += bytes;
        }
        let message = self.message_number();
        let asked =
            Asked { answer, room, source_class: list.source_class(), tag: list.tag(), priority, one_way, bytes };
        if let Some(path) = self.path(id, number) {
            path.outstanding += 1;
            path.asked.insert(message, asked);
        }
        if let (Some(server), Some(from)) = (&self.server, self.server_path(id, number)) {
            server.asked(Request { from, message, class: list.class(), data, length, room, one_way });
        }
        list.set_message(message);
        Ok(0)
    }

    /// Answers a message: its sender is told. Nothing if the message or its path is gone.
    pub fn answer(&mut self, to: ServerPath, message: u32, bytes: &[u8]) {
        let Some(path) = self.path(to.member, to.path).filter(|path| path.serial == to.serial) else { return };
        let Some(asked) = path.asked.remove(&message) else { return };
        self.waits_less(to.member, asked.bytes);
        let length = bytes.len() as u32;
        let filled = match &asked.answer {
            Some(answer) => answer.fill(&mut Source::Bytes(bytes), asked.room),
            None => Ok(0),
        };
        let (audit, residual) = match filled {
            Ok(_) if length > asked.room && !asked.one_way => (audit::REPLY_TOO_LONG, 0),
            Ok(filled) => (0, asked.room - filled),
            // The sender has changed its list of buffers.
            Err(_) => (audit::ANSWER_BUFFER, asked.room),
        };
        let order = self.order();
        if let Some(member) = self.member(to.member) {
            let completion = Completion {
                path: to.path,
                id: message,
                audit,
                reply: None,
                source_class: asked.source_class,
                tag: asked.tag,
                residual,
                one_way: asked.one_way,
            };
            member.completions[usize::from(asked.priority)].insert(order, completion);
            member.tell();
        }
    }

    /// PURGE of a message that waits for its answer: what the parameter list becomes. `None`: it is none of these.
    pub(crate) fn take_back(&mut self, id: u32, wanted: &Wanted) -> Option<List> {
        let member = self.members.get_mut(&id)?;
        let (&path, end, message) =
            member.paths.iter_mut().filter(|(path, _)| wanted.path(**path)).find_map(|(path, end)| {
                let fits = |number: u32, asked: &Asked| {
                    wanted.message.is_none_or(|wanted| wanted == number)
                        && wanted.class.is_none_or(|class| class == asked.source_class)
                };
                let message = end.asked.iter().find(|(number, asked)| fits(**number, asked)).map(|(&number, _)| number);
                message.map(|message| (path, end, message))
            })?;
        let asked = end.asked.remove(&message)?;
        let from = ServerPath { member: id, path, serial: end.serial };
        let mut list = List::default();
        list.set_path(path);
        list.set_message(message);
        list.set_source_class(asked.source_class);
        list.set_tag(asked.tag);
        self.waits_less(id, asked.bytes);
        if let Some(server) = &self.server {
            server.purged(from, message);
        }
        Some(list)
    }
}

/// The bytes of an area, of which [`LONGEST`] count, and how many there are.
fn copied(area: &Area) -> Result<(Vec<u8>, u32), u8> {
    let mut data = vec![0; area.length.min(LONGEST) as usize];
    Source::area(area, 0)?.read_all(&mut data)?;
    Ok((data, area.length))
}
