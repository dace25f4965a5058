//! Messages: from SEND to the response.

use crate::{MOST, Message, PIECE, SPECIAL_MOST, Space, Stage, Unusable, Vmcf, What, code};
use arch::vmcf::{Header, Parameters, function, option, status};

/// An area of a program's storage.
struct Area<'a, S> {
    space: &'a S,
    at: u32,
    length: u32,
}

/// Why data were not moved: the fault of the area that they come from, or of that where they go.
enum Failed {
    From(Unusable),
    To(Unusable),
    /// They overlap.
    Overlap,
}

impl<S: Space> Vmcf<S> {
    /// SEND, SEND/RECV, SENDX and IDENTIFY.
    pub(crate) fn send(&mut self, id: u32, list: &Parameters, space: S) -> Result<(), u8> {
        let sink = self.find(list.user).ok_or(code::NOT_AVAILABLE)?;
        let source = self.user(id);
        let target = self.members.get(&sink).ok_or(code::NOT_AVAILABLE)?;
        let authorized = target.authorized.as_ref().ok_or(code::NOT_AVAILABLE)?;
        let priority = list.flags & option::PRIORITY != 0;
        match () {
            () if authorized.specific.is_some_and(|user| user != source) => return Err(code::NOT_AVAILABLE),
            () if target.quiesced => return Err(code::QUIESCED),
            () if priority && !authorized.priority => return Err(code::NO_PRIORITY),
            () => (),
        }
        let wanted = list.function.get();
        let mine = self.messages.values().filter(|message| message.source == id);
        if wanted != function::IDENTIFY {
            space.check(list.address.get(), list.length.get(), false).map_err(|_| code::ADDRESS)?;
            let is_same = |m: &Message<S>| m.sink == sink && m.list.message == list.message;
            if mine.clone().any(is_same) {
                return Err(code::DUPLICATE);
            }
        }
        if wanted == function::SEND_RECEIVE {
            space.check(list.reply_address.get(), list.reply_length.get(), false).map_err(|_| code::ADDRESS)?;
        }
        if wanted == function::SENDX && list.length.get() > authorized.length - size_of::<Header>() as u32 {
            return Err(code::TOO_LARGE);
        }
        if mine.count() >= MOST {
            return Err(code::LIMIT);
        }
        self.next += 1;
        let message = Message { source: id, sink, list: *list, space, stage: Stage::Waiting, moved: 0 };
        self.messages.insert(self.next, message);
        self.wait(sink, priority, What::Send(self.next));
        Ok(())
    }

    /// SMSG of a user to a virtual machine: whether a program there gets it. That has room for the whole text, and not
    /// too many of them wait.
    pub fn special(&mut self, id: u32, from: [u8; 8], text: &[u8]) -> bool {
        let Some(member) = self.members.get(&id) else { return false };
        let Some(authorized) = &member.authorized else { return false };
        let fits = text.len() <= SPECIAL_MOST && text.len() + size_of::<Header>() <= authorized.length as usize;
        let wait = member.waiting.iter().filter(|waiting| matches!(waiting.what, What::Special(..))).count();
        if !fits || wait >= MOST {
            return false;
        }
        self.wait(id, false, What::Special(from, text.to_vec()));
        true
    }

    /// The active message that a sink names: its number.
    fn named(&self, sink: u32, list: &Parameters) -> Result<u64, u8> {
        let source = self.find(list.user).ok_or(code::NOT_AVAILABLE)?;
        let (&number, message) = self.of(source, sink, list).ok_or(code::NO_MESSAGE)?;
        match message.stage {
            Stage::Waiting => Err(code::TOO_EARLY),
            Stage::Over => Err(code::PROTOCOL),
            Stage::Presented | Stage::Received => Ok(number),
        }
    }

    fn of(&self, source: u32, sink: u32, list: &Parameters) -> Option<(&u64, &Message<S>)> {
        let is_it = |m: &Message<S>| m.source == source && m.sink == sink && m.list.message == list.message;
        let identifies = |m: &Message<S>| m.list.function.get() == function::IDENTIFY;
        self.messages.iter().find(|(_, message)| is_it(message) && !identifies(message))
    }

    /// RECEIVE: moves the data of a message. That of SEND is over then.
    pub(crate) fn receive(&mut self, id: u32, list: &Parameters, space: &S) -> Result<(), u8> {
        let number = self.named(id, list)?;
        let message = self.messages.get(&number).ok_or(code::NO_MESSAGE)?;
        if message.stage == Stage::Received {
            return Err(code::PROTOCOL);
        }
        let own = message.source == id;
        let from = Area { space: &message.space, at: message.list.address.get(), length: message.list.length.get() };
        let to = Area { space, at: list.address.get(), length: list.length.get() };
        let answers = message.list.function.get() == function::SEND_RECEIVE;
        let (moved, result) = match transferred(&from, &to, own) {
            // The sink's own area: nothing has happened.
            Err(Failed::To(why)) => return Err(why.code()),
            Err(Failed::From(why)) => (0, Err(why.code())),
            Err(Failed::Overlap) => (0, Err(code::OVERLAP)),
            Ok(moved) if from.length > to.length => (moved, Err(code::LENGTH)),
            Ok(moved) => (moved, Ok(())),
        };
        let message = self.messages.get_mut(&number).ok_or(code::NO_MESSAGE)?;
        message.moved = moved;
        message.stage = Stage::Received;
        match result {
            Ok(()) if answers => (),
            _ => self.respond(number, result.err().unwrap_or(code::DONE), 0, Some(list.doubleword)),
        }
        result
    }

    /// REPLY: answers SEND/RECV.
    pub(crate) fn reply(&mut self, id: u32, list: &Parameters, space: &S) -> Result<(), u8> {
        let number = self.named(id, list)?;
        let message = self.messages.get(&number).ok_or(code::NO_MESSAGE)?;
        if message.list.function.get() != function::SEND_RECEIVE {
            return Err(code::PROTOCOL);
        }
        let own = message.source == id;
        let from = Area { space, at: list.address.get(), length: list.length.get() };
        let room = message.list.reply_length.get();
        let to = Area { space: &message.space, at: message.list.reply_address.get(), length: room };
        let (moved, result) = match transferred(&from, &to, own) {
            Err(Failed::From(why)) => return Err(why.code()),
            Err(Failed::To(_)) => (0, Err(code::REPLY_BUFFER)),
            Err(Failed::Overlap) => (0, Err(code::OVERLAP)),
            Ok(moved) if from.length > room => (moved, Err(code::LENGTH)),
            Ok(moved) => (moved, Ok(())),
        };
        self.respond(number, result.err().unwrap_or(code::DONE), moved, Some(list.doubleword));
        result
    }

    /// REJECT: refuses a message. What the sink says of it goes to the source of SEND/RECV alone.
    pub(crate) fn reject(&mut self, id: u32, list: &Parameters) -> Result<(), u8> {
        let number = self.named(id, list)?;
        let message = self.messages.get(&number).ok_or(code::NO_MESSAGE)?;
        let answers = message.list.function.get() == function::SEND_RECEIVE;
        self.end(number, code::DONE, status::REJECTED, 0, answers.then_some(list.doubleword));
        Ok(())
    }

    /// CANCEL: takes a message back that the sink has not taken.
    pub(crate) fn cancel(&mut self, id: u32, list: &Parameters) -> Result<(), u8> {
        let sink = self.find(list.user).ok_or(code::NOT_AVAILABLE)?;
        let Some((&number, message)) = self.of(id, sink, list) else {
            return Err(if self.of(sink, id, list).is_some() { code::PROTOCOL } else { code::NO_MESSAGE });
        };
        let result = match message.stage {
            Stage::Over => return Err(code::TOO_LATE),
            Stage::Received => Err(code::REPLY_CANCELED),
            Stage::Waiting | Stage::Presented => Ok(()),
        };
        self.messages.remove(&number);
        if let Some(member) = self.members.get_mut(&sink) {
            member.waiting.retain(|waiting| !matches!(waiting.what, What::Send(n) if n == number));
        }
        result
    }
}

/// Moves as much as there is room for, if both areas can be used; how much that is. `own`: both are of one program.
fn transferred<S: Space>(from: &Area<'_, S>, to: &Area<'_, S>, own: bool) -> Result<u32, Failed> {
    from.space.check(from.at, from.length, false).map_err(Failed::From)?;
    to.space.check(to.at, to.length, true).map_err(Failed::To)?;
    let length = from.length.min(to.length);
    let ends = |area: &Area<'_, S>| u64::from(area.at) + u64::from(length);
    if own && u64::from(from.at) < ends(to) && u64::from(to.at) < ends(from) {
        return Err(Failed::Overlap);
    }
    let mut piece = [0; PIECE];
    let mut done = 0;
    while done < length {
        let part = &mut piece[..(length - done).min(PIECE as u32) as usize];
        from.space.fetch(from.at + done, part).map_err(Failed::From)?;
        to.space.store(to.at + done, part).map_err(Failed::To)?;
        done += part.len() as u32;
    }
    Ok(length)
}
