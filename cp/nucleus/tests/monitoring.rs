//! The monitor of a whole system: programs that are connected to *MONITOR, and what they find in the segment.

mod system;

use arch::monitor::{ControlElement, MonitorConnect, MonitorMessage, RecordHeader, function};
use arch::{Absolute, Real};
use base::{Clock, Tod, ebcdic};
use diagnose::{ApplicationData, ControlProgram};
use iucv::area::Space;
use iucv::{List, code, flag, kind};
use monitor::frames::{PAGE, records};
use monitor::recorder::reason;
use nucleus::logon;
use nucleus::system::Cp;
use spool::Spool;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use system::Hand;
use virtualmachine::vmdbk::Vmdbk;
use zerocopy::{FromBytes, IntoBytes};

/// What is stored in a message's segment: each record's header and what follows it.
type Records = Vec<(RecordHeader, Vec<u8>)>;

struct Site {
    cp: Cp,
    clock: Arc<Hand>,
    maint: Arc<Vmdbk>,
    folder: PathBuf,
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Site {
    fn new(users: usize) -> Site {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("endicott-monitoring-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let reader = |name: &str| {
            format!(
                "USER {name} NOPASS 1M 1M G\n OPTION APPLMON\n IUCV *MONITOR MSGLIMIT 255\n NAMESAVE MONDCSS SMALL\n \
                 CONSOLE 009 3215\n"
            )
        };
        let text: String = ["MAINT NOPASS 1M 1M ABCDEFG", "OTHER NOPASS 1M 1M G"]
            .iter()
            .map(|user| format!("USER {user}\n CONSOLE 009 3215\n"))
            .chain(["READER", "SECOND"].map(reader))
            .chain((0..users).map(|n| format!("USER U{n:04} AUTOONLY 1M 1M G\n CONSOLE 009 3215\n")))
            .collect();
        let clock = Hand::new();
        let cp = system::system(&text, Some(Spool::open(&folder).unwrap()), clock.clone());
        let maint = logon::autolog(&cp, cp.user("MAINT").unwrap()).unwrap();
        let site = Site { cp, clock, maint, folder };
        site.say("defseg mondcss 800-bff sc rstd");
        site.say("saveseg mondcss");
        site.say("defseg small 700-710 sc rstd");
        site.say("saveseg small");
        site
    }

    /// What MAINT is told.
    fn say(&self, line: &str) -> String {
        let issuer = nucleus::command::Issuer {
            vmdbk: self.maint.clone(),
            origin: nucleus::command::Origin::Console,
            cpu: None,
        };
        match nucleus::command::execute(&self.cp, &issuer, line) {
            Ok(response) => response.lines.join("\n"),
            Err(message) => message.to_string(),
        }
    }

    fn log_on(&self, userid: &str) -> Arc<Vmdbk> {
        logon::autolog(&self.cp, self.cp.user(userid).unwrap()).unwrap()
    }

    /// A user whose program has loaded a segment and declared a buffer.
    fn reader(&self, userid: &str, segment: &str) -> Arc<Vmdbk> {
        let vmdbk = self.log_on(userid);
        let file = self.cp.saved.find(segment).expect("the segment is there");
        let used = self.cp.saved.begin_use(userid, file, false).unwrap();
        used.attach(&vmdbk.machine().configuration).unwrap();
        vmdbk.segments().push(used);
        vmdbk.iucv().declare(vmdbk.id, 0, 0x1000).unwrap();
        vmdbk
    }

    fn connect(&self, vmdbk: &Arc<Vmdbk>, segment: &str, shared: u8, flags: u8) -> Result<u8, u8> {
        let mut list = List::default();
        list.set_name("*MONITOR");
        list.set_flags(flags);
        list.set_limit(255);
        let user = MonitorConnect { shared, wanted: 0xc0, segment: ebcdic::padded(segment), reserved_02: [0xff; 6] };
        list.set_user(user.as_bytes().try_into().unwrap());
        self.cp.connect_monitor(vmdbk, &mut list)
    }

    /// The next interruption: its type and IPUSER.
    fn told(&self, vmdbk: &Vmdbk) -> Option<(u8, [u8; 16])> {
        let taken = vmdbk.iucv().take(vmdbk.id, 0)?;
        Some((taken.list.kind(), taken.list.user()))
    }

    /// Connects, and is told that the path is there.
    fn connected(&self, userid: &str) -> Arc<Vmdbk> {
        let vmdbk = self.reader(userid, "MONDCSS");
        assert_eq!(self.connect(&vmdbk, "MONDCSS", 1, flag::PARAMETER_DATA), Ok(0));
        let (kind, user) = self.told(&vmdbk).unwrap();
        assert_eq!((kind, user[0]), (kind::CONNECTION_COMPLETE, 1));
        vmdbk
    }

    /// Time passes, stopping wherever something is due.
    fn pass(&self, seconds: u64) {
        let end = self.clock.now().plus_micros(seconds * 1_000_000);
        while let Some(at) = self.cp.deadline().filter(|&at| at <= end) {
            self.clock.set(at);
            self.cp.tick();
        }
        self.clock.set(end);
    }

    /// The messages that have come, replied to: the letter of each and its records, in the bytes of the virtual
    /// machine's own storage.
    fn read(&self, vmdbk: &Vmdbk) -> Vec<(char, Records)> {
        let machine = vmdbk.machine();
        let storage = machine.configuration.storage();
        let bytes = |first: u32, last: u32| {
            let mut bytes = vec![0; (last - first + 1) as usize];
            for (n, page) in bytes.chunks_mut(PAGE).enumerate() {
                storage.read(Absolute(u64::from(first) + (n * PAGE) as u64), page).unwrap();
            }
            bytes
        };
        let space = Space { storage: storage.clone(), prefix: 0, prefix_area: 0x1000 };
        let mut read = Vec::new();
        while let Some(mut taken) = { vmdbk.iucv().take(vmdbk.id, 0) } {
            assert_eq!(taken.list.kind(), kind::MESSAGE);
            assert_eq!(taken.list.flags() & flag::ONE_WAY, 0, "a reply is wanted");
            let message = MonitorMessage::read_from_bytes(&taken.list.data()).unwrap();
            let element = bytes(message.start.get(), message.end.get());
            let element = ControlElement::read_from_bytes(&element).unwrap();
            assert_eq!(u32::from(element.kind), taken.list.class() >> 24);
            let pages = bytes(element.start.get(), element.end.get());
            let found = pages.chunks(PAGE).flat_map(|page| records(page).expect("a page of records"));
            let found = found.map(|(header, rest)| (header, rest.to_vec())).collect();
            read.push((ebcdic::to_string(&[element.kind]).remove(0), found));
            taken.list.set_flags(flag::PARAMETER_DATA);
            vmdbk.iucv().reply(vmdbk.id, &space, &mut taken.list).unwrap();
            ControlProgram::monitor_answered(&self.cp);
        }
        read
    }
}

fn of(records: &Records, domain: u8, record: u16) -> Vec<&Vec<u8>> {
    let wanted = records.iter().filter(|(header, _)| (header.domain, header.record.get()) == (domain, record));
    wanted.map(|(_, rest)| rest).collect()
}

fn word(record: &[u8], offset: usize) -> u32 {
    u32::from_be_bytes(record[offset - 20..offset - 16].try_into().unwrap())
}

fn userids(records: &[&Vec<u8>]) -> Vec<String> {
    records.iter().map(|record| ebcdic::to_string(&record[..8]).trim_end().to_string()).collect()
}

#[test]
fn a_reader_finds_configuration_and_samples() {
    let site = Site::new(3);
    site.say("monitor sample enable all");
    assert_eq!(
        site.say("monitor sample interval 10 sec rate 1 start"),
        "HCPMNR6224I SAMPLE recording is pending because there are no users connected to *MONITOR for this data"
    );
    let reader = site.connected("READER");
    let first = site.read(&reader);
    assert_eq!(first.len(), 1);
    let (letter, configuration) = &first[0];
    assert_eq!(*letter, 'S');
    for number in [4, 5, 7, 9, 15, 16, 17] {
        assert!(!of(configuration, 1, number).is_empty(), "1.{number}");
    }
    assert_eq!(userids(&of(configuration, 1, 15)), ["MAINT", "READER"]);
    site.log_on("U0000");
    site.pass(10);
    let second = site.read(&reader);
    assert_eq!(second.len(), 1);
    let (_, samples) = &second[0];
    for (domain, numbers) in
        [(0, vec![1, 2, 4, 6, 8, 10, 11, 12, 13, 14]), (3, vec![1, 3]), (4, vec![3, 4]), (5, vec![3])]
    {
        numbers.into_iter().for_each(|number| assert!(!of(samples, domain, number).is_empty(), "{domain}.{number}"));
    }
    // The counts are those of CP.
    assert_eq!(word(of(samples, 0, 8)[0], 20), 3);
    assert_eq!(word(of(samples, 0, 8)[0], 20) as usize, site.cp.user_count());
    assert_eq!(word(of(samples, 0, 12)[0], 60), 10, "a look each second");
    assert_eq!(userids(&of(samples, 4, 3)), ["MAINT", "READER", "U0000"]);
    assert_eq!(userids(&of(samples, 3, 3)), ["MONDCSS"]);
    assert_eq!(word(of(samples, 3, 3)[0], 32), 1, "one user of the segment");
    assert_eq!(word(of(samples, 3, 3)[0], 36), 1024, "its pages");
    let wait = u64::from_be_bytes(of(samples, 0, 2)[0][28..36].try_into().unwrap());
    let now = site.clock.now().0 - site.cp.started.0;
    assert_eq!(wait, now, "nothing has run");
    // What is not enabled is not there; who has gone is not either.
    site.say("monitor sample disable all");
    site.say("monitor sample enable user userid u0000");
    site.pass(10);
    let third = site.read(&reader);
    let (_, samples) = &third[0];
    assert_eq!(userids(&of(samples, 4, 3)), ["U0000"]);
    assert!(of(samples, 5, 3).is_empty() && of(samples, 3, 1).is_empty());
    let commands: Vec<String> = of(samples, 1, 10).iter().map(|record| ebcdic::to_string(&record[12..])).collect();
    assert_eq!(commands, ["MONITOR SAMPLE DISABLE ALL", "MONITOR SAMPLE ENABLE USER USERID U0000"]);
    assert_eq!(
        site.say("query monitor sample").lines().take(7).collect::<Vec<_>>(),
        [
            "MONITOR SAMPLE ACTIVE",
            "     INTERVAL   10 SECONDS",
            "     RATE     1.00 SECONDS",
            "MONITOR DCSS NAME - MONDCSS",
            "CONFIGURATION SIZE      241 LIMIT         1 MINUTES",
            "CONFIGURATION AREA IS FREE",
            "USERS CONNECTED TO *MONITOR - READER",
        ]
    );
    // With its reader the monitor rests.
    logon::log_off(&site.cp, &reader, logon::Reason::LogOff);
    assert!(site.say("query monitor sample").contains("NO USERS CONNECTED"));
    assert!(site.say("query monitor sample").starts_with("MONITOR SAMPLE PENDING"));
}

#[test]
fn the_same_system_gives_the_same_bytes() {
    let run = || {
        let site = Site::new(5);
        site.say("monitor sample enable all");
        site.say("monitor event enable all");
        site.say("monitor start");
        let reader = site.connected("READER");
        (0..5).for_each(|n| drop(site.log_on(&format!("U{n:04}"))));
        site.say("set share u0000 relative 200");
        site.pass(50);
        let mut read = site.read(&reader);
        site.pass(80);
        read.extend(site.read(&reader));
        read.into_iter()
            .map(|(letter, records)| {
                let bytes = records.iter().flat_map(|(header, rest)| [header.as_bytes(), rest].concat()).collect();
                (letter, bytes)
            })
            .collect::<Vec<(char, Vec<u8>)>>()
    };
    let (one, two) = (run(), run());
    assert!(one.len() >= 4, "{}", one.len());
    assert!(one == two, "the same, byte for byte");
}

#[test]
fn connections_that_are_severed_at_once() {
    let site = Site::new(0);
    let refused = |vmdbk: &Arc<Vmdbk>, segment: &str, shared, flags| {
        assert_eq!(site.connect(vmdbk, segment, shared, flags), Ok(0));
        let (kind, user) = site.told(vmdbk).expect("an interruption");
        assert_eq!(kind, kind::SEVERED);
        // The path is there until the program severs its end.
        let mut all = List::default();
        all.set_flags(flag::ALL);
        vmdbk.iucv().sever(vmdbk.id, &all).unwrap();
        user[0]
    };
    let other = site.log_on("OTHER");
    other.iucv().declare(other.id, 0, 0x1000).unwrap();
    assert_eq!(site.connect(&other, "MONDCSS", 1, flag::PARAMETER_DATA), Err(code::NOT_AUTHORISED));
    let second = site.reader("SECOND", "SMALL");
    assert_eq!(refused(&second, "MONDCSS", 1, flag::PARAMETER_DATA), reason::NOT_LOADED);
    assert_eq!(refused(&second, "SMALL", 1, flag::PARAMETER_DATA), reason::TOO_SMALL);
    assert_eq!(refused(&second, "SMALL", 1, 0), reason::NO_PARAMETER_DATA);
    assert_eq!(refused(&second, "SMALL", 9, flag::PARAMETER_DATA), reason::USER_DATA);
    let reader = site.connected("READER");
    assert_eq!(site.connect(&reader, "MONDCSS", 1, flag::PARAMETER_DATA), Err(code::TARGET_PATHS), "one path each");
    assert_eq!(refused(&second, "SMALL", 1, flag::PARAMETER_DATA), reason::OTHER_SEGMENT);
    assert!(site.say("query monitor event").contains("USERS CONNECTED TO *MONITOR - READER"));
}

#[test]
fn two_readers_and_their_events() {
    let site = Site::new(2);
    let (one, two) = (site.connected("READER"), site.connected("SECOND"));
    site.say("monitor event enable all");
    assert_eq!(site.say("monitor event start"), "HCPMNR6225I EVENT recording is started");
    for reader in [&one, &two] {
        let read = site.read(reader);
        assert_eq!((read.len(), read[0].0), (1, 'E'));
        assert_eq!(of(&read[0].1, 1, 1).len(), 1, "the profile");
    }
    let user = site.log_on("U0001");
    site.say("set share u0001 absolute 10% limithard");
    site.say("set quickdsp u0001 on");
    site.say("set srm dspslice 7");
    logon::log_off(&site.cp, &user, logon::Reason::LogOff);
    site.say("monitor event disable user all");
    drop(site.log_on("U0000"));
    site.pass(60);
    let (first, again) = (site.read(&one), site.read(&two));
    assert_eq!(first.len(), 1);
    let events = &first[0].1;
    assert!(again[0].1 == *events, "both read the same");
    let order: Vec<(u8, u16)> = events.iter().map(|(header, _)| (header.domain, header.record.get())).collect();
    assert_eq!(order, [(4, 1), (2, 9), (2, 10), (2, 7), (4, 2), (1, 2)]);
    assert_eq!(userids(&of(events, 4, 1)), ["U0001"]);
    let share = of(events, 2, 9)[0];
    assert_eq!((share[8], share[9], &share[10..12]), (0x80, 2, &100u16.to_be_bytes()[..]));
    assert_eq!(of(events, 2, 10)[0][8], 1);
    assert_eq!(of(events, 2, 7)[0][..8], Tod(0).plus_micros(7000).0.to_be_bytes());
    assert_eq!(ebcdic::to_string(&of(events, 1, 2)[0][4..]), "MONITOR EVENT DISABLE USER ALL");
}

#[test]
fn data_of_programs() {
    let site = Site::new(0);
    site.say("monitor sample enable appldata all");
    site.say("monitor event enable appldata all");
    let reader = site.connected("READER");
    let user = site.log_on("SECOND");
    let storage = user.machine().configuration.storage().clone();
    let request = |function, product: u8, length| ApplicationData {
        function,
        product: [product; 16],
        buffer: Real(0x2ffe),
        length,
        space: Space { storage: storage.clone(), prefix: 0, prefix_area: 0x1000 },
    };
    let call = |request: ApplicationData| site.cp.application_data(&user, &request);
    storage.write(Absolute(0x2ffe), b"ab").unwrap();
    storage.write(Absolute(0x3000), b"cd").unwrap();
    assert_eq!(call(request(function::STOP, 1, 0)), 4);
    assert_eq!(call(request(function::START_INTERVAL, 1, 4025)), 8);
    assert_eq!(call(request(function::START_INTERVAL, 1, 4)), 0);
    assert_eq!(call(request(function::START_CONFIGURATION, 2, 3)), 0);
    site.say("monitor start");
    let read = site.read(&reader);
    let data = |read: &[(char, Records)], record: u16| -> Vec<Vec<u8>> {
        let found = read.iter().flat_map(|(_, records)| of(records, 10, record)).cloned();
        found
            .inspect(|record| {
                assert_eq!(record[4..12], ebcdic::padded::<8>("SECOND"));
                assert_eq!((word(record, 20) as usize, word(record, 48)), (record.len() - 32, 52));
            })
            .map(|record| record[32..].to_vec())
            .collect()
    };
    assert_eq!(data(&read, 3), [b"abc".to_vec(), b"abc".to_vec()], "of samples, and of events");
    assert_eq!(data(&read, 2), [b"abcd".to_vec()]);
    storage.write(Absolute(0x3000), b"ef").unwrap();
    assert_eq!(call(request(function::EVENT, 3, 2)), 0);
    site.pass(60);
    let read = site.read(&reader);
    assert_eq!((data(&read, 2), data(&read, 1)), (vec![b"abef".to_vec()], vec![b"ab".to_vec()]));
    // What ends is told with its last data; after a reset there is nothing to tell.
    assert_eq!(call(request(function::STOP, 1, 0)), 0);
    assert_eq!(call(request(function::START_INTERVAL, 4, 1)), 0);
    assert_eq!(call(request(function::START_INTERVAL, 5, 4024)), 0);
    logon::log_off(&site.cp, &user, logon::Reason::LogOff);
    site.pass(60);
    let read = site.read(&reader);
    assert!(data(&read, 2).is_empty());
    let ended: Vec<usize> = data(&read, 1).iter().map(Vec::len).collect();
    assert_eq!(ended, [4, 3, 1, 4024]);
}

/// What a sample of a system with a hundred users costs, in real time: at one-minute intervals with a look every two
/// seconds it must be less than a hundredth.
#[test]
fn the_cost_of_samples() {
    let site = Site::new(100);
    (0..100).for_each(|n| drop(site.log_on(&format!("U{n:04}"))));
    let reader = site.connected("READER");
    site.say("monitor sample enable all");
    site.say("monitor start");
    site.read(&reader);
    // Disconnected users are forced off after 15 minutes.
    let rounds = 12;
    let mut spent = std::time::Duration::ZERO;
    for _ in 0..rounds {
        let began = Instant::now();
        site.pass(60);
        spent += began.elapsed();
        let read = site.read(&reader);
        assert_eq!(read.iter().map(|(_, records)| of(records, 4, 3).len()).sum::<usize>(), 102);
    }
    let each = spent / rounds;
    println!("{each:?} a minute: {:.4} %", each.as_secs_f64() / 60.0 * 100.0);
    assert!(each.as_secs_f64() < 0.6, "{each:?} a minute");
}
