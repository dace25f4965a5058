//! Calls: what a message asks for, and what answers look like.

use crate::errno::Errno;
use arch::tcpip::{
    AF_INET, EchoCall, Head, OptionCall, Pair, SelectHead, SendHead, SocketAddress, SocketCall, StatusEntry,
};
use base::ebcdic;
use base::layout::{I32, U16, U32};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The numbers of calls, in the left half of IPTRGCLS.
pub mod number {
    /// Takes a connection.
    pub const ACCEPT: u16 = 1;
    /// Gives a socket an address here.
    pub const BIND: u16 = 2;
    /// Ends a socket.
    pub const CLOSE: u16 = 3;
    /// Makes a connection.
    pub const CONNECT: u16 = 4;
    /// Whether calls wait.
    pub const FCNTL: u16 = 5;
    /// The address here.
    pub const GETHOSTID: u16 = 7;
    /// The name here.
    pub const GETHOSTNAME: u16 = 8;
    /// The address of the other end.
    pub const GETPEERNAME: u16 = 9;
    /// The address of this end.
    pub const GETSOCKNAME: u16 = 10;
    /// An option's value.
    pub const GETSOCKOPT: u16 = 11;
    /// Whether calls wait, and how many bytes there are.
    pub const IOCTL: u16 = 12;
    /// Waits for connections from now on.
    pub const LISTEN: u16 = 13;
    /// Receives.
    pub const READ: u16 = 14;
    /// Receives, and tells from where.
    pub const RECV: u16 = 16;
    /// Which sockets are ready.
    pub const SELECT: u16 = 19;
    /// Sends.
    pub const SEND: u16 = 20;
    /// Sends to an address.
    pub const SENDTO: u16 = 22;
    /// Sets an option.
    pub const SETSOCKOPT: u16 = 23;
    /// Ends one direction.
    pub const SHUTDOWN: u16 = 24;
    /// Makes a socket.
    pub const SOCKET: u16 = 25;
    /// Sends, without a head.
    pub const WRITE: u16 = 26;
    /// Takes back a call that waits.
    pub const CANCEL: u16 = 42;
    /// Endicott's own: the addresses of a name.
    pub const RESOLVE: u16 = 0x4001;
    /// Endicott's own: an echo of ICMP.
    pub const ECHO: u16 = 0x4002;
    /// Endicott's own: all sockets.
    pub const STATUS: u16 = 0x4003;
}

/// The most sockets that SELECT takes.
const SELECTED: u32 = 2048;
/// The longest name that is looked for.
const LONGEST_NAME: usize = 255;
/// The longest data of an echo.
const LONGEST_ECHO: u32 = 8192;

/// A stream or datagrams.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    Stream,
    Datagrams,
}

/// The sockets that SELECT asks for: for reading, for writing, for exceptions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Masks {
    pub words: usize,
    pub masks: [Vec<U32>; 3],
}

impl Masks {
    /// The sockets of a mask: of each word the low bit is the first.
    pub(crate) fn sockets(&self, mask: usize) -> impl Iterator<Item = u16> {
        let words = self.masks[mask].iter().enumerate();
        words.flat_map(|(n, word)| {
            let bits = (0..32).filter(move |bit| word.get() >> bit & 1 != 0);
            bits.map(move |bit| (n * 32 + bit) as u16)
        })
    }
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Call {
    Accept { new: i32 },
    Bind(SocketAddrV4),
    Cancel(u32),
    Close,
    Connect(SocketAddrV4),
    Echo { to: Ipv4Addr, length: u32, patience: Duration },
    Fcntl { command: u32, argument: u32 },
    GetOption { level: u32, option: u32 },
    HostId,
    HostName,
    Ioctl { command: u32, argument: u32 },
    Listen { backlog: u32 },
    PeerName,
    Receive { flags: u32 },
    Resolve(String),
    Select { masks: Masks, time: Option<Duration> },
    Send { flags: u32, to: Option<SocketAddrV4>, data: Vec<u8> },
    SetOption { level: u32, option: u32, value: u32, more: Option<u32> },
    Shutdown { how: u32 },
    Socket { kind: Kind, new: i32 },
    SocketName,
    Status,
}

/// A message of exactly this layout.
fn whole<T: FromBytes + KnownLayout + Immutable + Unaligned>(data: &[u8]) -> Result<T, Errno> {
    T::read_from_bytes(data).map_err(|_| Errno::BadParameter)
}

/// What stands before the rest of a message.
fn front<T: FromBytes + KnownLayout + Immutable + Unaligned>(data: &[u8]) -> Result<(T, &[u8]), Errno> {
    T::read_from_prefix(data).map_err(|_| Errno::BadParameter)
}

fn address(layout: SocketAddress) -> Result<SocketAddrV4, Errno> {
    if layout.family.get() != AF_INET {
        return Err(Errno::Family);
    }
    Ok(SocketAddrV4::new(layout.address.get().into(), layout.port.get()))
}

/// An address as programs have it.
pub(crate) fn layout(address: SocketAddrV4) -> SocketAddress {
    SocketAddress {
        family: U16::new(AF_INET),
        port: U16::new(address.port()),
        address: U32::new((*address.ip()).into()),
        reserved_08: [0; 8],
    }
}

impl Call {
    /// The call that a message means.
    pub(crate) fn parse(number: u16, data: &[u8]) -> Result<Call, Errno> {
        let pair = || whole::<Pair>(data).map(|pair| (pair.first.get(), pair.second.get()));
        Ok(match number {
            number::ACCEPT => Call::Accept { new: pair()?.1 as i32 },
            number::BIND => Call::Bind(address(whole(data)?)?),
            number::CANCEL => Call::Cancel(pair()?.1),
            number::CLOSE => Call::Close,
            number::CONNECT => Call::Connect(address(whole(data)?)?),
            number::ECHO => {
                let EchoCall { address, length, patience } = whole(data)?;
                let (length, patience) = (length.get(), Duration::from_millis(patience.get().into()));
                if length > LONGEST_ECHO {
                    return Err(Errno::MessageSize);
                }
                Call::Echo { to: address.get().into(), length, patience }
            }
            number::FCNTL => pair().map(|(command, argument)| Call::Fcntl { command, argument })?,
            number::GETSOCKOPT => pair().map(|(level, option)| Call::GetOption { level, option })?,
            number::GETHOSTID => Call::HostId,
            number::GETHOSTNAME => Call::HostName,
            number::IOCTL => pair().map(|(command, argument)| Call::Ioctl { command, argument })?,
            number::LISTEN => Call::Listen { backlog: pair()?.1 },
            number::GETPEERNAME => Call::PeerName,
            number::READ => Call::Receive { flags: 0 },
            number::RECV => Call::Receive { flags: pair()?.1 },
            number::RESOLVE => Call::Resolve(name(data)?),
            number::SELECT => select(data)?,
            number::SEND | number::SENDTO => {
                let (head, data) = front::<SendHead>(data)?;
                let to = if number == number::SENDTO { Some(address(head.to)?) } else { None };
                Call::Send { flags: head.flags.get(), to, data: data.to_vec() }
            }
            number::SETSOCKOPT => {
                let (OptionCall { level, option, value }, rest) = front(data)?;
                let more = if rest.is_empty() { None } else { Some(whole::<U32>(rest)?.get()) };
                Call::SetOption { level: level.get(), option: option.get(), value: value.get(), more }
            }
            number::SHUTDOWN => Call::Shutdown { how: pair()?.1 },
            number::SOCKET => {
                let SocketCall { family, kind, protocol, number } = whole(data)?;
                if family.get() != u32::from(AF_INET) {
                    return Err(Errno::Family);
                }
                let kind = match (kind.get(), protocol.get()) {
                    (1, 0 | 6) => Kind::Stream,
                    (2, 0 | 17) => Kind::Datagrams,
                    (1 | 2, _) => return Err(Errno::Protocol),
                    _ => return Err(Errno::SocketType),
                };
                Call::Socket { kind, new: number.get() }
            }
            number::GETSOCKNAME => Call::SocketName,
            number::STATUS => Call::Status,
            number::WRITE => Call::Send { flags: 0, to: None, data: data.to_vec() },
            _ => return Err(Errno::BadCall),
        })
    }
}

/// A name in EBCDIC: letters, digits, hyphens, underscores and dots.
fn name(data: &[u8]) -> Result<String, Errno> {
    let name = ebcdic::to_string(data);
    let name = name.trim_matches([' ', '\0']).trim_end_matches('.').to_ascii_lowercase();
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let labels = name.split('.').all(|label| (1..=63).contains(&label.len()));
    if name.len() > LONGEST_NAME || !name.chars().all(good) || !labels {
        return Err(Errno::BadParameter);
    }
    Ok(name)
}

fn select(data: &[u8]) -> Result<Call, Errno> {
    let (SelectHead { count, timed, seconds, microseconds }, rest) = front::<SelectHead>(data)?;
    let words = count.get().div_ceil(32) as usize;
    if count.get() > SELECTED || rest.len() != 3 * 4 * words {
        return Err(Errno::BadParameter);
    }
    let mut masks: [Vec<U32>; 3] = Default::default();
    for (n, mask) in masks.iter_mut().enumerate() {
        let bytes = &rest[n * 4 * words..(n + 1) * 4 * words];
        *mask = <[U32]>::ref_from_bytes(bytes).map_err(|_| Errno::BadParameter)?.to_vec();
    }
    let time = Duration::from_secs(seconds.get().into()) + Duration::from_micros(microseconds.get().into());
    Ok(Call::Select { masks: Masks { words, masks }, time: (timed.get() != 0).then_some(time) })
}

/// An answer: what the call returns or why it failed, and what follows.
pub(crate) fn reply(outcome: Result<i32, Errno>, rest: &[u8]) -> Vec<u8> {
    let (code, error) = match outcome {
        Ok(code) => (code, 0),
        Err(errno) => (-1, errno as i32),
    };
    let mut bytes = Head { code: I32::new(code), error: I32::new(error) }.as_bytes().to_vec();
    bytes.extend_from_slice(rest);
    bytes
}

/// The masks of an answer to SELECT, and how many bits are on.
pub(crate) fn selected(masks: &Masks, ready: &[Vec<u16>; 3]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for sockets in ready {
        let mut words = vec![0u32; masks.words];
        sockets.iter().for_each(|&socket| words[usize::from(socket) / 32] |= 1 << (socket % 32));
        words.iter().for_each(|&word| bytes.extend_from_slice(U32::new(word).as_bytes()));
    }
    reply(Ok(ready.iter().map(Vec::len).sum::<usize>() as i32), &bytes)
}

/// The sockets of an answer to STATUS, as many as there is room for.
pub(crate) fn status(entries: &[StatusEntry], room: u32) -> Vec<u8> {
    let fit = (room as usize).saturating_sub(size_of::<Head>()) / size_of::<StatusEntry>();
    let entries = &entries[..fit.min(entries.len())];
    reply(Ok(entries.len() as i32), entries.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        assert_eq!(name(&ebcdic::from_str("WWW.Example.org. ")), Ok("www.example.org".to_string()));
        for wrong in ["", "a..b", "a b", "a/b", &"x".repeat(64), &"abc.".repeat(70)] {
            assert_eq!(name(&ebcdic::from_str(wrong)), Err(Errno::BadParameter), "{wrong}");
        }
    }

    #[test]
    fn messages_of_a_wrong_length_are_refused() {
        for (number, lengths) in [
            (number::BIND, [0, 15, 17]),
            (number::SOCKET, [0, 8, 17]),
            (number::SENDTO, [0, 8, 19]),
            (number::SELECT, [0, 15, 17]),
            (number::RECV, [0, 7, 9]),
            (number::ECHO, [0, 8, 13]),
            (number::SETSOCKOPT, [0, 11, 13]),
        ] {
            for length in lengths {
                assert!(Call::parse(number, &vec![0; length]).is_err(), "{number} {length}");
            }
        }
        assert_eq!(Call::parse(99, &[]), Err(Errno::BadCall));
    }

    #[test]
    fn masks_are_words_whose_low_bit_is_the_first() {
        let mut data = vec![0; 16 + 3 * 8];
        data[3] = 40;
        (data[19], data[23]) = (0b101, 0x80);
        let Ok(Call::Select { masks, time: None }) = Call::parse(number::SELECT, &data) else { panic!("a call") };
        assert_eq!(masks.sockets(0).collect::<Vec<_>>(), [0, 2, 39]);
        let answer = selected(&masks, &[vec![2, 39], vec![], vec![]]);
        assert_eq!((answer[3], answer[11], answer[15], answer.len()), (2, 0b100, 0x80, 8 + 24));
    }
}
