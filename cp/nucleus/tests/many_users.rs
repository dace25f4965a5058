//! Idle users cost nothing. What an event looks at does not depend on how many there are. What is due is what a walk
//! over all users would find.

mod system;

use base::Tod;
use consoles::display::{Key, Size, Tone};
use consoles::terminal::{Kind, Terminal};
use nucleus::logon;
use nucleus::system::Cp;
use std::sync::Arc;
use support::Random;
use system::Hand;
use virtualmachine::vmdbk::Vmdbk;

/// Users at displays, one each.
struct Site {
    cp: Cp,
    clock: Arc<Hand>,
    seats: Vec<(Arc<Vmdbk>, Arc<Terminal>)>,
    /// Every terminal there ever was.
    terminals: Vec<Arc<Terminal>>,
}

fn name(n: usize) -> String {
    format!("U{n:05}")
}

impl Site {
    fn new(users: usize) -> Site {
        let text: String = (0..users)
            .map(|n| {
                format!("USER {} NOPASS 1M 1M G\n IUCV ALLOW\n CONSOLE 009 3215\n MDISK 200 FB-512 V-DISK 8\n", name(n))
            })
            .chain(["USER OPERATOR NOPASS 1M 1M ABCDEG\n".to_string()])
            .collect();
        let clock = Hand::new();
        let cp = system::system(&text, None, clock.clone());
        cp.start(None);
        let mut site = Site { cp, clock, seats: Vec::new(), terminals: Vec::new() };
        for n in 0..users {
            let terminal = site.connect();
            let vmdbk = logon::log_on_here(&site.cp, &name(n), &terminal).expect("it is not logged on yet");
            site.cp.set_cp_read(&vmdbk, true);
            site.seats.push((vmdbk, terminal));
        }
        site
    }

    fn connect(&mut self) -> Arc<Terminal> {
        let terminal = self.cp.connect(Kind::Display(Size { rows: 24, columns: 80 }), None, "", true);
        self.terminals.push(terminal.clone());
        terminal
    }

    fn enter(&self, n: usize, line: &str) {
        self.cp.key(self.seats[n].1.id, Key::Enter, &[line.to_string()]);
    }

    fn pass(&self, seconds: u64) {
        self.clock.pass(seconds);
    }

    /// How often the users' consoles and terminals have been looked at; to find out is a look at each.
    fn looks(&self) -> u64 {
        self.seats.iter().map(|(vmdbk, terminal)| vmdbk.console().looks() + terminal.looks()).sum()
    }

    /// What [`Cp::deadline`] is by its definition: a look at all users.
    fn walk(&self) -> Option<Tod> {
        let connected = self.terminals.iter().filter(|terminal| self.cp.terminal(terminal.id).is_some());
        let terminals = connected.filter_map(|terminal| terminal.deadline());
        let users = self.cp.vmdbks().into_iter().filter_map(|vmdbk| {
            let console = vmdbk.console();
            let waking = if console.forward.is_empty() { console.asleep.flatten() } else { Some(Tod(0)) };
            let waits = console.terminal.is_none() && console.cp_read && console.secondary.is_none();
            let since = console.disconnected.filter(|_| waits && vmdbk.userid != "OPERATOR");
            waking.into_iter().chain(since.map(|since| since.plus_micros(15 * 60_000_000))).min()
        });
        terminals.min().into_iter().chain(users.min()).min()
    }
}

/// What the program's own thread does for an event.
fn event(site: &Site, what: impl FnOnce(&Site)) -> u64 {
    let before = site.looks();
    what(site);
    if site.cp.deadline().is_some_and(|at| at <= site.cp.now()) {
        site.cp.tick();
    }
    let _ = site.cp.deadline();
    site.looks() - before - 2 * site.seats.len() as u64
}

#[test]
fn an_event_looks_at_as_many_users_whatever_their_number() {
    let costs = |users: usize| -> Vec<(&'static str, u64)> {
        let site = Site::new(users);
        let costs = vec![
            ("a key", event(&site, |site| site.enter(1, ""))),
            ("a command", event(&site, |site| site.enter(1, "query time"))),
            ("one other user", event(&site, |site| site.enter(1, "msg u00002 hello"))),
            ("where a user is", event(&site, |site| site.enter(1, "query users u00003"))),
            ("how many users", event(&site, |site| site.enter(1, "query users"))),
            ("a link", event(&site, |site| site.enter(1, "link * 200 201 rr"))),
            ("a disk", event(&site, |site| site.enter(1, "define vfb-512 as 300 80"))),
            ("its end", event(&site, |site| site.enter(1, "detach 300"))),
            ("sleep", event(&site, |site| site.enter(1, "sleep 5 sec"))),
            ("time passes", event(&site, |site| site.pass(1))),
            ("it wakes", event(&site, |site| site.pass(5))),
            ("a full page", event(&site, |site| (0..30).for_each(|_| site.enter(4, "query time")))),
            ("its alarm", event(&site, |site| site.pass(50))),
            ("it turns", event(&site, |site| site.pass(10))),
            ("disconnect", event(&site, |site| site.enter(5, "disconnect"))),
            ("hang up", event(&site, |site| site.cp.hang_up(site.seats[6].1.id))),
            ("forced off", event(&site, |site| site.pass(15 * 60))),
            ("logoff", event(&site, |site| site.enter(7, "logoff"))),
            ("nothing", event(&site, |site| site.pass(60))),
        ];
        assert_eq!(site.cp.user_count(), users + 1 - 3, "two were forced off and one has left");
        costs
    };
    let (few, many) = (costs(10), costs(5000));
    println!("{} events: {few:?}", few.len());
    assert_eq!(few, many);
    assert_eq!(few.last(), Some(&("nothing", 0)));
}

/// What users do, what others do to them, and time that passes to what is due or beyond.
#[test]
fn what_is_due_is_what_a_walk_over_everybody_finds() {
    let mut random = Random::seeded(1);
    let mut site = Site::new(40);
    let (mut due, mut ticks) = (0, 0);
    for step in 0..20_000 {
        let n = random.below(site.seats.len());
        let (vmdbk, terminal) = site.seats[n].clone();
        let other = name(random.below(40));
        match random.below(16) {
            0 => site.enter(n, &format!("sleep {} sec", random.below(99))),
            1 => site.enter(n, "sleep"),
            2 => site.enter(n, "disconnect"),
            // Any user, this one too.
            3 => site.enter(n, &format!("set secuser {other}")),
            4 => site.enter(n, "set secuser off"),
            5 => site.enter(n, &format!("terminal more {} {}", random.below(60), random.below(20))),
            6 => site.enter(n, &format!("msg {other} hello")),
            7 => (0..25).for_each(|_| vmdbk.write("a line of many", Tone::Normal, site.cp.now())),
            8 => vmdbk.console().print("the guest's\n", site.cp.now()),
            9 => site.cp.key(terminal.id, Key::Clear, &[String::new()]),
            10 => site.cp.hang_up(terminal.id),
            11 => site.cp.set_cp_read(&vmdbk, random.one_in(2)),
            12 if random.one_in(4) => logon::log_off(&site.cp, &vmdbk, logon::Reason::LogOff),
            12 | 13 => {
                // Another terminal, at which the user logs on, or comes back to what was left.
                let terminal = site.connect();
                site.cp.key(terminal.id, Key::Enter, &[vmdbk.userid.clone(), String::new(), String::new()]);
                match site.cp.owner(&terminal) {
                    Some(owner) => site.seats[n] = (owner, terminal),
                    None => site.cp.hang_up(terminal.id),
                }
            }
            14 => site.pass(random.below(5)),
            _ => {
                if let Some(at) = site.cp.deadline() {
                    site.clock.set(at);
                }
            }
        }
        let walk = site.walk();
        assert_eq!(site.cp.deadline(), walk, "step {step}");
        due += usize::from(walk.is_some());
        while site.cp.deadline().is_some_and(|at| at <= site.cp.now()) {
            site.cp.tick();
            ticks += 1;
        }
    }
    println!("{due} of 20,000 steps with something due, {ticks} ticks");
    assert!(due > 10_000 && ticks > 1000);
}
