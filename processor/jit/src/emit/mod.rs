//! From bodies to x86-64 code: registers, words, addresses, conditions, branches.

pub mod assembler;
pub mod block;
pub mod body;
pub mod branches;
pub mod conditions;
pub mod control;
pub mod emitter;
pub mod float_flags;
pub mod floating;
pub mod inline_forms;
pub mod loop_carried;
pub mod map;
pub mod partial_words;
pub mod recipes;
pub mod scratch;
pub mod second_page;
pub mod tlb_probes;
pub mod words;
