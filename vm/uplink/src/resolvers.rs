//! The host's resolvers, as `resolv.conf` names them.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

/// How often the file is looked at, at most.
const LOOK: Duration = Duration::from_secs(1);
/// How many resolvers the field's own library takes.
const MOST: usize = 3;

/// The resolvers, which may change while the program runs.
#[derive(Debug)]
pub struct Resolvers {
    path: PathBuf,
    looked: Option<Instant>,
    changed: Option<SystemTime>,
    list: Vec<SocketAddr>,
}

impl Resolvers {
    /// Those that the file at `path` names; it is read when the first is wanted.
    pub fn new(path: PathBuf) -> Resolvers {
        Resolvers { path, looked: None, changed: None, list: parse("") }
    }

    /// The resolver to ask at the `attempt`th time: they take turns.
    pub fn get(&mut self, attempt: usize) -> Option<SocketAddr> {
        if self.looked.is_none_or(|looked| looked.elapsed() >= LOOK) {
            self.looked = Some(Instant::now());
            self.look();
        }
        self.list.get(attempt % self.list.len().max(1)).copied()
    }

    fn look(&mut self) {
        let changed = fs::metadata(&self.path).and_then(|file| file.modified()).ok();
        if changed.is_some() && changed == self.changed {
            return;
        }
        self.changed = changed;
        self.list = parse(&fs::read_to_string(&self.path).unwrap_or_default());
    }
}

/// Reads the resolvers. If none is named, there is one on the host itself (resolv.conf(5)).
fn parse(text: &str) -> Vec<SocketAddr> {
    let named = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("nameserver")).then(|| words.next()?.parse::<IpAddr>().ok()).flatten()
    });
    let list: Vec<SocketAddr> = named.take(MOST).map(|ip| SocketAddr::new(ip, 53)).collect();
    if list.is_empty() { vec![SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 53)] } else { list }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolvers_are_read() {
        let text = "# a comment\nsearch example.org\nnameserver 127.0.0.53\n nameserver  2001:db8::1 # two\n\
                    nameserver fe80::1%eth0\nnameservers 1.1.1.1\nnameserver\nnameserver 192.0.2.1\n\
                    nameserver 192.0.2.2";
        let expected: Vec<SocketAddr> =
            ["127.0.0.53:53", "[2001:db8::1]:53", "192.0.2.1:53"].iter().map(|word| word.parse().unwrap()).collect();
        assert_eq!(parse(text), expected);
        assert_eq!(parse("").len(), 1);
    }

    #[test]
    fn a_file_that_changes_or_is_missing_is_read_anew() {
        let path = std::env::temp_dir().join(format!("endicott-resolvers-{}", std::process::id()));
        let mut resolvers = Resolvers::new(path.clone());
        assert_eq!(resolvers.get(0).unwrap().to_string(), "127.0.0.1:53");
        fs::write(&path, "nameserver 192.0.2.1\nnameserver 192.0.2.2\n").unwrap();
        resolvers.looked = None;
        let all: Vec<_> = (0..3).map(|attempt| resolvers.get(attempt).unwrap().ip().to_string()).collect();
        assert_eq!(all, ["192.0.2.1", "192.0.2.2", "192.0.2.1"]);
        fs::remove_file(&path).unwrap();
        resolvers.looked = None;
        assert_eq!(resolvers.get(5).unwrap().to_string(), "127.0.0.1:53");
    }
}
