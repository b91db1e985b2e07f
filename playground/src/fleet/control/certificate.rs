//! The reconciler of the first custom kind: a certificate is issued, and renewed when that is due.

use serde_json::{Value, json};

use crate::clock;
use crate::fleet::context::{Context, condition_of, is_true, name_of, namespace_of};
use crate::json::{int, list, text};

pub(in crate::fleet) const RESOURCE: &str = "certificates.cert-manager.io";
pub(in crate::fleet) const ISSUING: &str = "cert-manager-certificates-issuing";
const TRIGGER: &str = "cert-manager-certificates-trigger";
const READINESS: &str = "cert-manager-certificates-readiness";
/// Steps from the request to the signed certificate.
const SIGNING: u64 = 18;
const DAY_S: i64 = 86_400;

pub(super) fn reconcile(context: &mut Context<'_>, certificate: &Value) {
    let secret = text(certificate, "/spec/secretName");
    let has_secret = context.get("secrets", namespace_of(certificate), secret).is_some();
    let is_issuing = is_true(certificate, "Issuing");
    let now = context.now;
    let condition =
        |kind, status, reason, message: &str| condition_of(certificate, kind, status, reason, message, now);
    if !has_secret && !is_issuing {
        let message = "Issuing certificate as Secret does not exist";
        let conditions = json!([
            condition("Ready", "False", "DoesNotExist", message),
            condition("Issuing", "True", "DoesNotExist", message),
        ]);
        context.status(RESOURCE, certificate, TRIGGER, json!({"conditions": conditions}));
        context.record(RESOURCE, certificate, "Issuing", message, TRIGGER);
    } else if is_issuing && context.passed(RESOURCE, certificate, "sign", SIGNING) {
        put_secret(context, certificate, secret);
        let now_s = context.now_s;
        let mut status = json!({
            "conditions": [condition("Ready", "True", "Ready", "Certificate is up to date and has not expired")],
            "revision": int(certificate, "/status/revision") + 1, "notBefore": now,
            "notAfter": clock::text_of(now_s + 90 * DAY_S), "renewalTime": clock::text_of(now_s + 60 * DAY_S),
        });
        // The condition is taken away, not set to False: the whole list is written without it.
        let rest: Vec<Value> = list(certificate, "/status/conditions")
            .iter()
            .filter(|found| text(found, "/type") != "Issuing")
            .cloned()
            .collect();
        let mut before = certificate.clone();
        crate::json::set(&mut before, &["status", "conditions"], json!(rest));
        crate::json::set(&mut status, &["nextPrivateKeySecretName"], Value::Null);
        context.status(RESOURCE, &before, READINESS, status);
        let message = "The certificate has been successfully issued";
        context.record(RESOURCE, certificate, "Issuing", message, ISSUING);
    }
}

fn put_secret(context: &mut Context<'_>, certificate: &Value, secret: &str) {
    let revision = (int(certificate, "/status/revision") + 1).to_string();
    let annotations = json!({
        "cert-manager.io/certificate-name": name_of(certificate), "cert-manager.io/certificate-revision": revision,
        "cert-manager.io/issuer-name": text(certificate, "/spec/issuerRef/name"),
    });
    match context.get("secrets", namespace_of(certificate), secret) {
        Some(there) => context.patch("secrets", &there, ISSUING, json!({"metadata": {"annotations": annotations}})),
        None => context.create(
            "secrets",
            ISSUING,
            json!({
                "metadata": {"name": secret, "namespace": namespace_of(certificate), "annotations": annotations},
                "type": "kubernetes.io/tls", "data": {"ca.crt": "cGxheWdyb3VuZA==", "tls.crt": "cGxheWdyb3VuZA==", "tls.key": "cGxheWdyb3VuZA=="},
            }),
        ),
    }
}
