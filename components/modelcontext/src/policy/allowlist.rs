/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! Sets of origins for which a feature is on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Feature, OriginPattern, TupleOrigin};

/// <https://w3c.github.io/webappsec-permissions-policy/#allowlists>
///
/// The origins for which a policy turns a feature on.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Allowlist<O> {
    /// `*`: every origin.
    Everything,
    /// The origins that are named, possibly none.
    Origins {
        /// What `self` stands for, if it is in the list: the origin of the document that declares
        /// the policy.
        self_origin: Option<O>,
        /// What `'src'` stands for, if it is in the list: the declared origin of the frame.
        src_origin: Option<O>,
        /// The origins that are written out.
        origins: Vec<O>,
        /// What stands for many origins.
        patterns: Vec<OriginPattern>,
    },
}

impl<O: PartialEq> Allowlist<O> {
    /// The list that matches no origin.
    pub fn nothing() -> Allowlist<O> {
        Allowlist::Origins {
            self_origin: None,
            src_origin: None,
            origins: Vec::new(),
            patterns: Vec::new(),
        }
    }

    /// <https://w3c.github.io/webappsec-permissions-policy/#matches>
    ///
    /// Whether the list turns the feature on for `origin`, of which `tuple_of` gives the parts, or
    /// `None` if it is opaque.
    pub fn matches(&self, origin: &O, tuple_of: &dyn Fn(&O) -> Option<TupleOrigin>) -> bool {
        self.names(origin) || self.has_pattern_for(origin, tuple_of)
    }

    /// Whether the list turns the feature on for `origin` without one of its patterns.
    pub(super) fn names(&self, origin: &O) -> bool {
        match self {
            // Step 1. `*` matches every origin.
            Allowlist::Everything => true,
            // Steps 2 to 5. The others match the origins they hold.
            Allowlist::Origins {
                self_origin,
                src_origin,
                origins,
                ..
            } => {
                self_origin.as_ref() == Some(origin)
                    || src_origin.as_ref() == Some(origin)
                    || origins.contains(origin)
            }
        }
    }

    fn has_pattern_for(&self, origin: &O, tuple_of: &dyn Fn(&O) -> Option<TupleOrigin>) -> bool {
        match self {
            Allowlist::Origins { patterns, .. } if !patterns.is_empty() => tuple_of(origin)
                .is_some_and(|tuple| patterns.iter().any(|pattern| pattern.matches(&tuple))),
            _ => false,
        }
    }
}

/// <https://w3c.github.io/webappsec-permissions-policy/#policy-directives>
///
/// What one text (an `allow` attribute, a header) says: the features it speaks of, with an
/// allowlist each.
pub type PolicyDirective<O> = BTreeMap<Feature, Allowlist<O>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_matches_every_origin() {
        assert!(Allowlist::Everything.matches(&"a", &|_| None));
    }

    #[test]
    fn nothing_matches_no_origin() {
        assert!(!Allowlist::nothing().matches(&"a", &|_| None));
    }

    #[test]
    fn a_list_matches_each_origin_in_it_and_no_other() {
        let allowlist = Allowlist::Origins {
            self_origin: Some("self"),
            src_origin: Some("src"),
            origins: vec!["a", "b"],
            patterns: Vec::new(),
        };
        for origin in ["self", "src", "a", "b"] {
            assert!(allowlist.matches(&origin, &|_| None), "{origin}");
        }
        assert!(!allowlist.matches(&"c", &|_| None));
    }

    #[test]
    fn an_allowlist_survives_the_wire() {
        let allowlist = Allowlist::Origins {
            self_origin: Some("self".to_owned()),
            src_origin: None,
            origins: vec!["a".to_owned()],
            patterns: OriginPattern::parse("https://*.example.com:*")
                .into_iter()
                .collect(),
        };
        let text = serde_json::to_string(&allowlist).unwrap();
        assert_eq!(
            serde_json::from_str::<Allowlist<String>>(&text).unwrap(),
            allowlist
        );
    }
}
