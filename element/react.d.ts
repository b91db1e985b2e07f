// The elements in TSX of React 19, which sets their properties and listeners by itself:
// `import type {} from "dogwatch/react";` once, anywhere. A server writes attributes alone, which are `label-selector`
// and the like.
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { DogwatchElements } from "./dogwatch.js";

type Kind = DogwatchElements[keyof DogwatchElements];
type Optional<Of> = { [Name in keyof Of]?: Of[Name] | undefined };

/** `onstate`, `onrow-activate` and so on. */
type Listeners<Of extends Kind> = {
  [Name in keyof Of["events"] & string as `on${Name}`]?: ((event: Of["events"][Name]) => void) | undefined;
};

type Own<Of extends Kind> =
  & Optional<Of["properties"]>
  & Optional<Omit<Of["attributes"], keyof Of["properties"]>>
  & Listeners<Of>;

type Props<Of extends Kind> = Own<Of> & Omit<DetailedHTMLProps<HTMLAttributes<Of["element"]>, Of["element"]>, keyof Own<Of>>;

type Elements = { [Tag in keyof DogwatchElements]: Props<DogwatchElements[Tag]> };

declare module "react" {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
