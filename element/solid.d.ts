// The elements in TSX of Solid: `import type {} from "dogwatch/solid";` once, anywhere. `prop:` sets a property, `attr:`
// an attribute, `on:` listens. Without them Solid takes a name in lower case with dashes (`label-selector`): what is
// written there becomes an attribute, and an expression the property.
import type { JSX } from "solid-js";
import type { DogwatchElements } from "./dogwatch.js";

type Kind = DogwatchElements[keyof DogwatchElements];

/** `labelSelector` for `label-selector`. */
type Camel<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest> & string>}` : Name;

type Own<Of extends Kind> =
  & { [Name in keyof Of["attributes"]]?: Of["properties"][Camel<Name> & keyof Of["properties"]] | undefined }
  & { [Name in keyof Of["attributes"] & string as `attr:${Name}`]?: Of["attributes"][Name] | undefined }
  & { [Name in keyof Of["properties"] & string as `prop:${Name}`]?: Of["properties"][Name] | undefined }
  // What is there or isn't.
  & { [Name in keyof Of["attributes"] & string as "" extends Of["attributes"][Name] ? string extends Of["attributes"][Name] ? never : `bool:${Name}` : never]?: boolean | undefined }
  & { [Name in keyof Of["events"] & string as `on:${Name}`]?: JSX.EventHandlerWithOptionsUnion<Of["element"], Of["events"][Name] & Event> | undefined };

type Props<Of extends Kind> = Own<Of> & Omit<JSX.HTMLAttributes<Of["element"]>, keyof Own<Of>>;

type Elements = { [Tag in keyof DogwatchElements]: Props<DogwatchElements[Tag]> };

declare module "solid-js" {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
