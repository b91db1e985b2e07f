//! What `/readyz?verbose` says of the gateway. Never whether it is ready.

use super::clusters;
use crate::audit::Audit;
use crate::http::{Assets, Check};
use crate::inventory::Inventory;

pub(super) fn checks(assets: &Assets, inventory: &Inventory, audit: Audit) -> Vec<Check> {
    let has_page = assets.has_page();
    let page = move || if has_page { Ok(()) } else { Err("built without the page".to_owned()) };
    let mut checks = vec![Check { name: "page", look: Box::new(page) }];
    checks.extend(clusters::checks(inventory));
    checks.push(Check { name: "audit-log", look: Box::new(move || audit.check()) });
    checks
}
