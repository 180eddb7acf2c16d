/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Unique internal values, each kind a type of its own.

/// Defines a newtype over a random (version 4) UUID.
macro_rules! unique_internal_value {
    ($(#[$attributes:meta])* $name:ident) => {
        $(#[$attributes])*
        #[derive(
            Clone,
            Copy,
            Debug,
            Eq,
            Hash,
            Ord,
            PartialEq,
            PartialOrd,
            serde::Deserialize,
            serde::Serialize,
        )]
        pub struct $name(uuid::Uuid);

        impl $name {
            /// <https://html.spec.whatwg.org/multipage/#new-unique-internal-value>
            ///
            /// A value that was never given out before.
            #[expect(
                clippy::new_without_default,
                reason = "two defaults are expected to be equal, two of these never are"
            )]
            pub fn new() -> Self {
                Self(uuid::Uuid::new_v4())
            }
        }

        /// The usual hyphenated form of a UUID, in lower case.
        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(formatter)
            }
        }

        /// Takes every form of a UUID that the `uuid` crate takes, the displayed one among them.
        impl std::str::FromStr for $name {
            type Err = $crate::InvalidId;

            fn from_str(text: &str) -> Result<Self, $crate::InvalidId> {
                text.parse().map(Self).map_err(|_| $crate::InvalidId)
            }
        }
    };
}

pub(crate) use unique_internal_value;

/// A text is not a UUID, so it cannot be the id of anything.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("an id is a UUID, such as 67e55044-10b1-426f-9247-bb680e5fe0c8")]
pub struct InvalidId;
