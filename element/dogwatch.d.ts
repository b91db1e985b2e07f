export declare const version: string;

/** Defines the elements in a registry. Where there is a browser, importing the package has done so. */
export declare function define(registry?: CustomElementRegistry): void;

export interface Problem {
  /** Kubernetes' reason, such as `Forbidden`; or `Program`, `TokenProvider`, `Version`. */
  reason: string;
  message: string;
}

export type ViewState =
  | "syncing" | "live" | "polled" | "resuming" | "stale" | "forbidden" | "gone" | "failed"
  | "other-version";

export interface StateDetail {
  state: ViewState;
  reason?: string;
  message?: string;
  since?: Date;
  paused: boolean;
  /** Of `<dogwatch-object>`: whether the object is there, once that is known. */
  exists?: boolean;
}

export interface RowDetail {
  /** As `deployments.apps`. */
  resource: string;
  namespace?: string;
  name: string;
}

export interface SyncDetail {
  resourceVersion: string;
  /** When the API server last confirmed the view. */
  proven: Date;
}

export interface AuthDetail extends Problem {
  /** `token`: a `tokenProvider` may bring one. `login`: at the gateway itself. */
  wants: "token" | "login";
}

export interface ConnectionDetail {
  state: "connecting" | "open" | "waiting" | "resting" | "refused" | "other-version";
  reason?: string;
  message?: string;
  user?: string;
}

export interface DogwatchEventMap {
  state: CustomEvent<StateDetail>;
  "row-activate": CustomEvent<RowDetail>;
  error: CustomEvent<Problem>;
  "auth-required": CustomEvent<AuthDetail>;
  sync: CustomEvent<SyncDetail>;
}

export interface DogwatchObjectEventMap extends DogwatchEventMap {
  /** The reader pressed the button that `closable` shows. */
  "object-close": CustomEvent<Record<string, never>>;
}

/** Brings a token of the cluster. It may throw: it is asked again. */
export type TokenProvider = () => string | Promise<string>;

declare class DogwatchElement extends HTMLElement {
  get gateway(): string | null;
  set gateway(value: string | null);
  tokenProvider: TokenProvider | undefined;
}

export declare class DogwatchTable extends DogwatchElement {
  get link(): string | null;
  set link(value: string | null);
  get cluster(): string | null;
  set cluster(value: string | null);
  get resource(): string | null;
  set resource(value: string | null);
  get namespaces(): string | null;
  set namespaces(value: string | readonly string[] | null);
  get labelSelector(): string | null;
  set labelSelector(value: string | null);
  get fieldSelector(): string | null;
  set fieldSelector(value: string | null);
  get filter(): string | null;
  set filter(value: string | null);
  get sort(): string | null;
  set sort(value: string | null);
  get columns(): string | null;
  set columns(value: string | readonly string[] | null);
  get wide(): string | null;
  set wide(value: boolean | string | null);
  get view(): string | null;
  set view(value: "table" | "changes" | null);
  get theme(): string | null;
  set theme(value: "auto" | "light" | "dark" | null);
  get density(): string | null;
  set density(value: "default" | "compact" | null);

  pause(): void;
  resume(): void;
  refresh(): void;
  export(format?: "csv" | "json"): File | null;

  addEventListener<K extends keyof DogwatchEventMap>(
    type: K,
    listener: (this: DogwatchTable, event: DogwatchEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

export declare class DogwatchChanges extends DogwatchTable {}

/** The panel of one object: overview, timeline, YAML. */
export declare class DogwatchObject extends DogwatchElement {
  get link(): string | null;
  set link(value: string | null);
  get cluster(): string | null;
  set cluster(value: string | null);
  get resource(): string | null;
  set resource(value: string | null);
  get namespace(): string | null;
  set namespace(value: string | null);
  get name(): string | null;
  set name(value: string | null);
  get tab(): string | null;
  set tab(value: "overview" | "timeline" | "yaml" | null);
  get theme(): string | null;
  set theme(value: "auto" | "light" | "dark" | null);
  closable: boolean;

  refresh(): void;

  addEventListener<K extends keyof DogwatchObjectEventMap>(
    type: K,
    listener: (this: DogwatchObject, event: DogwatchObjectEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

export declare class DogwatchConnection extends DogwatchElement {
  addEventListener(
    type: "state",
    listener: (this: DogwatchConnection, event: CustomEvent<ConnectionDetail>) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "dogwatch-table": DogwatchTable;
    "dogwatch-changes": DogwatchChanges;
    "dogwatch-object": DogwatchObject;
    "dogwatch-connection": DogwatchConnection;
  }
}
