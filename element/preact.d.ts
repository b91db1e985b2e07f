// The elements in TSX of Preact: `import type {} from "dogwatch/preact";` once, anywhere. Preact sets a property where the
// element has it, so import "dogwatch" before the first one is rendered, and writes an attribute otherwise. It makes an
// empty text of `null` and `undefined`: leave out what isn't set.
import type { JSX } from "preact";
import type { DogwatchElements } from "./dogwatch.js";

type Kind = DogwatchElements[keyof DogwatchElements];
type Given<Of> = { [Name in keyof Of]: NonNullable<Of[Name]> };

/** `onstate`, `onrow-activate` and so on. */
type Listeners<Of extends Kind> = {
  [Name in keyof Of["events"] & string as `on${Name}`]?: (event: Of["events"][Name]) => void;
};

type Own<Of extends Kind> =
  & Given<Of["properties"]>
  & Given<Omit<Of["attributes"], keyof Of["properties"]>>
  & Listeners<Of>;

type Props<Of extends Kind> = Own<Of> & Omit<JSX.HTMLAttributes<Of["element"]>, keyof Own<Of>>;

type Elements = { [Tag in keyof DogwatchElements]: Props<DogwatchElements[Tag]> };

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
