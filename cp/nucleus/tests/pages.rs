//! LOCK, UNLOCK, SET RESERVED, SET SRM MAXWSS, and what INDICATE and QUERY show of them.

mod system;

use consoles::terminal::{Kind, Terminal};
use nucleus::system::{Cp, SystemConfig};
use std::sync::Arc;

const DIRECTORY: &str = "\
USER OPERATOR OPERATOR 1M 1M ABCDEFG
 CONSOLE 009 3215 T
USER SMALL SMALL 1M 4M G
 CONSOLE 009 3215 T
";

fn log_on(cp: &Cp, userid: &str) -> Arc<Terminal> {
    let terminal = cp.connect(Kind::Typewriter, None, "127.0.0.1", true);
    cp.line(terminal.id, &format!("logon {userid} {userid}"));
    terminal.take_output();
    terminal
}

#[test]
fn pages_are_reserved_and_locked() {
    let directory = directory::Directory::parse("USER DIRECT", DIRECTORY, &directory::Passwords::default());
    let path = std::env::temp_dir().join(format!("endicott-pages-test-{}", std::process::id()));
    let page_volumes = vec![(path.clone(), 64 << 20)];
    let config = SystemConfig { real: Some(32 << 20), expanded: 4 << 20, page_volumes, ..SystemConfig::default() };
    let host = Arc::new(consoles::host::Silent);
    let mut cp = Cp::new(config, directory.expect("the directory is right"), None, system::Hand::new(), host);
    cp.begin_paging().expect("the host makes a file");
    let (operator, small) = (log_on(&cp, "OPERATOR"), log_on(&cp, "SMALL"));
    cp.line(small.id, "store s4000 01#store s5000 01");
    for (line, answer) in [
        ("indicate user small", "PAGES: RES=000002 WS=000002 LOCK=000000 RESVD=000000"),
        ("query reserved", "No users have reserved pages"),
        ("set reserved small 100", "SMALL    RSV=00000100 (ACT=00000002)"),
        ("query reserved", "SMALL    RSV=00000100 (ACT=00000002)"),
        ("set reserved small 99999", "HCPSET6809E 99999 pages cannot be kept in real storage; "),
        ("set reserved nobody 1", "HCPSET045E NOBODY not logged on"),
        ("set reserved small many", "HCPCMD002E Invalid operand - MANY"),
        ("lock small 4 6 map", "VIRTUAL PAGE 00006 REAL FRAME 0"),
        ("lock small 4 6", "COMMAND COMPLETE"),
        ("lock small 6 4", "HCPCMD009E Invalid range - 00006-00004"),
        ("lock small 4 100", "HCPCMD002E Invalid operand - 100"),
        ("lock nobody 1 2", "HCPLCK045E NOBODY not logged on"),
        ("indicate user small", "PAGES: RES=000003 WS=000003 LOCK=000003 RESVD=000100"),
        ("query frames", " 000000 000003  "),
        ("unlock small 4 6", "COMMAND COMPLETE"),
        ("unlock small 4 6", "HCPULK6811E Pages 00004-00006 are not locked"),
        ("set reserved small off", "SMALL    RSV=00000000 (ACT=00000000)"),
        ("set srm maxwss 50", ""),
        ("query srm", "MAXWSS : LIMIT=50%"),
        ("set srm maxwss 0", "HCPCMD002E Invalid operand - 0"),
        ("query xstore", "XSTORE= 4M userid= SYSTEM usage= 0%"),
        ("indicate paging all", "SMALL    000000:000000"),
        ("indicate paging", "No users in page wait"),
    ] {
        cp.line(operator.id, line);
        let said = operator.take_output();
        assert!(said.contains(answer), "{line}: {said}");
    }
    cp.line(small.id, "lock * 1 2");
    assert!(small.take_output().contains("HCPCMD001E"));
    drop(cp);
    let _ = std::fs::remove_file(path);
    let without = system::system(DIRECTORY, None, system::Hand::new());
    let operator = log_on(&without, "OPERATOR");
    for line in ["set reserved * 5", "lock * 1 2", "unlock * 1 2", "query reserved *"] {
        without.line(operator.id, line);
        let said = operator.take_output();
        assert!(said.contains("No pages are taken from virtual machines here"), "{line}: {said}");
    }
}
