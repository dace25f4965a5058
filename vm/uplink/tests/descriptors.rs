//! Descriptors: none is left open, and when there are none, guests and callers are told. One test, because descriptors
//! are the process's.

mod guest;

use guest::{Guest, descriptors, open, seen};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;
use uplink::{Publish, Settings};

const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn descriptors_come_back_and_their_lack_is_told() {
    ten_thousand_short_connections();
    no_descriptor_is_left();
}

fn ten_thousand_short_connections() {
    const ALL: u32 = 10_000;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = seen(listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        for _ in 0..ALL {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 4];
            stream.read_exact(&mut asked).unwrap();
            stream.write_all(&asked).unwrap();
        }
    });
    let mut guest = Guest::new(open());
    let before = descriptors();
    let (mut begun, mut done, mut port) = (0, 0, 1_024);
    let mut running: Vec<(SocketHandle, u32, bool)> = Vec::new();
    while done < ALL {
        while running.len() < 40 && begun < ALL {
            let socket = guest.add_tcp(256);
            guest.call(socket, at, port);
            running.push((socket, begun, false));
            begun += 1;
            port = if port == u16::MAX { 1_024 } else { port + 1 };
        }
        guest.step();
        running.retain_mut(|(socket, number, asked)| {
            let tcp = guest.tcp(*socket);
            if !*asked && tcp.may_send() {
                tcp.send_slice(&number.to_be_bytes()).unwrap();
                *asked = true;
            }
            if tcp.recv_queue() == 4 {
                let mut answer = [0; 4];
                tcp.recv_slice(&mut answer).unwrap();
                assert_eq!(u32::from_be_bytes(answer), *number);
                tcp.close();
                done += 1;
            }
            if matches!(tcp.state(), tcp::State::Closed | tcp::State::TimeWait) {
                guest.sockets.remove(*socket);
                return false;
            }
            true
        });
    }
    guest.until(LIMIT, "the end", |guest| guest.uplink.flows() == (0, 0));
    server.join().unwrap();
    // The server's thread has ended, and with it its descriptor.
    assert!(descriptors() <= before, "{before} before, {} after", descriptors());
}

fn no_descriptor_is_left() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = seen(listener.local_addr().unwrap());
    // Calls come back from the backlog, and from the listener of the published port.
    let limit = getrlimit(Resource::Nofile);
    let few = Some(descriptors() as u64 + 40);
    setrlimit(Resource::Nofile, Rlimit { current: few, maximum: few }).unwrap();
    let mut guest = Guest::new(Settings { publish: vec![Publish::parse("0:22").unwrap()], ..open() });
    let callers: Vec<SocketHandle> = (0..60)
        .map(|number| {
            let socket = guest.add_tcp(64);
            guest.call(socket, at, 2_000 + number);
            socket
        })
        .collect();
    guest.until(LIMIT, "all of them decided", |guest| {
        callers.iter().all(|&socket| matches!(guest.tcp(socket).state(), tcp::State::Established | tcp::State::Closed))
    });
    let refused = callers.iter().filter(|&&socket| guest.tcp(socket).state() == tcp::State::Closed).count();
    assert!((20..60).contains(&refused), "{refused} refused");
    guest.until(LIMIT, "their count", |guest| guest.uplink.counters().no_descriptor == refused as u64);
    // A caller from outside is taken and told; the call itself needs a descriptor here, too.
    for &socket in &callers[..3] {
        guest.tcp(socket).abort();
    }
    guest.until(LIMIT, "two free ones", |guest| guest.uplink.flows().0 <= 60 - refused - 3);
    let published = guest.uplink.published()[0].1;
    let mut streams = Vec::new();
    while let Ok(stream) = TcpStream::connect(published) {
        streams.push(stream);
        guest.step();
    }
    assert!(!streams.is_empty());
    let mut last = streams.pop().unwrap();
    last.set_read_timeout(Some(LIMIT)).unwrap();
    guest.until(LIMIT, "a reset", |guest| {
        guest.uplink.room();
        last.set_nonblocking(true).unwrap();
        last.read(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset)
    });
    assert_eq!(guest.uplink.notices().len(), 1);
    assert_eq!(guest.uplink.notices().len(), 0);
    drop((guest, listener, streams, last, limit));
}
