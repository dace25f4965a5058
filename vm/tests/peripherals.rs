//! What `endicott linux` gives a guest by virtio beside its network card: Debian's drivers use folders of the host, a
//! disk, sockets, a console and a balloon.

mod support;

use ::support::folder::Folder;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use support::program::{DATA, TEXT, executable};
use support::{Guest, endicott, guest, shell};
use vectors::assemble;

/// Bytes that do not repeat soon.
fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|n| (n % 251) as u8 ^ (n >> 11) as u8).collect()
}

/// What a script says in the guest. It is typed first and run afterwards, so that what is typed is not among it.
fn play(guest: &Guest, words: &[&str], script: &str) -> String {
    let typed =
        format!("cat > /tmp/script << 'END'\n{script}\nEND\necho SCRIPT-''BEGINS; sh /tmp/script; poweroff -f\n");
    let said = shell(guest, words, typed.as_bytes()).replace('\r', "");
    let (_, said) = said.split_once("SCRIPT-BEGINS\n").unwrap_or_else(|| panic!("it does not begin: {said}"));
    said.to_owned()
}

/// Whether a line begins so.
fn is_said(said: &str, begin: &str) -> bool {
    said.lines().any(|line| line.starts_with(begin))
}

fn has(said: &str, lines: &[&str]) {
    for line in lines {
        assert!(is_said(said, line), "no {line}: {said}");
    }
}

/// A system call: its number; the program ends with status `fail` if it fails.
fn call(number: u16, fail: u8) -> String {
    format!("LGHI 1,{number}; SVC 0; LTGR 2,2; BRC 10,*+14; LGHI 2,{fail}; LGHI 1,1; SVC 0;")
}

/// A program that maps `/w/mapped`, shared and for writing, stores into it, and has it written.
fn mapper() -> Vec<u8> {
    let (name, mapping, text) = (DATA, DATA + 0x40, DATA + 0x80);
    let source = [
        format!("LLILF 2,{name}; LGHI 3,2; {} LGR 6,2;", call(5, 1)),
        format!("LLILF 10,{mapping}; STG 6,32(0,10); LGR 2,10; {} LGR 9,2;", call(90, 2)),
        format!("LLILF 4,{text}; MVC 100(6,9),0(4);"),
        format!("LGR 2,9; LGHI 3,4096; LGHI 4,4; {}", call(144, 3)),
        "LGHI 2,0; LGHI 1,1; SVC 0".into(),
    ];
    let long = |v: u64| v.to_be_bytes();
    // Address, length, reading and writing, shared; descriptor and offset.
    let words = [0, 4096, 3, 1, 0, 0].map(long).concat();
    let pieces: [(u64, &[u8]); 4] =
        [(TEXT, &assemble(&source.join(""))), (name, b"/w/mapped\0"), (mapping, &words), (text, b"MAPPED")];
    executable(0x3000, false, &pieces)
}

const MOUNT: &str = "
for name in netfs fscache 9pnet 9pnet_virtio 9p; do insmod /modules/$name.ko; done
mkdir /w /b
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 work /w && echo MOUNTED
mount -t 9p -o trans=virtio,version=9p2000.L books /b
";

#[test]
fn a_folder_of_the_host_is_one_of_the_guest() {
    let Some(guest) = guest() else { return };
    let scratch = Folder::empty("share");
    let [work, books] = ["work", "books"].map(|name| scratch.path(name));
    for folder in [&work.join("many"), &work.join("tree/sub"), &books] {
        fs::create_dir_all(folder).expect("the host has room");
    }
    for n in 0..1_000 {
        fs::write(work.join(format!("many/file-{n}")), b"").expect("the host has room");
    }
    let big = pattern(30_000_000);
    fs::write(work.join("big"), &big).expect("the host has room");
    fs::write(work.join("mapped"), vec![b'.'; 5000]).expect("the host has room");
    fs::write(work.join("mapper"), mapper()).expect("the host has room");
    fs::set_permissions(work.join("mapper"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    fs::write(books.join("book"), b"a book\n").expect("the host has room");
    fs::write(scratch.path("secret"), b"a secret\n").expect("the host has room");
    symlink("../secret", work.join("outside")).expect("the host has links");
    let script = format!(
        "{MOUNT}
echo MANY $(ls /w/many | wc -l) $(find /w/many -type f | wc -l)
echo BIG $(md5sum < /w/big)
cp /w/big /tmp/big && cp /tmp/big /w/copy && cmp /tmp/big /w/copy && echo COPIED
cp /bin/busybox /w/tree/sub/busybox && /w/tree/sub/busybox echo RAN
cd /w/tree
echo one > a; ln a b; ln -s a c; mkfifo pipe; mv sub moved; mkdir -p deep/er
echo two >> b; echo BOTH $(cat a c); stat -c '%a %h %u %F' a pipe moved
exec 5<> gone; echo still >&5; rm gone; echo GONE $(stat -L -c '%s %h' /proc/self/fd/5); exec 5>&-
touch -d @1000000000 a; chmod 640 a; chmod u+s a && echo SET-ID; chown 1000 a && echo OWNED
truncate -s 10 b; stat -c '%s %a %Y' c a
mkdir x; touch x/1 x/2; rmdir x && echo REMOVED; rm -r x; echo LEFT $(ls)
cat /w/outside; echo OUTSIDE $?
touch ../../above; ls /w/.. > /dev/null
echo x 2>/dev/null > /b/x || echo READING-ONLY; cat /b/book; rm /b/book || echo KEPT
df -P /w | tail -n 1 | cut -d' ' -f1; grep -c 9p /proc/mounts
exec 3<>/dev/vmcp; printf 'QUERY VIRTUAL VIRTIO' >&3; cat <&3
cd /; umount /w && mount -t 9p -o trans=virtio,version=9p2000.L,cache=mmap work /w && /w/mapper; echo MAPPER $?
umount /w; mount -t 9p -o trans=virtio,version=9p2000.L,cache=loose work /w
echo NUMBERS $(for n in 1 2 3; do find /w/many -type f | xargs stat -c %i | sort -u | wc -l; done)
echo LOOSE $(md5sum < /w/big); umount /w && echo UNMOUNTED
"
    );
    let shares = [format!("{}:work:rw", work.display()), format!("{}:books", books.display())];
    let said = play(&guest, &["--cpus", "2", "--share", &shares[0], "--share", &shares[1]], &script);
    let sum = md5(&big);
    has(
        &said,
        &[
            "MOUNTED",
            "MANY 1000 1000",
            &format!("BIG {sum}"),
            "COPIED",
            "RAN",
            "BOTH one two one two",
            "644 2 0 regular file",
            "644 1 0 fifo",
            "755 2 0 directory",
            "GONE 6 0",
            "10 640 ",
            "LEFT a b c deep moved pipe",
            // The link leads out of the guest's own root: to nothing.
            "OUTSIDE 1",
            "READING-ONLY",
            "a book",
            "KEPT",
            "9P   1100 VIRTIO TAG work R/W",
            "9P   1101 VIRTIO TAG books R/O",
            "MAPPER 0",
            "NUMBERS 1000 1000 1000",
            &format!("LOOSE {sum}"),
            "UNMOUNTED",
        ],
    );
    for wrong in ["SET-ID", "OWNED", "REMOVED", "a secret"] {
        assert!(!is_said(&said, wrong), "{wrong}: {said}");
    }
    let found =
        |name: &str| fs::symlink_metadata(work.join(name)).unwrap_or_else(|error| panic!("{name}: {error}: {said}"));
    assert!(fs::read(work.join("copy")).expect("it was copied") == big);
    assert_eq!(fs::read(work.join("tree/b")).expect("it is there"), b"one\ntwo\n\0\0");
    assert_eq!((found("tree/a").ino(), found("tree/a").mode() & 0o7777), (found("tree/b").ino(), 0o640));
    assert_eq!(fs::read_link(work.join("tree/c")).expect("it is a link"), Path::new("a"));
    assert!(found("tree/pipe").file_type().is_fifo() && found("tree/moved/busybox").mode() & 0o111 != 0);
    assert_eq!(fs::read(work.join("mapped")).expect("it is there")[99..107], *b".MAPPED.");
    assert_eq!(fs::read_dir(&books).expect("it is there").count(), 1);
    assert!(!scratch.path("above").exists());
}

/// The sum as `md5sum` prints it, by the host's program.
fn md5(bytes: &[u8]) -> String {
    let scratch = Folder::empty("md5");
    fs::write(scratch.path("file"), bytes).expect("the host has room");
    let output = std::process::Command::new("md5sum").arg(scratch.path("file")).output().expect("the host has md5sum");
    String::from_utf8_lossy(&output.stdout).split_whitespace().next().expect("a sum").to_owned()
}

#[test]
fn a_file_of_the_host_is_a_disk() {
    let Some(guest) = guest() else { return };
    let scratch = Folder::empty("drive");
    let [disk, seed] = ["disk", "seed"].map(|name| scratch.path(name));
    let before = pattern(8 << 20);
    fs::write(&disk, &before).expect("the host has room");
    fs::write(&seed, &before[..1 << 20]).expect("the host has room");
    // Linux brings the two up at once, and either may be vda.
    let script = "
insmod /modules/virtio_blk.ko
D=$(ls /sys/bus/ccw/devices/0.0.1200/virtio*/block); S=$(ls /sys/bus/ccw/devices/0.0.1201/virtio*/block)
echo SIZES $(cat /sys/block/$D/size /sys/block/$S/size /sys/block/$S/ro /sys/block/$D/serial)
echo SUMS $(md5sum < /dev/$D) $(md5sum < /dev/$S)
dd if=/dev/$D of=/dev/null bs=64k iflag=direct 2>/dev/null && echo DIRECT
yes endicott | head -c 3000000 > /tmp/text; dd if=/tmp/text of=/dev/$D bs=4k seek=16 conv=fsync 2>/dev/null
dd if=/tmp/text of=/dev/$S bs=4k 2>/dev/null || echo PROTECTED
blkdiscard -o 4194304 -l 65536 /dev/$D && echo DISCARDED
exec 3<>/dev/vmcp; printf 'QUERY VIRTUAL 1200-1201' >&3; cat <&3
";
    let seed_words = format!("{}:ro", seed.display());
    let said = play(&guest, &["--drive", &disk.display().to_string(), "--drive", &seed_words], script);
    let sums = format!("SUMS {} - {} -", md5(&before), md5(&before[..1 << 20]));
    let lines = ["SIZES 16384 2048 1 disk", &sums, "DIRECT", "PROTECTED", "DISCARDED"];
    has(&said, &lines);
    has(&said, &["BLK  1200 VIRTIO SECTORS 16384 R/W", "BLK  1201 VIRTIO SECTORS 2048 R/O"]);
    let after = fs::read(&disk).expect("it is there");
    let text: Vec<u8> = b"endicott\n".iter().copied().cycle().take(3_000_000).collect();
    assert!(after[1 << 16..(1 << 16) + 3_000_000] == text[..] && after[..1 << 16] == before[..1 << 16]);
    assert!(after[4 << 20..(4 << 20) + 65_536].iter().all(|byte| *byte == 0));
    assert!(after[(4 << 20) + 65_536..] == before[(4 << 20) + 65_536..]);
    assert!(fs::read(&seed).expect("it is there") == before[..1 << 20]);
}

/// A program that listens at port 7000 of its own, says so at port 9000 of its host, and sends back what comes.
fn echo() -> Vec<u8> {
    let (here, there, text, buffer) = (DATA, DATA + 0x20, DATA + 0x40, DATA + 0x100);
    let address = |port: u32, cid: u32| [&[0, 40, 0, 0][..], &port.to_be_bytes(), &cid.to_be_bytes(), &[0; 4]].concat();
    let socket = |fail| format!("LGHI 2,40; LGHI 3,1; LGHI 4,0; {}", call(359, fail));
    let source = [
        format!("{} LGR 6,2;", socket(1)),
        format!("LGR 2,6; LLILF 3,{here}; LGHI 4,16; {}", call(361, 2)),
        format!("LGR 2,6; LGHI 3,1; {}", call(363, 3)),
        format!("{} LGR 7,2;", socket(4)),
        format!("LGR 2,7; LLILF 3,{there}; LGHI 4,16; {}", call(362, 5)),
        format!("LGR 2,7; LLILF 3,{text}; LGHI 4,6; {}", call(4, 6)),
        format!("LGR 2,6; LGHI 3,0; LGHI 4,0; LGHI 5,0; {} LGR 8,2;", call(364, 7)),
    ];
    let read = format!("LGR 2,8; LLILF 3,{buffer}; LGHI 4,16384; {} LGR 4,2;", call(3, 8));
    let write = format!("LGR 2,8; LLILF 3,{buffer}; {}", call(4, 9));
    let (begin, [read, write]) = (assemble(&source.join("")), [read, write].map(|source| assemble(&source)));
    // At the end of what comes, the program ends.
    let (branch, back) = (6, read.len() + 10 + write.len());
    let test = assemble(&format!("LTGR 4,4; BRCL 8,*+{}", branch + write.len() + 6));
    let again = assemble(&format!("BRCL 15,*-{back}"));
    let end = assemble("LGHI 2,0; LGHI 1,1; SVC 0");
    let program = [begin, read, test, write, again, end].concat();
    let pieces: [(u64, &[u8]); 4] =
        [(TEXT, &program), (here, &address(7000, u32::MAX)), (there, &address(9000, 2)), (text, b"ready\n")];
    executable(0x8000, false, &pieces)
}

/// Waits until a program listens at a Unix socket.
fn connect(path: &Path) -> UnixStream {
    let began = Instant::now();
    loop {
        match UnixStream::connect(path) {
            Ok(stream) => return stream,
            Err(error) if began.elapsed() > Duration::from_secs(60) => panic!("{}: {error}", path.display()),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

#[test]
fn guest_and_host_have_sockets_a_console_and_a_balloon() {
    let Some(guest) = guest() else { return };
    let scratch = Folder::empty("sockets");
    let [vsock, serial, work] = ["vsock", "serial", "work"].map(|name| scratch.path(name));
    fs::create_dir(&work).expect("the host has room");
    fs::write(work.join("echo"), echo()).expect("the host has room");
    fs::set_permissions(work.join("echo"), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let listener = UnixListener::bind(scratch.path("vsock_9000")).expect("the name is free");
    let at = vsock.clone();
    let echoed = thread::spawn(move || {
        let (stream, _) = listener.accept().expect("the guest comes");
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).expect("it says something");
        let mut refused = String::new();
        let mut none = connect(&at);
        none.write_all(b"CONNECT 7001\n").expect("endicott listens");
        // Where nothing listens, the connection ends.
        let _ = none.read_to_string(&mut refused);
        let mut stream = connect(&at);
        stream.write_all(b"CONNECT 7000\n").expect("endicott listens");
        let mut reader = BufReader::new(stream.try_clone().expect("it can be copied"));
        let mut answer = String::new();
        reader.read_line(&mut answer).expect("the guest answers");
        let bytes = pattern(2_000_000);
        let sent = bytes.clone();
        let writer = thread::spawn(move || {
            stream.write_all(&sent).expect("the guest listens");
            stream.shutdown(std::net::Shutdown::Write).expect("it is open");
        });
        let mut back = Vec::new();
        reader.read_to_end(&mut back).expect("the guest sends");
        writer.join().expect("all was written");
        (line, refused, answer.starts_with("OK "), back == bytes)
    });
    let terminal = serial.clone();
    let typed = thread::spawn(move || {
        let stream = connect(&terminal);
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).expect("the guest says something");
        (&stream).write_all(b"typed at the host\n").expect("endicott listens");
        line
    });
    let script = format!(
        "{MOUNT}
for name in vsock vmw_vsock_virtio_transport_common vmw_vsock_virtio_transport virtio_console virtio_balloon; do
    insmod /modules/$name.ko
done
/w/echo; echo ECHO $?
exec 4<>/dev/hvc1; stty raw -echo <&4; echo from the guest >&4; read line <&4; echo TYPED $line
exec 3<>/dev/vmcp
cp() {{ printf \"$1\" >&3; cat <&3; }}
cp 'SET BALLOON 128M'; sleep 2; cp 'QUERY VIRTUAL VIRTIO'; sleep 0.2
echo BALLOON $(cp 'QUERY 1500'); cp 'SET BALLOON OFF'; sleep 2; echo OFF $(cp 'QUERY 1500')
cp 'DETACH 1300'; cp 'SET BALLOON 4096M'
"
    );
    let words = [
        "--share",
        &format!("{}:work", work.display()),
        "--vsock",
        &vsock.display().to_string(),
        "--serial",
        &serial.display().to_string(),
        "--balloon",
    ];
    let said = play(&guest, &words, &script);
    has(&said, &["ECHO 0", "TYPED typed at the host"]);
    assert_eq!(echoed.join().expect("it ends"), ("ready\n".into(), String::new(), true, true), "{said}");
    assert_eq!(typed.join().expect("it ends"), "from the guest\n", "{said}");
    has(&said, &["SOCK 1300 VIRTIO CID 3 CONNECTIONS 0", "CONS 1400 VIRTIO IN USE LOST 0"]);
    has(&said, &["BALLOON BALL 1500 VIRTIO WANTED 128M GIVEN 128M FREE ", "OFF BALL 1500 VIRTIO WANTED 0M GIVEN 0M"]);
    has(&said, &["SOCK 1300 DETACHED", "HCPCMD002E Invalid operand - 4096M"]);
    assert!(!vsock.exists() && !serial.exists());
}

/// The indicators of several devices are in one byte, and four virtual CPUs take their interruptions: none is lost, or
/// a loop stands still. `ENDICOTT_INDICATORS=600` has them run ten minutes rather than five seconds.
#[test]
fn four_cpus_take_the_interruptions_of_three_devices() {
    let Some(guest) = guest() else { return };
    let scratch = Folder::empty("indicators");
    let work = scratch.path("work");
    fs::create_dir(&work).expect("the folder is ours");
    fs::write(work.join("file"), pattern(300_000)).expect("the folder is ours");
    let disk = scratch.path("disk");
    fs::write(&disk, pattern(1 << 20)).expect("the folder is ours");
    let seconds = std::env::var("ENDICOTT_INDICATORS").unwrap_or_else(|_| "5".into());
    let script = format!(
        "{MOUNT}
for name in failover net_failover virtio_net virtio_blk; do insmod /modules/$name.ko; done
ip link set lo up; ip link set eth0 up; ip addr add 10.0.2.15/24 dev eth0
repeat() {{ while [ ! -e /tmp/end ]; do $1; done; }}
asks() {{ ping -c 50 -i 0.01 10.0.2.2 | grep ' packet loss'; }}
shares() {{ md5sum < /w/file; }}
disks() {{ dd if=/dev/vda bs=64k iflag=direct 2>/dev/null | md5sum; }}
repeat asks > /tmp/asks & repeat shares > /tmp/shares & repeat shares > /tmp/more & repeat disks > /tmp/disks &
sleep {seconds}; touch /tmp/end; wait
echo LOST $(grep -vc ' 0% packet loss' /tmp/asks) OF $(wc -l < /tmp/asks)
echo SUMS $(sort -u /tmp/shares /tmp/more | wc -l) $(sort -u /tmp/disks | wc -l)
for name in asks shares more disks; do [ $(wc -l < /tmp/$name) -ge 2 ] && echo WENT $name; done
echo CPUS $(grep VAI: /proc/interrupts | tr ' ' '\n' | grep -c '^[1-9][0-9]*$')
echo COMPLAINTS $(dmesg | grep -cE 'NETDEV WATCHDOG|blocked for more than')
"
    );
    let (share, disk) = (format!("{}:work", work.display()), disk.display().to_string());
    let said = play(&guest, &["--cpus", "4", "--net", "user", "--share", &share, "--drive", &disk], &script);
    has(&said, &["LOST 0 OF ", "SUMS 1 1", "WENT asks", "WENT shares", "WENT more", "WENT disks"]);
    has(&said, &["CPUS 4", "COMPLAINTS 0"]);
}

#[test]
fn what_cannot_be_is_said() {
    let scratch = Folder::empty("wrong");
    let (file, kernel) = (scratch.path("file"), scratch.path("no-kernel"));
    fs::write(&file, b"x").expect("the host has room");
    let [file, kernel] = [file, kernel].map(|path| path.display().to_string());
    for (words, why) in [
        (vec!["--share", "/tmp"], "has no tag to mount it by"),
        (vec!["--share", "/tmp:a,b"], "is no tag"),
        (vec!["--share", "/tmp:a", "--share", "/:a"], "two folders have the tag a"),
        (vec!["--drive", ":ro"], "names no file"),
    ] {
        let output = endicott().args(["linux", "--disk", &kernel]).args(&words).output().expect("endicott starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(why) && !output.status.success(), "{words:?}: {said}");
    }
    let Some(guest) = guest() else { return };
    let long = format!("/tmp/{}", "s".repeat(200));
    for (words, why) in [
        (vec!["--share", &format!("{file}:x")], "Not a directory"),
        (vec!["--share", &format!("{kernel}:x")], "No such file or directory"),
        (vec!["--drive", &file], "whole sectors of 512"),
        (vec!["--drive", "/dev/null"], "it is not an ordinary file but a device"),
        (vec!["--vsock", &file], "in use"),
        (vec!["--serial", &long], "path must be shorter"),
    ] {
        let mut command = endicott();
        command.args(["linux", "--kernel"]).arg(&guest.kernel).args(&words).stdin(std::process::Stdio::null());
        let output = command.output().expect("endicott starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(why) && output.status.code() == Some(1), "{words:?}: {said}");
    }
}
