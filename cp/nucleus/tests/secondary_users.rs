//! Secondary users: which user sees the output of a disconnected one, and that it goes no further.

mod system;
mod time;

use consoles::display::Tone;
use consoles::terminal::{Kind, Terminal};
use nucleus::logon;
use nucleus::system::Cp;
use std::collections::BTreeSet;
use std::sync::Arc;
use time::Time;
use virtualmachine::vmdbk::Vmdbk;

/// How often [`Cp::tick`] may be called before nothing is due any more.
const TICKS: usize = 1;

/// How users come by their secondary users.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Directory,
    Command,
}

/// Users at typewriters, and what each has for a secondary user.
struct Site {
    cp: Cp,
    operator: Arc<Terminal>,
    secondary: Vec<Option<usize>>,
    /// All terminals that each user has had, the latest last.
    terminals: Vec<Vec<Arc<Terminal>>>,
    connected: BTreeSet<usize>,
}

fn name(user: usize) -> String {
    format!("U{user}")
}

fn lines(terminal: &Terminal) -> Vec<String> {
    terminal.take_output().lines().map(str::to_string).collect()
}

/// What a user has to read, in the order in which [`Site::produce`] makes it.
fn produced(user: usize) -> [String; 4] {
    let userid = name(user);
    [
        format!("response for {userid}"),
        format!("line of {userid}"),
        format!("08:00:00  * MSG FROM {userid:<8} : self of {userid}"),
        format!("note for {userid}"),
    ]
}

/// What the secondary user sees of it.
fn passed_on(user: usize) -> Vec<String> {
    produced(user).iter().map(|line| format!("{:<8}: {line}", name(user))).collect()
}

impl Site {
    /// Users of whom those in `connected` have a terminal.
    fn new(secondary: &[Option<usize>], connected: &BTreeSet<usize>, way: Way) -> Site {
        let users = secondary.iter().enumerate().map(|(user, secondary)| {
            let console = secondary.filter(|_| way == Way::Directory).map_or(String::new(), name);
            format!("USER {} NOPASS 1M 1M G\n CONSOLE 009 3215 T {console}\n", name(user))
        });
        let operator = "USER OPERATOR NOPASS 1M 1M ABCDEG\n CONSOLE 009 3215 T\n".to_string();
        let text: String = users.chain([operator]).collect();
        let cp = system::system(&text, None, Arc::new(Time::default()));
        let operator = cp.connect(Kind::Typewriter, None, "", true);
        cp.start(Some(&operator));
        let all: BTreeSet<usize> = (0..secondary.len()).collect();
        let terminals = vec![Vec::new(); secondary.len()];
        let mut site = Site { cp, operator, secondary: secondary.to_vec(), terminals, connected: BTreeSet::new() };
        for &user in &all {
            site.log_on(user);
            if let Some(secondary) = secondary[user].filter(|_| way == Way::Command) {
                site.enter(user, &format!("set secuser {}", name(secondary)));
            }
        }
        for &user in all.difference(connected) {
            site.enter(user, "disconnect");
            site.connected.remove(&user);
        }
        site.settle();
        site.drain();
        site
    }

    fn vmdbk(&self, user: usize) -> Option<Arc<Vmdbk>> {
        self.cp.vmdbk(&name(user))
    }

    fn enter(&self, user: usize, line: &str) {
        self.cp.line(self.terminals[user].last().expect("the user has a terminal").id, line);
    }

    /// LOGON at another terminal: a new virtual machine, or the one that is disconnected.
    fn log_on(&mut self, user: usize) {
        let terminal = self.cp.connect(Kind::Typewriter, None, "", true);
        self.terminals[user].push(terminal);
        self.enter(user, &format!("logon {}", name(user)));
        assert!(!self.vmdbk(user).expect("it is logged on").is_disconnected());
        self.connected.insert(user);
    }

    fn log_off(&mut self, user: usize) {
        logon::log_off(&self.cp, &self.vmdbk(user).expect("it is logged on"), logon::Reason::LogOff);
        self.connected.remove(&user);
    }

    /// Output of CP's and of the guest's.
    fn print(&self, user: usize) {
        let Some(vmdbk) = self.vmdbk(user) else { return };
        let [response, line, ..] = produced(user);
        vmdbk.write(&response, Tone::Normal, self.cp.now());
        vmdbk.console().print(&format!("{line}\n"), self.cp.now());
    }

    /// Output of every kind, of each user who is logged on.
    fn produce(&self) {
        let operator = self.cp.vmdbk("OPERATOR").expect("the operator is there");
        for user in 0..self.secondary.len() {
            let Some(vmdbk) = self.vmdbk(user) else { continue };
            self.print(user);
            self.cp.console_command(&vmdbk, &format!("msg * self of {}", name(user)));
            self.cp.console_command(&operator, &format!("msgnoh {0} note for {0}", name(user)));
        }
    }

    /// Does what is due, until nothing is.
    fn settle(&self) {
        let due = || self.cp.deadline().is_some_and(|at| at <= self.cp.now());
        (0..TICKS).take_while(|_| due()).for_each(|_| self.cp.tick());
        assert!(!due(), "something is still due");
    }

    /// What each user's terminals show since they were last looked at.
    fn drain(&self) -> Vec<Vec<String>> {
        self.terminals.iter().map(|terminals| terminals.iter().flat_map(|terminal| lines(terminal)).collect()).collect()
    }

    /// The user who gets a user's output by the rule: another user with a terminal, while this one has none.
    fn receiver(&self, user: usize) -> Option<usize> {
        let disconnected = self.vmdbk(user).is_some() && !self.connected.contains(&user);
        self.secondary[user].filter(|secondary| disconnected && self.connected.contains(secondary))
    }

    /// What all terminals show of new output is what the rule says.
    fn check(&self) {
        lines(&self.operator);
        self.produce();
        self.settle();
        let (mut shown, mut refused) = (vec![Vec::new(); self.secondary.len()], Vec::new());
        for &user in &self.connected {
            shown[user].extend(produced(user));
        }
        let mut primaries: Vec<_> =
            (0..self.secondary.len()).filter_map(|user| Some((self.vmdbk(user)?.id, user))).collect();
        for &(_, user) in &primaries {
            if self.receiver(user).is_none() && !self.connected.contains(&user) {
                refused.push(format!("HCPMSG057I {} not receiving; disconnected", name(user)));
            }
        }
        // Output is passed on in the order in which users logged on.
        primaries.sort();
        for (_, user) in primaries {
            if let Some(receiver) = self.receiver(user) {
                shown[receiver].extend(passed_on(user));
            }
        }
        assert_eq!(self.drain(), shown);
        assert_eq!(lines(&self.operator), refused, "the sender of a message is told if nobody sees it");
    }
}

/// All sets of the first `users` users.
fn subsets(users: usize) -> impl Iterator<Item = BTreeSet<usize>> {
    (0..1 << users).map(move |mask: u32| (0..users).filter(|user| mask >> user & 1 != 0).collect())
}

fn ring(users: usize) -> Vec<Option<usize>> {
    (0..users).map(|user| Some((user + 1) % users)).collect()
}

#[test]
fn a_ring_of_secondary_users_settles() {
    let mut cases = 0;
    for users in 1..=5 {
        for connected in subsets(users) {
            for way in [Way::Directory, Way::Command] {
                println!("ring of {users}, connected {connected:?}, {way:?}");
                Site::new(&ring(users), &connected, way).check();
                cases += 1;
            }
        }
    }
    println!("{cases} cases");
    assert_eq!(cases, 124);
}

#[test]
fn whatever_secondary_users_three_users_have() {
    let mut cases = 0;
    for choice in 0..4_usize.pow(3) {
        let secondary: Vec<_> = (0..3).map(|user| (choice / 4_usize.pow(user) % 4).checked_sub(1)).collect();
        for connected in subsets(3) {
            println!("{secondary:?}, connected {connected:?}");
            Site::new(&secondary, &connected, Way::Directory).check();
            cases += 1;
        }
    }
    println!("{cases} cases");
    assert_eq!(cases, 512);
}

/// What a user may do while output waits for the secondary user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Disconnect,
    HangUp,
    LogOff,
    LogOffAndOn,
    /// LOGON HERE at another terminal, or LOGON if disconnected.
    Move,
}

#[test]
fn users_who_come_and_go_while_output_waits() {
    use Change::*;
    let mut cases = 0;
    for users in 1..=5 {
        for connected in subsets(users) {
            for user in 0..users {
                for change in [Disconnect, HangUp, LogOff, LogOffAndOn, Move] {
                    let there = connected.contains(&user);
                    if !there && matches!(change, Disconnect | HangUp) {
                        continue;
                    }
                    println!("ring of {users}, connected {connected:?}, {} does {change:?}", name(user));
                    let mut site = Site::new(&ring(users), &connected, Way::Directory);
                    (0..users).for_each(|user| site.print(user));
                    site.drain();
                    let waited: Vec<_> = (0..users)
                        .map(|user| (user, site.secondary[user]))
                        .filter(|(user, _)| !connected.contains(user))
                        .collect();
                    match change {
                        Disconnect | HangUp => {
                            match change {
                                Disconnect => site.enter(user, "disconnect"),
                                _ => site.cp.hang_up(site.terminals[user].last().unwrap().id),
                            }
                            site.connected.remove(&user);
                        }
                        LogOff => site.log_off(user),
                        LogOffAndOn => {
                            site.log_off(user);
                            site.log_on(user);
                        }
                        Move => {
                            if there {
                                site.enter(user, "disconnect");
                            }
                            site.log_on(user);
                        }
                    }
                    site.settle();
                    // A user who logs off has nothing waiting any more: that went first.
                    let mut expected = vec![Vec::new(); users];
                    for (primary, secondary) in waited {
                        let left = primary == user && matches!(change, LogOff | LogOffAndOn);
                        let reading = if left { &connected } else { &site.connected };
                        if let Some(secondary) = secondary.filter(|other| *other != primary && reading.contains(other))
                        {
                            expected[secondary].extend_from_slice(&passed_on(primary)[..2]);
                        }
                    }
                    let mut shown = site.drain();
                    let parting = |line: &String| line.contains(": CONNECT= ") || line.contains(": LOGOFF AT ");
                    let partings = shown.iter().flatten().filter(|line| parting(line)).count();
                    shown.iter_mut().for_each(|lines| {
                        lines.retain(|line| line.contains(": ") && line.starts_with('U') && !parting(line))
                    });
                    assert_eq!(shown, expected);
                    let seen = !there && users > 1 && connected.contains(&((user + 1) % users));
                    let seen = seen && matches!(change, LogOff | LogOffAndOn);
                    assert_eq!(partings, if seen { 2 } else { 0 }, "the last lines of a user who leaves");
                    site.check();
                    cases += 1;
                }
            }
        }
    }
    println!("{cases} cases");
    assert!(cases > 1000);
}

#[test]
fn what_waits_goes_to_the_secondary_user_it_was_for() {
    let site = Site::new(&[Some(1), None, None], &BTreeSet::from([1, 2]), Way::Directory);
    let vmdbk = site.vmdbk(0).expect("it is logged on");
    let write = |text: &str| vmdbk.write(text, Tone::Normal, site.cp.now());
    write("for the first");
    site.cp.console_command(&vmdbk, "set secuser u2");
    write("for the second");
    site.cp.console_command(&vmdbk, "set secuser off");
    write("for nobody");
    site.cp.console_command(&vmdbk, "set secuser u0");
    write("for itself");
    site.cp.console_command(&vmdbk, "query secuser");
    site.settle();
    let shown = site.drain();
    assert_eq!(
        shown,
        [vec![], vec!["U0      : for the first".to_string()], vec!["U0      : for the second".to_string()]]
    );
}

#[test]
fn a_user_who_writes_without_end_does_not_drown_the_secondary_user() {
    let site = Site::new(&ring(2), &BTreeSet::from([1]), Way::Directory);
    let (vmdbk, terminal) = (site.vmdbk(0).expect("it is logged on"), &site.terminals[1][0]);
    for _ in 0..200 {
        (0..2000).for_each(|_| vmdbk.write(&"x".repeat(70), Tone::Normal, site.cp.now()));
        site.settle();
    }
    assert!((1000..4000).contains(&terminal.backlog()), "{} rows wait", terminal.backlog());
}

#[test]
fn a_secondary_user_is_in_the_directory() {
    let site = Site::new(&[None, None], &BTreeSet::from([0, 1]), Way::Directory);
    let answers = |line: &str| {
        site.enter(0, line);
        site.drain().swap_remove(0)
    };
    assert!(answers("set secuser u1").is_empty());
    assert_eq!(answers("set secuser nobody"), ["HCPSET053E NOBODY not in CP directory"]);
    assert_eq!(answers("query secuser"), ["SECUSER of U0 is U1"]);
    assert!(answers("set secuser u0").is_empty());
    assert_eq!(answers("query secuser"), ["SECUSER of U0 is U0"]);
    assert!(answers("set secuser off").is_empty());
    assert_eq!(answers("query secuser"), ["SECUSER of U0 is not set"]);
}
