//! What bodies need in scope.

pub(crate) use crate::cpu_trait::{Bitwise, Cc, Cpu, Step, Width, Width::*};
pub(crate) use crate::fields::Fields;
pub(crate) use arch::Program;
pub(crate) use cpu::{Access, At, Intercepted, Interruption, IoInstruction, Space, State};
