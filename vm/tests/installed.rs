//! The Debian package in a Debian of its own: it is installed there, a user without any privilege does what README
//! says, and it is removed. There is no `/dev/kvm`, no `/dev/net`, and no program but those of a minimal Debian.
//!
//! It wants such a Debian in a folder, which is only read, the package, and root to enter the folder. The guest is made
//! of Debian's archive, so it takes seven minutes and the network:
//!
//!     mmdebstrap --variant=apt --include=mount,openssh-client bookworm ~/root
//!     make dist
//!     ENDICOTT_ROOT=~/root ENDICOTT_PACKAGE=cache/dist/endicott_0.1.0_amd64.deb \
//!         cargo test --profile checked --workspace --test installed -- --nocapture

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Enters the root folder $1 with the folder $2 for what is written, and the package $3; then a shell reads commands.
/// The host's own tree is not to be seen from there.
const ENTER: &str = r#"set -e
mkdir -p "$2/upper" "$2/work" "$2/all"
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/all"
cp "$3" "$2/all/root/package.deb"
cd "$2/all"
mount -t proc proc proc
mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty; do : > dev/$name; mount --bind /dev/$name dev/$name; done
mkdir dev/shm; chmod 1777 dev/shm; ln -s /proc/self/fd dev/fd
pivot_root . mnt
umount -l /mnt
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh
"#;
/// What gives up all privilege for a command.
const PLAIN: &str = "setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs --bounding-set=-all \
                     --inh-caps=-all env -i HOME=/home/user PATH=/usr/bin:/bin TERM=dumb";
/// What stands before the exit status of a command.
const DONE: &str = "@@@";

/// A shell of root's in the folder.
struct Inside {
    folder: PathBuf,
    child: Child,
    keys: ChildStdin,
    paper: BufReader<ChildStdout>,
}

impl Inside {
    fn enter(root: &Path, package: &Path) -> Inside {
        let folder = std::env::temp_dir().join(format!("endicott-installed-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        let mut shell = Command::new("unshare");
        shell.args(["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "enter"]);
        shell.args([root, &folder, package]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn().expect("unshare starts");
        let keys = child.stdin.take().expect("the input is piped");
        let paper = BufReader::new(child.stdout.take().expect("the output is piped"));
        Inside { folder, child, keys, paper }
    }

    /// What a command says, and its exit status.
    fn run(&mut self, command: &str) -> (String, i32) {
        println!("> {command}");
        let text = format!("{{ {command}\n}} < /dev/null 2>&1; status=$?; echo; echo {DONE} $status\n");
        self.keys.write_all(text.as_bytes()).expect("the shell reads; what it said is above");
        let mut said = String::new();
        loop {
            let mut line = String::new();
            assert!(self.paper.read_line(&mut line).expect("it says text") > 0, "the shell has ended: {said}");
            if let Some(status) = line.strip_prefix(DONE) {
                said.truncate(said.trim_end().len());
                print!("{said}{}", if said.is_empty() { "" } else { "\n" });
                return (said, status.trim().parse().expect("a status is a number"));
            }
            said += &line;
        }
    }

    /// What a command of root's says, which must succeed.
    fn root(&mut self, command: &str) -> String {
        let (said, status) = self.run(command);
        assert_eq!(status, 0, "{command}: {said}");
        said
    }

    /// What a command of the user's says, in that one's folder, and its exit status.
    fn tried(&mut self, command: &str) -> (String, i32) {
        let quoted = command.replace('\'', r"'\''");
        self.run(&format!("{PLAIN} bash -c 'cd; {quoted}'"))
    }

    /// [`Inside::tried`], which must succeed.
    fn user(&mut self, command: &str) -> String {
        let (said, status) = self.tried(command);
        assert_eq!(status, 0, "{command}: {said}");
        said
    }

    /// The names of all files that were written and are still there, below the root.
    fn left(&self) -> Vec<String> {
        let mut names = Vec::new();
        let upper = self.folder.join("upper");
        let mut folders = vec![upper.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("the folder is there").flatten() {
                let path = entry.path();
                names.push(path.strip_prefix(&upper).expect("it is below").display().to_string());
                if entry.file_type().expect("it has a type").is_dir() {
                    folders.push(path);
                }
            }
        }
        names
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        // All that runs inside ends with it, and its file systems go.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_user_without_privilege_lives_with_the_package_and_it_goes_without_a_trace() {
    let named = |name: &str| std::env::var_os(name).map(|path| fs::canonicalize(path).expect("it is there"));
    let (Some(root), Some(package)) = (named("ENDICOTT_ROOT"), named("ENDICOTT_PACKAGE")) else {
        println!("skipped: it wants a Debian in a folder and the package (ENDICOTT_ROOT, ENDICOTT_PACKAGE)");
        return;
    };
    let mut inside = Inside::enter(&root, &package);
    inside.root("apt-get -q -y install /root/package.deb && rm /root/package.deb");
    inside.root("useradd -m -u 1000 user");
    assert!(inside.user("id -u; grep CapEff /proc/self/status").ends_with("0000000000000000"));
    assert_eq!(inside.user("ls -d /dev/kvm /dev/net /root/* 2>/dev/null || echo none"), "none");
    assert!(inside.user("endicott --version").starts_with("endicott "));
    system(&mut inside);
    guest(&mut inside);
    inside.root("apt-get -q -y purge endicott");
    // What stays is the user's: files, and what the guest's console printed last.
    let kept = |name: &str| name.starts_with("home/user/") || name.starts_with("tmp/endicott-user-1000");
    let left = inside.left();
    assert!(left.iter().any(|name| name == "home/user/demo.3390"));
    let traces: Vec<&String> = left.iter().filter(|name| name.contains("endicott") && !kept(name)).collect();
    assert!(traces.is_empty(), "{traces:?}");
}

/// The sample system, with CMS, comes up and goes down.
fn system(inside: &mut Inside) {
    let said = inside.user("endicott sample system");
    assert!(said.contains("CMS is on it"), "{said}");
    let port = port();
    let said = inside.user(&format!(
        "printf 'query userid\\nshutdown\\n' | timeout 60 endicott run --system system --tn3270 127.0.0.1:{port}"
    ));
    assert!(said.contains("OPERATOR AT ") && said.contains("LOGOFF AT"), "{said}");
    assert!(!said.contains("has no user"), "{said}");
}

/// A Debian of the user's own is made, lived with, saved, restored and shut down.
fn guest(inside: &mut Inside) {
    let port = port();
    inside.user(&format!("endicott linux demo --detach --publish {port}:80"));
    assert!(inside.user("endicott list").contains("demo"));
    assert_eq!(inside.user("endicott ssh demo uname -m"), "s390x");
    assert_eq!(inside.tried("endicott ssh demo 'exit 7'").1, 7);
    inside.user("echo it came > notes.txt && endicott cp notes.txt demo:");
    assert_eq!(inside.user("endicott ssh demo cat notes.txt"), "it came");
    inside.user("endicott cp -r demo:/var/log . && test -d log");
    // Names and the archive are reached through the host's sockets.
    inside.user("endicott ssh demo 'apt-get -q update && apt-get -q -y install hello && hello'");
    let server = "use IO::Socket::INET; my $door = IO::Socket::INET->new(LocalPort => 80, Listen => 5) or die; \
                  while (my $caller = $door->accept) { print $caller \"from the guest\\n\"; close $caller }";
    let server = format!("cat > server.pl; setsid perl server.pl > /dev/null 2>&1 < /dev/null & sleep 1; # {server}");
    let (server, program) = server.split_once(" # ").expect("both are there");
    inside.user(&format!("echo '{program}' | endicott ssh demo '{server}'"));
    let call = format!("cat < /dev/tcp/127.0.0.1/{port}");
    assert_eq!(inside.user(&call), "from the guest");
    inside.user("endicott save demo demo.saved && endicott linux demo --restore demo.saved --detach");
    assert_eq!(inside.user("endicott ssh demo cat notes.txt"), "it came");
    inside.user("endicott stop demo");
    assert!(inside.user("endicott list").starts_with("No guest with a name runs"));
}

/// A port of the host's loopback that is free.
fn port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|door| door.local_addr()).expect("a port is free").port()
}
