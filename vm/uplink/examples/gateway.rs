//! A gateway for a machine of another program: `cargo run -p uplink --example gateway -- unix:/tmp/net 8080:80`, and
//! then, for example, `qemu-system-s390x -netdev stream,id=n,server=off,addr.type=unix,addr.path=/tmp/net -device
//! virtio-net-ccw,netdev=n`. The words after the place publish ports; `mtu=65520` and `host` (for access to the host's
//! loopback) are the others. Each second in which something happened, it says what.

use std::sync::{Arc, OnceLock};
use std::time::Duration;
use uplink::wire::{Near, Place, Target, Wire};
use uplink::{Settings, Uplink};

/// The gateway, as what a program at the other end reaches.
struct Gateway(Arc<Uplink>);

impl Near for Gateway {
    fn frame(&mut self, frame: &[u8]) -> bool {
        self.0.frame(frame)
    }

    fn room(&mut self) {
        self.0.room();
    }

    fn link(&mut self, _up: bool) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let place: Place = words.next().ok_or("unix:PATH or tcp:ADDRESS:PORT is wanted")?.parse()?;
    let mut settings = Settings::default();
    settings.nat.seed = std::process::id().into();
    for word in words {
        match word.strip_prefix("mtu=") {
            Some(mtu) => {
                settings.nat.mtu = mtu.parse()?;
                settings.nat.segment = settings.nat.mtu;
            }
            None if word == "host" => settings.nat.host_access = true,
            None => settings.publish.push(word.parse()?),
        }
    }
    let stream: Arc<OnceLock<Wire>> = Arc::default();
    let out = stream.clone();
    let uplink = Uplink::start(settings, move |frame| out.get().is_none_or(|stream| stream.frame(frame)))?;
    for problem in uplink.problems() {
        eprintln!("{problem}");
    }
    for (publish, at) in uplink.published() {
        eprintln!("{at} leads to the guest's port {}", publish.guest);
    }
    let uplink = Arc::new(uplink);
    if stream.set(Wire::open(Target::Listen(place), Gateway(uplink.clone()))?).is_err() {
        unreachable!("it is set once");
    }
    let mut before = uplink.counters();
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let now = uplink.counters();
        let pairs = now.list().into_iter().zip(before.list());
        let grown = pairs.filter(|((_, now), (_, before))| now > before);
        let told: Vec<String> = grown.map(|((name, now), (_, before))| format!("{name} +{}", now - before)).collect();
        if !told.is_empty() {
            eprintln!("{}", told.join(", "));
        }
        for notice in uplink.notices() {
            eprintln!("{notice}");
        }
        before = now;
    }
}
