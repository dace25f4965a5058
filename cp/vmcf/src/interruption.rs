//! Interruptions: what is stored in the external interrupt buffer of a virtual machine, and in which order.

use crate::{Message, PIECE, Space, Stage, Unusable, Vmcf, What, code};
use arch::vmcf::{Header, function, option, status};
use zerocopy::IntoBytes;

/// What an interruption has stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interruption {
    /// The header; the data of SENDX and SMSG follow it.
    pub header: Header,
    /// There is another one.
    pub more: bool,
}

impl<S: Space> Vmcf<S> {
    /// Whether an interruption waits.
    pub fn is_pending(&self, id: u32) -> bool {
        self.members.get(&id).is_some_and(|member| !member.waiting.is_empty())
    }

    /// Stores the next interruption of a virtual machine; it no longer waits.
    pub fn take(&mut self, id: u32) -> Option<Interruption> {
        loop {
            let member = self.members.get_mut(&id)?;
            let authorized = member.authorized.as_ref()?;
            let (space, buffer, room) = (authorized.space.clone(), authorized.buffer, authorized.length);
            let header = match member.waiting.pop_front()?.what {
                What::Response(number, header) => {
                    self.messages.remove(&number);
                    header
                }
                What::Special(from, text) => {
                    self.next += 1;
                    let _ = space.store(buffer + size_of::<Header>() as u32, &text);
                    Header {
                        function: function::SENDX.into(),
                        message: (self.next as u32).into(),
                        user: base::ebcdic::padded("SYSTEM"),
                        length: (text.len() as u32).into(),
                        doubleword: from,
                        ..Header::default()
                    }
                }
                What::Send(number) => match self.present(number, &space, buffer, room) {
                    Some(header) => header,
                    None => continue,
                },
            };
            // The buffer could be used when it was named. What has become of it since is the program's own doing.
            let _ = space.store(buffer, header.as_bytes());
            return Some(Interruption { header, more: self.is_pending(id) });
        }
    }

    /// A message is presented to its sink, data of SENDX with it. `None`: it is over, without the sink.
    fn present(&mut self, number: u64, to: &S, buffer: u32, room: u32) -> Option<Header> {
        let user = self.user(self.messages.get(&number)?.source);
        let message = self.messages.get_mut(&number)?;
        if message.stage != Stage::Waiting {
            return None;
        }
        let list = message.list;
        let priority = if list.flags & option::PRIORITY != 0 { status::PRIORITY } else { 0 };
        let mut header = Header {
            status: priority,
            error: code::DONE,
            function: list.function,
            message: list.message,
            user,
            address: list.address,
            length: list.length,
            reply_address: list.reply_address,
            reply_length: list.reply_length,
            doubleword: list.doubleword,
        };
        message.stage = Stage::Presented;
        match list.function.get() {
            function::IDENTIFY => {
                header.status |= status::RESPONSE;
                self.messages.remove(&number);
            }
            function::SENDX => {
                let result = brought(message, to, buffer, room);
                message.moved = if result.is_ok() { list.length.get() } else { 0 };
                self.respond(number, result.err().unwrap_or(code::DONE), 0, None);
                result.ok()?;
            }
            _ => (),
        }
        Some(header)
    }
}

/// Puts the data of SENDX after the header.
fn brought<S: Space>(message: &Message<S>, to: &S, buffer: u32, room: u32) -> Result<(), u8> {
    let (at, length) = (message.list.address.get(), message.list.length.get());
    let head = size_of::<Header>() as u32;
    if length > room - head {
        return Err(code::TOO_LARGE);
    }
    message.space.check(at, length, false).map_err(Unusable::code)?;
    let mut piece = [0; PIECE];
    let mut done = 0;
    while done < length {
        let part = &mut piece[..(length - done).min(PIECE as u32) as usize];
        message.space.fetch(at + done, part).map_err(Unusable::code)?;
        to.store(buffer + head + done, part).map_err(Unusable::code)?;
        done += part.len() as u32;
    }
    Ok(())
}
