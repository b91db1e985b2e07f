// The elements in Preact: what must compile, and what must not.
import "dogwatch";
import type {} from "dogwatch/preact";
import { useRef } from "preact/hooks";
import type { DogwatchTable, TokenProvider } from "dogwatch";

export function Pods({ tokenProvider, open }: { tokenProvider: TokenProvider; open: (name: string) => void }) {
  const table = useRef<DogwatchTable>(null);
  return (
    <main>
      <dogwatch-connection gateway="https://dogwatch.example.com" onstate={({ detail }) => console.log(detail.user)} />
      <dogwatch-table
        ref={table}
        key="pods"
        class="pods"
        gateway="https://dogwatch.example.com"
        resource="pods"
        namespaces={["shop", "kube-system"]}
        labelSelector="app=web"
        wide={false}
        tokenProvider={tokenProvider}
        onrow-activate={({ detail }) => open(detail.name)}
        onerror={({ detail }) => console.warn(detail.message)}
        onClick={() => table.current?.pause()}
      >
        <span slot="toolbar">Pods</span>
      </dogwatch-table>
      <dogwatch-changes resource="pods" label-selector="app=web" density="compact" />
      <dogwatch-object resource="pods" name="web-0" tab="timeline" closable onobject-close={() => open("")} />
    </main>
  );
}

export const wrong = [
  // @ts-expect-error There is no such theme.
  <dogwatch-table theme="blue" />,
  // @ts-expect-error Preact makes an empty text of it.
  <dogwatch-table filter={null} />,
  // @ts-expect-error Preact listens to the event's own name.
  <dogwatch-table onRowActivate={() => {}} />,
  // @ts-expect-error A row has no `pod`.
  <dogwatch-table onrow-activate={({ detail }) => console.log(detail.pod)} />,
  // @ts-expect-error A token isn't a function.
  <dogwatch-table tokenProvider="token" />,
  // @ts-expect-error A table isn't closed.
  <dogwatch-table closable />,
  // @ts-expect-error There is no such element.
  <dogwatch-pods />,
];
