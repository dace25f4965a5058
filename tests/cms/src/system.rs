//! A system in this process, on a virtual clock, with users who have CMS's disks.

use crate::{cards, good, scratch};
use base::{Clock, Tod};
use consoles::display::Size;
use consoles::host::Silent;
use consoles::terminal::{Kind, Terminal};
use dasd::model::CkdModel;
use dasd::{Blocks, Extent, Memory, Volume, label};
use devices::tape::Model;
use directory::{Directory, Passwords};
use minidisk::policy::Policy;
use nucleus::system::{Cp, SystemConfig};
use spool::Spool;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tape::Tape;

/// What directories of systems for stories begin with; MAINT's statements go on after it.
pub const BEGINNING: &str = "\
PROFILE DEFAULT
 CONSOLE 009 3215 T
 SPOOL 00C 2540 READER *
 SPOOL 00D 2540 PUNCH A
 SPOOL 00E 1403 A
USER OPERATOR OPERATOR 2M 2M ABCDEFG
 INCLUDE DEFAULT
USER MAINT MAINT 16M 64M ABCDEFG
 INCLUDE DEFAULT
";

/// 190 has the nucleus, 191 is CMSUSER's, 192 to 194 are not formatted, MAINT reads what CMSUSER has.
const USERS: &str = "\
\x20MACHINE ESA
 OPTION LNKNOPAS
 MDISK 190 3390 1 3 VMRES MR ALL
 MDISK 191 3390 4 2 VMRES MR ALL
USER CMSUSER CMSUSER 4M 64M G
 INCLUDE DEFAULT
 MACHINE ESA
 IUCV *MONITOR MSGLIMIT 255
 NAMESAVE MONDCSS
 LINK MAINT 190 190 RR
 MDISK 191 3390 6 2 VMRES MR ALL
 MINIOPT NOMDC
 MDISK 192 3390 8 1 VMRES MR ALL
 MDISK 193 3390 9 1 VMRES MR ALL
 MDISK 194 FB-512 V-DISK 2000
USER COLLECT COLLECT 4M 4M G
 INCLUDE DEFAULT
 MACHINE ESA
 IUCV *ACCOUNT
 LINK MAINT 190 190 RR
 LINK CMSUSER 191 191 MR
USER SMALL SMALL 2M 2M G
 INCLUDE DEFAULT
 MACHINE ESA
 LINK MAINT 190 190 RR
USER LARGE LARGE 2047M 2047M G
 INCLUDE DEFAULT
 MACHINE XA
 LINK MAINT 190 190 RR
 LINK CMSUSER 191 191 RR
";

/// The directory of the system of CMS's stories.
pub fn directory() -> String {
    format!("{BEGINNING}{USERS}")
}

/// A clock that stands still until guests run, and advances by a tenth of a millisecond at each look then.
#[derive(Default)]
struct Still {
    at: AtomicU64,
    running: AtomicBool,
}

impl Clock for Still {
    fn now(&self) -> Tod {
        let passed = if self.running.load(Ordering::Relaxed) { Tod(0).plus_micros(100).0 } else { 0 };
        Tod(self.at.fetch_add(passed, Ordering::Relaxed) + passed)
    }
}

/// Wednesday, 20 November 1991, 08:00:00.
const MORNING: u64 = 690_624_000;

/// TORN.HET in this folder: a tape whose only block is called packed and is not.
///
/// # Panics
/// If the folder cannot be written to: a failure of the test.
pub fn torn_tape(folder: &Path) {
    let bytes = [&[80, 0, 0, 0, 0xa1, 0x02][..], &[0x40; 80]].concat();
    std::fs::write(folder.join("TORN.HET"), bytes).expect("a folder of the test's own");
}

/// How many time slices a guest gets after a line: one that loops must not be waited for.
const SLICES: u32 = 4000;

/// A system with users who have CMS's disks.
pub struct Site {
    /// CP of the system.
    pub cp: Cp,
    clock: Arc<Still>,
    volume: Arc<dyn Volume>,
    folder: PathBuf,
    terminals: Vec<(String, Arc<Terminal>)>,
}

/// A file for a disk: name, type, mode, text; of a MODULE, its bytes in hexadecimal, or `made` and
/// a line with the file that `cargo x cms` has made; of a deck `deck` and a line with
/// the compiled file's path, or `cards` and lines as [`cards::deck`] has them; of what HELP types `help` and a line
/// with the file's name; `disk`, if it is one of `guest/cms/disks/system`; of a PART, the name of what `cargo x cms`
/// has linked.
pub type File<'a> = (&'a str, &'a str, &'a str, &'a str);

impl Site {
    /// The system, its 190 with this loader and nucleus and these files, CMSUSER's 191 with those.
    pub fn new(cms: &[PathBuf; 2], system: &[File<'_>], user: &[File<'_>]) -> Site {
        let folder = new_folder();
        let disks = images(cms, &folder, system, user);
        Site::with_disks(folder, &disks, SystemConfig::default())
    }

    /// The same, in a system that has so many bytes of real storage.
    pub fn with_storage(cms: &[PathBuf; 2], system: &[File<'_>], user: &[File<'_>], storage: u64) -> Site {
        let folder = new_folder();
        let disks = images(cms, &folder, system, user);
        Site::with_disks(folder, &disks, SystemConfig { real: Some(storage), ..SystemConfig::default() })
    }

    /// The system with these disks, which [`images`] has made.
    pub fn with(disks: &[PathBuf; 2]) -> Site {
        Site::with_disks(new_folder(), disks, SystemConfig::default())
    }

    fn with_disks(folder: PathBuf, [first, second]: &[PathBuf; 2], config: SystemConfig) -> Site {
        let pack = Memory::ckd(CkdModel::named("3390").expect("there is this model"), 20);
        label::write(&pack, "VMRES").expect("it is empty");
        let volume: Arc<dyn Volume> = Arc::new(pack);
        let clock = Arc::new(Still::default());
        clock.at.store(Tod::from_unix_nanos(MORNING * 1_000_000_000).0, Ordering::Relaxed);
        let directory =
            Directory::parse("USER DIRECT", &directory(), &Passwords::default()).expect("it has no mistakes");
        let spool = Spool::open(&folder).expect("the folder is there");
        engine::provide(jit::translator);
        let cp = Cp::new(config, directory, Some(spool), clock.clone(), Arc::new(Silent));
        cp.disks.set_policy(Policy { owned: vec!["VMRES".into()], ..Policy::default() });
        cp.disks.install(0x200, volume.clone(), "vmres".into()).expect("it can be there");
        // Disks that are free, and have no label.
        for (number, cylinders) in [(0x300, 12), (0x301, 5)] {
            let model = CkdModel::named("3390").expect("there is one");
            let free = Arc::new(Memory::ckd(model, cylinders));
            cp.disks.install(number, free, format!("free{cylinders}")).expect("it can be there");
        }
        // A drive with a tape, another tape, and one that is torn.
        for name in ["WORK.HET", "OTHER.AWS"] {
            Tape::create(&folder.join(name)).expect("the folder is new");
        }
        torn_tape(&folder);
        assert!(cp.tapes.install(0x580, Model::T3490));
        cp.tapes.set_library(&folder);
        assert!(cp.tapes.mount(0x580, "WORK.HET", true).is_ok());
        let site = Site { cp, clock, volume, folder, terminals: Vec::new() };
        site.put(1, 3, first);
        site.put(6, 2, second);
        site
    }

    fn blocks(&self, first: u64, cylinders: u64) -> Blocks {
        let disk = Extent::new(self.volume.clone(), first, cylinders, false).expect("it lies on the volume");
        Blocks::new(Arc::new(disk), 4096).expect("blocks of this size fit")
    }

    fn put(&self, first: u64, cylinders: u64, image: &Path) {
        let blocks = self.blocks(first, cylinders);
        blocks.format(&mut |_, _| true).expect("it is in storage");
        let bytes = std::fs::read(image).expect("it was just made");
        for (n, block) in bytes.chunks(4096).enumerate() {
            blocks.write(n as u64, block).expect("the disk has this block");
        }
    }

    /// What is on CMSUSER's 191 now.
    pub fn user_blocks(&self) -> Vec<u8> {
        let blocks = self.blocks(6, 2);
        let mut bytes = vec![0; 4096 * blocks.count() as usize];
        for (n, block) in bytes.chunks_mut(4096).enumerate() {
            blocks.read(n as u64, block).expect("it is formatted");
        }
        bytes
    }

    /// CMSUSER's 191 as a file of the host.
    pub fn user_disk(&self) -> PathBuf {
        let path = self.folder.join("user");
        std::fs::write(&path, self.user_blocks()).expect("the folder is there");
        path
    }

    /// Writes over a block of CMSUSER's 191, counted from 1.
    pub fn damage(&self, block: u64, with: u8) {
        self.blocks(6, 2).write(block - 1, &[with; 4096]).expect("the disk has this block");
    }

    fn terminal(&mut self, name: &str) -> Arc<Terminal> {
        if let Some((_, terminal)) = self.terminals.iter().find(|(other, _)| other == name) {
            return terminal.clone();
        }
        let terminal = self.cp.connect(Kind::Typewriter, None, "127.0.0.1", true);
        self.terminals.push((name.into(), terminal.clone()));
        terminal
    }

    /// `name` types a line; returns what its terminal shows when nothing happens any more.
    pub fn says(&mut self, name: &str, line: &str) -> String {
        self.types(name, line, SLICES).0
    }

    /// The same, but the guest gets only so many time slices: it may be in the middle of something.
    pub fn says_soon(&mut self, name: &str, line: &str, slices: u32) -> String {
        self.types(name, line, slices).0
    }

    /// The same, and whether nothing happens any more.
    pub fn types(&mut self, name: &str, line: &str, slices: u32) -> (String, bool) {
        let terminal = self.terminal(name);
        self.cp.line(terminal.id, line);
        let done = self.run(slices);
        (terminal.take_output(), done)
    }

    /// So many seconds pass; what the terminal of `name` shows when nothing happens any more.
    pub fn waits(&mut self, name: &str, seconds: u64) -> String {
        let terminal = self.terminal(name);
        self.clock.at.fetch_add(Tod(0).plus_micros(seconds * 1_000_000).0, Ordering::Relaxed);
        self.run(SLICES);
        terminal.take_output()
    }

    /// The same, stopping wherever CP has something to do at its time: the monitor's samples.
    pub fn passes(&mut self, name: &str, seconds: u64) -> String {
        let terminal = self.terminal(name);
        let end = self.clock.now().plus_micros(seconds * 1_000_000);
        while let Some(at) = self.cp.deadline().filter(|&at| at <= end) {
            self.clock.at.fetch_max(at.0, Ordering::Relaxed);
            self.cp.tick();
            self.run(SLICES);
        }
        self.clock.at.fetch_max(end.0, Ordering::Relaxed);
        self.run(SLICES);
        terminal.take_output()
    }

    /// Connects a display of so many rows and columns.
    pub fn display(&self, rows: usize, columns: usize) -> Arc<Terminal> {
        self.cp.connect(Kind::Display(Size { rows, columns }), None, "127.0.0.1", true)
    }

    /// Guests run until nothing happens any more, or for so many time slices: whether nothing does.
    pub fn runs(&self, slices: u32) -> bool {
        self.run(slices)
    }

    /// Whether nothing happens any more.
    fn run(&self, slices: u32) -> bool {
        self.clock.running.store(true, Ordering::Relaxed);
        let ran = (0..slices).take_while(|_| self.cp.step(0)).count();
        self.clock.running.store(false, Ordering::Relaxed);
        ran < slices as usize
    }
}

fn new_folder() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let folder = scratch().join(NUMBER.fetch_add(1, Ordering::Relaxed).to_string());
    std::fs::create_dir_all(&folder).expect("the folder above is there");
    folder
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Parts of the nucleus that every 190 has, and what SEGGEN makes segments of; stories of windows bring theirs.
const PARTS: [File<'_>; 4] = [
    ("PIPES", "PART", "A2", "PIPES"),
    ("CMSVMLIB", "PART", "A2", "CMSVMLIB"),
    ("PIPES", "LSEG", "A2", "PART PIPES\n"),
    ("CMSVMLIB", "LSEG", "A2", "PART CMSVMLIB\n"),
];

/// The disks, as files in `folder`: 190 with this loader and nucleus and these files, CMSUSER's 191 with those.
pub fn images(cms: &[PathBuf; 2], folder: &Path, system: &[File<'_>], user: &[File<'_>]) -> [PathBuf; 2] {
    // What `cargo x cms` has compiled lies beside the nucleus.
    let decks = cms[1].parent().expect("it is in a folder");
    let parts = PARTS.iter().filter(|part| !system.iter().any(|file| file.0 == part.0 && file.1 == part.1));
    let system: Vec<File<'_>> = system.iter().chain(parts).copied().collect();
    let first = image(folder, decks, "190", 3 * 180, 2 * 180, &system);
    let [loader, nucleus] = cms.each_ref().map(|path| text(path));
    good(&["ipl", &text(&first), &loader, &nucleus]);
    [first, image(folder, decks, "191", 2 * 180, 0, user)]
}

/// A disk of so many blocks with these files, of which the last ones are reserved.
fn image(folder: &Path, decks: &Path, label: &str, blocks: u32, reserved: u32, files: &[File<'_>]) -> PathBuf {
    let image = folder.join(label);
    let serial = format!("CMS{label}");
    good(&["format", &text(&image), &blocks.to_string(), "4096", &serial, &reserved.to_string()]);
    for (name, kind, mode, content) in files {
        let file = folder.join("content");
        if *kind == "MODULE" {
            let records = match content.strip_prefix("made\n") {
                Some(name) => std::fs::read(decks.join(name)).expect("cargo x cms has made this module"),
                None => module(content),
            };
            std::fs::write(&file, records).expect("the folder is there");
            good(&["bin", &text(&image), name, kind, mode, &text(&file), "V"]);
            continue;
        }
        if *kind == "PART" {
            let part = decks.join(content.trim()).with_extension("PART");
            let record = "4096";
            good(&["bin", &text(&image), name, kind, mode, &text(&part), "F", record]);
            continue;
        }
        if let Some(cards) = deck(decks, content) {
            std::fs::write(&file, cards).expect("the folder is there");
            good(&["bin", &text(&image), name, kind, mode, &text(&file), "F", "80"]);
            continue;
        }
        // A source is cards; the rest are lines.
        let (lines, format) = match content.strip_prefix("source\n") {
            Some(lines) => (lines, &["F", "80"][..]),
            None => (*content, &["V"][..]),
        };
        let of_system = crate::source().join("disks/system").join(format!("{name}.{kind}.{mode}"));
        let file = match content.strip_prefix("help\n") {
            Some(name) => crate::made().join(name),
            None if *content == "disk" => of_system,
            None => {
                std::fs::write(&file, lines).expect("the folder is there");
                file
            }
        };
        good(&[&["put", &text(&image), name, kind, mode, &text(&file)], format].concat());
    }
    image
}

/// The cards of a file that is a deck.
fn deck(decks: &Path, content: &str) -> Option<Vec<u8>> {
    let (what, rest) = content.split_once('\n')?;
    match what {
        // What `cargo x cms` has compiled lies beside the nucleus.
        "deck" => Some(std::fs::read(decks.join(rest.trim())).expect("cargo x cms has made this deck")),
        "cards" => Some(cards::deck(rest)),
        _ => None,
    }
}

/// The two records of a module that lies at X'20000' and begins there, from its bytes in hexadecimal.
fn module(hex: &str) -> Vec<u8> {
    let digits: String = hex.split_whitespace().collect();
    let code: Vec<u8> = (0..digits.len() / 2)
        .map(|n| u8::from_str_radix(&digits[2 * n..2 * n + 2], 16).expect("hexadecimal digits"))
        .collect();
    let mut header = base::ebcdic::from_str("MODULE  ");
    for word in [0x20000, 0x20000, code.len() as u32] {
        header.extend(word.to_be_bytes());
    }
    header.resize(80, 0);
    let record = |data: &[u8]| [&(data.len() as u16).to_be_bytes()[..], data].concat();
    [record(&header), record(&code)].concat()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
