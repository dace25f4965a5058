//! An assembler for tests: instructions are written as the disassembler shows them.

use crate::encode;

/// Instructions, one a line (or between semicolons), in the disassembler's notation; `DC` gives bytes in hexadecimal,
/// and what follows two slashes is a comment.
pub fn assemble(source: &str) -> Vec<u8> {
    source.lines().map(|line| line.split("//").next().unwrap_or("")).flat_map(|l| l.split(';')).flat_map(line).collect()
}

fn line(text: &str) -> Vec<u8> {
    let (mnemonic, operands) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    if mnemonic.is_empty() {
        return Vec::new();
    }
    if mnemonic == "DC" {
        let digits: String = operands.chars().filter(char::is_ascii_hexdigit).collect();
        return (0..digits.len())
            .step_by(2)
            .map(|n| u8::from_str_radix(&digits[n..n + 2], 16).expect("pairs of digits"))
            .collect();
    }
    let row = isa::instructions().find(|row| row.mnemonic == mnemonic).unwrap_or_else(|| panic!("{mnemonic}?"));
    let fields = encode::fields(row);
    let mut values = operands.split([',', '(', ')']).map(str::trim).filter(|v| !v.is_empty()).map(number);
    let mut instruction = encode::blank(row);
    for name in row.operands().split(|c: char| !c.is_ascii_alphanumeric()).filter(|name| !name.is_empty()) {
        // Operands in brackets may be missing at the end.
        let Some(value) = values.next() else { break };
        let field = fields.iter().find(|(field, _, _)| format!("{field:?}") == name).expect("the format has it");
        let value = match name {
            "L" | "L1" | "L2" => value - 1,
            "RI2" => value / 2,
            _ => value,
        };
        encode::put_field(&mut instruction, *field, value as u64);
    }
    assert!(values.next().is_none(), "too many operands: {text}");
    instruction
}

fn number(text: &str) -> i64 {
    let text = text.trim_start_matches("*+").trim_start_matches('*');
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let value = match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    sign * value.unwrap_or_else(|_| panic!("{text} is no number"))
}
