//! Ports of the host that lead to the guest, as the command line names them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

/// What goes through a published port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Transport {
    /// Connections.
    Tcp,
    /// Datagrams.
    Udp,
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Transport::Tcp => "tcp",
            Transport::Udp => "udp",
        })
    }
}

/// A port of the host that leads to one of the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Publish {
    /// Where the host listens. Port 0 is any that is free.
    pub host: SocketAddr,
    /// The guest's port.
    pub guest: u16,
    /// What goes through.
    pub transport: Transport,
}

/// What is wrong with a word that shall publish a port.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// It is not of the right form.
    #[error("\"{0}\" is not [ADDRESS:]HOST:GUEST[/udp], such as 8080:80 or 127.0.0.1:5353:53/udp")]
    Form(String),
    /// A port is not a number below 65536.
    #[error("\"{0}\" is not a port, which is a number from {1} to 65535")]
    Port(String, u16),
    /// An address is none.
    #[error("\"{0}\" is not an address of the host; one of IPv6 stands in brackets, such as [::1]")]
    Address(String),
    /// Neither TCP nor UDP.
    #[error("\"{0}\" is neither tcp nor udp")]
    Transport(String),
}

/// Reads a port that is at least `least`.
fn port(word: &str, least: u16) -> Result<u16, Wrong> {
    // No sign: `u16` would take a plus.
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    match word.parse() {
        Ok(port) if digits && port >= least => Ok(port),
        _ => Err(Wrong::Port(word.to_owned(), least)),
    }
}

impl Publish {
    /// Reads `[ADDRESS:]HOST:GUEST[/udp]`. Without an address, the host listens on its loopback alone.
    pub fn parse(word: &str) -> Result<Publish, Wrong> {
        let (ports, transport) = match word.split_once('/') {
            None | Some((_, "tcp")) => (word.strip_suffix("/tcp").unwrap_or(word), Transport::Tcp),
            Some((ports, "udp")) => (ports, Transport::Udp),
            Some((_, other)) => return Err(Wrong::Transport(other.to_owned())),
        };
        let form = || Wrong::Form(word.to_owned());
        let (rest, guest) = ports.rsplit_once(':').ok_or_else(form)?;
        let (address, host) = match rest.rsplit_once(':') {
            Some((address, host)) => (Some(address), host),
            None => (None, rest),
        };
        let ip = match address {
            None => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Some(address) => {
                let inner = address.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
                let ip = match inner {
                    Some(inner) => inner.parse().map(IpAddr::V6),
                    None => address.parse().map(IpAddr::V4),
                };
                ip.map_err(|_| Wrong::Address(address.to_owned()))?
            }
        };
        if host.is_empty() || guest.is_empty() {
            return Err(form());
        }
        Ok(Publish { host: SocketAddr::new(ip, port(host, 0)?), guest: port(guest, 1)?, transport })
    }
}

impl FromStr for Publish {
    type Err = Wrong;

    fn from_str(word: &str) -> Result<Publish, Wrong> {
        Publish::parse(word)
    }
}

impl fmt::Display for Publish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.guest)?;
        if self.transport == Transport::Udp {
            write!(f, "/{}", self.transport)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_right_is_read_and_written() {
        for (word, written) in [
            ("8080:80", "127.0.0.1:8080:80"),
            ("0:22", "127.0.0.1:0:22"),
            ("0.0.0.0:8080:80", "0.0.0.0:8080:80"),
            ("[::1]:8080:80", "[::1]:8080:80"),
            ("[::]:8080:80/tcp", "[::]:8080:80"),
            ("5353:53/udp", "127.0.0.1:5353:53/udp"),
            ("192.0.2.1:65535:65535/udp", "192.0.2.1:65535:65535/udp"),
        ] {
            let publish = Publish::parse(word).unwrap();
            assert_eq!(publish.to_string(), written);
            assert_eq!(written.parse(), Ok(publish));
        }
    }

    #[test]
    fn what_is_wrong_is_told_clearly() {
        for (word, told) in [
            ("8080", "\"8080\" is not [ADDRESS:]HOST:GUEST[/udp], such as 8080:80 or 127.0.0.1:5353:53/udp"),
            ("", "\"\" is not [ADDRESS:]HOST:GUEST[/udp], such as 8080:80 or 127.0.0.1:5353:53/udp"),
            (":80", "\":80\" is not [ADDRESS:]HOST:GUEST[/udp], such as 8080:80 or 127.0.0.1:5353:53/udp"),
            ("80:", "\"80:\" is not [ADDRESS:]HOST:GUEST[/udp], such as 8080:80 or 127.0.0.1:5353:53/udp"),
            ("8080:0", "\"0\" is not a port, which is a number from 1 to 65535"),
            ("65536:80", "\"65536\" is not a port, which is a number from 0 to 65535"),
            ("+1:80", "\"+1\" is not a port, which is a number from 0 to 65535"),
            ("80:http", "\"http\" is not a port, which is a number from 1 to 65535"),
            ("8080:80/sctp", "\"sctp\" is neither tcp nor udp"),
            ("8080:80/udp/tcp", "\"udp/tcp\" is neither tcp nor udp"),
            (
                "localhost:8080:80",
                "\"localhost\" is not an address of the host; one of IPv6 stands in brackets, such as [::1]",
            ),
            ("::1:8080:80", "\"::1\" is not an address of the host; one of IPv6 stands in brackets, such as [::1]"),
        ] {
            assert_eq!(Publish::parse(word).unwrap_err().to_string(), told);
        }
    }
}
