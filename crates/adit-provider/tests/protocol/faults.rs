use std::ops::ControlFlow;
use std::time::Duration;

use adit_core::{CompletionRequest, LanguageModelError};
use adit_provider::{
    BudgetSettings, CancellationToken, PriceSettings, ProviderKind, WaitReason, open_language_model,
};
use adit_testkit::{ScriptedResponse, ScriptedServer, StreamEnd};
use serde_json::json;

use crate::support::{Recorder, context, open, settings};

const PATH: &str = "/v1/chat/completions";

fn fine() -> ScriptedResponse {
    ScriptedResponse::json(&json!({
        "choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1}}))
}

fn question() -> CompletionRequest {
    CompletionRequest::question("s", "u", 10)
}

#[test]
fn passing_trouble_is_tried_again() {
    for trouble in [
        ScriptedResponse::status(429, "{}").with_header("retry-after-ms", "3"),
        ScriptedResponse::status(429, "{}").with_header("retry-after", "0"),
        ScriptedResponse::status(500, "oops"),
        ScriptedResponse::status(503, ""),
        ScriptedResponse::Reset,
    ] {
        let server = ScriptedServer::start();
        server.answer(PATH, trouble.clone());
        server.answer(PATH, fine());
        let (model, recorder) = open(&settings(ProviderKind::OpenAi, &server));
        assert_eq!(model.complete(&question()).unwrap().text, "fine", "{trouble:?}");
        let waits = recorder.waits.lock().unwrap();
        assert!(matches!(waits[0].reason, WaitReason::Retry { attempts: 1, .. }), "{waits:?}");
        if matches!(&trouble, ScriptedResponse::Whole { headers, .. } if headers.iter().any(|(name, _)| name == "retry-after-ms"))
        {
            assert!(waits[0].pause >= Duration::from_millis(3));
        }
        assert_eq!(recorder.usage.lock().unwrap().len(), 1, "what was refused is not billed");
    }
}

#[test]
fn a_pause_that_is_too_long_is_told_and_not_waited_for() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    for (name, value, headers) in [
        ("retry-after", "3600", None),
        ("retry-after", "Sun, 06 Nov 1994 09:49:37 GMT", Some(("date", date))),
    ] {
        let server = ScriptedServer::start();
        let mut trouble = ScriptedResponse::status(429, "{}").with_header(name, value);
        if let Some((name, value)) = headers {
            trouble = trouble.with_header(name, value);
        }
        server.answer(PATH, trouble);
        let (model, _) = open(&settings(ProviderKind::OpenAi, &server));
        let error = model.complete(&question()).unwrap_err();
        let hour = Some(Duration::from_secs(3600));
        assert!(matches!(error, LanguageModelError::RateLimited { retry_after, .. } if retry_after == hour));
        assert_eq!(server.received().len(), 1);
    }
}

#[test]
fn lasting_trouble_is_told_at_once() {
    type Check = fn(&LanguageModelError) -> bool;
    let cases: [(u16, &str, Check); 5] = [
        (401, "{}", |error| matches!(error, LanguageModelError::NotPermitted { .. })),
        (
            404,
            "{\"error\":{\"message\":\"no such model\"}}",
            |error| matches!(error, LanguageModelError::Rejected { detail } if detail.contains("no such model")),
        ),
        (413, "", |error| matches!(error, LanguageModelError::TooLong { .. })),
        (307, "", |error| matches!(error, LanguageModelError::Rejected { .. })),
        (200, "<html>garbage", |error| matches!(error, LanguageModelError::UnreadableAnswer { .. })),
    ];
    for (status, body, check) in cases {
        let server = ScriptedServer::start();
        server.answer(
            PATH,
            ScriptedResponse::status(status, body).with_header("location", "http://127.0.0.1:9/"),
        );
        let (model, recorder) = open(&settings(ProviderKind::OpenAi, &server));
        let error = model.complete(&question()).unwrap_err();
        assert!(check(&error), "{status}: {error}");
        assert_eq!(server.received().len(), 1);
        assert_eq!(recorder.usage.lock().unwrap().len(), usize::from(status == 200));
    }
}

#[test]
fn a_server_that_hangs_is_left_at_the_deadline() {
    for hanging in [ScriptedResponse::Hang, ScriptedResponse::events(&[": wait"], StreamEnd::Hang)] {
        let server = ScriptedServer::start();
        server.answer(PATH, hanging);
        let mut settings = settings(ProviderKind::OpenAi, &server);
        settings.endpoint.deadline_ms = 150;
        let (model, recorder) = open(&settings);
        let error = model.stream(&question(), &mut |_| ControlFlow::Continue(())).unwrap_err();
        assert!(matches!(error, LanguageModelError::Interrupted { may_be_billed: true, .. }), "{error}");
        assert_eq!(recorder.usage.lock().unwrap().len(), 1, "it may be billed");
    }
}

#[test]
fn a_wish_to_stop_is_heeded_while_waiting() {
    let server = ScriptedServer::start();
    server.answer(PATH, ScriptedResponse::Hang);
    let recorder = std::sync::Arc::new(Recorder::default());
    let cancellation = CancellationToken::new();
    let context = adit_provider::CallContext { cancellation: cancellation.clone(), ..context(&recorder) };
    let model = open_language_model(&settings(ProviderKind::OpenAi, &server), context).unwrap();
    let outcome = std::thread::scope(|scope| {
        let call = scope.spawn(|| model.complete(&question()));
        while server.received().is_empty() {
            std::thread::yield_now();
        }
        cancellation.cancel();
        call.join().unwrap()
    });
    assert!(
        matches!(outcome, Err(LanguageModelError::Interrupted { may_be_billed: true, .. })),
        "{outcome:?}"
    );
    server.answer(PATH, fine());
    assert!(model.complete(&question()).is_err(), "a cancelled token stops later calls too");
}

#[test]
fn a_server_that_keeps_failing_is_left_alone() {
    let server = ScriptedServer::start();
    for _ in 0..2 {
        server.answer(PATH, ScriptedResponse::status(500, ""));
    }
    server.answer(PATH, fine());
    let mut settings = settings(ProviderKind::OpenAi, &server);
    settings.endpoint.breaker_failures = 2;
    settings.endpoint.breaker_pause_ms = 100;
    settings.endpoint.max_attempts = 1;
    let (model, _) = open(&settings);
    assert!(model.complete(&question()).is_err() && model.complete(&question()).is_err());
    let error = model.complete(&question()).unwrap_err();
    assert!(error.to_string().contains("failed several times in a row"), "{error}");
    assert_eq!(server.received().len(), 2, "the third call is not sent");
    std::thread::sleep(Duration::from_millis(110));
    assert_eq!(model.complete(&question()).unwrap().text, "fine");
}

#[test]
fn a_budget_stops_the_call_before_it_is_sent() {
    let prices = PriceSettings {
        input_usd_per_million: 1e6,
        output_usd_per_million: 1e6,
        cache_write_usd_per_million: None,
        cache_read_usd_per_million: None,
    };
    for budget in [
        BudgetSettings { calls: Some(1), ..BudgetSettings::default() },
        BudgetSettings { tokens: Some(50), ..BudgetSettings::default() },
        BudgetSettings { usd: Some(50.0), ..BudgetSettings::default() },
    ] {
        let server = ScriptedServer::start();
        server.answer(
            PATH,
            ScriptedResponse::json(&json!({
            "choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 30, "completion_tokens": 10}})),
        );
        server.answer(PATH, fine());
        let mut settings = settings(ProviderKind::OpenAi, &server);
        (settings.budget, settings.prices) = (budget, Some(prices.clone()));
        let (model, recorder) = open(&settings);
        model.complete(&question()).unwrap();
        let error = model.complete(&question()).unwrap_err();
        assert!(matches!(error, LanguageModelError::OverBudget { .. }), "{error}");
        assert_eq!(server.received().len(), 1);
        assert_eq!(recorder.usage.lock().unwrap()[0].cost_usd, Some(40.0));
    }
}

#[test]
fn the_key_is_sent_and_never_shown() {
    let key = "sk-test-0123456789";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    std::fs::write(&path, key).unwrap();
    let echo = format!("{{\"error\":{{\"message\":\"Incorrect API key provided: {key}\"}}}}");
    for (kind, path_of_call, header, sent) in [
        (ProviderKind::OpenAi, PATH, "authorization", format!("Bearer {key}")),
        (ProviderKind::Anthropic, "/v1/messages", "x-api-key", key.to_owned()),
    ] {
        let server = ScriptedServer::start();
        server.answer(path_of_call, ScriptedResponse::status(401, &echo));
        let stream_error = format!(
            "event: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"x\",\"message\":\"{key}\"}}}}"
        );
        server.answer(path_of_call, ScriptedResponse::events(&[&stream_error], StreamEnd::Whole));
        server.answer(path_of_call, ScriptedResponse::status(200, key));
        let mut settings = settings(kind, &server);
        settings.endpoint.key_file = Some(path.clone());
        let (model, _) = open(&settings);
        let mut errors = vec![model.complete(&question()).unwrap_err()];
        errors.push(model.stream(&question(), &mut |_| ControlFlow::Continue(())).unwrap_err());
        errors.push(model.complete(&question()).unwrap_err());
        for error in errors {
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("0123456789") && shown.contains("[redacted]"), "{shown}");
        }
        assert_eq!(server.received()[0].header(header), Some(&sent[..]));
    }
}

#[test]
fn a_minute_that_is_used_up_is_waited_for_and_told() {
    let server = ScriptedServer::start();
    server.answer(PATH, fine());
    server.answer(PATH, fine());
    let mut settings = settings(ProviderKind::OpenAi, &server);
    settings.endpoint.requests_per_minute = Some(1);
    let recorder = std::sync::Arc::new(Recorder::default());
    let cancellation = CancellationToken::new();
    let stop = cancellation.clone();
    let waits = std::sync::Arc::clone(&recorder);
    let context = adit_provider::CallContext {
        cancellation,
        on_wait: std::sync::Arc::new(move |wait| {
            waits.waits.lock().unwrap().push(wait.clone());
            stop.cancel();
        }),
        ..context(&recorder)
    };
    let model = open_language_model(&settings, context).unwrap();
    model.complete(&question()).unwrap();
    let error = model.complete(&question()).unwrap_err();
    assert!(matches!(error, LanguageModelError::Interrupted { may_be_billed: false, .. }), "{error}");
    let waits = recorder.waits.lock().unwrap();
    assert_eq!((waits.len(), &waits[0].reason), (1, &WaitReason::MinuteBudget));
    assert!(waits[0].pause > Duration::from_secs(50) && waits[0].pause <= Duration::from_secs(60));
    assert_eq!(server.received().len(), 1);
}

#[test]
fn a_minute_that_comes_back_after_the_deadline_is_not_waited_for() {
    let server = ScriptedServer::start();
    server.answer(PATH, fine());
    let mut settings = settings(ProviderKind::OpenAi, &server);
    settings.endpoint.requests_per_minute = Some(1);
    settings.endpoint.deadline_ms = 20_000;
    let (model, recorder) = open(&settings);
    model.complete(&question()).unwrap();
    assert!(matches!(model.complete(&question()), Err(LanguageModelError::Interrupted { .. })));
    assert!(recorder.waits.lock().unwrap().is_empty());
    settings.endpoint.requests_per_minute = None;
    settings.endpoint.tokens_per_minute = Some(5);
    let outcome = open(&settings).0.complete(&question());
    assert!(matches!(outcome, Err(LanguageModelError::OverBudget { .. })), "{outcome:?}");
}
