use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{ProviderError, Secret};

/// Longer key files hold something else.
const LONGEST_KEY_BYTES: u64 = 1 << 14;

/// Where a hosted model is reached and how patiently: `[language_model.endpoint]`, `[embedding.endpoint]` and
/// `[reranker.endpoint]` in `adit.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndpointSettings {
    /// Address up to and including the version, such as `https://api.openai.com/v1`; none takes the
    /// provider's own.
    pub base_url: Option<String>,
    /// Environment variable that holds the key; none takes the provider's usual one, at its own address only.
    pub key_variable: Option<String>,
    /// File that holds the key and nothing else; goes before the variable.
    pub key_file: Option<PathBuf>,
    /// The longest time to connect.
    pub connect_timeout_ms: u64,
    /// The longest silence of a server while it answers.
    pub silence_timeout_ms: u64,
    /// The longest time of one call, waiting and retries included.
    pub deadline_ms: u64,
    /// How often a call is tried, the first time included.
    pub max_attempts: u32,
    /// The first pause before another try; doubles each time, and a random part of it is waited.
    pub first_pause_ms: u64,
    /// The longest pause before another try. A provider that asks for a longer one is not tried again.
    pub longest_pause_ms: u64,
    /// Calls a minute; none for no limit.
    pub requests_per_minute: Option<u32>,
    /// Tokens a minute, read and written; none for no limit.
    pub tokens_per_minute: Option<u32>,
    /// Failed calls in a row after which none is tried for `breaker_pause_ms`.
    pub breaker_failures: u32,
    /// How long no call is tried then.
    pub breaker_pause_ms: u64,
    /// The longest answer that is read.
    pub max_answer_bytes: usize,
}

impl Default for EndpointSettings {
    fn default() -> Self {
        Self {
            base_url: None,
            key_variable: None,
            key_file: None,
            connect_timeout_ms: 10_000,
            silence_timeout_ms: 120_000,
            deadline_ms: 300_000,
            max_attempts: 4,
            first_pause_ms: 500,
            longest_pause_ms: 60_000,
            requests_per_minute: None,
            tokens_per_minute: None,
            breaker_failures: 5,
            breaker_pause_ms: 30_000,
            max_answer_bytes: 64 << 20,
        }
    }
}

impl EndpointSettings {
    /// The address, without a slash at its end.
    ///
    /// # Errors
    /// [`ProviderError::Setting`] for none at all, another scheme than HTTP, credentials in the address, and
    /// an unencrypted address that is not this machine while a key would be sent there.
    pub(crate) fn address(&self, usual: Option<&str>, has_key: bool) -> Result<String, ProviderError> {
        let refuse = |detail: &str| Err(ProviderError::setting("endpoint.base_url", detail));
        let Some(address) = self.base_url.as_deref().or(usual) else {
            return refuse("it is missing, and this provider has no usual one");
        };
        let address = address.trim().trim_end_matches('/');
        let Some(host) = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://")) else {
            return refuse("it must begin with https:// or http://");
        };
        if host.split('/').next().is_some_and(|authority| authority.contains('@')) {
            return refuse("it must not hold a user or a password");
        }
        if has_key && address.starts_with("http://") && !is_loopback(address) {
            return refuse("a key would be sent unencrypted to another machine; use https://");
        }
        Ok(address.to_owned())
    }

    /// The key, if there is one to be had; `usual_variable` stands in for one that is not named.
    ///
    /// # Errors
    /// [`ProviderError::KeyFile`], and [`ProviderError::NoKeyInVariable`] for a variable that is named in the
    /// settings and not set.
    pub(crate) fn key(&self, usual_variable: Option<&str>) -> Result<Option<Secret>, ProviderError> {
        if let Some(path) = &self.key_file {
            let fail = |detail: String| ProviderError::KeyFile { path: path.clone(), detail };
            let size_bytes = fs_err::metadata(path).map_err(|error| fail(error.kind().to_string()))?.len();
            if size_bytes > LONGEST_KEY_BYTES {
                return Err(fail(format!("it is {size_bytes} bytes long")));
            }
            let key = fs_err::read_to_string(path).map_err(|error| fail(error.kind().to_string()))?;
            return checked(&key)
                .map(Some)
                .ok_or_else(|| fail("it holds no key on a single line".to_owned()));
        }
        let Some(variable) = self.key_variable.as_deref().or(usual_variable) else { return Ok(None) };
        match std::env::var(variable).ok().as_deref().and_then(checked) {
            Some(key) => Ok(Some(key)),
            None if self.key_variable.is_none() => Ok(None),
            None => Err(ProviderError::NoKeyInVariable { variable: variable.to_owned() }),
        }
    }

    /// `deadline_ms` as a duration.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    /// # Errors
    /// [`ProviderError::Setting`] for a limit of nothing.
    pub(crate) fn check(&self) -> Result<(), ProviderError> {
        let positive = [
            ("endpoint.connect_timeout_ms", self.connect_timeout_ms > 0),
            ("endpoint.silence_timeout_ms", self.silence_timeout_ms > 0),
            ("endpoint.deadline_ms", self.deadline_ms > 0),
            ("endpoint.max_attempts", self.max_attempts > 0),
            ("endpoint.requests_per_minute", self.requests_per_minute != Some(0)),
            ("endpoint.tokens_per_minute", self.tokens_per_minute != Some(0)),
            ("endpoint.breaker_failures", self.breaker_failures > 0),
            ("endpoint.max_answer_bytes", self.max_answer_bytes > 0),
        ];
        match positive.iter().find(|(_, holds)| !holds) {
            Some((setting, _)) => Err(ProviderError::setting(setting, "it must be at least 1")),
            None => Ok(()),
        }
    }
}

/// A key of visible ASCII characters, which is all that a header takes.
fn checked(key: &str) -> Option<Secret> {
    let key = key.trim();
    (!key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Secret::new(key))
}

/// Whether `address` names this machine.
pub(crate) fn is_loopback(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    let host = match authority.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((host, _)) => host,
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    };
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(base_url: &str) -> EndpointSettings {
        EndpointSettings { base_url: Some(base_url.to_owned()), ..EndpointSettings::default() }
    }

    #[test]
    fn a_key_goes_unencrypted_only_to_this_machine() {
        for here in ["http://127.0.0.1:8080/v1/", "http://localhost/v1", "http://[::1]:11434"] {
            assert!(at(here).address(None, true).is_ok(), "{here}");
        }
        for elsewhere in ["http://example.org", "http://localhost.example.org", "http://127.0.0.1.nip.io:80"]
        {
            assert!(at(elsewhere).address(None, true).is_err(), "{elsewhere}");
            assert!(at(elsewhere).address(None, false).is_ok(), "{elsewhere}");
        }
        for wrong in ["ftp://localhost", "localhost:80", "https://user:word@example.org/v1"] {
            assert!(at(wrong).address(None, false).is_err(), "{wrong}");
        }
        assert_eq!(at("https://a.b/v1/").address(None, true).unwrap(), "https://a.b/v1");
    }

    #[test]
    fn a_key_file_holds_one_key_and_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let settings = EndpointSettings { key_file: Some(path.clone()), ..EndpointSettings::default() };
        assert!(matches!(settings.key(None), Err(ProviderError::KeyFile { .. })));
        for wrong in ["", " \n", "two\nlines", "k\u{e9}y"] {
            fs_err::write(&path, wrong).unwrap();
            assert!(settings.key(None).is_err(), "{wrong:?}");
        }
        fs_err::write(&path, "sk-1\n").unwrap();
        assert_eq!(settings.key(Some("PATH")).unwrap(), Some(Secret::new("sk-1")));
    }

    #[test]
    fn a_named_variable_must_be_set_and_the_usual_one_may() {
        let unset = "ADIT_TEST_VARIABLE_THAT_NOBODY_SETS";
        assert_eq!(EndpointSettings::default().key(Some(unset)).unwrap(), None);
        let named = EndpointSettings { key_variable: Some(unset.to_owned()), ..EndpointSettings::default() };
        assert!(matches!(named.key(None), Err(ProviderError::NoKeyInVariable { .. })));
    }

    #[test]
    fn a_limit_of_nothing_is_refused() {
        assert!(EndpointSettings::default().check().is_ok());
        let idle = EndpointSettings { requests_per_minute: Some(0), ..EndpointSettings::default() };
        assert!(idle.check().unwrap_err().to_string().contains("requests_per_minute"));
    }
}
