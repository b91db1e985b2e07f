//! Three replicas behind nginx are replaced one by one while people look on and objects change.

use testkit::roll::{self, Load};

/// `cargo xtask bench roll` does the same with 500 viewers.
#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_replacement_loses_no_change_begins_no_table_anew_and_logs_nobody_out() {
    let load = Load { viewers: 24, people: 3, pods: 200, changes_per_s: 100 };
    let report = roll::run(load).await.expect("it runs");
    assert_eq!(report.failures(), Vec::<String>::new(), "{:#}", report.json());
    for replaced in &report.replaced {
        assert!(replaced.moved > 0 && replaced.changes > 0, "{replaced:?}");
    }
}
