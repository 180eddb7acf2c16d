/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! A rendering context for libservo that draws with webrender's own rasteriser, SWGL.
//!
//! libservo's `SoftwareRenderingContext` draws through the OpenGL driver of the system. Without a graphics card that is
//! Mesa's, which compiles shaders with LLVM while the page waits, and holds about as much memory as the rest of a
//! headless browser. SWGL has the same shaders compiled in. It offers what webrender draws with and no more, so WebGL
//! needs the other context.

use std::cell::Cell;
use std::ptr;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::thread::{self, ThreadId};

use dpi::PhysicalSize;
use gleam::gl::{self, Gl};
use image::imageops;
use servo::{DeviceIntRect, RenderingContext, RgbaImage};

/// An image in memory that libservo renders to, single-buffered.
pub struct SwglRenderingContext {
    swgl: swgl::Context,
    size: Cell<PhysicalSize<u32>>,
}

impl SwglRenderingContext {
    /// The most pixels a side may have: what SWGL allows a texture.
    pub const LONGEST_SIDE: u32 = 1 << 15;

    /// Creates a context of that many pixels, and makes it the current one.
    ///
    /// # Panics
    ///
    /// If a side is 0 or more than [`Self::LONGEST_SIDE`], or if there has been a context on another thread: SWGL has
    /// one current context for the whole process.
    pub fn new(size: PhysicalSize<u32>) -> Self {
        static THREAD: OnceLock<ThreadId> = OnceLock::new();
        let here = thread::current().id();
        assert_eq!(
            *THREAD.get_or_init(|| here),
            here,
            "all contexts are used on one thread"
        );
        let context = Self {
            swgl: swgl::Context::create(),
            size: Cell::new(size),
        };
        context.allocate(size);
        context
    }

    fn allocate(&self, size: PhysicalSize<u32>) {
        let side = |pixels: u32| {
            assert!(
                (1..=Self::LONGEST_SIDE).contains(&pixels),
                "each side is 1 to {} pixels, not {size:?}",
                Self::LONGEST_SIDE,
            );
            pixels as i32
        };
        let (width, height) = (side(size.width), side(size.height));
        self.swgl.make_current();
        // Without a buffer of ours, SWGL allocates one and its stride.
        self.swgl
            .init_default_framebuffer(0, 0, width, height, 0, ptr::null_mut());
        self.size.set(size);
    }
}

impl Drop for SwglRenderingContext {
    fn drop(&mut self) {
        self.swgl.destroy();
    }
}

impl RenderingContext for SwglRenderingContext {
    fn prepare_for_rendering(&self) {
        self.swgl.bind_framebuffer(gl::FRAMEBUFFER, 0);
    }

    fn read_to_image(&self, source: DeviceIntRect) -> Option<RgbaImage> {
        let whole = DeviceIntRect::from_size(self.size2d().to_i32());
        if source.is_empty() || !whole.contains_box(&source) {
            return None;
        }
        self.swgl.make_current();
        self.swgl.bind_framebuffer(gl::FRAMEBUFFER, 0);
        let pixels = self.swgl.read_pixels(
            source.min.x,
            source.min.y,
            source.width(),
            source.height(),
            gl::RGBA,
            gl::UNSIGNED_BYTE,
        );
        let size = source.size().to_u32();
        let mut image = RgbaImage::from_raw(size.width, size.height, pixels)?;
        // OpenGL counts rows from the bottom.
        imageops::flip_vertical_in_place(&mut image);
        Some(image)
    }

    fn size(&self) -> PhysicalSize<u32> {
        self.size.get()
    }

    /// # Panics
    ///
    /// As [`Self::new`], for the sides.
    fn resize(&self, size: PhysicalSize<u32>) {
        if size != self.size.get() {
            self.allocate(size);
        }
    }

    fn present(&self) {}

    fn make_current(&self) -> Result<(), surfman::Error> {
        self.swgl.make_current();
        Ok(())
    }

    /// The part of OpenGL that webrender uses. Not to be used after this context is dropped.
    fn gleam_gl_api(&self) -> Rc<dyn Gl> {
        Rc::new(self.swgl)
    }

    /// # Panics
    ///
    /// Always: SWGL has no such interface. Of libservo, only a window's offscreen context asks for it.
    fn glow_gl_api(&self) -> Arc<glow::Context> {
        panic!("SWGL has no glow API")
    }
}
