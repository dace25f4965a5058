//! The directory of the sample system.

/// The text of USER DIRECT for a new system: OPERATOR, MAINT, CMSUSER, LINUX1 and LINUX2, each with its own name as
/// password, and comments for a reader who has never seen a directory.
pub fn sample() -> &'static str {
    include_str!("sample.direct")
}
