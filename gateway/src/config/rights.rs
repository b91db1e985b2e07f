//! Which rights go with which login. The table stands in docs/CONFIGURATION.md, in the section "Whose rights".

use shared::login_mode::KnownBy;
use shared::problem::Problem;

use super::wrong;
use crate::access::RightsMode;

/// `known_by`: how the cluster knows the viewers; `None` in mode `local`.
/// Fails with one sentence: there is no such mode, or it doesn't go with this login.
pub(super) fn of(text: &str, known_by: Option<KnownBy>) -> Result<RightsMode, Problem> {
    let rights = match text {
        "shared" => RightsMode::Shared,
        "passthrough" => RightsMode::Passthrough,
        "impersonate" => RightsMode::Impersonate,
        other => {
            let known = "shared, passthrough, impersonate";
            return Err(wrong(format!("there is no --rights {other}; what there is: {known}")));
        }
    };
    match (rights, known_by) {
        (RightsMode::Shared, _) => Ok(rights),
        (_, None) => Err(wrong(format!(
            "--rights {text} needs viewers who log in: with --auth local everything runs with your own kubeconfig; \
             leave --rights out, or choose --auth bearer"
        ))),
        (RightsMode::Passthrough, Some(KnownBy::Name)) => Err(wrong(format!(
            "--rights {text} needs each viewer's own token, which --auth bearer alone brings; choose that, or \
             --rights impersonate"
        ))),
        (RightsMode::Passthrough | RightsMode::Impersonate, Some(_)) => Ok(rights),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of the refusal; none: it is accepted.
    fn check(known_by: Option<KnownBy>, expected: [Option<&str>; 3]) {
        for (text, expected) in ["shared", "passthrough", "impersonate"].into_iter().zip(expected) {
            match (of(text, known_by), expected) {
                (Ok(_), None) => {}
                (Err(problem), Some(words)) => assert!(problem.message.contains(words), "{text}: {problem}"),
                (got, _) => panic!("{text} with {known_by:?}: {got:?}"),
            }
        }
    }

    #[test]
    fn a_pair_that_does_not_go_together_is_refused_with_what_to_choose() {
        let of_own = Some("with --auth local everything runs with your own kubeconfig");
        check(None, [None, of_own, of_own]);
        let needs_token = Some("needs each viewer's own token, which --auth bearer alone brings");
        check(Some(KnownBy::Token), [None, None, None]);
        check(Some(KnownBy::Name), [None, needs_token, None]);
    }

    #[test]
    fn there_are_three_and_shared_is_what_is_not_chosen() {
        for text in ["", "none", "Shared", "gateway"] {
            let problem = of(text, Some(KnownBy::Token)).expect_err(text);
            assert!(problem.message.contains("what there is: shared, passthrough, impersonate"), "{problem}");
        }
        assert_eq!(of("shared", Some(KnownBy::Token)), Ok(RightsMode::default()));
    }
}
