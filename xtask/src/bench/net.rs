//! Networks without privilege: the same program moves bytes and asks things of a server on this host, through our
//! gateway and through that of QEMU (`-netdev user`).

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;

use super::machine::{Load, Machine};
use super::{Goal, Results, Row, Wish, booted, pair};
use crate::host::Outcome;

/// Bytes that go at once, and how often: those of `benches/guest/net.c`.
const BLOCK: usize = 64 * 1024;
const BLOCKS: usize = 16 * 1024;
/// Bytes of a question, and of its answer.
const QUESTION: usize = 64;
/// Items of which the processor's time counts, too: a gigabyte goes by in each.
const BULK: [&str; 2] = ["netget", "netput"];

/// The rows: at least five times the throughput and the requests, half the round trip, a third of the processor's time.
pub(super) fn net(wish: &Wish, load: &Load) -> Outcome<Vec<Row>> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| format!("No port is free: {error}."))?;
    let port = listener.local_addr().map_err(|error| format!("The port has no number: {error}."))?.port();
    thread::spawn(move || listener.incoming().flatten().for_each(|stream| drop(thread::spawn(move || serve(stream)))));
    let load = Load { network: true, ..load.clone() };
    let mut results = Results::default();
    for number in 1..=wish.rounds {
        for machine in pair(wish, Machine::Qemu) {
            let (running, _) = booted(machine, &load, &format!("vmb.mode=nets vmb.give=10.0.2.2:{port}"))?;
            results.take(machine, running, &format!("{number}/{}", wish.rounds))?;
        }
    }
    let goal = |item: &str| match item {
        "netask" => Goal::Ratio(0.5),
        _ if item.ends_with(PROCESSOR) => Goal::Ratio(0.33),
        _ => Goal::Ratio(0.2),
    };
    Ok(results.items.iter().map(|item| results.samples.row(item, "s", Machine::Qemu, goal(item))).collect())
}

/// What follows the name of an item where the processor's time is meant.
const PROCESSOR: &str = "-cpu";

/// The name of the row with the processor's time of an item, if it has one.
pub(super) fn processor(item: &str) -> Option<String> {
    BULK.contains(&item).then(|| format!("{item}{PROCESSOR}"))
}

/// Serves one connection; one that breaks is the guest's to tell.
fn serve(mut stream: TcpStream) -> Option<()> {
    let _ = stream.set_nodelay(true);
    let block: Vec<u8> = (0..BLOCK).map(|n| (n * 31 + (n >> 8)) as u8).collect();
    let mut purpose = [0];
    stream.read_exact(&mut purpose).ok()?;
    match purpose[0] {
        b'G' => (0..BLOCKS).try_for_each(|_| stream.write_all(&block)).ok(),
        b'P' => {
            let mut page = vec![0; BLOCK];
            let mut right = 0;
            for _ in 0..BLOCKS {
                stream.read_exact(&mut page).ok()?;
                right += usize::from(page == block);
            }
            stream.write_all(format!("{right:08x}").as_bytes()).ok()
        }
        _ => {
            let mut question = [0; QUESTION];
            while stream.read_exact(&mut question).is_ok() {
                stream.write_all(&question).ok()?;
            }
            Some(())
        }
    }
}
