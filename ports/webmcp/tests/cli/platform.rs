/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Features of the web platform that pages rely on: those that the browser switches on, and those that it adds.

use serde_json::{Value, json};

use super::loading::server_that_hears;
use super::{check_failure, fixture, json, webmcp};

/// Runs the body of an async function in the page, and checks what it returns.
#[track_caller]
fn check(body: &str, expected: Value) {
    let script = format!("(async () => {{ {body} }})()");
    let assert = webmcp(&["eval", &fixture("platform.html"), &script]).assert();
    assert_eq!(json(&assert.success()), expected, "{body}");
}

#[test]
fn random_ids_and_digests() {
    check(
        "const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc'));
         const hex = [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join('');
         return [/^[0-9a-f]{8}-[0-9a-f]{4}-4/.test(crypto.randomUUID()), hex.slice(0, 16)];",
        json!([true, "ba7816bf8f01cfea"]),
    );
}

#[test]
fn keys_encrypt_and_sign() {
    check(
        "const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['encrypt', 'decrypt']);
         const iv = crypto.getRandomValues(new Uint8Array(12));
         const secret = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, new TextEncoder().encode('hello'));
         const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, secret);
         const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
         const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
         const signature = await crypto.subtle.sign(algorithm, pair.privateKey, plain);
         return [new TextDecoder().decode(plain), await crypto.subtle.verify(algorithm, pair.publicKey, signature, plain)];",
        json!(["hello", true]),
    );
}

#[test]
fn compressed_streams() {
    check(
        "const through = async (data, stream) => new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer();
         const texts = [];
         for (const format of ['gzip', 'brotli']) {
             const small = await through('a'.repeat(1000), new CompressionStream(format));
             const large = await through(small, new DecompressionStream(format));
             texts.push([small.byteLength < 100, large.byteLength]);
         }
         return texts;",
        json!([[true, 1000], [true, 1000]]),
    );
}

#[test]
fn constructed_style_sheets() {
    check(
        "const sheet = new CSSStyleSheet();
         sheet.replaceSync('p { color: rgb(1, 2, 3) }');
         const root = document.getElementById('host').attachShadow({ mode: 'open' });
         root.innerHTML = '<p>In the shadow</p>';
         root.adoptedStyleSheets = [sheet];
         const before = getComputedStyle(root.querySelector('p')).color;
         document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
         return [before, getComputedStyle(document.getElementById('far')).color];",
        json!(["rgb(1, 2, 3)", "rgb(1, 2, 3)"]),
    );
}

#[test]
fn intersections() {
    check(
        "const far = document.getElementById('far');
         const seen = [];
         await new Promise(resolve => new IntersectionObserver(entries => {
             seen.push(entries[0].isIntersecting);
             seen.length === 1 ? far.scrollIntoView() : resolve();
         }).observe(far));
         return seen;",
        json!([false, true]),
    );
}

#[test]
fn indexed_databases() {
    check(
        "const done = request => new Promise((resolve, reject) => {
             request.onsuccess = () => resolve(request.result);
             request.onerror = () => reject(request.error);
         });
         const opening = indexedDB.open('notes', 1);
         opening.onupgradeneeded = () => {
             const store = opening.result.createObjectStore('notes', { keyPath: 'id', autoIncrement: true });
             store.createIndex('title', 'title');
         };
         const database = await done(opening);
         const writing = database.transaction('notes', 'readwrite');
         await done(writing.objectStore('notes').put({ title: 'b', tags: ['x'] }));
         await done(writing.objectStore('notes').put({ title: 'a', tags: [] }));
         const store = database.transaction('notes').objectStore('notes');
         return [await done(store.count()), (await done(store.get(1))).tags, (await done(store.getAll())).length];",
        json!([2, ["x"], 2]),
    );
}

#[test]
fn a_clipboard_of_the_page() {
    check(
        "await navigator.clipboard.writeText('copied');
         return await navigator.clipboard.readText();",
        json!("copied"),
    );
}

#[test]
fn drawing_off_screen() {
    check(
        "const canvas = new OffscreenCanvas(4, 4);
         const context = canvas.getContext('2d');
         context.fillStyle = 'rgb(10, 20, 30)';
         context.fillRect(0, 0, 4, 4);
         const blob = await canvas.convertToBlob();
         return [[...context.getImageData(1, 1, 1, 1).data], blob.type];",
        json!([[10, 20, 30, 255], "image/png"]),
    );
}

#[test]
fn permissions_are_told_and_nobody_grants_them() {
    check(
        "const states = [];
         for (const name of ['geolocation', 'notifications']) {
             states.push((await navigator.permissions.query({ name })).state);
         }
         return [states, Notification.permission, await Notification.requestPermission()];",
        json!([["prompt", "prompt"], "default", "denied"]),
    );
}

#[test]
fn editing_commands() {
    check(
        "const editable = document.getElementById('editable');
         editable.focus();
         getSelection().selectAllChildren(editable);
         return [document.queryCommandSupported('delete'), document.execCommand('delete'), editable.textContent];",
        json!([true, true, ""]),
    );
}

#[test]
fn fonts_from_script() {
    check(
        "const face = new FontFace('Mine', 'local(\"No such font\")');
         document.fonts.add(face);
         return [face.family, await face.load().then(() => 'loaded', error => error.name), document.fonts.has(face)];",
        json!(["Mine", "NetworkError", true]),
    );
}

#[test]
fn the_visual_viewport() {
    check(
        "return [visualViewport.width === innerWidth, visualViewport.scale, visualViewport.offsetTop];",
        json!([true, 1, 0]),
    );
}

#[test]
fn estimates_of_storage() {
    check(
        "const { quota, usage } = await navigator.storage.estimate();
         return [quota > 1000000, usage >= 0, await navigator.storage.persisted()];",
        json!([true, true, false]),
    );
}

#[test]
fn sanitised_markup() {
    check(
        "const host = document.getElementById('host');
         host.setHTML('<b>bold</b><script>window.attacked = true</script><i onclick=\"x\">italic</i>');
         return [host.innerHTML, window.attacked];",
        json!(["<b>bold</b><i>italic</i>", null]),
    );
}

#[test]
fn a_page_with_a_vertical_writing_mode_is_laid_out() {
    check(
        "return document.getElementById('vertical').getBoundingClientRect().height;",
        json!(200),
    );
}

#[test]
fn idle_callbacks() {
    check(
        "const order = [];
         const cancelled = requestIdleCallback(() => order.push('cancelled'));
         cancelIdleCallback(cancelled);
         await new Promise(resolve => {
             requestIdleCallback(deadline => {
                 order.push(deadline.didTimeout, deadline.timeRemaining() > 0, deadline instanceof IdleDeadline);
                 requestIdleCallback(() => { order.push('next period'); resolve(); });
                 Promise.resolve().then(() => order.push('microtask'));
             }, { timeout: 10000 });
             requestIdleCallback(() => order.push('same period'));
         });
         return order;",
        json!([false, true, true, "microtask", "same period", "next period"]),
    );
}

#[test]
fn idle_callbacks_that_fail_or_are_no_functions() {
    check(
        "const told = new Promise(resolve => addEventListener('error', event => {
             event.preventDefault();
             resolve(event.message);
         }));
         requestIdleCallback(() => { throw new Error('broken'); });
         let refused;
         try { requestIdleCallback('text'); } catch (error) { refused = error.name; }
         let made;
         try { new IdleDeadline(); } catch (error) { made = error.name; }
         return [(await told).includes('broken'), refused, made];",
        json!([true, "TypeError", "TypeError"]),
    );
}

#[test]
fn options_say_what_pages_meet() {
    let script = tempfile::NamedTempFile::new().expect("a file can be made");
    std::fs::write(
        script.path(),
        "window.before = document.scripts.length; window.ours = isSecureContext;",
    )
    .expect("it can be written");
    let path = script.path().to_str().expect("the path is Unicode");
    webmcp(&[
        "eval",
        &fixture("late.html"),
        "[innerWidth, innerHeight, navigator.userAgent, before, ours, typeof IntersectionObserver]",
        "--size",
        "400x300",
        "--user-agent",
        "Mine/1.0 (test)",
        "--init-script",
        path,
        "--pref",
        "dom_intersection_observer_enabled=false",
    ])
    .assert()
    .success()
    .stdout("[400,300,\"Mine/1.0 (test)\",0,true,\"undefined\"]\n");
}

#[test]
fn servers_are_told_the_user_agent() {
    let hearing = server_that_hears();
    let url = format!("http://127.0.0.1:{}/", hearing.port);
    webmcp(&["eval", &url, "1", "--user-agent", "Mine/1.0"])
        .assert()
        .success();
    let head = hearing.next_request();
    assert!(head.contains("user-agent: mine/1.0\r\n"), "{head}");
}

#[test]
fn an_init_script_that_cannot_be_read_is_a_usage_error() {
    let page = fixture("plain.html");
    check_failure(
        &["tools", &page, "--init-script", "no-such-script.js"],
        2,
        &["cannot read the script no-such-script.js"],
    );
}
