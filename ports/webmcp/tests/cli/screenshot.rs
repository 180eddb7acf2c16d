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

/// A point of a cell in `paint.html`, and its colour.
type Sample = ((u32, u32), [u8; 3]);

const WHITE: [u8; 3] = [255, 255, 255];
const BLACK: [u8; 3] = [0, 0, 0];
const RED: [u8; 3] = [255, 0, 0];
const LIME: [u8; 3] = [0, 255, 0];
const BLUE: [u8; 3] = [0, 0, 255];
const TEAL: [u8; 3] = [0, 128, 128];
const CYAN: [u8; 3] = [0, 255, 255];
const MAGENTA: [u8; 3] = [255, 0, 255];

/// The cells in the order of the page.
const CELLS: [&[Sample]; 32] = [
    // Gradients.
    &[((2, 50), [250, 0, 5]), ((50, 50), [127, 0, 128])],
    &[((50, 50), LIME), ((2, 2), RED)],
    &[((75, 25), RED), ((25, 75), BLUE)],
    &[((5, 50), RED), ((15, 50), BLUE), ((95, 50), BLUE)],
    // Shadows and borders.
    &[((20, 50), BLACK), ((36, 50), RED), ((5, 5), WHITE)],
    &[((50, 50), TEAL), ((2, 2), WHITE)],
    &[
        ((50, 22), RED),
        ((50, 26), WHITE),
        ((50, 30), RED),
        ((79, 50), BLUE),
    ],
    &[((50, 10), RED), ((50, 50), WHITE)],
    // Opacity and the ways to blend.
    &[((50, 50), [127, 127, 127])],
    &[((50, 50), LIME)],
    &[((50, 50), MAGENTA)],
    &[((50, 50), CYAN)],
    &[((50, 50), CYAN)],
    &[((50, 50), MAGENTA)],
    &[((50, 50), [255, 74, 74])],
    &[((50, 50), BLACK)],
    // Filters.
    &[((50, 50), CYAN)],
    &[((50, 50), [104, 104, 104])],
    &[((50, 50), RED), ((5, 5), WHITE)],
    &[((10, 50), RED), ((50, 50), BLUE), ((30, 50), WHITE)],
    // Transforms and clips.
    &[((50, 50), RED), ((20, 50), RED), ((27, 27), WHITE)],
    &[((25, 50), RED), ((75, 50), BLUE)],
    &[((50, 50), TEAL), ((25, 25), WHITE)],
    &[((25, 25), RED), ((50, 50), WHITE), ((75, 75), RED)],
    // A canvas, an image, a box that is larger than a texture, text.
    &[((50, 50), TEAL), ((10, 10), WHITE)],
    &[((50, 50), TEAL), ((10, 10), WHITE)],
    &[((10, 50), TEAL), ((50, 50), TEAL)],
    &[],
    // Large scales, backdrops, scrollbars, filters of SVG.
    &[((50, 50), RED)],
    &[((50, 50), [119, 136, 0])],
    &[((50, 50), LIME)],
    &[((50, 50), RED), ((5, 5), WHITE)],
];

#[test]
fn everything_that_a_page_can_paint_is_painted() {
    let image = screenshot(&fixture("paint.html"), &["--size", "400x900"]);
    for (index, samples) in (0..).zip(CELLS) {
        let (left, top) = (index % 4 * 100, index / 4 * 100);
        for ((x, y), expected) in samples {
            let Rgba([r, g, b, _]) = *image.get_pixel(left + x, top + y);
            let is_near = [r, g, b]
                .iter()
                .zip(expected)
                .all(|(is, should)| is.abs_diff(*should) <= 4);
            assert!(
                is_near,
                "cell {index} at {x}, {y}: {:?}, not {expected:?}",
                [r, g, b]
            );
        }
    }
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
