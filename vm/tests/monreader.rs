//! CP's monitor, read by Linux's own driver (monreader), with Linux's own data in it (appldata).

mod support;

use arch::monitor::{ControlElement, RecordHeader};
use base::ebcdic;
use monitor::frames::{PAGE, records};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::{Client, SHELL, System, change, endicott, guest, has_s3270};
use zerocopy::FromBytes;

const BOOT: Duration = Duration::from_secs(300);
const ANSWER: Duration = Duration::from_secs(90);

/// What a message of *MONITOR was about: S or E, and the records: header and what follows it.
struct Message {
    kind: char,
    records: Vec<(RecordHeader, Vec<u8>)>,
}

impl Message {
    /// What monreader gives a program: a control element, and the pages that it names.
    fn read(bytes: &[u8]) -> Message {
        let (element, pages) = ControlElement::read_from_prefix(bytes).expect("a control element");
        assert_eq!(pages.len(), (element.end.get() - element.start.get() + 1) as usize, "the pages that it names");
        assert!(!pages.is_empty() && pages.len() % PAGE == 0, "{} bytes", pages.len());
        let kind = ebcdic::to_string(&[element.kind]).chars().next().expect("a letter");
        let mut all = Vec::new();
        let mut masks = 0u16;
        for page in pages.chunks(PAGE) {
            for (header, rest) in records(page).expect("a page of records") {
                let domain = u32::from(header.domain);
                masks |= if domain < 8 { 0x8000 >> domain } else { 0x0080 >> (domain - 8) };
                all.push((header, rest.to_vec()));
            }
        }
        assert_eq!(masks, element.domains.get(), "the domains that there are");
        Message { kind, records: all }
    }

    fn of(&self, domain: u8, record: u16) -> impl Iterator<Item = &(RecordHeader, Vec<u8>)> {
        self.records.iter().filter(move |(header, _)| (header.domain, header.record.get()) == (domain, record))
    }

    fn has(&self, domain: u8, record: u16) -> bool {
        self.of(domain, record).next().is_some()
    }

    /// A word of the first such record, by its offset in the record.
    fn word(&self, domain: u8, record: u16, offset: usize) -> u32 {
        u32::from_be_bytes(self.bytes(domain, record, offset))
    }

    fn double(&self, domain: u8, record: u16, offset: usize) -> u64 {
        u64::from_be_bytes(self.bytes(domain, record, offset))
    }

    fn bytes<const N: usize>(&self, domain: u8, record: u16, offset: usize) -> [u8; N] {
        let (_, rest) = self.of(domain, record).next().unwrap_or_else(|| panic!("there is no {domain}.{record}"));
        rest[offset - 20..offset - 20 + N].try_into().expect("the record is so long")
    }

    /// The record 4.3 of a user's first CPU.
    fn user(&self, userid: &str) -> &[u8] {
        let padded: [u8; 8] = ebcdic::padded(userid);
        let found = self.of(4, 3).find(|(_, rest)| rest[..8] == padded && rest[8..10] == [0, 0]);
        &found.unwrap_or_else(|| panic!("there is no 4.3 of {userid}")).1
    }
}

/// A file of the guest, which its shell shows packed.
fn fetch(client: &mut Client, file: &str) -> Vec<u8> {
    let end = format!("END-OF{}", file.replace('/', "-"));
    let line = format!("echo BEGIN; gzip -c {file} | base64; echo {end}");
    let said = client.say(&line, &format!("\n{end}"), ANSWER);
    let text = said.rsplit("BEGIN\n").next().and_then(|text| text.split("END-OF").next()).expect("it is shown");
    let packed: String = text.split_whitespace().collect();
    let mut unpack = Command::new("sh");
    unpack.args(["-c", "base64 -d | gzip -dc"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = unpack.spawn().expect("the host has gzip");
    child.stdin.take().expect("it is piped").write_all(packed.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends").stdout
}

/// Seven messages of the device that the guest's shell has open, and files of the host with them.
fn read(linux: &mut Client, system: &System) -> (Vec<Message>, Vec<PathBuf>) {
    let one = |n| {
        linux.say(&format!("cat <&3 > /tmp/m{n}; echo END-OF-M{n}"), &format!("\nEND-OF-M{n}"), ANSWER);
        let bytes = fetch(linux, &format!("/tmp/m{n}"));
        let file = system.folder.join(format!("m{n}"));
        fs::write(&file, &bytes).expect("the folder is there");
        (Message::read(&bytes), file)
    };
    (1..=7).map(one).unzip()
}

/// `endicott reduce` of the files says what the samples have of LINUX1, and no more than QUERY TIME after them.
fn reduces(files: &[PathBuf], samples: &[&Message], asked: &str) {
    let output = endicott().args(["reduce", "--json", "--report", "user"]).args(files).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["intervals"].as_array().map(Vec::len), Some(samples.len() - 1), "{report}");
    let rows = report["tables"][0]["rows"].as_array().expect("the table of users");
    let linux = rows.iter().find(|row| row["userid"] == "LINUX1").expect("LINUX1");
    let number = |key: &str| linux[key].as_f64().unwrap_or_else(|| panic!("{key}: {linux}"));
    let total = |message: &Message| {
        u64::from_be_bytes(message.user("LINUX1")[20..28].try_into().unwrap()) as f64 / 4_096_000_000.0
    };
    let (first, last) = (total(samples[0]), total(samples[samples.len() - 1]));
    assert!((number("total_cpu") - last).abs() < 1e-6, "{linux}: {last}");
    assert!((number("cpu_seconds") - (last - first)).abs() < 1e-6, "{linux}: {first} to {last}");
    let shown = asked.rsplit("TOTCPU=").next().and_then(|rest| rest.split_whitespace().next()).expect("a time");
    let (minutes, seconds) = shown.split_once(':').expect("minutes and seconds");
    let shown = minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap();
    assert!(shown + 0.01 >= last, "QUERY TIME: {shown}, {linux}");
}

#[test]
fn linux_reads_the_monitor() {
    let Some(guest) = guest().filter(|_| has_s3270()) else { return };
    let system = System::start("monitor", |folder| {
        let more = " IUCV ALLOW\n IUCV *MONITOR MSGLIMIT 255\n NAMESAVE MONDCSS\n OPTION APPLMON\n";
        change(folder, "USER DIRECT", |text| text.replacen(" IUCV ALLOW\n", more, 1));
    });

    let mut maint = Client::connect(&system);
    maint.log_on("MAINT");
    maint.say("defseg mondcss 60000-60fff sc rstd#saveseg mondcss#query time", "CONNECT=", ANSWER);
    maint.say("monitor sample enable all#monitor event enable user all#query time", "CONNECT=", ANSWER);
    let said = maint.say("monitor sample interval 6 sec rate 1 sec start", "recording is pending", ANSWER);
    assert!(said.contains("HCPMNR6224I"), "{said}");
    maint.say("monitor event start", "EVENT recording is pending", ANSWER);

    let mut linux = Client::connect(&system);
    linux.log_on("LINUX1");
    system.fill_reader("LINUX1", &guest, SHELL);
    linux.ipl_reader(BOOT);
    let modules = linux.say("ls /modules; echo END-OF-1", "\nEND-OF-1", ANSWER);
    if !modules.contains("monreader.ko") {
        println!("skipped: the guest's initramfs does not have monreader (cargo x guest makes one that has)");
        return;
    }
    let said = linux.say("insmod /modules/appldata_os.ko; echo END-OF-2", "\nEND-OF-2", ANSWER);
    assert!(!said.contains("can't"), "{said}");
    let data = "echo 1 > /proc/sys/appldata/timer; echo 1 > /proc/sys/appldata/os; dmesg | tail -3; echo END-OF-3";
    let said = linux.say(data, "\nEND-OF-3", ANSWER);
    assert!(!said.contains("failed"), "{said}");
    let said = linux.say("insmod /modules/monreader.ko mondcss=MONDCSS; echo END-OF-4", "\nEND-OF-4", ANSWER);
    assert!(!said.contains("can't"), "{said}");

    // One end of input is one message.
    linux.say("exec 3< /dev/monreader; echo END-OF-5", "\nEND-OF-5", ANSWER);
    let said = maint.say("query monitor sample", "APPLDATA", ANSWER);
    assert!(said.contains("MONITOR SAMPLE ACTIVE") && said.contains("*MONITOR - LINUX1"), "{said}");
    assert!(said.contains("MONITOR DCSS NAME - MONDCSS"), "{said}");
    let mut other = Client::connect(&system);
    other.log_on("LINUX2");
    let (messages, files) = read(&mut linux, &system);
    let asked = linux.say("#cp query time", "TOTCPU=", ANSWER);

    let configuration = &messages[0];
    assert_eq!(configuration.kind, 'S');
    for record in [4, 5, 7, 6, 9, 15, 16, 17] {
        assert!(configuration.has(1, record), "1.{record}");
    }
    assert_eq!(ebcdic::to_string(&configuration.bytes::<8>(1, 4, 20)).trim(), "ENDICOTT");
    let events = messages.iter().filter(|message| message.kind == 'E').collect::<Vec<_>>();
    assert!(events[0].has(1, 1), "the profile of events");
    let logged_on: [u8; 8] = ebcdic::padded("LINUX2");
    let logon = events.iter().flat_map(|message| message.of(4, 1)).any(|(_, rest)| rest[..8] == logged_on);
    assert!(logon, "LINUX2 has logged on: 4.1");

    let samples: Vec<&Message> = messages.iter().filter(|message| message.has(0, 1)).collect();
    assert!(samples.len() >= 2, "{} samples", samples.len());
    let wanted: [(u8, &[u16]); 6] =
        [(0, &[1, 2, 3, 4, 6, 8, 10, 12, 14]), (3, &[1, 3]), (4, &[3, 4]), (5, &[3]), (6, &[3]), (10, &[2])];
    for (domain, numbers) in wanted {
        for &number in numbers {
            assert!(samples[1].has(domain, number), "{domain}.{number}");
        }
    }
    for two in samples.windows(2) {
        let (before, after) = (two[0], two[1]);
        let times = |message: &Message| message.records.iter().map(|(header, _)| header.tod.get()).collect::<Vec<_>>();
        assert!(times(before).is_sorted() && times(after).is_sorted());
        let interval = times(after)[0] - times(before)[0];
        let second = 4096 * 1_000_000;
        assert!(interval >= 6 * second - second / 2, "{interval}: at least an interval has passed");
        // Emulation counts down, all else up.
        let emulated = before.double(0, 2, 24) - after.double(0, 2, 24);
        assert!(emulated > 0 && emulated <= interval, "{emulated} of {interval}");
        for (domain, record, offset) in [(0, 1, 28), (0, 1, 32), (0, 1, 48), (0, 2, 56), (5, 3, 24), (5, 3, 28)] {
            let (b, a) = (before.word(domain, record, offset), after.word(domain, record, offset));
            assert!(a >= b, "{domain}.{record} at {offset}: {b}, then {a}");
        }
        let total = |message: &Message| u64::from_be_bytes(message.user("LINUX1")[20..28].try_into().unwrap());
        assert!(total(after) > total(before), "the reader itself has used time");
        assert_eq!(after.word(0, 8, 20), 4, "OPERATOR, MAINT, LINUX1, LINUX2");
        // A look may be late on a busy host.
        let looks = u64::from(after.word(0, 12, 60) - before.word(0, 12, 60));
        assert!(looks.abs_diff((interval + second / 2) / second) <= 1, "{looks} looks, one each second");
    }
    // Linux's own data: the product ID says LINUXKRNL, and the two counters at its ends are equal.
    let (_, rest) = samples[1].of(10, 2).next().expect("data of Linux");
    assert_eq!(rest[4..12], ebcdic::padded::<8>("LINUX1"));
    assert!(ebcdic::to_string(&rest[12..28]).starts_with("LINUXKR"), "{}", ebcdic::to_string(&rest[12..28]));
    let at = u32::from_be_bytes(rest[28..32].try_into().unwrap()) as usize - 20;
    assert_eq!(rest.len() - at, u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize);
    assert!(rest[at..].iter().any(|&byte| byte != 0));

    reduces(&files, &samples, &asked);

    // The path goes with the reader, and recording is pending again.
    linux.say("exec 3<&-; echo END-OF-8", "\nEND-OF-8", ANSWER);
    let said = maint.say("query monitor sample", "APPLDATA", ANSWER);
    assert!(said.rsplit("q").next().is_some_and(|said| said.contains("NO USERS CONNECTED")), "{said}");
    linux.say("poweroff", "CP READ", ANSWER);
}
