//! What lines of Hercules configurations become.

use super::*;

#[test]
fn what_editors_leave_in_a_file_is_no_part_of_it() {
    let file = std::env::temp_dir().join(format!("endicott-marks-{}.cnf", std::process::id()));
    std::fs::write(&file, "\u{feff}ARCHMODE S/370\r\nMAINSIZE 16\r\n0200 3390 a.cckd\r\n\u{1a}").expect("a folder");
    let mut imported = Imported::default();
    read(&file, &mut imported, &mut HashMap::new()).expect("it is text");
    std::fs::remove_file(&file).expect("it is ours");
    assert_eq!(imported.machine, Some("370"));
    assert!(imported.left.is_empty() && imported.storage.is_some() && imported.system.len() == 1, "{imported:?}");
}

#[test]
fn a_configuration_becomes_statements() {
    let folder = std::env::temp_dir().join(format!("endicott-import-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("hercules.cnf");
    let text = "\
# a system
ARCHMODE  z/Arch
MAINSIZE  256      # megabytes
NUMCPU    2
ECPSVM    yes
TZOFFSET  -0500
0009      3215-C / noprompt
000C      3505 deck.txt ascii
000E      1403 print.txt crlf
0200      3390 ${DIR=disks}/res.cckd cu=3990-6 ro
0201-0202 3390
0203      3390 disks/work.cckd sf=shadows/work_*.cckd
0400.4    3270
0580      3480 *
0581      3490 tapes/backup.het
0582      3420 old.aws
CPUSERIAL 611
0210.2    3390 disks/d$(CUU).$(ccuu) ro
INCLUDE   nowhere.cnf
";
    std::fs::write(&file, text).unwrap();
    let mut imported = Imported::default();
    read(&file, &mut imported, &mut HashMap::new()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(
        imported.system,
        [
            "TIMEZONE LCL WEST 05:00",
            "DASD 0200 disks/res.cckd R/O",
            "DASD 0203 disks/work.cckd",
            "TAPE 0580 3480",
            "TAPE 0581 3490 backup.het",
            "TAPE 0582 3420 old.aws",
            "DASD 0210 disks/d210.0210 R/O",
            "DASD 0211 disks/d211.0211 R/O",
        ]
    );
    assert_eq!(imported.devices.len(), 3 + 4 + 4 + 2 + 1);
    assert!(imported.devices.contains(&"SPECIAL 0403 3270".into()));
    let lines: Vec<usize> = imported.left.iter().map(|left| left.line).collect();
    assert_eq!(lines, [5, 8, 9, 9, 11, 12, 15, 16, 19]);
    let out = imported.text(&file);
    assert!(out.contains("USER GUEST1 GUEST1 256M 256M G\n") && out.contains("  CPU 01\n"), "{out}");
    assert!(out.contains("  OPTION CPUID 000611\n"), "{out}");
}

/// A folder with these files, which goes with it.
struct Folder(support::folder::Folder);

impl Folder {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Folder {
        let folder = support::folder::Folder::empty(&format!("import-{name}"));
        files.iter().for_each(|(name, bytes)| std::fs::write(folder.path(name), bytes).unwrap());
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    fn read(&self, name: &str) -> Result<Imported, String> {
        let mut imported = Imported::default();
        read(&self.path(name), &mut imported, &mut HashMap::new()).map(|()| imported)
    }
}

#[test]
fn names_have_blanks_and_symbols() {
    let text = br#"
DEFSYM  DISKS  "my disks"
defsym  PLAIN  disks
0200    3390   "$(DISKS)/res # 1.cckd" ro       # the system
0201    3390   $(PLAIN)/a$$(b).cckd
0202    3390   '$(ENDICOTT_NO_SUCH)x.cckd' sf="old shadows_*.cckd"
0203,0205 3340 "$(DISKS)/d.$(CUU)"
0580    3490   "tapes/my tape.het"
"#;
    let folder = Folder::new("names", &[("a.cnf", text)]);
    let imported = folder.read("a.cnf").unwrap();
    assert_eq!(
        imported.system,
        [
            "DASD 0200 \"my disks/res # 1.cckd\" R/O",
            "DASD 0201 disks/a$(b).cckd",
            "DASD 0202 x.cckd",
            "DASD 0203 \"my disks/d.203\"",
            "DASD 0205 \"my disks/d.205\"",
            "TAPE 0580 3490 \"my tape.het\"",
        ]
    );
    assert!(imported.left[0].why.contains("its shadow files old shadows_*.cckd"), "{:?}", imported.left);
}

#[test]
fn a_part_of_a_fixed_block_file_is_a_minidisk() {
    let text = b"0300 3370 all.fba\n0301 9336 all.fba 1000 500\n0302 3370 all.fba 2000 *\n0303 3390 odd.cckd 7\n";
    let folder = Folder::new("part", &[("a.cnf", text)]);
    let imported = folder.read("a.cnf").unwrap();
    assert_eq!(imported.system, ["DASD 0300 all.fba", "DASD 0303 odd.cckd"]);
    let left: Vec<(usize, bool)> = imported
        .left
        .iter()
        .zip(["MDISK 0301 FB-512 1000 500 ", "MDISK 0302 FB-512 2000 END ", "option 7"])
        .map(|(left, why)| (left.line, left.why.contains(why)))
        .collect();
    assert_eq!(left, [(2, true), (3, true), (4, true)], "{:?}", imported.left);
}

#[test]
fn included_files_are_named_and_read_once() {
    let outer = b"MAINSIZE 32\nINCLUDE\nINCLUDE inner.cnf\nINCLUDE nowhere.cnf\n\
                  ignore include_errors\nINCLUDE nowhere.cnf\nINCLUDE \"inner.cnf\"\n";
    let inner = b"0009 3215-C\nFROB 7\nINCLUDE outer.cnf\n";
    let folder = Folder::new("include", &[("outer.cnf", outer), ("inner.cnf", inner)]);
    let imported = folder.read("outer.cnf").unwrap();
    assert_eq!(imported.devices, ["CONSOLE 0009 3215"]);
    let text = imported.text(Path::new("outer.cnf"));
    let left: Vec<&str> = text.lines().skip_while(|line| *line != "* Not carried over:").skip(1).collect();
    let inner = folder.path("").canonicalize().unwrap().join("inner.cnf");
    assert_eq!(left.len(), 7, "{text}");
    assert!(
        left.iter().any(|left| left.ends_with(": 0009 3215-C: there is a device of this number already")),
        "{text}"
    );
    assert_eq!(left[0], "* line 2: INCLUDE names no file");
    assert_eq!(left[1], format!("* line 2 of {}: FROB 7: it is not known here", inner.display()));
    assert!(left[2].starts_with("* line 3 of ") && left[2].ends_with("outer.cnf includes itself by this"), "{text}");
    assert!(left[3].starts_with("* line 4: ") && left[3].contains("nowhere.cnf: No such file"), "{text}");
}

#[test]
fn what_is_no_configuration_is_refused() {
    let files: [(&str, &[u8]); 3] =
        [("disk", b"CKD_P370\x0f\0\0\0"), ("letter", b"Dear Sir,\nthank you for your letter.\n"), ("empty", b"# \n")];
    let folder = Folder::new("refused", &files);
    let refused = ["disk", "letter", "empty", "none"].map(|name| import(&folder.path(name)).unwrap_err());
    assert!(refused[0].ends_with("disk is not a configuration, which is text: byte 8 is X'0F'"), "{refused:?}");
    assert!(refused[1].ends_with("letter is not a Hercules configuration: it has no line of one"), "{refused:?}");
    assert!(refused[2].ends_with("it has no line of one") && refused[3].contains("No such file"), "{refused:?}");
}

/// Systems that are sold ready to run have their parts in a folder beside the disks, and are started from there.
#[test]
fn names_of_included_files_begin_in_a_folder_above() {
    let folder = Folder::new("above", &[]);
    std::fs::create_dir(folder.path("conf")).unwrap();
    std::fs::write(folder.path("conf/all.cnf"), "INCLUDE conf/part.cnf\n").unwrap();
    std::fs::write(folder.path("conf/part.cnf"), "0200 3390 x\n").unwrap();
    let imported = folder.read("conf/all.cnf").unwrap();
    assert_eq!((imported.system, imported.left), (vec!["DASD 0200 x".to_string()], vec![]));
    // A file that only includes what is not there is a configuration, too.
    std::fs::write(folder.path("conf/all.cnf"), "INCLUDE conf/none.cnf\n").unwrap();
    let imported = folder.read("conf/all.cnf").unwrap();
    assert!(imported.known == 1 && imported.left[0].why.contains("none.cnf: No such file"), "{:?}", imported.left);
}

/// Lines of configurations that are published, each with what it becomes and what is said of it.
#[test]
fn lines_as_others_write_them() {
    const LINES: &[(&str, &[&str], &str)] = &[
        ("0A80 3390 disks\\res.cckd", &["DASD 0A80 disks/res.cckd"], ""),
        (
            "0A85 3390 C:/ZOS110/zadb83.cckd sf=shadow/zadb83_*",
            &[],
            "is on Windows; with its file here, DASD 0A85 zadb83.cckd",
        ),
        ("0123 3380 192.168.1.100", &[], "192.168.1.100 is a disk of another computer"),
        ("0123 3380 server:3990:0200", &[], "server:3990:0200 is a disk of another computer"),
        ("0A84 3390 x.cckd FW", &["DASD 0A84 x.cckd R/O"], "option FW: the disk is R/O"),
        ("0A84 3390 x.cckd SF=Old/X_*", &["DASD 0A84 x.cckd"], "its shadow files Old/X_*"),
        ("0A84 3390 x.cckd FTIO SyIO CU=3990-6 RO", &["DASD 0A84 x.cckd R/O"], ""),
        ("0140 9336 dosres.140 0 *", &["DASD 0140 dosres.140"], ""),
        ("0140 9336 dosres.140 * ro", &["DASD 0140 dosres.140 R/O"], ""),
        ("0140 9336 dosres.140 0 500", &[], "FB-512 0 500"),
        ("0140 3350 base.140 ro sf=shadow/base_*.140", &["DASD 0140 base.140"], "its shadow files shadow/base_*.140"),
        ("0480 3480 tapes/master.aws ro", &["TAPE 0480 3480 master.aws R/O"], "put tapes/master.aws into"),
        ("0481 3490 tapes/b.het noring", &["TAPE 0481 3490 b.het R/O"], "put tapes/b.het into"),
        ("0482 3480 @tapes/autoload.txt", &["TAPE 0482 3480"], "@tapes/autoload.txt is a list of tapes"),
        ("0590 3480 /dev/nst0", &["TAPE 0590 3480"], "/dev/nst0: tapes are files here"),
        ("0590 3490 \\\\.\\Tape0", &["TAPE 0590 3490"], "tapes are files here"),
        ("0590.2 3480 t/$(CUU).aws", &["TAPE 0590 3480", "TAPE 0591 3480"], "its tapes t/$(CUU).aws"),
        ("TZOFFSET +0930", &["TIMEZONE LCL EAST 09:30"], ""),
        ("TZOFFSET 0", &["TIMEZONE LCL EAST 00:00"], ""),
        ("TZOFFSET +2500", &[], "TZOFFSET +2500: it is no offset"),
        ("NUMCPU two", &[], "NUMCPU two: it is no number"),
        ("ARCHLVL ENABLE asn_lx_reuse", &[], "ARCHLVL ENABLE asn_lx_reuse: it is not known here"),
        ("0590.2 3480 *", &["TAPE 0590 3480", "TAPE 0591 3480"], ""),
        ("0009 3215-C\n001F 3215-C", &[], "001F 3215-C: a user has one console"),
        ("0200 3390 a\n0200 3390 b", &["DASD 0200 a"], "0200 3390 b: there is a device of this number already"),
    ];
    for (line, system, said) in LINES {
        let folder = Folder::new("lines", &[("a.cnf", line.as_bytes())]);
        let imported = folder.read("a.cnf").unwrap();
        assert_eq!(imported.system, *system, "{line}");
        let left: Vec<&str> = imported.left.iter().map(|left| left.why.as_str()).collect();
        assert_eq!(left.is_empty(), said.is_empty(), "{line}: {left:?}");
        assert!(left.is_empty() || left.iter().any(|why| why.contains(said)), "{line}: {left:?}");
    }
}

// The first operands, and options with what they may become.
type Options = &'static [(&'static str, &'static str)];
const READER: Options = &[
    ("ascii", "--text"),
    ("ebcdic", "endicott punch"),
    ("trunc", ""),
    ("noautopad", ""),
    ("eof", ""),
    ("intrq", ""),
    ("multifile", ""),
    ("sockdev", ""),
    ("deck2.txt", ""),
];
const PRINTER: Options = &[
    ("crlf", ""),
    ("append", ""),
    ("noclear", ""),
    ("sockdev", ""),
    ("lpi=6", ""),
    ("index=5", ""),
    ("lpp=66", ""),
    ("fcb=1:1", ""),
    ("cctape=(1=1)", ""),
    ("rawcc", ""),
    ("browse", ""),
    ("fcbcheck", ""),
];
const DISK: Options = &[
    ("ro", "R/O"),
    ("rdonly", "R/O"),
    ("rw", "R/W"),
    ("fakewrite", "R/O"),
    ("lazywrite", ""),
    ("fulltrackio", ""),
    ("ftio", ""),
    ("syncio", ""),
    ("nosyncio", ""),
    ("cu=3990-6", ""),
    ("ser=123456789012", ""),
    ("cyls=3339", ""),
    ("sf=shadow/x_*", "shadow/x_*"),
    ("frob", ""),
];
const TAPE: Options = &[
    ("ro", "R/O"),
    ("noring", "R/O"),
    ("rw", "TAPE"),
    ("ring", "TAPE"),
    ("maxsize=5", ""),
    ("maxsizem=5", ""),
    ("eotmargin=9", ""),
    ("compress=1", ""),
    ("idrc=0", ""),
    ("method=2", ""),
    ("level=9", ""),
    ("chunksize=65535", ""),
    ("strictsize=1", ""),
    ("deonirq=1", ""),
    ("--no-erg", ""),
    ("--blkid-32", ""),
    ("awstape", ""),
];
const NET: Options = &[("-n", ""), ("/dev/net/tun", ""), ("192.168.1.1", ""), ("-m", ""), ("02:00:00:00:00:01", "")];
const OTHER: Options = &[("one", ""), ("two", ""), ("3", "")];
const DEVICES: &[(&[&str], &[&str], Options)] = &[
    (&["0200 3390", "0200 3380-K", "0200 2314", "0200 9345"], &["disks/a.cckd", "C:\\a.cckd", "host:3990"], DISK),
    (&["0200 3370", "0200 9336", "0200.2 3350"], &["disks/a.fba", "disks/a.fba 100 200", "disks/a.fba 0 *"], DISK),
    (&["000C 3505", "000C 2501"], &["deck1.txt", ""], READER),
    (&["000D 3525", "000D 2540"], &["out.txt"], READER),
    (&["000E 1403", "000E 3211"], &["print.txt", "127.0.0.1:1403"], PRINTER),
    (&["0480 3480", "0480 3490", "0480.2 3490"], &["tapes/a.aws", "*", "@tapes/list.txt", "/dev/nst0"], TAPE),
    (&["0480 3420", "0480 3590"], &["tapes/a.aws"], TAPE),
    (&["0009 3215-C", "001F 1052-C"], &["/", "*"], OTHER),
    (&["0400.4 3270", "0400 3287"], &["GROUP", "GROUP 192.168.1.0 255.255.255.0"], OTHER),
    (&["0600 CTCI", "0600.2 LCS", "0600.3 QETH", "0600 CTCE", "0600 3705"], &[""], NET),
    (&["1:0200 COMMADPT"], &["lport=1"], OTHER),
];

/// What is made of one line of a configuration has each of these, as itself or as the word that it stands for.
fn look(folder: &Folder, line: &str, wanted: &[(&str, &str)]) {
    std::fs::write(folder.path("a.cnf"), line).unwrap();
    let text = folder.read("a.cnf").unwrap().text(Path::new("x"));
    for (operand, other) in wanted {
        let there = text.contains(operand) || (!other.is_empty() && text.contains(other));
        assert!(there, "{line}: {operand} was dropped:\n{text}");
    }
}

/// Devices with every operand of the format, in all subsets of up to three: each operand is in the statements that are
/// made, as itself or as the word that it stands for here, or it is told.
#[test]
fn no_operand_of_a_device_is_dropped_in_silence() {
    let mut cases = 0;
    let folder = Folder::new("silence-devices", &[]);
    for (devices, files, options) in DEVICES {
        for (device, file) in devices.iter().flat_map(|device| files.iter().map(move |file| (device, file))) {
            for first in 0..options.len() {
                for second in first..options.len() {
                    let third = (first + second) % options.len();
                    let mut chosen: Vec<usize> = vec![first, second, third];
                    chosen.sort_unstable();
                    chosen.dedup();
                    let mut wanted: Vec<(&str, &str)> = chosen.iter().map(|&n| options[n]).collect();
                    let words: Vec<&str> = chosen.iter().map(|&n| options[n].0).collect();
                    let name = file.split(['/', '\\', ' ']).find(|part| part.contains('.')).unwrap_or(file);
                    wanted.push((name, ""));
                    look(&folder, &format!("{device} {file} {}", words.join(" ")), &wanted);
                    cases += 1;
                }
            }
        }
    }
    assert!(cases > 2000, "{cases}");
}

/// Other statements: what they become, and that further operands are told.
#[test]
fn no_operand_of_a_system_parameter_is_dropped_in_silence() {
    let folder = Folder::new("silence-parameters", &[]);
    // What is carried over, with what it becomes; the same with more after it, which is told.
    const CARRIED: &[(&str, &str)] = &[
        ("MAINSIZE 32", "32M 32M G"),
        ("MAINSIZE 1G", "1G 1G G"),
        ("NUMCPU 2", "CPU 01"),
        ("CPUSERIAL 32", "CPUID 000032"),
        ("LOADPARM 0120....", "LOADPARM 0120...."),
        ("ARCHMODE S/370", "MACHINE 370"),
        ("ARCHMODE ESA/390", "MACHINE ESA"),
        ("ARCHMODE z/Arch", "USER GUEST1"),
        ("TZOFFSET -0500", "WEST 05:00"),
    ];
    for (line, becomes) in CARRIED {
        look(&folder, &format!("{line} more last"), &[(becomes, ""), ("more", ""), ("last", "")]);
    }
    let keywords = "MAINSIZE NUMCPU CPUSERIAL ARCHMODE ARCHLVL TZOFFSET CNSLPORT OSTAILOR PANRATE PANTITLE CPUPRIO \
                    DEVPRIO HERCPRIO TODPRIO DIAG8CMD SHCMDOPT LOGOPT DEVTMAX MODPATH CONKPALV TIMERINT PGMPRDOS CCKD \
                    CODEPAGE HTTPPORT HTTPROOT LDMOD TODDRAG IGNORE CPUMODEL MODEL PLANT MANUFACTURER LPARNAME \
                    CPUVERID \
                    MAXCPU SYSEPOCH YROFFSET XPNDSIZE ALRF ASN_AND_LX_REUSE ECPSVM AUTOMOUNT AUTO_SCSI_MOUNT \
                    LEGACYSENSEID MOUNTED_TAPE_REINIT NUMVEC INCLUDE FROB";
    for keyword in keywords.split_whitespace() {
        for value in ["nonsense", "en/able", "ENABLE", "~1"] {
            let name = if keyword == "INCLUDE" { value } else { keyword };
            // A size is taken as it stands; USER DIRECT tells what is wrong with it.
            look(
                &folder,
                &format!("{keyword} {value} more last"),
                &[(name, "USER GUEST1"), (value, &value.to_uppercase()), ("more", ""), ("last", "")],
            );
        }
    }
}
