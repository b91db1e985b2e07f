//! The types of the elements for TypeScript, as the source of the reference declares them: for each element its events,
//! its properties, its attributes and its class, and one interface that names them all. Never a framework's types: the
//! compiler makes those of this interface.

use std::fmt::Write as _;

use serde_json::Value;

use super::{list, text, type_of};

/// A line for each element: `CLASS` and `TAG` stand for its own.
pub(super) fn line(template: &str, element: &Value) -> String {
    template.replace("CLASS", text(element, "name")).replace("TAG", text(element, "tagName")) + "\n"
}

/// What all that is declared comes to.
pub(super) fn types(elements: &[Value]) -> String {
    let mut written = String::new();
    let mut named = String::new();
    for (at, element) in elements.iter().enumerate() {
        let (tag, class) = (text(element, "tagName"), text(element, "name"));
        let base = elements.iter().take(at).find(|former| declare_the_same(former, element));
        let base = base.map(|former| text(former, "name"));
        written += &match base {
            Some(base) => {
                format!("{}export declare class {class} extends {base} {{}}\n\n", words_of(element))
            }
            None => declared(element),
        };
        let base = base.unwrap_or(class);
        let _ = write!(
            named,
            "  \"{tag}\": {{\n    element: {class};\n    properties: {base}Properties;\n    \
             attributes: {base}Attributes;\n    events: {base}EventMap;\n  }};\n"
        );
    }
    let head = "/** What the types of a framework are made of. */\nexport interface DogwatchElements {\n";
    format!("{written}{head}{named}}}\n")
}

fn declare_the_same(one: &Value, other: &Value) -> bool {
    ["attributes", "members", "events"].iter().all(|kind| one.get(kind) == other.get(kind))
}

fn declared(element: &Value) -> String {
    let (tag, class) = (text(element, "tagName"), text(element, "name"));
    let events: String = list(element, "events")
        .iter()
        .map(|event| format!("{}  {}: {};\n", comment(event), key(event), type_of(event)))
        .collect();
    let properties: String = list(element, "members")
        .iter()
        .filter(|member| text(member, "kind") == "field")
        .map(|field| {
            let (name, held) = (text(field, "name"), type_of(field));
            format!("{}  {name}?: {held} | null;\n", comment_of_member(element, field))
        })
        .collect();
    let attributes: String = list(element, "attributes")
        .iter()
        .map(|held| format!("{}  {}?: {};\n", comment(held), key(held), as_attribute(&type_of(held))))
        .collect();
    let members: String = list(element, "members").iter().map(|held| member(element, held)).collect();
    format!(
        "/** The events of `<{tag}>`. */\nexport interface {class}EventMap {{\n{events}}}\n\n\
         /** What may be set of `<{tag}>`. */\nexport interface {class}Properties {{\n{properties}}}\n\n\
         /** What may be written of `<{tag}>` in HTML. */\nexport interface {class}Attributes {{\n{attributes}}}\n\n\
         {}export declare class {class} extends HTMLElement {{\n{members}{}{}}}\n\n",
        words_of(element),
        listeners(class, "add", "AddEventListenerOptions"),
        listeners(class, "remove", "EventListenerOptions"),
    )
}

fn words_of(element: &Value) -> String {
    format!("/** `<{}>`: {} */\n", text(element, "tagName"), text(element, "description"))
}

fn key(thing: &Value) -> String {
    let name = text(thing, "name");
    if name.contains('-') { format!("\"{name}\"") } else { name.to_owned() }
}

/// An attribute holds text. One that only is there or isn't is the empty text.
fn as_attribute(property: &str) -> String {
    let held = property.split(" | ").filter(|held| !held.ends_with("[]"));
    let held: Vec<_> = held.map(|held| if held == "boolean" { "\"\"" } else { held }).collect();
    if held.contains(&"string") { "string".to_owned() } else { held.join(" | ") }
}

/// The lines of a class. A property that an attribute holds is read as text, whatever was set.
fn member(element: &Value, member: &Value) -> String {
    let (name, held) = (text(member, "name"), type_of(member));
    let own = if text(member, "kind") == "method" {
        let parameters = list(member, "parameters").iter();
        let parameters = parameters.map(|given| format!("{}?: {}", text(given, "name"), type_of(given)));
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let answer = member.pointer("/return/type/text").and_then(Value::as_str).unwrap_or("void");
        format!("  {name}({parameters}): {answer};\n")
    } else if member.get("attribute").is_none() || held == "boolean" {
        format!("  {name}: {held};\n")
    } else {
        format!("  get {name}(): string | null;\n  set {name}(value: {held} | null);\n")
    };
    comment_of_member(element, member) + &own
}

fn listeners(class: &str, verb: &str, options: &str) -> String {
    format!(
        "  {verb}EventListener<Name extends keyof EventsOf<{class}EventMap>>(\n    type: Name,\n    \
         listener: (this: {class}, event: EventsOf<{class}EventMap>[Name]) => unknown,\n    \
         options?: boolean | {options},\n  ): void;\n  \
         {verb}EventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | {options}): void;\n"
    )
}

/// What is said of a property stands at its attribute, if it has one.
fn comment_of_member(element: &Value, member: &Value) -> String {
    let name = text(member, "name");
    let attribute = list(element, "attributes").iter().find(|held| text(held, "fieldName") == name);
    comment(attribute.unwrap_or(member))
}

fn comment(thing: &Value) -> String {
    match text(thing, "description") {
        "" => String::new(),
        words => format!("  /** {words}. */\n"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_attribute_is_text_where_its_property_may_be_more() {
        for (property, expected) in [
            ("string", "string"),
            ("string | readonly string[]", "string"),
            ("boolean | string", "string"),
            ("boolean", "\"\""),
            ("\"auto\" | \"dark\"", "\"auto\" | \"dark\""),
        ] {
            assert_eq!(as_attribute(property), expected);
        }
    }

    #[test]
    fn an_element_that_declares_what_a_former_one_does_extends_it() {
        let element = |name: &str, tag: &str, event: &str| {
            let events = json!([{ "name": event, "type": { "text": "Event" } }]);
            json!({ "name": name, "tagName": tag, "description": "Rows.", "events": events })
        };
        let written =
            types(&[element("A", "x-a", "open"), element("B", "x-b", "open"), element("C", "x-c", "shut")]);
        assert!(written.contains("export declare class B extends A {}"), "{written}");
        assert!(written.contains("export declare class C extends HTMLElement {"), "{written}");
        assert!(written.contains("element: B;\n    properties: AProperties;"), "{written}");
    }
}
