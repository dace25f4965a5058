//! SYSTEM CONFIG: what the system itself is, a statement a line.
//!
//! ```text
//! * a comment
//! SYSTEM_IDENTIFIER ENDICOTT
//! OPERATOR_USERID   OPERATOR
//! TIMEZONE          EST WEST 05:00
//! PROCESSORS        4
//! TN3270            127.0.0.1:3270
//! TLS               CERTIFICATE server.pem KEY server.key
//! LOGMSG            Welcome.
//! ```

use nucleus::calendar::Zone;
use nucleus::system::SystemConfig;
use std::path::{Path, PathBuf};

/// The file's name in the system's folder.
pub const FILE: &str = "SYSTEM CONFIG";

/// What SYSTEM CONFIG says.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    pub system: SystemConfig,
    /// Where TN3270 clients are served.
    pub tn3270: Option<String>,
    /// The certificate and the private key, PEM files.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// How many processors, if it is said.
    pub processors: Option<u16>,
}

/// Reads the SYSTEM CONFIG in `folder`; a folder without one has the defaults.
pub fn load(folder: &Path) -> Result<Configuration, String> {
    let path = folder.join(FILE);
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(&text, folder).map_err(|(line, why)| format!("{}:{line}: {why}", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Configuration::default()),
        Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
    }
}

fn parse(text: &str, folder: &Path) -> Result<Configuration, (usize, String)> {
    let mut configuration = Configuration::default();
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('*') {
            continue;
        }
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        statement(&mut configuration, &keyword.to_ascii_uppercase(), rest.trim(), folder)
            .map_err(|why| (n + 1, why))?;
    }
    Ok(configuration)
}

fn statement(configuration: &mut Configuration, keyword: &str, rest: &str, folder: &Path) -> Result<(), String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let system = &mut configuration.system;
    match (keyword, words.as_slice()) {
        ("SYSTEM_IDENTIFIER" | "SYSTEM_IDENTIFIER_DEFAULT", [name]) if directory::is_userid(&name.to_uppercase()) => {
            system.name = name.to_uppercase();
        }
        ("OPERATOR_USERID", [name]) if directory::is_userid(&name.to_uppercase()) => {
            system.operator = name.to_uppercase();
        }
        ("TIMEZONE", [name, "EAST" | "WEST" | "east" | "west", offset]) if (3..=4).contains(&name.len()) => {
            let (hours, minutes) = offset.split_once([':', '.']).unwrap_or((offset, "0"));
            let (hours, minutes) = (hours.parse::<i32>(), minutes.parse::<i32>());
            let (Ok(hours @ 0..=14), Ok(minutes @ 0..=59)) = (hours, minutes) else {
                return Err("TIMEZONE needs an offset such as 05:00".into());
            };
            let sign = if words[1].eq_ignore_ascii_case("WEST") { -1 } else { 1 };
            system.zone = Zone { name: name.to_uppercase(), offset: sign * (hours * 3600 + minutes * 60) };
        }
        ("PROCESSORS", [number]) => match number.parse() {
            Ok(processors @ 1..=64) => configuration.processors = Some(processors),
            _ => return Err("PROCESSORS needs a number from 1 to 64".into()),
        },
        ("TN3270", [address]) => configuration.tn3270 = Some(address.to_string()),
        ("TLS", ["CERTIFICATE" | "certificate", certificate, "KEY" | "key", key]) => {
            configuration.tls = Some((folder.join(certificate), folder.join(key)));
        }
        ("LOGMSG", _) => system.log_message.push(rest.to_string()),
        _ => {
            return Err(format!(
                "{keyword} {rest} is not a statement; expected SYSTEM_IDENTIFIER name, OPERATOR_USERID userid, \
                 TIMEZONE name EAST|WEST hh:mm, PROCESSORS n, TN3270 address:port, TLS CERTIFICATE file KEY file, or LOGMSG text"
            ));
        }
    }
    Ok(())
}

/// The SYSTEM CONFIG of the sample system.
pub const SAMPLE: &str = "\
* SYSTEM CONFIG: what the system itself is. A line that begins with * is a comment.

* The name in the lower right corner of every display.
SYSTEM_IDENTIFIER ENDICOTT

* Whose console gets the operator's messages.
OPERATOR_USERID   OPERATOR

* Where TN3270 clients connect. An address other than 127.0.0.1 lets other computers in: give every user
* a password of their own first.
TN3270            127.0.0.1:3270

* TLS CERTIFICATE server.pem KEY server.key
* TIMEZONE EST WEST 05:00
* PROCESSORS 4
* LOGMSG Welcome.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_and_its_commented_statements_are_right() {
        let configuration = parse(SAMPLE, Path::new("/system")).unwrap();
        assert_eq!(configuration.tn3270.as_deref(), Some("127.0.0.1:3270"));
        let all = "TIMEZONE EST WEST 05:00\nPROCESSORS 4\nTLS CERTIFICATE server.pem KEY server.key\nLOGMSG Welcome.";
        let configuration = parse(all, Path::new("/system")).unwrap();
        assert_eq!(configuration.system.zone.offset, -18_000);
        assert_eq!(configuration.tls.unwrap().0, Path::new("/system/server.pem"));
        assert_eq!(configuration.processors, Some(4));
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        assert!(matches!(parse("* x\nPROCESSORS many", Path::new("")), Err((2, _))));
        assert!(matches!(parse("FROB", Path::new("")), Err((1, _))));
    }
}
