//! Which rights go with which login. The table stands in docs/CONFIGURATION.md, in the section "Whose rights".

use shared::problem::Problem;

use super::{AuthMode, wrong};
use crate::access::RightsMode;

/// Fails with one sentence: there is no such mode, or it doesn't go with this login.
pub(super) fn of(text: &str, auth: &AuthMode) -> Result<RightsMode, Problem> {
    let rights = match text {
        "shared" => RightsMode::Shared,
        "passthrough" => RightsMode::Passthrough,
        "impersonate" => RightsMode::Impersonate,
        other => {
            let known = "shared, passthrough, impersonate";
            return Err(wrong(format!("there is no --rights {other}; what there is: {known}")));
        }
    };
    match rights {
        RightsMode::Shared => Ok(rights),
        _ if *auth == AuthMode::Local => Err(wrong(format!(
            "--rights {text} needs viewers who log in: with --auth local everything runs with your own kubeconfig; \
             leave --rights out, or choose --auth bearer"
        ))),
        RightsMode::Passthrough if *auth != AuthMode::Bearer => Err(wrong(format!(
            "--rights {text} needs each viewer's own token, which --auth bearer alone brings; choose that, or \
             --rights impersonate"
        ))),
        RightsMode::Passthrough | RightsMode::Impersonate => Ok(rights),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of the refusal; none: it is accepted.
    fn check(auth: AuthMode, expected: [Option<&str>; 3]) {
        for (text, expected) in ["shared", "passthrough", "impersonate"].into_iter().zip(expected) {
            match (of(text, &auth), expected) {
                (Ok(_), None) => {}
                (Err(problem), Some(words)) => assert!(problem.message.contains(words), "{text}: {problem}"),
                (got, _) => panic!("{text} with {auth:?}: {got:?}"),
            }
        }
    }

    #[test]
    fn a_pair_that_does_not_go_together_is_refused_with_what_to_choose() {
        let of_own = Some("with --auth local everything runs with your own kubeconfig");
        check(AuthMode::Local, [None, of_own, of_own]);
        check(AuthMode::Bearer, [None, None, None]);
    }

    #[test]
    fn there_are_three_and_shared_is_what_is_not_chosen() {
        for text in ["", "none", "Shared", "gateway"] {
            let problem = of(text, &AuthMode::Bearer).expect_err(text);
            assert!(problem.message.contains("what there is: shared, passthrough, impersonate"), "{problem}");
        }
        assert_eq!(of("shared", &AuthMode::Bearer), Ok(RightsMode::default()));
    }
}
