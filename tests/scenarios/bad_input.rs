//! Bad input at the command line gets one clear sentence that says what to do: against files, ports and a running
//! gateway.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Output;
use std::thread;

use anyhow::Result;
use testkit::dogwatch::{Dogwatch, Home};

/// R-AUTHN-2
#[test]
fn a_start_that_cannot_work_says_why_and_what_to_do() -> Result<()> {
    let home = Home::new()?;
    let write = |name: &str, text: &str| -> Result<String> {
        let path = home.path().join(name);
        fs::write(&path, text)?;
        Ok(path.to_string_lossy().into_owned())
    };
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let taken_port = taken.local_addr()?.port().to_string();
    let taken_address = format!("127.0.0.1:{taken_port}");
    let missing = home.path().join("missing").to_string_lossy().into_owned();
    let empty = write("empty", "")?;
    let not_yaml = write("not-yaml", "{{{")?;
    let no_such_context = write("contexts", &kubeconfig("https://127.0.0.1:1", "token: t"))?;
    let plugin = write("plugin", &kubeconfig("https://127.0.0.1:1", &exec("/nonexistent/login-helper")))?;
    let failing = write("failing", &kubeconfig("https://127.0.0.1:1", &exec("false")))?;
    let terminal =
        write("terminal", &kubeconfig("https://127.0.0.1:1", &exec("true").replace("Never", "Always")))?;
    let no_address = write("no-address", &kubeconfig("127.0.0.1:x", "token: t"))?;
    let no_scheme = write("no-scheme", &kubeconfig("127.0.0.1:1", "token: t"))?;
    let no_apiserver = write("web", &kubeconfig(&web_server()?, "token: t"))?;
    let unknown_key = write("config.yaml", "lisen: 127.0.0.1:0\n")?;

    for (arguments, fragments) in [
        (vec!["--kubeconfig", &missing], vec![missing.as_str()]),
        (vec!["--kubeconfig", &empty], vec![empty.as_str()]),
        (vec!["--kubeconfig", &not_yaml], vec![not_yaml.as_str()]),
        (vec!["--kubeconfig", &no_such_context, "--context", "prod"], vec!["prod", "test"]),
        (vec!["--kubeconfig", &plugin], vec!["login-helper"]),
        (vec!["--kubeconfig", &failing], vec!["false"]),
        (vec!["--kubeconfig", &terminal], vec!["wants a terminal", "Always"]),
        (vec!["--kubeconfig", &no_address], vec!["`server`", "https://host:6443"]),
        (vec!["--kubeconfig", &no_scheme], vec!["nothing listens", "http://127.0.0.1:1"]),
        (vec!["--kubeconfig", &no_apiserver], vec!["API server"]),
        (vec!["--demo", "--listen", &taken_address], vec![taken_port.as_str(), "--listen"]),
        (vec!["--demo", "--auth", "none"], vec!["none", "local"]),
        (vec!["--demo", "--listen", "0.0.0.0:0"], vec!["loopback"]),
        (vec!["--demo", "--config", &missing], vec!["--config"]),
        (vec!["--demo", "--config", &unknown_key], vec!["lisen", "listen"]),
        (vec![], vec!["--demo"]),
    ] {
        let mut command = home.command();
        command.arg("serve");
        if !arguments.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        let output = command.args(&arguments).output()?;
        expect_one_sentence(&format!("serve {arguments:?}"), &output, &fragments);
    }
    Ok(())
}

#[test]
fn a_tail_of_nothing_says_why() -> Result<()> {
    let dogwatch = Dogwatch::of_demo()?;
    for (arguments, fragments) in [
        (vec!["podz", "-A", "--once"], vec!["podz"]),
        (vec!["pods", "-n", "Not_A_Name", "--once"], vec!["Not_A_Name"]),
        (vec!["pods", "-A", "-l", "app in web", "--once"], vec!["app in web"]),
        (vec!["pods", "-A", "--field-selector", "nonsense", "--once"], vec!["nonsense"]),
        (vec!["pods", "-A", "--field-selector", "spec.colour=red", "--once"], vec!["spec.colour"]),
        (vec!["pods,svc", "-A", "--once"], vec!["dogwatch tail svc"]),
        (vec!["pods", "--context", "prod", "--once"], vec!["--cluster"]),
        (vec!["secrets", "-A", "--once"], vec!["ecrets"]),
    ] {
        let output = dogwatch.tail(&arguments)?;
        expect_one_sentence(&format!("tail {arguments:?}"), &output, &fragments);
    }
    assert!(dogwatch.tail(&["pods", "-A", "--once"])?.status.success(), "the gateway goes on");
    Ok(())
}

#[test]
fn a_tail_without_a_gateway_says_how_to_start_one() -> Result<()> {
    let home = Home::new()?;
    let output = home.command().args(["tail", "pods"]).output()?;
    expect_one_sentence("tail without a gateway", &output, &["dogwatch serve"]);
    let output = home.command().arg("url").output()?;
    expect_one_sentence("url without a gateway", &output, &["dogwatch serve"]);
    Ok(())
}

fn expect_one_sentence(what: &str, output: &Output, fragments: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{what} succeeded: {said}");
    for fragment in fragments {
        assert!(said.contains(fragment), "{what} doesn't say {fragment:?}: {said}");
    }
    assert!(!said.contains("panicked"), "{what}: {said}");
    let errors = said.lines().filter(|line| !line.trim().is_empty()).count();
    assert!((1..=3).contains(&errors), "{what} says too much or nothing: {said}");
}

fn kubeconfig(server: &str, user: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: test\n\
         clusters: [{{name: c, cluster: {{server: \"{server}\"}}}}]\n\
         contexts: [{{name: test, context: {{cluster: c, user: u}}}}]\n\
         users: [{{name: u, user: {{{user}}}}}]\n"
    )
}

fn exec(command: &str) -> String {
    format!(
        "exec: {{apiVersion: client.authentication.k8s.io/v1, command: \"{command}\", interactiveMode: Never}}"
    )
}

/// Something that answers, and isn't an API server.
fn web_server() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 4096]);
            let body = "<html>It works</html>";
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    Ok(format!("http://{address}"))
}
