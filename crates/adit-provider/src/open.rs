use std::sync::Arc;

use adit_core::{LanguageModel, LanguageModelDescription};

use crate::anthropic::{self, AnthropicModel};
use crate::http::{HttpClient, Identity, Limits};
use crate::openai::OpenAiModel;
use crate::settings::{OutputLimitField, ProviderKind, ProviderSettings};
use crate::{CallContext, ProviderError, discover};

const OPENAI: &str = "https://api.openai.com/v1";
const OPENAI_KEY: &str = "OPENAI_API_KEY";

/// Opens the language model of the section `[language_model]`. Nothing is sent, but for
/// [`ProviderKind::Local`], which looks for a server on this machine.
///
/// # Errors
/// [`ProviderError`].
pub fn open_language_model(
    settings: &ProviderSettings,
    context: CallContext,
) -> Result<Arc<dyn LanguageModel>, ProviderError> {
    settings.endpoint.check()?;
    if let Some(prices) = &settings.prices {
        prices.check()?;
    }
    if settings.budget.usd.is_some() && settings.prices.is_none() {
        return Err(ProviderError::setting("budget.usd", "it needs the section [language_model.prices]"));
    }
    match settings.provider {
        ProviderKind::Anthropic => open_anthropic(settings, context),
        ProviderKind::OpenAi => open_openai(settings, context),
        ProviderKind::Local => open_openai(&local(settings)?, context),
    }
}

fn open_anthropic(
    settings: &ProviderSettings,
    context: CallContext,
) -> Result<Arc<dyn LanguageModel>, ProviderError> {
    // The usual variable holds the key of the usual address, and goes nowhere else.
    let usual_variable = settings.endpoint.base_url.is_none().then_some(anthropic::KEY_VARIABLE);
    let secret = settings.endpoint.key(usual_variable)?;
    let base_url = settings.endpoint.address(Some(anthropic::ADDRESS), secret.is_some())?;
    let mut headers = vec![("anthropic-version", anthropic::VERSION.to_owned())];
    match &secret {
        Some(secret) => headers.push(("x-api-key", secret.expose().to_owned())),
        None if settings.endpoint.base_url.is_none() => return Err(no_key(anthropic::KEY_VARIABLE)),
        None => {}
    }
    let description = LanguageModelDescription {
        calls_tools: settings.calls_tools.unwrap_or(true),
        gives_token_probabilities: false,
        cites_natively: true,
        ..description(settings)?
    };
    let identity = identity(settings, base_url, headers, secret);
    let sends_temperature = settings.sends_temperature;
    Ok(Arc::new(AnthropicModel {
        client: client(settings, identity, context),
        description,
        sends_temperature,
    }))
}

fn open_openai(
    settings: &ProviderSettings,
    context: CallContext,
) -> Result<Arc<dyn LanguageModel>, ProviderError> {
    let usual_variable = settings.endpoint.base_url.is_none().then_some(OPENAI_KEY);
    let secret = settings.endpoint.key(usual_variable)?;
    let base_url = settings.endpoint.address(Some(OPENAI), secret.is_some())?;
    let headers = match &secret {
        Some(secret) => vec![("authorization", format!("Bearer {}", secret.expose()))],
        None if settings.endpoint.base_url.is_none() => return Err(no_key(OPENAI_KEY)),
        None => Vec::new(),
    };
    let usual_limit = if settings.endpoint.base_url.is_none() {
        OutputLimitField::MaxCompletionTokens
    } else {
        OutputLimitField::MaxTokens
    };
    let description = LanguageModelDescription {
        calls_tools: settings.calls_tools.unwrap_or(true),
        gives_token_probabilities: settings.gives_token_probabilities.unwrap_or(true),
        cites_natively: false,
        ..description(settings)?
    };
    let identity = identity(settings, base_url, headers, secret);
    Ok(Arc::new(OpenAiModel {
        client: client(settings, identity, context),
        description,
        sends_temperature: settings.sends_temperature,
        limit_field: settings.output_limit_field.unwrap_or(usual_limit),
    }))
}

/// The settings with the address and the model of a server that runs on this machine.
fn local(settings: &ProviderSettings) -> Result<ProviderSettings, ProviderError> {
    let mut settings = settings.clone();
    if settings.endpoint.base_url.is_some() && !settings.model.is_empty() {
        return Ok(settings);
    }
    let servers = match &settings.endpoint.base_url {
        Some(base_url) => discover::probe(discover::LocalServerKind::Other, base_url).into_iter().collect(),
        None => discover::discover(),
    };
    let found = servers.into_iter().find_map(|server| {
        let model = match settings.model.as_str() {
            "" => server.models.first()?.clone(),
            wanted => server.models.iter().find(|model| *model == wanted)?.clone(),
        };
        Some((server.base_url, model))
    });
    let Some((base_url, model)) = found else {
        let probed = settings.endpoint.base_url.clone().unwrap_or_else(discover::addresses);
        return Err(ProviderError::NoLocalServer { probed });
    };
    settings.endpoint.base_url = Some(base_url);
    settings.model = model;
    Ok(settings)
}

fn description(settings: &ProviderSettings) -> Result<LanguageModelDescription, ProviderError> {
    if settings.model.trim().is_empty() {
        return Err(ProviderError::setting("model", "it is missing"));
    }
    Ok(LanguageModelDescription {
        provider: settings.provider.name().to_owned(),
        model: settings.model.clone(),
        context_window_tokens: settings.context_window_tokens,
        max_output_tokens: settings.max_output_tokens,
        ..LanguageModelDescription::default()
    })
}

fn identity(
    settings: &ProviderSettings,
    base_url: String,
    headers: Vec<(&'static str, String)>,
    secret: Option<crate::Secret>,
) -> Identity {
    let provider = settings.provider.name().to_owned();
    Identity { base_url, headers, secret, provider, model: settings.model.clone() }
}

fn client(settings: &ProviderSettings, identity: Identity, context: CallContext) -> HttpClient {
    let limits = Limits::new(&settings.endpoint, settings.budget.clone(), settings.prices.clone());
    HttpClient::new(identity, &settings.endpoint, limits, context)
}

fn no_key(variable: &str) -> ProviderError {
    ProviderError::NoKeyInVariable { variable: variable.to_owned() }
}
