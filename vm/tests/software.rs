//! Programs of others in a Debian that uses the network: packages from a repository of the host's, git, pip, datagrams,
//! containers. What the system does not have is left out, and named.
//!
//! It wants a system of `endicott debian`, which takes minutes to make. So the test runs where ENDICOTT_SYSTEM names
//! one by the path of its disk without `.3390`. Its disk is only read. Of the host it wants git and Python.
//!
//!     endicott debian ~/demo --package git --package python3-pip --package hello
//!     (for containers also podman, crun, containernetworking-plugins and iptables)
//!     ENDICOTT_SYSTEM=~/demo cargo test --profile checked --workspace --test software -- --nocapture

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use support::endicott;

/// The host, as the guest sees it.
const HOST: &str = "10.0.2.2";
/// How long the two ends wait for each other.
const PATIENCE: Duration = Duration::from_secs(20);

/// A guest in the background, and a folder that the host serves.
struct Scene {
    folder: PathBuf,
    server: Child,
    port: u16,
    /// The host's port that leads to the guest's port 8080.
    published: u16,
}

impl Scene {
    fn begin(disk: &Path) -> Scene {
        let folder = std::env::temp_dir().join(format!("endicott-software-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("served")).expect("a folder for the test");
        let doors = [(); 2].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port"));
        let [port, published] = doors.map(|door| door.local_addr().expect("it has one").port());
        let mut server = Command::new("python3");
        server.args(["-m", "http.server", "--bind", "127.0.0.1", &port.to_string()]);
        let server = server.current_dir(folder.join("served")).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let scene = Scene { folder, server: server.expect("the host has Python"), port, published };
        let mut start = scene.program(&["linux", "--name", "software", "--detach", "--scratch", "--host-access"]);
        start.args(["--cpus", "2", "--memory", "1G", "--publish", &format!("{published}:8080")]).arg(disk);
        let output = start.output().expect("endicott starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        scene
    }

    fn program(&self, words: &[&str]) -> Command {
        let mut command = endicott();
        command.args(words).stdin(Stdio::null());
        command
    }

    /// What a command says in the guest, which must succeed.
    fn guest(&self, command: &str) -> String {
        said(self.program(&["ssh", "software", command]).output().expect("endicott starts"), command)
    }

    /// What a command of the host says in the served folder.
    fn host(&self, command: &str) -> String {
        let output = Command::new("sh").args(["-ec", command]).current_dir(self.folder.join("served")).output();
        said(output.expect("the host has a shell"), command)
    }

    /// An address in the served folder.
    fn address(&self) -> String {
        format!("http://{HOST}:{}", self.port)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = self.program(&["stop", "--now", "software"]).output();
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn said(output: Output, command: &str) -> String {
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command}: {said}");
    said
}

/// A program of the system, and what is done with it.
type Part = (&'static str, fn(&Scene));

#[test]
fn programs_use_the_network() {
    let Some(disk) = std::env::var_os("ENDICOTT_SYSTEM").map(PathBuf::from) else {
        println!("skipped: it wants a system of `endicott debian` (ENDICOTT_SYSTEM names its disk without .3390)");
        return;
    };
    let began = Instant::now();
    let scene = Scene::begin(&disk);
    assert_eq!(scene.guest("uname -m"), "s390x\n");
    println!("ssh has answered after {:.1?}", began.elapsed());
    let parts: [Part; 5] = [
        ("podman", containers),
        ("apt-get", packages),
        ("git", git),
        ("pip", pip),
        ("python3", |scene| datagrams(scene, 10)),
    ];
    for (program, part) in parts {
        match scene.guest(&format!("command -v {program} || echo none")).as_str() {
            "none\n" => println!("left out: the system has no {program}"),
            _ => part(&scene),
        }
    }
}

/// A package is installed from a repository that the host serves, made of one that the guest has (P-04).
fn packages(scene: &Scene) {
    scene.guest(
        "mkdir -p made/DEBIAN made/usr/bin && cd made && printf '#!/bin/sh\\necho it is here\\n' > usr/bin/its-here && \
         chmod 755 usr/bin/its-here && printf 'Package: its-here\\nVersion: 1\\nArchitecture: all\\nMaintainer: a\\n\
         Description: a test\\n' > DEBIAN/control && cd .. && dpkg-deb -b made its-here.deb",
    );
    let copied = scene.program(&["cp", "software:its-here.deb"]).arg(scene.folder.join("served")).output();
    said(copied.expect("endicott starts"), "cp");
    scene.host(
        "{ printf 'Package: its-here\\nVersion: 1\\nArchitecture: all\\nMaintainer: a\\nDescription: a test\\n'
           echo Filename: ./its-here.deb
           echo Size: $(stat -c %s its-here.deb)
           echo SHA256: $(sha256sum its-here.deb | cut -d' ' -f1); } > Packages",
    );
    let source = format!("deb [trusted=yes] {}/ ./", scene.address());
    scene.guest(&format!(
        "echo '{source}' > /etc/apt/sources.list && apt-get -q update && apt-get -q -y install its-here"
    ));
    assert_eq!(scene.guest("its-here"), "it is here\n");
}

/// A container of an image that was loaded reaches the host through its bridge, and is reached at a port of the guest,
/// from there and from the host (P-09). The image has programs of the guest's own: registries are not asked.
fn containers(scene: &Scene) {
    scene.host("echo from the host > word");
    scene.guest(
        "set -e; mkdir box; cp -rL --parents /usr/bin/perl /usr/lib/s390x-linux-gnu/perl-base box
         for file in /bin/bash /bin/cat /bin/uname; do
           cp -L --parents $file $(ldd $file /usr/bin/perl | grep -o '/lib[^ ]*') box; done
         tar -C box -c . | podman import -q - localhost/box
         podman save -q --format oci-archive -o box.tar localhost/box
         podman rmi -f localhost/box; podman load -q -i box.tar",
    );
    let run = "podman run --rm localhost/box /bin/bash -c";
    assert_eq!(scene.guest(&format!("{run} '/bin/uname -m'")), "s390x\n");
    let port = scene.port;
    let answer = scene.guest(&format!(
        "{run} 'exec 3<>/dev/tcp/{HOST}/{port}; printf \"GET /word HTTP/1.0\\r\\n\\r\\n\" >&3; /bin/cat <&3'"
    ));
    assert!(answer.ends_with("\r\n\r\nfrom the host\n"), "{answer}");
    scene.guest(
        "podman run -d --name web -p 8080:80 localhost/box /usr/bin/perl -e '
           use IO::Socket::INET;
           $door = IO::Socket::INET->new(LocalPort => 80, Listen => 5) or die;
           while ($caller = $door->accept) { print $caller \"from a container\\n\"; close $caller }'",
    );
    let call = "for n in 1 2 3 4 5 6 7 8 9; do cat < /dev/tcp/127.0.0.1/8080 && break; sleep 1; done";
    assert_eq!(scene.guest(&format!("bash -c '{call}' 2>/dev/null")), "from a container\n");
    let mut answer = String::new();
    let call = TcpStream::connect((Ipv4Addr::LOCALHOST, scene.published)).expect("the port is published");
    call.set_read_timeout(Some(PATIENCE)).expect("it is a socket");
    BufReader::new(call).read_line(&mut answer).expect("the container answers");
    assert_eq!(answer, "from a container\n");
    scene.guest("podman rm -f -t 0 web");
}

/// A repository of git's is cloned, whole (P-09).
fn git(scene: &Scene) {
    scene.host(
        "git init -q work && cd work && for n in $(seq 500); do echo $n $n > file$n; done && git add . && \
         git -c user.name=a -c user.email=a@b commit -q -m all && cd .. && git clone -q --bare work all.git && \
         git -C all.git update-server-info",
    );
    let head = scene.host("git -C all.git rev-parse HEAD");
    let address = scene.address();
    assert_eq!(scene.guest(&format!("git clone -q {address}/all.git all && git -C all rev-parse HEAD")), head);
    assert_eq!(scene.guest("git -C all fsck --no-progress && ls all | wc -l").trim(), "500");
}

/// A wheel is installed from a folder that the host serves.
fn pip(scene: &Scene) {
    scene.host(
        "python3 -c \"
import zipfile
with zipfile.ZipFile('wheeled-1.0-py3-none-any.whl', 'w') as wheel:
    about = 'wheeled-1.0.dist-info/'
    wheel.writestr('wheeled.py', 'word = 6 * 7')
    wheel.writestr(about + 'METADATA', 'Metadata-Version: 2.1\\nName: wheeled\\nVersion: 1.0\\n')
    wheel.writestr(about + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(about + 'RECORD', ''.join(f'{name},,\\n' for name in wheel.namelist()))
\"",
    );
    scene.guest(&format!(
        "pip install -q --root-user-action=ignore --break-system-packages --no-index --trusted-host {HOST} \
         --find-links {}/ wheeled",
        scene.address()
    ));
    assert_eq!(scene.guest("python3 -c 'import wheeled; print(wheeled.word)'"), "42\n");
}

/// So many megabits of datagrams a second, both ways for three seconds: none is lost (P-05). iperf3's own datagrams do
/// not reach a host of another byte order.
fn datagrams(scene: &Scene, megabits: u32) {
    const LENGTH: usize = 1400;
    let count = megabits * 125_000 * 3 / LENGTH as u32;
    let pause = Duration::from_secs(3) / count;
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    socket.set_read_timeout(Some(PATIENCE)).expect("it is a socket");
    let port = socket.local_addr().expect("it has one").port();
    let script = format!(
        "
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(('{HOST}', {port}))
s.send(b'hello')
s.settimeout(2)
came = 0
try:
    while True:
        came += len(s.recv(2000)) == {LENGTH}
except socket.timeout:
    pass
began = time.time()
for n in range({count}):
    s.send(bytes({LENGTH}))
    while time.time() - began < n * 3 / {count}:
        time.sleep(0.0005)
s.send(b'%d' % came)
"
    );
    let mut guest =
        scene.program(&["ssh", "software", "python3", "-"]).stdin(Stdio::piped()).spawn().expect("it starts");
    guest.stdin.take().expect("it is piped").write_all(script.as_bytes()).expect("it listens");
    let mut bytes = [0; 2000];
    let (_, to) = socket.recv_from(&mut bytes).expect("the guest begins");
    let began = Instant::now();
    for n in 0..count {
        socket.send_to(&[0; LENGTH], to).expect("the host sends");
        thread::sleep((pause * n).saturating_sub(began.elapsed()));
    }
    let mut came = 0;
    let there = loop {
        match socket.recv(&mut bytes).expect("the guest ends") {
            LENGTH => came += 1,
            short => break String::from_utf8_lossy(&bytes[..short]).into_owned(),
        }
    };
    assert!(guest.wait().expect("it ends").success());
    println!("{megabits} Mb/s: {came} and {there} of {count} datagrams");
    assert_eq!((came, there), (count, count.to_string()));
}
