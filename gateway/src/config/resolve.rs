//! From what was said in three places to one [`Config`], or to the first thing that can't be.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use shared::problem::Problem;

use super::file::File;
use super::flags::ServeFlags;
use super::source::Shown;
use super::{Config, team, wrong};
use crate::http::origin::Origin;
use crate::limits::{CONNECTIONS_MAX, CONNECTIONS_PER_IDENTITY_MAX};

const LISTEN: &str = "127.0.0.1:8484";
const MODE: &str = "local";
/// Above the files that any system lets a process open.
const COUNT_MAX: usize = 1_000_000;

impl Config {
    /// # Errors
    /// One sentence that names the flag and what it can be.
    pub fn of(flags: ServeFlags) -> Result<Self, Problem> {
        let file = match &flags.config {
            Some(path) => File::read(path)?,
            None => File::default(),
        };
        Self::resolve(flags, file, |name| std::env::var_os(name), Path::is_file)
    }

    fn resolve(
        flags: ServeFlags,
        file: File,
        variable: impl Fn(&str) -> Option<OsString>,
        exists: impl Fn(&Path) -> bool,
    ) -> Result<Self, Problem> {
        let auth = flags.auth.or(file.auth).unwrap_or_else(|| MODE.to_owned());
        if auth != MODE {
            return Err(wrong(format!("there is no --auth {auth}; what there is: {MODE}")));
        }
        let listen = address("--listen", &flags.listen.or(file.listen).unwrap_or_else(|| LISTEN.to_owned()))?;
        if !listen.ip().is_loopback() {
            return Err(wrong(format!(
                "--listen {listen} would show the cluster to the network: with --auth {MODE} it must be \
                 loopback, such as {LISTEN}; from elsewhere, forward the port with ssh -L"
            )));
        }
        let metrics_listen = flags.metrics_listen.or(file.metrics_listen);
        let metrics_listen = metrics_listen.map(|text| address("--metrics-listen", &text)).transpose()?;
        let public_url = flags.public_url.or(file.public_url);
        let public_url = public_url.map(|text| origin("--public-url", &text)).transpose()?;
        let allowed =
            if flags.allowed_origin.is_empty() { file.allowed_origin } else { flags.allowed_origin };
        let allowed_origins =
            allowed.iter().map(|text| origin("--allowed-origin", text)).collect::<Result<_, _>>()?;
        let demo = flags.demo || file.demo.unwrap_or_default();
        let (kubeconfig, context) = (flags.kubeconfig.or(file.kubeconfig), flags.context.or(file.context));
        let shown = Shown::find(demo, kubeconfig, context, variable, exists)?;
        let connections_max =
            count("--connections-max", flags.connections_max, file.connections_max, CONNECTIONS_MAX)?;
        let connections_per_identity_max = count(
            "--connections-per-identity-max",
            flags.connections_per_identity_max,
            file.connections_per_identity_max,
            CONNECTIONS_PER_IDENTITY_MAX,
        )?;
        let team = team::team(file.pinned, file.boards)?;
        Ok(Self {
            listen,
            metrics_listen,
            shown,
            public_url,
            allowed_origins,
            connections_max,
            connections_per_identity_max,
            team,
        })
    }
}

fn address(flag: &str, text: &str) -> Result<SocketAddr, Problem> {
    let port = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    let known = port.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port))).or_else(|| text.parse().ok());
    known.ok_or_else(|| wrong(format!("{flag} {text} is not an address with a port, such as {LISTEN}")))
}

fn count(flag: &str, said: Option<String>, written: Option<usize>, usual: usize) -> Result<usize, Problem> {
    let Some(text) = said.or(written.map(|count| count.to_string())) else { return Ok(usual) };
    let count = text.parse().ok().filter(|count| (1..=COUNT_MAX).contains(count));
    count
        .ok_or_else(|| wrong(format!("{flag} {text} is not a number from 1 to {COUNT_MAX}, such as {usual}")))
}

fn origin(flag: &str, text: &str) -> Result<Origin, Problem> {
    // A page's address may end in a slash; an origin has no path.
    Origin::parse(text.strip_suffix('/').unwrap_or(text)).ok_or_else(|| {
        wrong(format!(
            "{flag} {text} is not an origin: scheme, host in lower case and, where it isn't the scheme's own, \
             a port, such as https://dogwatch.example"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demo() -> ServeFlags {
        ServeFlags { demo: true, ..ServeFlags::default() }
    }

    fn resolved(flags: ServeFlags, file: File) -> Result<Config, Problem> {
        Config::resolve(flags, file, |_| None, |_| false)
    }

    #[test]
    fn a_flag_comes_before_the_file_and_the_file_before_what_is_usual() {
        let usual = resolved(demo(), File::default()).expect("a configuration");
        assert_eq!(usual.listen.to_string(), LISTEN);
        let file = || File { listen: Some("localhost:9000".to_owned()), ..File::default() };
        assert_eq!(resolved(demo(), file()).expect("a configuration").listen.to_string(), "127.0.0.1:9000");
        let flags = ServeFlags { listen: Some("[::1]:7000".to_owned()), ..demo() };
        assert_eq!(resolved(flags, file()).expect("a configuration").listen.to_string(), "[::1]:7000");
    }

    #[test]
    fn r_authn_2_local_never_leaves_loopback_and_no_other_mode_exists() {
        for address in ["0.0.0.0:8484", "[::]:8484", "192.168.1.7:8484"] {
            let flags = ServeFlags { listen: Some(address.to_owned()), ..demo() };
            let problem = resolved(flags, File::default()).expect_err(address);
            assert!(problem.message.contains("loopback"), "{problem}");
        }
        for mode in ["none", "", "oidc", "Local"] {
            let flags = ServeFlags { auth: Some(mode.to_owned()), ..demo() };
            let problem = resolved(flags, File::default()).expect_err(mode);
            assert!(problem.message.contains("what there is: local"), "{problem}");
        }
    }

    #[test]
    fn r_net_6_the_limits_of_connections_are_raised_by_configuration() {
        let usual = resolved(demo(), File::default()).expect("a configuration");
        assert_eq!((usual.connections_max, usual.connections_per_identity_max), (4_096, 100));
        let file = File { connections_per_identity_max: Some(10_000), ..File::default() };
        let flags = ServeFlags { connections_max: Some("20000".to_owned()), ..demo() };
        let raised = resolved(flags, file).expect("a configuration");
        assert_eq!((raised.connections_max, raised.connections_per_identity_max), (20_000, 10_000));
        for count in ["0", "-1", "many", "1e9", "99999999999999999999"] {
            let flags = ServeFlags { connections_max: Some(count.to_owned()), ..demo() };
            let problem = resolved(flags, File::default()).expect_err(count);
            assert!(problem.message.contains("--connections-max"), "{problem}");
        }
    }

    #[test]
    fn what_is_no_address_and_no_origin_is_named_with_an_example() {
        for listen in ["8484", ":8484", "localhost", "127.0.0.1:99999", "http://127.0.0.1:8484"] {
            let flags = ServeFlags { listen: Some(listen.to_owned()), ..demo() };
            let problem = resolved(flags, File::default()).expect_err(listen);
            assert!(problem.message.contains("--listen"), "{problem}");
        }
        for site in ["*", "portal.example", "https://*.example", "https://portal.example/app", "null"] {
            let flags = ServeFlags { allowed_origin: vec![site.to_owned()], ..demo() };
            let problem = resolved(flags, File::default()).expect_err(site);
            assert!(problem.message.contains("--allowed-origin"), "{problem}");
        }
        let flags = ServeFlags { public_url: Some("https://dogwatch.example/".to_owned()), ..demo() };
        assert!(resolved(flags, File::default()).is_ok());
    }
}
