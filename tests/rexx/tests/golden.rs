//! Programs written by hand, with what they print: TRACE and interactive debug, conditions, the variable interface,
//! external routines, errors, dates. `golden/NAME.rex` prints `golden/NAME.out` with `golden/NAME.in` typed. `BLESS=1`
//! records anew.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAMS: &[&str] = &["conditions", "interactive", "traceback", "clocks", "errors", "search"];

#[test]
fn programs_print_what_is_written_down() {
    let interpreter = rexx::build(Path::new(env!("CARGO_TARGET_TMPDIR")), "golden", &["-O1"]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let bless = std::env::var_os("BLESS").is_some();
    let mut complaints = Vec::new();
    for name in PROGRAMS {
        let file = |extension: &str| folder.join(format!("{name}.{extension}"));
        let typed = file("in");
        let input = if typed.exists() { Stdio::from(fs::File::open(typed).expect("it exists")) } else { Stdio::null() };
        let output = Command::new(&interpreter)
            .args(["-t", "-s", "60"])
            .arg(file("rex"))
            .stdin(input)
            .output()
            .expect("the program that was just built");
        let code = output.status.code();
        let text = format!("{}ended with {code:?}\n", rexx::shown(&[output.stdout, output.stderr].concat()));
        if bless {
            fs::write(file("out"), &text).expect("the repository is writable");
        } else if fs::read_to_string(file("out")).expect("every program is recorded") != text {
            complaints.push(format!("{name}:\n{text}"));
        }
    }
    rexx::forget(&interpreter);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
