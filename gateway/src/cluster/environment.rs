//! Variables that the environment may not hold. Never reads them: their names are an argument.

use shared::problem::{Problem, Reason};

/// With these variables `kube` redirects requests and impersonates users.
const REFUSED_PREFIX: &str = "KUBE_RS_DEBUG_";

/// # Errors
/// `Configuration`, with the variable's name, never its value.
pub fn refuse_debug_environment<I>(names: I) -> Result<(), Problem>
where
    I: IntoIterator<Item = std::ffi::OsString>,
{
    let found = names.into_iter().find_map(|name| {
        let name = name.to_string_lossy().into_owned();
        name.starts_with(REFUSED_PREFIX).then_some(name)
    });
    match found {
        None => Ok(()),
        Some(name) => Err(Problem::new(
            Reason::Configuration,
            format!("the environment sets {name}, which changes where requests go and as whom; unset it"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_authz_14_a_debug_variable_stops_the_start_and_is_named() {
        let check = |names: &[&str]| refuse_debug_environment(names.iter().map(|name| (*name).into()));
        assert_eq!(check(&["HOME", "KUBECONFIG", "KUBE_RS_UNRELATED"]), Ok(()));
        for name in [
            "KUBE_RS_DEBUG_IMPERSONATE_USER",
            "KUBE_RS_DEBUG_IMPERSONATE_GROUP",
            "KUBE_RS_DEBUG_OVERRIDE_URL",
        ] {
            let problem = check(&["HOME", name]).expect_err("refused");
            assert_eq!(problem.reason, Reason::Configuration);
            assert!(problem.message.contains(name), "{problem}");
        }
    }
}
