//! CMS disks between our file system and `cmsfs-fuse`, the client that Linux has for them, both ways: our disks are
//! read in a guest, files are written, extended, cut, erased and renamed there, and all of that is checked and read
//! here, goes on being changed here, and is read there again. For every size of block on count-key-data and fixed-block
//! disks, for fixed and variable records, with files of several levels of pointers and of holes.
//!
//! Debian's program is only started; `cargo x guest` fetches it. It writes fixed records that are longer than a block,
//! but ends with an assertion of its own when it reads them, its own files too: those go one way.

mod support;

use ::support::Random;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use debian::cpio::Archive;
use support::{Guest, console, endicott, guest};

/// Sizes of blocks, and whether the disk has fixed blocks.
const DISKS: [(u32, bool); 8] =
    [(512, false), (1024, false), (2048, false), (4096, false), (512, true), (1024, true), (2048, true), (4096, true)];
/// Blocks of a track of a 3390, for each size.
const PER_TRACK: [u32; 4] = [49, 33, 21, 12];
const CYLINDERS: u32 = 62;
const FIXED_BLOCKS: u32 = 46_000;

/// Files that the guest makes so that the directory has several blocks.
const MANY: usize = 70;

/// A line of letters, without its end.
fn line(random: &mut Random, length: u32) -> Vec<u8> {
    (0..length).map(|_| b'A' + random.below(26)).collect()
}

/// A file: its record length, or 0 for variable records, and its bytes; variable records are lines.
type File = (u32, Vec<u8>);

/// The files that go both ways.
fn files() -> BTreeMap<&'static str, File> {
    let mut random = Random::seeded(0x0123_4567_89ab_cdef);
    let mut all: BTreeMap<&'static str, File> = BTreeMap::new();
    for (name, lrecl, records) in [
        ("ONE.F80", 80, 6),
        ("MANY.F80", 80, 4000),
        // Two levels of pointers with blocks of 4096 bytes.
        ("BIG.F133", 133, 32_000),
        ("WIDE.F60000", 60_000, 5),
        ("BYTES.F1", 1, 1000),
    ] {
        all.insert(name, (lrecl, random.bytes(lrecl as usize * records)));
    }
    // Three levels of pointers with blocks of 512 bytes, and hardly any block.
    let mut sparse = vec![0; 100 * 90_000];
    for record in [0, 1, 40, 5000, 44_444, 70_000, 89_999] {
        sparse[record * 100..record * 100 + 100]
            .copy_from_slice(&random.bytes(100).iter().map(|b| b | 1).collect::<Vec<u8>>());
    }
    all.insert("SPARSE.F100", (100, sparse));
    let mut lines = |lengths: &mut dyn Iterator<Item = u32>| {
        let text = lengths.flat_map(|length| [line(&mut random, length), b"\n".to_vec()].concat()).collect();
        (0, text)
    };
    all.insert("ONE.V", lines(&mut [1, 2, 80, 3].into_iter()));
    // A record's length lies across the end of a block.
    let split = [512, 1024, 2048, 4096].map(|size: u32| [size - 3, size - 5, size - 4, 1, 1, size]);
    all.insert("SPLIT.V", lines(&mut split.into_iter().flatten()));
    all.insert("LONGEST.V", lines(&mut [65_535, 1, 40_000, 65_535, 2, 65_534].into_iter()));
    let mut lengths = Random::seeded(99);
    // Three levels of pointers with blocks of 512 bytes, two with blocks of 4096.
    all.insert("LARGE.V", lines(&mut (0..15_000).map(|_| 1 + lengths.below(200))));
    all
}

/// What the guest does with each disk in its first life, and in its second.
const SCRIPT: &str = r#"#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp /etc /mnt /sbin
/bin/busybox --install -s /sbin
export PATH=/bin:/sbin:/usr/bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
ln -sf /proc/mounts /etc/mtab
dmesg -n 1
for module in dasd_mod dasd_eckd_mod dasd_fba_mod fuse; do
    [ ! -f /modules/$module.ko ] || insmod /modules/$module.ko
done

same() { cmp "$1" "$2" >/dev/null || echo "WRONG $disk $2 is not $1"; }
fixed() { # NAME LRECL FROM
    : >/mnt/$1
    setfattr -n user.record_format -v F /mnt/$1
    setfattr -n user.record_lrecl -v $2 /mnt/$1
    dd if=$3 of=/mnt/$1 bs=$(((65535 / $2) * $2)) oflag=append conv=notrunc 2>/dev/null || echo "WRONG $disk $1 cannot be written"
}
mounted() { # OPTIONS
    cmsfs-fuse -o big_writes $* $device /mnt || { echo "WRONG $disk is not mounted"; continue; }
}

# What was written is on the disk when the program has ended.
unmounted() { umount /mnt; while pidof cmsfs-fuse >/dev/null; do sleep 0.1; done; sync; }

for disk in 0200 0201 0202 0203 0204 0205 0206 0207; do
    ccw=/sys/bus/ccw/devices/0.0.$disk
    echo 1 >$ccw/online || { echo "WRONG $disk does not come online"; continue; }
    device=/dev/$(ls $ccw/block)
    n=0; until [ -b $device ] || [ $n -gt 100 ]; do sleep 0.1; n=$((n + 1)); done
    mounted
    for file in /files/*.F*; do [ ${file##*.F} -gt 512 ] || same $file /mnt/${file##*/}; done
    if [ ! -f /again ]; then
        for file in /files/*.F*; do
            name=${file##*/}
            [ $name = SPARSE.F100 ] || fixed W$name ${name##*.F} $file
        done
        dd if=/files/ONE.F80 of=/mnt/EXTEND.F80 bs=480 oflag=append conv=notrunc 2>/dev/null
        truncate -s 8000 /mnt/CUT.F80
        rm /mnt/GONE.F80
        mv /mnt/OLDNAME.F80 /mnt/RENAMED.F80
        n=1; while [ $n -le MANY ]; do fixed SMALL$n.F80 80 /files/ONE.F80; n=$((n + 1)); done
        rm /mnt/SMALL1.F80 /mnt/SMALL33.F80
    else
        n=2; while [ $n -le MANY ]; do [ $n = 33 ] || same /files/ONE.F80 /mnt/SMALL$n.F80; n=$((n + 1)); done
        for file in /files/*.F*; do
            name=${file##*/}
            [ $name = SPARSE.F100 ] || [ ${file##*.F} -gt 512 ] || same $file /mnt/W$name
        done
    fi
    unmounted
    mounted -a
    for file in /files/*.V; do same $file /mnt/${file##*/}; done
    if [ ! -f /again ]; then
        for file in /files/*.V; do cat $file >/mnt/W${file##*/} || echo "WRONG $disk $file cannot be written"; done
        cat /files/SPLIT.V >>/mnt/EXTEND.V
        rm /mnt/GONE.V
    else
        for file in /files/*.V; do same $file /mnt/W${file##*/}; done
        cat /files/SPLIT.V /files/SPLIT.V /files/ONE.V >/tmp/extended
        same /tmp/extended /mnt/EXTEND.V
    fi
    unmounted
    echo 0 >$ccw/online
    echo "DONE $disk"
done
poweroff -f
"#;

struct Trial {
    folder: PathBuf,
    files: BTreeMap<&'static str, File>,
}

impl Trial {
    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }

    /// `endicott dasd` with these words.
    fn dasd(&self, line: &str) {
        let output =
            endicott().arg("dasd").args(line.split(' ')).current_dir(&self.folder).output().expect("it starts");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Puts a file on a disk's image.
    fn put(&self, image: &str, id: &str, from: &str) {
        let (name, kind) = id.split_once('.').expect("NAME.TYPE");
        let (lrecl, _) = self.files[from];
        let (image, from, lrecl) = (self.path(image), self.path(from), lrecl.to_string());
        let words: &[&str] = match (lrecl.as_str(), id) {
            ("0", _) => &["put", &image, name, kind, "A1", &from, "V"],
            (_, "SPARSE.F100") => &["bin", &image, name, kind, "A1", &from, "F", &lrecl, "SPARSE"],
            _ => &["bin", &image, name, kind, "A1", &from, "F", &lrecl],
        };
        cms::good(words);
    }

    /// The bytes of a file on a disk's image; of variable records, the lines.
    fn get(&self, image: &str, id: &str) -> Vec<u8> {
        let (name, kind) = id.split_once('.').expect("NAME.TYPE");
        let how = if id.ends_with(".V") { "get" } else { "raw" };
        let program = cms::edfdisk().expect("it was there before");
        let output = cms::run(program, &[how, &self.path(image), name, kind]);
        assert!(output.status.success(), "{image} {id}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    fn same(&self, image: &str, id: &str, with: &[u8]) {
        let is = self.get(image, id);
        let differs = is.iter().zip(with).position(|(a, b)| a != b).unwrap_or(is.len().min(with.len()));
        assert!(is == with, "{image} {id}: {} bytes, expected {}; they differ from {differs} on", is.len(), with.len());
    }

    /// Runs the guest with all disks.
    fn run(&self, guest: &Guest, again: bool) {
        let mut archive = Archive::default();
        archive.program("init", SCRIPT.replace("MANY", &MANY.to_string()).as_bytes());
        archive.directory("files");
        for (name, (_, bytes)) in &self.files {
            archive.program(&format!("files/{name}"), bytes);
        }
        if again {
            archive.program("again", b"");
        }
        let tools = guest.initrd.with_file_name("clients.img");
        let read = |path: &Path| fs::read(path).expect("it was there before");
        let mut initrd = read(&guest.initrd);
        initrd.resize(initrd.len().next_multiple_of(4), 0);
        initrd.extend([read(&tools), archive.finish()].concat());
        fs::write(self.path("initrd"), initrd).expect("there is room");
        let mut command = endicott();
        command.args(["linux", "--memory", "512M", "--append", "quiet nokaslr", "--kernel"]).arg(&guest.kernel);
        command.args(["--initrd", &self.path("initrd")]);
        for number in 0..DISKS.len() {
            command.args(["--disk", &self.path(&format!("disk{number}"))]);
        }
        let said = console(&mut command);
        assert!(!said.contains("WRONG"), "{said}");
        for number in 0..DISKS.len() {
            assert!(said.contains(&format!("DONE 020{number}")), "{said}");
        }
    }

    /// Moves the blocks of a disk to or from its image.
    fn carry(&self, number: usize, how: &str) {
        let (size, fixed) = DISKS[number];
        let all = if fixed { FIXED_BLOCKS } else { CYLINDERS };
        self.dasd(&format!("minidisk disk{number} --extent 0.{all} --size {size} {how} image{number}"));
    }
}

#[test]
fn cms_disks_go_both_ways_between_us_and_cmsfs_fuse() {
    let Some(guest) = guest() else { return };
    if !guest.initrd.with_file_name("clients.img").exists() {
        println!("skipped: there is no cmsfs-fuse for the guest (cargo x guest fetches it)");
        return;
    }
    if cms::edfdisk().is_none() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("endicott-cmsfs-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    let trial = Trial { folder, files: files() };
    for (name, (_, bytes)) in &trial.files {
        fs::write(trial.path(name), bytes).expect("there is room");
    }
    for (number, (size, fixed)) in DISKS.into_iter().enumerate() {
        let image = format!("image{number}");
        let per_track = PER_TRACK[(size / 512).ilog2() as usize];
        let blocks = if fixed { FIXED_BLOCKS * 512 / size } else { CYLINDERS * 15 * per_track };
        let form: &[&str] = if fixed { &["0", "FBA"] } else { &["0"] };
        let (path, blocks, size) = (trial.path(&image), blocks.to_string(), size.to_string());
        cms::good(&[&["format", &path, &blocks, &size, "CMSFS"][..], form].concat());
        trial.files.keys().for_each(|name| trial.put(&image, name, name));
        for (name, from) in
            [("EXTEND.F80", "MANY.F80"), ("CUT.F80", "MANY.F80"), ("GONE.F80", "MANY.F80"), ("OLDNAME.F80", "ONE.F80")]
        {
            trial.put(&image, name, from);
        }
        for (name, from) in [("EXTEND.V", "SPLIT.V"), ("GONE.V", "LARGE.V")] {
            trial.put(&image, name, from);
        }
        cms::good(&["check", &trial.path(&image)]);
        if fixed {
            trial.dasd(&format!("create disk{number} 9336-20 --blocks {FIXED_BLOCKS} --format plain"));
        } else {
            trial.dasd(&format!("create disk{number} 3390 --cylinders {CYLINDERS} --format plain"));
        }
        trial.carry(number, "--format --put");
    }
    trial.run(&guest, false);
    for number in 0..DISKS.len() {
        let image = format!("image{number}");
        trial.carry(number, "--get");
        cms::good(&["check", &trial.path(&image)]);
        for (name, (_, bytes)) in &trial.files {
            trial.same(&image, name, bytes);
            if *name != "SPARSE.F100" {
                trial.same(&image, &format!("W{name}"), bytes);
            }
        }
        let bytes = |name: &str| trial.files[name].1.as_slice();
        trial.same(&image, "EXTEND.F80", &[bytes("MANY.F80"), bytes("ONE.F80")].concat());
        trial.same(&image, "EXTEND.V", &[bytes("SPLIT.V"), bytes("SPLIT.V")].concat());
        trial.same(&image, "CUT.F80", &bytes("MANY.F80")[..8000]);
        trial.same(&image, "RENAMED.F80", bytes("ONE.F80"));
        let list = cms::good(&["list", &trial.path(&image)]);
        assert!(!list.contains("GONE") && !list.contains("OLDNAME") && !list.contains("SMALL1 "), "{list}");
        assert_eq!(list.lines().filter(|line| line.starts_with("SMALL")).count(), MANY - 2, "{list}");
        trial.same(&image, &format!("SMALL{MANY}.F80"), bytes("ONE.F80"));
        // What the other has written is changed here: written over, longer, and new beside it.
        for name in ["WMANY.F80", "WLARGE.V"] {
            trial.put(&image, name, &name[1..]);
        }
        fs::write(trial.path("extended"), [bytes("SPLIT.V"), bytes("SPLIT.V"), bytes("ONE.V")].concat())
            .expect("there is room");
        cms::good(&["put", &trial.path(&image), "EXTEND", "V", "A1", &trial.path("extended"), "V"]);
        cms::good(&["check", &trial.path(&image)]);
        trial.carry(number, "--put");
    }
    trial.run(&guest, true);
    let _ = fs::remove_dir_all(&trial.folder);
}
