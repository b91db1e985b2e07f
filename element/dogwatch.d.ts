export declare const version: string;

/** Defines the elements in a registry. Where there is a browser, importing the package has done so. */
export declare function define(registry?: CustomElementRegistry): void;

/**
 * Where the program comes from in place of the gateway, for what begins after the call: the address of the package's
 * folder `program`, or `() => import("dogwatch/program.js")`.
 */
export declare function program(from: string | URL | (() => Promise<{ start(): Promise<unknown> }>)): void;

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
  /** Whether the object of a `<dogwatch-object>` exists, once that is known. */
  exists?: boolean;
}

export interface RowDetail {
  /** As `deployments.apps`. */
  resource: string;
  namespace?: string;
  name: string;
  /** In a view of several clusters. */
  cluster?: string;
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
  // reference: events of dogwatch-table
  /** `state` (`syncing`, `live`, `polled`, `resuming`, `stale`, `forbidden`, `gone`, `failed`, `other-version`), `reason`, `message`, `since`, `paused`. */
  state: CustomEvent<StateDetail>;
  /** `resource`, `namespace`, `name`, in a view of several clusters `cluster`: the reader opened a row; your page may show it in a `<dogwatch-object>`. */
  "row-activate": CustomEvent<RowDetail>;
  /** `reason` (Kubernetes' reasons; `Program`: it can't be had; `TokenProvider`; `Version`), `message`. It doesn't bubble, as the `error` of an `<img>` doesn't. */
  error: CustomEvent<Problem>;
  /** `reason`, `message`, `wants` (`token`, or `login` at the gateway). */
  "auth-required": CustomEvent<AuthDetail>;
  /** `resourceVersion`, `proven`: when the API server last confirmed the view. */
  sync: CustomEvent<SyncDetail>;
  // /reference
}

export interface DogwatchObjectEventMap {
  // reference: events of dogwatch-object
  /** As of a table, and `exists`: whether the object is there, once that is known. */
  state: CustomEvent<StateDetail>;
  /** `resource`, `namespace`, `name`: the reader opened an owner, a pod or whatever else is linked. */
  "row-activate": CustomEvent<RowDetail>;
  /** The reader closed the object; what that means is up to your page. */
  "object-close": CustomEvent<Record<string, never>>;
  /** `reason` (Kubernetes' reasons; `Program`: it can't be had; `TokenProvider`; `Version`), `message`. It doesn't bubble, as the `error` of an `<img>` doesn't. */
  error: CustomEvent<Problem>;
  /** `reason`, `message`, `wants` (`token`, or `login` at the gateway). */
  "auth-required": CustomEvent<AuthDetail>;
  /** `resourceVersion`, `proven`: when the API server last confirmed the view. */
  sync: CustomEvent<SyncDetail>;
  // /reference
}

export interface DogwatchConnectionEventMap {
  // reference: events of dogwatch-connection
  /** `state` (`connecting`, `open`, `waiting`, `resting`, `refused`, `other-version`), `reason`, `message`, `user`. */
  state: CustomEvent<ConnectionDetail>;
  /** `reason` (Kubernetes' reasons; `Program`: it can't be had; `TokenProvider`; `Version`), `message`. It doesn't bubble, as the `error` of an `<img>` doesn't. */
  error: CustomEvent<Problem>;
  /** `reason`, `message`, `wants` (`token`, or `login` at the gateway). */
  "auth-required": CustomEvent<AuthDetail>;
  // /reference
}

/** Brings a token of the cluster. It may throw: it is asked again. */
export type TokenProvider = () => string | Promise<string>;

/** What may be set of `<dogwatch-table>`, for the types of a framework. */
export interface DogwatchTableProperties {
  // reference: properties of dogwatch-table
  gateway?: string | null;
  resource?: string | null;
  namespaces?: string | readonly string[] | null;
  cluster?: string | null;
  labelSelector?: string | null;
  fieldSelector?: string | null;
  filter?: string | null;
  sort?: string | null;
  columns?: string | readonly string[] | null;
  wide?: boolean | string | null;
  view?: "table" | "changes" | null;
  link?: string | null;
  theme?: "auto" | "light" | "dark" | null;
  density?: "default" | "compact" | null;
  tokenProvider?: TokenProvider | undefined | null;
  // /reference
}

/** What may be set of `<dogwatch-object>`, for the types of a framework. */
export interface DogwatchObjectProperties {
  // reference: properties of dogwatch-object
  gateway?: string | null;
  resource?: string | null;
  cluster?: string | null;
  namespace?: string | null;
  name?: string | null;
  tab?: "overview" | "timeline" | "yaml" | null;
  closable?: boolean | null;
  link?: string | null;
  theme?: "auto" | "light" | "dark" | null;
  tokenProvider?: TokenProvider | undefined | null;
  // /reference
}

/** What may be set of `<dogwatch-connection>`, for the types of a framework. */
export interface DogwatchConnectionProperties {
  // reference: properties of dogwatch-connection
  gateway?: string | null;
  tokenProvider?: TokenProvider | undefined | null;
  // /reference
}

declare class DogwatchElement extends HTMLElement {
  get gateway(): string | null;
  set gateway(value: string | null);
  tokenProvider: TokenProvider | undefined;
}

export declare class DogwatchTable extends DogwatchElement {
  // reference: types of dogwatch-table
  /** As after `kubectl get`: `pods`, `deployments.apps`. */
  get resource(): string | null;
  set resource(value: string | null);
  /** Names with commas; `*` for all; `-` for a kind without namespaces. Without it: those of the gateway's context, or in a team all that the reader may see. */
  get namespaces(): string | null;
  set namespaces(value: string | readonly string[] | null);
  /** The cluster as links have it, one that the gateway doesn't have is never replaced by another; several as `eu,us` and all as `*` stand in one table. */
  get cluster(): string | null;
  set cluster(value: string | null);
  /** As kubectl's `-l`. */
  get labelSelector(): string | null;
  set labelSelector(value: string | null);
  /** As kubectl's `--field-selector`. */
  get fieldSelector(): string | null;
  set fieldSelector(value: string | null);
  /** The text filter. */
  get filter(): string | null;
  set filter(value: string | null);
  /** A column's name; `-restarts`: from the highest. */
  get sort(): string | null;
  set sort(value: string | null);
  /** Columns in their order, as the `cols` of a link. */
  get columns(): string | null;
  set columns(value: string | readonly string[] | null);
  /** Present or `true`: the server's wide columns are shown; `false`: they are not; without it: as there is room. */
  get wide(): string | null;
  set wide(value: boolean | string | null);
  /** `table` or `changes`. `<dogwatch-changes>` has the changes without it. */
  get view(): string | null;
  set view(value: "table" | "changes" | null);
  /** All of the above as a link of Dogwatch: `/v/pods@prod/shop?sort=-restarts`. Other attributes take the place of its parts. */
  get link(): string | null;
  set link(value: string | null);
  /** `auto`, `light`, `dark`. */
  get theme(): string | null;
  set theme(value: "auto" | "light" | "dark" | null);
  /** `default`, `compact`. Without it: what the reader prefers. */
  get density(): string | null;
  set density(value: "default" | "compact" | null);
  /** The rows stay as they are, and changes are counted. */
  pause(): void;
  /** The rows of now are shown again. */
  resume(): void;
  /** Tries to reach the gateway or the cluster at once. */
  refresh(): void;
  /** The rows as a `File`, `csv` or `json`; `null` while there are none. Changes are JSON lines. */
  export(format?: "csv" | "json"): File | null;
  // /reference

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
  // reference: types of dogwatch-object
  /** As after `kubectl get`: `pods`, `deployments.apps`. */
  get resource(): string | null;
  set resource(value: string | null);
  /** The cluster as links have it: one that the gateway doesn't have is never replaced by another. */
  get cluster(): string | null;
  set cluster(value: string | null);
  /** The object's; none for a kind without namespaces. */
  get namespace(): string | null;
  set namespace(value: string | null);
  /** The object's name. An object that isn't there appears by itself when it is made. */
  get name(): string | null;
  set name(value: string | null);
  /** The tab that is open first, by its word (the guide lists them under "Read one object"). The reader may choose another one. */
  get tab(): string | null;
  set tab(value: "overview" | "timeline" | "yaml" | null);
  /** Present: a button and Escape ask your page to close it (`object-close`). */
  closable: boolean;
  /** All of the above as a link of Dogwatch with an open panel: `/v/pods@prod/shop?o=shop/web-1`. Other attributes take the place of its parts. */
  get link(): string | null;
  set link(value: string | null);
  /** `auto`, `light`, `dark`. */
  get theme(): string | null;
  set theme(value: "auto" | "light" | "dark" | null);
  /** Tries to reach the gateway or the cluster at once. */
  refresh(): void;
  // /reference

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
  addEventListener<K extends keyof DogwatchConnectionEventMap>(
    type: K,
    listener: (this: DogwatchConnection, event: DogwatchConnectionEventMap[K]) => unknown,
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
