//! `endicott linux --net user`: Debian's kernel with a network card, under CP, and the host at the other end.

mod support;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use support::{endicott, guest, shell};

/// What the guest serves, and how much the host does.
const PAGE: &str = "a page of the guest\n";
const FILE: usize = 3_000_000;

/// The modules, and an address by DHCP.
const BEGIN: &str = r#"
for name in failover net_failover virtio_net; do insmod /modules/$name.ko; done
cat > /bin/dhcp << 'END'
#!/bin/sh
[ "$1" = bound ] && ip addr add $ip/$mask dev eth0 && ip route add default via $router && echo LEASE $ip $router $dns
END
chmod +x /bin/dhcp
ip link set lo up; ip link set eth0 up
udhcpc -i eth0 -n -q -s /bin/dhcp
cd /sys/bus/ccw/devices/0.0.1000
address=$(cat net/eth0/address 2>/dev/null || cat virtio0/net/eth0/address)
echo DEVICE $(cat cutype devtype online) $(cat virtio0/status) $address
cd /
"#;

fn byte(n: usize) -> u8 {
    (n % 251) as u8 ^ (n >> 11) as u8
}

/// One request for a page, and all that comes.
fn fetch(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    stream.write_all(b"GET /page HTTP/1.0\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    (!answer.is_empty()).then_some(answer)
}

/// A server of the host that answers one guest, after it has got the guest's own page.
fn serve(listener: &TcpListener, published: u16) -> String {
    let (mut stream, _) = listener.accept().expect("the guest comes");
    let mut request = [0; 1024];
    let length = stream.read(&mut request).expect("it asks");
    assert!(request[..length].starts_with(b"GET /file"), "{}", String::from_utf8_lossy(&request[..length]));
    let began = Instant::now();
    let page = loop {
        if let Some(page) = fetch(published) {
            break page;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "the guest serves nothing");
        thread::sleep(Duration::from_millis(100));
    };
    let file: Vec<u8> = (0..FILE).map(byte).collect();
    write!(stream, "HTTP/1.0 200 OK\r\nContent-Length: {FILE}\r\n\r\n").expect("the guest listens");
    stream.write_all(&file).expect("the guest listens");
    page
}

#[test]
fn a_guest_reaches_the_host_and_the_host_the_guest() {
    let Some(guest) = guest() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").expect("the host has a port");
    let here = listener.local_addr().expect("it is bound").port();
    // A port that is free now.
    let published =
        TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("another").port();
    let capture = std::env::temp_dir().join(format!("endicott-network-{}.pcapng", std::process::id()));
    let script = format!(
        "{BEGIN}
printf '{}' > /tmp/page; httpd -p 80 -h /tmp
wget -q -O /tmp/file http://10.0.2.2:{here}/file; echo FILE $(wc -c < /tmp/file) $(md5sum < /tmp/file)
ping -c 20 -i 0.05 10.0.2.2
ping -c 3 -i 0.05 -s 8000 10.0.2.2
ip -6 addr show dev eth0 scope global | grep -c fd00:
wget -q -T 3 -O /dev/null http://10.0.2.2:1/ || echo REFUSED
grep -E 'VIR|VAI' /proc/interrupts
echo ERRORS $(cat /sys/class/net/eth0/statistics/*_errors)
poweroff -f
",
        PAGE.replace('\n', "\\n")
    );
    let (ports, file) = (format!("{published}:80"), capture.display().to_string());
    let words = ["--net", "user", "--host-access", "--publish", &ports, "--capture", &file, "--cpus", "2"];
    let server = thread::spawn(move || serve(&listener, published));
    let said = shell(&guest, &words, script.as_bytes());
    let page = server.join().unwrap_or_else(|_| panic!("{said}"));
    assert!(page.starts_with("HTTP/1.") && page.ends_with(PAGE), "{page:?}");
    let sum = md5(&(0..FILE).map(byte).collect::<Vec<u8>>());
    for expected in [
        "LEASE 10.0.2.15 10.0.2.2 10.0.2.3",
        // The driver has put it on line by itself, and is ready.
        "DEVICE 3832/01 n/a 1 0x0000000f 02:00:00:00:00:01",
        &format!("FILE {FILE} {sum}"),
        "20 packets transmitted, 20 packets received, 0% packet loss",
        "3 packets transmitted, 3 packets received, 0% packet loss",
        "REFUSED",
        "ERRORS 0 0 0 0",
    ] {
        assert!(said.contains(expected), "no {expected}: {said}");
    }
    // The capture has blocks from its beginning to its end, and more than the file in them.
    let bytes = fs::read(&capture).expect("it was written");
    fs::remove_file(&capture).expect("the file is ours");
    let (mut at, mut blocks) = (0, 0);
    while at < bytes.len() {
        let length = u32::from_be_bytes(bytes[at + 4..at + 8].try_into().expect("four bytes")) as usize;
        assert_eq!(bytes[at + length - 4..at + length], bytes[at + 4..at + 8]);
        (at, blocks) = (at + length, blocks + 1);
    }
    assert!(blocks > 100 && bytes.len() > FILE, "{blocks} blocks, {} bytes", bytes.len());
}

/// The sum as `md5sum` prints it, by the host's program.
fn md5(bytes: &[u8]) -> String {
    let mut child = std::process::Command::new("md5sum")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host has md5sum");
    child.stdin.take().expect("it is piped").write_all(bytes).expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&output.stdout).split_whitespace().next().expect("a sum").to_owned()
}

/// What one of two guests does, at its end of a stream between two processes.
fn at_a_stream(own: &str, other: &str, then: &str) -> String {
    format!(
        "for name in failover net_failover virtio_net; do insmod /modules/$name.ko; done
ip link set lo up; ip link set eth0 up; ip addr add {own}/24 dev eth0
echo ADDRESS $(cat /sys/class/net/eth0/address)
for i in $(seq 60); do ping -c 1 -W 1 {other} > /dev/null && break; done
{then}
poweroff -f
"
    )
}

#[test]
fn two_guests_of_two_processes_are_on_one_network() {
    let Some(guest) = guest() else { return };
    let place = std::env::temp_dir().join(format!("endicott-stream-{}.socket", std::process::id()));
    let place = place.display().to_string();
    // The first serves a file, until the second has gone.
    let serves = "head -c 3000000 /dev/urandom > /tmp/file; echo SUM $(md5sum < /tmp/file); httpd -p 80 -h /tmp
while ping -c 1 -W 5 10.4.4.2 > /dev/null; do sleep 0.2; done";
    let takes = "ping -c 20 -i 0.05 10.4.4.1
for i in $(seq 60); do wget -q -O /tmp/got http://10.4.4.1/file && break; sleep 0.5; done
echo SUM $(md5sum < /tmp/got)";
    let (one, two) = thread::scope(|scope| {
        let one = scope.spawn(|| {
            let words = ["--net", &format!("listen:unix:{place}")];
            shell(&guest, &words, at_a_stream("10.4.4.1", "10.4.4.2", serves).as_bytes())
        });
        let began = Instant::now();
        while !std::path::Path::new(&place).exists() {
            assert!(began.elapsed() < Duration::from_secs(60), "nothing listens");
            thread::sleep(Duration::from_millis(50));
        }
        let words = ["--net", &format!("call:unix:{place}"), "--mac", "02:00:00:00:00:09"];
        let two = shell(&guest, &words, at_a_stream("10.4.4.2", "10.4.4.1", takes).as_bytes());
        (one.join().expect("the first ends"), two)
    });
    let line = |said: &str, word: &str| said.lines().find(|line| line.starts_with(word)).map(str::to_owned);
    assert!(two.contains("20 packets transmitted, 20 packets received, 0% packet loss"), "{two}");
    assert_eq!(line(&two, "ADDRESS").as_deref(), Some("ADDRESS 02:00:00:00:00:09"), "{two}");
    let own = line(&one, "ADDRESS 02:").unwrap_or_else(|| panic!("{one}"));
    assert_ne!(own, "ADDRESS 02:00:00:00:00:01", "an address of its own");
    let sum = line(&one, "SUM ");
    assert!(sum.is_some() && sum == line(&two, "SUM "), "{one}{two}");
}

#[test]
fn what_cannot_be_is_said() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("the host has a port");
    let port = taken.local_addr().expect("it is bound").port();
    let kernel = std::env::temp_dir().join(format!("endicott-no-kernel-{}", std::process::id()));
    let disk = kernel.display().to_string();
    for (words, why) in [
        (vec!["--net", "bridge"], "invalid value 'bridge'"),
        (vec!["--publish", "80"], "is not [ADDRESS:]HOST:GUEST[/udp]"),
        (vec!["--publish", "99999:80"], "is not a port"),
        (vec!["--net", "none", "--publish", "8080:80"], "--publish wants a network: --net user"),
        (vec!["--net", "none", "--capture", "x"], "--capture wants a network: --net user"),
        (vec!["--net", "none", "--host-access"], "--host-access wants a network: --net user"),
        (vec!["--net", "none", "--mac", "02:00:00:00:00:09"], "--mac wants a network: --net user"),
        (vec!["--net", "tap:x", "--publish", "8080:80"], "--publish is for --net user and --net passt"),
        (vec!["--net", "listen:unix:/tmp/x", "--host-access"], "--host-access is for --net user and --net passt"),
        (vec!["--net", "bridge"], "the kinds are user, none, passt, tap:NAME, listen:PLACE and call:PLACE"),
        (vec!["--net", "tap:a/b"], "is no name of an interface: 1 to 15 characters"),
        (vec!["--net", "call:/tmp/x"], "is neither unix:PATH nor tcp:ADDRESS:PORT"),
        (vec!["--net", "user", "--mac", "03:00:00:00:00:01"], "an address of one card is six bytes"),
        (vec!["--net", "user", "--mac", "02"], "an address of one card is six bytes"),
    ] {
        let output = endicott().args(["linux", "--disk", &disk]).args(&words).output().expect("endicott starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(why) && !output.status.success(), "{words:?}: {said}");
    }
    let output = endicott().args(["debian", &disk, "--net", "user"]).output().expect("endicott starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("--net is for a system that runs: --run"), "{said}");
    let Some(guest) = guest() else { return };
    let mut command = endicott();
    command.args(["linux", "--publish", &format!("{port}:80"), "--kernel"]).arg(&guest.kernel);
    let output = command.stdin(Stdio::null()).output().expect("endicott starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(&format!("port {port} of 127.0.0.1 cannot be published")), "{said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
}
