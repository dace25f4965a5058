//! A gateway for a machine of another program: `cargo run -p uplink --example gateway -- unix:/tmp/net 8080:80`, and
//! then, for example, `qemu-system-s390x -netdev stream,id=n,server=off,addr.type=unix,addr.path=/tmp/net -device
//! virtio-net-ccw,netdev=n`. The words after the place publish ports; `mtu=65520` and `host` (for access to the host's
//! loopback) are the others. Each second in which something happened, it says what.

use std::sync::{Arc, OnceLock};
use std::time::Duration;
use uplink::stream::{Place, Stream};
use uplink::{Settings, Uplink};

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
    let stream: Arc<OnceLock<Stream>> = Arc::default();
    let out = stream.clone();
    let uplink = Uplink::start(settings, move |frame| out.get().is_none_or(|stream| stream.frame(frame)))?;
    for problem in uplink.problems() {
        eprintln!("{problem}");
    }
    for (publish, at) in uplink.published() {
        eprintln!("{at} leads to the guest's port {}", publish.guest);
    }
    let uplink = Arc::new(uplink);
    let (into, room) = (uplink.clone(), uplink.clone());
    let deliver = move |frame: &[u8]| _ = into.frame(frame);
    if stream.set(Stream::listen(&place, deliver, move || room.room())?).is_err() {
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
