//! A debugger of a Linux guest: packets of GDB's remote protocol as they are sent, and GDB itself where it is
//! installed.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use support::{Guest, SHELL, endicott, guest};

const LIMIT: Duration = Duration::from_secs(240);

/// A guest with two CPUs that waits for a debugger.
struct Debugged {
    child: Child,
    keyboard: ChildStdin,
    said: Receiver<u8>,
    heard: String,
    port: u16,
}

impl Debugged {
    fn start(guest: &Guest) -> Debugged {
        let mut child = endicott()
            .args(["linux", "--memory", "512M", "--cpus", "2", "--append", SHELL])
            .args(["--gdb", "0", "--gdb-wait", "--kernel"])
            .arg(&guest.kernel)
            .arg("--initrd")
            .arg(&guest.initrd)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("endicott starts");
        let mut line = String::new();
        let mut errors = BufReader::new(child.stderr.take().expect("it is piped"));
        // Before it there is what the console begins with.
        while !line.contains("a debugger is served at ") {
            assert_ne!(errors.read_line(&mut line).expect("it says where debuggers are served"), 0, "{line}");
        }
        let port = line.split("127.0.0.1:").nth(1).and_then(|rest| rest.split(';').next()).map(str::parse);
        let Some(Ok(port)) = port else { panic!("{line}") };
        thread::spawn(move || std::io::copy(&mut errors, &mut std::io::stderr()));
        let (sender, said) = channel();
        let output = child.stdout.take().expect("it is piped");
        thread::spawn(move || {
            BufReader::new(output).bytes().map_while(Result::ok).try_for_each(|byte| sender.send(byte))
        });
        let keyboard = child.stdin.take().expect("it is piped");
        Debugged { child, keyboard, said, heard: String::new(), port }
    }

    /// What the console prints up to a mark.
    fn until(&mut self, mark: &str) -> String {
        let began = Instant::now();
        while !self.heard.ends_with(mark) {
            match self.said.recv_timeout(LIMIT.saturating_sub(began.elapsed())) {
                Ok(byte) => self.heard.push(byte.into()),
                Err(_) => panic!("no {mark} in:\n{}", self.heard),
            }
        }
        std::mem::take(&mut self.heard)
    }

    fn enter(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).expect("endicott listens");
    }
}

impl Drop for Debugged {
    fn drop(&mut self) {
        // One that has ended is no worse for it, and one whose test has failed would wait for a debugger for ever.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The debugger's end of the protocol.
struct Client(TcpStream);

impl Client {
    fn connect(port: u16) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("debuggers are served there");
        stream.set_read_timeout(Some(LIMIT)).expect("a time that is not zero");
        stream.set_nodelay(true).expect("TCP has it");
        let mut client = Client(stream);
        assert!(client.ask("qSupported:swbreak+;hwbreak+;vContSupported+").contains("qXfer:features:read+"));
        client
    }

    fn send(&mut self, packet: &str) {
        let sum = packet.bytes().fold(0u8, u8::wrapping_add);
        self.0.write_all(format!("${packet}#{sum:02x}").as_bytes()).expect("the stub listens");
    }

    fn byte(&mut self) -> u8 {
        let mut byte = [0];
        self.0.read_exact(&mut byte).expect("the stub answers");
        byte[0]
    }

    /// The next packet, which is acknowledged.
    fn receive(&mut self) -> String {
        while self.byte() != b'$' {}
        let (mut packet, mut sum) = (Vec::new(), 0u8);
        loop {
            let byte = self.byte();
            match byte {
                b'#' => break,
                // A count of repetitions.
                b'*' => {
                    let count = self.byte();
                    sum = sum.wrapping_add(byte).wrapping_add(count);
                    let last = *packet.last().expect("something is repeated");
                    packet.extend(vec![last; usize::from(count) - 29]);
                    continue;
                }
                _ => packet.push(byte),
            }
            sum = sum.wrapping_add(byte);
        }
        let told = [self.byte(), self.byte()];
        assert_eq!(told, format!("{sum:02x}").as_bytes(), "{packet:?}");
        self.0.write_all(b"+").expect("the stub listens");
        String::from_utf8_lossy(&packet).into_owned()
    }

    fn ask(&mut self, packet: &str) -> String {
        self.send(packet);
        self.receive()
    }

    fn number(&mut self, packet: &str) -> u64 {
        let answer = self.ask(packet);
        u64::from_str_radix(&answer, 16).unwrap_or_else(|_| panic!("{packet}: {answer}"))
    }

    /// The PSW's address.
    fn address(&mut self) -> u64 {
        self.number("p1")
    }

    fn does(&mut self, packet: &str) {
        assert_eq!(self.ask(packet), "OK", "{packet}");
    }
}

/// The address that `grep` found in the table of the kernel's names.
fn address_of(name: &str, said: &str) -> u64 {
    let address = |line: &str| {
        let mut words = line.split_whitespace();
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        (words.nth(1) == Some(name)).then_some(address)
    };
    said.lines().find_map(address).unwrap_or_else(|| panic!("no {name} in {said}"))
}

/// GDB looks at the guest before its first instruction, if it is installed.
fn by_gdb(port: u16) {
    let script = [
        "set endian big",
        &format!("target remote 127.0.0.1:{port}"),
        "info threads",
        "info registers pswa cr0",
        "x/2xb 0x10000",
        "stepi",
        "monitor cpus",
        "detach",
    ];
    let words = script.iter().flat_map(|line| ["-ex", line]);
    let gdb = Command::new("gdb-multiarch")
        .args(["-batch", "-nx", "-ex", "set architecture s390:64-bit"])
        .args(words)
        .output();
    let Ok(output) = gdb else {
        println!("skipped: gdb-multiarch is not installed (Debian package of the same name)");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let found = ["CPU 00, operating", "CPU 01, stopped", "0x10000 ", "0xe0 "].iter().all(|text| said.contains(text));
    assert!(found, "{said}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_kernel_is_debugged() {
    let Some(guest) = guest() else { return };
    let mut debugged = Debugged::start(&guest);
    let mut client = Client::connect(debugged.port);
    assert!(client.ask("?").starts_with('T'));
    let description = client.ask("qXfer:features:read:target.xml:0,4000");
    assert!(description.contains("org.gnu.gdb.s390.core"), "{description}");
    assert_eq!(client.ask("qfThreadInfo"), "m01,02");
    // The kernel from files begins at its entry point in the 31-bit mode.
    assert_eq!((client.number("p0"), client.address()), (0x8000_0000, 0x1_0000));
    let first = client.ask("m10000,2");
    assert!(first.len() == 4 && first != "0000", "{first}");
    // Registers: all at once, and one that is changed and put back.
    assert_eq!(client.ask("g").len(), 2 * (8 * 18 + 4 * 16 + 4 + 8 * 16 + 8 * 16 + 16 * 16 + 8 * 16 + 36));
    client.does("P5=00000000deadbeef");
    assert_eq!(client.number("p5"), 0xdead_beef);
    client.does("P5=0000000000000000");
    assert_eq!(client.ask("m7fffffff0000,4").chars().next(), Some('E'), "there is no storage");
    // Nothing of what it does not know harms it.
    assert_eq!(client.ask("qNonsense"), "");
    client.send("vCont;c");
    debugged.until("# ");
    debugged.enter("grep -w do_sys_openat2 /proc/kallsyms; echo END-OF-1");
    let said = debugged.until("\nEND-OF-1\n# ");
    let open = address_of("do_sys_openat2", &said);

    client.0.write_all(&[3]).expect("the stub listens");
    assert!(client.receive().starts_with("T02"));
    client.does(&format!("Z0,{open:x},2"));
    client.send("vCont;c");
    debugged.enter("cat /dev/null; echo END-OF-2");
    let stopped = client.receive();
    assert!(stopped.starts_with("T05") && stopped.contains("swbreak"), "{stopped}");
    assert_eq!(client.address(), open);
    let thread = stopped.split("thread:").nth(1).and_then(|rest| rest.split(';').next()).expect("it names its thread");
    // The text of the guest is as it was: a breakpoint is no instruction.
    let text = client.ask(&format!("m{open:x},6"));
    client.does(&format!("z0,{open:x},2"));
    assert_eq!(client.ask(&format!("m{open:x},6")), text);
    let step = format!("vCont;s:{thread}");
    assert!(client.ask(&step).starts_with("T05"));
    let length = [2, 4, 4, 6][usize::from_str_radix(&text[..1], 16).expect("hexadecimal") >> 2];
    assert_eq!(client.address(), open + length);

    // Functions save the stack's address there, at the end of their caller's area for registers.
    let saved = client.number("p11") + 120;
    // A call before this one may have left the same value, for the next instruction saves it.
    let before = "0".repeat(16);
    client.does(&format!("M{saved:x},8:{before}"));
    client.does(&format!("Z2,{saved:x},8"));
    let watched = client.ask("vCont;c");
    let at = watched.split("watch:").nth(1).and_then(|rest| rest.split(';').next());
    assert_eq!(at.and_then(|at| u64::from_str_radix(at, 16).ok()), Some(saved), "{watched}");
    assert_ne!(client.ask(&format!("m{saved:x},8")), before, "it has been stored into");
    client.does(&format!("z2,{saved:x},8"));
    client.does("D");
    debugged.until("\nEND-OF-2\n# ");
    // Another one comes, and is told of the end.
    let mut client = Client::connect(debugged.port);
    client.send("vCont;c");
    debugged.enter("poweroff -f");
    assert_eq!(client.receive(), "W00");
    assert_eq!(debugged.child.wait().expect("it is ours").code(), Some(0));
}

#[test]
fn gdb_knows_the_guest() {
    let Some(guest) = guest() else { return };
    let mut debugged = Debugged::start(&guest);
    by_gdb(debugged.port);
    // A debugger that breaks off leaves a guest that runs; one that kills it ends it.
    drop(Client::connect(debugged.port));
    let mut client = Client::connect(debugged.port);
    client.send("k");
    assert_eq!(debugged.child.wait().expect("it is ours").code(), Some(130));
}
