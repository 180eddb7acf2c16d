/* This Source Code Form is subject to the terms of the Mozilla Public
 * License, v. 2.0. If a copy of the MPL was not distributed with this
 * file, You can obtain one at https://mozilla.org/MPL/2.0/. */

//! What the keywords of JSON Schema hold.

/// What the value of a keyword is.
pub(super) enum Holds {
    /// A schema.
    Schema,
    /// A list of schemas.
    List,
    /// A schema, or a list of them.
    SchemaOrList,
    /// An object whose members are schemas.
    Members,
    /// An object whose members are schemas or lists of names.
    MembersOrNames,
    /// A reference to a schema.
    Reference,
    /// A value that arguments are compared with, or that is an example of them.
    Data,
    /// Anything else.
    Other,
}

pub(super) fn holds(keyword: &str) -> Holds {
    match keyword {
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "items" => Holds::SchemaOrList,
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties" => {
            Holds::Members
        }
        "dependencies" => Holds::MembersOrNames,
        "$dynamicRef" | "$recursiveRef" | "$ref" => Holds::Reference,
        "const" | "default" | "enum" | "examples" => Holds::Data,
        _ => Holds::Other,
    }
}
