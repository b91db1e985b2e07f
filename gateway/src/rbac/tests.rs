//! Which rules follow from which settings, and that the chart and the document have the same.

use super::*;

const CHART: &str = include_str!("../../../deploy/chart/files/rbac.yaml");
const DOCUMENT: &str = include_str!("../../../docs/CONFIGURATION.md");

fn needs(known_by: KnownBy, rights: RightsMode) -> Needs {
    Needs {
        known_by,
        rights,
        kinds: Choice::default(),
        secret_names: false,
        logs: false,
        profiles: ProfileScope::Nowhere,
        recorded: Vec::new(),
        custom: Vec::new(),
        user_extras: Vec::new(),
        constrained: true,
    }
}

fn patterns(texts: &[&str]) -> Vec<Pattern> {
    texts.iter().map(|text| Pattern::parse(text).expect("a pattern")).collect()
}

/// The kinds of a shared gateway with these settings, as `plural.group`.
fn check(only: &[&str], hidden: &[&str], custom: &[&str], expected: &[&str]) {
    let kinds = Choice { only: patterns(only), hidden: patterns(hidden) };
    let needs = Needs { kinds, custom: patterns(custom), ..needs(KnownBy::Token, RightsMode::Shared) };
    let shown = kinds::shown(&needs);
    let names = shown.iter().flat_map(|(group, plurals)| {
        plurals.iter().map(move |plural| format!("{plural}.{group}").trim_end_matches('.').to_owned())
    });
    assert_eq!(names.collect::<Vec<_>>(), expected, "{only:?} without {hidden:?} and {custom:?}");
}

#[test]
fn a_kind_is_granted_if_it_is_shown() {
    check(&["pods"], &[], &[], &["pods"]);
    check(&["events"], &[], &[], &["events", "events.events.k8s.io"]);
    let without = ["events.events.k8s.io", "*sets"];
    let expected = ["events", "controllerrevisions.apps", "deployments.apps"];
    check(&["events", "*.apps"], &without, &[], &expected);
    check(&["boats.example.com", "*.example.org", "cars"], &[], &[], &["boats.example.com", "*.example.org"]);
    check(&["boats.example.com", "*.example.org"], &["boats", "*.example.org"], &[], &[]);
    check(&["pods"], &[], &["boats.example.com"], &["pods"]);
    check(&["*pods", "deploy*"], &[], &[], &["pods", "deployments.apps"]);
}

#[test]
fn secrets_are_granted_where_their_names_are_shown_and_nowhere_else() {
    for (secret_names, count) in [(false, 0), (true, 1)] {
        let needs = Needs { secret_names, ..needs(KnownBy::Token, RightsMode::Shared) };
        let text: String = rules(&needs).iter().map(|rule| format!("{rule}\n")).collect();
        assert_eq!(text.matches("secrets").count(), count);
        assert!(!text.contains('*'), "{text}");
    }
}

#[test]
fn r_log_1_logs_are_granted_where_they_are_shown_and_nowhere_else() {
    let as_user = "impersonate-on:user-info:get";
    let as_account = "impersonate-on:serviceaccount:get";
    for (known_by, rights, expected) in [
        (KnownBy::Token, RightsMode::Shared, vec!["get"]),
        (KnownBy::Name, RightsMode::Impersonate, vec![as_user]),
        (KnownBy::Token, RightsMode::Impersonate, vec![as_user, as_account]),
        (KnownBy::Token, RightsMode::Passthrough, vec![]),
    ] {
        let of = |needs: &Needs| -> Vec<Rule> {
            rules(needs).into_iter().filter(|rule| rule.to_string().contains("pods/log")).collect()
        };
        let needs = Needs { logs: true, ..needs(known_by, rights) };
        let granted = (!expected.is_empty()).then(|| Rule::new("", &["pods/log"], &expected).to_string());
        let found: Vec<String> = of(&needs).iter().map(ToString::to_string).collect();
        assert_eq!(found, granted.into_iter().collect::<Vec<_>>(), "{rights:?}");
        assert_eq!(of(&Needs { logs: false, ..needs.clone() }), []);
        let hidden = Choice { only: Vec::new(), hidden: patterns(&["pods"]) };
        assert_eq!(of(&Needs { kinds: hidden, ..needs }), []);
    }
}

#[test]
fn whoever_is_known_by_a_name_is_no_service_account_and_has_no_token() {
    for (known_by, has) in [(KnownBy::Token, true), (KnownBy::Name, false)] {
        let text: String =
            rules(&needs(known_by, RightsMode::Impersonate)).iter().map(|rule| format!("{rule}\n")).collect();
        for word in
            ["tokenreviews", "impersonate:serviceaccount", "uids", "impersonate-on:serviceaccount:list"]
        {
            assert_eq!(text.contains(word), has, "{known_by:?}: {word}");
        }
        assert!(text.contains("impersonate-on:user-info:watch") && !text.contains("\"watch\""));
    }
}

#[test]
fn a_gateway_that_passes_tokens_on_is_granted_nothing_that_is_shown() {
    let needs = needs(KnownBy::Token, RightsMode::Passthrough);
    assert_eq!(rules(&needs), without_kinds(&needs));
}

#[test]
fn what_is_recorded_is_granted_to_the_gateway_itself_whoever_looks() {
    let recorded =
        ["pods", "events", "deployments.apps", "boats.example.com", "*.example.org", "secrets", "leases"];
    let recorded = patterns(&recorded);
    let kinds = Choice { only: Vec::new(), hidden: patterns(&["events", "cars.example.com"]) };
    for rights in [RightsMode::Passthrough, RightsMode::Impersonate, RightsMode::Shared] {
        let needs =
            Needs { recorded: recorded.clone(), kinds: kinds.clone(), ..needs(KnownBy::Token, rights) };
        let without = rules(&Needs { recorded: Vec::new(), ..needs.clone() });
        let more: Vec<String> =
            rules(&needs).iter().filter(|rule| !without.contains(rule)).map(ToString::to_string).collect();
        let expected: Vec<String> = match rights {
            RightsMode::Shared => Vec::new(),
            _ => [("", "pods"), ("apps", "deployments"), ("example.com", "boats"), ("example.org", "*")]
                .iter()
                .map(|(group, plural)| Rule::new(group, &[plural], &["list", "watch"]).to_string())
                .collect(),
        };
        assert_eq!(more, expected, "{rights:?}");
    }
    // What isn't shown isn't recorded.
    let only = Choice { only: patterns(&["pods"]), hidden: Vec::new() };
    let needs = Needs { recorded, kinds: only, ..needs(KnownBy::Name, RightsMode::Passthrough) };
    assert_eq!(kinds::recorded(&needs), vec![("".into(), vec!["pods".into()])]);
}

#[test]
fn cluster_profiles_are_granted_where_they_are_read_and_nowhere_else() {
    let fleet = Namespace::parse("fleet").expect("a name");
    let rule = of_profiles();
    for (profiles, in_all, in_one) in [
        (ProfileScope::Nowhere, false, None),
        (ProfileScope::Namespace(fleet.clone()), false, Some(&fleet)),
        (ProfileScope::AllNamespaces, true, None),
    ] {
        let needs = Needs { profiles, ..needs(KnownBy::Name, RightsMode::Shared) };
        assert_eq!(rules(&needs).contains(&rule), in_all, "{needs:?}");
        assert_eq!(namespaced(&needs), in_one.map(|name| (name, vec![rule.clone()])));
        assert!(!without_kinds(&needs).contains(&rule), "other clusters than the home cluster don't need it");
    }
}

#[test]
fn the_chart_has_these_rules() {
    assert!(CHART == print::pieces(), "run `cargo xtask chart`");
}

#[test]
fn the_document_has_these_rules() {
    let of_all = print::listed(&without_kinds(&needs(KnownBy::Token, RightsMode::Shared)), "  ");
    assert!(DOCUMENT.contains(&format!("```yaml\nrules:\n{of_all}```")), "\n{of_all}");
    let of_profiles = print::listed(&[of_profiles()], "  ");
    assert!(DOCUMENT.contains(&format!("```yaml\nrules:\n{of_profiles}```")), "\n{of_profiles}");
    let impersonating = needs(KnownBy::Token, RightsMode::Impersonate);
    let any = of_kinds(&vec![("*".into(), vec!["*".into()])], &verbs(&impersonating));
    let besides = [of_impersonation(&impersonating), any].concat();
    let besides: String = besides.iter().map(|rule| format!("  - {rule}\n")).collect();
    assert!(DOCUMENT.contains(&format!("```yaml\nrules:\n{besides}```")), "\n{besides}");
}
