//! A statement of a user goes before a profile's: z/VM CP Planning and Administration, "PROFILE directory statement".
//! Every statement that both may have, with each of its forms in the profile by each of its forms in the user.

use directory::*;

/// What a user's statement does to a profile's of the same name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    /// It takes its place: nothing of the profile's is left.
    Replaces,
    /// Both are there, the profile's first; the same name again takes the place of the profile's.
    Adds,
    /// It has nothing that the user could have in its place: what it says is told as not used.
    Told,
}
use How::{Adds, Replaces, Told};

/// Each statement, and its forms. Those that add have a word, the second, by which they are the same.
const STATEMENTS: &[(&str, How, &[&str])] = &[
    ("ACCOUNT", Replaces, &["1", "2 DIST", "3 DEST"]),
    ("ACIGROUP", Replaces, &["A", "B"]),
    ("APPCPASS", Told, &["X"]),
    ("AUTOLOG", Adds, &["OP1", "OP2 OP3", "OP4"]),
    ("CLASS", Replaces, &["A", "BG", "123"]),
    ("COMMAND", Adds, &["SET RUN ON", "QUERY TIME"]),
    (
        "CPU",
        Replaces,
        &["0", "0 BASE", "0 CPUID 0A1B2C", "0 BASE CPUID 0D0E0F DEDICATE", "0 CPUID 010203 NODEDICATE", "0 VECTOR"],
    ),
    ("CPUMODEL", Replaces, &["z10", "z16"]),
    ("CRYPTO", Told, &["X"]),
    ("D8ONECMD", Told, &["X"]),
    ("DATEFORMAT", Told, &["ISO", "FULL"]),
    ("IPL", Replaces, &["CMS", "190", "CMS LOADPARM 1", "190 PARM x y", "CMS LOADPARM 2 PARM z"]),
    (
        "IUCV",
        Adds,
        &["ALLOW", "ALLOW PRIORITY", "ANY MSGLIMIT 5", "ANY", "*MSG", "*MSG MSGLIMIT 9", "*IDENT R", "*IDENT R GLOBAL"],
    ),
    ("LOGONBY", Adds, &["OP1", "OP2 OP3"]),
    ("MACHINE", Replaces, &["ESA", "XA 4", "Z 2", "370", "XC 8"]),
    ("MAXSTORAGE", Replaces, &["64M", "128M"]),
    ("NAMESAVE", Adds, &["S1", "S2 S3"]),
    ("NOPDATA", Told, &[""]),
    ("OPTION", Replaces, &["CPUID 0A1B2C", "CPUID 0D0E0F"]),
    ("OPTION", Replaces, &["LANG AMENG", "LANG FRANC"]),
    ("OPTION", Replaces, &["MAXCONN 9", "MAXCONN 64", "MAXCONN 100"]),
    ("POOL", Told, &["X"]),
    ("POSIXGLIST", Told, &["X"]),
    ("POSIXINFO", Told, &["X"]),
    ("POSIXOPT", Told, &["X"]),
    ("SCREEN", Told, &["X"]),
    ("SHARE", Replaces, &["RELATIVE 5", "ABSOLUTE 3% LIMITHARD", "RELATIVE 7 ABSOLUTE 9%", "ABSOLUTE 2% NOLIMIT"]),
    ("SPOOLFILE", Replaces, &["MAXSPOOL 5", "MAXSPOOL 9999"]),
    ("STDEVOPT", Told, &["X"]),
    ("STORAGE", Replaces, &["1M", "2M", "4M"]),
    ("SYSAFFIN", Told, &["X"]),
    ("VMRELOCATE", Told, &["ON"]),
    ("XAUTOLOG", Adds, &["OP1", "OP2 OP3"]),
    ("XCONFIG", Told, &["X"]),
    ("XSTORE", Replaces, &["16M", "ALL"]),
    (
        "MDISK",
        Replaces,
        &[
            "191 3390 1 5 V",
            "191 3390 6 9 W MR ALL",
            "191 3390 T-DISK 2",
            "191 FB-512 V-DISK 80",
            "191 3380 7 END X W R1 W1 M1",
            "191 3380 0 3 X RR R2",
        ],
    ),
    ("CONSOLE", Replaces, &["9 3215", "9 3270 T OPERATOR", "1F 3215 A", "9 3215 C OP2 OBSERVER"]),
    ("DEDICATE", Replaces, &["300 SCRATC", "300 0200"]),
    ("LINK", Replaces, &["M 190 190 RR", "M 191 190 MR", "N 1 190"]),
    ("SPECIAL", Replaces, &["320 3270", "320 TIMER", "320 CTCA"]),
    ("SPOOL", Replaces, &["C 2540 READER *", "C 1403 A", "C 2540 PUNCH B"]),
    // They belong to the device statement before them.
    ("DASDOPT", Told, &[""]),
    ("MINIOPT", Told, &[""]),
    ("LOADDEV", Told, &["X"]),
    (
        "NICDEF",
        Replaces,
        &["600 TYPE VIRTIO", "600 LAN SYSTEM L1 MACID A", "600 TYPE QDIO LAN * L2", "600 VLAN 1-9 PORTT TRUNK PRO"],
    ),
];

/// The user of a source, and what is told of its own statements.
fn read(text: &str) -> (String, Vec<String>) {
    let parsed = Directory::parse("D", text, &Passwords::default());
    let directory = parsed.unwrap_or_else(|errors| panic!("{text}{errors:#?}"));
    let user = directory.user("U").expect("there is one");
    let unused =
        directory.accepted_but_unused.iter().filter(|unused| unused.user == "U").map(ToString::to_string).collect();
    // Of a password of a minidisk the hash has another salt each time.
    (without_hashes(&format!("{user:#?}")), unused)
}

fn without_hashes(text: &str) -> String {
    text.lines().filter(|line| !line.contains("$argon2")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_users_statement_goes_before_a_profiles() {
    for name in statement_names() {
        let here = STATEMENTS.iter().any(|row| row.0 == name);
        let apart = ["DIRECTORY", "GLOBALDEFS", "GLOBALOPTS", "USER", "PROFILE", "IDENTITY", "SUBCONFIG", "BUILD"];
        assert!(here || apart.contains(&name) || name == "INCLUDE", "{name} has no row");
    }
    let mut cases = 0;
    for &(name, how, forms) in STATEMENTS.iter().filter(|row| row.1 != Told) {
        for profiles in forms {
            // The same lines without the profile: so places are the same, too.
            let user = |profile: &str, include: &str, own: &str| {
                read(&format!("{}\n{profile}\nUSER U NOPASS 1M 128M G\n{include}\n{own}\n", "* PROFILE"))
            };
            for users in forms {
                let own = format!("{name} {users}");
                let included =
                    read(&format!("PROFILE P\n{name} {profiles}\nUSER U NOPASS 1M 128M G\nINCLUDE P\n{own}\n"));
                let (second, first) = (users.split(' ').next(), profiles.split(' ').next());
                let alone = if how == Replaces || name == "IUCV" && second == first {
                    user("*", "*", &own)
                } else {
                    user("*", &format!("{name} {profiles}"), &own)
                };
                assert_eq!(included.0, alone.0, "{name} {profiles}, then {users}");
                let told =
                    |all: &[String]| all.iter().filter(|line| line.starts_with("D:5:")).cloned().collect::<Vec<_>>();
                assert_eq!(told(&included.1), told(&alone.1), "{name} {profiles}, then {users}");
                cases += 1;
            }
        }
    }
    assert!(cases > 190, "{cases}");
    println!("{cases} pairs");
}

/// What one statement of the user and another of the profile say of the same thing.
#[test]
fn an_identification_of_the_user_goes_before_the_profiles() {
    let cpuid = |profile: &str, own: &str| {
        let text = format!("PROFILE P\n{profile}\nUSER U NOPASS\nINCLUDE P\n{own}\n");
        let directory = Directory::parse("D", &text, &Passwords::default()).expect("it has no mistakes");
        let user = directory.user("U").expect("there is one");
        let told = directory.accepted_but_unused.iter().any(|unused| unused.user == "U");
        (user.options.cpuid.or(user.cpus.iter().find_map(|cpu| cpu.cpuid)), told)
    };
    let forms =
        |n: u32| [format!("OPTION CPUID {n:06X}"), format!("CPU 0 CPUID {n:06X}"), format!("CPU 1 CPUID {n:06X}")];
    for profile in forms(0xa1) {
        for own in forms(0xb2) {
            assert_eq!(cpuid(&profile, &own), (Some(0xb2), false), "{profile}, {own}");
        }
        assert_eq!(cpuid(&profile, "CPU 2"), (Some(0xa1), false), "{profile}");
    }
    // Of two of its own, OPTION's, or the first; the other is told.
    assert_eq!(cpuid("*", "OPTION CPUID 0000B2\nCPU 0 CPUID 0000C3"), (Some(0xb2), true));
    assert_eq!(cpuid("*", "CPU 0 CPUID 0000B2\nCPU 1 CPUID 0000C3"), (Some(0xb2), true));
}

#[test]
fn a_base_of_the_user_goes_before_the_profiles() {
    let text = "PROFILE P\nCPU 0 BASE\nCPU 1\nUSER U NOPASS\nINCLUDE P\nCPU 1 BASE\n";
    let directory = Directory::parse("D", text, &Passwords::default()).expect("it has no mistakes");
    let cpus = &directory.user("U").expect("there is one").cpus;
    assert_eq!(cpus.iter().map(|cpu| (cpu.address, cpu.base)).collect::<Vec<_>>(), [(0, false), (1, true)]);
}
