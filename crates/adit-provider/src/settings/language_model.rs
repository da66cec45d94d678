use serde::{Deserialize, Serialize};

use super::{BudgetSettings, EndpointSettings, PriceSettings};

/// Which interface a language model speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// A server on this machine that is found by itself: Ollama, then llama.cpp.
    #[default]
    Local,
    /// Anthropic's Messages interface.
    Anthropic,
    /// OpenAI's chat completions, and what speaks like them: OpenAI, vLLM, llama.cpp, Ollama, and many more.
    OpenAi,
}

impl ProviderKind {
    /// Its name in `adit.toml`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Anthropic => "anthropic",
            Self::OpenAi => "open_ai",
        }
    }
}

/// The section `[language_model]` of `adit.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderSettings {
    /// Which interface it speaks.
    pub provider: ProviderKind,
    /// Its name at the provider; empty takes the first model of a local server.
    pub model: String,
    /// Where it is reached.
    pub endpoint: EndpointSettings,
    /// Tokens it reads and writes in one call, where the server does not say.
    pub context_window_tokens: Option<usize>,
    /// The most it writes in one call, where that is known.
    pub max_output_tokens: Option<usize>,
    /// Whether it calls tools; none takes what is usual for the provider.
    pub calls_tools: Option<bool>,
    /// Whether the interface gives the probabilities of tokens; none takes what is usual for the provider.
    pub gives_token_probabilities: Option<bool>,
    /// Whether the temperature is sent. Some models that think before they answer refuse any.
    pub sends_temperature: bool,
    /// What OpenAI's interface calls the limit of output; none takes what is usual for the address.
    pub output_limit_field: Option<OutputLimitField>,
    /// What all calls of one run may use together.
    pub budget: BudgetSettings,
    /// What it costs, in place of the price table's entry.
    pub prices: Option<PriceSettings>,
}

impl Default for ProviderSettings {
    fn default() -> Self {
        Self {
            provider: ProviderKind::default(),
            model: String::new(),
            endpoint: EndpointSettings::default(),
            context_window_tokens: None,
            max_output_tokens: None,
            calls_tools: None,
            gives_token_probabilities: None,
            sends_temperature: true,
            output_limit_field: None,
            budget: BudgetSettings::default(),
            prices: None,
        }
    }
}

/// Name of the request's field that limits the output tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputLimitField {
    /// What compatible servers read.
    MaxTokens,
    /// What OpenAI's models that think before they answer insist on.
    MaxCompletionTokens,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_default_and_no_typing_error_passes() {
        assert_eq!(toml::from_str::<ProviderSettings>("").unwrap(), ProviderSettings::default());
        let settings: ProviderSettings = toml::from_str(
            "provider = 'anthropic'\nmodel = 'claude-haiku-4-5'\n[endpoint]\nkey_variable = 'MY_KEY'\n\
             requests_per_minute = 50\n[budget]\nusd = 1.5\n[prices]\ninput_usd_per_million = 1\n\
             output_usd_per_million = 5\n",
        )
        .unwrap();
        assert_eq!(settings.provider, ProviderKind::Anthropic);
        assert_eq!(settings.endpoint.requests_per_minute, Some(50));
        assert_eq!(settings.endpoint.max_attempts, EndpointSettings::default().max_attempts);
        for wrong in
            ["modell = 'x'", "[endpoint]\nkey = 'sk-1'", "provider = 'openai?'", "[budget]\neuro = 1"]
        {
            assert!(toml::from_str::<ProviderSettings>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn settings_are_written_as_they_are_read() {
        let settings = ProviderSettings { model: "m".to_owned(), ..ProviderSettings::default() };
        let text = toml::to_string(&settings).unwrap();
        assert_eq!(toml::from_str::<ProviderSettings>(&text).unwrap(), settings);
    }
}
