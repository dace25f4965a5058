//! What programs and *TCPIP say to each other: sockets by IUCV, as VM TCP/IP has them.
//!
//! The first message, the call in IPTRGCLS, the numbers of the calls and the head of each answer are those of "TCP/IP
//! Programmer's Reference" (SC24-6332), "IUCV Sockets". So are the messages of one address and of one number. The
//! manual was not at hand for RECV, READ, SELECT and GETSOCKOPT, whose layouts may differ from it. Calls from X'4000'
//! on are Endicott's own.

use base::layout::{I32, I64, U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The only family of addresses.
pub const AF_INET: u16 = 2;

/// The first message of a path; its class is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Initial {
    /// X'00': `IUCVAPI` and a blank.
    pub constant: [u8; 8],
    /// X'08': how many sockets the program wants.
    pub sockets: U16,
    /// X'0A': X'0002' or X'0003': any number of calls at once.
    pub kind: U16,
    /// X'0C': the name that NETSTAT shows beside the user's.
    pub name: [u8; 8],
}
const _: () = assert!(size_of::<Initial>() == 20);

/// An address and a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SocketAddress {
    /// X'00': [`AF_INET`].
    pub family: U16,
    /// X'02': the port.
    pub port: U16,
    /// X'04': the address.
    pub address: U32,
    /// X'08': zero.
    pub reserved_08: [u8; 8],
}
const _: () = assert!(size_of::<SocketAddress>() == 16);

/// The head of each answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Head {
    /// X'00': what the call returns; -1: it failed.
    pub code: I32,
    /// X'04': why.
    pub error: I32,
}
const _: () = assert!(size_of::<Head>() == 8);

/// The message of SOCKET.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SocketCall {
    /// X'00': [`AF_INET`].
    pub family: U32,
    /// X'04': 1 stream, 2 datagrams.
    pub kind: U32,
    /// X'08': the protocol: 0, or 6 of streams and 17 of datagrams.
    pub protocol: U32,
    /// X'0C': the number of the new socket; -1: any.
    pub number: I32,
}
const _: () = assert!(size_of::<SocketCall>() == 16);

/// Two numbers: the message of FCNTL, IOCTL, LISTEN, ACCEPT, RECV, SHUTDOWN, GETSOCKOPT and CANCEL.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Pair {
    /// X'00': a command or a level; zero of most.
    pub first: U32,
    /// X'04': its argument.
    pub second: U32,
}
const _: () = assert!(size_of::<Pair>() == 8);

/// The message of SETSOCKOPT; of SO_LINGER a second number follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct OptionCall {
    /// X'00': the level.
    pub level: U32,
    /// X'04': the option.
    pub option: U32,
    /// X'08': its value.
    pub value: U32,
}
const _: () = assert!(size_of::<OptionCall>() == 12);

/// What stands before the data of SEND and SENDTO.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SendHead {
    /// X'00': flags.
    pub flags: U32,
    /// X'04': where to; of SEND zero.
    pub to: SocketAddress,
}
const _: () = assert!(size_of::<SendHead>() == 20);

/// What stands before the masks of SELECT: those for reading, writing and exceptions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SelectHead {
    /// X'00': one more than the highest socket; each mask has so many bits in whole words.
    pub count: U32,
    /// X'04': not zero: the wait ends after this time.
    pub timed: U32,
    /// X'08': the time in seconds.
    pub seconds: U32,
    /// X'0C': and microseconds.
    pub microseconds: U32,
}
const _: () = assert!(size_of::<SelectHead>() == 16);

/// The message of ECHO, Endicott's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct EchoCall {
    /// X'00': whom to ask.
    pub address: U32,
    /// X'04': how many bytes of data.
    pub length: U32,
    /// X'08': how long to wait, in milliseconds.
    pub patience: U32,
}
const _: () = assert!(size_of::<EchoCall>() == 12);

/// What STATUS, Endicott's own, answers for each socket.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct StatusEntry {
    /// X'00': the user.
    pub user: [u8; 8],
    /// X'08': the name that the program gave.
    pub name: [u8; 8],
    /// X'10': the number of the socket.
    pub number: U16,
    /// X'12': 6 or 17.
    pub protocol: u8,
    /// X'13': 0 closed, 1 bound, 2 listening, 3 connecting, 4 connected, 5 half closed.
    pub state: u8,
    /// X'14': the port here.
    pub local_port: U16,
    /// X'16': the port there.
    pub foreign_port: U16,
    /// X'18': the address here.
    pub local: U32,
    /// X'1C': the address there.
    pub foreign: U32,
    /// X'20': bytes that came.
    pub received: U64,
    /// X'28': bytes that went.
    pub sent: U64,
    /// X'30': for how many seconds nothing has come or gone.
    pub idle: I64,
}
const _: () = assert!(size_of::<StatusEntry>() == 56);
