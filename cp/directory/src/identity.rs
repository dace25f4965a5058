//! IDENTITY, BUILD and SUBCONFIG: a virtual machine that each system of a cluster has in a form of its own.
//!
//! What is here is one system, so an IDENTITY becomes a user: its own statements, and those of the SUBCONFIG that its
//! first BUILD names. Other BUILDs are for other members; they and their SUBCONFIGs are told as not used. (z/VM, CP
//! Planning and Administration, "Overview of the User Directory": the definition is the identity entry, any included
//! profile, and the subconfiguration entries.)

use crate::operands::{Problem, problem};
use crate::source::Statement;
use crate::table::{Position, row_of};
use std::collections::HashMap;

/// A source in which each IDENTITY has what its SUBCONFIG says.
#[derive(Default)]
pub(crate) struct Resolved {
    pub(crate) statements: Vec<Statement>,
    /// SUBCONFIGs: the line of each, the line of the IDENTITY that has it (its own if none has), and that one's name.
    pub(crate) parts: Vec<(usize, usize, String)>,
    pub(crate) wrong: Vec<Wrong>,
    /// What is for other members: its line, the user, the statement.
    pub(crate) unused: Vec<(usize, String, String)>,
}

/// A mistake in one of the three statements.
pub(crate) struct Wrong {
    pub(crate) line: usize,
    pub(crate) user: String,
    pub(crate) statement: &'static str,
    pub(crate) problem: Problem,
}

/// A user or the like, and its statements, the first of which begins it.
type Block = Vec<Statement>;

/// Puts the statements of SUBCONFIGs where they belong.
pub(crate) fn resolve(statements: Vec<Statement>) -> Resolved {
    if !statements.iter().any(|statement| is(statement, "IDENTITY") || is(statement, "SUBCONFIG")) {
        return Resolved { statements, ..Resolved::default() };
    }
    let mut resolved = Resolved::default();
    let (mut parts, mut owners): (HashMap<String, Block>, _) = (HashMap::new(), Vec::new());
    for block in blocks(statements) {
        match block.first().filter(|first| is(first, "SUBCONFIG")) {
            Some(first) => {
                let (line, id) = (first.line, first.word(1).unwrap_or_default());
                match sub_configuration(first, &id, parts.contains_key(&id)) {
                    Ok(()) => drop(parts.insert(id, block)),
                    Err(problem) => {
                        resolved.parts.push((line, line, id.clone()));
                        resolved.wrong.push(Wrong { line, user: id, statement: "SUBCONFIG", problem });
                    }
                }
            }
            None => owners.push(block),
        }
    }
    for block in owners {
        match block.first().filter(|first| is(first, "IDENTITY")).map(|first| (first.line, first.word(1))) {
            Some((line, name)) => resolved.identity(block, line, &name.unwrap_or_default(), &mut parts),
            None => resolved.statements.extend(block),
        }
    }
    for (id, block) in parts {
        let line = block[0].line;
        resolved.unused.push((line, id.clone(), "SUBCONFIG".into()));
        resolved.parts.push((line, line, id));
    }
    resolved.unused.sort();
    resolved
}

fn is(statement: &Statement, name: &str) -> bool {
    row_of(statement).is_some_and(|row| row.name == name)
}

fn blocks(statements: Vec<Statement>) -> Vec<Block> {
    let mut blocks = vec![Block::new()];
    for statement in statements {
        if row_of(&statement).is_some_and(|row| row.position == Position::Begin) {
            blocks.push(Block::new());
        }
        blocks.last_mut().expect("there is one from the beginning").push(statement);
    }
    blocks
}

/// SUBCONFIG id
fn sub_configuration(statement: &Statement, id: &str, again: bool) -> Result<(), Problem> {
    let legal = |c: char| c.is_ascii_alphanumeric() || "@#$_-".contains(c);
    match statement.len() {
        2 if again => Err(problem(format!("{id} is there already"), "another name")),
        2 if (1..=8).contains(&id.len()) && id.chars().all(legal) => Ok(()),
        2 => Err(problem("the name is not valid", "a name of 1 to 8 letters, digits and @#$_-")),
        _ => Err(problem("the operands are not valid", "SUBCONFIG and a name of 1 to 8 characters")),
    }
}

/// BUILD ON member|* USING SUBCONFIG id: the member and the name.
fn build(statement: &Statement) -> Result<(String, String), Problem> {
    let words: Vec<String> = (1..statement.len()).filter_map(|n| statement.word(n)).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["ON", member, "USING", "SUBCONFIG", id] => Ok((member.to_string(), id.to_string())),
        _ => Err(problem("the operands are not valid", "BUILD ON *|member USING SUBCONFIG name")),
    }
}

impl Resolved {
    /// An IDENTITY in `block` becomes a user with what its SUBCONFIG says.
    fn identity(&mut self, block: Block, line: usize, name: &str, parts: &mut HashMap<String, Block>) {
        let (builds, mut own): (Block, Block) = block.into_iter().partition(|statement| is(statement, "BUILD"));
        let mut chosen = None;
        for statement in &builds {
            let mut wrong = |problem| {
                self.wrong.push(Wrong { line: statement.line, user: name.into(), statement: "BUILD", problem });
            };
            match build(statement) {
                Err(problem) => wrong(problem),
                Ok((member, _)) if chosen.is_some() => {
                    self.unused.push((statement.line, name.into(), format!("BUILD ON {member}")));
                }
                Ok((_, id)) => match parts.remove(&id) {
                    Some(part) => chosen = Some(part),
                    None => wrong(problem(
                        format!("there is no SUBCONFIG {id}, or another IDENTITY has it"),
                        "the name of a SUBCONFIG of its own",
                    )),
                },
            }
        }
        let Some(mut part) = chosen else { return self.statements.extend(own) };
        self.parts.push((part[0].line, line, name.into()));
        part.remove(0);
        // Control statements stand before device statements, in either and in both together.
        let devices = |block: &Block| {
            let device = |statement: &Statement| row_of(statement).is_some_and(|row| row.position == Position::Device);
            block.iter().position(device).unwrap_or(block.len())
        };
        let (own_devices, part_devices) = (own.split_off(devices(&own)), part.split_off(devices(&part)));
        self.statements.extend([own, part, own_devices, part_devices].into_iter().flatten());
    }
}
