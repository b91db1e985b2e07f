//! Asks the API server of the environment's kubeconfig for its version, as the gateway does when it starts. Prints what is
//! wrong, if something is.

use gateway::cluster::{Ceiling, Cluster, Source};
use gateway::metrics::Metrics;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let source = Source::Kubeconfig { path: None, context: None };
    match Cluster::connect(source, Ceiling::default(), Metrics::new()).await {
        Ok(_) => println!("connected"),
        Err(problem) => println!("{problem}"),
    }
}
