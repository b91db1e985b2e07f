//! What `/readyz?verbose` says of the gateway, and what it needs to be ready.

use std::sync::Arc;

use super::clusters;
use crate::access::Dependency;
use crate::audit::Audit;
use crate::http::{Assets, Check};
use crate::inventory::Inventory;

pub(super) fn checks(
    assets: &Assets,
    inventory: &Inventory,
    audit: Audit,
    dependency: Option<Arc<Dependency>>,
) -> Vec<Check> {
    let has_page = assets.has_page();
    let page = move || if has_page { Ok(()) } else { Err("built without the page".to_owned()) };
    let mut checks = vec![Check::new("page", page)];
    checks.extend(clusters::checks(inventory));
    checks.push(Check::new("audit-log", move || audit.check()));
    checks.extend(dependency.map(needed));
    checks
}

fn needed(dependency: Arc<Dependency>) -> Check {
    let asked = Arc::clone(&dependency);
    let blocks = Box::new(move || !dependency.has_answered());
    Check { blocks, ..Check::new(asked.name(), move || asked.look()) }
}

#[cfg(test)]
mod tests {
    use crate::http::{Reader, Readiness};

    use super::*;

    #[tokio::test]
    async fn the_gateway_is_ready_when_what_it_needs_has_answered_once() {
        let provider = Arc::new(Dependency::new("identity-provider"));
        let readiness = Readiness::new(vec![needed(Arc::clone(&provider))]);
        let answer = async |query| {
            let answer = readiness.answer(query, Reader::Operator);
            let (head, body) = answer.into_parts();
            let body = axum::body::to_bytes(body, 4_096).await.expect("a text");
            (head.status.as_u16(), String::from_utf8_lossy(&body).into_owned())
        };
        let why = Err("nobody can sign in".to_owned());
        provider.note(why.clone());
        let failed = "[+]serving ok\n[-]identity-provider failed: nobody can sign in\n";
        assert_eq!(answer(None).await, (503, format!("{failed}readyz: not ready\n")));
        provider.note(Ok(()));
        assert_eq!(answer(None).await, (200, "ok".to_owned()));
        provider.note(why);
        assert_eq!(answer(None).await, (200, "ok".to_owned()));
        assert_eq!(answer(Some("verbose")).await, (200, format!("{failed}readyz: ok\n")));
    }
}
