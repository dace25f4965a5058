//! Passwords: salted Argon2id hashes in the PHC string form, and the companion file that keeps changed ones.
//!
//! A password that a user changes to lies in a file as a hash alone, which costs a few milliseconds (2 MiB, two
//! passes). One that stands in the source is hashed each time that is read, in storage only, with the text beside it in
//! the file: a costly hash would protect nothing there, and 60,000 of them would take minutes. So it gets Argon2's
//! smallest, some microseconds. Case does not matter, as nowhere on VM: a password is folded to upper case before it is
//! hashed or compared.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};

/// More storage than any hash of ours asks for, in KiB: a damaged file must not make a logon take all there is.
const MAX_COST_KIB: u32 = 256 * 1024;

/// What a hash costs: KiB and passes.
#[derive(Clone, Copy)]
struct Cost(u32, u32);

/// The cost of a hash that is kept in a file.
const KEPT: Cost = Cost(2048, 2);

/// The cost of a hash whose clear text stands in the source.
const OF_SOURCE: Cost = Cost(Params::MIN_M_COST, 1);

/// How a user gets in.
#[derive(Clone, PartialEq, Eq)]
pub enum Password {
    /// NOLOG: no logon is possible; the entry exists to own disks or spool files.
    NoLog,
    /// NOPASS: no password is asked for.
    NoPass,
    /// AUTOONLY: only AUTOLOG and XAUTOLOG start this user.
    AutoOnly,
    /// LBYONLY: only the users of LOGONBY, with their own passwords.
    LogonByOnly,
    /// The PHC string of a password that is known only to its owner.
    Hash(String),
}

impl Password {
    /// Hashes `clear` with a new salt from the host. The error is the host's lack of randomness.
    pub fn hash(clear: &str) -> io::Result<Password> {
        Password::hash_at(clear, KEPT)
    }

    /// The same for a password that stands in clear text in the source.
    pub(crate) fn hash_of_source(clear: &str) -> io::Result<Password> {
        Password::hash_at(clear, OF_SOURCE)
    }

    fn hash_at(clear: &str, Cost(storage, passes): Cost) -> io::Result<Password> {
        let params = Params::new(storage, passes, 1, None).expect("the parameters are within Argon2's limits");
        let hash = Argon2::new(Algorithm::Argon2id, Version::V0x13, params).hash_password(fold(clear).as_bytes());
        hash.map(|h| Password::Hash(h.to_string())).map_err(|e| io::Error::other(format!("no password hash: {e}")))
    }

    /// Whether `clear` is this password. NOPASS takes anything; NOLOG, AUTOONLY and LBYONLY take nothing.
    pub fn verify(&self, clear: &str) -> bool {
        match self {
            Password::NoPass => true,
            Password::NoLog | Password::AutoOnly | Password::LogonByOnly => false,
            Password::Hash(phc) => {
                let Ok(hash) = PasswordHash::new(phc) else { return false };
                let affordable = Params::try_from(&hash).is_ok_and(|p| p.m_cost() <= MAX_COST_KIB);
                affordable && Argon2::default().verify_password(fold(clear).as_bytes(), &hash).is_ok()
            }
        }
    }

    /// Whether the password is still the user's own name. Such a user may log on from the loopback address only.
    pub fn is_default(&self, userid: &str) -> bool {
        matches!(self, Password::Hash(_)) && self.verify(userid)
    }
}

/// Neither clear text nor hashes belong in a log.
impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Password::NoLog => "NoLog",
            Password::NoPass => "NoPass",
            Password::AutoOnly => "AutoOnly",
            Password::LogonByOnly => "LogonByOnly",
            Password::Hash(_) => "Hash(..)",
        })
    }
}

fn fold(clear: &str) -> String {
    clear.to_uppercase()
}

/// Which users may LINK a minidisk in one of its three modes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum LinkPassword {
    /// No password in the directory: others cannot link in this mode.
    #[default]
    Nobody,
    /// The password ALL: every user, and none is asked for.
    All,
    /// A user who gives the password.
    Hash(Password),
}

impl LinkPassword {
    /// Whether a user who offers `clear` (nothing, if none was given) may link.
    pub fn admits(&self, clear: Option<&str>) -> bool {
        match self {
            LinkPassword::Nobody => false,
            LinkPassword::All => true,
            LinkPassword::Hash(hash) => clear.is_some_and(|c| hash.verify(c)),
        }
    }
}

/// The companion file: passwords that were changed since the source was written, a line each of `USERID PHC-string`.
///
/// The file is replaced as a whole (a temporary file, written out, then renamed), so a crash leaves the old one or the
/// new one. Lines that begin with `*` or `#` are comments; they do not survive a change.
#[derive(Clone, Debug, Default)]
pub struct Passwords {
    path: PathBuf,
    entries: BTreeMap<String, Password>,
    /// What the file was when it was read.
    stamp: Option<Stamp>,
}

/// What tells one state of the file from another without reading it: when it was written, its length, and which file it
/// is, for each change replaces it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stamp {
    written: Option<SystemTime>,
    length: u64,
    file: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let found = fs::metadata(path).ok()?;
        #[cfg(unix)]
        let file = std::os::unix::fs::MetadataExt::ino(&found);
        #[cfg(not(unix))]
        let file = 0;
        Some(Stamp { written: found.modified().ok(), length: found.len(), file })
    }
}

/// Why a file of passwords could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PasswordsError {
    /// The host says so.
    #[error("{0}")]
    Io(io::Error),
    /// The line (from 1) is not a userid and a PHC string.
    #[error("line {0} is not a userid followed by a password hash ($argon2id$...)")]
    Line(usize),
}

impl PasswordsError {
    pub(crate) fn into_io(self) -> io::Error {
        match self {
            PasswordsError::Io(e) => e,
            line => io::Error::new(io::ErrorKind::InvalidData, line.to_string()),
        }
    }
}

impl Passwords {
    /// Reads the file at `path`; if there is none there are no entries, and the first change makes it.
    pub fn open(path: &Path) -> Result<Passwords, PasswordsError> {
        // Before the file is read: if it is replaced meanwhile, it is read again the next time.
        let stamp = Stamp::of(path);
        let text = match base::file::read_text(path, base::file::TEXT) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(PasswordsError::Io(e)),
        };
        let mut entries = BTreeMap::new();
        for (n, line) in text.lines().enumerate() {
            let mut words = line.split_whitespace();
            match (words.next(), words.next(), words.next()) {
                (None, ..) => {}
                (Some(first), ..) if first.starts_with(['*', '#']) => {}
                (Some(id), Some(phc), None)
                    if crate::is_userid(&id.to_uppercase()) && PasswordHash::new(phc).is_ok() =>
                {
                    entries.insert(id.to_uppercase(), Password::Hash(phc.to_string()));
                }
                _ => return Err(PasswordsError::Line(n + 1)),
            }
        }
        Ok(Passwords { path: path.to_path_buf(), entries, stamp })
    }

    /// Reads the file again if it is not what it was: a logon costs no more where many have changed their passwords.
    /// Whether it was read. An error leaves what is known.
    pub fn refresh(&mut self) -> Result<bool, PasswordsError> {
        let changed = Stamp::of(&self.path) != self.stamp;
        if changed {
            *self = Passwords::open(&self.path)?;
        }
        Ok(changed)
    }

    /// The password `userid` has here.
    pub fn get(&self, userid: &str) -> Option<&Password> {
        self.entries.get(&userid.to_uppercase())
    }

    /// Gives `userid` the password `clear` and returns its hash. It is on disk when this returns; on an error nothing
    /// has changed.
    pub fn set(&mut self, userid: &str, clear: &str) -> io::Result<Password> {
        let id = userid.to_uppercase();
        if !crate::is_userid(&id) || clear.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a userid and a password are needed"));
        }
        let password = Password::hash(clear)?;
        let mut entries = self.entries.clone();
        entries.insert(id, password.clone());
        self.write(&entries)?;
        self.entries = entries;
        Ok(password)
    }

    /// Forgets the changed password of `userid`: that of the source holds again.
    pub fn remove(&mut self, userid: &str) -> io::Result<()> {
        let mut entries = self.entries.clone();
        if entries.remove(&userid.to_uppercase()).is_some() {
            self.write(&entries)?;
            self.entries = entries;
        }
        Ok(())
    }

    fn write(&self, entries: &BTreeMap<String, Password>) -> io::Result<()> {
        let mut text =
            String::from("* Changed passwords: userid and salted hash. They override those in USER DIRECT.\n");
        for (id, password) in entries {
            if let Password::Hash(phc) = password {
                text.push_str(&format!("{id} {phc}\n"));
            }
        }
        base::file::replace(&self.path, text.as_bytes(), 0o600)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_known_by_its_hash_alone_and_in_any_case() {
        let password = Password::hash("sesame").unwrap();
        assert!(password.verify("SESAME") && password.verify("Sesame") && !password.verify("sesame1"));
        assert_ne!(password, Password::hash("sesame").unwrap(), "the salts differ");
        assert!(!format!("{password:?}").contains('$'));
        assert!(Password::hash("maint").unwrap().is_default("MAINT"));
        assert!(!password.is_default("MAINT") && !Password::NoPass.is_default("MAINT"));
    }

    #[test]
    fn words_instead_of_a_password() {
        assert!(Password::NoPass.verify("") && Password::NoPass.verify("x"));
        assert!(!Password::NoLog.verify("NOLOG") && !Password::AutoOnly.verify("AUTOONLY"));
        assert!(!Password::Hash("$nonsense".into()).verify("x"));
    }

    #[test]
    fn a_hash_that_asks_for_all_storage_is_refused() {
        let greedy =
            "$argon2id$v=19$m=4194304,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        assert!(!Password::Hash(greedy.into()).verify("x"));
    }

    #[test]
    fn link_passwords() {
        assert!(!LinkPassword::Nobody.admits(Some("ALL")));
        assert!(LinkPassword::All.admits(None));
        let read = LinkPassword::Hash(Password::hash("READ").unwrap());
        assert!(read.admits(Some("read")) && !read.admits(None) && !read.admits(Some("WRITE")));
    }

    #[test]
    fn changed_passwords_survive_and_can_be_taken_back() {
        let folder = std::env::temp_dir().join(format!("directory-passwords-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("passwords");
        let mut passwords = Passwords::open(&path).unwrap();
        passwords.set("maint", "tall ships").unwrap();
        passwords.set("LINUX1", "x").unwrap();
        passwords.remove("linux1").unwrap();
        let again = Passwords::open(&path).unwrap();
        assert!(again.get("MAINT").unwrap().verify("TALL SHIPS") && again.get("LINUX1").is_none());
        assert!(!fs::read_to_string(&path).unwrap().to_uppercase().contains("TALL"));
        // Another program changes it: that is seen, and without a change nothing is read.
        let mut here = again;
        assert!(!here.refresh().unwrap(), "it is what it was");
        passwords.set("MAINT", "sunrise").unwrap();
        assert!(here.refresh().unwrap() && here.get("MAINT").unwrap().verify("SUNRISE"));
        fs::remove_file(&path).unwrap();
        assert!(here.refresh().unwrap() && here.get("MAINT").is_none());
        fs::write(&path, "* comment\n\nMAINT plain\n").unwrap();
        assert_eq!(Passwords::open(&path).unwrap_err().to_string(), PasswordsError::Line(3).to_string());
        fs::remove_dir_all(&folder).unwrap();
    }
}
