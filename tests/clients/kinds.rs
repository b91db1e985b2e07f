//! A custom kind that goes and comes back while an informer of it is on: through the gateway it is seen as at the API
//! server itself.

use anyhow::Result;
use testkit::clients::{Program, in_go};

use crate::cluster::{Cluster, NAMESPACE};

/// The kind may have objects before.
pub async fn goes_and_comes(cluster: &Cluster) -> Result<()> {
    cluster.create("widgets", "before", "cart").await?;
    let start = |at, named: &str| Program::start(named, in_go("dynamic-informer", at, NAMESPACE)?);
    let mut programs = [
        start(&cluster.direct, "a dynamic informer beside the gateway")?,
        start(&cluster.through, "a dynamic informer through the gateway")?,
    ];
    for name in ["between", "after"] {
        let (listed, _) = cluster.listed("widgets", "").await?;
        for program in &mut programs {
            program.until_it_holds("widgets", &listed).await?;
        }
        cluster.undefine().await?;
        cluster.define().await?;
        cluster.create("widgets", name, "cart").await?;
    }
    let (listed, _) = cluster.listed("widgets", "").await?;
    assert_eq!(listed.len(), 1, "the former ones went with their kind");
    for program in &mut programs {
        program.until_it_holds("widgets", &listed).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dynamic_informer_goes_on_where_its_kind_went_and_came_back_before_the_playground() -> Result<()> {
    goes_and_comes(&Cluster::of_playground().await?).await
}
