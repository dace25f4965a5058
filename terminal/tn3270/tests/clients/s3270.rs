//! Real 3270 clients: `s3270` through a loopback socket.

use crate::server::{Client, INPUT, display_of, heading, installed, serve};
use tn3270::codepage::CodePage;
use tn3270::{Aid, Config, Event, Function, Functions, Model, Protocol, Response};

fn there() -> bool {
    installed("s3270", "-v")
}

/// The whole exercise with one client: sizes, text both ways, keys.
fn exercise(options: &[&str], host: &str, config: Config, size: (u16, u16), protocol: Protocol) -> tn3270::Display {
    let (port, log) = serve(config);
    let mut client = Client::connect(options, host, port);
    let (rows, cols) = size;

    let screen = client.screen();
    assert_eq!(screen.len(), rows as usize, "{screen:#?}");
    assert_eq!(screen[0], " WELCOME");
    assert_eq!(screen[1], format!(" {rows}x{cols} {} {protocol:?}", display_of(&log).device_name));
    assert_eq!(screen[3], " [brackets] {braces} ^ | ~ ! \\ ` é ¬ ¢");
    let last = &screen[rows as usize - 1];
    assert!(last.ends_with("LAST") && last.len() == cols as usize, "{last:?}");
    let (_, status) = client.act("Query(Cursor)");
    let words: Vec<&str> = status.split(' ').collect();
    // Keyboard unlocked, screen formatted, field unprotected; then rows and columns, and the cursor.
    assert_eq!(words[..3], ["U", "F", "U"], "{status}");
    assert_eq!(words[6..10], [rows, cols, INPUT.0, INPUT.1].map(|n| n.to_string()), "{status}");

    client.act("String(\"query [names] 'é'\")");
    client.press("Enter()");
    let position = INPUT.0 * cols + INPUT.1;
    let screen = client.screen();
    assert_eq!(screen[0], format!("{}{} query [names] 'é'", heading(Aid::Enter), position + 17));
    assert_eq!(screen[2], " query [names] 'é'", "the server's own copy of the screen");

    client.act("String(\"x\")");
    client.press("PF(1)");
    assert_eq!(client.screen()[0], format!("{}{} x", heading(Aid::Pf(1)), position + 1));
    client.press("PF(24)");
    assert_eq!(client.screen()[0], format!("{}{position}", heading(Aid::Pf(24))));
    client.press("PA(1)");
    assert_eq!(client.screen()[0], format!("{}0", heading(Aid::Pa(1))));
    client.press("PA(2)");
    assert_eq!(client.screen()[0], format!("{}0", heading(Aid::Pa(2))));
    client.press("Clear()");
    assert_eq!(client.screen()[0], format!("{}0", heading(Aid::Clear)));
    assert_eq!(client.screen().len(), rows as usize);

    let display = display_of(&log);
    // In TN3270E, s3270 has an ATTN key only when there is a BIND.
    if protocol == Protocol::Tn3270 || display.functions.has(Function::BindImage) {
        client.act("Attn()");
        client.wait_for(" ATTENTION");
    }
    let log = log.lock().expect("the log");
    assert!(!log.iter().any(|e| matches!(e, Event::Closed(_))), "{log:#?}");
    if display.functions.has(Function::Responses) {
        let good = |e: &&Event| matches!(e, Event::Response { response: Response::Positive, .. });
        // One for each screen; the last may still be on its way.
        assert!(log.iter().filter(good).count() >= 6, "{log:#?}");
    }
    display
}

const SIZES: [(&str, u16, u16, Model); 4] =
    [("2", 24, 80, Model::M2), ("3", 32, 80, Model::M3), ("4", 43, 80, Model::M4), ("5", 27, 132, Model::M5)];

#[test]
fn every_model_with_tn3270e() {
    if !there() {
        return;
    }
    for (number, rows, cols, model) in SIZES {
        for machine in ["3278", "3279"] {
            let name = format!("{machine}-{number}");
            let display = exercise(&["-model", &name], "", Config::default(), (rows, cols), Protocol::Tn3270e);
            assert_eq!((display.model, display.rows, display.cols), (model, rows, cols));
            assert_eq!(display.functions, Functions::DISPLAY);
            assert!(display.extended && display.highlighting);
            assert_eq!(display.color, machine == "3279", "{:#?}", display.query);
        }
    }
}

#[test]
fn every_model_without_bind_image() {
    if !there() {
        return;
    }
    let functions = Functions::DISPLAY.without(Function::BindImage);
    for (number, rows, cols, _) in SIZES {
        let config = Config { functions, ..Config::default() };
        let display = exercise(&["-model", number], "", config, (rows, cols), Protocol::Tn3270e);
        assert_eq!(display.functions, functions);
    }
}

#[test]
fn every_model_with_classic_tn3270() {
    if !there() {
        return;
    }
    for (number, rows, cols, model) in SIZES {
        let display = exercise(&["-model", number], "N:", Config::default(), (rows, cols), Protocol::Tn3270);
        assert_eq!((display.model, display.functions), (model, Functions::NONE));
    }
}

#[test]
fn a_server_that_does_not_offer_tn3270e() {
    if there() {
        let config = Config { tn3270e: false, ..Config::default() };
        exercise(&[], "", config, (43, 80), Protocol::Tn3270);
    }
}

#[test]
fn a_terminal_without_the_extended_data_stream() {
    if there() {
        // The prefix S: is s3270's for a terminal without extended attributes.
        for (prefix, protocol) in [("S:", Protocol::Tn3270e), ("S:N:", Protocol::Tn3270)] {
            let display = exercise(&["-model", "3"], prefix, Config::default(), (32, 80), protocol);
            assert!(!display.extended && display.query.is_empty());
        }
    }
}

#[test]
fn sizes_of_their_own() {
    if !there() {
        return;
    }
    for prefix in ["", "N:"] {
        let protocol = if prefix.is_empty() { Protocol::Tn3270e } else { Protocol::Tn3270 };
        let options = ["-model", "2", "-oversize", "140x62"];
        let display = exercise(&options, prefix, Config::default(), (62, 140), protocol);
        assert_eq!(display.model, Model::Dynamic);
        // More positions than a 12-bit address reaches.
        let options = ["-model", "5", "-oversize", "160x100"];
        exercise(&options, prefix, Config::default(), (100, 160), protocol);
    }
}

#[test]
fn a_device_name() {
    if there() {
        let display = exercise(&["-model", "2"], "GRAF01@", Config::default(), (24, 80), Protocol::Tn3270e);
        assert_eq!(display.device_name, "GRAF01");
        let display = exercise(&["-model", "2"], "N:GRAF01@", Config::default(), (24, 80), Protocol::Tn3270);
        assert_eq!(display.device_name, "GRAF01");
    }
}

#[test]
fn code_page_037_without_the_bracket_variant() {
    if there() {
        let config = Config { code_page: CodePage::Cp037, ..Config::default() };
        exercise(&["-model", "2", "-codepage", "cp037"], "", config, (24, 80), Protocol::Tn3270e);
    }
}

#[test]
fn the_sysreq_key() {
    if !there() {
        return;
    }
    let (port, _log) = serve(Config::default());
    let mut client = Client::connect(&["-model", "2"], "", port);
    client.act("SysReq()");
    client.wait_for(" SYSREQ");
}
