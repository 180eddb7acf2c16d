/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

use std::collections::HashMap;

use modelcontext::{AgentClusterKeys, origin_agent_cluster_header};
use proptest::prelude::*;

proptest! {
    #[test]
    fn the_first_answer_for_an_origin_holds(
        documents in prop::collection::vec((0..5u8, any::<Option<bool>>()), 0..40),
    ) {
        let mut keys = AgentClusterKeys::new();
        let mut first = HashMap::new();
        for (origin, requested) in documents {
            let expected = *first.entry(origin).or_insert(requested != Some(false));
            prop_assert_eq!(keys.keying(&origin, requested), expected);
        }
    }

    #[test]
    fn any_text_may_stand_in_the_header(value in prop_oneof![any::<String>(), "[?01;a=, ]{0,6}"]) {
        let requested = origin_agent_cluster_header(Some(&value));
        let starts_with = |text| value.trim_matches(' ').starts_with(text);
        match requested {
            None => {},
            Some(true) => prop_assert!(starts_with("?1")),
            Some(false) => prop_assert!(starts_with("?0")),
        }
    }
}
