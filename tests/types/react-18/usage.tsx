// The elements in React 18: what must compile, and what must not.
import { DogwatchChanges, DogwatchConnection, DogwatchObject, DogwatchTable } from "dogwatch/react-18";
import { useRef } from "react";
import type { DogwatchTable as Table, TokenProvider } from "dogwatch";

export function Pods({ tokenProvider, open, filter }: {
  tokenProvider: TokenProvider;
  open: (name: string) => void;
  filter: string | undefined;
}) {
  const table = useRef<Table>(null);
  return (
    <main>
      <DogwatchConnection gateway="https://dogwatch.example.com" onState={({ detail }) => console.log(detail.user)} />
      <DogwatchTable
        ref={table}
        className="pods"
        gateway="https://dogwatch.example.com"
        resource="pods"
        namespaces={["shop", "kube-system"]}
        labelSelector="app=web"
        filter={filter}
        wide={false}
        tokenProvider={tokenProvider}
        onRowActivate={({ detail }) => open(detail.name)}
        onError={({ detail }) => console.warn(detail.message)}
        onClick={() => table.current?.refresh()}
      >
        <span slot="toolbar">Pods</span>
      </DogwatchTable>
      <DogwatchChanges resource="pods" density="compact" />
      <DogwatchObject resource="pods" name="web-0" tab="timeline" closable onObjectClose={() => open("")} />
    </main>
  );
}

export const wrong = [
  // @ts-expect-error There is no such theme.
  <DogwatchTable theme="blue" />,
  // @ts-expect-error A component's listeners are in camel case.
  <DogwatchTable onrowactivate={() => {}} />,
  // @ts-expect-error A row has no `pod`.
  <DogwatchTable onRowActivate={({ detail }) => console.log(detail.pod)} />,
  // @ts-expect-error A token isn't a function.
  <DogwatchTable tokenProvider="token" />,
  // @ts-expect-error A table isn't closed.
  <DogwatchTable closable />,
  // @ts-expect-error React 18 has the components alone.
  <dogwatch-table resource="pods" />,
];
