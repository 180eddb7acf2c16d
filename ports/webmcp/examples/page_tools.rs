/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Embeds Servo, lists the tools of a page, runs one, and prints its result:
//!
//! `cargo run --example page_tools -- https://shop.example/ search_products '{"query": "tea"}'`

use std::cell::Cell;
use std::rc::Rc;
use std::thread::{self, Thread};

use dpi::PhysicalSize;
use servo::{
    EventLoopWaker, Preferences, ServoBuilder, ToolExecutionRequest, WebView, WebViewBuilder,
    WebViewDelegate,
};
use swgl_context::SwglRenderingContext;

/// Lets the main thread go on, which parks while there is nothing to do.
struct Unpark(Thread);

impl EventLoopWaker for Unpark {
    fn clone_box(&self) -> Box<dyn EventLoopWaker> {
        Box::new(Unpark(self.0.clone()))
    }

    fn wake(&self) {
        self.0.unpark();
    }
}

struct Agent {
    tool: String,
    input: String,
    called: Rc<Cell<bool>>,
    done: Rc<Cell<bool>>,
}

impl WebViewDelegate for Agent {
    fn notify_page_tools_changed(&self, webview: WebView) {
        let (name, input) = (self.tool.clone(), self.input.clone());
        let (called, done) = (self.called.clone(), self.done.clone());
        let page = webview.clone();
        webview.page_tools(move |tools| {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            eprintln!("The page offers: {}", names.join(", "));
            let Some(tool) = tools.iter().find(|tool| tool.name == name) else {
                return;
            };
            if called.replace(true) {
                return;
            }
            page.execute_tool(tool.id, input, move |outcome| {
                match outcome {
                    Ok(result) => println!("{}", result.as_deref().unwrap_or("(navigated)")),
                    Err(failure) => eprintln!("{}: {failure}", failure.kind.as_str()),
                }
                done.set(true);
            });
        });
    }

    /// Nobody is there to be asked, so what has consequences does not run.
    fn request_tool_execution(&self, _webview: WebView, request: ToolExecutionRequest) {
        request.deny();
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Servo leaves the choice of the cryptography for https to whoever embeds it.
    rustls::crypto::aws_lc_rs::default_provider()
        .install_default()
        .map_err(|_| "there is a provider of cryptography already")?;
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(tool)) = (arguments.next(), arguments.next()) else {
        return Err("usage: page_tools URL TOOL [JSON]".into());
    };
    let done = Rc::new(Cell::new(false));
    let agent = Rc::new(Agent {
        tool,
        input: arguments.next().unwrap_or_else(|| "{}".to_owned()),
        called: Rc::default(),
        done: done.clone(),
    });

    let context = Rc::new(SwglRenderingContext::new(PhysicalSize::new(1024, 768)));
    let servo = ServoBuilder::default()
        .preferences(Preferences {
            dom_modelcontext_enabled: true,
            ..Preferences::default()
        })
        .event_loop_waker(Box::new(Unpark(thread::current())))
        .build();
    let _webview = WebViewBuilder::new(&servo, context)
        .delegate(agent)
        .url(url.parse()?)
        .build();
    loop {
        servo.spin_event_loop();
        if done.get() {
            return Ok(());
        }
        thread::park();
    }
}
