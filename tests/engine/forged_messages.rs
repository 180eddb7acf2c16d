/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! A content process that does not play by the rules: the constellation believes a message only from the document that
//! it concerns, and nothing of what it can know better itself.
//!
//! Script refuses most of what is said here. So it is said to the constellation behind the back of script; see
//! [`engine_tests::forger`].

use std::cell::RefCell;
use std::rc::Rc;

use engine_tests::forger::{HELD_TOOL, HOSTILE_ORIGIN, HostileProcess, RELEASING_TOOL, Sender};
use engine_tests::{Browser, Mode, Options, Page, Site, Suite, tests};
use modelcontext::policy::ContainerInputs;
use modelcontext::{ExecutionId, ToolDefinition, ToolFailureKind, ToolId, ToolName};
use serde_json::json;
use servo::ScriptOutcome;
use servo_base::id::{BrowsingContextId, Index};
use servo_constellation_traits::{ScriptToModelContextMessage, ToolListRequestId};
use servo_url::{ImmutableOrigin, ServoUrl};

use crate::all_methods::{ALL_METHODS, allowed, rejected};

pub fn add_to(suite: &mut Suite) {
    suite.add_with(
        Options {
            mode: Mode::Multiprocess,
            forger: true,
            ..Options::default()
        },
        tests![
            a_completion_by_the_caller_is_not_believed,
            a_cancellation_by_the_target_is_not_believed,
            a_cancellation_of_a_call_of_the_embedder_is_not_believed,
            a_pending_call_cannot_be_made_again,
            the_call_of_another_document_cannot_be_made_again,
            a_call_that_script_would_refuse_does_not_run,
            a_document_without_the_feature_cannot_call,
            a_document_that_is_not_active_cannot_call,
            a_document_that_is_not_active_cannot_list,
            a_document_cannot_call_into_another_page,
            a_document_that_is_not_active_runs_its_tool_when_it_is_again,
            the_tool_of_another_document_cannot_be_unregistered,
            a_name_cannot_be_registered_again,
            an_identity_cannot_be_registered_again,
            the_identity_of_the_tool_of_another_document_cannot_be_taken,
            a_document_without_the_feature_cannot_register,
            a_document_cannot_allow_itself_anything,
            a_document_cannot_speak_for_the_next_frame_of_another,
            a_document_cannot_take_another_origin,
            a_document_without_an_address_cannot_take_another_origin,
            a_frame_is_listed_once,
            the_answer_to_a_script_of_another_document_is_not_believed,
        ],
    );
}

const HONEST_ORIGIN: &str = "https://honest.example";

/// Registers the tool "hold", which runs until it is released and notes its input.
const REGISTER_HOLD: &str = "
    globalThis.activated = nextEvent(document.modelContext, 'toolactivated');
    watch('toolcancel');
    await register('hold', input => {
        log.push(input.n);
        return new Promise(resolve => { globalThis.release = () => resolve('genuine'); });
    }, { exposedTo: ['https://honest.example', 'https://hostile.example'] });
";

/// Registers the tool "private", which nobody else may run, and "shared", which the hostile origin may.
const REGISTER_PRIVATE_AND_SHARED: &str = "
    const note = name => () => {
        log.push(name);
        return 'done';
    };
    await register('private', note('private'));
    await register('shared', note('shared'), { exposedTo: ['https://hostile.example'] });
";

/// Calls "shared", or "hold" where it is, of the honest page. What it gives is `how`.
const CALL_SHARED: &str =
    "globalThis.how = ending(call('shared', {}, { fromOrigins: ['https://honest.example'] }))";
const CALL_HOLD: &str = "globalThis.how = call('hold', { n: 1 }, { fromOrigins: [
        'https://honest.example', 'https://hostile.example'
    ] }).catch(error => error.name)";

fn origin(origin: &str) -> ImmutableOrigin {
    ServoUrl::parse(origin)
        .expect("It is the URL of an origin")
        .origin()
}

/// An honest page with a frame of the hostile origin, whose `allow` attribute is given.
fn open<'browser>(browser: &'browser Browser, allow: &str) -> (Page<'browser>, HostileProcess) {
    let page = browser.open("https://honest.example/");
    let attributes = json!({ "src": "https://hostile.example/", "allow": allow });
    page.run(&format!("await addFrame({attributes})"));
    (page, HostileProcess::get())
}

/// A page that has been hostile and is honest now, with the tools "private" and "shared". The document before is still
/// there, to be gone back to.
fn open_and_leave(browser: &Browser) -> (Page<'_>, HostileProcess) {
    let page = browser.open("https://hostile.example/");
    let hostile = HostileProcess::get();
    page.load("https://honest.example/");
    page.run(REGISTER_PRIVATE_AND_SHARED);
    (page, hostile)
}

/// Say something in the name of a hostile document, and wait until it has been handled. What follows from it in the
/// honest page has been done, too: it would have come before the script that is run here.
#[track_caller]
fn forge(
    page: &Page<'_>,
    hostile: &HostileProcess,
    sender: Sender,
    message: ScriptToModelContextMessage,
) {
    hostile.say(sender, message);
    // The first answer comes after the message; the second script is asked for after it has been handled.
    page.run("");
    page.run("");
}

fn definition(id: ToolId, name: &str) -> ToolDefinition<ImmutableOrigin> {
    ToolDefinition {
        id,
        name: ToolName::parse(name).expect("The test gives a valid name"),
        title: String::new(),
        description: "Forged.".into(),
        input_schema: None,
        annotations: None,
        exposed_origins: vec![origin(HONEST_ORIGIN)],
    }
}

/// A call of a tool of the honest page.
fn execute_tool(
    target: BrowsingContextId,
    tool_name: &str,
) -> (ExecutionId, ScriptToModelContextMessage) {
    let execution = ExecutionId::new();
    let message = ScriptToModelContextMessage::ExecuteTool {
        execution,
        target,
        expected_target_origin: origin(HONEST_ORIGIN),
        tool_name: tool_name.into(),
        input_arguments: "{}".into(),
    };
    (execution, message)
}

/// What a container says that allows a frame of the hostile origin everything.
fn everything() -> ContainerInputs<ImmutableOrigin> {
    ContainerInputs {
        allow: Some("tools *".into()),
        allowfullscreen: true,
        declared_origin: origin(HOSTILE_ORIGIN),
    }
}

/// The hostile document calls `hold` of the honest one. Returns while it runs.
fn let_the_frame_call(page: &Page<'_>) {
    page.run(REGISTER_HOLD);
    page.frame(&[0]).run(CALL_HOLD);
    page.run("await activated");
}

/// The honest document calls `hold` of the hostile one. Returns while it runs.
fn let_the_page_call(page: &Page<'_>) {
    page.frame(&[0]).run(REGISTER_HOLD);
    page.run(CALL_HOLD);
    page.frame(&[0]).run("await activated");
}

/// After [`let_the_frame_call`]: the tool gives its own result to the hostile document, and has run for nobody else.
#[track_caller]
fn check_that_the_page_ran_it_once(page: &Page<'_>) {
    page.run("release()");
    assert_eq!(page.frame(&[0]).run("return await how"), json!("genuine"));
    assert_eq!(page.run("return log"), json!([1]));
}

fn a_completion_by_the_caller_is_not_believed(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    let_the_frame_call(&page);
    let (execution, _) = hostile.call(0);
    forge(
        &page,
        &hostile,
        hostile.document(0),
        ScriptToModelContextMessage::CompleteExecution(execution, Ok(Some("forged".into()))),
    );
    check_that_the_page_ran_it_once(&page);
}

fn a_cancellation_by_the_target_is_not_believed(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    let_the_page_call(&page);
    forge(
        &page,
        &hostile,
        hostile.document(0),
        ScriptToModelContextMessage::CancelExecution(hostile.run(0)),
    );
    page.frame(&[0]).run("release()");
    assert_eq!(page.run("return await how"), json!("genuine"));
    assert_eq!(page.frame(&[0]).run("return log"), json!([1]));
}

fn a_cancellation_of_a_call_of_the_embedder_is_not_believed(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    page.frame(&[0]).run(REGISTER_HOLD);
    let call = page.start(page.tool("hold").id, r#"{ "n": 1 }"#);
    page.frame(&[0]).run("await activated");
    assert_eq!(hostile.run(0), call.id);
    forge(
        &page,
        &hostile,
        hostile.document(0),
        ScriptToModelContextMessage::CancelExecution(call.id),
    );
    page.frame(&[0]).run("release()");
    assert_eq!(call.outcome(), Ok(Some("genuine".into())));
    assert_eq!(page.frame(&[0]).run("return log"), json!([1]));
}

fn a_pending_call_cannot_be_made_again(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    let_the_frame_call(&page);
    let (execution, target) = hostile.call(0);
    forge(
        &page,
        &hostile,
        hostile.document(0),
        ScriptToModelContextMessage::ExecuteTool {
            execution,
            target,
            expected_target_origin: origin(HONEST_ORIGIN),
            tool_name: "hold".into(),
            input_arguments: r#"{ "n": 2 }"#.into(),
        },
    );
    check_that_the_page_ran_it_once(&page);
}

fn the_call_of_another_document_cannot_be_made_again(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    page.run(REGISTER_PRIVATE_AND_SHARED);
    page.frame(&[0]).run(CALL_SHARED);
    assert_eq!(page.frame(&[0]).run("return await how"), json!("fulfilled"));
    let (_, target) = hostile.call(0);

    // Under the identifier by which the hostile document is called.
    let_the_page_call(&page);
    let execution = hostile.run(0);
    forge(
        &page,
        &hostile,
        hostile.document(0),
        ScriptToModelContextMessage::ExecuteTool {
            execution,
            target,
            expected_target_origin: origin(HONEST_ORIGIN),
            tool_name: "shared".into(),
            input_arguments: "{}".into(),
        },
    );
    page.frame(&[0]).run("release()");
    assert_eq!(page.run("return await how"), json!("genuine"));
    assert_eq!(page.run("return log"), json!(["shared"]));
}

fn a_call_that_script_would_refuse_does_not_run(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    page.run(REGISTER_PRIVATE_AND_SHARED);
    page.frame(&[0]).run(CALL_SHARED);
    assert_eq!(page.frame(&[0]).run("return await how"), json!("fulfilled"));
    let (_, target) = hostile.call(0);

    for (tool, expected_origin, input, kind) in [
        (
            "private",
            origin(HONEST_ORIGIN),
            "{}",
            ToolFailureKind::NotExposed,
        ),
        (
            "shared",
            origin(HOSTILE_ORIGIN),
            "{}",
            ToolFailureKind::OriginMismatch,
        ),
        (
            "shared",
            ImmutableOrigin::new_opaque(),
            "{}",
            ToolFailureKind::OriginMismatch,
        ),
        (
            "no tool's name",
            origin(HONEST_ORIGIN),
            "{}",
            ToolFailureKind::NoSuchTool,
        ),
        (
            "shared",
            origin(HONEST_ORIGIN),
            "no JSON",
            ToolFailureKind::InvalidInput,
        ),
        (
            "shared",
            origin(HONEST_ORIGIN),
            "1",
            ToolFailureKind::InvalidInput,
        ),
    ] {
        let execution = ExecutionId::new();
        hostile.say(
            hostile.document(0),
            ScriptToModelContextMessage::ExecuteTool {
                execution,
                target,
                expected_target_origin: expected_origin,
                tool_name: tool.into(),
                input_arguments: input.into(),
            },
        );
        assert_eq!(hostile.end_of(execution), Err(kind), "{tool} with {input}");
    }
    assert_eq!(page.run("return log"), json!(["shared"]));
}

fn a_document_without_the_feature_cannot_call(browser: &Browser) {
    let (page, hostile) = open(browser, "tools 'none'");
    page.run(REGISTER_PRIVATE_AND_SHARED);
    let (execution, call) = execute_tool(page.webview().id().into(), "shared");
    hostile.say(hostile.document(0), call);
    assert_eq!(hostile.end_of(execution), Err(ToolFailureKind::NotAllowed));
    assert_eq!(page.run("return log"), json!([]));
}

fn a_document_that_is_not_active_cannot_call(browser: &Browser) {
    let (page, hostile) = open_and_leave(browser);

    let (execution, call) = execute_tool(page.webview().id().into(), "shared");
    hostile.say(hostile.document(0), call);
    assert_eq!(hostile.end_of(execution), Err(ToolFailureKind::NotAllowed));
    assert_eq!(page.run("return log"), json!([]));
}

fn a_document_that_is_not_active_cannot_list(browser: &Browser) {
    let (page, hostile) = open_and_leave(browser);

    let sender = hostile.document(0);
    hostile.say(
        sender,
        ScriptToModelContextMessage::GetTools {
            request: ToolListRequestId(0),
            from_origins: vec![origin(HONEST_ORIGIN)],
        },
    );
    // The answer to this one comes after that of the one before, if that has any.
    let (execution, call) = execute_tool(page.webview().id().into(), "shared");
    hostile.say(sender, call);
    assert_eq!(hostile.end_of(execution), Err(ToolFailureKind::NotAllowed));
    assert!(!hostile.has_been_told_of_tools());
}

fn a_document_cannot_call_into_another_page(browser: &Browser) {
    let hostile_page = browser.open("https://hostile.example/");
    let hostile = HostileProcess::get();
    let page = browser.open("https://honest.example/");
    page.run(REGISTER_PRIVATE_AND_SHARED);

    let sender = hostile.document(0);
    assert_eq!(sender.webview, hostile_page.webview().id());
    let (execution, call) = execute_tool(page.webview().id().into(), "shared");
    hostile.say(sender, call);
    assert_eq!(
        hostile.end_of(execution),
        Err(ToolFailureKind::DifferentTraversable)
    );

    // Nor if it says that it is of that page.
    let webview = page.webview().id();
    let (_, call) = execute_tool(webview.into(), "shared");
    forge(&page, &hostile, Sender { webview, ..sender }, call);
    assert_eq!(page.run("return log"), json!([]));
}

/// No forgery: the process only takes its time, so that its document has been left before it is told.
fn a_document_that_is_not_active_runs_its_tool_when_it_is_again(browser: &Browser) {
    browser.serve(Site::default().page("https://hostile.example/next", ""));
    let page = browser.open("https://hostile.example/");
    let hostile = HostileProcess::get();
    page.run(&format!(
        "await register('{HELD_TOOL}', () => {{ localStorage.setItem('has_run', ''); }})"
    ));
    let call = page.start(page.tool(HELD_TOOL).id, "{}");
    assert_eq!(hostile.held(), call.id);

    page.load("https://hostile.example/next");
    assert_eq!(
        call.outcome().map_err(|failure| failure.kind),
        Err(ToolFailureKind::TargetGone)
    );
    let has_run = "return 'has_run' in localStorage";
    page.run(&format!("await register('{RELEASING_TOOL}')"));
    assert_eq!(page.run(has_run), json!(false));

    page.go_back();
    assert_eq!(page.run("return location.pathname"), json!("/"));
    // The tasks that have waited run before what is asked of the document from now on.
    assert_eq!(page.run(has_run), json!(true));
}

fn the_tool_of_another_document_cannot_be_unregistered(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    page.run("await register('greet', () => 'hello')");
    forge(
        &page,
        &hostile,
        hostile.document(0),
        ScriptToModelContextMessage::ToolUnregistered(page.tool("greet").id),
    );
    assert_eq!(page.tool_names(), ["greet"]);
    assert_eq!(page.run("return await listed()"), json!(["greet"]));
    assert_eq!(page.run("return await call('greet')"), json!("hello"));
}

fn a_name_cannot_be_registered_again(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    page.frame(&[0]).run("await register('greet')");
    let tool = page.tool("greet");
    for id in [ToolId::new(), tool.id] {
        forge(
            &page,
            &hostile,
            hostile.document(0),
            ScriptToModelContextMessage::ToolRegistered(definition(id, "greet")),
        );
    }
    assert_eq!(page.tool_names(), ["greet"]);
    assert_eq!(page.tool("greet").id, tool.id);
    assert_eq!(page.tool("greet").description, tool.description);
}

fn an_identity_cannot_be_registered_again(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    page.frame(&[0]).run("await register('greet')");
    forge(
        &page,
        &hostile,
        hostile.document(0),
        ScriptToModelContextMessage::ToolRegistered(definition(page.tool("greet").id, "other")),
    );
    assert_eq!(page.tool_names(), ["greet"]);
}

/// The embedder, and who it asks to allow an execution, knows a tool by its identity.
fn the_identity_of_the_tool_of_another_document_cannot_be_taken(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    page.run("await addFrame({ src: 'https://honest.example/frame' })");
    page.frame(&[1]).run("await register('pay', () => 'paid')");
    let id = page.tool("pay").id;
    // The hostile document stands before the honest one in the tree.
    forge(
        &page,
        &hostile,
        hostile.document(0),
        ScriptToModelContextMessage::ToolRegistered(definition(id, "pay")),
    );
    assert_eq!(page.tool("pay").origin, HONEST_ORIGIN);
    assert_eq!(page.start(id, "{}").outcome(), Ok(Some("paid".into())));
}

fn a_document_without_the_feature_cannot_register(browser: &Browser) {
    let (page, hostile) = open(browser, "tools 'none'");
    forge(
        &page,
        &hostile,
        hostile.document(0),
        ScriptToModelContextMessage::ToolRegistered(definition(ToolId::new(), "greet")),
    );
    assert_eq!(page.tool_names(), [""; 0]);
}

fn a_document_cannot_allow_itself_anything(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    // A call of its own tool tells the hostile process the name of its browsing context.
    page.frame(&[0])
        .run("await register('own'); await call('own')");
    let (_, own) = hostile.call(0);

    page.run("frameAt(0).removeAttribute('allow'); await navigateFrame(0, 'https://hostile.example/frame')");
    assert_eq!(
        page.frame(&[0]).run(ALL_METHODS),
        rejected("NotAllowedError")
    );
    forge(
        &page,
        &hostile,
        hostile.document(1),
        ScriptToModelContextMessage::ContainerPolicyChanged(own, everything()),
    );
    assert_eq!(
        page.frame(&[0]).run(ALL_METHODS),
        rejected("NotAllowedError")
    );
    page.run("globalThis.loaded = nextEvent(frameAt(0), 'load')");
    page.frame(&[0])
        .run("setTimeout(() => { location.reload(); })");
    page.run("await loaded");
    hostile.document(2);
    assert_eq!(
        page.frame(&[0]).run(ALL_METHODS),
        rejected("NotAllowedError")
    );
}

fn a_document_cannot_speak_for_the_next_frame_of_another(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    page.frame(&[0])
        .run("await register('own'); await call('own')");
    let (_, own) = hostile.call(0);

    // The names of browsing contexts are counted by the script that makes them.
    let Index(index, marker) = own.index;
    for step in 1..256 {
        let next = BrowsingContextId {
            namespace_id: own.namespace_id,
            index: Index(index.saturating_add(step), marker),
        };
        hostile.say(
            hostile.document(0),
            ScriptToModelContextMessage::ContainerPolicyChanged(next, everything()),
        );
    }
    page.run("");
    for (allow, expected) in [("", rejected("NotAllowedError")), ("tools", allowed())] {
        let attributes = json!({ "src": "https://hostile.example/frame", "allow": allow });
        page.run(&format!("await addFrame({attributes})"));
        let index = page.run("return document.querySelectorAll('iframe').length - 1");
        let index = index.as_u64().expect("It is a number") as usize;
        assert_eq!(page.frame(&[index]).run(ALL_METHODS), expected, "{allow:?}");
    }
}

/// Checks that a hostile document, which has just said that it is of the honest origin, is not taken for honest.
#[track_caller]
fn check_that_a_document_is_not_honest(page: &Page<'_>, hostile: &HostileProcess, sender: Sender) {
    page.run(REGISTER_PRIVATE_AND_SHARED);
    forge(
        page,
        hostile,
        sender,
        ScriptToModelContextMessage::DocumentCreated {
            origin: origin(HONEST_ORIGIN),
            permissions_policy_header: None,
            policy_sender: None,
        },
    );
    let (execution, call) = execute_tool(page.webview().id().into(), "private");
    hostile.say(sender, call);
    assert_eq!(hostile.end_of(execution), Err(ToolFailureKind::NotExposed));
    assert_eq!(page.run("return log"), json!([]));

    forge(
        page,
        hostile,
        sender,
        ScriptToModelContextMessage::ToolRegistered(definition(ToolId::new(), "forged")),
    );
    assert_ne!(page.tool("forged").origin, HONEST_ORIGIN);
}

fn a_document_cannot_take_another_origin(browser: &Browser) {
    let (page, hostile) = open(browser, "tools *");
    check_that_a_document_is_not_honest(&page, &hostile, hostile.document(0));
}

/// The address of such a document does not tell its origin.
fn a_document_without_an_address_cannot_take_another_origin(browser: &Browser) {
    let (page, hostile) = open(browser, "tools *");
    page.frame(&[0]).run("await addFrame({ allow: 'tools *' })");
    check_that_a_document_is_not_honest(&page, &hostile, hostile.document(1));
}

fn a_frame_is_listed_once(browser: &Browser) {
    let (page, hostile) = open(browser, "tools");
    page.frame(&[0]).run(
        "await addFrame({ src: 'https://hostile.example/frame' });
         await runInFrame([0], `await register('greet')`);",
    );
    let frame = hostile.frames(0)[0];
    forge(
        &page,
        &hostile,
        hostile.document(0),
        ScriptToModelContextMessage::FramesOrdered(vec![
            page.webview().id().into(),
            frame,
            frame,
            frame,
        ]),
    );
    assert_eq!(page.tool_names(), ["greet"]);
    assert_eq!(page.tool("greet").frame, [0, 0]);
}

fn the_answer_to_a_script_of_another_document_is_not_believed(browser: &Browser) {
    browser.serve(Site::default().page("https://hostile.example/frame", ""));
    let page = browser.open("https://hostile.example/");
    let hostile = HostileProcess::get();
    page.run("await addFrame({ src: 'https://hostile.example/frame' })");
    // The one before it is the initial document of the frame.
    let frame = hostile.document(2);

    // The script calls a tool of its own page, so that the call is seen after the script has been.
    page.run(
        "await register('wait', () => new Promise(resolve => { globalThis.finish = resolve; }))",
    );
    let answers: Rc<RefCell<Vec<ScriptOutcome>>> = Rc::default();
    let setter = answers.clone();
    page.webview().evaluate_and_await(
        "call('wait').then(() => 'genuine')".to_owned(),
        move |answer| setter.borrow_mut().push(answer),
    );
    hostile.call(0);
    let script = hostile.last_script();
    forge(
        &page,
        &hostile,
        frame,
        ScriptToModelContextMessage::ScriptEvaluated(script, Ok(Some("1".into()))),
    );
    assert_eq!(*answers.borrow(), []);

    page.run("finish('')");
    browser.wait_until("the script has come to its end", || {
        !answers.borrow().is_empty()
    });
    assert_eq!(*answers.borrow(), [Ok(Some("\"genuine\"".into()))]);
}
