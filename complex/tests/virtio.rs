//! Debian's kernel with virtio devices: two machines with a network between them.

// Another test uses the rest.
#[allow(dead_code)]
mod linux;

use base::{Clock, Tod};
use linux::{Boot, guest};
use net::{Mac, Port, Settings, Switch};
use std::sync::Arc;
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

#[test]
fn two_linux_machines_talk_over_a_switch() {
    let Some(files) = guest() else { return };
    let switch = Switch::new(Arc::new(Elapsed(Instant::now())));
    let ports = [0; 2].map(|_| Arc::new(switch.port(Settings::default())));
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
        has("100 packets transmitted, 100 packets received, 0% packet loss");
        has("NET-ERRORS 0 0 0 0 0 0 0 0");
        has("NET-DONE");
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
