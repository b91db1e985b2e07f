// The elements in Solid: what must compile, and what must not.
import "dogwatch";
import type {} from "dogwatch/solid";
import type { DogwatchTable, TokenProvider } from "dogwatch";

export function Pods(given: { tokenProvider: TokenProvider; open: (name: string) => void; filter: string | undefined }) {
  let table: DogwatchTable | undefined;
  return (
    <main>
      <dogwatch-connection gateway="https://dogwatch.example.com" on:state={({ detail }) => console.log(detail.user)} />
      <dogwatch-table
        ref={(element) => (table = element)}
        class="pods"
        gateway="https://dogwatch.example.com"
        resource="pods"
        attr:label-selector="app=web"
        prop:namespaces={["shop", "kube-system"]}
        prop:filter={given.filter}
        prop:wide={false}
        prop:tokenProvider={given.tokenProvider}
        on:row-activate={({ detail }) => given.open(detail.name)}
        on:error={{ handleEvent: ({ detail }) => console.warn(detail.message), once: true }}
        on:click={() => table?.pause()}
      >
        <span slot="toolbar">Pods</span>
      </dogwatch-table>
      <dogwatch-changes resource="pods" label-selector="app=web" density="compact" />
      <dogwatch-object resource="pods" name="web-0" tab="timeline" bool:closable={true} on:object-close={() => given.open("")} />
    </main>
  );
}

export const wrong = () => [
  // @ts-expect-error There is no such theme.
  <dogwatch-table theme="blue" />,
  // @ts-expect-error An attribute holds text.
  <dogwatch-table attr:namespaces={["shop"]} />,
  // @ts-expect-error Solid writes a name without `prop:` in lower case.
  <dogwatch-table labelSelector="app=web" />,
  // @ts-expect-error There is no such property.
  <dogwatch-table prop:labelselector="app=web" />,
  // @ts-expect-error Without `on:` Solid listens to `rowactivate`.
  <dogwatch-table onRowActivate={() => {}} />,
  // @ts-expect-error A row has no `pod`.
  <dogwatch-table on:row-activate={({ detail }) => console.log(detail.pod)} />,
  // @ts-expect-error A token isn't a function.
  <dogwatch-table prop:tokenProvider="token" />,
  // @ts-expect-error A table isn't closed.
  <dogwatch-table bool:closable={true} />,
  // @ts-expect-error Without the attribute the columns are as there is room: that isn't `false`.
  <dogwatch-table bool:wide={false} />,
];
