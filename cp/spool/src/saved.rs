//! Saved systems and saved segments: pages of storage under a name, kept like spool files.
//!
//! The folder `saved` of the spool has two host files for each: `NNNN.meta`, a few lines of text with a check sum, and
//! `NNNN.data`, the storage keys and then the pages. A file exists when its `NNNN.meta` does, which appears and changes
//! by renaming; the data of one that is saved is on disk before. What is not whole is left alone and listed by
//! [`SavedFiles::damaged`].

use std::fs;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

use base::Tod;

use crate::Error;
use crate::file::{HEADER, Sum, check, field};

/// The size of a page.
pub const PAGE: usize = 4096;

/// The highest number of a saved file.
const MAX_ID: u16 = 9999;

/// What is saved under the name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A system, which IPL starts.
    System,
    /// A segment, which programs load.
    Segment,
}

impl Kind {
    /// `NSS` or `DCSS`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::System => "NSS",
            Kind::Segment => "DCSS",
        }
    }
}

/// What may be done with a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Defined, not saved.
    Skeleton,
    /// Every user may use it.
    Active,
    /// Only users whose directory entry says so may use it.
    Restricted,
    /// It goes when its last user has given it back.
    Pending,
}

impl Class {
    /// S, A, R or P, as QUERY NSS shows it.
    pub fn letter(self) -> char {
        match self {
            Class::Skeleton => 'S',
            Class::Active => 'A',
            Class::Restricted => 'R',
            Class::Pending => 'P',
        }
    }
}

/// What becomes of pages when a virtual machine gets them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum PageKind {
    /// SW: shared, and may be written.
    SharedWrite = 0,
    /// EW: each virtual machine has its own, and may write it.
    ExclusiveWrite = 1,
    /// SR: shared, and may only be read.
    SharedRead = 2,
    /// ER: each virtual machine has its own, and may only read it.
    ExclusiveRead = 3,
    /// SN: shared, and may be written; it begins as zeros, and is not saved.
    SharedNoData = 4,
    /// EN: each virtual machine has its own, and may write it; it begins as zeros, and is not saved.
    ExclusiveNoData = 5,
    /// SC: shared, and no virtual machine may write it.
    SharedCp = 6,
}

impl PageKind {
    const ALL: [(PageKind, &'static str); 7] = [
        (PageKind::SharedWrite, "SW"),
        (PageKind::ExclusiveWrite, "EW"),
        (PageKind::SharedRead, "SR"),
        (PageKind::ExclusiveRead, "ER"),
        (PageKind::SharedNoData, "SN"),
        (PageKind::ExclusiveNoData, "EN"),
        (PageKind::SharedCp, "SC"),
    ];

    /// `SR` and so on.
    pub fn name(self) -> &'static str {
        PageKind::ALL[self as usize].1
    }

    /// The kind that has this name.
    pub fn of(name: &str) -> Option<PageKind> {
        PageKind::ALL.iter().find(|(_, n)| n.eq_ignore_ascii_case(name)).map(|(kind, _)| *kind)
    }

    /// Whether the contents are saved; those of the others are zero. What CP writes is not saved either.
    pub fn has_data(self) -> bool {
        !matches!(self, PageKind::SharedNoData | PageKind::ExclusiveNoData | PageKind::SharedCp)
    }

    /// Whether all users of the page have the same one.
    pub fn is_shared(self) -> bool {
        matches!(self, PageKind::SharedWrite | PageKind::SharedRead | PageKind::SharedNoData | PageKind::SharedCp)
    }

    /// Whether a virtual machine may store there.
    pub fn is_writable(self) -> bool {
        !matches!(self, PageKind::SharedRead | PageKind::ExclusiveRead | PageKind::SharedCp)
    }
}

/// Pages from the first to the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageRange {
    /// The first page's number, its address divided by 4096.
    pub first: u32,
    /// The last page's number.
    pub last: u32,
    /// What becomes of the pages.
    pub kind: PageKind,
}

impl PageRange {
    /// How many pages.
    pub fn count(&self) -> u32 {
        self.last - self.first + 1
    }
}

/// A saved system or segment, or what is to become one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedFile {
    /// Its number, 1 to 9999; 0 before it is defined.
    pub id: u16,
    /// The name, in capitals.
    pub name: String,
    /// System or segment.
    pub kind: Kind,
    /// How far it is defined and who may use it.
    pub class: Class,
    /// In the order of their addresses.
    pub ranges: Vec<PageRange>,
    /// Bytes of storage that a virtual machine needs at least.
    pub minimum: u64,
    /// The architectures it is for; none named: all.
    pub modes: Vec<String>,
    /// The registers that IPL's parameters go to.
    pub parm_registers: Option<(u8, u8)>,
    /// VMGROUP of DEFSYS: only users whose directory entry names it may use it.
    pub vm_group: bool,
    /// It will be restricted when it is saved.
    pub restricted: bool,
    /// A user who may not use it shared may load a copy.
    pub load_nonshared: bool,
    /// The segment space that it is a member of: a user who loads one member has them all.
    pub space: Option<String>,
    /// The user who defined it.
    pub originator: String,
    /// When it was defined, or saved.
    pub created: Tod,
    /// The registers of a system, in a form of the saver's.
    pub cpu: Vec<u8>,
    /// A check sum of the data.
    sum: u64,
}

impl SavedFile {
    /// A file that is not defined yet.
    pub fn new(name: &str, kind: Kind, originator: &str, created: Tod) -> SavedFile {
        SavedFile {
            id: 0,
            name: field(name, 8),
            kind,
            class: Class::Skeleton,
            ranges: Vec::new(),
            minimum: 0,
            modes: Vec::new(),
            parm_registers: None,
            vm_group: false,
            restricted: false,
            load_nonshared: false,
            space: None,
            originator: field(originator, 8),
            created,
            cpu: Vec::new(),
            sum: 0,
        }
    }

    /// Whether users can have it by its name.
    pub fn is_active(&self) -> bool {
        matches!(self.class, Class::Active | Class::Restricted)
    }

    /// How many pages all ranges have.
    pub fn pages(&self) -> u32 {
        self.ranges.iter().map(PageRange::count).sum()
    }

    /// Every page whose contents are saved, in their order.
    pub fn saved_pages(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().filter(|range| range.kind.has_data()).flat_map(|range| range.first..=range.last)
    }

    fn to_text(&self) -> String {
        let ranges: Vec<String> =
            self.ranges.iter().map(|r| format!("{:X}-{:X}-{}", r.first, r.last, r.kind.name())).collect();
        let registers = self.parm_registers.map_or("none".into(), |(first, last)| format!("{first}-{last}"));
        let cpu: String = self.cpu.iter().map(|b| format!("{b:02x}")).collect();
        let mut text = format!(
            "name {}\nkind {}\nclass {}\nranges {}\nminimum {}\nmodes {}\nregisters {registers}\ngroup {}\n\
             restricted {}\n\
             nonshared {}\nspace {}\noriginator {}\ncreated {}\ncpu {cpu}\nsum {:016x}\n",
            self.name,
            self.kind.name(),
            self.class.letter(),
            ranges.join(" "),
            self.minimum,
            self.modes.join(" "),
            self.vm_group,
            self.restricted,
            self.load_nonshared,
            self.space.as_deref().unwrap_or_default(),
            self.originator,
            self.created.0,
            self.sum,
        );
        text.push_str(&format!("check {:016x}\n", check(&text)));
        text
    }

    fn from_text(id: u16, text: &str) -> Option<SavedFile> {
        let (body, sum) = text.split_at_checked(text.rfind("check ")?)?;
        if u64::from_str_radix(sum.strip_prefix("check ")?.trim_end(), 16).ok()? != check(body) {
            return None;
        }
        let get =
            |key: &str| body.lines().filter_map(|line| line.split_once(' ')).find(|(k, _)| *k == key).map(|(_, v)| v);
        let range = |text: &str| {
            let mut parts = text.split('-');
            let mut number = || u32::from_str_radix(parts.next()?, 16).ok();
            let (first, last) = (number()?, number()?);
            Some(PageRange { first, last, kind: PageKind::of(parts.next()?)? })
                .filter(|range| range.first <= range.last)
        };
        let byte = |n: usize| u8::from_str_radix(get("cpu")?.get(n..n + 2)?, 16).ok();
        Some(SavedFile {
            id,
            name: get("name").filter(|name| !name.is_empty())?.into(),
            kind: [Kind::System, Kind::Segment].into_iter().find(|kind| Some(kind.name()) == get("kind"))?,
            class: [Class::Skeleton, Class::Active, Class::Restricted, Class::Pending]
                .into_iter()
                .find(|class| get("class").is_some_and(|text| text.starts_with(class.letter())))?,
            ranges: get("ranges")?.split_whitespace().map(range).collect::<Option<_>>()?,
            minimum: get("minimum")?.parse().ok()?,
            modes: get("modes")?.split_whitespace().map(str::to_string).collect(),
            parm_registers: get("registers")?
                .split_once('-')
                .and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?))),
            vm_group: get("group")?.parse().ok()?,
            restricted: get("restricted")?.parse().ok()?,
            load_nonshared: get("nonshared")?.parse().ok()?,
            space: get("space").filter(|space| !space.is_empty()).map(str::to_string),
            originator: get("originator")?.into(),
            created: Tod(get("created")?.parse().ok()?),
            cpu: (0..get("cpu")?.len()).step_by(2).map(byte).collect::<Option<_>>()?,
            sum: u64::from_str_radix(get("sum")?, 16).ok()?,
        })
    }
}

/// All saved systems and segments.
pub struct SavedFiles {
    folder: PathBuf,
    files: Vec<SavedFile>,
    damaged: Vec<PathBuf>,
}

impl SavedFiles {
    pub(crate) fn open(folder: PathBuf) -> Result<SavedFiles, Error> {
        fs::create_dir_all(&folder).map_err(|e| Error::of(&folder, e))?;
        let mut all = SavedFiles { folder, files: Vec::new(), damaged: Vec::new() };
        let entries = fs::read_dir(&all.folder).map_err(|e| Error::of(&all.folder, e))?;
        let mut data = Vec::new();
        for entry in entries {
            let path = entry.map_err(|e| Error::of(&all.folder, e))?.path();
            let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
            let id = stem.parse().ok().filter(|&id: &u16| (1..=MAX_ID).contains(&id));
            match (path.extension().and_then(|e| e.to_str()), id) {
                (Some("meta"), Some(id)) => {
                    match base::file::read_text(&path, HEADER).ok().and_then(|text| SavedFile::from_text(id, &text)) {
                        Some(file) => all.files.push(file),
                        None => all.damaged.push(path),
                    }
                }
                (Some("data"), Some(id)) => data.push((id, path)),
                (Some("new"), _) => drop(fs::remove_file(&path)),
                _ => {}
            }
        }
        all.files.sort_by_key(|file| file.id);
        // A file that was only there for its users has none now. Data without a header was being written.
        let pending: Vec<u16> = all.files.iter().filter(|f| f.class == Class::Pending).map(|f| f.id).collect();
        pending.into_iter().try_for_each(|id| all.remove(id))?;
        for (id, path) in data {
            let known = all.file(id).is_some_and(|file| file.class != Class::Skeleton);
            if !known && path.exists() && !all.path(id, "meta").exists() {
                fs::remove_file(&path).map_err(|e| Error::of(&path, e))?;
            }
        }
        Ok(all)
    }

    fn path(&self, id: u16, extension: &str) -> PathBuf {
        self.folder.join(format!("{id:04}.{extension}"))
    }

    /// Host files that are not what they should be.
    pub fn damaged(&self) -> &[PathBuf] {
        &self.damaged
    }

    /// Every file, in the order of their numbers.
    pub fn files(&self) -> &[SavedFile] {
        &self.files
    }

    /// The file of this number.
    pub fn file(&self, id: u16) -> Option<&SavedFile> {
        self.files.iter().find(|file| file.id == id)
    }

    /// The file that users get by this name.
    pub fn active(&self, name: &str) -> Option<&SavedFile> {
        self.files.iter().find(|file| file.is_active() && file.name == name)
    }

    /// What users get who ask for this segment, with the segment itself first: a member of a segment space brings the
    /// others with it, and the name of a space means all of them. Nothing, if it is not there, or a member of its space
    /// was never saved.
    pub fn parts(&self, name: &str) -> Vec<SavedFile> {
        let asked = self.active(name);
        let space = match asked {
            Some(SavedFile { space: None, .. }) => return asked.cloned().into_iter().collect(),
            Some(SavedFile { space: Some(space), .. }) => space,
            None => name,
        };
        let members = || self.files.iter().filter(|file| file.space.as_deref() == Some(space));
        let whole = members().all(|file| self.active(&file.name).is_some_and(|other| other.space == file.space));
        let first = asked.into_iter();
        let others = members().filter(|file| file.is_active() && file.name != name);
        if whole { first.chain(others).cloned().collect() } else { Vec::new() }
    }

    /// The file of this name and kind that is defined and not saved.
    pub fn skeleton(&self, name: &str, kind: Kind) -> Option<&SavedFile> {
        self.files.iter().find(|file| file.class == Class::Skeleton && file.kind == kind && file.name == name)
    }

    /// Enters a file that is defined, and returns its number.
    pub fn define(&mut self, mut file: SavedFile) -> Result<u16, Error> {
        let highest = self.files.iter().map(|file| file.id).max().unwrap_or(0);
        let free = |id: &u16| self.file(*id).is_none() && !self.path(*id, "meta").exists();
        let id = (highest + 1..=MAX_ID).chain(1..=highest).find(free).ok_or_else(|| Error::NoSpid("*NSS".into()))?;
        (file.id, file.class) = (id, Class::Skeleton);
        self.write(&file)?;
        self.files.push(file);
        self.files.sort_by_key(|file| file.id);
        Ok(id)
    }

    /// Saves what a skeleton describes: `key` and `page` give the storage key and the contents of each page. Files of
    /// the same name that were active before are pending from now on; their numbers are returned.
    pub fn save(
        &mut self,
        id: u16,
        cpu: Vec<u8>,
        created: Tod,
        key: impl Fn(u32) -> u8,
        page: impl Fn(u32, &mut [u8; PAGE]),
    ) -> Result<Vec<u16>, Error> {
        let mut file = self.file(id).ok_or_else(|| Error::NoFile("*NSS".into(), id))?.clone();
        let path = self.path(id, "data");
        let write = || -> std::io::Result<u64> {
            let host = fs::File::create(&path)?;
            let mut to = BufWriter::with_capacity(1 << 18, host);
            let mut sum = Sum::new();
            let mut put = |bytes: &[u8]| {
                sum.add(bytes);
                to.write_all(bytes)
            };
            let keys: Vec<u8> = file.ranges.iter().flat_map(|range| range.first..=range.last).map(&key).collect();
            put(&keys)?;
            let mut bytes = [0; PAGE];
            for number in file.saved_pages() {
                page(number, &mut bytes);
                put(&bytes)?;
            }
            to.into_inner()?.sync_all()?;
            Ok(sum.value())
        };
        file.sum = write().map_err(|e| {
            let _ = fs::remove_file(&path);
            Error::of(&path, e)
        })?;
        (file.cpu, file.created) = (cpu, created);
        file.class = if file.restricted { Class::Restricted } else { Class::Active };
        let older = self.files.iter().filter(|other| other.is_active() && other.name == file.name);
        let older: Vec<u16> = older.map(|other| other.id).collect();
        // The old ones first: of two that are active under one name it would not be clear which is meant.
        for &old in &older {
            self.set_class(old, Class::Pending)?;
        }
        self.write(&file)?;
        self.replace(file);
        Ok(older)
    }

    /// Reads a file: its keys, and then each page whose contents were saved is handed to `page` with its number.
    pub fn read(&self, id: u16, mut page: impl FnMut(u32, &[u8])) -> Result<Vec<u8>, Error> {
        let file = self.file(id).ok_or_else(|| Error::NoFile("*NSS".into(), id))?;
        let path = self.path(id, "data");
        let read = |from: &mut dyn Read, to: &mut [u8]| {
            from.read_exact(to).map_err(|e| match e.kind() {
                std::io::ErrorKind::UnexpectedEof => Error::Damaged(path.clone()),
                _ => Error::of(&path, e),
            })
        };
        let host = base::file::open(&path, base::file::Access::Read).map_err(|e| Error::of(&path, e))?;
        let mut from = BufReader::with_capacity(1 << 18, host);
        let mut sum = Sum::new();
        let mut keys = vec![0; file.pages() as usize];
        read(&mut from, &mut keys)?;
        sum.add(&keys);
        let mut bytes = [0; PAGE];
        for number in file.saved_pages() {
            read(&mut from, &mut bytes)?;
            sum.add(&bytes);
            page(number, &bytes);
        }
        if sum.value() == file.sum { Ok(keys) } else { Err(Error::Damaged(path)) }
    }

    /// Gives a file another class.
    pub fn set_class(&mut self, id: u16, class: Class) -> Result<(), Error> {
        let mut file = self.file(id).ok_or_else(|| Error::NoFile("*NSS".into(), id))?.clone();
        file.class = class;
        self.write(&file)?;
        self.replace(file);
        Ok(())
    }

    /// Removes a file.
    pub fn remove(&mut self, id: u16) -> Result<(), Error> {
        for extension in ["meta", "data"] {
            let path = self.path(id, extension);
            match fs::remove_file(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::of(&path, e)),
                _ => {}
            }
        }
        self.files.retain(|file| file.id != id);
        Ok(())
    }

    fn replace(&mut self, file: SavedFile) {
        if let Some(old) = self.files.iter_mut().find(|old| old.id == file.id) {
            *old = file;
        }
    }

    fn write(&self, file: &SavedFile) -> Result<(), Error> {
        let path = self.path(file.id, "meta");
        base::file::replace(&path, file.to_text().as_bytes(), 0o666).map_err(|e| Error::of(&path, e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use support::folder::Folder;

    fn defined(name: &str) -> SavedFile {
        let mut file = SavedFile::new(name, Kind::System, "MAINT", Tod(5));
        file.ranges = vec![
            PageRange { first: 0, last: 1, kind: PageKind::ExclusiveWrite },
            PageRange { first: 2, last: 2, kind: PageKind::ExclusiveNoData },
            PageRange { first: 0x300, last: 0x301, kind: PageKind::SharedRead },
        ];
        file.parm_registers = Some((0, 15));
        file.modes = vec!["XA".into(), "ESA".into()];
        file
    }

    #[test]
    fn members_of_a_space_come_together_when_all_are_saved() {
        let folder = Folder::absent("spaces");
        let mut all = SavedFiles::open(folder.0.clone()).unwrap();
        let define = |all: &mut SavedFiles, name: &str, space: Option<&str>, page: u32| {
            let mut file = SavedFile::new(name, Kind::Segment, "MAINT", Tod(5));
            file.ranges = vec![PageRange { first: page, last: page, kind: PageKind::SharedRead }];
            file.space = space.map(str::to_string);
            all.define(file).unwrap()
        };
        let save = |all: &mut SavedFiles, id: u16| all.save(id, Vec::new(), Tod(9), |_| 0, |_, to| to.fill(0)).unwrap();
        let names = |all: &SavedFiles, name: &str| {
            all.parts(name).iter().map(|file| file.name.clone()).collect::<Vec<_>>().join(" ")
        };
        let [one, two, alone] = [("ONE", Some("BOTH")), ("TWO", Some("BOTH")), ("ALONE", None)]
            .map(|(name, space)| define(&mut all, name, space, 0x400));
        save(&mut all, one);
        save(&mut all, alone);
        assert_eq!(["ONE", "BOTH", "ALONE", "NONE"].map(|name| names(&all, name)), ["", "", "ALONE", ""]);
        save(&mut all, two);
        let all = SavedFiles::open(folder.0.clone()).unwrap();
        assert_eq!(
            ["ONE", "TWO", "BOTH", "ALONE"].map(|name| names(&all, name)),
            ["ONE TWO", "TWO ONE", "ONE TWO", "ALONE"]
        );
    }

    #[test]
    fn what_is_saved_survives_and_damage_is_noticed() {
        let folder = Folder::absent("saved");
        let open = || SavedFiles::open(folder.0.clone()).unwrap();
        let mut all = open();
        let id = all.define(defined("CMS")).unwrap();
        assert!(all.active("CMS").is_none() && all.skeleton("CMS", Kind::System).is_some());
        let fill = |number: u32, to: &mut [u8; PAGE]| to.fill(number as u8);
        assert_eq!(all.save(id, vec![1, 0xff], Tod(9), |n| n as u8 & 0xf0, fill).unwrap(), []);
        let all = open();
        let file = all.active("CMS").unwrap();
        assert_eq!((file.id, file.cpu.as_slice(), file.pages(), file.created), (id, &[1, 0xff][..], 5, Tod(9)));
        assert_eq!((&file.ranges, file.parm_registers), (&defined("CMS").ranges, Some((0, 15))));
        let mut seen = Vec::new();
        let keys = all.read(id, |number, bytes| seen.push((number, bytes[0], bytes[4095]))).unwrap();
        assert_eq!((keys, seen), (vec![0; 5], vec![(0, 0, 0), (1, 1, 1), (0x300, 0, 0), (0x301, 1, 1)]));
        // A newer one takes the name; the old one goes at the next start.
        let mut all = open();
        let newer = all.define(defined("CMS")).unwrap();
        assert_eq!(all.save(newer, Vec::new(), Tod(10), |_| 0, fill).unwrap(), [id]);
        assert_eq!(all.file(id).unwrap().class, Class::Pending);
        let all = open();
        assert_eq!((all.files().len(), all.active("CMS").unwrap().id), (1, newer));
        // A bit of the data, or of the header.
        let data = folder.0.join(format!("{newer:04}.data"));
        let mut bytes = fs::read(&data).unwrap();
        bytes[5000] ^= 1;
        fs::write(&data, &bytes).unwrap();
        assert!(matches!(all.read(newer, |_, _| ()), Err(Error::Damaged(_))));
        fs::write(&data, &bytes[..5000]).unwrap();
        assert!(matches!(all.read(newer, |_, _| ()), Err(Error::Damaged(_))));
        let meta = folder.0.join(format!("{newer:04}.meta"));
        let text = fs::read_to_string(&meta).unwrap();
        fs::write(&meta, text.replace("300-301", "300-302")).unwrap();
        let mut all = open();
        assert_eq!((all.files().len(), all.damaged()), (0, &[meta.clone()][..]));
        assert_ne!(all.define(defined("CMS")).unwrap(), newer, "what is damaged is left alone");
        assert!(data.exists() && meta.exists());
    }
}
