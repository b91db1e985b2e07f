// The elements in templates and TSX of Vue: `import type {} from "dogwatch/vue";` once, anywhere. `.labelSelector="…"`
// sets a property, `label-selector="…"` writes an attribute, `@row-activate="…"` listens.
import type { HTMLAttributes, ReservedProps } from "vue";
import type { DogwatchElements } from "./dogwatch.js";

type Kind = DogwatchElements[keyof DogwatchElements];
type Optional<Of> = { [Name in keyof Of]?: Of[Name] | undefined };

type Joined<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Capitalize<First>}${Joined<Rest>}`
  : Capitalize<Name>;

/** `onState`, `onRowActivate` and so on, as Vue calls `@state` and `@row-activate`. */
type Handlers<Events> = {
  [Name in keyof Events & string as `on${Joined<Name>}`]?: ((event: Events[Name]) => void) | undefined;
};

type Own<Of extends Kind> =
  & Optional<Of["properties"]>
  & Optional<Omit<Of["attributes"], keyof Of["properties"]>>
  & Handlers<Of["events"]>;

type Props<Of extends Kind> = Own<Of> & Omit<HTMLAttributes, keyof Own<Of>> & ReservedProps;

type Components = { [Tag in keyof DogwatchElements]: new () => { $props: Props<DogwatchElements[Tag]> } };
type Elements = { [Tag in keyof DogwatchElements]: Props<DogwatchElements[Tag]> };

declare module "vue" {
  interface GlobalComponents extends Components {}
}

declare module "vue/jsx-runtime" {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
