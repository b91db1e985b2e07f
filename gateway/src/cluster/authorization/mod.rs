//! The header with which the gateway says who it is: fixed, from a file that is read again, or from an exec plugin. Never the
//! credential of a viewer.

mod plugin;
mod plugins;
mod token_file;

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::{HeaderValue, Request, header};
use kube::config::AuthInfo;
use shared::problem::{Problem, Reason};
use tower::BoxError;
use tower::filter::AsyncPredicate;

use super::kubeconfig::Credential;
use plugin::{Answer, Plugin};
use token_file::TokenFile;

/// What a request proves itself with. Cheap to clone.
#[derive(Clone, Default)]
pub(super) enum Authorization {
    #[default]
    Nothing,
    Fixed(HeaderValue),
    File(Arc<TokenFile>),
    /// `certificate` is the answer whose certificate the connections present: a new one needs new connections.
    Plugin {
        plugin: Arc<Plugin>,
        certificate: Option<Arc<Answer>>,
    },
}

impl Authorization {
    /// Reads the file or runs the plugin, and puts a certificate that the plugin gives into `auth`.
    pub(super) async fn of(credential: Credential, auth: &mut AuthInfo) -> Result<Self, Problem> {
        match credential {
            Credential::Nothing => Ok(Self::Nothing),
            Credential::Token(token) => bearer(&token).map(Self::Fixed),
            Credential::Basic { user, password } => {
                let pair = STANDARD.encode(format!("{user}:{password}"));
                header_value(&format!("Basic {pair}")).map(Self::Fixed)
            }
            Credential::TokenFile { path, else_token } => {
                Ok(Self::File(Arc::new(TokenFile::open(path.into(), else_token).await?)))
            }
            Credential::Exec { exec, user } => {
                let plugin = plugins::shared(*exec, user);
                let answer = plugin.answer().await?;
                let certificate = answer.certificate.as_ref().map(|certificate| {
                    auth.client_certificate_data = Some(STANDARD.encode(&certificate.chain));
                    auth.client_key_data = Some(STANDARD.encode(&certificate.key).into());
                    answer.clone()
                });
                Ok(Self::Plugin { plugin, certificate })
            }
        }
    }

    /// The API server refused what was sent last: a plugin is asked again.
    pub(super) fn refused(&self) {
        if let Self::Plugin { plugin, .. } = self {
            plugin.forget();
        }
    }

    async fn header(&self) -> Result<Option<HeaderValue>, Problem> {
        match self {
            Self::Nothing => Ok(None),
            Self::Fixed(value) => Ok(Some(value.clone())),
            Self::File(file) => file.header().await.map(Some),
            Self::Plugin { certificate: Some(answer), .. } => Ok(answer.header.clone()),
            Self::Plugin { plugin, certificate: None } => Ok(plugin.answer().await?.header.clone()),
        }
    }
}

/// As a filter of a client's requests.
impl<B: Send + 'static> AsyncPredicate<Request<B>> for Authorization {
    type Future = BoxFuture<'static, Result<Request<B>, BoxError>>;
    type Request = Request<B>;

    fn check(&mut self, mut request: Request<B>) -> Self::Future {
        let authorization = self.clone();
        async move {
            if let Some(value) = authorization.header().await? {
                request.headers_mut().insert(header::AUTHORIZATION, value);
            }
            Ok(request)
        }
        .boxed()
    }
}

fn bearer(token: &str) -> Result<HeaderValue, Problem> {
    header_value(&format!("Bearer {token}"))
}

fn header_value(text: &str) -> Result<HeaderValue, Problem> {
    // Blanks around a value aren't sent.
    let mut value = HeaderValue::from_bytes(text.trim_matches([' ', '\t']).as_bytes()).map_err(|_| {
        Problem::new(
            Reason::Configuration,
            "the kubeconfig's token or password holds characters that a header can't carry",
        )
    })?;
    value.set_sensitive(true);
    Ok(value)
}
