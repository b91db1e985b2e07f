// The elements as components of React 18: `import { DogwatchTable } from "dogwatch/react-18";`.
import type { ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from "react";
import type {
  DogwatchChanges as Changes, DogwatchConnection as Connection, DogwatchConnectionEventMap,
  DogwatchConnectionProperties, DogwatchEventMap, DogwatchObject as ObjectElement, DogwatchObjectEventMap,
  DogwatchObjectProperties, DogwatchTable as Table, DogwatchTableProperties,
} from "./dogwatch.js";

type Joined<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Capitalize<First>}${Joined<Rest>}`
  : Capitalize<Name>;

/** `onState`, `onRowActivate` and so on. */
type Handlers<Events> = { [Name in keyof Events & string as `on${Joined<Name>}`]?: (event: Events[Name]) => void };

type Component<Of extends HTMLElement, Properties, Events> = ForwardRefExoticComponent<
  & Omit<HTMLAttributes<Of>, keyof Properties | keyof Handlers<Events>>
  & Properties
  & Handlers<Events>
  & RefAttributes<Of>
>;

export const DogwatchTable: Component<Table, DogwatchTableProperties, DogwatchEventMap>;
export const DogwatchChanges: Component<Changes, DogwatchTableProperties, DogwatchEventMap>;
export const DogwatchObject: Component<ObjectElement, DogwatchObjectProperties, DogwatchObjectEventMap>;
export const DogwatchConnection: Component<Connection, DogwatchConnectionProperties, DogwatchConnectionEventMap>;
