//! Columns of one's own against a real kube-apiserver: no path shows what the gateway masks, and what kubectl refuses
//! is refused.

use anyhow::{Result, ensure};
use testkit::dogwatch::Dogwatch;
use testkit::planes;

fn tail(dogwatch: &Dogwatch, arguments: &[&str]) -> Result<String> {
    let output = dogwatch.tail(&[arguments, &["-A", "--once"]].concat())?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

#[test]
fn r_data_1_no_path_leads_to_what_is_masked() -> Result<()> {
    let plane = planes::filled()?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    let paths = "custom-columns=NAME:.metadata.name,ENV:.spec.template.spec.containers[*].env[*].value,\
                 ALL:..*,APPLIED:.metadata.annotations['kubectl.kubernetes.io/last-applied-configuration'],\
                 MANAGED:.metadata.managedFields";
    let theirs = plane.kubectl_output(&["get", "deployments", "-A", "-o", "yaml"])?;
    assert!(theirs.contains("canary-4f1d") && theirs.contains("last-applied"), "{theirs}");
    let ours = tail(&dogwatch, &["deployments", "-o", paths])?;
    let guarded = ours.lines().find(|line| line.starts_with("guarded")).unwrap_or_default();
    let cells: Vec<&str> = guarded.split_whitespace().collect();
    assert!(guarded.contains("••••••••") && !ours.contains("canary-4f1d"), "{ours}");
    assert_eq!(cells.last_chunk(), Some(&["<none>", "<none>"]), "{guarded}");
    let refused = dogwatch.tail(&["secrets", "-o", "custom-columns=DATA:.data", "-A", "--once"])?;
    assert!(!refused.status.success() && refused.stdout.is_empty());
    Ok(())
}

#[test]
fn a_path_that_kubectl_refuses_is_refused_with_its_words_and_its_place() -> Result<()> {
    let plane = planes::filled()?;
    let dogwatch = Dogwatch::of_cluster(&plane.kubeconfig())?;
    for (path, words) in [
        (".spec.containers[x].image", "invalid array index x"),
        (".spec.containers[0", "unterminated array"),
        (".spec.containers[?(@.name==\"a\"", "unterminated filter"),
        (".spec.containers[?(@.name==\"a\")", "unclosed array expect ]"),
    ] {
        let output = format!("custom-columns=A:{path}");
        let theirs = plane.kubectl_output(&["get", "pods", "-A", "-o", &output]).expect_err("refused");
        assert!(theirs.to_string().contains(words), "{path}: {theirs}");
        let ours = dogwatch.tail(&["pods", "-A", "--once", "-o", &output])?;
        let said = String::from_utf8_lossy(&ours.stderr);
        assert!(
            !ours.status.success() && said.contains(words) && said.contains("at character"),
            "{path}: {said}"
        );
    }
    Ok(())
}
