//! CMS's assembler (`guest/cms/assemble`) as a program of this host: what it lists of small sources
//! (`tests/assembler/assemblies.txt`, which `BLESS=1` writes anew), each instruction of its table against the GNU
//! assembler, and sources that chance has spoiled, which end in messages and in nothing else.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use fuzz::chance::Chance;

/// The assembler built with these flags; `None`, with a sentence, where the C compiler does not take them.
fn assembler(name: &str, flags: &[&str]) -> Option<PathBuf> {
    let (source, folder) = (cms::source(), cms::scratch().join(name));
    std::fs::create_dir_all(&folder).expect("the folder of the tests can be written to");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let own = |part: &str| {
        let files =
            std::fs::read_dir(source.join(part)).expect("the folder is there").map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect::<Vec<_>>()
    };
    let mut ebcdic = own("assemble");
    ebcdic.extend(
        ["assemble/host/host.c", "lib/format.c", "lib/text.c", "nucleus/message.c"].map(|file| source.join(file)),
    );
    let ascii = ["assemble/host/main.c", "host/ebcdic.c"].map(|file| source.join(file));
    let mut objects = Vec::new();
    for (files, set) in [(&ebcdic[..], "-fexec-charset=IBM037"), (&ascii[..], "-fexec-charset=ASCII")] {
        for file in files {
            let object = folder.join(format!("{}.o", objects.len()));
            let mut cc = Command::new(&compiler);
            cc.args(["-std=gnu11", "-O1", "-funsigned-char", "-Wall", "-Wextra", "-Wno-pointer-to-int-cast", set])
                .args(flags);
            let output = cc.arg("-I").arg(cms::made()).arg("-c").arg(file).arg("-o").arg(&object).output();
            if !output.is_ok_and(|output| output.status.success()) {
                println!("skipped: {compiler} does not compile {} with {set} {flags:?}", file.display());
                return None;
            }
            objects.push(object);
        }
    }
    let program = folder.join("assembler");
    let linked = Command::new(&compiler).args(flags).args(&objects).arg("-o").arg(&program).status();
    assert!(linked.is_ok_and(|status| status.success()), "the assembler cannot be linked");
    Some(program)
}

/// A row of the assembler's table: mnemonic, format, operands.
fn rows() -> Vec<(String, String, String)> {
    let text = std::fs::read_to_string(cms::source().join("assemble/opcodes.c")).expect("the table is there");
    let (rows, lists) = text.split_once("operand_lists[] = {").expect("the lists are behind the table");
    let lists: Vec<&str> =
        lists.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\",")).collect();
    let row = |row: &str| {
        let [name, _, format, list] = row.split(" }").next()?.split(", ").collect::<Vec<_>>()[..] else { return None };
        let list = list.parse::<usize>().ok()?;
        Some((name.trim_matches('"').into(), format.trim_start_matches("FORMAT_").into(), lists[list].into()))
    };
    rows.split("{ ").filter_map(row).collect()
}

/// The operands of a list, by chance: registers that may begin pairs, so that the other assembler takes them.
fn operand(item: &str, format: &str, chance: &mut Chance) -> String {
    let mut below = |n: usize| chance.below(n);
    let wide = matches!(format, "RSYa" | "RSYb" | "RXYa" | "RXYb") || format == "SIY";
    let displacement = if wide { below(0x10_0000) as i64 - 0x8_0000 } else { below(4096) as i64 };
    let base = 1 + below(15);
    match item.as_bytes()[0] {
        b'D' => match item[3..item.len() - 1].split_once(',') {
            None => format!("{displacement}({base})"),
            Some((first, _)) => {
                let most = if first == "L" && format != "RSLa" { 256 } else { 16 };
                let first = if first.starts_with('L') { 1 + below(most) } else { 1 + below(15) };
                format!("{displacement}({first},{base})")
            }
        },
        b'R' if item == "RI2" => format!("*{:+}", 2 * below(4000) as i64 - 4000),
        b'R' => (4 * below(4)).to_string(),
        b'M' => below(16).to_string(),
        b'I' => match format {
            "RILa" => (below(1 << 32) as i64 - (1 << 31)).to_string(),
            "RIEc" | "RIS" | "SI" | "SIY" => (below(256) as i64 - 128).to_string(),
            _ => (below(65536) as i64 - 32768).to_string(),
        },
        _ => match format {
            "RILa" => below(1 << 31).to_string(),
            "SSc" => below(16).to_string(),
            "RIEf" => below(64).to_string(),
            "SI" | "SIY" | "I" | "RIEc" | "RIS" => below(256).to_string(),
            _ => below(65536).to_string(),
        },
    }
}

fn operands(list: &str, format: &str, chance: &mut Chance) -> String {
    // What may be left out is.
    let list = list.split('[').next().unwrap_or_default();
    let (mut items, mut depth) = (vec![String::new()], 0);
    for c in list.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if c == ',' && depth == 0 {
            items.push(String::new());
        } else {
            items.last_mut().expect("there is one").push(c);
        }
    }
    items.iter().filter(|item| !item.is_empty()).map(|item| operand(item, format, chance)).collect::<Vec<_>>().join(",")
}

/// The bytes of the GNU assembler, and the lines (from 1) that it does not take: instructions that it does not know.
fn theirs(lines: &[String], folder: &Path) -> Option<(Vec<u8>, HashSet<usize>)> {
    let (source, object, binary) = (folder.join("o.s"), folder.join("o.o"), folder.join("o.bin"));
    let mut unknown = HashSet::new();
    for _ in 0..10 {
        let text = lines.iter().enumerate().fold(String::new(), |mut text, (n, line)| {
            let _ = writeln!(text, "\t{}", if unknown.contains(&(n + 1)) { "nopr 0" } else { line });
            text
        });
        std::fs::write(&source, text).expect("the folder is there");
        let output = Command::new("s390x-linux-gnu-as")
            .args(["-m64", "-march=arch13"])
            .arg(&source)
            .arg("-o")
            .arg(&object)
            .output()
            .ok()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("Fatal"), "{said}");
        let bad = said
            .lines()
            .filter(|line| line.contains("Error"))
            .filter_map(|line| line.split(':').nth(1)?.parse::<usize>().ok());
        let before = unknown.len();
        unknown.extend(bad);
        if unknown.len() == before {
            let copied = Command::new("s390x-linux-gnu-objcopy")
                .args(["-O", "binary", "-j", ".text"])
                .arg(&object)
                .arg(&binary)
                .status();
            copied.ok().filter(|status| status.success())?;
            return Some((std::fs::read(&binary).ok()?, unknown));
        }
    }
    None
}

#[test]
fn every_instruction_is_what_the_gnu_assembler_makes_of_it() {
    let Some(program) = assembler("plain", &[]) else { return };
    if Command::new("s390x-linux-gnu-as").arg("--version").output().is_err() {
        println!("skipped: there is no s390x-linux-gnu-as");
        return;
    }
    let folder = cms::scratch().join("plain");
    let mut chance = Chance::new(1);
    let mut lines: Vec<(String, String)> = Vec::new();
    for (name, format, list) in rows() {
        for _ in 0..3 {
            lines.push((name.clone(), operands(&list, &format, &mut chance)));
        }
    }
    for condition in ["", "O", "H", "P", "L", "M", "NE", "NZ", "E", "Z", "NL", "NM", "NH", "NP", "NO"] {
        for (name, operands) in
            [(format!("B{condition}"), "100(2,3)"), (format!("B{condition}R"), "7"), (format!("J{condition}"), "*+20")]
        {
            lines.push((name, operands.into()));
        }
    }
    let source = folder.join("o.asm");
    let ours = lines
        .iter()
        .fold("X        CSECT\n".to_owned(), |text, (name, rest)| format!("{text}         {name:5} {rest}\n"));
    std::fs::write(&source, ours + "         END\n").expect("the folder is there");
    let output = Command::new(program).arg(&source).output().expect("it was just built");
    let listing = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{:?}",
        listing.lines().filter(|line| line.contains("DMSASM")).take(5).collect::<Vec<_>>()
    );
    // Of statements without a name that have become something: the object code.
    let made = |line: &&str| {
        line.starts_with(' ') && line.len() > 50 && !line[8..10].contains(' ') && line[41..50].trim().is_empty()
    };
    let code: Vec<String> = listing.lines().filter(made).map(|line| line[8..22].replace(' ', "")).collect();
    let gnu: Vec<String> =
        lines.iter().map(|(name, rest)| format!("{} {}", name.to_lowercase(), rest.replace('*', "."))).collect();
    let Some((bytes, unknown)) = theirs(&gnu, &folder) else { panic!("the GNU assembler takes no end") };
    assert_eq!(code.len(), lines.len(), "each instruction is in the listing");
    let (mut at, mut compared) = (0, 0);
    for (n, (line, code)) in lines.iter().zip(&code).enumerate() {
        if unknown.contains(&(n + 1)) {
            at += 2;
            continue;
        }
        let length = code.len() / 2;
        let other: String = bytes[at..at + length].iter().map(|byte| format!("{byte:02X}")).collect();
        assert_eq!(*code, other, "{} {}", line.0, line.1);
        at += length;
        compared += 1;
    }
    assert!(compared > 2800 && unknown.len() < 300, "{compared} were compared, {} not known", unknown.len());
}

const SANITIZED: [&str; 3] = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];

/// The statements of one source, and what is listed of it but for headings.
fn listed(program: &Path, source: &[&str]) -> String {
    let path = program.with_file_name("listed.asm");
    std::fs::write(&path, source.join("\n") + "\n").expect("the folder is there");
    let output = Command::new(program).arg(&path).output().expect("it was just built");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.is_empty(), "{}: {errors}", source.join("\n"));
    let heading = |line: &&str| line.starts_with(['1', '0']) || line.trim().is_empty();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter(|line| !heading(line)).fold(String::new(), |all, line| format!("{all}<{}\n", line.trim_end()))
}

#[test]
fn what_the_assembler_lists() {
    let Some(program) = assembler("listed", &SANITIZED) else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/assembler/assemblies.txt");
    let text = std::fs::read_to_string(&path).expect("the file is there");
    let (mut told, mut source) = (String::new(), Vec::new());
    for line in text.lines().filter(|line| !line.starts_with('<')).chain(["-- the end"]) {
        if !line.starts_with('>') && !source.is_empty() {
            told += &listed(&program, &source);
            source.clear();
        }
        source.extend(line.strip_prefix("> "));
        if line != "-- the end" {
            told += &format!("{line}\n");
        }
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &told).expect("it can be written");
    }
    let differs = text.lines().zip(told.lines()).find(|(was, is)| was != is);
    assert!(told == text, "{}: {differs:?} (BLESS=1 accepts)", path.display());
}

#[test]
fn spoiled_sources_end_in_messages() {
    let Some(program) = assembler("checked", &SANITIZED) else { return };
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/assembler");
    let count = std::env::var("ENDICOTT_ASSEMBLIES").unwrap_or_else(|_| "1500".into());
    let seed = std::env::var("ENDICOTT_SEED").unwrap_or_else(|_| "1".into());
    let output = Command::new(program)
        .args(["-f", &seed, &count])
        .args(["everything.asm", "macros.asm"].map(|name| corpus.join(name)))
        .output()
        .expect("it was just built");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.starts_with(&format!("{count} assemblies")), "{said}");
}
