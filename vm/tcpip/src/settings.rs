//! TCPIP in SYSTEM CONFIG: whether virtual machines have sockets, and what they may reach.

use std::net::Ipv4Addr;
use std::path::PathBuf;

/// What can be set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Sockets reach servers on the host's loopback.
    pub host_access: bool,
    /// The host's address that sockets get which are given one here; `None`: there are no servers.
    pub listen: Option<Ipv4Addr>,
    /// The most sockets of one virtual machine.
    pub user_sockets: usize,
    /// The most sockets of all.
    pub system_sockets: usize,
    /// The most bytes of one virtual machine's messages that wait for answers.
    pub user_bytes: usize,
    /// The most bytes of all.
    pub system_bytes: usize,
    /// The file that names the host's resolvers.
    pub resolvers: PathBuf,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            host_access: false,
            listen: Some(Ipv4Addr::LOCALHOST),
            user_sockets: 64,
            system_sockets: 1024,
            user_bytes: 1 << 20,
            system_bytes: 64 << 20,
            resolvers: PathBuf::from("/etc/resolv.conf"),
        }
    }
}

/// The least room for messages: the longest fits.
const LEAST_BYTES: usize = 128 << 10;

/// A size such as 512K or 4M.
fn bytes(word: &str) -> Option<usize> {
    let (digits, shift) = match word.strip_suffix(['M', 'm']) {
        Some(digits) => (digits, 20),
        None => (word.strip_suffix(['K', 'k'])?, 10),
    };
    digits.parse::<usize>().ok()?.checked_mul(1 << shift).filter(|&bytes| bytes >= LEAST_BYTES)
}

impl Settings {
    /// What follows TCPIP: `ON` or `OFF`, then pairs of a word and a value. `None`: there are no sockets.
    pub fn parse(rest: &str) -> Result<Option<Settings>, String> {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let (on, options) = match words.split_first() {
            Some((word, options)) if word.eq_ignore_ascii_case("ON") => (true, options),
            Some((word, [])) if word.eq_ignore_ascii_case("OFF") => (false, &[][..]),
            _ => return Err("TCPIP needs ON, or OFF alone".into()),
        };
        let mut settings = Settings::default();
        for pair in options.chunks(2) {
            let [what, value] = pair else { return Err(format!("TCPIP ON {} needs a value", pair[0])) };
            let wrong = |wanted: &str| format!("TCPIP ON {what} {value} is not {wanted}");
            let count = || value.parse().ok().filter(|n| (1..=65_536).contains(n)).ok_or_else(|| wrong("a number"));
            let size = || bytes(value).ok_or_else(|| wrong("a size such as 4M, of 128K at least"));
            match what.to_ascii_uppercase().as_str() {
                "HOSTACCESS" => {
                    settings.host_access = match () {
                        () if value.eq_ignore_ascii_case("ON") => true,
                        () if value.eq_ignore_ascii_case("OFF") => false,
                        () => return Err(wrong("ON or OFF")),
                    }
                }
                "LISTEN" if value.eq_ignore_ascii_case("OFF") => settings.listen = None,
                "LISTEN" => settings.listen = Some(value.parse().map_err(|_| wrong("an address such as 127.0.0.1"))?),
                "USERSOCKETS" => settings.user_sockets = count()?,
                "SYSSOCKETS" => settings.system_sockets = count()?,
                "USERBYTES" => settings.user_bytes = size()?,
                "SYSBYTES" => settings.system_bytes = size()?,
                _ => {
                    return Err(format!(
                        "{what} is not valid for TCPIP ON; expected HOSTACCESS, LISTEN, USERSOCKETS, SYSSOCKETS, \
                         USERBYTES or SYSBYTES"
                    ));
                }
            }
        }
        Ok(on.then_some(settings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statement_is_read() {
        assert_eq!(Settings::parse("off"), Ok(None));
        assert_eq!(Settings::parse("on"), Ok(Some(Settings::default())));
        let all = "ON HOSTACCESS on LISTEN 0.0.0.0 USERSOCKETS 8 SYSSOCKETS 99 USERBYTES 256K SYSBYTES 8M";
        let settings = Settings::parse(all).unwrap().unwrap();
        assert_eq!((settings.host_access, settings.listen), (true, Some(Ipv4Addr::UNSPECIFIED)));
        assert_eq!((settings.user_sockets, settings.system_sockets), (8, 99));
        assert_eq!((settings.user_bytes, settings.system_bytes), (256 << 10, 8 << 20));
        assert_eq!(Settings::parse("on listen OFF").unwrap().unwrap().listen, None);
    }

    #[test]
    fn mistakes_are_told() {
        for (text, why) in [
            ("", "needs ON"),
            ("OFF HOSTACCESS ON", "OFF alone"),
            ("ON HOSTACCESS", "needs a value"),
            ("ON HOSTACCESS maybe", "is not ON or OFF"),
            ("ON LISTEN here", "is not an address"),
            ("ON USERSOCKETS 0", "is not a number"),
            ("ON USERBYTES 1K", "of 128K at least"),
            ("ON FROB 1", "is not valid"),
        ] {
            let said = Settings::parse(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
