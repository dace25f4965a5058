//! Linux's tape driver (tape_34xx) at our drive: files are written, found again by spacing and by block number, and
//! read; then `endicott tape` looks at what is in the host's file.

mod support;

use debian::cpio::Archive;
use std::fs;
use support::{console, endicott, guest};

const SCRIPT: &str = r#"#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /tmp /sbin
/bin/busybox --install -s /sbin
export PATH=/bin:/sbin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
dmesg -n 1
[ -f /modules/tape_34xx.ko ] || { echo TAPE-MISSING; poweroff -f; }
for module in tape_class tape tape_34xx; do insmod /modules/$module.ko; done
ccw=/sys/bus/ccw/devices/0.0.0580
echo 1 >$ccw/online
echo "TAPE-STATE $(cat $ccw/online) $(cat $ccw/medium_state) $(cat $ccw/cutype)"
n=0; until [ -c /dev/ntibm0 ] || [ $n -gt 50 ]; do sleep 0.1; n=$((n + 1)); done
tape=/dev/ntibm0
head -c 300000 /dev/urandom >/tmp/one
seq 1 20000 >/tmp/two
mkdir /tmp/tree; cp /init /bin/busybox /tmp/tree
check() { cmp "$1" "$2" && echo "TAPE-SAME $3"; }
dd if=/tmp/one of=$tape bs=30000 2>/dev/null
dd if=/tmp/two of=$tape bs=1000 2>/dev/null
tar -c -f - -C /tmp tree | dd of=$tape bs=10240 2>/dev/null
mt -f $tape weof
mt -f $tape rewind
dd if=$tape of=/tmp/x bs=30000 2>/dev/null; check /tmp/one /tmp/x first
dd if=$tape of=/tmp/x bs=1000 2>/dev/null; check /tmp/two /tmp/x second
mt -f $tape rewind
mt -f $tape fsf 2
dd if=$tape bs=10240 2>/dev/null | tar -x -f - -C / && check /tmp/tree/busybox /tree/busybox third
mt -f $tape rewind
mt -f $tape fsf 1
mt -f $tape fsr 3
tail -c +3001 /tmp/two >/tmp/rest
dd if=$tape of=/tmp/x bs=1000 2>/dev/null; check /tmp/rest /tmp/x records
mt -f $tape bsf 1
mt -f $tape bsr 1
dd if=$tape of=/tmp/x bs=1000 2>/dev/null; tail -c $(stat -c %s /tmp/x) /tmp/two >/tmp/last; check /tmp/last /tmp/x backward
mt -f $tape rewind
mt -f $tape fsf 2
echo "TAPE-AT $(mt -f $tape tell)"
mt -f $tape seek 13
echo "TAPE-AT $(mt -f $tape tell)"
tail -c +2001 /tmp/two >/tmp/rest
dd if=$tape of=/tmp/x bs=1000 2>/dev/null; check /tmp/rest /tmp/x seek
# The end of what is recorded is where two marks are, and what is written goes between them.
mt -f $tape eom
dd if=/tmp/one of=$tape bs=60000 2>/dev/null
mt -f $tape weof
mt -f $tape rewind
mt -f $tape fsf 3
dd if=$tape of=/tmp/x bs=60000 2>/dev/null; check /tmp/one /tmp/x end
mt -f $tape offline
dd if=$tape of=/dev/null bs=1000 2>/dev/null || echo TAPE-UNLOADED
echo 0 >$ccw/online
echo TAPE-DONE
poweroff -f
"#;

#[test]
fn linux_writes_and_reads_a_tape() {
    let Some(guest) = guest() else { return };
    let clients = guest.initrd.with_file_name("clients.img");
    if !clients.exists() {
        println!("skipped: there is no tape driver for the guest (cargo x guest fetches it)");
        return;
    }
    let folder = std::env::temp_dir().join(format!("endicott-tapes-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let mut archive = Archive::default();
    archive.program("init", SCRIPT.as_bytes());
    let mut initrd = fs::read(&guest.initrd).expect("it was there before");
    initrd.resize(initrd.len().next_multiple_of(4), 0);
    initrd.extend([fs::read(&clients).expect("it was there before"), archive.finish()].concat());
    fs::write(path("initrd"), initrd).expect("there is room");
    for file in ["tape.aws", "tape.het"] {
        let tape = |word: &str| {
            let output = endicott().args(["tape", word, &path(file)]).output().expect("it starts");
            let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            assert!(output.status.success(), "{word} {file}: {said}");
            said
        };
        tape("create");
        let mut command = endicott();
        command.args(["linux", "--memory", "512M", "--append", "quiet nokaslr", "--kernel"]).arg(&guest.kernel);
        command.args(["--initrd", &path("initrd"), "--tape", &path(file)]);
        let said = console(&mut command);
        if said.contains("TAPE-MISSING") {
            println!("skipped: the guest's kernel has no module for tapes");
            return;
        }
        assert!(said.contains("TAPE-STATE 1 1 3490/10"), "{said}");
        for what in ["first", "second", "third", "records", "backward", "seek", "end"] {
            assert!(said.contains(&format!("TAPE-SAME {what}")), "{what}: {said}");
        }
        assert!(said.contains("TAPE-UNLOADED") && said.contains("TAPE-DONE"), "{said}");
        assert!(said.contains("TAPE-AT At block 121") && said.contains("TAPE-AT At block 13"), "{said}");
        let list = tape("list");
        assert!(list.contains("file 1: 10 blocks, 300000 bytes, at most 30000 in a block\n"), "{list}");
        assert!(list.contains("file 2: 109 blocks, 108894 bytes, at most 1000 in a block\n"), "{list}");
        assert!(list.contains("file 4: 5 blocks, 300000 bytes, at most 60000 in a block\n"), "{list}");
        assert!(tape("check").contains("Nothing is wrong."));
    }
    let _ = fs::remove_dir_all(&folder);
}
