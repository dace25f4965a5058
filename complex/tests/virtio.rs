//! Debian's kernel with virtio devices: two machines with a network between them.

// Another test uses the rest.
#[allow(dead_code)]
mod linux;

use base::{Clock, Tod};
use linux::{Boot, guest};
use net::{Capture, Mac, Port, Settings, Switch};
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use virtio::{Cable, Card, Entropy, Virtio};

const MOST: Duration = Duration::from_secs(280);

/// Time since the test began.
struct Elapsed(Instant);

impl Clock for Elapsed {
    fn now(&self) -> Tod {
        Tod::from_unix_nanos(self.0.elapsed().as_nanos() as u64)
    }
}

/// Runs a machine with a card at this port until it powers off: what it has said.
fn run(files: &(Vec<u8>, Vec<u8>), what: &str, mac: u8, port: Arc<Port>) -> Vec<String> {
    let cable = Cable::new();
    cable.couple(Some(port));
    let boot = Boot::with(files, what, MOST, |machine| {
        let card = Virtio::new(Card::new(cable, Mac([2, 0, 0, 0, 0, mac]), 1500));
        let mut css = machine.css();
        css.attach(0x1000, Box::new(card)).unwrap();
        css.attach(0x1001, Box::new(Virtio::new(Entropy::new(|bytes| bytes.fill(7))))).unwrap();
    });
    boot.until(|_| false);
    boot.lines()
}

/// Numbers of pings.
type Numbers = HashSet<[u8; 2]>;

/// What goes through a port, as pcapng.
#[derive(Clone, Default)]
struct Recording(Arc<Mutex<Vec<u8>>>);

impl Write for Recording {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Recording {
    /// Of each series of a hundred pings: how many of them were sent, and how many were answered.
    fn pings(&self) -> Vec<(usize, usize)> {
        const PACKET: u32 = 6;
        const FRAME: usize = 28;
        let bytes = self.0.lock().unwrap();
        // By the machine that asks and its program: the numbers of requests, and of replies.
        let mut series: HashMap<(u8, [u8; 2]), [Numbers; 2]> = HashMap::new();
        let mut rest = &bytes[..];
        while let Some((head, _)) = rest.split_first_chunk::<8>() {
            let [kind, length] = [0, 4].map(|at| u32::from_be_bytes(head[at..at + 4].try_into().unwrap()));
            let (block, next) = rest.split_at(length as usize);
            rest = next;
            // IPv4 without options, ICMP: the end of an address is its last byte.
            let ping = |frame: &[u8]| frame[12..15] == [0x08, 0x00, 0x45] && frame[23] == 1;
            if kind != PACKET || block.len() <= FRAME + 42 || !ping(&block[FRAME..]) {
                continue;
            }
            let (frame, icmp) = (&block[FRAME..], &block[FRAME + 34..]);
            let (machine, which) = match icmp[0] {
                8 => (frame[29], 0),
                0 => (frame[33], 1),
                _ => continue,
            };
            series.entry((machine, [icmp[4], icmp[5]])).or_default()[which].insert([icmp[6], icmp[7]]);
        }
        let counts = series.into_values().map(|[sent, answered]| (sent.len(), answered.len()));
        counts.filter(|(sent, _)| *sent >= 100).collect()
    }
}

#[test]
fn two_linux_machines_talk_over_a_switch() {
    let Some(files) = guest() else { return };
    let switch = Switch::new(Arc::new(Elapsed(Instant::now())));
    let ports = [0; 2].map(|_| Arc::new(switch.port(Settings::default())));
    let recordings = [0, 1].map(|n: usize| {
        let recording = Recording::default();
        ports[n].capture(Some(Capture::new(Box::new(recording.clone()), "card").unwrap()));
        recording
    });
    let [one, two] = thread::scope(|scope| {
        let words = [
            "net vmb.addr=10.1.1.1 vmb.ping=10.1.1.2 vmb.take=7",
            "net vmb.addr=10.1.1.2 vmb.ping=10.1.1.1 vmb.give=10.1.1.1:7:4000000",
        ];
        let runs = [1, 2].map(|n| {
            let (files, port) = (&files, ports[n - 1].clone());
            scope.spawn(move || run(files, words[n - 1], n as u8, port))
        });
        runs.map(|run| run.join().unwrap())
    });
    for (n, lines) in [(1, &one), (2, &two)] {
        let has = |text: &str| assert!(lines.iter().any(|line| line.contains(text)), "no {text}: {lines:#?}");
        // The driver has put them on line by itself.
        has("NET-DEVICE 0.0.1000 3832/01 1 0x0000000f");
        has("NET-DEVICE 0.0.1001 3832/04 1 0x0000000f");
        has(&format!("NET-CARD 02:00:00:00:00:0{n} 1500 1"));
        has("NET-RANDOM virtio_rng.0");
        // Its socket takes few of them while busybox's ping is slow: what went through the card is counted below.
        has("100 packets transmitted, ");
        has("NET-ERRORS 0 0 0 0 0 0 0 0");
        has("NET-DONE");
    }
    for recording in recordings {
        assert_eq!(recording.pings(), [(100, 100); 2]);
    }
    let sum = |lines: &[String], what: &str| {
        let line = lines.iter().find_map(|line| line.split_once(what)).unwrap_or_else(|| panic!("{lines:#?}"));
        line.1.split_whitespace().next().map(str::to_owned)
    };
    assert_eq!(sum(&one, "NET-TAKEN "), sum(&two, "NET-GIVEN "));
    let [sent, received] = [ports[1].counters(), ports[0].counters()];
    assert!(sent.sent_bytes > 4_000_000 && received.received_bytes > 4_000_000, "{sent:?} {received:?}");
    // The one that is up first asks for neighbours before the other listens.
    assert!(sent.dropped < 32 && received.dropped < 32, "{sent:?} {received:?}");
    assert_eq!((sent.refused, received.refused), (0, 0));
}
