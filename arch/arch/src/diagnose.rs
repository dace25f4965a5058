//! What programs and CP say to each other in storage: the parameter lists and blocks of DIAGNOSE (CP Programming
//! Services, SC24-5520).

mod channel_io;

pub use channel_io::{Csw, Hcpsgiop, SgioEnd, sgio_flag};
