/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! `webmcp screenshot`

use image::{Rgba, RgbaImage};

use super::{fixture, webmcp};

/// Takes a screenshot of `page` and reads it.
fn screenshot(page: &str, options: &[&str]) -> RgbaImage {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("page.png");
    let arguments = [
        &[
            "screenshot",
            page,
            file.to_str().expect("the path is Unicode"),
        ],
        options,
    ]
    .concat();
    webmcp(&arguments).assert().success().stdout("").stderr("");
    image::open(&file).expect("it is a picture").to_rgba8()
}

#[test]
fn a_screenshot_shows_the_page() {
    let image = screenshot(&fixture("colours.html"), &["--size", "400x300"]);
    assert_eq!(image.dimensions(), (400, 300));
    assert_eq!(*image.get_pixel(100, 150), Rgba([255, 0, 0, 255]));
    assert_eq!(*image.get_pixel(300, 150), Rgba([0, 0, 255, 255]));
}

#[test]
fn a_screenshot_has_the_default_size_if_none_is_given() {
    assert_eq!(screenshot("demo:tasks", &[]).dimensions(), (1024, 768));
}

#[test]
fn a_screenshot_is_written_over_an_older_one() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("page.png");
    std::fs::write(&file, "old").expect("it can be written");
    webmcp(&[
        "screenshot",
        "demo:shop",
        file.to_str().expect("the path is Unicode"),
    ])
    .assert()
    .success();
    assert!(image::open(&file).is_ok());
}
