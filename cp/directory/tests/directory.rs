//! USER DIRECT, statement by statement, as the planning and administration manual lists them.

use directory::*;
use support::Random;

fn parse(text: &str) -> Directory {
    Directory::parse("USER DIRECT", text, &Passwords::default()).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// The one user that `statements` describe, after a USER statement.
fn user(statements: &str) -> User {
    parse(&format!("USER U NOPASS 16M 64M G\n{statements}")).users.remove(0)
}

/// All mistakes in `text`, as they are shown.
fn mistakes(text: &str) -> Vec<String> {
    let errors = Directory::parse("D", text, &Passwords::default()).unwrap_err();
    errors.iter().map(Error::to_string).collect()
}

/// The one mistake in `statements`, after a USER statement.
fn mistake(statements: &str) -> String {
    let mut all = mistakes(&format!("USER U NOPASS 16M 64M G\n{statements}"));
    assert_eq!(all.len(), 1, "{all:#?}");
    all.remove(0)
}

const MANUAL: &str = "
DIRECTORY 123 3390 VMRES
USER MAINT CPCMS 32M 128M ABCDEFG
 ACCOUNT 1 SYSPROG
 IPL CMS PARM AUTOCR
 OPTION MAXCONN 256 LNKNOPAS DIAG88
 CONSOLE 009 3215 T
 SPOOL 00C 2540 READER *
 SPOOL 00D 2540 PUNCH A
 SPOOL 00E 1403 A
 MDISK 190 3390 010 107 VMSRES MR ALL WRITE MULTIPLE
 MDISK 191 3390 117 020 VMSRES WR READ WRITE MULTIPLE
PROFILE CMSPROF
 IPL CMS
 MACHINE XA 2
 CONSOLE 009 3215
 SPOOL C 2540 R
 LINK MAINT 190 190 RR
USER U1 XYZ 2M 32M G
 INCLUDE CMSPROF
 MDISK 191 3390 1000 5 USR001 MR READ WRITE MULTI
";

#[test]
fn the_manuals_example() {
    let directory = parse(MANUAL);
    let maint = directory.user("maint").unwrap();
    assert_eq!((maint.storage, maint.max_storage), (32 << 20, 128 << 20));
    assert_eq!(maint.classes.to_string(), "ABCDEFG");
    assert_eq!((maint.account.as_str(), maint.distribution.as_str()), ("1", "SYSPROG"));
    let ipl = Ipl { from: IplFrom::System("CMS".into()), loadparm: None, parm: Some("AUTOCR".into()) };
    assert_eq!(maint.ipl, Some(ipl));
    assert!(maint.options.has(Opt::LnkNoPas) && maint.options.has(Opt::Diag88) && !maint.options.has(Opt::Acct));
    assert_eq!(maint.options.max_connections, 256);
    assert_eq!(maint.console().unwrap().0, 9);
    assert_eq!(maint.devices.iter().map(|d| d.vdev).collect::<Vec<_>>(), [9, 0xc, 0xd, 0xe, 0x190, 0x191]);
    assert!(maint.password.verify("cpcms") && !maint.password.verify("XYZ"));
    let DeviceKind::Mdisk(disk) = &maint.device(0x190).unwrap().kind else { panic!("190 is a minidisk") };
    assert_eq!(disk.extent, Extent::Volume { volume: "VMSRES".into(), start: 10, count: Some(107) });
    assert_eq!(disk.mode, LinkMode { access: Access::MR, reserve: false });
    assert!(disk.read.admits(None) && disk.write.admits(Some("write")) && !disk.multiple.admits(Some("write")));

    let u1 = directory.user("U1").unwrap();
    assert_eq!((u1.machine, u1.max_cpus), (Machine::Xa, 2));
    assert_eq!(u1.devices.iter().map(|d| d.vdev).collect::<Vec<_>>(), [9, 0xc, 0x190, 0x191]);
    assert_eq!(directory.users.len(), 2, "a profile is not a user");
    assert_eq!(directory.accepted_but_unused[0].to_string(), "USER DIRECT:2: DIRECTORY");
}

#[test]
fn the_sample_directory() {
    // The best of some, as other work on the host can only make it slower.
    let time = || {
        let started = std::time::Instant::now();
        parse(sample());
        started.elapsed()
    };
    let best = (0..5).map(|_| time()).min().unwrap();
    assert!(best.as_millis() < 100, "six users take {best:?}");
    let directory = parse(sample());
    let names: Vec<_> = directory.users.iter().map(|u| u.userid.as_str()).collect();
    assert_eq!(names, ["OPERATOR", "MAINT", "DISKACNT", "CMSUSER", "LINUX1", "LINUX2"]);
    assert!(directory.users.iter().all(|u| u.password.is_default(&u.userid)));
    assert!(directory.accepted_but_unused.is_empty());
    let linux = directory.user("LINUX1").unwrap();
    assert_eq!((linux.storage, linux.max_storage, linux.max_cpus), (1 << 30, 4 << 30, 4));
    assert_eq!(linux.classes, Classes::GENERAL);
    let reader = SpoolDevice { device: "2540".into(), kind: SpoolKind::Reader, class: '*' };
    assert_eq!(linux.device(0xc).unwrap().kind, DeviceKind::Spool(reader));
    assert!(sample().lines().all(|l| l.len() <= 72));
}

#[test]
fn user_statement() {
    let all = "USER A NOLOG\nUSER B NOPASS 300K 1M\nUSER C AUTOONLY 4G 1T BG6 20 ON OFF | 7F\nUSER D LBYONLY 16M";
    let users = parse(all).users;
    assert_eq!((&users[0].password, users[0].storage, users[0].max_storage), (&Password::NoLog, 1 << 20, 8 << 20));
    assert_eq!((&users[1].password, users[1].storage), (&Password::NoPass, 300 << 10));
    assert_eq!((users[2].storage, users[2].max_storage, users[2].priority), (4 << 30, 1 << 40, 20));
    assert_eq!(users[2].classes.to_string(), "BG6");
    let editing = Editing { line_end: Some('#'), line_delete: None, char_delete: Some('|'), escape: Some('"') };
    assert_eq!(users[2].editing, editing);
    assert_eq!((&users[3].password, users[3].max_storage), (&Password::LogonByOnly, 16 << 20));
    assert_eq!(
        mistakes(
            "USER A\nUSER TOOLONGNAME X\nUSER B X 5\nUSER C X 2M 1M\nUSER D X 2M 4M G!\nUSER F PASSWORD9\nUSER G ,"
        ),
        [
            "D:1: USER of A: an operand is missing; expected a password of 1 to 8 characters, NOLOG, NOPASS, AUTOONLY \
             or LBYONLY",
            "D:2: USER: TOOLONGNAME is not valid here; expected a name of 1 to 8 letters, digits and $#@-:._+",
            "D:3: USER of B: 5 is not valid here; expected a size such as 512K, 64M or 2G, at least 8K",
            "D:4: USER of C: the storage is larger than the maximum storage; expected storage up to the maximum \
             storage",
            "D:5: USER of D: G! is not valid here; expected privilege classes, A to Z and 1 to 6, or *",
            "D:6: USER of F: the password has more than 8 characters; expected a password of 1 to 8 characters, NOLOG, \
             NOPASS, AUTOONLY or LBYONLY",
            "D:7: the source ends in the middle of a statement; expected another card after the comma",
            "D:7: USER of G: an operand is missing; expected a password of 1 to 8 characters, NOLOG, NOPASS, AUTOONLY \
             or LBYONLY",
        ]
    );
}

#[test]
fn control_statements() {
    let u = user(
        "ACC 77\nCPU 00 BASE CPUID 0A1B2C\nCPU 3 NODED\nMACH ESA 4\nSHARE ABS 12.5% LIMITHARD\n\
         IPL 00C LOADPARM 1 PARM a=B c\nXAUTOLOG OP1 OP2\nAUTOLOG OP3\nLOGONBY MAINT\n\
         IUCV ALLOW PRI MSGLIMIT 255\nIUCV *IDENT RES GLOBAL\nIUCV *MSG\n\
         COMMAND SET RUN ON\nSPOOLF MAXSPOOL 50\nCLASS AG\nNAMESAVE GCS VTAM\nXSTORE 16M\nACIGROUP X\nSTO 32M\n",
    );
    assert_eq!((u.account.as_str(), u.distribution.as_str()), ("77", "U"));
    assert_eq!(u.cpus[0], Cpu { address: 0, base: true, cpuid: Some(0x0a1b2c), dedicate: None });
    assert_eq!((u.cpus[1].address, u.cpus[1].dedicate), (3, Some(false)));
    assert_eq!(u.share, Share { normal: Portion::Absolute(125), maximum: None, limit: Limit::Hard });
    let ipl = Ipl { from: IplFrom::Device(0xc), loadparm: Some("1".into()), parm: Some("a=B c".into()) };
    assert_eq!(u.ipl, Some(ipl));
    assert_eq!(u.xautolog, ["OP1", "OP2", "OP3"]);
    assert_eq!(u.iucv[0].message_limit, Some(255));
    assert_eq!(u.iucv[1].with, IucvWith::Ident("RES".into()));
    assert_eq!(u.iucv[2].with, IucvWith::Service("*MSG".into()));
    assert_eq!(u.commands, ["SET RUN ON"]);
    assert_eq!((u.max_spool, u.storage, u.classes.to_string().as_str()), (50, 32 << 20, "AG"));
    assert_eq!(user("SHARE REL 300 ABS 20% LIMITS").share.maximum, Some(Portion::Absolute(200)));
}

#[test]
fn device_statements() {
    let u = user(
        "CONS 01F 3270 9 OPERATOR OBS\nSPOOL 1 3505 C\nSPOOL 2 3800-3 B 1234 6\nSPECIAL 600 CTCA U2\nSPEC 20 3270\n\
         DED 500 VOLID ABCD\nDED 501 0a20 R/O\nDED 502 WORK01\nLINK * 191 192\nLINK MAINT 19E 19E RR\n\
         MDISK 100 3390 0 END VOL001 MWV\nMDISK 101 3390 DEVNO 0A10 MR\nM 102 FB-512 V-DISK 1001\n\
         MDISK 103 3380 T-DISK 5\nMINIOPT NOMDC NOCACHE\nMDISK 104 3390 0 END VOL002\nDASDOPT SYSCTL WORKALLEG\n",
    );
    let kind = |vdev: u16| u.device(vdev).unwrap().kind.clone();
    let (vdev, console) = u.console().unwrap();
    assert_eq!((vdev, console.device, console.class, console.observer), (0x1f, 3270, '9', true));
    assert!(matches!(kind(2), DeviceKind::Spool(s) if s.kind == SpoolKind::Printer && s.class == 'B'));
    assert!(matches!(kind(0x600), DeviceKind::Special { operands, .. } if operands == ["U2"]));
    assert_eq!(kind(0x500), DeviceKind::Dedicate { real: RealDevice::Volume("ABCD".into()), read_only: false });
    assert_eq!(kind(0x501), DeviceKind::Dedicate { real: RealDevice::Number(0xa20), read_only: true });
    assert!(matches!(kind(0x192), DeviceKind::Link { vdev: 0x191, .. }));
    let disk = |vdev: u16| if let DeviceKind::Mdisk(m) = kind(vdev) { m } else { panic!("{vdev:03X} is a minidisk") };
    assert_eq!(disk(0x100).extent, Extent::Volume { volume: "VOL001".into(), start: 0, count: None });
    assert_eq!(disk(0x100).mode, LinkMode { access: Access::MW, reserve: true });
    assert_eq!(disk(0x101).extent, Extent::Device(0xa10));
    assert_eq!(disk(0x102).extent, Extent::Virtual(1008));
    assert_eq!((disk(0x103).extent, disk(0x103).cache, disk(0x102).cache), (Extent::Temporary(5), Some(false), None));
    assert!(disk(0x103).bypass && !disk(0x102).bypass);
    let options = DasdOptions { control: DasdControl::Subsystem, working_allegiance: true };
    assert_eq!(u.device(0x104).unwrap().dasd, options);
}

#[test]
fn mistakes_name_the_statement_and_what_was_expected() {
    for (statements, expected) in [
        (
            "MDISK 191 339X 1 5 V",
            "D:2: MDISK of U: 339X is not valid here; expected 3390, 3380, 9345, FB-512 or another disk type",
        ),
        (
            "MDISK 191 3390 1 0 V",
            "D:2: MDISK of U: 0 is not valid here; expected a number of cylinders or blocks, or END",
        ),
        (
            "MDISK 191 3390 4294967295 2 V",
            "D:2: MDISK of U: the minidisk ends beyond every volume; expected a smaller start or count",
        ),
        (
            "MDISK 12345 3390 1 5 V",
            "D:2: MDISK of U: 12345 is not valid here; expected a virtual device number of 1 to 4 hexadecimal digits",
        ),
        ("MDISK 191 3390 V-DISK 8", "D:2: MDISK of U: a virtual disk cannot be a 3390; expected FB-512"),
        (
            "CONSOLE 9 3215\nACCOUNT 1",
            "D:3: ACCOUNT of U: a control statement stands after a device statement; expected control statements \
             before CONSOLE, SPOOL, LINK, MDISK and other devices",
        ),
        (
            "CONSOLE 9 3215\nCONSOLE 8 3215",
            "D:3: CONSOLE of U: there is a CONSOLE statement already; expected one console",
        ),
        (
            "SPOOL C 2540 R\nSPOOL 00C 1403",
            "D:3: SPOOL of U: device 000C is there already; expected another device number",
        ),
        ("IPL CMS\nIPL 190", "D:3: IPL of U: this statement is there already; expected it once in a user"),
        (
            "ACCOUNT 1\nINCLUDE X",
            "D:3: INCLUDE of U: INCLUDE stands too late; expected one INCLUDE, as the first statement after USER",
        ),
        ("INCLUDE X", "D:2: INCLUDE of U: there is no profile X; expected the name of a PROFILE that stands before"),
        (
            "FROBNICATE 5",
            "D:2: FROBNICATE of U: this is not a statement; expected USER, IDENTITY, PROFILE, or one of the \
             statements that describe a user",
        ),
        (
            "MINIOPT NOMDC",
            "D:2: MINIOPT of U: there is no MDISK before it; expected MINIOPT after the MDISK it is about",
        ),
        ("MACHINE ESA 4 5", "D:2: MACHINE of U: there are 3 operands, which is too many; expected at most 2"),
        (
            "CPUMODEL Z9",
            "D:2: CPUMODEL of U: Z9 is not valid here; expected z10, z196, zEC12, z13, z14, z15, z16 or max",
        ),
        (
            "OPTION ACCT WINGS",
            "D:2: OPTION of U: WINGS is not an option; expected an option such as ACCT, LNKNOPAS, MAXCONN or QUICKDSP",
        ),
        ("SHARE REL 10001", "D:2: SHARE of U: 10001 is not valid here; expected a relative share, 1 to 10000"),
        ("CPU 40", "D:2: CPU of U: 40 is not valid here; expected a CPU address, 00 to 3F"),
        (
            "MACHINE ESA 1\nCPU 0\nCPU 1",
            "D:1: USER of U: there are 2 CPU statements; expected at most the 1 of the MACHINE statement",
        ),
    ] {
        assert_eq!(mistake(statements), expected);
    }
    assert_eq!(
        mistakes("MDISK 191"),
        ["D:1: MDISK: this statement belongs to no user; expected USER or PROFILE before it"]
    );
    assert_eq!(
        mistakes("USER A X\nUSER A Y"),
        ["D:2: USER of A: A is there already, in line 1; expected another name"]
    );
}

#[test]
fn what_is_legal_but_unused_is_listed() {
    let d = parse("USER U NOPASS\nOPTION QUICKDSP ISAM\nSCREEN ALL RED\nMDISK 191 3390 1 1 V\nMINIOPT RECORDMDC\n");
    let DeviceKind::Mdisk(disk) = &d.users[0].devices[0].kind else { panic!("it is a minidisk") };
    assert_eq!((disk.cache, disk.records), (Some(true), true));
    let listed: Vec<_> = d.accepted_but_unused.iter().map(Unused::to_string).collect();
    let at = |line: u32, what: &str| format!("USER DIRECT:{line}: {what} of U");
    assert_eq!(listed, [at(2, "OPTION ISAM"), at(3, "SCREEN")]);
}

/// What is accepted and not acted upon: the statement, and how it is listed.
const UNUSED: &[(&str, &str)] = &[
    ("ACIGROUP G", "ACIGROUP"),
    ("APPCPASS A B C D", "APPCPASS"),
    ("CPU 1 BASE", "CPU BASE of 01"),
    ("CPU 0 DEDICATE", "CPU DEDICATE"),
    ("CPU 0 NODEDICATE", "CPU NODEDICATE"),
    ("CPU 0 VECTOR", "CPU VECTOR"),
    ("CPU 0 CRYPTO", "CPU CRYPTO"),
    ("CPU 0 CPUID 111111\nCPU 1 CPUID 222222", "CPU CPUID of 01"),
    ("CRYPTO DOMAIN 1", "CRYPTO"),
    ("D8ONECMD FAIL", "D8ONECMD"),
    ("DATEFORMAT ISO", "DATEFORMAT"),
    ("IUCV *IDENT RES GLOBAL", "IUCV GLOBAL"),
    ("NOPDATA", "NOPDATA"),
    ("POOL LOW 1 HIGH 2", "POOL"),
    ("POSIXINFO UID 1", "POSIXINFO"),
    ("SCREEN ALL RED", "SCREEN"),
    ("STDEVOPT LIBRARY CTL", "STDEVOPT"),
    ("SYSAFFIN X", "SYSAFFIN"),
    ("VMRELOCATE ON", "VMRELOCATE"),
    ("XCONFIG ADDRSPACE", "XCONFIG"),
    ("XSTORE 16M", "XSTORE"),
    ("DEDICATE 500 500 NOIOASSIST", "DEDICATE NOIOASSIST"),
    ("DEDICATE 500 500 MULTIUSER", "DEDICATE MULTIUSER"),
    ("LOADDEV PORT 1", "LOADDEV"),
    ("NICDEF 600 TYPE QDIO DEVICES 6", "NICDEF DEVICES 6"),
    ("NICDEF 600 TYPE HIPER DEVICES 4", "NICDEF DEVICES 4"),
    ("NICDEF 600 TYPE VIRTIO CHPID F0", "NICDEF CHPID"),
    ("SPECIAL 600 HIPERS 4 SYSTEM L1", "SPECIAL DEVICES 4"),
    ("SPECIAL 600 TIMER", "SPECIAL TIMER"),
    ("SPECIAL 600 3270 IBM1", "SPECIAL 3270 IBM1"),
    ("SPOOL 00E 3800-3 A 1234", "SPOOL form and width"),
    ("OPTION LANG UCENG", "OPTION LANG"),
];

#[test]
fn each_that_is_accepted_without_effect_is_listed() {
    let unused = |text: &str| -> Vec<String> {
        parse(text).accepted_but_unused.iter().map(|unused| unused.statement.clone()).collect()
    };
    for (statement, listed) in UNUSED {
        assert_eq!(unused(&format!("USER U NOPASS\n{statement}\n")), [*listed], "{statement}");
    }
    let options = "APPLMON BMX CFVM COMSRV D84NOPAS DEVINFO DEVMAINT DIAG84 DIAG88 DIAG98 ECMODE IGNMAXU ISAM \
        LKFAC MAXVMCFI MIH NOCHARGE REALTIMER RMCHINFO STFIRST SVC76VM SVCACCL SVMSTAT TODENABLE VIRT=FIXED \
        VIRT=REAL \
        CFUSER CRYMEASURE LXAPP MAINTCCW NETACCOUNTING NETROUTER NOCPWATCH STGEXEMPT THROTTLE";
    for option in options.split_whitespace() {
        assert_eq!(unused(&format!("USER U NOPASS\nOPTION {option}\n")), [format!("OPTION {option}")]);
    }
    // Those that act are not listed, whatever their operands, and the system is not stopped by V=R.
    assert_eq!(unused("USER U NOPASS\nOPTION V=R\n"), ["OPTION VIRT=REAL"]);
    assert_eq!(unused("USER U NOPASS 1M 2M G 64\n"), ["USER priority"]);
    let acting = "USER U NOPASS 1M 2M G *\nACCOUNT 1 D\nCPU 0 BASE CPUID 123456\nIPL CMS PARM X\n\
        IUCV ALLOW PRIORITY MSGLIMIT 5\nMACHINE ESA 2\nNAMESAVE SEG\nOPTION CPUID 123456 MAXCONN 5 LNKEXCLU\n\
        OPTION ACCT LNKNOPAS LNKSTABL NOMDCFS QUICKDSP SETORIG\nSHARE RELATIVE 200 ABSOLUTE 5% LIMITHARD\n\
        SPOOLFILE MAXSPOOL 5\nXAUTOLOG A\nLOGONBY B\nCONSOLE 9 3215 T OP OBSERVER\n\
        SPOOL C 2540 READER *\nSPECIAL 20 3270\nDEDICATE 500 500 R/O\nDASDOPT DEVCTL WORKALLEG\nLINK * 191 192 RR\n\
        MDISK 191 3390 1 1 V MRV A B C\nMINIOPT NOMDC\n\
        NICDEF 1000 TYPE VIRTIO LAN SYSTEM L1 MACID 00000A\nNICDEF 1000 VLAN 10 20-29 PORTTYPE TRUNK PRO\n\
        SPECIAL 1001 VIRTIO 1 * MINE\nNICDEF 700 TYPE QDIO DEVICES 3\nSPECIAL 600 CTCA U2\nSPECIAL 601 3088\n";
    assert!(unused(acting).is_empty(), "{:?}", unused(acting));
}

#[test]
fn a_users_own_statements_go_before_the_profiles() {
    let d = parse(
        "PROFILE P\nCLASS BG\nCPU 0\nIPL CMS\nCONSOLE 9 3215\nMDISK 191 3390 T-DISK 1 MR AAA\n\
         USER U NOPASS\nINCLUDE P\nIPL 190\nCPU 0 BASE\nCONSOLE 01F 3215\n\
         MDISK 191 3390 T-DISK 2 MR BBB\nUSER V NOPASS 1M 1M G\nINCLUDE P\n",
    );
    let u = d.user("U").unwrap();
    assert_eq!((u.classes.to_string().as_str(), u.cpus.len(), u.cpus[0].base), ("BG", 1, true));
    assert_eq!(u.ipl.as_ref().unwrap().from, IplFrom::Device(0x190));
    assert_eq!(u.devices.iter().map(|d| d.vdev).collect::<Vec<_>>(), [0x1f, 0x191]);
    let DeviceKind::Mdisk(disk) = &u.devices[1].kind else { panic!("191 is a minidisk") };
    assert!(disk.read.admits(Some("BBB")) && !disk.read.admits(Some("AAA")));
    assert_eq!(d.user("V").unwrap().classes, Classes::GENERAL);
}

#[test]
fn a_changed_password_goes_before_the_source() {
    let folder = std::env::temp_dir().join(format!("directory-companion-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join("user.direct");
    std::fs::write(&source, "USER A A\nUSER B NOLOG\n").unwrap();
    assert!(Directory::load(&source).unwrap().user("A").unwrap().password.is_default("A"));
    let mut passwords = Passwords::open(&folder.join("passwords")).unwrap();
    passwords.set("A", "much longer than eight").unwrap();
    passwords.set("B", "SESAME").unwrap();
    let d = Directory::load(&source).unwrap();
    assert!(d.user("A").unwrap().password.verify("Much longer than eight"));
    assert_eq!(d.user("B").unwrap().password, Password::NoLog, "a word in the source is not overridden");
    std::fs::write(folder.join("passwords"), "nonsense").unwrap();
    assert!(Directory::load(&source).unwrap_err()[0].to_string().contains("line 1 is not a userid"));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(Directory::load(&source).unwrap_err()[0].to_string().contains("cannot be read"));
}

/// Statements made of words that mean something somewhere, damaged sources, and noise: an answer, never a panic, and
/// mistakes in the order of their lines. FUZZ_SECONDS makes it go on for so long.
#[test]
fn any_text_gets_an_answer() {
    const WORDS: &[&str] = &[
        "191",
        "00C",
        "3390",
        "FB-512",
        "0",
        "END",
        "V-DISK",
        "T-DISK",
        "DEVNO",
        "MR",
        "NOLOG",
        "NOPASS",
        "16M",
        "99999999T",
        "REL",
        "ABS",
        "100%",
        "0.05%",
        "*",
        ",",
        "PARM",
        "MAXCONN",
        "CPUID",
        "é",
        "\u{0}",
        "\t",
        "2540",
        "R",
        "U",
        "P",
        "BASE",
        "18446744073709551616",
        "4294967295",
        "LOADPARM",
        "*IDENT",
        "MSGLIMIT",
        "VOLID",
        "NOASSIST",
        "ISAM",
        "-1",
        "%",
        "#",
    ];
    let statements: Vec<&str> = statement_names().collect();
    let started = std::time::Instant::now();
    let seconds: u64 = std::env::var("FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    for seed in 1u64.. {
        if seed > 3000 && started.elapsed().as_secs() >= seconds {
            break;
        }
        let mut random = Random::seeded(seed);
        let mut text = String::new();
        if random.one_in(4) {
            text = MANUAL.replace("CPCMS", "NOPASS").replace("XYZ", "NOLOG").replace("READ WRITE MULTI", "ALL");
            for _ in 0..1 + random.below(4) {
                let mut chars: Vec<char> = text.chars().collect();
                let at = random.below(chars.len());
                match random.below(3) {
                    0 => drop(chars.remove(at)),
                    1 => chars[at] = char::from(random.byte()),
                    _ => chars.truncate(at),
                }
                text = chars.into_iter().collect::<String>() + "\n";
            }
        }
        for _ in 0..random.below(20) {
            text.push_str(if random.one_in(3) { "USER" } else { random.pick(&statements) });
            for _ in 0..random.below(7) {
                text.push(' ');
                text.push_str(random.pick(WORDS));
            }
            text.push('\n');
        }
        if let Err(errors) = Directory::parse("D", &text, &Passwords::default()) {
            assert!(!errors.is_empty(), "seed {seed}");
            assert!(errors.is_sorted_by_key(|e| e.place.line), "seed {seed}");
            let lines = text.lines().count();
            assert!(errors.iter().all(|e| e.place.line <= lines && !e.problem.is_empty()), "seed {seed}");
        }
    }
}

/// A system of 60,000 users is up at once. Hashes as costly as those of changed passwords would take some minutes.
#[test]
fn sixty_thousand_users_are_read_at_once() {
    let profile = "PROFILE DEFAULT\n CONSOLE 009 3215\n SPOOL 00C 2540 READER *\n";
    let user =
        |n: usize| format!("USER U{n:05} P{n:05} 2M 16M G\n INCLUDE DEFAULT\n IPL CMS\n LINK MAINT 190 190 RR\n");
    let text: String = std::iter::once(profile.to_string()).chain((0..60_000).map(user)).collect();
    let start = std::time::Instant::now();
    let directory = parse(&text);
    let took = start.elapsed();
    println!("60,000 users in {took:?}");
    assert_eq!(directory.users.len(), 60_000);
    for n in (0..60_000).step_by(997) {
        let user = directory.user(&format!("u{n:05}")).expect("it is there");
        let right = |word: &str| user.password.verify(word);
        assert!(right(&format!("p{n:05}")) && !right(&user.userid) && !user.password.is_default(&user.userid));
        let Password::Hash(hash) = &user.password else { panic!("{:?}", user.password) };
        assert!(hash.contains("m=8,t=1,p=1"), "the least that Argon2 can do");
    }
    assert!(took.as_secs() < 20, "60,000 users took {took:?}");
}

/// z/VM 6.2 and later: a user of several systems, as this one system has it.
#[test]
fn an_identity_has_what_its_subconfig_says() {
    let text = "\
PROFILE DFLT
 SPOOL 00C 2540 READER *
SUBCONFIG SVC01-1
 SHARE RELATIVE 200
 LINK MAINT 190 190 RR
 MDISK 191 3390 1 10 VOL001 MR
 MINIOPT NOMDC
IDENTITY SVC01 NOPASS 32M 64M G
 INCLUDE DFLT
 BUILD ON MEMBER1 USING SUBCONFIG SVC01-1
 BUILD ON MEMBER2 USING SUBCONFIG SVC01-2
 MACHINE ESA
 CONSOLE 009 3215 T
SUBCONFIG SVC01-2
 MDISK 191 3390 1 10 VOL002 MR
USER AFTER NOPASS
 BUILD ON * USING SUBCONFIG SVC01-1
";
    let error = "D:17: BUILD of AFTER: this statement belongs to no IDENTITY; \
                 expected BUILD in an IDENTITY, not in a USER or PROFILE";
    let directory = Directory::read("D", text, &Passwords::default()).unwrap();
    assert_eq!(directory.mistakes.iter().map(ToString::to_string).collect::<Vec<_>>(), [error]);
    let user = directory.user("SVC01").unwrap();
    assert_eq!(user.devices.iter().map(|device| device.vdev).collect::<Vec<_>>(), [0xc, 9, 0x190, 0x191]);
    assert!(!user.barred && user.max_storage == 64 << 20 && user.share != Share::default());
    let DeviceKind::Mdisk(disk) = &user.device(0x191).unwrap().kind else { panic!("{user:?}") };
    assert_eq!(
        (disk.cache, &disk.extent),
        (Some(false), &Extent::Volume { volume: "VOL001".into(), start: 1, count: Some(10) })
    );
    assert!(directory.user("SVC01-1").is_none() && directory.user("SVC01-2").is_none());
    let unused: Vec<String> = directory.accepted_but_unused.iter().map(ToString::to_string).collect();
    assert_eq!(unused, ["D:11: BUILD ON MEMBER2 of SVC01", "D:14: SUBCONFIG of SVC01-2"]);
    // As a source on which nothing else depends: one member, and what is wrong in the part bars that user alone.
    let one = "IDENTITY SVC01 NOPASS\n BUILD ON * USING SUBCONFIG SVC01-1\n CONSOLE 009 3215 T\nUSER B NOPASS\n\
               SUBCONFIG SVC01-1\n LINK MAINT 190 190 XX\n";
    let directory = Directory::read("D", one, &Passwords::default()).unwrap();
    let barred: Vec<bool> = directory.users.iter().map(|user| user.barred).collect();
    assert_eq!(barred, [true, false]);
    assert_eq!((directory.mistakes[0].place.line, directory.mistakes[0].user.as_str()), (6, "SVC01"));
}

#[test]
fn what_is_wrong_with_an_identity_is_told_at_its_line() {
    let cases = [
        ("IDENTITY A NOPASS\n BUILD ON * USING SUBCONFIG A-1\n", 2, "there is no SUBCONFIG A-1"),
        ("IDENTITY A NOPASS\n BUILD ON *\n", 2, "BUILD ON *|member USING SUBCONFIG name"),
        ("USER A NOPASS\nSUBCONFIG\n", 2, "SUBCONFIG and a name"),
        ("USER A NOPASS\nSUBCONFIG A-1 MORE\n", 2, "SUBCONFIG and a name"),
        ("USER A NOPASS\nSUBCONFIG A.1\n", 2, "a name of 1 to 8 letters, digits and @#$_-"),
        ("USER A NOPASS\nSUBCONFIG A-1\nSUBCONFIG A-1\n", 3, "A-1 is there already"),
        (
            "IDENTITY A NOPASS\n BUILD ON * USING SUBCONFIG X\nIDENTITY B NOPASS\n BUILD ON * USING SUBCONFIG X\n\
             SUBCONFIG X\n",
            4,
            "another IDENTITY has it",
        ),
        ("IDENTITY A NOPASS\n BUILD ON * USING SUBCONFIG X\nSUBCONFIG X\n MACHINE VAX\n", 4, "VAX is not valid here"),
    ];
    for (text, line, why) in cases {
        let errors = Directory::parse("D", text, &Passwords::default()).unwrap_err();
        assert_eq!((errors.len(), errors[0].place.line), (1, line), "{text}: {errors:?}");
        assert!(errors[0].to_string().contains(why), "{text}: {errors:?}");
    }
}
