//! From bodies to x86-64 code by the plan: registers, words, addresses, conditions, branches.

pub mod arms;
pub mod assembler;
pub mod block;
pub mod body;
pub mod branches;
pub mod conditions;
pub mod control;
pub mod copies;
pub mod emitter;
pub mod exits;
pub mod float_flags;
pub mod floating;
pub mod inline_forms;
pub mod loop_carried;
pub mod map;
pub mod notes;
pub mod partial_words;
pub mod recipes;
pub mod scratch;
pub mod second_page;
pub mod shared_probes;
pub mod slots;
pub mod targets;
pub mod tlb_probes;
pub mod words;
