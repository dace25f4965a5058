//! Loads: many users at 3270 terminals, which log on, choose scripts by their weights, type, look and think.
//!
//! [`load`] is what they do, a text that people copy and change; [`loads`] has those that come with the program.
//! [`chance`] decides what is next and how long a user thinks.

pub mod chance;
pub mod load;
pub mod loads;
