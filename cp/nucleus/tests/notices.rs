//! What the operator is told of the processors that run guests.

mod system;
mod time;

use consoles::terminal::{Kind, Terminal};
use nucleus::system::Cp;
use std::sync::Arc;
use time::Time;

const DIRECTORY: &str = "\
USER OPERATOR OPERATOR 1M 1M ABCDEFG
 CONSOLE 009 3215 T
USER GUEST GUEST 1M 1M G
 CONSOLE 009 3215 T
";

/// Two loops, each worth translating, and a disabled wait: AR 1,2; BRCT 4,*-2; AR 1,3; BRCT 5,*-2; LPSW 16(4).
const PROGRAM: &str = "store s4000 1a12a746 ffff1a13 a756ffff 82004010#store s10 000a0000 80000fff";
const START: &str = "store g1 0#store g2 1#store g3 1#store g4 3e8#store g5 3e8#store psw 00080000 80004000#begin";

/// All work that is due is done, and what the operator was told is returned.
fn told(cp: &Cp, operator: &Terminal) -> Vec<String> {
    let _ = (0..100).take_while(|_| cp.step(0)).count();
    cp.tick();
    let said = operator.take_output();
    said.lines().filter(|line| line.contains("HCPJIT")).map(|line| line.trim().to_string()).collect()
}

#[test]
fn a_full_code_cache_counts_and_nothing_is_said_of_it() {
    if engine::engine() != engine::Engine::Jit || !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return println!("skipped: there is no translator");
    }
    let cp = system::system(DIRECTORY, None, Arc::new(Time::default()));
    let [operator, guest] = ["operator", "guest"].map(|userid| {
        let terminal = cp.connect(Kind::Typewriter, None, "127.0.0.1", true);
        cp.line(terminal.id, &format!("logon {userid} {userid}"));
        terminal.take_output();
        terminal
    });
    let machine = cp.vmdbk("GUEST").expect("it is logged on").machine();
    let run = || {
        format!("{PROGRAM}#{START}").split('#').for_each(|line| cp.line(guest.id, line));
        let told = told(&cp, &operator);
        assert_eq!(machine.configuration.cpu(0).state.gr[1], 2000, "{}", guest.take_output());
        told
    };
    assert!(told(&cp, &operator).is_empty());
    machine.configuration.cpu(0).confine_code(1);
    // There is no room for the second.
    let first = run();
    let emptied = engine::statistics().emptied;
    assert!(emptied > 0);
    assert!(first.is_empty() && run().is_empty(), "{first:?}");
    assert!(engine::statistics().emptied > emptied, "it has happened again");
}
