//! One user of a directory is damaged in every way that comes to mind: the others are what they were.

use directory::*;

/// The sample's directory; without passwords, which would be hashed each time.
fn source() -> Vec<String> {
    let users = ["OPERATOR", "MAINT", "DISKACNT", "CMSUSER", "LINUX1", "LINUX2"];
    let plain = |line: &str| {
        let user = users.iter().find(|user| line.starts_with(&format!("USER {user} {user} ")));
        user.map_or_else(
            || line.to_owned(),
            |user| line.replace(&format!(" {user} {user} "), &format!(" {user} NOPASS ")),
        )
    };
    sample().lines().map(plain).map(|line| line.replace(" MR ALL", " MR")).collect()
}

fn read(lines: &[Vec<u8>]) -> Directory {
    let text = base::text::decode(&lines.join(&b'\n'));
    Directory::read("USER DIRECT", &text, &Passwords::default()).expect("the others can log on")
}

/// What a user is, but for where that stands.
fn meaning(user: &User) -> String {
    let mut user = user.clone();
    let nowhere = Place { file: "".into(), line: 0 };
    user.place = nowhere.clone();
    user.devices.iter_mut().for_each(|device| device.place = nowhere.clone());
    format!("{user:?}")
}

/// Where each user begins and ends.
fn blocks(lines: &[String]) -> Vec<(String, std::ops::Range<usize>)> {
    let begins = |line: &String| line.starts_with("USER ");
    let starts = (0..lines.len()).filter(|&n| begins(&lines[n]));
    // IPL is a comment where the system is made without CMS.
    let stays = |line: &String| line.starts_with(' ') || line.starts_with("*IPL");
    let ends = |from: usize| (from + 1..lines.len()).find(|&n| !stays(&lines[n])).unwrap_or(lines.len());
    starts.map(|n| (lines[n].split(' ').nth(1).expect("a name").to_owned(), n..ends(n))).collect()
}

/// What becomes of a line: one line or more.
fn damages(line: &str) -> Vec<Vec<Vec<u8>>> {
    let mut all: Vec<Vec<u8>> = Vec::new();
    let bytes = line.as_bytes();
    for at in 0..=bytes.len() {
        all.push(bytes[..at].to_vec());
        for junk in [&b"\xff"[..], b"\xc3", b"\0", b",", b"X", b" X ", b"\t", b"\xef\xbb\xbf", b"\x1a", b"#", b"USER "]
        {
            all.push([&bytes[..at], junk, &bytes[at..]].concat());
        }
        if at < bytes.len() {
            all.push([&bytes[..at], &bytes[at + 1..]].concat());
            all.push([&bytes[..at], &[bytes[at] ^ 0x80], &bytes[at + 1..]].concat());
        }
    }
    for end in [
        " FROBNICATE",
        " 99999999999999999999",
        " -1",
        " ,",
        ",",
        " FFFFF",
        " \u{e4}\u{1f600}",
        " ONE TWO THREE FOUR FIVE SIX SEVEN",
    ] {
        all.push(format!("{line}{end}").into_bytes());
    }
    all.push(format!("{line}{:X>200}", "").into_bytes());
    let mut all: Vec<Vec<Vec<u8>>> = all.into_iter().map(|line| vec![line]).collect();
    for more in [
        " FROBNICATE 7",
        " OPTION FROBNICATE",
        " OPTION CHPIDV TWO",
        " MACHINE VAX",
        " CPUMODEL Z9",
        " SPOOL 00C 9999 READER *",
        " MDISK",
        " MDISK 191 3390 X Y Z",
        " LINK MAINT 190 190 XX",
        " IPL",
        " SHARE RELATIVE 0",
        " INCLUDE NOTHING",
        "FROBNICATE 7",
        "IDENTITY SVC01 SVC01 32M 64M G",
        "SUBCONFIG SVC01-1",
        " CONSOLE 009 3215,",
        " NICDEF 600,",
        "\u{feff}",
        " DIRECTORY 123",
    ] {
        all.push(vec![line.as_bytes().to_vec(), more.as_bytes().to_vec()]);
    }
    // A user that begins with a comment, or with nothing, does not begin: what follows is the one's before.
    let begins = line.starts_with("USER ");
    let text = |line: &[u8]| base::text::decode(line).replace(|c: char| c.is_control(), " ").trim().to_owned();
    let nothing = |line: &[u8]| text(line).is_empty() || text(line).starts_with('*');
    all.retain(|damaged| !begins || !nothing(&damaged[0]));
    all
}

#[test]
fn what_is_wrong_in_one_user_is_that_users() {
    let lines = source();
    let bytes: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
    let whole = read(&bytes);
    assert!(whole.mistakes.is_empty() && whole.users.len() == 6);
    let (mut cases, mut barred) = (0, 0);
    for (victim, block) in blocks(&lines) {
        for n in block.clone() {
            for damaged in damages(&lines[n]) {
                cases += 1;
                let shown: Vec<String> =
                    damaged.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect();
                let shown = format!("line {} of {victim}: {shown:?}", n + 1);
                let more = damaged.len() - 1;
                let directory = read(&[&bytes[..n], &damaged, &bytes[n + 1..]].concat());
                for user in whole.users.iter().filter(|user| user.userid != victim) {
                    let now =
                        directory.user(&user.userid).unwrap_or_else(|| panic!("{shown}: {} is gone", user.userid));
                    assert_eq!(meaning(now), meaning(user), "{shown}");
                }
                for mistake in &directory.mistakes {
                    let said = mistake.to_string();
                    let line = mistake.place.line - 1;
                    assert!((block.start..block.end + more).contains(&line), "{shown}: {said}");
                    let place = format!("USER DIRECT:{}: ", line + 1);
                    assert!(said.starts_with(&place) && said.contains("; expected "), "{shown}: {said}");
                }
                let now = directory.user(&victim);
                let out = now.is_none_or(|user| user.barred);
                // What follows a second user within the first is that one's.
                let another = damaged.iter().skip(usize::from(n == block.start));
                let begins = ["USER ", "IDENTITY ", "SUBCONFIG "];
                let cut = another.map(|line| String::from_utf8_lossy(line).trim_start().to_owned());
                let cut = cut.into_iter().any(|line| begins.iter().any(|word| line.starts_with(word)));
                assert!(out || directory.mistakes.is_empty() || cut, "{shown}: {:?}", directory.mistakes);
                barred += usize::from(out);
            }
        }
    }
    println!("{cases} cases, {barred} with a user that cannot log on");
    assert!(cases > 5000 && barred > 1000, "{cases} {barred}");
}

#[test]
fn who_includes_a_profile_with_a_mistake_cannot_log_on() {
    let text = "PROFILE GOOD\n MACHINE ESA\nPROFILE BAD\n MACHINE VAX\nUSER A NOPASS\n INCLUDE BAD\n\
        USER B NOPASS\n INCLUDE GOOD\n\
                USER C NOPASS\n";
    let directory = Directory::read("D", text, &Passwords::default()).expect("there are others");
    let barred: Vec<bool> = directory.users.iter().map(|user| user.barred).collect();
    assert_eq!(barred, [true, false, false]);
    let why: Vec<String> = directory.mistakes_of("a").map(Error::to_string).collect();
    assert_eq!(why, ["D:5: INCLUDE of A: the profile BAD has mistakes; expected a profile without mistakes"]);
}

#[test]
fn of_two_users_with_one_name_the_first_stays() {
    let text = "USER A NOPASS 32M\nUSER A NOPASS 16M\n MACHINE VAX\nUSER B NOPASS\n";
    let directory = Directory::read("D", text, &Passwords::default()).expect("there are others");
    assert_eq!(directory.users.len(), 2);
    assert!(directory.users.iter().all(|user| !user.barred));
    assert_eq!((directory.user("A").unwrap().storage, directory.mistakes.len()), (32 << 20, 2));
}

#[test]
fn a_directory_in_which_nobody_can_log_on_is_none() {
    let all = Directory::read("D", "USER A NOPASS\n MACHINE VAX\n", &Passwords::default());
    assert_eq!(all.expect_err("it has no user").len(), 1);
    // What is there, but for those that could not log on anyway, is what it was.
    assert!(Directory::read("D", "USER A NOLOG\n", &Passwords::default()).is_ok());
    assert!(Directory::read("D", "", &Passwords::default()).is_ok());
}

#[test]
fn newer_and_shorter_options() {
    let text = "USER A NOPASS\n OPTION CHPIDV ONE APPL QUICK LNKN NETROUTER\n";
    let directory = Directory::parse("D", text, &Passwords::default()).expect("it has no mistakes");
    let options = &directory.user("A").unwrap().options;
    assert!(options.has(Opt::ApplMon) && options.has(Opt::QuickDsp) && options.has(Opt::LnkNoPas));
    let unused: Vec<&str> = directory.accepted_but_unused.iter().map(|unused| unused.statement.as_str()).collect();
    assert_eq!(unused, ["OPTION CHPIDVIRTUALIZATION ONE", "OPTION APPLMON", "OPTION NETROUTER"]);
    for wrong in ["CHPIDV", "CHPIDV TWO", "LNK", "Q", "QUICKDSPX", "DIAG"] {
        let text = format!("USER A NOPASS\n OPTION {wrong}\n");
        assert!(Directory::parse("D", &text, &Passwords::default()).is_err(), "{wrong}");
    }
}
