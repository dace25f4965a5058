//! What bodies need in scope.

pub use crate::cpu_trait::{Cc, Cpu, Step, Width, Width::*};
pub use crate::fields::Fields;
pub use arch::Program;
pub use cpu::{Access, At, Intercepted, Interruption, IoInstruction, Space, State};
