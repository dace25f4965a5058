//! One spool file: what QUERY shows of it, and how that is written down on the host.

use std::sync::Arc;

use base::Tod;

/// The most bytes that a header may have.
pub(crate) const HEADER: u64 = 1 << 20;

/// A user's three queues.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Queue {
    /// Files that wait for the user's reader.
    Reader,
    /// Files that wait for a printer.
    Printer,
    /// Files that wait for a card punch.
    Punch,
}

impl Queue {
    /// All queues, in the order of CP's responses.
    pub const ALL: [Queue; 3] = [Queue::Reader, Queue::Printer, Queue::Punch];

    /// `RDR`, `PRT` or `PUN`.
    pub fn name(self) -> &'static str {
        match self {
            Queue::Reader => "RDR",
            Queue::Printer => "PRT",
            Queue::Punch => "PUN",
        }
    }
}

/// What a spool file was written by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Device {
    /// A punch.
    Punch,
    /// A printer.
    Printer,
    /// A console.
    Console,
    /// A real card reader.
    Reader,
    /// VMDUMP.
    Dump,
}

impl Device {
    const ALL: [Device; 5] = [Device::Punch, Device::Printer, Device::Console, Device::Reader, Device::Dump];

    /// `PUN`, `PRT`, `CON`, `RDR` or `DMP`: the device column of QUERY.
    pub fn name(self) -> &'static str {
        match self {
            Device::Punch => "PUN",
            Device::Printer => "PRT",
            Device::Console => "CON",
            Device::Reader => "RDR",
            Device::Dump => "DMP",
        }
    }

    /// The bytes that a reader of the file pads its records to.
    pub fn record_length(self) -> u16 {
        match self {
            Device::Punch | Device::Reader => 80,
            Device::Printer | Device::Console => 132,
            Device::Dump => 4096,
        }
    }

    /// The device type byte of the spool file block, as DIAGNOSE X'24' codes it.
    pub fn code(self) -> u8 {
        match self {
            Device::Punch | Device::Reader => 0x82,
            Device::Printer | Device::Dump => 0x41,
            Device::Console => 0x00,
        }
    }
}

/// What keeps a file from being read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hold {
    /// The owner's HOLD.
    pub user: bool,
    /// An operator's HOLD.
    pub system: bool,
}

impl Hold {
    /// Whether anything does.
    pub fn any(self) -> bool {
        self.user || self.system
    }

    /// The hold column of QUERY: NONE, USER, SYS or USYS.
    pub fn name(self) -> &'static str {
        match (self.user, self.system) {
            (false, false) => "NONE",
            (true, false) => "USER",
            (false, true) => "SYS",
            (true, true) => "USYS",
        }
    }
}

/// What SPOOL, CLOSE and TAG have said about an output file by the time it is closed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attributes {
    /// Whose file it becomes.
    pub owner: String,
    /// On which of the owner's queues.
    pub queue: Queue,
    /// The spool class, A to Z or 0 to 9.
    pub class: char,
    /// The form, 1 to 8 characters.
    pub form: String,
    /// How many copies are printed.
    pub copies: u16,
    /// Held from the beginning.
    pub hold: bool,
    /// Kept after it was read or printed.
    pub keep: bool,
    /// The distribution code.
    pub dist: String,
    /// The destination, or OFF.
    pub dest: String,
    /// The file's name, up to 12 characters.
    pub name: String,
    /// The file's type, up to 12 characters.
    pub kind: String,
    /// TAG's text, up to 136 characters.
    pub tag: String,
    /// When the file is closed.
    pub created: Tod,
    /// The node and the user that it is from, if its writer says so.
    pub origin: Option<(String, String)>,
}

impl Attributes {
    /// What a file for `owner`'s `queue` has unless SPOOL or CHANGE says otherwise.
    pub fn new(owner: &str, queue: Queue, created: Tod) -> Attributes {
        Attributes {
            owner: owner.into(),
            queue,
            class: 'A',
            form: "STANDARD".into(),
            copies: 1,
            hold: false,
            keep: false,
            dist: owner.into(),
            dest: "OFF".into(),
            name: String::new(),
            kind: String::new(),
            tag: String::new(),
            created,
            origin: None,
        }
    }
}

/// A closed spool file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpoolFile {
    /// Its number among the owner's files, 1 to 9999.
    pub spid: u16,
    /// The queue it is on.
    pub queue: Queue,
    /// Whose it is.
    pub owner: String,
    /// The user who wrote it.
    pub originator: String,
    /// What it was written by.
    pub device: Device,
    /// The spool class, A to Z or 0 to 9.
    pub class: char,
    /// The form.
    pub form: String,
    /// How many copies are printed.
    pub copies: u16,
    /// What keeps it from being read.
    pub hold: Hold,
    /// Kept after it was read or printed.
    pub keep: bool,
    /// The distribution code.
    pub dist: String,
    /// The destination, or OFF.
    pub dest: String,
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// TAG's text.
    pub tag: String,
    /// When it was closed.
    pub created: Tod,
    /// The node and the user that it is from, if its writer has said so (DIAGNOSE X'F8').
    pub origin: Option<(String, String)>,
    /// How many records it has.
    pub records: u32,
    /// The bytes that a reader pads its records to.
    pub record_length: u16,
    /// How many blocks of 4096 bytes it has.
    pub blocks: u32,
    /// Whether something is reading it now. Not kept on the host: nothing reads when nothing runs.
    pub in_use: bool,
    /// Its blocks have check sums. Those of files that were written by earlier versions have none.
    pub(crate) sealed: bool,
    /// The name of its files on the host.
    pub(crate) id: Arc<str>,
    /// Its place in the queue, smallest first.
    pub(crate) position: i64,
}

/// Text from outside, as a field of at most `length` characters: one line, nothing that is not a character.
pub(crate) fn field(text: &str, length: usize) -> String {
    let one_line = text.chars().map(|c| if c.is_control() { '?' } else { c });
    one_line.take(length).collect::<String>().trim_end().to_string()
}

impl SpoolFile {
    pub(crate) fn new(attributes: &Attributes, originator: &str, device: Device) -> SpoolFile {
        SpoolFile {
            spid: 0,
            queue: attributes.queue,
            owner: field(&attributes.owner, 8),
            originator: field(originator, 8),
            device,
            class: if attributes.class.is_ascii_alphanumeric() { attributes.class } else { 'A' },
            form: field(&attributes.form, 8),
            copies: attributes.copies,
            hold: Hold { user: attributes.hold, system: false },
            keep: attributes.keep,
            dist: field(&attributes.dist, 8),
            dest: field(&attributes.dest, 8),
            name: field(&attributes.name, 12),
            kind: field(&attributes.kind, 12),
            tag: field(&attributes.tag, 136),
            created: attributes.created,
            origin: attributes.origin.as_ref().map(|(node, user)| (field(node, 8), field(user, 8))),
            records: 0,
            record_length: device.record_length(),
            blocks: 0,
            in_use: false,
            sealed: true,
            id: "".into(),
            position: 0,
        }
    }

    /// The content of `ID.meta`.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!(
            "file {}\nspid {}\nqueue {}\nposition {}\nowner {}\noriginator {}\ndevice {}\nclass {}\nform {}\n\
             copies {}\nhold {}\n\
             keep {}\ndist {}\ndest {}\nname {}\ntype {}\ntag {}\ncreated {}\nrecords {}\nlength {}\nblocks {}\n\
             sealed {}\n",
            self.id,
            self.spid,
            self.queue.name(),
            self.position,
            self.owner,
            self.originator,
            self.device.name(),
            self.class,
            self.form,
            self.copies,
            self.hold.name(),
            self.keep,
            self.dist,
            self.dest,
            self.name,
            self.kind,
            self.tag,
            self.created.0,
            self.records,
            self.record_length,
            self.blocks,
            self.sealed
        );
        if let Some((node, user)) = &self.origin {
            text.push_str(&format!("origin {node} {user}\n"));
        }
        text.push_str(&format!("check {:016x}\n", check(&text)));
        text
    }

    /// The file that `text`, the content of the host file `id.meta`, describes; `None` if it is damaged.
    pub(crate) fn from_text(id: &str, text: &str) -> Option<SpoolFile> {
        let (body, sum) = text.split_at_checked(text.rfind("check ")?)?;
        if u64::from_str_radix(sum.strip_prefix("check ")?.trim_end(), 16).ok()? != check(body) {
            return None;
        }
        let get = |key: &str| {
            let mut lines = body.lines().filter_map(|line| line.split_once(' '));
            lines.find(|(k, _)| *k == key).map(|(_, value)| value)
        };
        // A header under another file's name is not that one's.
        if get("file").is_some_and(|file| file != id) {
            return None;
        }
        let hold = get("hold")?;
        Some(SpoolFile {
            spid: get("spid")?.parse().ok().filter(|&n| n <= 9999)?,
            queue: Queue::ALL.into_iter().find(|q| Some(q.name()) == get("queue"))?,
            owner: get("owner").filter(|o| !o.is_empty())?.into(),
            originator: get("originator")?.into(),
            device: Device::ALL.into_iter().find(|d| Some(d.name()) == get("device"))?,
            class: get("class")?.chars().next()?,
            form: get("form")?.into(),
            copies: get("copies")?.parse().ok()?,
            hold: Hold { user: hold == "USER" || hold == "USYS", system: hold == "SYS" || hold == "USYS" },
            keep: get("keep")?.parse().ok()?,
            dist: get("dist")?.into(),
            dest: get("dest")?.into(),
            name: get("name")?.into(),
            kind: get("type")?.into(),
            tag: get("tag")?.into(),
            created: Tod(get("created")?.parse().ok()?),
            origin: get("origin")
                .and_then(|origin| origin.split_once(' '))
                .map(|(node, user)| (node.into(), user.into())),
            records: get("records")?.parse().ok()?,
            record_length: get("length")?.parse().ok()?,
            blocks: get("blocks")?.parse().ok()?,
            in_use: false,
            sealed: get("sealed").is_some_and(|sealed| sealed == "true"),
            id: id.into(),
            position: get("position")?.parse().ok()?,
        })
    }
}

/// FNV-1a, to tell a file that was written from one that was half written or edited.
pub(crate) fn check(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, b| (sum ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// A check sum of bytes, eight at a time.
#[derive(Clone, Copy)]
pub(crate) struct Sum(u64);

impl Sum {
    pub(crate) fn new() -> Sum {
        Sum(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..piece.len()].copy_from_slice(piece);
            self.0 = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        }
    }

    pub(crate) fn value(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_survives_and_a_damaged_one_is_noticed() {
        let mut attributes = Attributes::new("U1", Queue::Reader, Tod(77));
        (attributes.name, attributes.tag) = ("PROFILE".into(), "to whom\nit may concern".into());
        attributes.origin = Some(("FARAWAY".into(), "SOMEONE".into()));
        let mut file = SpoolFile::new(&attributes, "MAINT", Device::Punch);
        (file.spid, file.position, file.hold.system, file.id) = (12, -3, true, "x".into());
        let text = file.to_text();
        assert_eq!(SpoolFile::from_text("x", &text), Some(file));
        assert_eq!(SpoolFile::from_text("x", &text.replace("spid 12", "spid 13")), None);
        for end in 0..text.len() - 1 {
            assert_eq!(SpoolFile::from_text("x", &text[..end]), None, "cut at {end}");
        }
    }
}
