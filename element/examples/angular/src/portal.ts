import { Component, CUSTOM_ELEMENTS_SCHEMA, signal } from "@angular/core";
import type { RowDetail, StateDetail } from "dogwatch";
import "dogwatch";
import { tokenProvider } from "./token";

declare global {
  interface Window {
    portal: { gateway: string; namespaces: string[] };
  }
}

@Component({
  selector: "app-portal",
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  templateUrl: "./portal.html",
})
export class Portal {
  readonly gateway = window.portal.gateway;
  readonly namespaces = window.portal.namespaces;
  readonly tokenProvider = tokenProvider;

  readonly namespace = signal("*");
  readonly isThere = signal(true);
  readonly state = signal<string | undefined>(undefined);
  readonly row = signal<RowDetail | undefined>(undefined);

  toggle() {
    this.isThere.update((isThere) => !isThere);
    this.state.set(undefined);
  }

  // A template knows an element's events as `Event` alone.
  onState(event: Event) {
    this.state.set((event as CustomEvent<StateDetail>).detail.state);
  }

  onRow(event: Event) {
    this.row.set((event as CustomEvent<RowDetail>).detail);
  }
}
