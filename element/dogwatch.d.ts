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

/** How much is wrong, as a `<dogwatch-tally>` says it. Without a proof there are no numbers. */
export interface TallyDetail {
  state: "syncing" | "live" | "stale" | "forbidden" | "failed" | "other-version";
  /** As the chip says it: `7 failing`. */
  text?: string;
  reason?: string;
  message?: string;
  failing?: number;
  notReady?: number;
  /** Since when it isn't proven. */
  since?: Date;
  /** The list of what is wrong: path and query below the gateway. */
  link?: string;
}

export type TallyActivateDetail = Pick<TallyDetail, "state" | "failing" | "notReady" | "link">;

/** Brings a token of the cluster. It may throw: it is asked again. */
export type TokenProvider = () => string | Promise<string>;

/** The element's own events, and the browser's. */
type EventsOf<Own> = Own & Omit<HTMLElementEventMap, keyof Own>;

// reference: types
/** The events of `<dogwatch-table>`. */
export interface DogwatchTableEventMap {
  /** `state` (`syncing`, `live`, `polled`, `resuming`, `stale`, `forbidden`, `gone`, `failed`, `other-version`), `reason`, `message`, `since`, `paused`. */
  state: CustomEvent<StateDetail>;
  /** `resource`, `namespace`, `name`, in a view of several clusters `cluster`: the reader opened a row; your page may show it in a `<dogwatch-object>`. */
  "row-activate": CustomEvent<RowDetail>;
  /** `reason` (Kubernetes' reasons; `Program`: it can't be had; `ContentSecurityPolicy`: the page's policy blocks it; `TokenProvider`; `Version`), `message`. It doesn't bubble, as the `error` of an `<img>` doesn't. */
  error: CustomEvent<Problem>;
  /** `reason`, `message`, `wants` (`token`, or `login` at the gateway). */
  "auth-required": CustomEvent<AuthDetail>;
  /** `resourceVersion`, `proven`: when the API server last confirmed the view. */
  sync: CustomEvent<SyncDetail>;
}

/** What may be set of `<dogwatch-table>`. */
export interface DogwatchTableProperties {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  gateway?: string | null;
  /** As after `kubectl get`: `pods`, `deployments.apps`. */
  resource?: string | null;
  /** Names with commas; `*` for all; `-` for a kind without namespaces. Without it: those of the gateway's context, or in a team all that the reader may see. */
  namespaces?: string | readonly string[] | null;
  /** The cluster as links have it, one that the gateway doesn't have is never replaced by another; several as `eu,us` and all as `*` stand in one table. */
  cluster?: string | null;
  /** As kubectl's `-l`. */
  labelSelector?: string | null;
  /** As kubectl's `--field-selector`. */
  fieldSelector?: string | null;
  /** The text filter. */
  filter?: string | null;
  /** A column's name; `-restarts`: from the highest. */
  sort?: string | null;
  /** Columns in their order, as the `cols` of a link. */
  columns?: string | readonly string[] | null;
  /** Present or `true`: the server's wide columns are shown; `false`: they are not; without it: as there is room. */
  wide?: boolean | string | null;
  /** As of this time, such as `2026-11-29T14:02:10Z`, as the `at` of a link: the rows as the gateway recorded them, which stand still. Without it: now, and so with a time that isn't over. */
  at?: string | null;
  /** `table` or `changes`. `<dogwatch-changes>` has the changes without it. */
  view?: "table" | "changes" | null;
  /** All of the above as a link of Dogwatch: `/v/pods@prod/shop?sort=-restarts`. Other attributes take the place of its parts. */
  link?: string | null;
  /** `light`, `dark`, or `auto`, which is meant without it: as `color-scheme` says for this place in the page, else as the system is. */
  theme?: "auto" | "light" | "dark" | null;
  /** `default`, `compact`. Without it: what the reader prefers. */
  density?: "default" | "compact" | null;
  /** A function that returns a token of the cluster, or a promise of one, for a gateway in mode `bearer`. It is asked at the start, a minute before the token ends (a short one: after two thirds of its time), and when the gateway refused it. A new token goes over the open socket: no row is missed. If it throws, or has no answer within 10 s, that is said and it is asked again, after 1 s at first and 30 s at most. All elements of a gateway share one token; what the gateway says of another user's token is shown. */
  tokenProvider?: TokenProvider | undefined | null;
}

/** What may be written of `<dogwatch-table>` in HTML. */
export interface DogwatchTableAttributes {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  gateway?: string;
  /** As after `kubectl get`: `pods`, `deployments.apps`. */
  resource?: string;
  /** Names with commas; `*` for all; `-` for a kind without namespaces. Without it: those of the gateway's context, or in a team all that the reader may see. */
  namespaces?: string;
  /** The cluster as links have it, one that the gateway doesn't have is never replaced by another; several as `eu,us` and all as `*` stand in one table. */
  cluster?: string;
  /** As kubectl's `-l`. */
  "label-selector"?: string;
  /** As kubectl's `--field-selector`. */
  "field-selector"?: string;
  /** The text filter. */
  filter?: string;
  /** A column's name; `-restarts`: from the highest. */
  sort?: string;
  /** Columns in their order, as the `cols` of a link. */
  columns?: string;
  /** Present or `true`: the server's wide columns are shown; `false`: they are not; without it: as there is room. */
  wide?: string;
  /** As of this time, such as `2026-11-29T14:02:10Z`, as the `at` of a link: the rows as the gateway recorded them, which stand still. Without it: now, and so with a time that isn't over. */
  at?: string;
  /** `table` or `changes`. `<dogwatch-changes>` has the changes without it. */
  view?: "table" | "changes";
  /** All of the above as a link of Dogwatch: `/v/pods@prod/shop?sort=-restarts`. Other attributes take the place of its parts. */
  link?: string;
  /** `light`, `dark`, or `auto`, which is meant without it: as `color-scheme` says for this place in the page, else as the system is. */
  theme?: "auto" | "light" | "dark";
  /** `default`, `compact`. Without it: what the reader prefers. */
  density?: "default" | "compact";
}

/** `<dogwatch-table>`: The live rows of a view. */
export declare class DogwatchTable extends HTMLElement {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  get gateway(): string | null;
  set gateway(value: string | null);
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
  /** As of this time, such as `2026-11-29T14:02:10Z`, as the `at` of a link: the rows as the gateway recorded them, which stand still. Without it: now, and so with a time that isn't over. */
  get at(): string | null;
  set at(value: string | null);
  /** `table` or `changes`. `<dogwatch-changes>` has the changes without it. */
  get view(): string | null;
  set view(value: "table" | "changes" | null);
  /** All of the above as a link of Dogwatch: `/v/pods@prod/shop?sort=-restarts`. Other attributes take the place of its parts. */
  get link(): string | null;
  set link(value: string | null);
  /** `light`, `dark`, or `auto`, which is meant without it: as `color-scheme` says for this place in the page, else as the system is. */
  get theme(): string | null;
  set theme(value: "auto" | "light" | "dark" | null);
  /** `default`, `compact`. Without it: what the reader prefers. */
  get density(): string | null;
  set density(value: "default" | "compact" | null);
  /** A function that returns a token of the cluster, or a promise of one, for a gateway in mode `bearer`. It is asked at the start, a minute before the token ends (a short one: after two thirds of its time), and when the gateway refused it. A new token goes over the open socket: no row is missed. If it throws, or has no answer within 10 s, that is said and it is asked again, after 1 s at first and 30 s at most. All elements of a gateway share one token; what the gateway says of another user's token is shown. */
  tokenProvider: TokenProvider | undefined;
  /** The rows stay as they are, and changes are counted. */
  pause(): void;
  /** The rows of now are shown again. */
  resume(): void;
  /** Tries to reach the gateway or the cluster at once. */
  refresh(): void;
  /** The rows as a `File`, `csv` or `json`; `null` while there are none. Changes are JSON lines. */
  export(format?: "csv" | "json"): File | null;
  addEventListener<Name extends keyof EventsOf<DogwatchTableEventMap>>(
    type: Name,
    listener: (this: DogwatchTable, event: EventsOf<DogwatchTableEventMap>[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<Name extends keyof EventsOf<DogwatchTableEventMap>>(
    type: Name,
    listener: (this: DogwatchTable, event: EventsOf<DogwatchTableEventMap>[Name]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

/** The events of `<dogwatch-changes>`. */
export interface DogwatchChangesEventMap {
  /** `state` (`syncing`, `live`, `polled`, `resuming`, `stale`, `forbidden`, `gone`, `failed`, `other-version`), `reason`, `message`, `since`, `paused`. */
  state: CustomEvent<StateDetail>;
  /** `resource`, `namespace`, `name`, in a view of several clusters `cluster`: the reader opened a row; your page may show it in a `<dogwatch-object>`. */
  "row-activate": CustomEvent<RowDetail>;
  /** `reason` (Kubernetes' reasons; `Program`: it can't be had; `ContentSecurityPolicy`: the page's policy blocks it; `TokenProvider`; `Version`), `message`. It doesn't bubble, as the `error` of an `<img>` doesn't. */
  error: CustomEvent<Problem>;
  /** `reason`, `message`, `wants` (`token`, or `login` at the gateway). */
  "auth-required": CustomEvent<AuthDetail>;
  /** `resourceVersion`, `proven`: when the API server last confirmed the view. */
  sync: CustomEvent<SyncDetail>;
}

/** What may be set of `<dogwatch-changes>`. */
export interface DogwatchChangesProperties {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  gateway?: string | null;
  /** As after `kubectl get`: `pods`, `deployments.apps`. */
  resource?: string | null;
  /** Names with commas; `*` for all; `-` for a kind without namespaces. Without it: those of the gateway's context, or in a team all that the reader may see. */
  namespaces?: string | readonly string[] | null;
  /** The cluster as links have it, one that the gateway doesn't have is never replaced by another; several as `eu,us` and all as `*` stand in one table. */
  cluster?: string | null;
  /** As kubectl's `-l`. */
  labelSelector?: string | null;
  /** As kubectl's `--field-selector`. */
  fieldSelector?: string | null;
  /** The text filter. */
  filter?: string | null;
  /** A column's name; `-restarts`: from the highest. */
  sort?: string | null;
  /** Columns in their order, as the `cols` of a link. */
  columns?: string | readonly string[] | null;
  /** Present or `true`: the server's wide columns are shown; `false`: they are not; without it: as there is room. */
  wide?: boolean | string | null;
  /** Refused: changes are followed live. */
  at?: string | null;
  /** `table` or `changes`. `<dogwatch-changes>` has the changes without it. */
  view?: "table" | "changes" | null;
  /** All of the above as a link of Dogwatch: `/v/pods@prod/shop?sort=-restarts`. Other attributes take the place of its parts. */
  link?: string | null;
  /** `light`, `dark`, or `auto`, which is meant without it: as `color-scheme` says for this place in the page, else as the system is. */
  theme?: "auto" | "light" | "dark" | null;
  /** `default`, `compact`. Without it: what the reader prefers. */
  density?: "default" | "compact" | null;
  /** A function that returns a token of the cluster, or a promise of one, for a gateway in mode `bearer`. It is asked at the start, a minute before the token ends (a short one: after two thirds of its time), and when the gateway refused it. A new token goes over the open socket: no row is missed. If it throws, or has no answer within 10 s, that is said and it is asked again, after 1 s at first and 30 s at most. All elements of a gateway share one token; what the gateway says of another user's token is shown. */
  tokenProvider?: TokenProvider | undefined | null;
}

/** What may be written of `<dogwatch-changes>` in HTML. */
export interface DogwatchChangesAttributes {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  gateway?: string;
  /** As after `kubectl get`: `pods`, `deployments.apps`. */
  resource?: string;
  /** Names with commas; `*` for all; `-` for a kind without namespaces. Without it: those of the gateway's context, or in a team all that the reader may see. */
  namespaces?: string;
  /** The cluster as links have it, one that the gateway doesn't have is never replaced by another; several as `eu,us` and all as `*` stand in one table. */
  cluster?: string;
  /** As kubectl's `-l`. */
  "label-selector"?: string;
  /** As kubectl's `--field-selector`. */
  "field-selector"?: string;
  /** The text filter. */
  filter?: string;
  /** A column's name; `-restarts`: from the highest. */
  sort?: string;
  /** Columns in their order, as the `cols` of a link. */
  columns?: string;
  /** Present or `true`: the server's wide columns are shown; `false`: they are not; without it: as there is room. */
  wide?: string;
  /** Refused: changes are followed live. */
  at?: string;
  /** `table` or `changes`. `<dogwatch-changes>` has the changes without it. */
  view?: "table" | "changes";
  /** All of the above as a link of Dogwatch: `/v/pods@prod/shop?sort=-restarts`. Other attributes take the place of its parts. */
  link?: string;
  /** `light`, `dark`, or `auto`, which is meant without it: as `color-scheme` says for this place in the page, else as the system is. */
  theme?: "auto" | "light" | "dark";
  /** `default`, `compact`. Without it: what the reader prefers. */
  density?: "default" | "compact";
}

/** `<dogwatch-changes>`: The changes of a view, as they come. */
export declare class DogwatchChanges extends HTMLElement {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  get gateway(): string | null;
  set gateway(value: string | null);
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
  /** Refused: changes are followed live. */
  get at(): string | null;
  set at(value: string | null);
  /** `table` or `changes`. `<dogwatch-changes>` has the changes without it. */
  get view(): string | null;
  set view(value: "table" | "changes" | null);
  /** All of the above as a link of Dogwatch: `/v/pods@prod/shop?sort=-restarts`. Other attributes take the place of its parts. */
  get link(): string | null;
  set link(value: string | null);
  /** `light`, `dark`, or `auto`, which is meant without it: as `color-scheme` says for this place in the page, else as the system is. */
  get theme(): string | null;
  set theme(value: "auto" | "light" | "dark" | null);
  /** `default`, `compact`. Without it: what the reader prefers. */
  get density(): string | null;
  set density(value: "default" | "compact" | null);
  /** A function that returns a token of the cluster, or a promise of one, for a gateway in mode `bearer`. It is asked at the start, a minute before the token ends (a short one: after two thirds of its time), and when the gateway refused it. A new token goes over the open socket: no row is missed. If it throws, or has no answer within 10 s, that is said and it is asked again, after 1 s at first and 30 s at most. All elements of a gateway share one token; what the gateway says of another user's token is shown. */
  tokenProvider: TokenProvider | undefined;
  /** The rows stay as they are, and changes are counted. */
  pause(): void;
  /** The rows of now are shown again. */
  resume(): void;
  /** Tries to reach the gateway or the cluster at once. */
  refresh(): void;
  /** The rows as a `File`, `csv` or `json`; `null` while there are none. Changes are JSON lines. */
  export(format?: "csv" | "json"): File | null;
  addEventListener<Name extends keyof EventsOf<DogwatchChangesEventMap>>(
    type: Name,
    listener: (this: DogwatchChanges, event: EventsOf<DogwatchChangesEventMap>[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<Name extends keyof EventsOf<DogwatchChangesEventMap>>(
    type: Name,
    listener: (this: DogwatchChanges, event: EventsOf<DogwatchChangesEventMap>[Name]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

/** The events of `<dogwatch-object>`. */
export interface DogwatchObjectEventMap {
  /** As of a table, and `exists`: whether the object is there, once that is known. */
  state: CustomEvent<StateDetail>;
  /** `resource`, `namespace`, `name`: the reader opened an owner, a pod or whatever else is linked. */
  "row-activate": CustomEvent<RowDetail>;
  /** The reader closed the object; what that means is up to your page. */
  "object-close": CustomEvent<Record<string, never>>;
  /** `reason` (Kubernetes' reasons; `Program`: it can't be had; `ContentSecurityPolicy`: the page's policy blocks it; `TokenProvider`; `Version`), `message`. It doesn't bubble, as the `error` of an `<img>` doesn't. */
  error: CustomEvent<Problem>;
  /** `reason`, `message`, `wants` (`token`, or `login` at the gateway). */
  "auth-required": CustomEvent<AuthDetail>;
  /** `resourceVersion`, `proven`: when the API server last confirmed the view. */
  sync: CustomEvent<SyncDetail>;
}

/** What may be set of `<dogwatch-object>`. */
export interface DogwatchObjectProperties {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  gateway?: string | null;
  /** As after `kubectl get`: `pods`, `deployments.apps`. */
  resource?: string | null;
  /** The cluster as links have it: one that the gateway doesn't have is never replaced by another. */
  cluster?: string | null;
  /** The object's; none for a kind without namespaces. */
  namespace?: string | null;
  /** The object's name. An object that isn't there appears by itself when it is made. */
  name?: string | null;
  /** The tab that is open first, by its word (the guide lists them under "Read one object"). The reader may choose another one. */
  tab?: "overview" | "timeline" | "yaml" | "logs" | null;
  /** As of this time, such as `2026-11-29T14:02:10Z`, as the `at` of a link: the object as the gateway recorded it. Without it: now, and so with a time that isn't over. */
  at?: string | null;
  /** Present: a button and Escape ask your page to close it (`object-close`). */
  closable?: boolean | null;
  /** All of the above as a link of Dogwatch with an open panel: `/v/pods@prod/shop?o=shop/web-1`. Other attributes take the place of its parts. */
  link?: string | null;
  /** `light`, `dark`, or `auto`, which is meant without it: as `color-scheme` says for this place in the page, else as the system is. */
  theme?: "auto" | "light" | "dark" | null;
  /** A function that returns a token of the cluster, or a promise of one, for a gateway in mode `bearer`. It is asked at the start, a minute before the token ends (a short one: after two thirds of its time), and when the gateway refused it. A new token goes over the open socket: no row is missed. If it throws, or has no answer within 10 s, that is said and it is asked again, after 1 s at first and 30 s at most. All elements of a gateway share one token; what the gateway says of another user's token is shown. */
  tokenProvider?: TokenProvider | undefined | null;
}

/** What may be written of `<dogwatch-object>` in HTML. */
export interface DogwatchObjectAttributes {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  gateway?: string;
  /** As after `kubectl get`: `pods`, `deployments.apps`. */
  resource?: string;
  /** The cluster as links have it: one that the gateway doesn't have is never replaced by another. */
  cluster?: string;
  /** The object's; none for a kind without namespaces. */
  namespace?: string;
  /** The object's name. An object that isn't there appears by itself when it is made. */
  name?: string;
  /** The tab that is open first, by its word (the guide lists them under "Read one object"). The reader may choose another one. */
  tab?: "overview" | "timeline" | "yaml" | "logs";
  /** As of this time, such as `2026-11-29T14:02:10Z`, as the `at` of a link: the object as the gateway recorded it. Without it: now, and so with a time that isn't over. */
  at?: string;
  /** Present: a button and Escape ask your page to close it (`object-close`). */
  closable?: "";
  /** All of the above as a link of Dogwatch with an open panel: `/v/pods@prod/shop?o=shop/web-1`. Other attributes take the place of its parts. */
  link?: string;
  /** `light`, `dark`, or `auto`, which is meant without it: as `color-scheme` says for this place in the page, else as the system is. */
  theme?: "auto" | "light" | "dark";
}

/** `<dogwatch-object>`: One object, live, in tabs. */
export declare class DogwatchObject extends HTMLElement {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  get gateway(): string | null;
  set gateway(value: string | null);
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
  set tab(value: "overview" | "timeline" | "yaml" | "logs" | null);
  /** As of this time, such as `2026-11-29T14:02:10Z`, as the `at` of a link: the object as the gateway recorded it. Without it: now, and so with a time that isn't over. */
  get at(): string | null;
  set at(value: string | null);
  /** Present: a button and Escape ask your page to close it (`object-close`). */
  closable: boolean;
  /** All of the above as a link of Dogwatch with an open panel: `/v/pods@prod/shop?o=shop/web-1`. Other attributes take the place of its parts. */
  get link(): string | null;
  set link(value: string | null);
  /** `light`, `dark`, or `auto`, which is meant without it: as `color-scheme` says for this place in the page, else as the system is. */
  get theme(): string | null;
  set theme(value: "auto" | "light" | "dark" | null);
  /** A function that returns a token of the cluster, or a promise of one, for a gateway in mode `bearer`. It is asked at the start, a minute before the token ends (a short one: after two thirds of its time), and when the gateway refused it. A new token goes over the open socket: no row is missed. If it throws, or has no answer within 10 s, that is said and it is asked again, after 1 s at first and 30 s at most. All elements of a gateway share one token; what the gateway says of another user's token is shown. */
  tokenProvider: TokenProvider | undefined;
  /** Tries to reach the gateway or the cluster at once. */
  refresh(): void;
  addEventListener<Name extends keyof EventsOf<DogwatchObjectEventMap>>(
    type: Name,
    listener: (this: DogwatchObject, event: EventsOf<DogwatchObjectEventMap>[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<Name extends keyof EventsOf<DogwatchObjectEventMap>>(
    type: Name,
    listener: (this: DogwatchObject, event: EventsOf<DogwatchObjectEventMap>[Name]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

/** The events of `<dogwatch-tally>`. */
export interface DogwatchTallyEventMap {
  /** `state` (`syncing`, `live`, `stale`, `forbidden`, `failed`, `other-version`), `text` as the chip says it, `message`, `link` of the list, `since`; `failing` and `notReady` are missing where nothing is proven. */
  state: CustomEvent<TallyDetail>;
  /** The chip was clicked: `state`, `failing`, `notReady`, `link` of the list (path and query below the gateway). `preventDefault()` keeps `to-list` from leading there. */
  "tally-activate": CustomEvent<TallyActivateDetail>;
  /** `reason` (Kubernetes' reasons; `Program`: it can't be had; `ContentSecurityPolicy`: the page's policy blocks it; `TokenProvider`; `Version`), `message`. It doesn't bubble, as the `error` of an `<img>` doesn't. */
  error: CustomEvent<Problem>;
  /** `reason`, `message`, `wants` (`token`, or `login` at the gateway). */
  "auth-required": CustomEvent<AuthDetail>;
}

/** What may be set of `<dogwatch-tally>`. */
export interface DogwatchTallyProperties {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  gateway?: string | null;
  /** The cluster as links have it, one that the gateway doesn't have is never replaced by another; several as `eu,us` and all as `*` are counted together. Without it: the gateway's own. */
  cluster?: string | null;
  /** Names with commas; `*` for all. Without it: all that the reader may see, and kinds without namespaces. */
  namespaces?: string | readonly string[] | null;
  /** Present: a click leads to the list of what is wrong in Dogwatch's own page; its value is the `target` of the link. Without it a click does nothing but `tally-activate`. */
  toList?: boolean | string | null;
  /** `light`, `dark`, or `auto`, which is meant without it: as `color-scheme` says for this place in the page, else as the system is. */
  theme?: "auto" | "light" | "dark" | null;
  /** A function that returns a token of the cluster, or a promise of one, for a gateway in mode `bearer`. It is asked at the start, a minute before the token ends (a short one: after two thirds of its time), and when the gateway refused it. A new token goes over the open socket: no row is missed. If it throws, or has no answer within 10 s, that is said and it is asked again, after 1 s at first and 30 s at most. All elements of a gateway share one token; what the gateway says of another user's token is shown. */
  tokenProvider?: TokenProvider | undefined | null;
}

/** What may be written of `<dogwatch-tally>` in HTML. */
export interface DogwatchTallyAttributes {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  gateway?: string;
  /** The cluster as links have it, one that the gateway doesn't have is never replaced by another; several as `eu,us` and all as `*` are counted together. Without it: the gateway's own. */
  cluster?: string;
  /** Names with commas; `*` for all. Without it: all that the reader may see, and kinds without namespaces. */
  namespaces?: string;
  /** Present: a click leads to the list of what is wrong in Dogwatch's own page; its value is the `target` of the link. Without it a click does nothing but `tally-activate`. */
  "to-list"?: string;
  /** `light`, `dark`, or `auto`, which is meant without it: as `color-scheme` says for this place in the page, else as the system is. */
  theme?: "auto" | "light" | "dark";
}

/** `<dogwatch-tally>`: How much is wrong, in a chip. */
export declare class DogwatchTally extends HTMLElement {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  get gateway(): string | null;
  set gateway(value: string | null);
  /** The cluster as links have it, one that the gateway doesn't have is never replaced by another; several as `eu,us` and all as `*` are counted together. Without it: the gateway's own. */
  get cluster(): string | null;
  set cluster(value: string | null);
  /** Names with commas; `*` for all. Without it: all that the reader may see, and kinds without namespaces. */
  get namespaces(): string | null;
  set namespaces(value: string | readonly string[] | null);
  /** Present: a click leads to the list of what is wrong in Dogwatch's own page; its value is the `target` of the link. Without it a click does nothing but `tally-activate`. */
  get toList(): string | null;
  set toList(value: boolean | string | null);
  /** `light`, `dark`, or `auto`, which is meant without it: as `color-scheme` says for this place in the page, else as the system is. */
  get theme(): string | null;
  set theme(value: "auto" | "light" | "dark" | null);
  /** A function that returns a token of the cluster, or a promise of one, for a gateway in mode `bearer`. It is asked at the start, a minute before the token ends (a short one: after two thirds of its time), and when the gateway refused it. A new token goes over the open socket: no row is missed. If it throws, or has no answer within 10 s, that is said and it is asked again, after 1 s at first and 30 s at most. All elements of a gateway share one token; what the gateway says of another user's token is shown. */
  tokenProvider: TokenProvider | undefined;
  /** Tries to reach the gateway or the cluster at once. */
  refresh(): void;
  addEventListener<Name extends keyof EventsOf<DogwatchTallyEventMap>>(
    type: Name,
    listener: (this: DogwatchTally, event: EventsOf<DogwatchTallyEventMap>[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<Name extends keyof EventsOf<DogwatchTallyEventMap>>(
    type: Name,
    listener: (this: DogwatchTally, event: EventsOf<DogwatchTallyEventMap>[Name]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

/** The events of `<dogwatch-connection>`. */
export interface DogwatchConnectionEventMap {
  /** `state` (`connecting`, `open`, `waiting`, `resting`, `refused`, `other-version`), `reason`, `message`, `user`. */
  state: CustomEvent<ConnectionDetail>;
  /** `reason` (Kubernetes' reasons; `Program`: it can't be had; `ContentSecurityPolicy`: the page's policy blocks it; `TokenProvider`; `Version`), `message`. It doesn't bubble, as the `error` of an `<img>` doesn't. */
  error: CustomEvent<Problem>;
  /** `reason`, `message`, `wants` (`token`, or `login` at the gateway). */
  "auth-required": CustomEvent<AuthDetail>;
}

/** What may be set of `<dogwatch-connection>`. */
export interface DogwatchConnectionProperties {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  gateway?: string | null;
  /** A function that returns a token of the cluster, or a promise of one, for a gateway in mode `bearer`. It is asked at the start, a minute before the token ends (a short one: after two thirds of its time), and when the gateway refused it. A new token goes over the open socket: no row is missed. If it throws, or has no answer within 10 s, that is said and it is asked again, after 1 s at first and 30 s at most. All elements of a gateway share one token; what the gateway says of another user's token is shown. */
  tokenProvider?: TokenProvider | undefined | null;
}

/** What may be written of `<dogwatch-connection>` in HTML. */
export interface DogwatchConnectionAttributes {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  gateway?: string;
}

/** `<dogwatch-connection>`: How the connection to the gateway stands, in a word. */
export declare class DogwatchConnection extends HTMLElement {
  /** The gateway's address, with its base path. Without it: where `element.js` came from; the npm package has no address of its own, so name it there. */
  get gateway(): string | null;
  set gateway(value: string | null);
  /** A function that returns a token of the cluster, or a promise of one, for a gateway in mode `bearer`. It is asked at the start, a minute before the token ends (a short one: after two thirds of its time), and when the gateway refused it. A new token goes over the open socket: no row is missed. If it throws, or has no answer within 10 s, that is said and it is asked again, after 1 s at first and 30 s at most. All elements of a gateway share one token; what the gateway says of another user's token is shown. */
  tokenProvider: TokenProvider | undefined;
  addEventListener<Name extends keyof EventsOf<DogwatchConnectionEventMap>>(
    type: Name,
    listener: (this: DogwatchConnection, event: EventsOf<DogwatchConnectionEventMap>[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<Name extends keyof EventsOf<DogwatchConnectionEventMap>>(
    type: Name,
    listener: (this: DogwatchConnection, event: EventsOf<DogwatchConnectionEventMap>[Name]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

/** What the types of a framework are made of. */
export interface DogwatchElements {
  "dogwatch-table": {
    element: DogwatchTable;
    properties: DogwatchTableProperties;
    attributes: DogwatchTableAttributes;
    events: DogwatchTableEventMap;
  };
  "dogwatch-changes": {
    element: DogwatchChanges;
    properties: DogwatchChangesProperties;
    attributes: DogwatchChangesAttributes;
    events: DogwatchChangesEventMap;
  };
  "dogwatch-object": {
    element: DogwatchObject;
    properties: DogwatchObjectProperties;
    attributes: DogwatchObjectAttributes;
    events: DogwatchObjectEventMap;
  };
  "dogwatch-tally": {
    element: DogwatchTally;
    properties: DogwatchTallyProperties;
    attributes: DogwatchTallyAttributes;
    events: DogwatchTallyEventMap;
  };
  "dogwatch-connection": {
    element: DogwatchConnection;
    properties: DogwatchConnectionProperties;
    attributes: DogwatchConnectionAttributes;
    events: DogwatchConnectionEventMap;
  };
}
// /reference

type Tags = { [Tag in keyof DogwatchElements]: DogwatchElements[Tag]["element"] };

declare global {
  interface HTMLElementTagNameMap extends Tags {}
}
