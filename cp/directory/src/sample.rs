//! The directory of the sample system.

/// The text of USER DIRECT for a new system: OPERATOR, MAINT, DISKACNT, CMSUSER, LINUX1 and LINUX2, each with its own
/// name as password, and comments for a reader who has never seen a directory.
pub fn sample() -> &'static str {
    include_str!("sample.direct")
}

/// The same for a system with CMS on MAINT's 190: LOGON of those who work with CMS starts it.
pub fn sample_with_cms() -> String {
    sample().replace("\n*IPL ", "\n IPL ")
}

#[cfg(test)]
mod tests {
    use super::{sample, sample_with_cms};
    use crate::{Directory, Passwords};

    #[test]
    fn those_who_work_with_cms_start_it() {
        for (text, with_cms) in [(sample().to_owned(), false), (sample_with_cms(), true)] {
            let directory = Directory::parse("USER DIRECT", &text, &Passwords::default()).unwrap();
            assert!(directory.mistakes.is_empty(), "{:?}", directory.mistakes);
            let starts = |user: &str| directory.user(user).unwrap().ipl.is_some();
            assert_eq!(["MAINT", "DISKACNT", "CMSUSER"].map(starts), [with_cms; 3]);
            assert_eq!(["OPERATOR", "LINUX1", "LINUX2"].map(starts), [false; 3]);
        }
    }
}
