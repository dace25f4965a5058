//! Addresses at which clients are served: what an option names, and what is said where the host refuses it.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs};

/// An option that has such an address.
pub struct Listening {
    /// Its name: `--tn3270`.
    pub option: &'static str,
    /// What is served, which begins a sentence: `TN3270`, `Pages`.
    pub what: &'static str,
    /// An address at which this computer alone is served.
    pub here: &'static str,
    /// One at which all are that reach it.
    pub all: &'static str,
}

impl Listening {
    /// The first address that a text names; the error says what the option takes.
    pub fn address(&self, text: &str) -> Result<SocketAddr, String> {
        let found = text.to_socket_addrs().map_err(|error| self.refused(text, &error))?.next();
        found.ok_or_else(|| format!("{text} names no address: {} takes an address and a port", self.option))
    }

    /// What to do about an address that cannot be listened at.
    pub fn refused(&self, address: &str, error: &io::Error) -> String {
        let Listening { option, what, here, all } = self;
        match error.kind() {
            ErrorKind::AddrInUse => {
                format!("{address} is in use by another program: stop that one, or give {option} another port")
            }
            ErrorKind::PermissionDenied => {
                format!("{address} needs a privilege this program does not have: give {option} a port above 1023")
            }
            ErrorKind::AddrNotAvailable => {
                format!("{address} is no address of this computer: give {option} {here}, or {all} for all")
            }
            _ => format!("{what} cannot be served at {address}: {error}; {option} takes an address and a port"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_names_the_option_and_a_remedy() {
        let tables = Listening { option: "--tables", what: "Tables", here: "127.0.0.1:9", all: "0.0.0.0:9" };
        let said = |kind: ErrorKind| tables.refused("1.2.3.4:5", &kind.into());
        assert_eq!(
            said(ErrorKind::AddrInUse),
            "1.2.3.4:5 is in use by another program: stop that one, or give --tables another port"
        );
        assert!(said(ErrorKind::PermissionDenied).ends_with("give --tables a port above 1023"));
        assert!(said(ErrorKind::AddrNotAvailable).ends_with("give --tables 127.0.0.1:9, or 0.0.0.0:9 for all"));
        assert!(said(ErrorKind::Other).starts_with("Tables cannot be served at 1.2.3.4:5: "));
        assert_eq!(tables.address("127.0.0.1:70"), Ok(([127, 0, 0, 1], 70).into()));
        for wrong in ["", "127.0.0.1", "127.0.0.1:x"] {
            let why = tables.address(wrong).expect_err(wrong);
            assert!(why.ends_with("--tables takes an address and a port"), "{wrong}: {why}");
        }
    }
}
