//! What the directory's XSTORE statements give at LOGON, and what real storage is used for.

mod system;

use consoles::terminal::{Kind, Terminal};
use nucleus::system::{Cp, SystemConfig};
use realstorage::expanded::Expanded;
use std::sync::Arc;

const DIRECTORY: &str = "\
USER OPERATOR OPERATOR 1M 1M ABCDEFG
 CONSOLE 009 3215 T
USER SMALL SMALL 1M 4M G
 XSTORE 16M
 CONSOLE 009 3215 T
USER REST REST 1M 1M G
 XSTORE ALL
 CONSOLE 009 3215 T
USER LATE LATE 1M 1M G
 XSTORE 4100K
 CONSOLE 009 3215 T
";

fn log_on(cp: &Cp, userid: &str) -> (Arc<Terminal>, String) {
    let terminal = cp.connect(Kind::Typewriter, None, "127.0.0.1", true);
    cp.line(terminal.id, &format!("logon {userid} {userid}"));
    let said = terminal.take_output();
    (terminal, said)
}

#[test]
fn users_get_what_the_directory_says_as_long_as_there_is_some() {
    let mut cp = system::system(DIRECTORY, None, system::Hand::new());
    cp.expanded = Expanded::new(64 << 20);
    let has = |userid: &str| cp.vmdbk(userid).expect("it is logged on").expanded();
    let (small, said) = log_on(&cp, "SMALL");
    assert!(!said.contains("XSTORE"), "{said}");
    assert_eq!(has("SMALL"), Some(16));
    let (rest, _) = log_on(&cp, "REST");
    assert_eq!(has("REST"), Some(48));
    let (late, said) = log_on(&cp, "LATE");
    assert!(said.contains("HCPATX6804E XSTORE not attached to LATE; only 0M are available"), "{said}");
    assert_eq!(has("LATE"), None);
    for terminal in [&rest, &late] {
        cp.line(terminal.id, "logoff");
    }
    assert_eq!(cp.expanded.system().megabytes, 48);
    // A megabyte that has begun is a whole one.
    log_on(&cp, "LATE");
    assert_eq!(has("LATE"), Some(5));
    // Other hardware has the same blocks.
    let blocks = |cp: &Cp| cp.vmdbk("SMALL").unwrap().machine().configuration.shared().expanded.get().unwrap();
    let before = blocks(&cp);
    cp.line(small.id, "define storage 4m");
    assert!(Arc::ptr_eq(&before, &blocks(&cp)));
    cp.line(small.id, "detach xstore");
    assert!(cp.vmdbk("SMALL").unwrap().machine().configuration.shared().expanded.get().is_none());
    assert_eq!(cp.expanded.owners(), [("LATE".to_string(), 5)]);
}

#[test]
fn a_system_without_any_says_so() {
    let cp = system::system(DIRECTORY, None, system::Hand::new());
    let (small, said) = log_on(&cp, "SMALL");
    assert!(said.contains("HCPATX6804E XSTORE not attached to SMALL; the system has none"), "{said}");
    let (operator, _) = log_on(&cp, "OPERATOR");
    for (line, answer) in [
        ("query xstore", "HCPQXS6806E The system has no XSTORE"),
        ("retain xstore all", "HCPRXS6806E The system has no XSTORE"),
        ("attach xstore small 1m", "HCPATX6804E XSTORE not attached to SMALL; the system has none"),
    ] {
        cp.line(operator.id, line);
        let said = operator.take_output();
        assert!(said.contains(answer), "{line}: {said}");
    }
    cp.line(small.id, "query xstore");
    assert!(small.take_output().contains("XSTORE = none"));
}

#[test]
fn frames_are_counted_by_use() {
    let clock = system::Hand::new();
    let directory = directory::Directory::parse("USER DIRECT", DIRECTORY, &directory::Passwords::default());
    let config = SystemConfig { real: Some(64 << 20), processors: 2, ..SystemConfig::default() };
    let host = Arc::new(consoles::host::Silent);
    let cp = Cp::new(config, directory.expect("the directory is right"), None, clock, host);
    let (operator, _) = log_on(&cp, "OPERATOR");
    let (small, _) = log_on(&cp, "SMALL");
    let ask = |line: &str| {
        cp.line(operator.id, line);
        operator.take_output()
    };
    let answer = |available: u32, pages: u32| {
        format!(
            "SYSGEN REAL   USABLE OFFLINE\n016384 016384 016384 000000\nV=R    RESNUC PAGING TRACE  RIO370\n\
             000000 000896 015456 000000 000000\nAVAIL  PAGNUC LOCKRS LOCKCMD SAVE   FREE   LOCKIO\n\
             {available:06} {pages:06} 000000 000000  000032 000002 000000"
        )
    };
    operator.take_output();
    let said = ask("query frames");
    assert!(said.contains(&answer(15_454, 0)), "{said}");
    // Two pages of a user's are two frames.
    cp.line(small.id, "store s4000 01#store s5000 01");
    let said = ask("query frames");
    assert!(said.contains(&answer(15_452, 2)), "{said}");
    assert!(ask("query storage").contains("STORAGE = 64M") && ask("query virtual storage").contains("STORAGE = 1M"));
    assert!(ask("indicate load").contains("STORAGE-000%"));
    small.take_output();
    cp.line(small.id, "query storage");
    assert!(small.take_output().contains("STORAGE = 1M"));
    let unknown = system::system(DIRECTORY, None, system::Hand::new());
    let (operator, _) = log_on(&unknown, "OPERATOR");
    unknown.line(operator.id, "query frames");
    assert!(operator.take_output().contains("HCPCQF6807E The size of real storage is not known"));
}
