//! Frames over a stream, as another program sends them: both ways, to one that is slow, that goes and comes back.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use uplink::wire::{Near, Place, Target, Wire};

const LIMIT: Duration = Duration::from_secs(20);

fn framed(frame: &[u8]) -> Vec<u8> {
    [&(frame.len() as u32).to_be_bytes()[..], frame].concat()
}

/// A near end that tells everything, and takes frames as long as it is not full.
struct Told {
    frames: Sender<Vec<u8>>,
    room: Sender<()>,
    links: Sender<bool>,
    full: Arc<AtomicBool>,
}

impl Near for Told {
    fn frame(&mut self, frame: &[u8]) -> bool {
        let takes = !self.full.load(Ordering::SeqCst);
        takes && self.frames.send(frame.to_vec()).is_ok()
    }

    fn room(&mut self) {
        let _ = self.room.send(());
    }

    fn link(&mut self, up: bool) {
        let _ = self.links.send(up);
    }
}

struct End {
    wire: Wire,
    got: Receiver<Vec<u8>>,
    told: Receiver<()>,
    links: Receiver<bool>,
    full: Arc<AtomicBool>,
}

fn open(target: Target) -> std::io::Result<End> {
    let ((frames, got), (room, told), (up, links)) = (channel(), channel(), channel());
    let full = Arc::new(AtomicBool::new(false));
    let wire = Wire::open(target, Told { frames, room, links: up, full: full.clone() })?;
    Ok(End { wire, got, told, links, full })
}

fn listen(place: &Place) -> (Wire, Receiver<Vec<u8>>, Receiver<()>) {
    let End { wire, got, told, .. } = open(Target::Listen(place.clone())).unwrap();
    (wire, got, told)
}

/// Gives whether the other side has closed.
fn closes(stream: &mut impl Read) -> bool {
    matches!(stream.read(&mut [0]), Ok(0) | Err(_))
}

fn waited(what: impl Fn() -> bool) {
    let end = std::time::Instant::now() + LIMIT;
    while !what() {
        assert!(std::time::Instant::now() < end);
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn frames_go_both_ways_and_a_wrong_length_ends_one_program_and_lets_the_next_in() {
    let path = std::env::temp_dir().join(format!("endicott-stream-{}", std::process::id()));
    // What a program left that has ended is in no one's way.
    drop(std::os::unix::net::UnixListener::bind(&path));
    let (stream, got, _) = listen(&Place::Unix(path.clone()));
    assert!(!stream.frame(b"too early"));
    for wrong in [0u32, 65_551, u32::MAX] {
        let mut peer = UnixStream::connect(&path).unwrap();
        peer.set_read_timeout(Some(LIMIT)).unwrap();
        peer.write_all(&[framed(b"one"), framed(&[7; 65_550])].concat()).unwrap();
        assert_eq!(got.recv_timeout(LIMIT).unwrap(), b"one");
        assert_eq!(got.recv_timeout(LIMIT).unwrap(), [7; 65_550]);
        assert!(stream.frame(b"two") && !stream.frame(&[0; 65_551]) && !stream.frame(&[]));
        let mut back = [0; 7];
        peer.read_exact(&mut back).unwrap();
        assert_eq!(back, framed(b"two")[..]);
        peer.write_all(&wrong.to_be_bytes()).unwrap();
        assert!(closes(&mut peer));
        waited(|| !stream.is_connected());
    }
    assert_eq!(stream.lost(), 7);
    drop(stream);
    assert!(!path.exists());
}

#[test]
fn a_program_that_reads_nothing_is_waited_for() {
    let (stream, _got, told) = listen(&"tcp:127.0.0.1:0".parse().unwrap());
    let mut peer = TcpStream::connect(stream.address().unwrap()).unwrap();
    waited(|| stream.is_connected());
    let mut taken = 0u32;
    let mut still = 0;
    while still < 50 {
        let mut frame = vec![7; 60_000];
        frame[..4].copy_from_slice(&taken.to_be_bytes());
        if stream.frame(&frame) {
            taken += 1;
            still = 0;
        } else {
            still += 1;
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    while told.try_recv().is_ok() {}
    // Everything that was taken arrives, and then there is room.
    let mut space = vec![0; 60_004];
    for number in 0..taken {
        peer.read_exact(&mut space).unwrap();
        assert_eq!(space[4..8], number.to_be_bytes());
    }
    told.recv_timeout(LIMIT).unwrap();
    assert!(stream.frame(&[1]));
    assert_eq!(stream.lost(), 0);
}

#[test]
fn two_of_them_are_connected_and_again_when_one_has_come_back() {
    let (one, got, _) = listen(&"tcp:127.0.0.1:0".parse().unwrap());
    let place = Place::Tcp(one.address().unwrap());
    let two = open(Target::Call(place.clone())).unwrap();
    assert_eq!(two.links.recv_timeout(LIMIT), Ok(true));
    assert!(two.wire.frame(b"there"));
    assert_eq!(got.recv_timeout(LIMIT).unwrap(), b"there");
    assert!(one.frame(b"and back"));
    assert_eq!(two.got.recv_timeout(LIMIT).unwrap(), b"and back");
    drop(one);
    assert_eq!(two.links.recv_timeout(LIMIT), Ok(false));
    assert!(!two.wire.is_connected() && !two.wire.frame(b"to nothing"));
    let refused = open(Target::Call(place.clone())).map(|_| ()).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    let (_one, got, _) = listen(&place);
    assert_eq!(two.links.recv_timeout(LIMIT), Ok(true));
    assert!(two.wire.frame(b"again"));
    assert_eq!(got.recv_timeout(LIMIT).unwrap(), b"again");
    let notices = two.wire.notices();
    assert_eq!(notices, ["it has closed the connection; it is tried again", "the network's other end is there again"]);
}

#[test]
fn a_near_end_without_room_is_waited_for_but_not_for_ever() {
    let End { wire, got, full, .. } = open(Target::Listen("tcp:127.0.0.1:0".parse().unwrap())).unwrap();
    let mut peer = TcpStream::connect(wire.address().unwrap()).unwrap();
    full.store(true, Ordering::SeqCst);
    peer.write_all(&[framed(b"one"), framed(b"two")].concat()).unwrap();
    // The first is waited for, the second no more.
    waited(|| wire.lost() == 2);
    peer.write_all(&framed(b"three")).unwrap();
    waited(|| wire.lost() == 3);
    // With room, it is waited again.
    wire.room();
    peer.write_all(&framed(b"four")).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    full.store(false, Ordering::SeqCst);
    wire.room();
    assert_eq!(got.recv_timeout(LIMIT).unwrap(), b"four");
}
