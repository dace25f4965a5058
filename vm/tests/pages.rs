//! Pages for browsers of the whole program: a WebSocket client, 200 of them, clients that send anything, curl by TLS,
//! and headless Chromium.

mod support;

use ::support::Random;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;
use support::pages::{Browser, Glass, ask, cookie};
use support::{System, endicott};

const ENTER: u8 = 0x7d;
/// Where the logo's fields begin, and CP's input area of a model 2.
const USERID: (u16, u16) = (19, 15);
const PASSWORD: (u16, u16) = (20, 15);
const INPUT: (u16, u16) = (22, 0);

/// The address of a system's pages.
fn pages(system: &System) -> String {
    let log = system.log();
    let at = log.split("Pages for browsers at http://").nth(1).unwrap_or_else(|| panic!("no pages: {log}"));
    at.split_whitespace().next().expect("an address").to_string()
}

/// Where pages are served.
const HTTP: [&str; 2] = ["--http", "127.0.0.1:0"];

#[test]
fn a_websocket_is_a_terminal() {
    let system = System::start_with(support::sample("pages-terminal"), &HTTP);
    let address = pages(&system);
    let cookie = cookie(&address, "MAINT");
    let mut glass = Glass::open(&address, &cookie);
    glass.until("COMMAND  ===>");
    glass.enter(ENTER, &[(USERID, "MAINT"), (PASSWORD, "MAINT")]);
    glass.until("LOGON AT");
    glass.enter(ENTER, &[(INPUT, "QUERY USERID")]);
    glass.until("MAINT    AT ENDICOTT");
    // The same user by another way is seen by the operator's page.
    let operator = support::pages::cookie(&address, "OPERATOR");
    let terminal = || {
        let (_, text) = ask(&address, "GET", "/api/users", &operator, "");
        let users: Value = serde_json::from_str(&text).expect("JSON");
        users.as_array().expect("a list").iter().find(|user| user["userid"] == "MAINT").expect("MAINT")["terminal"]
            .clone()
    };
    let at = terminal();
    assert!(at.as_str().is_some_and(|at| at.starts_with("LDEV L")), "{at}");
    let (_, text) = ask(&address, "GET", "/api/log", &operator, "");
    assert!(text.contains("LOGON  AS  MAINT"), "{text}");
    // A look at a console begins its lines.
    let path = "/api/consoles/MAINT";
    ask(&address, "GET", path, &operator, "");
    glass.enter(ENTER, &[(INPUT, "QUERY CPLEVEL")]);
    glass.until("IPL at");
    let (_, text) = ask(&address, "GET", path, &operator, "");
    assert!(text.contains("IPL at"), "{text}");
    assert!(!text.contains("QUERY CPLEVEL"), "what is typed is not shown: {text}");
    let (_, text) = ask(&address, "GET", "/api/disks", &operator, "");
    assert!(text.contains("\"owner\":\"MAINT\""), "{text}");
    // Logging off takes the terminal away; the virtual machine stays.
    let (head, _) = ask(&address, "DELETE", "/api/session", &cookie, "");
    assert!(head.starts_with("HTTP/1.1 204"), "{head}");
    assert_eq!(glass.end(), Some(1008), "the session has ended");
    support::pages::until(|| terminal().is_null(), "MAINT is disconnected");
}

/// What is secret is in the cookie alone: no line of the program, of the operator or of an answer has it.
#[test]
fn secrets_are_told_nowhere() {
    const SECRET: &str = "HUSH4711";
    let folder = support::sample("pages-secrets");
    let file = folder.join("USER DIRECT");
    let text = fs::read_to_string(&file).expect("a directory");
    fs::write(&file, text + &format!("USER QUIET {SECRET} 1M 1M ABCDEG\n INCLUDE DEFAULT\n"))
        .expect("it can be written");
    let system = System::start_with(folder, &HTTP);
    let address = pages(&system);
    let mut told = String::new();
    for (user, password) in [("QUIET", "HUSH0815"), (SECRET, SECRET), ("QUIET", SECRET)] {
        let body = serde_json::json!({"userid": user, "password": password}).to_string();
        let (head, text) = ask(&address, "POST", "/api/session", "", &body);
        assert_eq!(head.starts_with("HTTP/1.1 200"), user == "QUIET" && password == SECRET, "{head}");
        told += &text;
    }
    let cookie = support::pages::cookie_of(&address, "QUIET", SECRET);
    let token = cookie.split('=').nth(1).expect("a value").to_string();
    let mut glass = Glass::open(&address, &cookie);
    glass.until("COMMAND  ===>");
    glass.enter(ENTER, &[(USERID, "QUIET"), (PASSWORD, SECRET)]);
    told += &glass.until("LOGON AT");
    for path in
        ["/", "/main.js", "/api/session", "/api/users", "/api/log", "/api/consoles/QUIET", "/api/counters", "/metrics"]
    {
        let (head, text) = ask(&address, "GET", path, &cookie, "");
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        told += &(head + &text);
    }
    told += &system.log();
    assert!(told.contains("QUIET"), "{told}");
    for secret in [SECRET, "HUSH0815", &token] {
        assert!(!told.contains(secret), "{secret} in {told}");
    }
}

/// Seeded bytes as requests and as a terminal's: CP and the next client do not notice.
#[test]
fn clients_that_send_anything_leave_the_system_whole() {
    let system = System::start_with(support::sample("pages-anything"), &HTTP);
    let address = pages(&system);
    let cookie = cookie(&address, "MAINT");
    let mut random = Random::seeded(4711);
    let head = format!("GET /api/terminal HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\n\r\n");
    // Telnet's commands and a 3270's keys are among the bytes more often than by chance.
    let marks: [&[u8]; 8] = [
        &[255, 251, 40],
        &[255, 250, 40, 2, 7],
        b"IBM-3278-5-E",
        &[255, 240],
        &[255, 239],
        &[0, 0, 0, 0, 0, 0x7d, 0x40, 0x40],
        &[0x11, 0xff, 0xff],
        &[255, 243],
    ];
    for _ in 0..60 {
        let mut glass = Glass::open(&address, &cookie);
        for _ in 0..random.below(20) {
            let length = random.below(200);
            let mut bytes = random.bytes(length);
            bytes.extend_from_slice(random.pick(&marks));
            if !glass.try_send(&bytes) {
                break;
            }
        }
        let mut bytes = head.clone().into_bytes();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = random.byte();
        }
        let mut stream = TcpStream::connect(&address).expect("pages are served");
        stream.set_read_timeout(Some(Duration::from_millis(50))).expect("a time");
        let _ = stream.write_all(&bytes);
        let _ = stream.read(&mut [0; 1024]);
    }
    let mut glass = Glass::open(&address, &cookie);
    glass.until("COMMAND  ===>");
    glass.enter(ENTER, &[(USERID, "MAINT"), (PASSWORD, "MAINT")]);
    glass.until("LOGON AT");
    assert!(!system.log().contains("panicked"), "{}", system.log());
}

/// What curl says of a request with these words.
fn curl(words: &[&str]) -> (bool, String) {
    let done =
        Command::new("curl").args(["--silent", "--show-error", "--include", "--max-time", "30"]).args(words).output();
    let done = done.expect("curl starts");
    (done.status.success(), String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr))
}

#[test]
fn curl_sees_pages_by_tls() {
    if !support::has_openssl() {
        return;
    }
    if Command::new("curl").arg("--version").output().is_err() {
        println!("skipped: curl is not installed (Debian package of the same name)");
        return;
    }
    let folder = support::sample("pages-tls");
    support::certificate(&folder);
    let system = System::start_with(folder, &HTTP);
    let log = system.log();
    let page =
        log.split_whitespace().find(|word| word.starts_with("https://127.0.0.1:")).unwrap_or_else(|| panic!("{log}"));
    let trusted = ["--cacert", &system.folder.join("server.pem").display().to_string()].map(String::from);
    let curl = |words: &[&str]| curl(&[&[trusted[0].as_str(), &trusted[1]], words].concat());
    let session = format!("{page}/api/session");
    let (good, text) = curl(&["--user", "maint:MAINT", &session]);
    assert!(good && text.starts_with("HTTP/1.1 200") && text.contains("\"userid\":\"MAINT\""), "{text}");
    let origin = format!("origin: {page}");
    let json = r#"{"userid":"maint","password":"MAINT"}"#;
    let log_on = ["--header", &origin, "--header", "content-type: application/json", "--data", json, &session];
    let (good, text) = curl(&log_on);
    assert!(good && text.starts_with("HTTP/1.1 200"), "{text}");
    let cookie = text.lines().find(|line| line.starts_with("set-cookie: ")).expect("a cookie");
    assert!(cookie.trim_end().ends_with("; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
    let (good, text) = curl(&["--user", "maint:MAINT", &session.replacen("https", "http", 1)]);
    assert!(!good, "nothing is said without TLS: {text}");
    let mut run = endicott();
    run.args(["run", "--headless", "--tn3270", "127.0.0.1:0", "--http-plain", "--http", "127.0.0.1:0", "--system"]);
    let folder = support::sample("pages-tls-plain");
    support::certificate(&folder);
    let done = run.arg(&folder).output().expect("endicott starts");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(!done.status.success() && said.contains("leave --http-plain out"), "{said}");
    let _ = fs::remove_dir_all(&folder);
}

/// Two hundred terminals at once, all of them logged on at once.
#[test]
fn two_hundred_sit_in_browsers() {
    const SEATS: usize = 200;
    let users = |n: usize| format!("WEB{n:04}");
    let folder = support::sample("pages-many");
    let file = folder.join("USER DIRECT");
    let mut text = fs::read_to_string(&file).expect("a directory");
    (0..SEATS).for_each(|n| text += &format!("USER {0} NOPASS 1M 1M G\n INCLUDE DEFAULT\n", users(n)));
    fs::write(&file, text).expect("it can be written");
    let system = System::start_with(folder, &HTTP);
    let address = pages(&system);
    // A user may have 64 terminals.
    let cookies = ["OPERATOR", "MAINT", "LINUX1", "LINUX2"].map(|user| cookie(&address, user));
    let together = Barrier::new(SEATS);
    thread::scope(|scope| {
        for n in 0..SEATS {
            let (address, cookie, together) = (&address, &cookies[n % cookies.len()], &together);
            scope.spawn(move || {
                let mut glass = Glass::open(address, cookie);
                glass.until("COMMAND  ===>");
                glass.enter(ENTER, &[(USERID, &users(n))]);
                glass.until("LOGON AT");
                together.wait();
                glass.enter(ENTER, &[(INPUT, "QUERY USERID")]);
                glass.until(&format!("{:8} AT ENDICOTT", users(n)));
                together.wait();
            });
        }
    });
    let operator = support::pages::cookie(&address, "OPERATOR");
    let (_, text) = ask(&address, "GET", "/api/counters", &operator, "");
    let counters: Value = serde_json::from_str(&text).expect("JSON");
    assert!(counters["users"].as_u64().is_some_and(|users| users >= SEATS as u64), "{counters}");
}

/// A browser logs on, edits a file in XEDIT, and sees a curve move.
#[test]
fn chromium_edits_a_file_and_sees_a_curve_move() {
    let has_cms = support::cms().is_some();
    let words: &[&str] = if has_cms { &[] } else { &["--without-cms"] };
    let system = System::start_with(support::sample_with("pages-chromium", words), &HTTP);
    let address = pages(&system);
    let profile = system.folder.join("chromium");
    let Some(mut browser) = Browser::open(&format!("http://{address}/"), &profile) else { return };
    let log_on = |browser: &mut Browser, user: &str| {
        browser.until("document.activeElement?.id === 'userid'");
        browser.types(user);
        browser.value("document.getElementById('password').focus()");
        browser.types(user);
        browser.press("Enter", 13);
        browser.until_shown("COMMAND  ===>");
    };
    log_on(&mut browser, "cmsuser");
    browser.types("cmsuser");
    browser.press("Tab", 9);
    browser.types("cmsuser");
    browser.press("Enter", 13);
    browser.until_shown("RUNNING");
    // Without CMS there is CP, and no editor.
    if has_cms {
        browser.until_shown("Ready;");
        browser.types("xedit web script");
        browser.press("Enter", 13);
        browser.until_shown("End of File");
        browser.types("input typed in a browser: [a] {b} | \u{a2}");
        browser.press("Enter", 13);
        browser.until_shown("===== typed in a browser: [a] {b} | \u{a2}");
        browser.types("file");
        browser.press("Enter", 13);
        browser.until_shown("Ready;");
        browser.types("type web script");
        browser.press("Enter", 13);
        browser.until_shown("\ntyped in a browser: [a] {b}");
    }
    assert_eq!(browser.value("document.querySelectorAll('#tabs button').length"), 1, "class G has its terminal alone");
    let page = browser.value("document.documentElement.outerHTML + location.href + document.cookie").to_string();
    assert!(!page.contains("value=\\\"cmsuser"), "no password stays in the page");
    assert_eq!(browser.value("document.cookie"), "", "scripts do not see the session");
    browser.value("document.getElementById('off').click()");
    log_on(&mut browser, "operator");
    browser.value("document.querySelector('#tabs button[data-view=counters]').click()");
    let points = "(document.querySelector('.curve polyline')?.getAttribute('points').split(' ').length ?? 0)";
    browser.until(&format!("{points} >= 2"));
    let before = browser.value(points);
    browser.until(&format!("{points} > {before}"));
    for (view, mark) in [("users", "DISKACNT"), ("disks", "VMRES"), ("log", "HTTP AT"), ("spool", "Owner")] {
        browser.value(&format!("document.querySelector('#tabs button[data-view={view}]').click()"));
        browser.until(&format!("document.getElementById('part').innerText.includes('{mark}')"));
    }
}

#[test]
fn pages_that_cannot_be_served_say_what_to_do() {
    let folder = support::sample("pages-refused");
    for (words, remedy) in [
        (&["--http", "0.0.0.0:0"][..], "give SYSTEM CONFIG a TLS statement"),
        (&["--http", "nowhere"], "--http takes an address and a port"),
        (&["--http-plain"], "--http"),
    ] {
        let mut run = endicott();
        run.args(["run", "--headless", "--tn3270", "127.0.0.1:0", "--system"]).arg(&folder).args(words);
        let done = run.output().expect("endicott starts");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!done.status.success() && said.contains(remedy), "{words:?}: {said}");
    }
    let _ = fs::remove_dir_all(&folder);
}
