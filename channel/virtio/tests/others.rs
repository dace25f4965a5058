//! A folder's device, a disk, a console, sockets and a balloon, as their drivers use them.

mod driver;

use arch::Absolute;
use arch::virtio::{DiskConfig, SocketHeader, command, feature, kind, socket_operation as operation};
use driver::*;
use std::io;
use std::sync::{Arc, Mutex};
use virtio::*;
use zerocopy::{FromBytes, IntoBytes};

/// Brings a device of this kind up, with all features that it has.
fn start(device: Box<dyn css::Device>, model: u8, queues: u16) -> Driver {
    let mut driver = Driver::new(device);
    assert_eq!(driver.command(0xe4, &[0; 7]), Ok(vec![0xff, 0x38, 0x32, model, 0, 0, 0]));
    driver.command(command::SET_REVISION, &[0, 2, 0, 0]).unwrap();
    let features = driver.offered() & !feature::EVENT_IDX;
    driver.enable(false);
    driver.enable(true);
    driver.negotiate(features);
    driver.start(queues, true);
    driver
}

/// Says what it was asked, turned round, and counts its resets.
#[derive(Default)]
struct Echo(usize);

impl Service for Echo {
    fn answer(&mut self, request: &[u8], _: usize, answer: &mut Vec<u8>) {
        answer.extend(request.iter().rev());
    }

    fn reset(&mut self) {
        self.0 += 1;
    }
}

/// Offers a request in descriptor `n` with room in the one after it.
fn ask(driver: &mut Driver, n: u16, request: &[u8], room: u32) {
    driver.stand.put(Driver::buffer(0, n), request);
    driver.describe(0, n, request.len() as u32, 1, n + 1);
    driver.describe(0, n + 1, room, 2, 0);
    driver.offer(0, n);
}

#[test]
fn requests_are_answered_when_they_are_done() {
    let (desk, mut echo) = (Desk::new(), Echo::default());
    let mut driver = start(Box::new(Virtio::new(share("home", 4096, desk.clone()))), kind::SHARE, 1);
    assert_eq!(driver.command(command::READ_CONFIG, &[0; 8]).unwrap(), b"\x04\0home\0\0");
    ask(&mut driver, 0, b"abc", 100);
    ask(&mut driver, 2, b"defghi", 4);
    assert!(driver.notify(0));
    assert_eq!((driver.used(0), driver.interruptions()), (vec![], (0, 0)));
    desk.serve_now(&mut echo);
    driver.stand.css.attend();
    assert_eq!((driver.used(0), driver.interruptions()), (vec![(0, 3), (2, 4)], (1, 0)));
    assert_eq!(
        (driver.stand.get(Driver::buffer(0, 1), 3), driver.stand.get(Driver::buffer(0, 3), 4)),
        (b"cba".into(), b"ihgf".into())
    );
    // One that was asked before a reset is not answered after it.
    ask(&mut driver, 4, b"late", 100);
    driver.notify(0);
    driver.command(command::RESET, &[]).unwrap();
    driver.status(3).unwrap();
    driver.features(feature::VERSION_1);
    driver.status(0x0b).unwrap();
    driver.start(1, true);
    ask(&mut driver, 6, b"new", 100);
    driver.notify(0);
    desk.serve_now(&mut echo);
    driver.stand.css.attend();
    assert_eq!((driver.used(0), echo.0), (vec![(6, 3)], 1));
    // A request that is too long breaks the device.
    driver.describe(0, 8, 60_000, 0, 0);
    driver.offer(0, 8);
    driver.notify(0);
    driver.interruptions();
    assert_eq!(driver.command(command::READ_STATUS, &[0]), Ok(vec![0x4f]));
}

#[test]
fn a_thread_answers_and_ends() {
    let desk = Desk::new();
    let mut driver = start(Box::new(Virtio::new(share("t", 4096, desk.clone()))), kind::SHARE, 1);
    let at = desk.clone();
    let thread = std::thread::spawn(move || at.serve(&mut Echo::default()));
    for round in 0..200u32 {
        ask(&mut driver, 0, &round.to_be_bytes(), 100);
        driver.notify(0);
        while driver.used(0).is_empty() {
            driver.stand.css.attend();
            std::thread::yield_now();
        }
        assert_eq!(driver.stand.get(Driver::buffer(0, 1), 4), round.to_le_bytes());
    }
    desk.close();
    thread.join().unwrap();
}

/// A disk in storage that cannot write its last sector, and may not know how to give sectors up.
struct Memory {
    bytes: Vec<u8>,
    flushed: usize,
    discards: bool,
}

#[derive(Clone)]
struct Store(Arc<Mutex<Memory>>);

impl Store {
    fn lock(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.0.lock().unwrap()
    }
}

impl Medium for Store {
    fn read(&mut self, at: u64, to: &mut [u8]) -> io::Result<()> {
        to.copy_from_slice(&self.lock().bytes[at as usize..at as usize + to.len()]);
        Ok(())
    }

    fn write(&mut self, at: u64, from: &[u8]) -> io::Result<()> {
        let mut memory = self.lock();
        let end = at as usize + from.len();
        if end == memory.bytes.len() {
            return Err(io::Error::other("the last sector"));
        }
        memory.bytes[at as usize..end].copy_from_slice(from);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().flushed += 1;
        Ok(())
    }

    fn discard(&mut self, at: u64, length: u64) -> io::Result<()> {
        let mut memory = self.lock();
        if !memory.discards {
            return Err(io::ErrorKind::Unsupported.into());
        }
        memory.bytes[at as usize..(at + length) as usize].fill(0);
        Ok(())
    }
}

fn head(kind: u32, sector: u64, rest: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &[0; 4], &sector.to_le_bytes(), rest].concat()
}

fn part(sector: u64, count: u32, flags: u32) -> Vec<u8> {
    [&sector.to_le_bytes()[..], &count.to_le_bytes(), &flags.to_le_bytes()].concat()
}

#[test]
fn a_disk_reads_writes_and_gives_up() {
    let memory = Memory { bytes: vec![0xaa; 16 * 512], flushed: 0, discards: true };
    let memory = Store(Arc::new(Mutex::new(memory)));
    let geometry = Geometry { sectors: 16, read_only: false, serial: "a serial number that is long".into() };
    let mut disk = Sectors::new(geometry.clone(), memory.clone());
    let mut ask = |request: Vec<u8>, room: usize| {
        let mut answer = Vec::new();
        disk.answer(&request, room, &mut answer);
        assert_eq!(answer.len(), room);
        answer
    };
    let sectors = [[1u8; 512], [2; 512]].concat();
    assert_eq!(ask(head(1, 3, &sectors), 1), [0]);
    assert_eq!(ask(head(0, 2, &[]), 1537), [&[0xaa; 512][..], &sectors, &[0]].concat());
    assert_eq!(ask(head(4, 0, &[]), 1), [0]);
    assert_eq!(ask(head(8, 0, &[]), 21), b"a serial number that\0");
    // Beyond its end, no whole sectors, no such request, an error of the medium, no head, no room.
    for (request, room) in [
        (head(0, 15, &[]), 1025),
        (head(0, u64::MAX, &[]), 513),
        (head(0, 0, &[]), 514),
        (head(1, 16, &[0; 512]), 1),
        (head(1, 0, &[0; 100]), 1),
        (head(1, 15, &[0; 512]), 1),
        (vec![0; 15], 1),
    ] {
        assert_eq!(ask(request.clone(), room).last(), Some(&1), "{request:?}");
    }
    assert_eq!(ask(head(99, 0, &[]), 1), [2]);
    assert!(ask(head(4, 0, &[]), 0).is_empty());
    // Parts: all or none.
    assert_eq!(ask(head(11, 0, &[part(3, 1, 0), part(15, 2, 0)].concat()), 1), [1]);
    assert_eq!(ask(head(11, 0, &part(3, 1, 1)), 1), [1]);
    assert_eq!(ask(head(11, 0, &[]), 1), [1]);
    assert_eq!(memory.lock().bytes[3 * 512], 1);
    assert_eq!(ask(head(11, 0, &[part(3, 1, 0), part(5, 2, 0)].concat()), 1), [0]);
    memory.lock().discards = false;
    assert_eq!(ask(head(11, 0, &part(4, 1, 0)), 1), [2]);
    assert_eq!(ask(head(13, 0, &part(4, 1, 1)), 1), [0]);
    assert_eq!(memory.lock().bytes[2 * 512..8 * 512], [&[0xaa; 512][..], &[0; 4 * 512], &[0xaa; 512]].concat()[..]);
    assert_eq!(memory.lock().flushed, 1);
    // One that cannot be written.
    let mut disk = Sectors::new(Geometry { read_only: true, ..geometry.clone() }, memory.clone());
    for request in [head(1, 3, &[7; 512]), head(11, 0, &part(3, 1, 0)), head(13, 0, &part(3, 1, 0))] {
        let mut answer = Vec::new();
        disk.answer(&request, 1, &mut answer);
        assert_eq!(answer, [1]);
    }
    // As a device.
    let desk = Desk::new();
    let mut driver = start(Box::new(Virtio::new(virtio::disk(&geometry, desk.clone()))), kind::DISK, 1);
    let config = driver.command(command::READ_CONFIG, &[0; size_of::<DiskConfig>()]).unwrap();
    let config = DiskConfig::read_from_bytes(&config).unwrap();
    assert_eq!((config.sectors.get(), config.block.get(), config.segments.get()), (16, 512, 126));
}

#[test]
fn a_console_moves_bytes_and_waits_for_none() {
    let line = Line::new();
    let mut driver = start(Box::new(Virtio::new(SerialConsole::new(line.clone()))), kind::CONSOLE, 2);
    driver.fill(0, 0..4, 5);
    driver.stand.put(Driver::buffer(1, 0), b"login: ");
    driver.describe(1, 0, 7, 0, 0);
    driver.offer(1, 0);
    assert!(driver.notify(1));
    assert_eq!((driver.used(1), line.receive(|| false)), (vec![(0, 0)], b"login: ".to_vec()));
    assert!(line.send(b"root\n123456"));
    driver.stand.css.attend();
    assert_eq!(driver.used(0), [(0, 5), (1, 5), (2, 1)]);
    assert_eq!(driver.stand.get(Driver::buffer(0, 1), 5), b"12345");
    // What nothing takes is lost, the oldest first.
    for n in 0..40u16 {
        driver.stand.put(Driver::buffer(1, 1), &[n as u8; 2000]);
        driver.describe(1, 1, 2000, 0, 0);
        driver.offer(1, 1);
        driver.notify(1);
    }
    let kept = line.receive(|| false);
    assert_eq!((kept.len(), kept[0], kept[LINE - 1]), (LINE, 7, 39));
    assert_eq!(line.figures(), (true, 80_000 - LINE as u64));
    assert_eq!(line.receive(|| true), b"");
    line.close();
    assert_eq!((line.receive(|| false), line.send(&[0; LINE + 1])), (vec![], false));
}

#[test]
fn a_balloon_gives_pages_back_and_says_how_many() {
    let valve = Valve::new();
    let mut driver = start(Box::new(Virtio::new(Balloon::new(valve.clone()))), kind::BALLOON, 4);
    let page = |driver: &Driver, n: u64| driver.stand.get(n << 12, 1)[0];
    for n in 0xe0..0xf0u64 {
        driver.stand.storage.write(Absolute(n << 12), &[0x77; 4096]).unwrap();
    }
    valve.want(3);
    driver.stand.css.attend();
    assert_eq!(driver.interruptions(), (0, 1));
    assert_eq!(driver.stand.get(CONFIG, 8), 1u64.to_be_bytes());
    assert_eq!(driver.command(command::READ_CONFIG, &[0; 8]).unwrap(), [3, 0, 0, 0, 0, 0, 0, 0]);
    driver.stand.put(Driver::buffer(0, 0), &[0xe1u32, 0xe2, 0xe5].map(u32::to_le_bytes).concat());
    driver.describe(0, 0, 12, 0, 0);
    driver.offer(0, 0);
    driver.notify(0);
    assert_eq!(driver.used(0), [(0, 0)]);
    driver.command(command::WRITE_CONFIG, &[3, 0, 0, 0, 3, 0, 0, 0]).unwrap();
    assert_eq!((0xe0..0xe7).map(|n| page(&driver, n)).collect::<Vec<_>>(), [0x77, 0, 0, 0x77, 0x77, 0, 0x77]);
    // Statistics go back and forth.
    let statistic = |tag: u16, value: u64| [&tag.to_le_bytes()[..], &value.to_le_bytes()].concat();
    driver.stand.put(Driver::buffer(2, 0), &[statistic(4, 1000), statistic(5, 5000), statistic(99, 1)].concat());
    driver.describe(2, 0, 30, 0, 0);
    driver.offer(2, 0);
    driver.notify(2);
    assert_eq!(driver.used(2), []);
    let figures = valve.figures();
    assert_eq!((figures.wanted, figures.given, figures.free, figures.total), (3, 3, 1000, 5000));
    driver.stand.css.attend();
    assert_eq!(driver.used(2), [(0, 0)]);
    // Free pages: whole ones are given back.
    let describe = |driver: &mut Driver, at: u64, length: u32| {
        let descriptor =
            arch::virtio::Descriptor { address: at.into(), length: length.into(), flags: 2.into(), next: 0.into() };
        driver.stand.put(parts(3).descriptors.get(), descriptor.as_bytes());
        driver.offer(3, 0);
        driver.notify(3);
    };
    describe(&mut driver, 0xe8_800, 0x2800);
    assert_eq!((0xe8..0xec).map(|n| page(&driver, n)).collect::<Vec<_>>(), [0x77, 0, 0, 0x77]);
    assert_eq!(valve.figures().reported, 0x2800);
    // A page that there is not.
    driver.stand.put(Driver::buffer(0, 0), &0x7fff_ffffu32.to_le_bytes());
    driver.describe(0, 0, 4, 0, 0);
    driver.offer(0, 0);
    driver.notify(0);
    driver.interruptions();
    assert_eq!(driver.command(command::READ_STATUS, &[0]), Ok(vec![0x4f]));
}

fn packet(what: u16, ports: Ports, room: u32, handed_on: u32, data: &[u8]) -> Vec<u8> {
    let header = SocketHeader {
        from: 3.into(),
        to: HOST.into(),
        from_port: ports.guest.into(),
        to_port: ports.host.into(),
        length: (data.len() as u32).into(),
        kind: 1.into(),
        operation: what.into(),
        flags: 0.into(),
        room: room.into(),
        handed_on: handed_on.into(),
    };
    [header.as_bytes(), data].concat()
}

#[test]
fn a_program_and_its_host_connect() {
    let hub = Hub::new(FIRST_GUEST);
    let woken = Arc::new(Mutex::new(0));
    let wake = woken.clone();
    hub.on_events(move || *wake.lock().unwrap() += 1);
    let mut driver = start(Box::new(Virtio::new(SocketDevice::new(hub.clone()))), kind::SOCKETS, 3);
    assert_eq!(driver.command(command::READ_CONFIG, &[0; 8]).unwrap(), [3, 0, 0, 0, 0, 0, 0, 0]);
    driver.fill(0, 0..8, 50);
    let send = |driver: &mut Driver, bytes: &[u8]| {
        driver.stand.put(Driver::buffer(1, 0), bytes);
        driver.describe(1, 0, bytes.len() as u32, 0, 0);
        driver.offer(1, 0);
        driver.notify(1);
        assert_eq!(driver.used(1), [(0, 0)]);
    };
    let mut got = 0;
    let mut receive = |driver: &mut Driver| {
        driver.stand.css.attend();
        let mut packets = Vec::new();
        for (head, length) in driver.used(0) {
            let bytes = driver.stand.get(Driver::buffer(0, head as u16), length as usize);
            let (header, data) = SocketHeader::read_from_prefix(&bytes).unwrap();
            assert_eq!((header.from.get(), header.to.get(), header.length.get() as usize), (HOST, 3, data.len()));
            packets.push((header.operation.get(), header.to_port.get(), data.to_vec()));
            got += 1;
        }
        packets
    };
    let ports = Ports { host: 5000, guest: 77 };
    send(&mut driver, &packet(operation::REQUEST, ports, 1000, 0, &[]));
    assert_eq!((hub.with(|sockets| sockets.event()), *woken.lock().unwrap()), (Some(Event::Asked(ports)), 1));
    hub.with(|sockets| sockets.accept(ports));
    assert_eq!(receive(&mut driver), [(operation::RESPONSE, 77, vec![])]);
    send(&mut driver, &packet(operation::DATA, ports, 1000, 0, b"hello"));
    assert_eq!(hub.with(|sockets| sockets.event()), Some(Event::Data(ports, b"hello".to_vec())));
    // A buffer has room for six bytes after the head.
    assert_eq!(hub.with(|sockets| sockets.send(ports, b"good evening")), 12);
    assert_eq!(
        receive(&mut driver),
        [(operation::DATA, 77, b"good e".to_vec()), (operation::DATA, 77, b"vening".to_vec())]
    );
    // One that is not there.
    send(&mut driver, &packet(operation::DATA, Ports { host: 1, guest: 2 }, 0, 0, b"x"));
    assert_eq!(receive(&mut driver), [(operation::RESET, 2, vec![])]);
    // More than is said follows the head: that is no packet.
    let mut wrong = packet(operation::DATA, ports, 0, 0, b"x");
    wrong[24] = 9;
    driver.stand.put(Driver::buffer(1, 0), &wrong);
    driver.describe(1, 0, wrong.len() as u32, 0, 0);
    driver.offer(1, 0);
    driver.notify(1);
    driver.interruptions();
    assert_eq!(driver.command(command::READ_STATUS, &[0]), Ok(vec![0x4f]));
    assert_eq!((hub.with(|sockets| sockets.event()), got), (Some(Event::Gone(ports)), 4));
}
