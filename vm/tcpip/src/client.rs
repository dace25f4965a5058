//! What one path of a virtual machine has: its sockets, and the calls that wait.

use crate::call::Call;
use crate::question::Question;
use crate::socket::Socket;
use directory::User;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// The fewest sockets that the first message gets, and the most.
pub(crate) const LEAST: u16 = 50;
pub(crate) const MOST: u16 = 2000;

pub(crate) struct Client {
    pub user: Arc<User>,
    /// The name in the first message.
    pub name: [u8; 8],
    /// How many sockets it may number; 0: the first message has not come.
    pub most: u16,
    pub sockets: BTreeMap<u16, Socket>,
    /// Calls that wait, by message.
    pub waits: BTreeMap<u32, Wait>,
}

/// A call that waits.
pub(crate) struct Wait {
    pub call: Call,
    /// Its socket, if it has one.
    pub number: u16,
    /// How long the answer may be.
    pub room: u32,
    /// When it is looked at again.
    pub due: Option<Instant>,
    /// When a SELECT has waited long enough.
    pub end: Option<Instant>,
    /// How many bytes of a SEND have gone; 1: others have begun.
    pub done: usize,
    pub question: Option<Box<Question>>,
}

impl Wait {
    pub(crate) fn new(call: Call, number: u16, room: u32) -> Wait {
        Wait { call, number, room, due: None, end: None, done: 0, question: None }
    }

    /// Whether it is a SELECT, which waits for several sockets.
    pub(crate) fn selects(&self) -> bool {
        matches!(self.call, Call::Select { .. })
    }
}

impl Client {
    pub(crate) fn new(user: Arc<User>) -> Client {
        Client { user, name: [base::ebcdic::BLANK; 8], most: 0, sockets: BTreeMap::new(), waits: BTreeMap::new() }
    }

    /// The lowest number that no socket has.
    pub(crate) fn free_number(&self) -> Option<u16> {
        (0..self.most).find(|number| !self.sockets.contains_key(number))
    }

    /// Whether a call of the same kind came before on the same socket, and waits: bytes keep their order.
    pub(crate) fn follows(&self, message: u32, wait: &Wait) -> bool {
        let ordered = matches!(wait.call, Call::Send { .. } | Call::Receive { .. } | Call::Accept { .. });
        let same = |other: &Wait| std::mem::discriminant(&other.call) == std::mem::discriminant(&wait.call);
        ordered && self.waits.range(..message).any(|(_, other)| other.number == wait.number && same(other))
    }

    /// The calls that something at a socket may end, in their order.
    pub(crate) fn waiting_for(&self, number: u16) -> Vec<u32> {
        let concerns = |wait: &Wait| wait.selects() || wait.question.is_none() && wait.number == number;
        self.waits.iter().filter(|(_, wait)| concerns(wait)).map(|(&message, _)| message).collect()
    }

    /// The call whose question has this token.
    pub(crate) fn asking(&self, token: mio::Token) -> Option<u32> {
        let mut waits = self.waits.iter();
        waits.find(|(_, wait)| wait.question.as_ref().is_some_and(|question| question.token == token)).map(|(&m, _)| m)
    }
}
