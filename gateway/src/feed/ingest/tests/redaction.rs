//! What must not be anywhere in an object: not in its cells, its body, or its `Debug`; and what must stay.

use super::super::redact::Redacted;
use super::super::role::AskedKind;
use super::*;
use crate::feed::masks::{MASK, unmarked};
use crate::feed::redaction::RedactionSettings;

const CANARY: &str = "canary-4f1d";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

fn redacted_text(text: &str) -> Option<String> {
    let redacted = Redacted::of(text, Redaction::default().rules(), AskedKind::Other)?;
    Some(String::from_utf8(redacted.bytes).expect("UTF-8"))
}

fn redact(object: &Value) -> Value {
    serde_json::from_str(&redacted_text(&object.to_string()).expect("redacted")).expect("JSON")
}

/// Each of them is masked, alone and with the rest of the object as it was.
fn check_masked(objects: &[(Value, &str)]) {
    for (object, pointer) in objects {
        let mut expected = object.clone();
        *expected.pointer_mut(pointer).expect(pointer) = json!(MASK);
        assert_eq!(redact(object), expected, "{pointer}");
    }
}

fn check_kept(objects: &[Value]) {
    for object in objects {
        assert_eq!(redact(object), *object);
    }
}

fn canaried(canary: &str) -> Value {
    json!({
        "kind": "Deployment", "apiVersion": "apps/v1",
        "metadata": {
            "name": "web", "namespace": "shop", "uid": "u", "resourceVersion": "7",
            "creationTimestamp": "2026-11-21T02:43:01Z",
            "managedFields": [{"manager": canary, "fieldsV1": {(format!("f:{canary}")): {}}}],
            "annotations": {
                LAST_APPLIED: format!("{{\"stringData\":\"{canary}\"}}"),
                "kapp.k14s.io/original": canary,
                "objectset.rio.cattle.io/applied": canary,
                "example.com/json": format!("{{\"spec\":{{\"password\":\"{canary}\"}}}}"),
                "example.com/line": format!("--user=me --password={canary}"),
                "example.com/api-token": canary,
                "note": "kept",
            },
        },
        "spec": {
            "password": canary, "credentials": {"token": canary, "list": [{"apiKey": canary}], "prod": canary},
            "secrets": {"db": canary, "more": {"cache": [canary]}}, "SECRET_KEY_BASE": canary,
            "kubeconfig": format!("apiVersion: v1\nusers: [{{user: {{token: {canary}}}}}]"),
            "secret": {"stringData": {"any": canary}, "data": {"any": canary}},
            "users": {"passwords": {"ann": canary}}, "env": {"ANY": canary},
            "envVars": [{"name": "ANY", "value": canary}],
            "params": [{"value": canary, "name": "db-password"}, {"name": "password", "default": canary}],
            "manifest": {"data": {"any": canary}, "kind": "Secret"},
            "map": {"binaryData": {"any": canary}, "kind": "ConfigMap"},
            "parameters": {"restuserkey": canary, "line": format!("postgres://a:{canary}@db")},
            "template": {
                "metadata": {"annotations": {LAST_APPLIED: canary}},
                "spec": {
                    "containers": [{
                        "name": "c", "env": [{"name": "PASSWORD", "value": canary}],
                        "args": [format!("--password={canary}"), "--token", canary, "--kept=yes"],
                        "command": ["sh", "-c", format!("export PASSWORD={canary}; run --secret {canary}")],
                        "livenessProbe": {"httpGet": {"httpHeaders": [
                            {"name": "Authorization", "value": canary},
                            {"name": "X", "value": format!("Bearer {canary}")},
                        ]}},
                        "lifecycle": {"preStop": {"exec": {"command": ["x", format!("--pwd={canary}")]}}},
                    }],
                    "initContainers": [{"name": "i", "env": [{"value": canary, "name": "TOKEN"}]}],
                    "volumes": [{"flexVolume": {"options": {"password": canary}}}],
                },
            },
        },
    })
}

#[test]
fn r_data_1_a_canary_in_what_is_redacted_is_nowhere_in_the_object() {
    let columns = [("Name", "string")];
    let object = canaried(CANARY);
    let mut partial = object.clone();
    partial["kind"] = json!("PartialObjectMetadata");
    for object in
        [table(&columns, json!(["web"]), &object), table(&columns, json!(["web"]), &partial), object]
    {
        let decoded = decoder("apps/v1/deployments").event(&event("ADDED", &object)).expect("an event");
        let debug = format!("{decoded:?}");
        let object = put(decoded);
        let body = String::from_utf8(object.body.json().expect("a body").to_vec()).expect("UTF-8");
        assert!(!debug.contains(CANARY), "{debug}");
        assert!(!body.contains(CANARY), "{body}");
        for kept in ["\"kept\"", "PASSWORD", MASK, "--kept=yes", "sh", "X", "--token"] {
            assert!(body.contains(kept), "{kept}: {body}");
        }
    }
}

#[test]
fn two_versions_tell_whether_what_is_masked_changed_and_show_nothing_of_it() {
    let redaction = Redaction::default();
    let marked = |canary: &str| {
        let mut decoder =
            Decoder::new(resource("apps/v1/deployments"), PrinterColumns::default(), redaction.clone(), None);
        let object = put(decoder.event(&event("ADDED", &canaried(canary))).expect("an event"));
        object.masks.marked(&object.body.json().expect("a body")).expect("JSON")
    };
    let (first, second) = (marked("canary-one"), marked("canary-two"));
    assert_eq!(first, marked("canary-one"));
    assert_eq!(unmarked(&first), unmarked(&second));
    let changed = shared::diff::differences(&first, &second);
    let paths: Vec<&str> = changed.iter().map(|difference| &*difference.path).collect();
    for path in ["/spec/password", "/spec/secret/stringData/any", "/spec/template/spec/containers/0/args/0"] {
        assert!(paths.contains(&path), "{path}: {paths:?}");
    }
}

#[test]
fn values_of_config_maps_are_masked_unless_the_configuration_shows_them() {
    let map = json!({
        "metadata": {"name": "a", "uid": "u"}, "immutable": false,
        "data": {"a": CANARY, "metadata": "{}", "message": CANARY, "labels": CANARY}, "binaryData": {"b": "Y2FuYXJ5"},
    });
    let body = |shown: bool, of: &str, object: &Value| {
        let settings = RedactionSettings { config_map_values: shown, ..RedactionSettings::default() };
        let mut decoder =
            Decoder::new(resource(of), PrinterColumns::default(), Redaction::of(&settings), None);
        let object = put(decoder.event(&event("ADDED", object)).expect("an event"));
        serde_json::from_slice::<Value>(&object.body.json().expect("a body")).expect("JSON")
    };
    let mut masked = map.clone();
    masked["data"] = json!({"a": MASK, "metadata": MASK, "message": MASK, "labels": MASK});
    masked["binaryData"] = json!({"b": MASK});
    assert_eq!(body(false, "v1/configmaps", &map), masked);
    assert_eq!(body(true, "v1/configmaps", &map), map);
    assert_eq!(body(false, "apps/v1/controllerrevisions", &map), map, "another kind's data");
}

#[test]
fn the_configuration_adds_names_and_annotations() {
    let settings = RedactionSettings {
        credential_names: vec!["pin".into()],
        dropped_annotations: vec!["a.example/copy".into()],
        ..RedactionSettings::default()
    };
    let object = json!({"metadata": {"annotations": {"a.example/copy": "x", "b": "y"}}, "walletPin": 1234});
    let redaction = Redaction::of(&settings);
    let redacted = Redacted::of(&object.to_string(), redaction.rules(), AskedKind::Other).expect("redacted");
    let redacted: Value = serde_json::from_slice(&redacted.bytes).expect("JSON");
    assert_eq!(redacted, json!({"metadata": {"annotations": {"b": "y"}}, "walletPin": MASK}));
    assert_eq!(redact(&object), object);
}

#[test]
fn objects_of_an_unmasked_namespace_are_whole_and_no_other_object_is_taken_for_one_of_it() {
    let settings =
        RedactionSettings { unmasked_namespaces: vec!["ci".into()], ..RedactionSettings::default() };
    let redaction = Redaction::of(&settings);
    assert_ne!(redaction.digest(), Redaction::default().digest(), "a record tells them apart");
    let redacted =
        |text: &str, kind: AskedKind| Redacted::of(text, redaction.rules(), kind).expect("redacted");
    let object = |metadata: &str| {
        format!(
            "{{\"kind\":\"ConfigMap\",\"metadata\":{{{metadata},\"annotations\":{{\"kapp.k14s.io/original\":\"x\",\"token\":\"y\"}}}},\
             \"data\":{{\"a\":\"{CANARY}\"}},\"spec\":{{\"password\":\"{CANARY}\",\"env\":[{{\"name\":\"A\",\"value\":\"{CANARY}\"}}]}}}}"
        )
    };
    let open = object("\"namespace\":\"ci\",\"name\":\"a\"");
    let shown = redacted(&open, AskedKind::ConfigMap);
    assert!(shown.is_open && !shown.hides_anything());
    assert_eq!(str::from_utf8(&shown.bytes), Ok(&*open));
    for metadata in [
        "\"namespace\":\"ci2\"",
        "\"namespace\":\"cI\"",
        "\"namespace\":\"shop\",\"labels\":{\"namespace\":\"ci\"}",
        "\"namespace\":\"shop\",\"namespace\":\"ci\"",
        "\"namespace\":\"ci\",\"namespace\":\"shop\"",
        "\"namespace\":[\"ci\"]",
        "\"name\":\"ci\"",
    ] {
        let masked = redacted(&object(metadata), AskedKind::ConfigMap);
        let text = String::from_utf8(masked.bytes.clone()).expect("UTF-8");
        assert!(!masked.is_open && !text.contains(CANARY) && !text.contains("kapp"), "{metadata}: {text}");
    }
    let secret = redacted(&open, AskedKind::Secret);
    assert!(!secret.is_open && !String::from_utf8_lossy(&secret.bytes).contains(CANARY), "never a Secret's");
    let mut decoder =
        Decoder::new(resource("v1/configmaps"), PrinterColumns::default(), redaction.clone(), None);
    let object: Value = serde_json::from_str(&open).expect("JSON");
    let object = put(decoder.event(&event("ADDED", &object)).expect("an event"));
    assert!(
        object.masks.is_empty()
            && str::from_utf8(&object.body.json().expect("a body")).is_ok_and(|body| body.contains(CANARY))
    );
}

#[test]
fn a_value_is_masked_for_its_name_or_for_the_name_beside_it() {
    check_masked(&[
        (json!({"spec": {"a": [{"clientSecret": "x"}]}}), "/spec/a/0/clientSecret"),
        (json!({"spec": {"password": 1234}}), "/spec/password"),
        (json!({"spec": {"password": {"value": "x"}}}), "/spec/password/value"),
        (json!({"spec": {"message": {"password": "x"}}}), "/spec/message/password"),
        (json!({"env": {"group": {"A": "x"}}}), "/env/group/A"),
        (json!({"env": {"group": {"labels": {"A": "x"}}}}), "/env/group/labels/A"),
        (json!({"env": {"group": {"more": {"A": 1}}}}), "/env/group/more/A"),
        (json!({"env": {"group": [{"A": "x"}]}}), "/env/group/0/A"),
        (json!({"env": [{"A": "x"}]}), "/env/0/A"),
        (json!({"spec": {"labels": {"a": {"password": "x"}}}}), "/spec/labels/a/password"),
        (json!({"spec": {"additionalEnv": [{"name": "A", "value": "x"}]}}), "/spec/additionalEnv/0/value"),
        (json!({"spec": {"podEnv": {"A": "x"}}}), "/spec/podEnv/A"),
        (json!({"spec": {"tokens": ["x"]}}), "/spec/tokens/0"),
        (json!({"spec": {"tokens": {"ci": "x"}}}), "/spec/tokens/ci"),
        (json!({"spec": {"apiKeys": {"pay": 1}}}), "/spec/apiKeys/pay"),
        (json!({"spec": {"pass": 9_182_736_450_i64}}), "/spec/pass"),
        (json!({"spec": {"password": [5_647_382]}}), "/spec/password/0"),
        (json!({"spec": {"password": {"source": {"value": "x"}}}}), "/spec/password/source/value"),
        (json!({"params": [{"name": "password", "value": ["x"]}]}), "/params/0/value/0"),
        (json!({"params": [{"value": {"a": "x"}, "name": "password"}]}), "/params/0/value/a"),
        (json!({"spec": {"bindPW": "x"}}), "/spec/bindPW"),
        (json!({"spec": {"text": "\n-----BEGIN RSA PRIVATE KEY-----\nMIIE"}}), "/spec/text"),
        (json!({"spec": {"text": "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQ"}}), "/spec/text"),
        (json!({"metadata": {"annotations": {"a": "\n {\"password\":\"x\"}\n"}}}), "/metadata/annotations/a"),
        (json!({"spec": {"passwords": "x"}}), "/spec/passwords"),
        (json!({"spec": [{"key": "TOKEN", "value": "x"}]}), "/spec/0/value"),
        (json!({"spec": [{"value": "x", "type": "t", "name": "apiKey"}]}), "/spec/0/value"),
        (json!({"spec": {"ca": "-----BEGIN PRIVATE KEY-----\nx"}}), "/spec/ca"),
        (json!({"metadata": {"annotations": {"x/password": ""}}}), "/metadata/annotations/x~1password"),
        (json!({"spec": {"secretKeyBase": "x"}}), "/spec/secretKeyBase"),
        (json!({"params": [{"name": "password", "default": "x"}]}), "/params/0/default"),
        (json!({"params": [{"default": ["x"], "name": "password"}]}), "/params/0/default/0"),
        (
            json!({"params": [{"key": "API_TOKEN", "type": "string", "defaultValue": 1}]}),
            "/params/0/defaultValue",
        ),
        (json!({"spec": {"password": {"default": "x"}}}), "/spec/password/default"),
    ]);
    let uri = json!({"spec": {"uri": "amqp://me:x@host/q\n"}});
    assert_eq!(redact(&uri)["spec"]["uri"], format!("amqp://me:{MASK}@host/q\n"));
}

#[test]
fn r_data_1_a_message_is_shown_as_it_is_in_a_status_and_in_an_event_alone() {
    let message = "a\npassword: x";
    check_kept(&[
        json!({"status": {"message": message, "a": [{"b": {"message": message}}]}}),
        json!({"status": {"conditions": [{"message": "ghp_0123456789012345678901234567890123456"}]}}),
    ]);
    check_masked(&[
        (
            json!({"metadata": {"annotations": {"message": "{\"password\":\"x\"}"}}}),
            "/metadata/annotations/message",
        ),
        (
            json!({"spec": {"template": {"metadata": {"annotations": {"message": "password=x"}}}}}),
            "/spec/template/metadata/annotations/message",
        ),
        (
            json!({"metadata": {"annotations": {"a": "{\"status\":{\"message\":\"password=x\"}}"}}}),
            "/metadata/annotations/a",
        ),
        (json!({"spec": {"message": "ghp_0123456789012345678901234567890123456"}}), "/spec/message"),
        (
            json!({"spec": {"status": {"message": "ghp_0123456789012345678901234567890123456"}}}),
            "/spec/status/message",
        ),
    ]);
    assert_eq!(
        redact(&json!({"spec": {"message": "password=x"}}))["spec"]["message"],
        format!("password={MASK}")
    );
    assert_eq!(redact(&json!({"message": "password=x"}))["message"], format!("password={MASK}"));
    let event = json!({"kind": "Event", "message": message}).to_string();
    for (kind, is_shown) in [(AskedKind::Event, true), (AskedKind::Other, false)] {
        let redacted = Redacted::of(&event, Redaction::default().rules(), kind).expect("redacted");
        assert_eq!(redacted.bytes == event.as_bytes(), is_shown);
    }
    let secret = json!({"metadata": {"annotations": {"message": "x", "a": {"b": ["x"]}}}}).to_string();
    let redacted = Redacted::of(&secret, Redaction::default().rules(), AskedKind::Secret).expect("redacted");
    let redacted: Value = serde_json::from_slice(&redacted.bytes).expect("JSON");
    assert_eq!(redacted["metadata"]["annotations"], json!({"message": MASK, "a": {"b": [MASK]}}));
}

#[test]
fn r_data_1_what_only_begins_like_json_is_read_as_another_text() {
    for text in ["[password=x]", "{password: x}", "[INFO] password=x", "{\"a\": password=x}"] {
        let masked = redact(&json!({"spec": {"text": text}}))["spec"]["text"].clone();
        let masked = masked.as_str().expect("a text");
        assert!(masked.contains(MASK) && !masked.contains('x'), "{text}: {masked}");
    }
    let hidden = "{\"password\":\"x\"}";
    for before in ["\u{feff}", "\u{a0}", "\u{2028}\u{3000}", "\u{85} \u{feff}", "\u{200b}"] {
        let masked = redact(&json!({"spec": {"text": format!("{before}{hidden}")}})).to_string();
        assert!(masked.contains(MASK) && !masked.contains("x\\"), "{masked}");
    }
    check_masked(&[
        (json!({"spec": {"text": "{\"a\":1}\n{\"secrets\":{\"db\":\"x\"}}\n"}}), "/spec/text"),
        (json!({"spec": {"text": "{\"a\":1}{\"env\":[{\"name\":\"DB\",\"value\":\"x\"}]}"}}), "/spec/text"),
    ]);
    check_kept(&[
        json!({"spec": {"text": "{\"a\":1}\n{\"b\":\"é\"}\n"}}),
        json!({"spec": {"text": "é is a letter", "more": "\u{feff}{\"a\":1}"}}),
    ]);
}

#[test]
fn a_map_of_credentials_is_masked_whatever_its_names_are() {
    check_masked(&[
        (json!({"spec": {"secrets": {"db": "x"}}}), "/spec/secrets/db"),
        (json!({"spec": {"credentials": {"prod": "x", "enabled": true}}}), "/spec/credentials/prod"),
        (json!({"spec": {"appSecrets": {"pin": 1234}}}), "/spec/appSecrets/pin"),
        (json!({"spec": {"password": {"prod": "x"}}}), "/spec/password/prod"),
        (json!({"spec": {"secrets": {"db": {"main": "x"}}}}), "/spec/secrets/db/main"),
        (json!({"spec": {"secrets": {"db": ["x"]}}}), "/spec/secrets/db/0"),
        (json!({"spec": {"secrets": {"default": "x"}}}), "/spec/secrets/default"),
        (json!({"spec": {"secrets": {"s3.key": "x", "userName": "me"}}}), "/spec/secrets/s3.key"),
    ]);
    let annotation = json!({"metadata": {"annotations": {"a": "{\"secrets\":{\"db\":\"x\"}}"}}});
    assert_eq!(redact(&annotation)["metadata"]["annotations"]["a"], MASK);
}

#[test]
fn references_in_a_map_of_credentials_stay() {
    check_kept(&[
        json!({"kind": "ServiceAccount", "secrets": [{"name": "s"}], "imagePullSecrets": [{"name": "s"}]}),
        json!({"volumes": [{"secret": {"secretName": "s", "items": [{"key": "k", "path": "p"}], "defaultMode": 420}}]}),
        json!({"spec": {"credentials": {"source": "Secret", "secretRef": {"namespace": "n", "name": "s", "key": "k"}}}}),
        json!({"spec": {"credentials": {"default": {"secretName": "s"}, "existingSecret": "s"}}}),
        json!({"authorization": {"type": "Bearer", "credentials": {"name": "s", "key": "k", "optional": false}}}),
        json!({"basicAuth": {"password": {"name": "s", "key": "k"}, "username": {"name": "s", "key": "u"}}}),
        json!({"status": {"credentials": {"state": "Valid", "lastRotationTime": "2026-11-24T12:00:00Z"}}}),
        json!({"spec": {"token": {"audience": "a", "expirationSeconds": 600}, "inputTokens": {"limit": 1000}}}),
        json!({"limits": [{"type": "Container", "default": {"cpu": "1"}, "defaultRequest": {"cpu": "1"}}]}),
        json!({"params": [{"name": "revision", "default": "main"}, {"name": "secretName", "default": "s"}]}),
    ]);
}

#[test]
fn a_kubeconfig_is_masked_and_a_path_to_one_stays() {
    let long = "YXBp".repeat(64);
    check_masked(&[
        (json!({"spec": {"kubeconfig": "apiVersion: v1\nkind: Config"}}), "/spec/kubeconfig"),
        (json!({"spec": {"adminKubeConfig": "{\"kind\":\"Config\"}"}}), "/spec/adminKubeConfig"),
        (json!({"status": {"KUBECONFIG": long}}), "/status/KUBECONFIG"),
        (json!({"metadata": {"annotations": {"x/kubeconfig": long}}}), "/metadata/annotations/x~1kubeconfig"),
    ]);
    check_kept(&[
        json!({"command": ["kube-scheduler", "--kubeconfig=/etc/kubernetes/scheduler.conf", "--kubeconfig", "/a"]}),
        json!({"spec": {"kubeConfig": {"secretRef": {"name": "s", "key": "value"}}, "kubeconfig": "prod-kubeconfig"}}),
        json!({"spec": {"kubeconfig": "/etc/kubernetes/admin.conf", "config": "a: b c"}}),
    ]);
}

#[test]
fn r_data_1_a_text_of_several_lines_is_read_line_by_line_wherever_it_stands() {
    let values = "auth:\n  username: shop # me\n  password: two words\n  existingSecret: s\nsize: 3\n\
        extraEnv:\n  - name: DB_TOKEN\n    value: x\n  - name: LEVEL\n    value: info\n\
        credentials:\n  prod: x\n  # all of it\n  more:\n    - x\nimage: a:1\n";
    let expected = format!(
        "auth:\n  username: shop # me\n  password: {MASK}\n  existingSecret: s\nsize: 3\n\
        extraEnv:\n  - name: DB_TOKEN\n    value: {MASK}\n  - name: LEVEL\n    value: info\n\
        credentials:\n  {MASK}\n  {MASK}\n  {MASK}\n    - {MASK}\nimage: a:1\n"
    );
    for (object, pointer) in [
        (json!({"spec": {"source": {"helm": {"values": values}}}}), "/spec/source/helm/values"),
        (json!({"spec": {"valuesContent": values}}), "/spec/valuesContent"),
        (json!({"spec": {"files": [values]}}), "/spec/files/0"),
        (json!({"spec": {"list": [{"value": values}]}}), "/spec/list/0/value"),
    ] {
        assert_eq!(redact(&object).pointer(pointer), Some(&json!(expected)), "{pointer}");
    }
    let snippet = json!({"spec": {"snippet": "set $x 1;\nproxy_set_header X-Api-Key \"two words\";\n"}});
    let expected = format!("set $x 1;\nproxy_set_header X-Api-Key \"{MASK}\";\n");
    assert_eq!(redact(&snippet)["spec"]["snippet"], expected);
}

#[test]
fn r_data_1_a_setting_within_one_line_is_masked_wherever_it_stands() {
    for (text, expected) in [
        ("username=me,password=x", format!("username=me,password={MASK}")),
        ("server=db;uid=me; pwd=x", format!("server=db;uid=me; pwd={MASK}")),
        ("https://example.com/hook?token=x", format!("https://example.com/hook?token={MASK}")),
    ] {
        for object in [json!({"spec": {"mountOptions": [text]}}), json!({"spec": {"mountOptions": text}})] {
            let masked = redact(&object)["spec"]["mountOptions"].clone();
            assert!(masked == json!(expected) || masked == json!([expected]), "{masked}");
        }
    }
    check_masked(&[
        (json!({"spec": {"values": "{\"credentials\": {\"prod\": \"x\"}}"}}), "/spec/values"),
        (json!({"spec": {"values": "{\n  \"a\": {\"password\": {\"value\": \"x\"}}\n}\n"}}), "/spec/values"),
        (
            json!({"spec": {"values": ["[{\"config\": \"{\\\"password\\\": \\\"x\\\"}\"}]"]}}),
            "/spec/values/0",
        ),
    ]);
}

#[test]
fn texts_without_a_credential_stay_however_many_lines_they_have() {
    check_kept(&[
        json!({"spec": {"values": "auth:\n  existingSecret: s\n  password: \"\"\n  token: true\ntokens: 5\n"}}),
        json!({"spec": {"values": "password: $PASSWORD\ntoken: $(cat /token)\n"}}),
        json!({"spec": {"values": "{\n  \"image\": \"a:1\"\n}"}}),
        json!({"spec": {"expr": "sum(rate(http_requests_total{code=\"500\"}[5m])) by (job)\n  > 1"}}),
        json!({"spec": {"selector": "app=web,tier!=db", "line": "[INFO] all is well", "ca": "TUlJ=="}}),
        json!({"spec": {"description": "First line.\nThe token is read from a file.\n"}}),
        json!({"status": {"conditions": [{"message": "a\npassword: x"}]}}),
        json!({"openAPIV3Schema": {"description": "a\npassword: x"}}),
    ]);
}

#[test]
fn references_to_secrets_and_what_only_sounds_like_one_stay() {
    check_kept(&[
        json!({"spec": {"secretName": "s", "passwordSecretRef": {"name": "s", "key": "k"}, "tokenPath": "/p"}}),
        json!({"spec": {"imagePullSecrets": [{"name": "s"}], "automountServiceAccountToken": true}}),
        json!({"sources": [{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}]}),
        json!({"volumes": [{"secret": {"secretName": "s", "items": [{"key": "k", "path": "p"}]}}]}),
        json!({"env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}),
        json!({"env": {"TOKEN": {"valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}}}),
        json!({"env": {"TOKEN": {"secretKeyRef": {"name": "s", "key": "k"}}}, "envVars": [{"valueFrom": {"a": "b"}}]}),
        json!({"privateKey": {"algorithm": "RSA", "size": 2048, "rotationPolicy": "Never"}, "keySize": 1}),
        json!({"metadata": {"labels": {"a/token": "x"}}, "spec": {"selector": {"matchLabels": {"token": "x"}}}}),
        json!({"openAPIV3Schema": {"properties": {"env": {"type": "array"}, "password": {"type": "string"}}}}),
        json!({"tolerations": [{"key": "a", "operator": "Equal", "value": "b", "effect": "NoSchedule"}]}),
        json!({"command": ["run", "--secret-name=s", "--token=$(TOKEN)", "-p", "8080", "https://a.example:1/b"]}),
        json!({"metadata": {"annotations": {"a": "{\"image\":\"x:1\"}", "b": "2026-11-21T02:43:01Z"}}}),
        json!({"resources": ["secrets"], "limits": {"tokens": 5}, "image": "registry.example.com/api:1"}),
    ]);
}

#[test]
fn everything_else_is_copied_as_it_was_and_its_parts_are_found() {
    let text = r#"{ "metadata" : {"name":"\u0041\"}{"}, "n":[1, -2.5e3,true ,null,[],{}],"status":{"a":{"status":1}} }"#;
    let redacted = Redacted::of(text, Redaction::default().rules(), AskedKind::Other).expect("redacted");
    let copied: Value = serde_json::from_slice(&redacted.bytes).expect("JSON");
    assert_eq!(copied, serde_json::from_str::<Value>(text).expect("JSON"));
    assert_eq!(redacted.metadata(), br#"{"name":"\u0041\"}{"}"#);
    assert_eq!(redacted.status(), br#"{"a":{"status":1}}"#);
    assert_eq!(redacted.spec(), b"");
}

#[test]
fn a_key_that_hides_behind_escapes_is_read_all_the_same() {
    let text = r#"{"metadata":{"managed\u0046ields":"canary","pass\u0077ord":"x"}}"#;
    assert_eq!(
        redacted_text(text),
        Some(format!(r#"{{"metadata":{{"password":"{MASK}"}}}}"#).replace("password", "pass\\u0077ord"))
    );
}

#[test]
fn what_is_dropped_takes_one_comma_with_it_wherever_it_stands() {
    for (text, expected) in [
        (r#"{"metadata":{"managedFields":[]}}"#, r#"{"metadata":{}}"#),
        (r#"{"metadata":{"managedFields":[],"a":1}}"#, r#"{"metadata":{"a":1}}"#),
        (r#"{"metadata":{"a":1,"managedFields":[]}}"#, r#"{"metadata":{"a":1}}"#),
        (r#"{"metadata":{"a":1,"managedFields":[],"b":2}}"#, r#"{"metadata":{"a":1,"b":2}}"#),
        (r#"{"metadata":{"managedFields":[],"managedFields":{},"a":1}}"#, r#"{"metadata":{"a":1}}"#),
        (r#"{"metadata":{"a":1,"managedFields":[],"managedFields":{}}}"#, r#"{"metadata":{"a":1}}"#),
        (
            r#"{"env":[{"value":"x"},{"value":{"y":1},"b":2}]}"#,
            r#"{"env":[{"value":"MASK"},{"value":"MASK","b":2}]}"#,
        ),
    ] {
        assert_eq!(redacted_text(text), Some(expected.replace("MASK", MASK)), "{text}");
    }
}

#[test]
fn what_nests_too_deep_or_is_cut_is_refused() {
    assert_eq!(redacted_text(&"[".repeat(1000)), None);
    for text in ["", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "\"a", "\"a\\"] {
        assert_eq!(redacted_text(text), None, "{text}");
    }
}

#[test]
fn escapes_and_repeated_members_hide_no_name_from_the_redaction() {
    for text in [
        r#"{"a":{"n\u0061me":"password","value":"canary-4f1d"}}"#,
        r#"{"a":{"name":"x","value":"canary-4f1d","name":"password"}}"#,
        r#"{"a":{"kind":"X","data":{"b":"canary-4f1d"},"k\u0069nd":"Secret"}}"#,
        r#"{"a":"\u0070ostgres://a:canary-4f1d@h"}"#,
    ] {
        let redacted = redacted_text(text).expect("redacted");
        assert!(!redacted.contains(CANARY) && redacted.contains(MASK), "{redacted}");
    }
}

#[test]
fn r_data_2_of_a_secret_nothing_but_its_metadata_is_kept_whatever_the_server_sends() {
    let applied = json!({"kind": "Secret", "stringData": {"any": CANARY}}).to_string();
    let secret = json!({
        "kind": "Secret", "data": {"a": CANARY}, "immutable": true, "type": "Opaque", "stringData": {"b": CANARY},
        "apiVersion": "v1",
        "metadata": {
            "name": "a", "uid": "u", "labels": {"app": "shop"},
            "annotations": {LAST_APPLIED: applied, "example.org/any": CANARY},
            "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:data": {"f:a": {}}}}],
        },
        "later": CANARY,
    });
    let kept = json!({
        "kind": "Secret", "apiVersion": "v1",
        "metadata": {"name": "a", "uid": "u", "labels": {"app": "shop"}, "annotations": {"example.org/any": MASK}},
    });
    for value in [table(&[("Name", "string")], json!(["a"]), &secret), secret.clone()] {
        let bytes = event("ADDED", &value);
        let object = put(decoder("v1/secrets").event(&bytes).expect("an event"));
        assert_eq!(
            serde_json::from_slice::<Value>(&object.body.json().expect("a body")).expect("JSON"),
            kept
        );
        assert!(!format!("{object:?}").contains(CANARY), "{object:?}");
        assert!(object.managed.0.starts_with(b"[{"), "the writers are known");
        // A slice of the answer would keep all of it, and be the only one beside the answer itself.
        assert!(bytes.try_into_mut().is_ok(), "nothing holds the answer");
    }
    let other = put(decoder("v1/pods").event(&event("ADDED", &secret)).expect("an event"));
    assert!(
        String::from_utf8_lossy(&other.body.json().expect("a body")).contains("immutable"),
        "another kind"
    );
}
