//! Messages on paths.

use crate::area::{Area, Source, Space, Unusable};
use crate::service::Service;
use crate::{Answer, Completion, Data, Disk, Iucv, List, Message, Peer, Stage, audit, code, flag, kind};

impl From<Unusable> for u8 {
    fn from(why: Unusable) -> u8 {
        match why {
            Unusable::Addressing => code::ADDRESSING,
            Unusable::List => code::BAD_LIST,
            Unusable::NegativeLength => code::NEGATIVE_ENTRY,
            Unusable::WrongSum => code::WRONG_SUM,
        }
    }
}

/// A buffer that a parameter list names.
pub(crate) fn area(space: &Space, address: u32, length: u32, list: bool) -> Result<Area, u8> {
    if length >> 31 != 0 {
        return Err(code::NEGATIVE_LENGTH);
    }
    Ok(Area::new(space, address, length, list)?)
}

/// Which messages a parameter list means.
pub(crate) struct Wanted {
    pub(crate) path: Option<u16>,
    pub(crate) message: Option<u32>,
    pub(crate) class: Option<u32>,
}

impl Wanted {
    /// What the flags of `list` say is there; `class` is the receiver's or the sender's.
    fn of(list: &List, class: u32) -> Wanted {
        let given = |bit| list.flags() & bit != 0;
        Wanted {
            path: given(flag::BY_PATH).then(|| list.path()),
            message: given(flag::BY_MESSAGE).then(|| list.message()),
            class: given(flag::BY_CLASS).then_some(class),
        }
    }

    pub(crate) fn path(&self, path: u16) -> bool {
        self.path.is_none_or(|wanted| wanted == path)
    }
}

impl<D: Disk> Iucv<D> {
    /// SEND: a message for the other end of a path.
    pub fn send(&mut self, id: u32, space: &Space, list: &mut List) -> Answer {
        let (flags, mine) = (list.flags(), list.path());
        let path = self.path(id, mine).filter(|path| path.stage == Stage::Open).ok_or(code::INVALID_PATH)?;
        let (other, theirs) = match path.peer {
            Peer::Member(other, theirs) => (other, theirs),
            Peer::Service(Service::Tcpip) => return self.ask(id, space, list),
            // The others speak and do not listen.
            Peer::Service(_) => return Err(code::INVALID_PATH),
        };
        let given = |bit| flags & bit != 0;
        let (priority, one_way, in_list) = (given(flag::PRIORITY), given(flag::ONE_WAY), given(flag::PARAMETER_DATA));
        let (full, allowed) = (path.outstanding >= path.limit, path.priority);
        let end = self.path(other, theirs).ok_or(code::INVALID_PATH)?;
        match () {
            () if end.quiesced => return Err(code::QUIESCED),
            () if full => return Err(code::MESSAGE_LIMIT),
            () if priority && !allowed => return Err(code::NO_PRIORITY),
            () if in_list && !end.takes_parameter_data => return Err(code::NO_PARAMETER_DATA),
            () if in_list && given(flag::BUFFER_LIST) => return Err(code::DATA_AND_LIST),
            () => (),
        }
        let data = match in_list {
            true => Data::Parameter(list.data()),
            false => Data::Area(area(space, list.address(), list.length(), given(flag::BUFFER_LIST))?),
        };
        let answer_length = if one_way { 0 } else { list.answer_length() };
        let answer = match answer_length {
            0 => None,
            length => Some(area(space, list.answer(), length, given(flag::ANSWER_LIST))?),
        };
        let message = Message {
            order: self.order(),
            priority,
            one_way,
            class: list.class(),
            source_class: list.source_class(),
            tag: list.tag(),
            data,
            received: 0,
            is_received: false,
            answer,
            answer_length,
        };
        if let Some(path) = self.path(id, mine) {
            path.outstanding += 1;
        }
        list.set_message(self.deliver(other, theirs, message));
        Ok(0)
    }

    /// Puts a message into the receiver's end of a path; its number.
    pub(crate) fn deliver(&mut self, to: u32, path: u16, message: Message) -> u32 {
        let number = self.message_number();
        if let Some(member) = self.members.get_mut(&to)
            && let Some(end) = member.paths.get_mut(&path)
        {
            member.messages[usize::from(message.priority)].insert(message.order, (path, number));
            end.incoming.insert(number, message);
            member.tell();
        }
        number
    }

    /// The message for `id` that is wanted: the oldest of several. `Err` is a return code, `None` that there is none.
    fn find(&self, id: u32, wanted: &Wanted, received_too: bool) -> Result<Option<(u16, u32)>, u8> {
        let Some(member) = self.members.get(&id) else { return Ok(None) };
        if let Some(path) = wanted.path
            && !member.paths.contains_key(&path)
        {
            return Err(code::INVALID_PATH);
        }
        if let Some(number) = wanted.message {
            let found = member.paths.iter().find_map(|(&path, end)| Some((path, end.incoming.get(&number)?)));
            return match found {
                Some((path, message))
                    if wanted.path(path) && wanted.class.is_none_or(|class| class == message.class) =>
                {
                    Ok((received_too || !message.is_received).then_some((path, number)))
                }
                Some(_) => Err(code::MISMATCH),
                None => Ok(None),
            };
        }
        let messages = member
            .paths
            .iter()
            .filter(|(path, _)| wanted.path(**path))
            .flat_map(|(&path, end)| end.incoming.iter().map(move |(&number, message)| (message, path, number)));
        let fits = |message: &Message| {
            wanted.class.is_none_or(|class| class == message.class) && (received_too || !message.is_received)
        };
        let first = messages
            .filter(|(message, ..)| fits(message))
            .min_by_key(|(message, ..)| (!message.priority, message.order));
        Ok(first.map(|(_, path, number)| (path, number)))
    }

    /// RECEIVE: moves a message, or as much of it as there is room for, to a buffer.
    pub fn receive(&mut self, id: u32, space: &Space, list: &mut List) -> Answer {
        let Some((path, number)) = self.find(id, &Wanted::of(list, list.class()), false)? else { return Ok(2) };
        let length = list.length();
        let in_list = flag::BUFFER_LIST & list.flags() != 0;
        let member = self.members.get_mut(&id).ok_or(code::INVALID_PATH)?;
        let end = member.paths.get_mut(&path).ok_or(code::INVALID_PATH)?;
        let message = end.incoming.get_mut(&number).ok_or(code::INVALID_PATH)?;
        let mut flags =
            if message.priority { flag::PRIORITY } else { 0 } | if message.one_way { flag::ONE_WAY } else { 0 };
        let mut failed = None;
        match &message.data {
            Data::Parameter(data) => {
                list.set_data(*data);
                flags |= flag::PARAMETER_DATA;
                message.received = 8;
            }
            data => {
                let to = area(space, list.address(), length, in_list)?;
                let left = data.length() - message.received;
                let copied = match data {
                    Data::Area(area) => {
                        Source::area(area, message.received).and_then(|mut from| to.fill(&mut from, left))
                    }
                    Data::Control(bytes) => to.fill(&mut Source::Bytes(&bytes[message.received as usize..]), left),
                    Data::Parameter(_) => unreachable!("these have been received"),
                };
                match copied {
                    Ok(copied) => {
                        message.received += copied;
                        if !in_list {
                            list.set_address(list.address() + copied);
                        }
                        list.set_length(if left > copied { left - copied } else { length - copied });
                    }
                    // The sender has changed its list, or the receiver's own is wrong: it has been looked at, so the
                    // sender's.
                    Err(_) => failed = Some(audit::SEND_BUFFER),
                }
            }
        }
        message.is_received = message.received >= message.data.length();
        list.set_path(path);
        list.set_message(number);
        list.set_class(message.class);
        list.set_flags(flags);
        list.set_answer_length(message.answer_length);
        let (whole, one_way) = (message.is_received, message.one_way);
        // A program that receives a message need not be told that it is there.
        member.messages[usize::from(message.priority)].remove(&message.order);
        match failed {
            Some(audit) => {
                self.finish(id, path, number, audit, None, 0);
                Err(code::ADDRESSING)
            }
            None if whole && one_way => {
                self.finish(id, path, number, 0, None, 0);
                Ok(0)
            }
            None if whole => Ok(0),
            None => Err(code::TOO_SHORT),
        }
    }

    /// REPLY: answers a message, which is then complete.
    pub fn reply(&mut self, id: u32, space: &Space, list: &mut List) -> Answer {
        let flags = list.flags();
        let wanted = Wanted { path: Some(list.path()), message: Some(list.message()), class: Some(list.class()) };
        let Some((path, number)) = self.find(id, &wanted, true)? else { return Ok(2) };
        let end = self.path(id, path).ok_or(code::INVALID_PATH)?;
        let peer = end.peer;
        let Some(message) = end.incoming.get(&number).filter(|message| !message.one_way) else {
            return Err(code::MISMATCH);
        };
        let (answer, room) = (message.answer.clone(), message.answer_length);
        if flags & flag::PARAMETER_DATA != 0 {
            let takes = match peer {
                Peer::Member(other, theirs) => self.path(other, theirs).is_some_and(|path| path.takes_parameter_data),
                Peer::Service(_) => true,
            };
            if !takes {
                return Err(code::NO_PARAMETER_DATA);
            }
            self.finish(id, path, number, 0, Some(list.data()), room);
            return Ok(0);
        }
        let length = list.answer_length();
        let from = area(space, list.answer(), length, flags & (flag::BUFFER_LIST | flag::ANSWER_LIST) != 0)?;
        let copied = match &answer {
            Some(answer) => Source::area(&from, 0).and_then(|mut from| answer.fill(&mut from, room)),
            None => Ok(0),
        };
        let Ok(copied) = copied else {
            self.finish(id, path, number, audit::ANSWER_BUFFER, None, room);
            return Err(code::ADDRESSING);
        };
        let too_long = length > room;
        self.finish(id, path, number, if too_long { audit::REPLY_TOO_LONG } else { 0 }, None, room - copied);
        list.set_answer(list.answer() + copied);
        list.set_answer_length(length - copied);
        if too_long { Err(code::TOO_SHORT) } else { Ok(0) }
    }

    /// REJECT: refuses a message, which is then complete.
    pub fn reject(&mut self, id: u32, list: &mut List) -> Answer {
        let Some((path, number)) = self.find(id, &Wanted::of(list, list.class()), true)? else { return Ok(2) };
        list.set_path(path);
        list.set_message(number);
        self.finish(id, path, number, audit::REJECTED, None, 0);
        Ok(0)
    }

    /// A message is complete: it leaves the receiver's end, and its sender is to be told.
    fn finish(&mut self, id: u32, path: u16, number: u32, audit: u32, reply: Option<[u8; 8]>, residual: u32) {
        let Some(member) = self.members.get_mut(&id) else { return };
        let Some(end) = member.paths.get_mut(&path) else { return };
        let peer = end.peer;
        let Some(message) = end.incoming.remove(&number) else { return };
        member.messages[usize::from(message.priority)].remove(&message.order);
        let (other, theirs) = match peer {
            Peer::Member(other, theirs) => (other, theirs),
            Peer::Service(service) => return self.feed(service),
        };
        let order = self.order();
        if let Some(sender) = self.members.get_mut(&other) {
            let completion = Completion {
                path: theirs,
                id: number,
                audit,
                reply,
                source_class: message.source_class,
                tag: message.tag,
                residual,
                one_way: message.one_way,
            };
            sender.completions[usize::from(message.priority)].insert(order, completion);
            sender.tell();
        }
    }

    /// PURGE: takes back a message that is not complete.
    pub fn purge(&mut self, id: u32, list: &mut List) -> Answer {
        let wanted = Wanted::of(list, list.source_class());
        let member = self.members.get(&id).ok_or(code::INVALID_PATH)?;
        if let Some(path) = wanted.path
            && !member.paths.contains_key(&path)
        {
            return Err(code::INVALID_PATH);
        }
        if let Some(found) = self.take_back(id, &wanted) {
            self.sent_less(id, found.path());
            *list = found;
            return Ok(0);
        }
        let member = self.members.get(&id).ok_or(code::INVALID_PATH)?;
        let ends =
            member.paths.iter().filter(|(path, _)| wanted.path(**path)).filter_map(|(&path, end)| match end.peer {
                Peer::Member(other, theirs) if end.stage == Stage::Open => Some((path, other, theirs)),
                _ => None,
            });
        let found = ends
            .filter_map(|(path, other, theirs)| {
                let incoming = &self.members.get(&other)?.paths.get(&theirs)?.incoming;
                let fits = |message: &Message| wanted.class.is_none_or(|class| class == message.source_class);
                let number = match wanted.message {
                    Some(number) => incoming.get(&number).filter(|message| fits(message)).map(|_| number)?,
                    None => {
                        *incoming
                            .iter()
                            .filter(|(_, message)| fits(message))
                            .min_by_key(|(_, message)| message.order)?
                            .0
                    }
                };
                Some((path, other, theirs, number))
            })
            .min_by_key(|&(.., number)| number);
        let Some((path, other, theirs, number)) = found else { return Ok(2) };
        let receiver = self.members.get_mut(&other).ok_or(code::INVALID_PATH)?;
        let message =
            receiver.paths.get_mut(&theirs).and_then(|end| end.incoming.remove(&number)).ok_or(code::INVALID_PATH)?;
        receiver.messages[usize::from(message.priority)].remove(&message.order);
        self.sent_less(id, path);
        list.set_path(path);
        list.set_message(number);
        list.set_audit(0);
        list.set_source_class(message.source_class);
        list.set_tag(message.tag);
        Ok(0)
    }

    fn sent_less(&mut self, id: u32, path: u16) {
        if let Some(path) = self.path(id, path) {
            path.outstanding = path.outstanding.saturating_sub(1);
        }
    }

    /// TEST MESSAGE: condition code 1 messages are pending, 2 completions, 3 both.
    pub fn test_message(&self, id: u32) -> Answer {
        let member = self.members.get(&id).ok_or(code::NO_BUFFER)?;
        let messages = member.messages.iter().any(|messages| !messages.is_empty());
        let completions = member.completions.iter().any(|completions| !completions.is_empty());
        Ok(u8::from(messages) | u8::from(completions) << 1)
    }

    /// TEST COMPLETION: what a message of one's own has come to. Condition code 2: it is not complete.
    pub fn test_completion(&mut self, id: u32, list: &mut List) -> Answer {
        let wanted = Wanted::of(list, list.source_class());
        let member = self.members.get(&id).ok_or(code::NO_BUFFER)?;
        if let Some(path) = wanted.path
            && !member.paths.contains_key(&path)
        {
            return Err(code::INVALID_PATH);
        }
        let fits = |completion: &Completion| {
            wanted.path(completion.path)
                && wanted.message.is_none_or(|number| number == completion.id)
                && wanted.class.is_none_or(|class| class == completion.source_class)
        };
        let found = [1, 0].into_iter().find_map(|priority: usize| {
            let mut completions = member.completions[priority].iter();
            completions.find(|(_, completion)| fits(completion)).map(|(&order, _)| (priority, order))
        });
        let Some((priority, order)) = found else { return Ok(2) };
        if let Some(completion) = self.take_completion(id, priority, order) {
            let kind = list.kind();
            *list = completion;
            list.set_kind(kind);
        }
        Ok(0)
    }

    /// A completion as its sender gets it; it is no longer pending.
    pub(crate) fn take_completion(&mut self, id: u32, priority: usize, order: u64) -> Option<List> {
        let completion = self.members.get_mut(&id)?.completions[priority].remove(&order)?;
        self.sent_less(id, completion.path);
        let mut list = List::default();
        list.set_path(completion.path);
        let mut flags =
            if priority != 0 { flag::PRIORITY } else { 0 } | if completion.one_way { flag::ONE_WAY } else { 0 };
        if let Some(reply) = completion.reply {
            flags |= flag::PARAMETER_DATA;
            list.set_data(reply);
        }
        list.set_flags(flags);
        list.set_kind(if priority != 0 { kind::PRIORITY_COMPLETION } else { kind::COMPLETION });
        list.set_message(completion.id);
        list.set_audit(completion.audit);
        list.set_source_class(completion.source_class);
        list.set_tag(completion.tag);
        list.set_answer_length(completion.residual);
        Some(list)
    }

    /// DESCRIBE: the next message that has not been announced. Condition code 2: there is none.
    pub fn describe(&mut self, id: u32, list: &mut List) -> Answer {
        let member = self.members.get(&id).ok_or(code::NO_BUFFER)?;
        let next = [1, 0]
            .into_iter()
            .find_map(|priority| member.messages[priority].first_key_value().map(|(&order, _)| (priority, order)));
        let Some((priority, order)) = next else { return Ok(2) };
        if let Some(message) = self.present(id, priority, order) {
            *list = message;
            list.set_kind(0);
        }
        Ok(0)
    }

    /// A message as its receiver is told of it. One that is in the list is thereby received.
    pub(crate) fn present(&mut self, id: u32, priority: usize, order: u64) -> Option<List> {
        let member = self.members.get_mut(&id)?;
        let (path, number) = member.messages[priority].remove(&order)?;
        let message = member.paths.get_mut(&path)?.incoming.get_mut(&number)?;
        let mut list = List::default();
        list.set_path(path);
        list.set_kind(if priority != 0 { kind::PRIORITY_MESSAGE } else { kind::MESSAGE });
        list.set_message(number);
        list.set_class(message.class);
        list.set_answer_length(message.answer_length);
        let mut flags =
            if priority != 0 { flag::PRIORITY } else { 0 } | if message.one_way { flag::ONE_WAY } else { 0 };
        let mut done = false;
        match &message.data {
            Data::Parameter(data) => {
                flags |= flag::PARAMETER_DATA;
                list.set_data(*data);
                message.is_received = true;
                done = message.one_way;
            }
            data => list.set_length(data.length()),
        }
        list.set_flags(flags);
        if done {
            self.finish(id, path, number, 0, None, 0);
        }
        Some(list)
    }
}
