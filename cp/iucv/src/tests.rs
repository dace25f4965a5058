use super::area::Space;
use super::records::{Kept, MOST};
use super::service::{Line, Service};
use super::*;
use arch::Absolute;
use directory::{Directory, Passwords};
use std::sync::atomic::{AtomicU32, Ordering};
use storage::Storage;

const USERS: &str = "\
USER ALPHA X
 IUCV BETA MSGLIMIT 3
 IUCV *ACCOUNT
 IUCV *IDENT DEPOT GLOBAL
USER BETA X
USER GAMMA X
 IUCV ALLOW PRIORITY
USER DELTA X
 OPTION MAXCONN 2
 IUCV ANY
";

const ALPHA: u32 = 1;
const BETA: u32 = 2;
const GAMMA: u32 = 3;
const DELTA: u32 = 4;

struct World {
    iucv: Iucv<NoDisk>,
    spaces: Vec<Space>,
    rings: Vec<Arc<AtomicU32>>,
}

/// Four virtual machines, each with 1 MB and a buffer for its CPU 0.
fn world() -> World {
    let directory = Directory::parse("USER DIRECT", USERS, &Passwords::default()).expect("a directory");
    let mut iucv = Iucv::default();
    let (mut spaces, mut rings) = (Vec::new(), Vec::new());
    for (n, user) in directory.users.into_iter().enumerate() {
        let ring = Arc::new(AtomicU32::new(0));
        let counter = ring.clone();
        let id = n as u32 + 1;
        iucv.enter(
            id,
            Arc::new(user),
            Box::new(move |_| {
                counter.fetch_add(1, Ordering::Relaxed);
            }),
        );
        iucv.declare(id, 0, 0x1000).expect("the first buffer");
        spaces.push(Space { storage: Arc::new(Storage::new(1 << 20).unwrap()), prefix: 0, prefix_area: 0x2000 });
        rings.push(ring);
    }
    World { iucv, spaces, rings }
}

fn list(path: u16, flags: u8) -> List {
    let mut list = List::default();
    list.set_path(path);
    list.set_flags(flags);
    list
}

impl World {
    fn connect(&mut self, from: u32, to: &str, flags: u8) -> Result<(u16, List), u8> {
        let mut list = list(0, flags);
        list.set_name(to);
        list.set_user(*b"from me to thee.");
        self.iucv.connect(from, &mut list)?;
        Ok((list.path(), list))
    }

    /// The next interruption, if there is one.
    fn take(&mut self, id: u32) -> Option<List> {
        self.iucv.take(id, 0).map(|interruption| interruption.list)
    }

    /// A path from ALPHA to `to` that is open at both ends: their numbers.
    fn path(&mut self, to: u32, name: &str, flags: u8) -> (u16, u16) {
        let (mine, _) = self.connect(ALPHA, name, flags).unwrap();
        let pending = self.take(to).unwrap();
        self.iucv.accept(to, &mut list(pending.path(), flags)).unwrap();
        assert_eq!(self.take(ALPHA).unwrap().kind(), kind::CONNECTION_COMPLETE);
        (mine, pending.path())
    }

    fn put(&self, id: u32, at: u64, bytes: &[u8]) {
        self.spaces[id as usize - 1].storage.write(Absolute(at), bytes).unwrap();
    }

    fn get(&self, id: u32, at: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.spaces[id as usize - 1].storage.read(Absolute(at), &mut bytes).unwrap();
        bytes
    }

    fn send(&mut self, id: u32, list: &mut List) -> Answer {
        let space = self.spaces[id as usize - 1].clone();
        self.iucv.send(id, &space, list)
    }

    fn receive(&mut self, id: u32, list: &mut List) -> Answer {
        let space = self.spaces[id as usize - 1].clone();
        self.iucv.receive(id, &space, list)
    }

    fn reply(&mut self, id: u32, list: &mut List) -> Answer {
        let space = self.spaces[id as usize - 1].clone();
        self.iucv.reply(id, &space, list)
    }
}

/// A SEND of `length` bytes at 2000.
fn sending(path: u16, flags: u8, length: u32) -> List {
    let mut sending = list(path, flags);
    sending.set_class(7);
    sending.set_source_class(8);
    sending.set_tag(9);
    sending.set_address(0x2000);
    sending.set_length(length);
    sending
}

/// A RECEIVE of anything into `length` bytes at 3000.
fn receiving(length: u32) -> List {
    let mut receiving = list(0, 0);
    receiving.set_address(0x3000);
    receiving.set_length(length);
    receiving
}

#[test]
fn a_path_is_asked_for_accepted_and_severed() {
    let mut w = world();
    let (mine, connected) = w.connect(ALPHA, "BETA", flag::PARAMETER_DATA).unwrap();
    assert_eq!(connected.limit(), 3, "the directory's limit");
    let pending = w.take(BETA).unwrap();
    assert_eq!((pending.kind(), pending.name().as_str()), (kind::CONNECTION_PENDING, "ALPHA"));
    assert_eq!((pending.flags(), &pending.user()), (flag::PARAMETER_DATA, b"from me to thee."));
    assert_eq!(w.send(ALPHA, &mut sending(mine, flag::ONE_WAY, 4)), Err(code::INVALID_PATH), "not accepted yet");
    w.iucv.accept(BETA, &mut list(pending.path(), 0)).unwrap();
    assert_eq!(w.take(ALPHA).unwrap().kind(), kind::CONNECTION_COMPLETE);
    assert_eq!(w.iucv.accept(BETA, &mut list(pending.path(), 0)), Err(code::INVALID_PATH));
    w.send(ALPHA, &mut sending(mine, flag::ONE_WAY, 4)).unwrap();
    w.iucv.sever(ALPHA, &list(mine, 0)).unwrap();
    let severed = w.take(BETA).unwrap();
    assert_eq!((severed.kind(), severed.path()), (kind::SEVERED, pending.path()));
    assert_eq!(w.take(BETA), None, "the message has gone with the path");
    assert_eq!(w.iucv.accept(BETA, &mut list(pending.path(), 0)), Err(code::SEVERED));
    w.iucv.sever(BETA, &list(pending.path(), 0)).unwrap();
    assert_eq!(w.iucv.sever(BETA, &list(pending.path(), 0)), Err(code::INVALID_PATH));
}

#[test]
fn who_was_not_told_of_a_path_is_not_told_of_its_end() {
    let mut w = world();
    let (mine, _) = w.connect(ALPHA, "BETA", 0).unwrap();
    w.iucv.sever(ALPHA, &list(mine, 0)).unwrap();
    assert_eq!(w.take(BETA), None);
}

#[test]
fn the_directory_says_who_may_connect() {
    let mut w = world();
    assert_eq!(w.connect(BETA, "ALPHA", 0).err(), Some(code::NOT_AUTHORISED));
    assert!(w.connect(BETA, "GAMMA", 0).is_ok(), "ALLOW at the target");
    assert!(w.connect(DELTA, "ALPHA", 0).is_ok(), "ANY at the source");
    assert!(w.connect(BETA, "BETA", 0).is_ok(), "to oneself");
    assert!(w.connect(BETA, "*MSG", 0).is_ok());
    assert_eq!(w.connect(BETA, "*ACCOUNT", 0).err(), Some(code::NOT_AUTHORISED));
    assert_eq!(w.connect(BETA, "*FROB", 0).err(), Some(code::NO_SERVICE));
    assert_eq!(w.connect(ALPHA, "NOBODY", 0).err(), Some(code::NOT_LOGGED_ON));
    w.iucv.retrieve(BETA, 0).unwrap();
    assert_eq!(w.connect(ALPHA, "BETA", 0).err(), Some(code::NO_BUFFER));
    assert!(w.connect(DELTA, "ALPHA", 0).is_ok());
    assert_eq!(w.connect(DELTA, "ALPHA", 0).err(), Some(code::OWN_PATHS), "MAXCONN 2");
    assert_eq!(w.connect(ALPHA, "GAMMA", 0).map(|(path, _)| path), Ok(2));
}

#[test]
fn a_two_way_message_is_received_in_parts_and_answered() {
    let mut w = world();
    let (mine, theirs) = w.path(BETA, "BETA", 0);
    w.put(ALPHA, 0x2000, b"the question");
    let mut question = sending(mine, 0, 12);
    question.set_answer(0x2800);
    question.set_answer_length(8);
    w.send(ALPHA, &mut question).unwrap();
    let pending = w.take(BETA).unwrap();
    assert_eq!((pending.kind(), pending.path(), pending.message()), (kind::MESSAGE, theirs, question.message()));
    assert_eq!((pending.class(), pending.length(), pending.answer_length()), (7, 12, 8));
    let mut part = receiving(4);
    assert_eq!(w.receive(BETA, &mut part), Err(code::TOO_SHORT));
    assert_eq!((part.length(), part.address()), (8, 0x3004));
    let mut rest = receiving(20);
    rest.set_address(0x3004);
    assert_eq!(w.receive(BETA, &mut rest), Ok(0));
    assert_eq!((rest.length(), w.get(BETA, 0x3000, 12)), (12, b"the question".to_vec()));
    assert_eq!(w.receive(BETA, &mut receiving(4)), Ok(2), "nothing else to receive");
    assert_eq!(w.take(ALPHA), None, "not answered yet");
    w.put(BETA, 0x4000, b"answer");
    let mut answer = list(theirs, 0);
    answer.set_message(question.message());
    answer.set_class(6);
    answer.set_answer(0x4000);
    answer.set_answer_length(6);
    assert_eq!(w.reply(BETA, &mut answer.clone()), Err(code::MISMATCH), "another class");
    answer.set_class(7);
    assert_eq!(w.reply(BETA, &mut answer), Ok(0));
    let complete = w.take(ALPHA).unwrap();
    assert_eq!((complete.kind(), complete.message(), complete.audit()), (kind::COMPLETION, question.message(), 0));
    assert_eq!((complete.source_class(), complete.tag(), complete.answer_length()), (8, 9, 2));
    assert_eq!(w.get(ALPHA, 0x2800, 8), b"answer\0\0");
    assert_eq!(w.reply(BETA, &mut answer), Ok(2), "once");
}

#[test]
fn a_reply_that_is_too_long_is_cut_and_both_know() {
    let mut w = world();
    let (mine, theirs) = w.path(BETA, "BETA", 0);
    let mut question = sending(mine, 0, 1);
    question.set_answer(0x2800);
    question.set_answer_length(2);
    w.send(ALPHA, &mut question).unwrap();
    let mut answer = list(theirs, 0);
    answer.set_message(question.message());
    answer.set_class(7);
    answer.set_answer(0x4000);
    answer.set_answer_length(3);
    assert_eq!(w.reply(BETA, &mut answer), Err(code::TOO_SHORT));
    assert_eq!(w.take(ALPHA).unwrap().audit(), audit::REPLY_TOO_LONG);
}

#[test]
fn parameter_lists_carry_messages_and_replies_if_the_other_end_takes_them() {
    let mut w = world();
    let (mine, _) = w.path(BETA, "BETA", 0);
    assert_eq!(w.send(ALPHA, &mut sending(mine, flag::PARAMETER_DATA, 0)), Err(code::NO_PARAMETER_DATA));
    let (mine, theirs) = w.path(GAMMA, "GAMMA", flag::PARAMETER_DATA);
    let mut question = sending(mine, flag::PARAMETER_DATA, 0);
    question.set_data(*b"question");
    w.send(ALPHA, &mut question).unwrap();
    let pending = w.take(GAMMA).unwrap();
    assert_eq!((pending.flags(), &pending.data()), (flag::PARAMETER_DATA, b"question"));
    let mut answer = list(theirs, flag::PARAMETER_DATA);
    answer.set_message(question.message());
    answer.set_class(7);
    answer.set_data(*b"answered");
    assert_eq!(w.reply(GAMMA, &mut answer), Ok(0));
    assert_eq!(&w.take(ALPHA).unwrap().data(), b"answered");
    w.send(ALPHA, &mut sending(mine, flag::PARAMETER_DATA | flag::ONE_WAY, 0)).unwrap();
    assert_eq!(w.take(ALPHA), None);
    w.take(GAMMA).unwrap();
    assert_eq!(w.take(ALPHA).unwrap().kind(), kind::COMPLETION, "one way: told is received");
}

#[test]
fn limits_hold_until_the_sender_has_seen_that_messages_are_complete() {
    let mut w = world();
    let (mine, _) = w.path(BETA, "BETA", 0);
    for _ in 0..3 {
        w.send(ALPHA, &mut sending(mine, flag::ONE_WAY, 1)).unwrap();
    }
    assert_eq!(w.send(ALPHA, &mut sending(mine, flag::ONE_WAY, 1)), Err(code::MESSAGE_LIMIT));
    w.receive(BETA, &mut receiving(1)).unwrap();
    assert_eq!(w.send(ALPHA, &mut sending(mine, flag::ONE_WAY, 1)), Err(code::MESSAGE_LIMIT));
    assert_eq!(w.iucv.test_message(ALPHA), Ok(2));
    assert_eq!(w.iucv.test_message(BETA), Ok(1));
    assert_eq!(w.iucv.test_completion(ALPHA, &mut list(0, 0)), Ok(0));
    assert_eq!(w.iucv.test_completion(ALPHA, &mut list(0, 0)), Ok(2));
    assert_eq!(w.send(ALPHA, &mut sending(mine, flag::ONE_WAY, 1)), Ok(0));
}

#[test]
fn messages_are_rejected_purged_and_described() {
    let mut w = world();
    let (mine, theirs) = w.path(BETA, "BETA", 0);
    let mut first = sending(mine, 0, 1);
    w.send(ALPHA, &mut first).unwrap();
    let mut second = sending(mine, 0, 1);
    second.set_source_class(5);
    w.send(ALPHA, &mut second).unwrap();
    let mut purged = list(mine, flag::BY_PATH | flag::BY_CLASS);
    purged.set_source_class(5);
    assert_eq!(w.iucv.purge(ALPHA, &mut purged), Ok(0));
    assert_eq!((purged.message(), purged.tag()), (second.message(), 9));
    assert_eq!(w.iucv.purge(ALPHA, &mut purged), Ok(2));
    let mut described = List::default();
    assert_eq!(w.iucv.describe(BETA, &mut described), Ok(0));
    assert_eq!((described.message(), described.path()), (first.message(), theirs));
    assert_eq!(w.iucv.describe(BETA, &mut described), Ok(2));
    assert_eq!(w.take(BETA), None, "it has been described");
    let mut rejected = list(theirs, flag::BY_MESSAGE | flag::BY_PATH);
    rejected.set_message(first.message());
    assert_eq!(w.iucv.reject(BETA, &mut rejected), Ok(0));
    assert_eq!(w.take(ALPHA).unwrap().audit(), audit::REJECTED);
}

#[test]
fn priority_comes_first_and_must_be_allowed() {
    let mut w = world();
    let (mine, _) = w.path(BETA, "BETA", flag::PRIORITY);
    assert_eq!(w.send(ALPHA, &mut sending(mine, flag::PRIORITY, 1)), Err(code::NO_PRIORITY));
    let (mine, _) = w.path(GAMMA, "GAMMA", flag::PRIORITY);
    w.send(ALPHA, &mut sending(mine, 0, 1)).unwrap();
    w.send(ALPHA, &mut sending(mine, flag::PRIORITY, 1)).unwrap();
    assert_eq!(w.take(GAMMA).unwrap().kind(), kind::PRIORITY_MESSAGE);
    assert_eq!(w.take(GAMMA).unwrap().kind(), kind::MESSAGE);
}

#[test]
fn masks_hold_interruptions_back() {
    let mut w = world();
    w.iucv.set_mask(BETA, 0, mask::ALL & !mask::CONTROL, false).unwrap();
    let rung = w.rings[1].load(Ordering::Relaxed);
    w.connect(ALPHA, "BETA", 0).unwrap();
    assert_eq!((w.take(BETA), w.rings[1].load(Ordering::Relaxed)), (None, rung));
    w.iucv.set_mask(BETA, 0, mask::ALL, false).unwrap();
    assert_eq!(w.rings[1].load(Ordering::Relaxed), rung + 1);
    w.iucv.set_mask(BETA, 0, 0x78, true).unwrap();
    assert_eq!(w.take(BETA), None, "connections pending are masked");
    // A second virtual CPU with a buffer of its own takes it.
    w.iucv.declare(BETA, 1, 0x5000).unwrap();
    let interruption = w.iucv.take(BETA, 1).unwrap();
    assert_eq!(
        (interruption.buffer, interruption.list.kind(), interruption.more),
        (0x5000, kind::CONNECTION_PENDING, false)
    );
}

#[test]
fn a_quiesced_path_takes_no_messages() {
    let mut w = world();
    let (mine, theirs) = w.path(BETA, "BETA", 0);
    w.iucv.quiesce(BETA, &list(theirs, 0), true).unwrap();
    assert_eq!(w.send(ALPHA, &mut sending(mine, flag::ONE_WAY, 1)), Err(code::QUIESCED));
    assert_eq!(w.send(BETA, &mut sending(theirs, flag::ONE_WAY, 1)), Ok(0), "the other way is open");
    w.iucv.quiesce(BETA, &list(0, flag::ALL), false).unwrap();
    assert_eq!(w.take(ALPHA).unwrap().kind(), kind::RESUMED, "of two changes the last");
    assert_eq!(w.send(ALPHA, &mut sending(mine, flag::ONE_WAY, 1)), Ok(0));
}

#[test]
fn bad_buffers_are_refused() {
    let mut w = world();
    let (mine, _) = w.path(BETA, "BETA", 0);
    let mut outside = sending(mine, flag::ONE_WAY, 8);
    outside.set_address(0xf_fffc);
    assert_eq!(w.send(ALPHA, &mut outside), Err(code::ADDRESSING));
    assert_eq!(w.send(ALPHA, &mut sending(mine, flag::ONE_WAY, 0x8000_0000)), Err(code::NEGATIVE_LENGTH));
    let mut bad = sending(mine, flag::ONE_WAY | flag::BUFFER_LIST, 8);
    bad.set_address(0x2004);
    assert_eq!(w.send(ALPHA, &mut bad), Err(code::BAD_LIST));
    assert_eq!(w.send(ALPHA, &mut sending(9, flag::ONE_WAY, 1)), Err(code::INVALID_PATH));
}

#[test]
fn lines_reach_the_program_that_is_connected_to_msg() {
    let mut w = world();
    assert!(!w.iucv.line(BETA, Line::Special, "ALPHA", "CMM SHRINK 10", false), "nobody listens");
    let (path, _) = w.connect(BETA, "*MSG", 0).unwrap();
    assert_eq!(w.take(BETA).unwrap().kind(), kind::CONNECTION_COMPLETE);
    assert_eq!(w.connect(BETA, "*MSG", 0).err(), Some(code::TARGET_PATHS), "one path to it");
    assert!(w.iucv.line(BETA, Line::Special, "ALPHA", "CMM SHRINK 10", false));
    let pending = w.take(BETA).unwrap();
    assert_eq!((pending.path(), pending.class(), pending.length()), (path, 4, 21));
    w.receive(BETA, &mut receiving(100)).unwrap();
    assert_eq!(base::ebcdic::to_string(&w.get(BETA, 0x3000, 21)), "ALPHA   CMM SHRINK 10");
    assert!((0..10).all(|_| w.iucv.line(BETA, Line::Message, "ALPHA", "X", false)));
    assert!(!w.iucv.line(BETA, Line::Message, "ALPHA", "X", false), "the path is full");
    assert_eq!(w.send(BETA, &mut sending(path, flag::ONE_WAY, 1)), Err(code::INVALID_PATH), "CP does not listen");
}

#[test]
fn records_wait_for_who_collects_them() {
    let mut w = world();
    (0..12u8).for_each(|n| assert_eq!(w.iucv.keep(Service::Account, vec![n; 80]), Kept::Yes));
    w.connect(ALPHA, "*ACCOUNT", 0).unwrap();
    let standing = w.iucv.recording(Service::Account);
    assert_eq!((standing.on, standing.count), (true, 2), "ten are on the path");
    assert_eq!(standing.collector, Some("ALPHA".into()));
    for n in 0..12u8 {
        w.receive(ALPHA, &mut receiving(80)).unwrap();
        assert_eq!(w.get(ALPHA, 0x3000, 80), [n; 80]);
    }
    assert_eq!(w.receive(ALPHA, &mut receiving(80)), Ok(2));
}

#[test]
fn records_that_were_not_received_wait_again() {
    let mut w = world();
    (0..12u8).for_each(|n| assert_eq!(w.iucv.keep(Service::Account, vec![n; 80]), Kept::Yes));
    let (path, _) = w.connect(ALPHA, "*ACCOUNT", 0).unwrap();
    w.receive(ALPHA, &mut receiving(80)).unwrap();
    w.iucv.sever(ALPHA, &list(path, 0)).unwrap();
    let waiting: Vec<u8> = w.iucv.waiting_records(Service::Account).iter().map(|record| record[0]).collect();
    assert_eq!(waiting, (1..12).collect::<Vec<u8>>(), "in their order");
}

#[test]
fn the_limit_of_records_is_told_and_no_record_is_kept_beyond_all_bounds() {
    let mut w = world();
    w.iucv.limit_records(Service::Symptom, Some(3));
    let mut keep = |count: usize| (0..count).map(|_| w.iucv.keep(Service::Symptom, vec![7; 10])).collect::<Vec<_>>();
    let (yes, at) = (Kept::Yes, Kept::AtLimit);
    assert_eq!(keep(7), [yes, yes, at(3), yes, yes, at(6), yes]);
    keep(MOST - 7);
    assert_eq!(keep(2), [Kept::Lost, yes]);
    let standing = w.iucv.recording(Service::Symptom);
    assert_eq!((standing.count, standing.lost), (MOST, 2));
    w.iucv.record(Service::Symptom, false);
    w.iucv.purge_records(Service::Symptom);
    assert_eq!(w.iucv.keep(Service::Symptom, vec![0]), yes);
    let standing = w.iucv.recording(Service::Symptom);
    assert_eq!((standing.on, standing.count, standing.lost), (false, 0, 0));
}

#[test]
fn a_resource_is_found_by_its_name() {
    let mut w = world();
    let identify = |name: &str| {
        let mut list = list(0, 0);
        list.set_name("*IDENT");
        let mut user = [0x40; 16];
        user[..8].copy_from_slice(&base::ebcdic::padded::<8>(name));
        list.set_user(user);
        list
    };
    assert_eq!(w.iucv.connect(ALPHA, &mut identify("CELLAR")), Err(code::NOT_AUTHORISED));
    let mut owned = identify("DEPOT");
    assert_eq!(w.iucv.connect(ALPHA, &mut owned), Ok(0));
    w.take(ALPHA).unwrap();
    w.connect(DELTA, "DEPOT", 0).unwrap();
    assert_eq!(w.take(ALPHA).unwrap().name(), "DELTA");
    w.iucv.sever(ALPHA, &list(owned.path(), 0)).unwrap();
    assert_eq!(w.connect(DELTA, "DEPOT", 0).err(), Some(code::NOT_LOGGED_ON));
}

#[test]
fn a_reset_severs_everything() {
    let mut w = world();
    w.path(BETA, "BETA", 0);
    w.iucv.reset(BETA);
    assert_eq!(w.take(ALPHA).unwrap().kind(), kind::SEVERED);
    assert!(!w.iucv.has_buffer(BETA, None));
    w.iucv.leave(BETA);
    assert_eq!(w.connect(ALPHA, "BETA", 0).err(), Some(code::NOT_LOGGED_ON));
    let mut pages = list(0, flag::ALL);
    pages.set_user([0; 16]);
    assert_eq!(w.iucv.sever(ALPHA, &pages), Ok(0));
}
