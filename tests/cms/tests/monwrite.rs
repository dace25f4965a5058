//! MONWRITE: what it writes is what `endicott reduce` reads, and says the same of users as INDICATE and QUERY TIME.

use cms::system::Site;
use reduce::table::Cell;
use reduce::{Choice, Name, Report, Source, reduce};

/// Logs on, and IPLs CMS.
fn ipl(site: &mut Site, user: &str) {
    site.says(user, &format!("logon {user} {user}"));
    site.says(user, "ipl 190");
    let said = site.says(user, "");
    assert!(said.contains("Ready"), "{said}");
}

/// The monitor is started, and CMSUSER has CMS.
fn begin(site: &mut Site) {
    site.says("MAINT", "logon maint maint");
    for line in [
        "defseg mondcss 800-bff sc rstd",
        "saveseg mondcss",
        "monitor sample enable all",
        "monitor event enable user all",
        "monitor sample interval 10 sec rate 1 sec start",
        "monitor event start",
    ] {
        let said = site.says("MAINT", line);
        assert!(said.contains("HCPNS") || said.contains("pending") || !said.contains("HCP"), "{line}: {said}");
    }
    ipl(site, "CMSUSER");
}

/// The file's bytes.
fn file(site: &Site, name: &str, kind: &str) -> Vec<u8> {
    let disk = site.user_disk();
    cms::bytes(&["raw", &disk.to_string_lossy(), name, kind])
}

fn reduced(bytes: &[u8]) -> Report {
    let source = Source { name: "MONDATA", bytes };
    reduce(&[source], &Choice { each: true, ..Choice::default() }).unwrap_or_else(|error| panic!("{error}"))
}

/// A user's number in a report's last table of that title.
fn number(report: &Report, title: &str, key: &str, userid: &str) -> f64 {
    let table = report.table(Name::User, title).expect("it is there");
    let at = table.column("userid").expect("it is there").position(|cell| *cell == Cell::Text(userid.into()));
    let at = at.unwrap_or_else(|| panic!("{userid} is not there: {}", report.text()));
    match table.column(key).expect("it is there").nth(at) {
        Some(Cell::Number(Some(number), _)) => *number,
        other => panic!("{userid} {key}: {other:?}"),
    }
}

/// `I/O` of INDICATE USER, and of QUERY TIME the total and virtual processor time in seconds.
fn asked(site: &mut Site, user: &str) -> (f64, f64, f64) {
    let said = site.says("MAINT", &format!("indicate user {user}"));
    let after = |said: &str, mark: &str| -> String {
        let rest = said.split(mark).nth(1).unwrap_or_else(|| panic!("{mark}: {said}"));
        rest.split_whitespace().next().unwrap_or_default().into()
    };
    let io = after(&said, " IO=").parse().expect("a number");
    let said = site.says(user, "#cp query time");
    let time = |mark: &str| {
        let text = after(&said, mark);
        let (minutes, seconds) = text.split_once(':').expect("minutes and seconds");
        minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
    };
    (io, time("TOTCPU="), time("VIRTCPU="))
}

#[test]
fn reduce_agrees_with_indicate_and_query_time() {
    let Some(cms) = cms::nucleus() else { return };
    let mut site = Site::new(&cms, &[], &[]);
    begin(&mut site);
    ipl(&mut site, "SMALL");
    let said = site.says("CMSUSER", "monwrite mondcss *monitor disk test mondata");
    assert!(said.contains("DMSMOW6260I Monitor data are being written to TEST MONDATA A1"), "{said}");
    site.passes("CMSUSER", 10);
    // Nothing happens until the next line, and nothing at the samples but in CMSUSER, whose program writes them.
    let first = asked(&mut site, "SMALL");
    let first_reader = asked(&mut site, "CMSUSER");
    for _ in 0..2 {
        for line in ["listfile * exec s (date", "pipe literal a | dup 500 | count lines | console"] {
            site.says("SMALL", line);
        }
        site.passes("CMSUSER", 10);
    }
    let last = asked(&mut site, "SMALL");
    let last_reader = asked(&mut site, "CMSUSER");
    let said = site.says("CMSUSER", "monwstop");
    assert!(said.contains("DMSMOW6261I") && said.contains("Ready;"), "{said}");
    let said = site.says("MAINT", "query monitor sample");
    assert!(said.contains("NO USERS CONNECTED"), "{said}");

    let report = reduced(&file(&site, "TEST", "MONDATA"));
    let of = |title, key| number(&report, title, key, "SMALL");
    let text = report.text();
    assert_eq!(report.intervals.len(), 2, "{text}");
    // QUERY TIME shows hundredths, and cuts what is below.
    let (total, virtual_time) =
        (of("processor time and storage", "total_cpu"), of("processor time and storage", "total_virtual"));
    assert!((0.0..0.01).contains(&(total - last.1)), "{total} and {}: {text}", last.1);
    assert!((0.0..0.01).contains(&(virtual_time - last.2)), "{virtual_time} and {}: {text}", last.2);
    let used = of("processor time and storage", "cpu_seconds");
    assert!((used - (last.1 - first.1)).abs() <= 0.01, "{used}, {} to {}: {text}", first.1, last.1);
    assert!(used > 0.0, "{text}");
    assert_eq!(of("I/O and spool", "io"), last.0 - first.0, "{text}");
    assert!(last.0 > first.0, "{text}");
    // The reader's own writing comes after each sample: one sample more or less of it.
    let io = number(&report, "I/O and spool", "io", "CMSUSER");
    let (most, sample) = (last_reader.0 - first_reader.0, (last_reader.0 - first_reader.0) / 2.0);
    assert!(io > 0.0 && (io - most).abs() <= sample + 1.0, "{io}, {most}: {text}");
    // Both were dormant at most looks, and every look was counted.
    let states =
        report.table(Name::States, "what users were found doing, in percent of all looks").expect("it is there");
    let looks: Vec<_> = states.column("looks").expect("it is there").collect();
    assert!(looks.contains(&&Cell::Number(Some(20.0), 0)), "{text}");
    assert_eq!(report.system.as_deref(), Some("ENDICOTT"));
}

#[test]
fn the_same_run_gives_the_same_file() {
    let Some(cms) = cms::nucleus() else { return };
    let run = || {
        let mut site = Site::new(&cms, &[], &[]);
        begin(&mut site);
        site.says("CMSUSER", "monwrite mondcss *monitor disk test mondata");
        site.passes("CMSUSER", 21);
        site.says("CMSUSER", "monwstop");
        file(&site, "TEST", "MONDATA")
    };
    let (one, other) = (run(), run());
    assert!(!one.is_empty() && one.len() % 4096 == 0);
    assert!(one == other, "byte for byte");
}

#[test]
fn what_was_written_stays() {
    let Some(cms) = cms::nucleus() else { return };
    // All but some 50 blocks of the disk are taken.
    let big = "0123456789abcdef".repeat(4096 / 16 * 290);
    let lines: String = big.as_bytes().chunks(80).map(|line| format!("{}\n", String::from_utf8_lossy(line))).collect();
    let mut site = Site::new(&cms, &[], &[("BIG", "DATA", "A1", &lines)]);
    begin(&mut site);
    // HX in the middle, with a file that has some samples.
    site.says("CMSUSER", "monwrite mondcss *monitor disk halted mondata");
    site.passes("CMSUSER", 25);
    let said = site.says("CMSUSER", "hx");
    assert!(said.contains("Ready") || said.contains("CMS"), "{said}");
    assert!(site.says("MAINT", "query monitor sample").contains("NO USERS CONNECTED"));
    assert_eq!(reduced(&file(&site, "HALTED", "MONDATA")).intervals.len(), 1);
    // A full disk: all messages that fit are there.
    let said = site.says("CMSUSER", "monwrite mondcss *monitor disk full mondata");
    let said = said + &site.passes("CMSUSER", 200);
    assert!(said.contains("DMSMOW107S Disk A(191) is full") && said.contains("Ready(00100);"), "{said}");
    assert!(said.contains("DMSMOW6261I"), "{said}");
    let report = reduced(&file(&site, "FULL", "MONDATA"));
    assert!(!report.intervals.is_empty());
    let checked = cms::good(&["check", &site.user_disk().to_string_lossy()]);
    assert!(!checked.contains("wrong"), "{checked}");
}

#[test]
fn what_cannot_be_is_told() {
    let Some(cms) = cms::nucleus() else { return };
    let mut site = Site::new(&cms, &[], &[]);
    begin(&mut site);
    for line in ["defseg readonly 700-710 sr", "saveseg readonly"] {
        site.says("MAINT", line);
    }
    for (line, told, code) in [
        ("monwrite", "DMSMOW6271E No saved segment specified", 24),
        ("monwrite mondcss", "DMSMOW050E Parameter missing after MONDCSS", 24),
        ("monwrite mondcss *monitor", "DMSMOW050E Parameter missing after *MONITOR", 24),
        ("monwrite mondcss *blockio disk", "DMSMOW070E Invalid parameter *BLOCKIO", 24),
        ("monwrite mondcss *monitor tape", "DMSMOW014E Invalid keyword TAPE", 24),
        ("monwrite mondcss *monitor disk a b a c", "DMSMOW070E Invalid parameter C", 24),
        ("monwrite nosuch *monitor disk a b", "DMSMOW1083E Saved segment NOSUCH does not exist", 44),
        ("monwrite mondcss *monitor disk a b q", "DMSMOW069E", 36),
        (
            "monwrite readonly *monitor disk a b",
            "DMSMOW6270E *MONITOR severed the IUCV connection, reason code 10",
            100,
        ),
    ] {
        let said = site.says("CMSUSER", line) + &site.passes("CMSUSER", 1);
        assert!(said.contains(told) && said.contains(&format!("Ready({code:05});")), "{line}: {said}");
    }
    site.says("CMSUSER", "monwrite mondcss *monitor disk a b");
    site.passes("CMSUSER", 1);
    site.says("CMSUSER", "monwstop");
    let said = site.says("CMSUSER", "monwrite mondcss *monitor disk a b");
    assert!(said.contains("DMSMOW024E File A B A1 already exists"), "{said}");
    // A user whose directory entry lacks the service, and the segment.
    ipl(&mut site, "LARGE");
    let said = site.says("LARGE", "access 191 a") + &site.says("LARGE", "monwrite mondcss *monitor disk x y");
    assert!(said.contains("DMSMOW037E"), "{said}");
}
