use super::*;
use arch::vmcf::Header;
use base::ebcdic::padded;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use zerocopy::IntoBytes;

/// 64 K of one program, of which the last 4 K have another key.
#[derive(Clone)]
struct Memory(Rc<RefCell<Vec<u8>>>);

const SIZE: u32 = 0x10000;
const OTHERS: u32 = 0xf000;

impl Space for Memory {
    fn fetch(&self, at: u32, to: &mut [u8]) -> Result<(), Unusable> {
        self.check(at, to.len() as u32, false)?;
        to.copy_from_slice(&self.0.borrow()[at as usize..][..to.len()]);
        Ok(())
    }

    fn store(&self, at: u32, from: &[u8]) -> Result<(), Unusable> {
        self.check(at, from.len() as u32, true)?;
        self.0.borrow_mut()[at as usize..][..from.len()].copy_from_slice(from);
        Ok(())
    }

    fn check(&self, at: u32, length: u32, store: bool) -> Result<(), Unusable> {
        let end = u64::from(at) + u64::from(length);
        match () {
            () if length > 0 && end > SIZE.into() => Err(Unusable::Addressing),
            () if store && length > 0 && end > OTHERS.into() => Err(Unusable::Protection),
            () => Ok(()),
        }
    }
}

/// ALPHA, BETA and GAMMA, numbered from 0.
struct World {
    vmcf: Vmcf<Memory>,
    memory: Vec<Memory>,
    rings: Vec<Arc<AtomicU32>>,
}

const BUFFER: u32 = 0x1000;
const DATA: u32 = 0x2000;
const ROOM: u32 = 0x3000;
const NAMES: [&str; 3] = ["ALPHA", "BETA", "GAMMA"];

fn list(function: u16, user: &str, message: u32) -> Parameters {
    Parameters {
        function: function.into(),
        message: message.into(),
        user: padded(user),
        address: DATA.into(),
        length: 5.into(),
        reply_address: ROOM.into(),
        reply_length: 16.into(),
        doubleword: padded("DOUBLE"),
        ..Parameters::default()
    }
}

impl World {
    /// All three have said AUTHORIZE, with room for 100 bytes after the header.
    fn new() -> World {
        let mut world = World { vmcf: Vmcf::default(), memory: Vec::new(), rings: Vec::new() };
        for (n, name) in NAMES.iter().enumerate() {
            let ring = Arc::new(AtomicU32::new(0));
            let counter = ring.clone();
            let rung = Box::new(move || {
                counter.fetch_add(1, Ordering::Relaxed);
            });
            world.vmcf.enter(n as u32, padded(name), rung);
            world.rings.push(ring);
            world.memory.push(Memory(Rc::new(RefCell::new(vec![0; SIZE as usize]))));
            assert_eq!(world.authorize(n, 0, ""), code::DONE);
        }
        world
    }

    fn authorize(&mut self, n: usize, flags: u8, user: &str) -> u8 {
        let mut wanted = list(function::AUTHORIZE, user, 0);
        wanted.flags = flags;
        wanted.address = BUFFER.into();
        wanted.length = 140.into();
        self.perform(n, &wanted)
    }

    fn perform(&mut self, n: usize, list: &Parameters) -> u8 {
        self.vmcf.perform(n as u32, list, self.memory[n].clone())
    }

    fn say(&mut self, n: usize, function: u16, other: usize, message: u32) -> u8 {
        self.perform(n, &list(function, NAMES[other], message))
    }

    fn put(&self, n: usize, at: u32, text: &str) {
        self.memory[n].0.borrow_mut()[at as usize..][..text.len()].copy_from_slice(text.as_bytes());
    }

    fn text(&self, n: usize, at: u32, length: usize) -> String {
        String::from_utf8(self.memory[n].0.borrow()[at as usize..][..length].to_vec()).expect("it is text")
    }

    /// The next interruption; the header lies in the buffer as it was told.
    fn take(&mut self, n: usize) -> Option<Header> {
        let interruption = self.vmcf.take(n as u32)?;
        assert_eq!(interruption.more, self.vmcf.is_pending(n as u32));
        assert_eq!(self.memory[n].0.borrow()[BUFFER as usize..][..40], *interruption.header.as_bytes());
        Some(interruption.header)
    }
}

#[test]
fn send_is_over_when_it_is_received() {
    let mut w = World::new();
    w.put(0, DATA, "hello");
    assert_eq!(w.say(0, function::SEND, 1, 7), code::DONE);
    assert_eq!(w.rings[1].load(Ordering::Relaxed), 1, "the sink is told");
    assert_eq!(w.say(1, function::RECEIVE, 0, 7), code::TOO_EARLY, "before the interruption");
    let header = w.take(1).expect("a message");
    let told = (header.status, header.function.get(), header.message.get(), header.user, header.length.get());
    assert_eq!(told, (0, function::SEND, 7, padded("ALPHA"), 5));
    assert_eq!(header.doubleword, padded("DOUBLE"));
    let mut receive = list(function::RECEIVE, "ALPHA", 7);
    receive.address = ROOM.into();
    receive.doubleword = padded("THANKS");
    assert_eq!(w.perform(1, &receive), code::DONE);
    assert_eq!(w.text(1, ROOM, 5), "hello");
    assert_eq!(w.perform(1, &receive), code::PROTOCOL, "twice");
    let response = w.take(0).expect("a response");
    let told = (response.status, response.error, response.user, response.length.get(), response.doubleword);
    assert_eq!(told, (status::RESPONSE, 0, padded("BETA"), 0, padded("THANKS")));
    assert_eq!(w.perform(1, &receive), code::NO_MESSAGE, "it is not active any more");
    assert_eq!((w.take(0), w.take(1)), (None, None));
}

#[test]
fn send_and_receive_has_an_answer_with_or_without_receive() {
    for receives in [true, false] {
        let mut w = World::new();
        w.put(0, DATA, "query");
        w.put(1, DATA, "reply");
        assert_eq!(w.say(0, function::SEND_RECEIVE, 1, 1), code::DONE);
        assert_eq!(w.take(1).map(|h| (h.function.get(), h.reply_length.get())), Some((function::SEND_RECEIVE, 16)));
        if receives {
            let mut receive = list(function::RECEIVE, "ALPHA", 1);
            receive.address = ROOM.into();
            assert_eq!(w.perform(1, &receive), code::DONE);
            assert_eq!(w.text(1, ROOM, 5), "query");
            assert_eq!(w.take(0), None, "not over");
        }
        assert_eq!(w.say(1, function::REPLY, 0, 1), code::DONE);
        assert_eq!(w.text(0, ROOM, 5), "reply");
        let response = w.take(0).expect("a response");
        let left = if receives { 0 } else { 5 };
        assert_eq!((response.error, response.length.get(), response.reply_length.get()), (0, left, 11));
    }
}

#[test]
fn sendx_brings_its_data() {
    let mut w = World::new();
    w.put(0, DATA, "at once");
    let mut send = list(function::SENDX, "BETA", 3);
    send.length = 7.into();
    assert_eq!(w.perform(0, &send), code::DONE);
    assert_eq!(w.take(0), None, "no response before the interruption");
    assert_eq!(w.take(1).map(|h| (h.function.get(), h.length.get())), Some((function::SENDX, 7)));
    assert_eq!(w.text(1, BUFFER + 40, 7), "at once");
    assert_eq!(w.say(0, function::CANCEL, 1, 3), code::TOO_LATE);
    assert_eq!(w.take(0).map(|h| (h.status, h.error, h.length.get())), Some((status::RESPONSE, 0, 0)));
    send.length = 101.into();
    assert_eq!(w.perform(0, &send), code::TOO_LARGE);
    // The sink names a shorter buffer meanwhile.
    send.length = 100.into();
    assert_eq!(w.perform(0, &send), code::DONE);
    let mut shorter = list(function::AUTHORIZE, "", 0);
    (shorter.address, shorter.length) = (BUFFER.into(), 139.into());
    assert_eq!(w.perform(1, &shorter), code::DONE);
    assert_eq!(w.take(1), None, "the sink hears nothing of it");
    assert_eq!(w.take(0).map(|h| (h.error, h.length.get())), Some((code::TOO_LARGE, 100)));
}

#[test]
fn identify_has_no_response() {
    let mut w = World::new();
    let mut identify = list(function::IDENTIFY, "BETA", 0x1234);
    identify.address = 0xffff_ffff.into();
    assert_eq!(w.perform(0, &identify), code::DONE, "its fields are the program's own");
    let header = w.take(1).expect("a message");
    assert_eq!((header.status, header.address.get(), header.message.get()), (status::RESPONSE, 0xffff_ffff, 0x1234));
    assert_eq!(w.take(0), None);
    assert_eq!(w.say(1, function::RECEIVE, 0, 0x1234), code::NO_MESSAGE);
}

#[test]
fn a_message_is_refused_or_taken_back() {
    let mut w = World::new();
    // Of SEND/RECV the sink's doubleword comes back, of SEND the source's.
    for (kind, says) in [(function::SEND, "DOUBLE"), (function::SEND_RECEIVE, "NO")] {
        assert_eq!(w.say(0, kind, 1, 1), code::DONE);
        w.take(1);
        let mut reject = list(function::REJECT, "ALPHA", 1);
        reject.doubleword = padded("NO");
        assert_eq!(w.perform(1, &reject), code::DONE);
        assert_eq!(w.say(0, function::CANCEL, 1, 1), code::TOO_LATE);
        let response = w.take(0).expect("a response");
        assert_eq!((response.status, response.doubleword), (status::RESPONSE | status::REJECTED, padded(says)));
    }
    // CANCEL before the interruption, after it, and between RECEIVE and REPLY.
    assert_eq!((w.say(0, function::SEND, 1, 2), w.say(0, function::CANCEL, 1, 2)), (0, 0));
    assert_eq!(w.take(1), None);
    assert_eq!(w.say(0, function::SEND, 1, 2), code::DONE);
    w.take(1);
    assert_eq!(w.say(1, function::CANCEL, 0, 2), code::PROTOCOL, "it is not the sink's");
    assert_eq!(w.say(0, function::CANCEL, 1, 2), code::DONE);
    assert_eq!(w.say(1, function::RECEIVE, 0, 2), code::NO_MESSAGE);
    assert_eq!(w.say(0, function::SEND_RECEIVE, 1, 2), code::DONE);
    w.take(1);
    assert_eq!(w.say(1, function::RECEIVE, 0, 2), code::DONE);
    assert_eq!(w.say(0, function::CANCEL, 1, 2), code::REPLY_CANCELED);
    assert_eq!(w.say(1, function::REPLY, 0, 2), code::NO_MESSAGE);
    assert_eq!(w.say(0, function::CANCEL, 1, 2), code::NO_MESSAGE);
}

#[test]
fn priority_messages_and_their_responses_come_first() {
    let mut w = World::new();
    let mut urgent = list(function::SEND, "BETA", 9);
    urgent.flags = option::PRIORITY;
    assert_eq!(w.perform(0, &urgent), code::NO_PRIORITY);
    assert_eq!(w.authorize(1, option::PRIORITY, ""), code::DONE);
    assert_eq!((w.say(0, function::SEND, 1, 1), w.say(0, function::SEND, 1, 2)), (0, 0));
    assert_eq!(w.perform(0, &urgent), code::DONE);
    urgent.message = 10.into();
    assert_eq!(w.perform(0, &urgent), code::DONE);
    let order: Vec<u32> = std::iter::from_fn(|| w.take(1)).map(|header| header.message.get()).collect();
    assert_eq!(order, [9, 10, 1, 2]);
    for message in [1, 9] {
        assert_eq!(w.say(1, function::RECEIVE, 0, message), code::DONE);
    }
    let first = w.take(0).expect("a response");
    assert_eq!((first.message.get(), first.status), (9, status::RESPONSE | status::PRIORITY));
}

#[test]
fn who_may_send_to_whom() {
    let mut w = World::new();
    assert_eq!(w.perform(0, &list(0x000c, "BETA", 1)), code::FUNCTION);
    assert_eq!(w.perform(0, &list(function::SEND, "NOBODY", 1)), code::NOT_AVAILABLE);
    assert_eq!(w.say(1, function::QUIESCE, 1, 0), code::DONE);
    assert_eq!(w.say(0, function::SEND, 1, 1), code::QUIESCED);
    assert_eq!(w.say(1, function::SEND, 0, 1), code::DONE, "it can send itself");
    assert_eq!(w.say(1, function::RESUME, 1, 0), code::DONE);
    assert_eq!(w.say(0, function::SEND, 1, 1), code::DONE);
    assert_eq!(w.say(0, function::SEND, 1, 1), code::DUPLICATE);
    assert_eq!(w.say(0, function::SEND, 2, 1), code::DONE, "the same number for another user");
    // ALPHA alone, from now on: what waits of others is over.
    assert_eq!(w.say(2, function::SEND, 1, 5), code::DONE);
    assert_eq!(w.authorize(1, option::SPECIFIC, "ALPHA"), code::DONE);
    assert_eq!(w.take(1).map(|h| (h.user, h.message.get())), Some((padded("ALPHA"), 1)));
    assert_eq!(w.take(1), None);
    assert_eq!(w.say(2, function::SEND, 1, 6), code::NOT_AVAILABLE);
    let told: Vec<_> = std::iter::from_fn(|| w.take(2)).map(|h| (h.message.get(), h.error)).collect();
    assert_eq!(told, [(1, 0), (5, code::NOT_AVAILABLE)]);
    // UNAUTHORIZE ends all that comes from here and goes to here.
    assert_eq!(w.say(0, function::SEND, 1, 8), code::DONE);
    assert_eq!(w.say(1, function::UNAUTHORIZE, 1, 0), code::DONE);
    assert_eq!(w.say(1, function::SEND, 0, 9), code::NOT_AUTHORIZED);
    assert_eq!(w.say(0, function::SEND, 1, 9), code::NOT_AVAILABLE);
    let told: Vec<_> = std::iter::from_fn(|| w.take(0)).map(|h| (h.message.get(), h.error)).collect();
    assert_eq!(told, [(1, code::NOT_AVAILABLE), (8, code::NOT_AVAILABLE)], "and its own message 1 is gone");
}

#[test]
fn no_more_than_fifty_messages_are_active() {
    let mut w = World::new();
    for message in 0..MOST as u32 {
        assert_eq!(w.say(0, function::SENDX, 1, message), code::DONE);
    }
    assert_eq!(w.say(0, function::SENDX, 1, 99), code::LIMIT);
    w.take(1);
    assert_eq!(w.say(0, function::SENDX, 1, 99), code::LIMIT, "the response has not been taken");
    w.take(0);
    assert_eq!(w.say(0, function::SENDX, 1, 99), code::DONE);
}

#[test]
fn addresses_lengths_and_keys() {
    let mut w = World::new();
    for (address, length, wanted) in [
        (BUFFER + 4, 140, code::ADDRESS),
        (BUFFER, 39, code::ADDRESS),
        (SIZE - 8, 40, code::ADDRESS),
        (OTHERS, 40, code::PROTECTION),
        (BUFFER, 40, code::DONE),
    ] {
        let mut authorize = list(function::AUTHORIZE, "", 0);
        (authorize.address, authorize.length) = (address.into(), length.into());
        assert_eq!(w.perform(2, &authorize), wanted, "{address:x} {length}");
    }
    let mut send = list(function::SEND, "BETA", 1);
    send.address = (SIZE - 4).into();
    assert_eq!(w.perform(0, &send), code::ADDRESS);
    send.address = DATA.into();
    send.length = u32::MAX.into();
    assert_eq!(w.perform(0, &send), code::ADDRESS);
    w.put(0, DATA, "hello");
    assert_eq!(w.say(0, function::SEND, 1, 1), code::DONE);
    w.take(1);
    let mut receive = list(function::RECEIVE, "ALPHA", 1);
    for (address, wanted) in [(SIZE - 4, code::ADDRESS), (OTHERS, code::PROTECTION)] {
        receive.address = address.into();
        assert_eq!(w.perform(1, &receive), wanted, "and nothing has happened");
    }
    (receive.address, receive.length) = (ROOM.into(), 3.into());
    assert_eq!(w.perform(1, &receive), code::LENGTH);
    assert_eq!(w.text(1, ROOM, 5), "hel\0\0");
    assert_eq!(w.take(0).map(|h| (h.error, h.length.get())), Some((code::LENGTH, 2)));
    // A reply that is too long, and one into storage of another key.
    for (at, length, wanted, left) in [(ROOM, 4, code::LENGTH, 0), (OTHERS, 16, code::REPLY_BUFFER, 16)] {
        let mut send = list(function::SEND_RECEIVE, "BETA", 2);
        (send.reply_address, send.reply_length) = (at.into(), length.into());
        assert_eq!(w.perform(0, &send), code::DONE);
        w.take(1);
        assert_eq!(w.say(1, function::REPLY, 0, 2), wanted);
        assert_eq!(w.take(0).map(|h| (h.error, h.reply_length.get())), Some((wanted, left)));
    }
    // A program that speaks with itself.
    assert_eq!(w.say(0, function::SEND, 0, 3), code::DONE);
    w.take(0);
    let mut receive = list(function::RECEIVE, "ALPHA", 3);
    receive.address = (DATA + 4).into();
    assert_eq!(w.perform(0, &receive), code::OVERLAP);
    assert_eq!(w.take(0).map(|h| h.error), Some(code::OVERLAP));
}

#[test]
fn special_messages_come_from_the_system() {
    let mut w = World::new();
    assert!(w.vmcf.special(1, padded("GAMMA"), b"do this"));
    assert!(!w.vmcf.special(1, padded("GAMMA"), &[0; 101]), "it would not fit");
    let header = w.take(1).expect("a message");
    let told = (header.function.get(), header.user, header.doubleword, header.length.get());
    assert_eq!(told, (function::SENDX, padded("SYSTEM"), padded("GAMMA"), 7));
    assert_eq!(w.text(1, BUFFER + 40, 7), "do this");
    w.vmcf.reset(1);
    assert!(!w.vmcf.special(1, padded("GAMMA"), b"do this"));
    assert_eq!(w.authorize(1, 0, ""), code::DONE);
    assert_eq!((0..60).filter(|_| w.vmcf.special(1, padded("GAMMA"), b"again")).count(), MOST);
    w.vmcf.leave(1);
    assert!(!w.vmcf.special(1, padded("GAMMA"), b"do this"));
}

/// Whatever subfunctions come in whatever order, each message has one end: what was sent and not taken back has its
/// response, and then nothing waits anywhere.
#[test]
fn every_message_has_one_end() {
    let mut seed = 0x5eed_0068_u64;
    let mut below = move |n: u32| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 33) as u32) % n
    };
    let (mut sent, mut ended, mut cases) = (0u32, 0u32, 0);
    for _ in 0..300 {
        let mut w = World::new();
        let (mut now, mut over) = (0u32, 0u32);
        for _ in 0..200 {
            let (n, other) = (below(3) as usize, below(3) as usize);
            if below(3) == 0 {
                let header = w.take(n);
                over += header.is_some_and(|h| h.status & status::RESPONSE != 0) as u32;
                continue;
            }
            // AUTHORIZE, UNAUTHORIZE and IDENTIFY apart.
            let function = [2, 3, 4, 5, 6, 7, 8, 9, 9, 11][below(10) as usize];
            let code = w.say(n, function, other, below(4));
            assert!(code <= code::REPLY_BUFFER, "{code}");
            now += ((2..=4).contains(&function) && code == code::DONE) as u32;
            over += (function == function::CANCEL && matches!(code, code::DONE | code::REPLY_CANCELED)) as u32;
            cases += 1;
        }
        // The sinks take what waits and refuse it.
        for _ in 0..2 {
            for n in 0..3 {
                while let Some(header) = w.take(n) {
                    over += (header.status & status::RESPONSE != 0) as u32;
                }
                for other in 0..3 {
                    for message in 0..4 {
                        w.say(n, function::REJECT, other, message);
                    }
                }
            }
        }
        for n in 0..3 {
            while let Some(header) = w.take(n) {
                over += (header.status & status::RESPONSE != 0) as u32;
            }
        }
        assert!(w.vmcf.messages.is_empty());
        (sent, ended) = (sent + now, ended + over);
        assert_eq!(now, over);
    }
    assert!(sent > 1000, "{sent}");
    println!("{cases} subfunctions, {sent} messages, {ended} ends");
}
