//! QUERY VIRTUAL of unit record devices and consoles. Programs take these lines apart by columns: the class at 13, CONT
//! at 15, the words FORM, DEST and DIST and what follows them. Linux takes its console's subchannel from the last line.

use directory::SpoolKind;
use unitrecord::{SharedUnit, lock_unit};
use virtualmachine::vmdbk::Vmdbk;

/// `NOHOLD` or `  HOLD`.
fn flag(on: bool, name: &str) -> String {
    if on { format!("  {name}") } else { format!("NO{name}") }
}

/// The lines of one device.
pub(super) fn lines(vmdbk: &Vmdbk, unit: &SharedUnit) -> Vec<String> {
    // The console and the channel subsystem are locked before a unit, not after it.
    let (vdev, kind, console, model, s, open, name) = {
        let unit = lock_unit(unit);
        let open = unit.open_file();
        (unit.vdev, unit.kind, unit.console, unit.device.clone(), unit.settings.clone(), open, unit.class_name())
    };
    let subchannel = vmdbk.machine().configuration.css().find(vdev);
    let subchannel = subchannel.map_or("NONE".into(), |id| format!("{:04X}", id.number()));
    let state = open.map_or("CLOSED   ".into(), |spid| format!("OPEN {spid:04}"));
    let (cont, hold, keep) = (flag(s.cont, "CONT"), flag(s.hold, "HOLD"), flag(s.keep, "KEEP"));
    if kind == SpoolKind::Reader {
        let (eof, rescan) = (flag(s.eof, "EOF"), flag(s.rescan, "RESCAN"));
        return vec![
            format!("RDR  {vdev:04X} CL {} {cont} {hold} {:<9}  READY", s.class, eof.trim_start()),
            format!("     {vdev:04X} {model:<4}             {state} {keep} {rescan} SUBCHANNEL = {subchannel}"),
        ];
    }
    let message = flag(s.messages, "MSG");
    let file = match (s.name.0.as_str(), s.name.1.as_str()) {
        ("", _) => "NONAME".to_string(),
        (first, second) => format!("NAME {first} {second}").trim_end().to_string(),
    };
    let owner = s.to.as_deref().unwrap_or(&vmdbk.userid);
    let to = if s.on_behalf && owner != vmdbk.userid { "FOR" } else { "TO" };
    let to = format!("{to} {owner:<8} {} DIST {:<8}", s.queue.name(), s.dist);
    let class = format!("{vdev:04X} CL {} {cont} {hold} COPY {:03}    READY FORM {}", s.class, s.copies, s.form);
    let mut lines = if console {
        let (place, show, record) = {
            let console = vmdbk.console();
            let place = console.terminal.as_ref().map_or("DISCONNECTED".into(), |t| format!("ON {}", t.device()));
            (place, if console.silent { "NOTERM" } else { "TERM" }, console.record.is_some())
        };
        vec![
            format!("CONS {vdev:04X} {place}  {show} {}", if record { "START" } else { "STOP" }),
            format!("     {class}"),
            format!("     {vdev:04X} {to}  FLASHC 000 DEST {}", s.dest),
            format!("     {vdev:04X} FLASH      CHAR      MDFY      0 FCB      LPP OFF"),
        ]
    } else {
        vec![
            format!("{name:<4} {class}"),
            format!("     {vdev:04X} {to}             DEST {}", s.dest),
            format!("     {vdev:04X} FLASH 000 CHAR MDFY 0 FCB"),
        ]
    };
    lines.push(format!("     {vdev:04X} {model:<4}   {} {state} {keep} {message} {file}", flag(s.eof, "EOF")));
    lines.push(format!("     {vdev:04X} SUBCHANNEL = {subchannel}"));
    lines
}
