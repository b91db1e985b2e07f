// The elements in TSX of Vue: what must compile, and what must not. Vue itself takes every name of an element there.
import type {} from "dogwatch/vue";
import type { TokenProvider } from "dogwatch";

export const pods = (tokenProvider: TokenProvider, open: (name: string) => void) => (
  <dogwatch-table
    class="pods"
    resource="pods"
    labelSelector="app=web"
    namespaces={["shop"]}
    tokenProvider={tokenProvider}
    onRowActivate={({ detail }) => open(detail.name)}
  />
);

export const wrong = [
  // @ts-expect-error There is no such theme.
  <dogwatch-table theme="blue" />,
  // @ts-expect-error A row has no `pod`.
  <dogwatch-table onRowActivate={({ detail }) => console.log(detail.pod)} />,
  // @ts-expect-error A table isn't closed.
  <dogwatch-table closable />,
];
