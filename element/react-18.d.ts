// The elements as components of React 18: `import { DogwatchTable } from "dogwatch/react-18";`.
import type { ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from "react";
import type { DogwatchElements } from "./dogwatch.js";

type Optional<Of> = { [Name in keyof Of]?: Of[Name] | undefined };

type Joined<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Capitalize<First>}${Joined<Rest>}`
  : Capitalize<Name>;

/** `onState`, `onRowActivate` and so on. */
type Handlers<Events> = {
  [Name in keyof Events & string as `on${Joined<Name>}`]?: ((event: Events[Name]) => void) | undefined;
};

type Own<Of extends DogwatchElements[keyof DogwatchElements]> = Optional<Of["properties"]> & Handlers<Of["events"]>;

type Component<Tag extends keyof DogwatchElements> = ForwardRefExoticComponent<
  & Own<DogwatchElements[Tag]>
  & Omit<HTMLAttributes<DogwatchElements[Tag]["element"]>, keyof Own<DogwatchElements[Tag]>>
  & RefAttributes<DogwatchElements[Tag]["element"]>
>;

// reference: each export const CLASS: Component<"TAG">;
export const DogwatchTable: Component<"dogwatch-table">;
export const DogwatchChanges: Component<"dogwatch-changes">;
export const DogwatchObject: Component<"dogwatch-object">;
export const DogwatchTally: Component<"dogwatch-tally">;
export const DogwatchConnection: Component<"dogwatch-connection">;
// /reference
