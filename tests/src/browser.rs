/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use dpi::PhysicalSize;
use servo::{
    Opts, Preferences, Servo, ServoBuilder, UserContentManager, UserScript, WebViewBuilder,
};
use swgl_context::SwglRenderingContext;
use url::Url;

use crate::delegate::{PageDelegate, Shared};
use crate::suite::{self, Mode, Options};
use crate::waker::Waker;
use crate::{Page, Site};

/// How long a condition may take to come true, or the engine to shut down. Far more than it takes on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// The one Servo of a process.
pub struct Browser {
    servo: Servo,
    user_content: Rc<UserContentManager>,
    waker: Waker,
    shared: Rc<Shared>,
}

impl Browser {
    pub(crate) fn start(options: &Options) -> Browser {
        let rendering_context = SwglRenderingContext::new(PhysicalSize::new(400, 300));

        let mut preferences = Preferences {
            dom_modelcontext_enabled: true,
            // What is asked of the network is on this machine: no proxy of the environment is to be used.
            network_http_proxy_uri: String::new(),
            network_https_proxy_uri: String::new(),
            ..Preferences::default()
        };
        (options.preferences)(&mut preferences);

        let opts = Opts {
            multiprocess: options.mode == Mode::Multiprocess,
            force_ipc: options.mode == Mode::ForcedIpc,
            hard_fail: options.hard_fail,
            temporary_storage: true,
            ..Opts::default()
        };
        let waker = Waker::default();
        suite::wake_on_panic(&waker);
        let servo = ServoBuilder::default()
            .opts(opts)
            .preferences(preferences)
            .event_loop_waker(Box::new(waker.clone()))
            .build();
        let shared = Shared {
            site: RefCell::default(),
            rendering_context: Rc::new(rendering_context),
            log: RefCell::default(),
            popups: RefCell::default(),
        };
        Browser {
            user_content: Rc::new(UserContentManager::new(&servo)),
            servo,
            waker,
            shared: Rc::new(shared),
        }
    }

    /// Say what addresses answer from now on.
    pub fn serve(&self, site: Site) {
        *self.shared.site.borrow_mut() = site;
    }

    /// Let every document run a script before its own, from now on.
    pub fn add_user_script(&self, script: &str) {
        self.user_content
            .add_script(Rc::new(UserScript::new(script.to_owned(), None)));
    }

    /// Open a page of its own at an address, and wait until it has loaded.
    #[track_caller]
    pub fn open(&self, url: &str) -> Page<'_> {
        let url = Url::parse(url).expect("The test gives a valid URL");
        let delegate = PageDelegate::new(&self.shared);
        let webview = WebViewBuilder::new(&self.servo, self.shared.rendering_context.clone())
            .url(url.clone())
            .delegate(delegate.clone())
            .user_content_manager(self.user_content.clone())
            .build();
        let page = Page::new(self, webview, delegate);
        page.wait_for_load(0, &url);
        page
    }

    /// The page that script has opened as the `index`th one. Waits until it is there.
    #[track_caller]
    pub fn popup(&self, index: usize) -> Page<'_> {
        let popup = || self.shared.popups.borrow().get(index).cloned();
        self.wait_until("the page has been opened", || popup().is_some());
        let (webview, delegate) = popup().expect("It is there");
        Page::new(self, webview, delegate)
    }

    /// Let Servo work until a condition comes true. `what` completes "waiting until". Panics when it takes too long.
    #[track_caller]
    pub fn wait_until(&self, what: &str, mut condition: impl FnMut() -> bool) {
        let deadline = Instant::now() + DEADLINE;
        loop {
            self.servo.spin_event_loop();
            if condition() {
                return;
            }
            if let Some(panic) = suite::panic_in_the_engine() {
                panic!("The engine panicked while waiting until {what}: {panic}");
            }
            if !self.waker.wait(deadline) {
                panic!("Waited for {} seconds until {what}", DEADLINE.as_secs());
            }
        }
    }

    /// Wait for the answer of a call that takes a callback.
    #[track_caller]
    pub fn wait_for<T: 'static>(&self, what: &str, request: impl FnOnce(Box<dyn FnOnce(T)>)) -> T {
        let answer: Rc<RefCell<Option<T>>> = Rc::default();
        let setter = answer.clone();
        request(Box::new(move |value| *setter.borrow_mut() = Some(value)));
        self.wait_until(what, || answer.borrow().is_some());
        let answer = answer.borrow_mut().take();
        answer.expect("It has just been there")
    }

    /// What went on, for a test that failed.
    pub(crate) fn log(&self) -> Vec<String> {
        self.shared.log.borrow().clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // They hold on to Servo, and to what holds on to them.
        self.shared.popups.borrow_mut().clear();
    }
}
