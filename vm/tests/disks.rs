//! `endicott dasd` as a user types it.

mod support;

use std::path::PathBuf;
use std::process::Output;
use support::endicott;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("endicott-disks-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    /// Runs `endicott dasd` with `line`'s words in this folder.
    fn run(&self, line: &str) -> Output {
        endicott().arg("dasd").args(line.split(' ')).current_dir(&self.0).output().expect("it starts")
    }

    /// What it says, which must be that all is well.
    fn good(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What it complains of.
    fn bad(&self, line: &str) -> String {
        let output = self.run(line);
        assert_eq!(output.status.code(), Some(1), "{line}: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_disk_from_its_making_to_its_restoration() {
    let folder = Folder::new("life");
    folder.good("create vol.3390 3390-3 --volser work01 --cylinders 50");
    assert!(folder.bad("create vol.3390 3390-3").contains("exists already"));
    let listed = folder.good("list vol.3390");
    assert!(listed.contains("WORK01   cckd     3390, 50 cylinders"), "{listed}");
    let shown = folder.good("show vol.3390");
    assert!(shown.contains("volume serial WORK01") && shown.contains("The VTOC is empty."), "{shown}");
    let track = folder.good("show vol.3390 --track 0.0");
    assert!(track.contains("R3   00000000 key   4 data    80") && track.contains("VOL1WORK01"), "{track}");
    assert!(folder.bad("show vol.3390 --track 50.0").contains("up to 49.14"));
    folder.good("show vol.3390 --track 0.0 --track 0.1 --svg tracks.svg");
    let svg = std::fs::read_to_string(folder.0.join("tracks.svg")).unwrap();
    assert!(svg.contains(">Track 0.1</text>") && svg.contains(">R3: key 4, data 80</text>"), "{svg}");

    folder.good("copy vol.3390 backup.3390 --cylinders 60");
    folder.good("snapshot vol.3390");
    assert!(folder.bad("restore backup.3390 vol.3390").contains("shadow"));
    folder.good("snapshot vol.3390 --merge");
    folder.good("restore backup.3390 vol.3390");
    assert!(folder.good("list vol.3390").contains("60 cylinders"));
    folder.good("convert vol.3390 plain.3390 --to plain");
    let listed: serde_json::Value = serde_json::from_str(&folder.good("list --json plain.3390")).unwrap();
    assert_eq!(listed[0]["files"][0]["format"], "ckd");
    folder.good("compact vol.3390");
    for name in ["vol.3390", "backup.3390", "plain.3390"] {
        assert!(folder.good(&format!("check {name}")).contains("Nothing is wrong."));
    }

    // A track that was written over.
    let path = folder.0.join("plain.3390");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[512 + 7 * 56832 + 2] = 9;
    std::fs::write(&path, bytes).unwrap();
    let found = folder.run("check plain.3390");
    assert_eq!(found.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&found.stdout).contains("track 7 (cylinder 0, head 7)"));
    folder.good("check plain.3390 --repair");
    folder.good("check plain.3390");
}

/// The disks that users of the field have, each under its name: made, read back, checked.
#[test]
fn disks_of_every_model() {
    let folder = Folder::new("models");
    let tracks = ["3380-A", "3380-D", "3380-E", "3380-J", "3380-K", "9345-1", "9345-2"];
    let newer = ["3390-1", "3390-2", "3390-3", "3390-9", "3390-27", "3390-54"];
    let blocks = ["3370-1", "3370-2", "9336-10", "9336-20", "0671-00", "0671-04", "0671-08"];
    for model in tracks.iter().chain(&newer).chain(&blocks) {
        folder.good(&format!("create {model}.disk {model} --volser MODEL1"));
        let listed = folder.good(&format!("list {model}.disk"));
        assert!(listed.contains("MODEL1 ") && listed.contains(&format!(" {model}, ")), "{listed}");
        assert!(folder.good(&format!("check {model}.disk --quick")).contains("Nothing is wrong."));
    }
}

#[test]
fn mistakes_are_told_in_a_sentence() {
    let folder = Folder::new("mistakes");
    assert!(folder.bad("create x 3391").contains("3391 is not a model; there are 2305-2, "));
    assert!(folder.bad("create x 3390 --blocks 7").contains("--cylinders"));
    assert!(folder.bad("create x 3370 --cylinders 7").contains("--blocks"));
    assert!(folder.bad("create x 3390 --volser TOOLONG").contains("not a volume serial"));
    assert!(folder.bad("list nothing.3390").contains("nothing.3390"));
    std::fs::write(folder.0.join("text"), "this is no disk").unwrap();
    assert!(folder.bad("show text").contains("text is not a disk image"));
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn what_is_no_disk_is_told_by_its_name() {
    let folder = Folder::new("no-disk");
    std::fs::write(folder.0.join("letter"), "Dear Sir").unwrap();
    std::fs::write(folder.0.join("empty"), "").unwrap();
    std::fs::create_dir(folder.0.join("folder")).unwrap();
    // These have whole blocks, as a fixed-block disk has.
    std::fs::write(folder.0.join("page"), format!("{:<4096}", "<!DOCTYPE html><html>")).unwrap();
    std::fs::write(folder.0.join("vol.gz"), [&b"\x1f\x8b\x08"[..], &[7; 5117]].concat()).unwrap();
    std::fs::write(folder.0.join("vol.qcow2"), [&b"QFI\xfb"[..], &[0; 1020]].concat()).unwrap();
    for (what, why) in [
        ("page", "page is not a disk image: it is an HTML page"),
        ("vol.gz", "vol.gz is not a disk image: it is compressed with gzip"),
        ("vol.qcow2", "vol.qcow2 is not a disk image: it is a disk of QEMU's format qcow2"),
        ("letter", "letter is not a disk image: 8 bytes are neither a known format nor whole 512-byte blocks"),
        ("empty", "empty is not a disk image: it is empty"),
        ("folder", "folder"),
        ("nothing", "nothing: No such file or directory"),
    ] {
        for line in ["list {}", "check {}", "show {}", "compact {}", "copy {} new", "snapshot {}", "restore {} new"] {
            let line = line.replace("{}", what);
            let said = folder.bad(&line);
            assert!(said.starts_with(&format!("endicott: {why}")), "{line}: {said}");
        }
    }
    // What a guest writes to a disk that is one is its own affair.
    folder.good("create vol.fba 9336 --blocks 40 --format plain");
    let mut bytes = std::fs::read(folder.0.join("vol.fba")).unwrap();
    bytes[..3].copy_from_slice(b"\x1f\x8b\x08");
    std::fs::write(folder.0.join("vol.fba"), bytes).unwrap();
    folder.good("list vol.fba");
    assert!(folder.bad("create no/such/vol.3390 3390-3").contains("no/such/vol.3390: there is no folder no/such"));
    assert!(folder.good("create vol.3390 3390-3 --cylinders 20").contains("vol.3390: 3390, 20 cylinders"));
}

#[test]
fn a_damaged_file_is_told_in_a_few_lines() {
    let folder = Folder::new("damaged");
    folder.good("create vol.3390 3390-3");
    let path = folder.0.join("vol.3390");
    let mut bytes = std::fs::read(&path).unwrap();
    // The first table of tracks lies outside the file: that is all of 256 tracks.
    bytes[1024..1028].copy_from_slice(&0x7000_0000_u32.to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    let output = folder.run("check vol.3390");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 12), "{said}");
    assert!(said.contains("\nvol.3390: unit 0: its table is outside the file\n"), "{said}");
    assert!(said.contains("\nvol.3390: and 248 more, which --json lists\n"), "{said}");
    let listed = folder.good("list vol.3390");
    assert!(listed.ends_with("vol.3390 (damaged: endicott dasd check)\n"), "{listed}");
    // A reader that takes a few lines only ends the tool, and hears nothing of that.
    let mut tool = endicott();
    tool.args(["dasd", "check", "vol.3390", "--json"]).current_dir(&folder.0);
    let mut tool = tool.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop(tool.stdout.take());
    let output = tool.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(141), ""));
}

#[test]
fn a_byte_that_changed_in_a_plain_file_is_told() {
    let folder = Folder::new("changed");
    folder.good("create vol.3390 3390-1 --cylinders 3 --format plain --volser WORK01");
    let path = folder.0.join("vol.3390");
    let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
    let change = |at: usize, modified| {
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[512 + at] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    };
    assert_eq!(folder.good("list vol.3390 vol.3390.sums").lines().count(), 2, "a heading and a disk");
    change(200, modified);
    let output = folder.run("check vol.3390");
    let said = String::from_utf8_lossy(&output.stdout);
    let why = "vol.3390: track 0 (cylinder 0, head 0) is not what was written there: its check sums differ\n";
    assert!(output.status.code() == Some(1) && said.contains(why), "{said}");
    assert!(folder.bad("show vol.3390 --track 0.0").contains("track 0 (cylinder 0, head 0) is not what was written"));
    assert!(folder.good("check vol.3390 --repair").contains("vol.3390: track 0: taken as they are now"));
    assert!(folder.good("check vol.3390").contains("Nothing is wrong."));
    // As another program does.
    change(200, modified + std::time::Duration::from_secs(2));
    let said = String::from_utf8_lossy(&folder.run("check vol.3390").stdout).into_owned();
    assert!(
        said.contains("vol.3390: track 0: not what Endicott wrote there last\nIf another program was to"),
        "{said}"
    );
    // The first tool that takes it says so; after that no tool has anything to say.
    let told = |line: &str| String::from_utf8_lossy(&folder.run(line).stderr).into_owned();
    let notice = "endicott: vol.3390 has been written by another program since Endicott used it last, and is taken as \
        it is now\n";
    assert_eq!(["show vol.3390", "snapshot vol.3390", "show vol.3390"].map(told), [notice, notice, ""]);
}

#[test]
fn the_map_of_a_volume() {
    let folder = Folder::new("map");
    folder.good("create vol.3390 3390-1 --volser VOL001");
    let source = "USER LINUX1 NOLOG 64M 64M G\n MDISK 191 3390 1 100 VOL001 MR\n MDISK 192 3390 200 END VOL001 MR\n";
    std::fs::write(folder.0.join("USER DIRECT"), source).unwrap();
    let map = folder.good("show vol.3390 --map . --svg map.svg");
    let lines: Vec<Vec<&str>> = map.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[1], ["1", "100", "100", "LINUX1", "0191"]);
    assert_eq!(lines[2], ["101", "199", "99", "free"]);
    assert_eq!(lines[3], ["200", "1112", "913", "LINUX1", "0192"]);
    let svg = std::fs::read_to_string(folder.0.join("map.svg")).unwrap();
    assert!(svg.contains("LINUX1 0191: 1 to 100"));
}

#[test]
fn the_blocks_of_a_minidisk_come_and_go() {
    let folder = Folder::new("minidisk");
    let made = endicott().args(["sample", "--without-cms"]).arg(folder.0.join("system")).output().expect("it starts");
    assert!(made.status.success());
    let volume = "system/volumes/vmres.3390";
    let content: Vec<u8> = (0..50_000u32).map(|n| (n / 7) as u8).collect();
    std::fs::write(folder.0.join("in"), &content).unwrap();
    let of = format!("minidisk {volume} --system system --of cmsuser.191");
    assert!(folder.bad(&format!("{of} --put in")).contains("--format"));
    let refused = folder.bad(&format!("{of} --get none/out"));
    assert!(refused.contains("none/out: ") && !refused.contains("unfinished"), "{refused}");
    let said = folder.good(&format!("{of} --format --put in"));
    assert!(
        said.contains("cylinders 221 to 240: 3600 blocks of 4096 bytes") && said.contains("in: 13 blocks"),
        "{said}"
    );
    folder.good(&format!("minidisk {volume} --extent 221.20 --get out"));
    let out = std::fs::read(folder.0.join("out")).unwrap();
    assert_eq!((out.len(), &out[..content.len()]), (3600 * 4096, &content[..]));
    assert!(out[content.len()..].iter().all(|&byte| byte == 0));
    // Counts are the minidisk's own.
    let track = folder.good(&format!("show {volume} --track 222.3"));
    assert!(track.contains("R12  00010003 key   0 data  4096"), "{track}");
    assert!(folder.bad(&format!("{of} --size 1024 --get out")).contains("not formatted with blocks of this size"));
    assert!(folder.bad(&format!("minidisk {volume} --extent 3339.1 --get out")).contains("has no 1 cylinders"));
    assert!(
        folder.bad(&format!("minidisk {volume} --system system --of maint.777 --get out")).contains("no minidisk 0777")
    );
}

#[test]
fn what_the_cylinders_of_a_volume_are_for() {
    let folder = Folder::new("cpfmtxa");
    folder.good("create pag 3390 --cylinders 100 --volser VMPAG1 --format plain");
    let shown = folder.good("cpfmtxa pag vmpag1");
    assert!(shown.contains("VMPAG1") && shown.contains("of any system"), "{shown}");
    let shown = folder.good("cpfmtxa pag VMPAG1 --allocate page=1-49 --allocate SPOL=50-END --owner vm1");
    let rows: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(rows[0].ends_with(&["of", "system", "VM1"]), "{shown}");
    assert_eq!(
        rows[2..],
        [vec!["PERM", "0", "0", "1"], vec!["PAGE", "1", "49", "49", "8820"], vec!["SPOL", "50", "99", "50", "9000"]]
    );
    folder.good("cpfmtxa pag VMPAG1 --allocate PERM=10-19 --format 1-2 --any-system");
    let json = folder.good("cpfmtxa pag VMPAG1 --json");
    let expected = r#""owner":null,"unit":"cylinder","areas":[{"purpose":"PERM","first":0,"last":0,"units":1},"#;
    assert!(json.contains(expected) && json.contains(r#""first":20,"last":49,"units":30,"pages":5400"#), "{json}");
    let tracks = folder.good("show pag --track 2.14");
    assert_eq!(tracks.matches("key   0 data  4096").count(), 12, "{tracks}");
    let before = std::fs::read(folder.0.join("pag")).expect("it is there");
    folder.good("create bare 3390 --cylinders 10");
    std::fs::write(folder.0.join("USER DIRECT"), "USER A A 1M 1M G\n MDISK 191 3390 60 5 VMPAG1 MR\n")
        .expect("it is there");
    for (line, why) in [
        ("cpfmtxa pag VMPAG2 --new", "it has the label VMPAG1, not VMPAG2"),
        ("cpfmtxa bare VMPAG1 --new", "it has no label, not VMPAG1"),
        ("cpfmtxa pag VMPAG1 --allocate PAGE=90-100", "PAGE 90-100 lies beyond the volume, whose last is 99"),
        ("cpfmtxa pag VMPAG1 --allocate PAGE=0-5", "label and map lie there"),
        ("cpfmtxa pag VMPAG1 --allocate PAGE=5-9 --allocate TDSK=9-12", "TDSK 9-12 overlaps PAGE 5-9"),
        ("cpfmtxa pag VMPAG1 --allocate PAGE=5", "is not first and last"),
        ("cpfmtxa pag VMPAG1 --allocate PARM=5-6", "is not one of PERM, PAGE, SPOL, TDSK, DRCT"),
        ("cpfmtxa pag VMPAG1 --format 15-25", "cylinders 15 to 19 are PERM"),
        ("cpfmtxa pag VMPAG1 --format 90-100", "it has no cylinders 90 to 100"),
        ("cpfmtxa pag VMPAG1 --owner NINE-LETTERS", "is not the name of a system"),
        ("cpfmtxa pag VMPAG1 --system . --allocate PAGE=50-60", "PAGE 50-60: minidisk A 0191 lies there"),
    ] {
        let output = folder.run(line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{line}: {said}");
        assert!(std::fs::read(folder.0.join("pag")).expect("it is there") == before, "{line}");
    }
    let held = dasd::open(&folder.0.join("pag")).expect("it is whole");
    let said = String::from_utf8_lossy(&folder.run("cpfmtxa pag VMPAG1 --new").stderr).into_owned();
    assert!(said.contains("is in use by"), "{said}");
    drop(held);
    // A volume of another size: its map no longer fits, and says so.
    folder.good("copy pag small --cylinders 40");
    let said = String::from_utf8_lossy(&folder.run("cpfmtxa small VMPAG1").stderr).into_owned();
    assert!(said.contains("is of a volume of 100 cylinders, and it has 40"), "{said}");
    folder.good("cpfmtxa small VMPAG1 --new --allocate PAGE=1-39");
}
