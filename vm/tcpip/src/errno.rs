//! Why a call fails: the numbers that VM TCP/IP's programs know.

use std::io::{self, ErrorKind};

/// The reason of a call that has failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Errno {
    /// Nothing has this name.
    NotFound = 2,
    /// There is no such socket.
    BadSocket = 9,
    /// It is not allowed.
    Access = 13,
    /// An operand is not valid for the socket as it is.
    Invalid = 22,
    /// The system has no socket left.
    SystemSockets = 23,
    /// The user has no socket left.
    UserSockets = 24,
    /// The other end takes no more.
    Pipe = 32,
    /// It would have to wait.
    WouldBlock = 35,
    /// The connection is being made.
    InProgress = 36,
    /// It is being made already.
    Already = 37,
    /// A destination is wanted.
    Destination = 39,
    /// The message is too long.
    MessageSize = 40,
    /// There is no such option.
    NoOption = 42,
    /// There is no such protocol.
    Protocol = 43,
    /// There are no such sockets.
    SocketType = 44,
    /// The socket is of a kind that does not do it.
    NotSupported = 45,
    /// There is no such family of addresses.
    Family = 47,
    /// The address is in use.
    AddressInUse = 48,
    /// The address is none of this host's.
    AddressNotAvailable = 49,
    /// Nothing leads there.
    NetworkUnreachable = 51,
    /// The connection was given up here.
    Aborted = 53,
    /// The other end has given it up.
    Reset = 54,
    /// There is no room.
    NoBuffers = 55,
    /// It is connected already.
    IsConnected = 56,
    /// It is not connected.
    NotConnected = 57,
    /// It took too long.
    TimedOut = 60,
    /// The other end refuses.
    Refused = 61,
    /// The host cannot be reached.
    HostUnreachable = 65,
    /// There is no such call, or it comes too early.
    BadCall = 1000,
    /// A message or its answer area has a wrong length, or a wrong operand.
    BadParameter = 1001,
    /// The number of a socket is too high.
    OutOfRange = 1002,
    /// The number of a socket is in use.
    InUse = 1003,
    /// The call was cancelled.
    Cancelled = 1009,
}

impl From<io::Error> for Errno {
    fn from(error: io::Error) -> Errno {
        match error.kind() {
            ErrorKind::WouldBlock => Errno::WouldBlock,
            ErrorKind::ConnectionRefused => Errno::Refused,
            ErrorKind::ConnectionReset => Errno::Reset,
            ErrorKind::ConnectionAborted => Errno::Aborted,
            ErrorKind::NotConnected => Errno::NotConnected,
            ErrorKind::AddrInUse => Errno::AddressInUse,
            ErrorKind::AddrNotAvailable => Errno::AddressNotAvailable,
            ErrorKind::BrokenPipe => Errno::Pipe,
            ErrorKind::PermissionDenied => Errno::Access,
            ErrorKind::TimedOut => Errno::TimedOut,
            ErrorKind::HostUnreachable => Errno::HostUnreachable,
            ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => Errno::NetworkUnreachable,
            _ => match rustix::io::Errno::from_io_error(&error) {
                Some(rustix::io::Errno::MSGSIZE) => Errno::MessageSize,
                Some(rustix::io::Errno::ISCONN) => Errno::IsConnected,
                Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE) => Errno::SystemSockets,
                Some(rustix::io::Errno::NOBUFS | rustix::io::Errno::NOMEM) => Errno::NoBuffers,
                _ => Errno::Invalid,
            },
        }
    }
}
