import { useState } from "react";
import { DogwatchObject, DogwatchTable } from "./dogwatch.jsx";
import { tokenProvider } from "./token.js";

export function Portal({ gateway, namespaces }) {
  const [namespace, setNamespace] = useState("*");
  const [isThere, setIsThere] = useState(true);
  const [state, setState] = useState();
  const [row, setRow] = useState();

  function toggle() {
    setIsThere(!isThere);
    setState(undefined);
  }

  return (
    <>
      <label>
        Namespace{" "}
        <select data-namespaces value={namespace} onChange={({ target }) => setNamespace(target.value)}>
          <option value="*">all</option>
          {namespaces.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <button type="button" data-toggle onClick={toggle}>
        {isThere ? "Remove" : "Return"}
      </button>
      <p>
        The view is <b data-state>{state ?? "not there"}</b>, and the opened row{" "}
        <b data-activated>{row ? `${row.namespace}/${row.name}` : "none"}</b>.
      </p>
      <main>
        {isThere && (
          <DogwatchTable
            gateway={gateway}
            resource="pods"
            namespaces={namespace}
            tokenProvider={tokenProvider}
            onState={({ detail }) => setState(detail.state)}
            onRowActivate={({ detail }) => setRow(detail)}
          />
        )}
        {row && (
          <DogwatchObject
            gateway={gateway}
            {...row}
            tokenProvider={tokenProvider}
            onRowActivate={({ detail }) => setRow(detail)}
            closable=""
            onObjectClose={() => setRow(undefined)}
          />
        )}
      </main>
    </>
  );
}
