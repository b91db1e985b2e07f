//! A person who signed in at a provider sees what the cluster lets that name and those groups see, in each mode of
//! `--rights`.

use http::Method;
use serde_json::Value;
use shared::state::ViewState;
use testkit::provider::Provider;
use testkit::stream::Stream;
use testkit::teams::{self, Subject};
use testkit::viewer::Viewer;

use testkit::gateways::{OLD_KEY, PUBLIC, options, start_at};
use testkit::ports::free_address;

/// R-AUTHZ-3, R-AUTHZ-4, R-AUTHZ-13
#[tokio::test(flavor = "multi_thread")]
async fn who_signed_in_sees_what_their_name_and_groups_may_see_until_a_right_is_withdrawn() {
    let provider = Provider::start(&options()).expect("it starts");
    for (rights, asked_as) in [("shared", ""), ("impersonate", "alice@example.org")] {
        let playground = teams::playground(&[], &["team-a", "team-b", "team-c"]).await.expect("it starts");
        teams::allow(&playground, "team-a", Subject::User("alice@example.org")).expect("a binding");
        teams::allow(&playground, "team-b", Subject::Group("ops")).expect("a binding");
        let kubeconfig = tempfile::NamedTempFile::new().expect("a file").into_temp_path();
        playground.write_kubeconfig(&kubeconfig).expect("written");
        let more = ["--kubeconfig", kubeconfig.to_str().expect("text"), "--rights", rights];
        let address = free_address().to_string();
        let gateway = start_at(&provider, options().client_secret, &address, &[OLD_KEY], &more);
        let browser = gateway.signed_in(&provider).await;

        let mut page = gateway.page_of(&browser);
        let own = ["team-a", "team-b"];
        page.until_names(&own, &["team-a/of-team-a", "team-b/of-team-b"]).await.expect("hers");
        let mut stream = gateway.stream_of(&browser).await;
        let has = |wanted: &'static [&'static str]| {
            move |stream: &Stream, _: &Value| stream.objects.keys().eq(wanted)
        };
        stream.until(has(&["team-a/of-team-a", "team-b/of-team-b"])).await.expect("hers as well");
        teams::withdraw(&playground, "team-b").expect("deleted");
        teams::add_config_map(&playground, "team-b", "later").expect("created");
        page.until_names(&own, &["team-a/of-team-a"]).await.expect("what is left");
        teams::withdraw(&playground, "team-a").expect("deleted");
        let has_nothing = |viewer: &Viewer| {
            matches!(viewer.state(), Some(ViewState::Forbidden { .. })) && viewer.names().is_empty()
        };
        page.until_state("without a row", has_nothing).await.expect("refused");
        stream.until(has(&[])).await.expect("as on the page");
        let own = [("origin", PUBLIC)];
        let out = browser.clone().send(Method::POST, &format!("{PUBLIC}/logout"), &own, "").await;
        assert_eq!(out.expect("answered").status, 200);
        let last = stream.to_the_end().await.expect("a logout ends it");
        assert_eq!((last["type"].as_str(), last["reason"].as_str()), (Some("end"), Some("Unauthorized")));
        let asked: Vec<String> = teams::impersonated(&playground).into_iter().collect();
        assert_eq!(asked, [asked_as], "--rights {rights}");
    }
}
