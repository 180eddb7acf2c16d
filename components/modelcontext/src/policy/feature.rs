/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! The policy-controlled features that the engine knows.

use serde::{Deserialize, Serialize};

/// <https://w3c.github.io/webappsec-permissions-policy/#default-allowlist>
///
/// Where a feature works when no policy speaks of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DefaultAllowlist {
    /// `*`: in every document.
    Everything,
    /// `'self'`: in top-level documents, and in frames of the parent's origin.
    SelfOrigin,
}

/// Defines [`Feature`] from one row per feature, so that no list can miss one.
macro_rules! features {
    ($($(#[$attributes:meta])* $variant:ident = $name:literal, $default:ident;)*) => {
        /// <https://w3c.github.io/webappsec-permissions-policy/#policy-controlled-feature>
        ///
        /// The features about which the engine can ask. Each one's documentation starts with the
        /// text that gives its default allowlist. Serialises as its name.
        #[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
        #[non_exhaustive]
        pub enum Feature {
            $($(#[$attributes])* #[serde(rename = $name)] $variant,)*
        }

        impl Feature {
            /// All features.
            pub const ALL: &'static [Feature] = &[$(Feature::$variant),*];

            /// The feature's identifier in policies.
            pub fn name(self) -> &'static str {
                match self {
                    $(Feature::$variant => $name,)*
                }
            }

            /// The feature of that identifier; `None` for those that the engine has no use for.
            /// Identifiers are compared exactly, letter case included.
            pub fn from_name(name: &str) -> Option<Feature> {
                match name {
                    $($name => Some(Feature::$variant),)*
                    _ => None,
                }
            }

            /// Where the feature works when no policy speaks of it.
            pub fn default_allowlist(self) -> DefaultAllowlist {
                match self {
                    $(Feature::$variant => DefaultAllowlist::$default,)*
                }
            }
        }
    };
}

features! {
    /// <https://html.spec.whatwg.org/multipage/infrastructure.html#autoplay-feature>
    ///
    /// Media that plays by itself.
    Autoplay = "autoplay", SelfOrigin;

    /// <https://webbluetoothcg.github.io/web-bluetooth/#permissions-policy>
    ///
    /// Bluetooth devices.
    Bluetooth = "bluetooth", SelfOrigin;

    /// <https://w3c.github.io/mediacapture-main/#permissions-policy-integration>
    ///
    /// Video input.
    Camera = "camera", SelfOrigin;

    /// <https://w3c.github.io/clipboard-apis/#clipboard-permissions>
    ///
    /// Reading the clipboard.
    ClipboardRead = "clipboard-read", SelfOrigin;

    /// <https://w3c.github.io/clipboard-apis/#clipboard-permissions>
    ///
    /// Writing to the clipboard.
    ClipboardWrite = "clipboard-write", SelfOrigin;

    /// <https://fullscreen.spec.whatwg.org/#permissions-policy-integration>
    ///
    /// Filling the screen with an element. The only feature with an attribute of its own,
    /// `allowfullscreen`.
    Fullscreen = "fullscreen", SelfOrigin;

    /// <https://w3c.github.io/gamepad/#permission-policy>
    ///
    /// Game controllers.
    Gamepad = "gamepad", SelfOrigin;

    /// <https://w3c.github.io/geolocation/#permissions-policy>
    ///
    /// Where the device is.
    Geolocation = "geolocation", SelfOrigin;

    /// <https://w3c.github.io/mediacapture-main/#permissions-policy-integration>
    ///
    /// Audio input.
    Microphone = "microphone", SelfOrigin;

    /// <https://webaudio.github.io/web-midi-api/#permissions-policy-integration>
    ///
    /// Musical instruments.
    Midi = "midi", SelfOrigin;

    /// <https://w3c.github.io/screen-wake-lock/#policy-control>
    ///
    /// Keeping the screen on.
    ScreenWakeLock = "screen-wake-lock", SelfOrigin;

    /// <https://w3c.github.io/mediacapture-output/#permissions-policy-integration>
    ///
    /// Choosing where audio is played.
    SpeakerSelection = "speaker-selection", SelfOrigin;

    /// <https://xhr.spec.whatwg.org/#sync-xhr>
    ///
    /// Synchronous `XMLHttpRequest`.
    SyncXhr = "sync-xhr", Everything;

    /// <https://webmachinelearning.github.io/webmcp/#permissions-policy>
    ///
    /// Tools: this component.
    Tools = "tools", SelfOrigin;

    /// <https://immersive-web.github.io/webxr/#permissions-policy>
    ///
    /// Virtual and augmented reality.
    XrSpatialTracking = "xr-spatial-tracking", SelfOrigin;
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_feature_is_found_by_its_name() {
        for &feature in Feature::ALL {
            assert_eq!(Feature::from_name(feature.name()), Some(feature));
        }
    }

    #[test]
    fn no_two_features_share_a_name() {
        let names: HashSet<_> = Feature::ALL.iter().map(|feature| feature.name()).collect();
        assert_eq!(names.len(), Feature::ALL.len());
    }

    #[test]
    fn a_feature_is_its_name_on_the_wire() {
        for &feature in Feature::ALL {
            let value = serde_json::to_value(feature).unwrap();
            assert_eq!(value, feature.name());
            assert_eq!(serde_json::from_value::<Feature>(value).unwrap(), feature);
        }
    }

    #[test]
    fn unknown_names_and_other_letter_cases_are_no_features() {
        for name in ["", "*", "Tools", "TOOLS", "tools ", "notifications", "push"] {
            assert_eq!(Feature::from_name(name), None, "{name:?}");
        }
    }

    #[test]
    fn tools_stay_with_the_own_origin_by_default() {
        assert_eq!(
            Feature::Tools.default_allowlist(),
            DefaultAllowlist::SelfOrigin
        );
    }
}
