//! Idle users cost nothing: whatever happens to one user, CP looks at no other, however many there are.

mod time;

use directory::{Directory, Passwords};
use nucleus::console::terminal::{Kind, Silent, Terminal};
use nucleus::system::{Cp, SystemConfig};
use std::fmt::Write;
use std::sync::Arc;
use time::Time;

fn name(n: usize) -> String {
    format!("U{n:05}")
}

/// A system with so many users, all logged on and idle.
fn system(users: usize) -> (Cp, Arc<Time>, Vec<Arc<Terminal>>) {
    let mut text = String::new();
    for n in 0..users {
        writeln!(text, "USER {0} {0} 64K 64K G\n CONSOLE 009 3215 T", name(n)).expect("a string has room");
    }
    let directory = Directory::parse("USER DIRECT", &text, &Passwords::default()).expect("it has no mistakes");
    let time = Arc::new(Time::default());
    let cp = Cp::new(SystemConfig::default(), directory, None, time.clone(), Arc::new(Silent));
    let terminals = (0..users).map(|n| {
        let terminal = cp.connect(Kind::Typewriter, None, "127.0.0.1", true);
        cp.line(terminal.id, &format!("logon {0} {0}", name(n)));
        terminal
    });
    let terminals = terminals.collect();
    while cp.step(0) {}
    (cp, time, terminals)
}

/// How often the consoles and terminals of all users but the first have been looked at; one look each is the question.
fn looks(cp: &Cp, terminals: &[Arc<Terminal>]) -> Vec<u64> {
    let looks = |(n, terminal): (usize, &Arc<Terminal>)| {
        cp.vmdbk(&name(n)).expect("it is logged on").console().looks() + terminal.looks()
    };
    terminals.iter().enumerate().skip(1).map(looks).collect()
}

#[test]
fn what_happens_to_one_user_looks_at_no_other() {
    for users in [10, 2000] {
        let (cp, time, terminals) = system(users);
        let one = &terminals[0];
        let before = looks(&cp, &terminals);
        for round in 0..20 {
            cp.line(one.id, "query time");
            cp.line(one.id, "query userid");
            cp.line(one.id, if round % 2 == 0 { "terminal mode cp" } else { "sleep 1 sec" });
            while cp.step(0) {}
            let _ = cp.deadline();
            time.pass(1500);
            cp.tick();
            let other = cp.connect(Kind::Typewriter, None, "127.0.0.1", true);
            cp.hang_up(other.id);
        }
        let after = looks(&cp, &terminals);
        // The console says how often it has been locked, and so does the terminal: that is once more for each.
        let looked_at = before.iter().zip(&after).filter(|&(before, after)| *after != before + 2).count();
        assert_eq!(looked_at, 0, "of {users} users");
    }
}
