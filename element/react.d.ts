// The elements in TSX of React 19, which sets their properties and listeners by itself:
// `import type {} from "dogwatch/react";` once, anywhere.
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type {
  DogwatchChanges, DogwatchConnection, DogwatchConnectionEventMap, DogwatchConnectionProperties, DogwatchEventMap,
  DogwatchObject, DogwatchObjectEventMap, DogwatchObjectProperties, DogwatchTable, DogwatchTableProperties,
} from "./dogwatch.js";

/** `onstate`, `onrow-activate` and so on. */
type Listeners<Events> = { [Name in keyof Events & string as `on${Name}`]?: (event: Events[Name]) => void };

type DogwatchAttributes<Of extends HTMLElement, Properties, Events> =
  & Omit<DetailedHTMLProps<HTMLAttributes<Of>, Of>, keyof Properties>
  & Properties
  & Listeners<Events>;

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "dogwatch-table": DogwatchAttributes<DogwatchTable, DogwatchTableProperties, DogwatchEventMap>;
      "dogwatch-changes": DogwatchAttributes<DogwatchChanges, DogwatchTableProperties, DogwatchEventMap>;
      "dogwatch-object": DogwatchAttributes<DogwatchObject, DogwatchObjectProperties, DogwatchObjectEventMap>;
      "dogwatch-connection": DogwatchAttributes<DogwatchConnection, DogwatchConnectionProperties, DogwatchConnectionEventMap>;
    }
  }
}
