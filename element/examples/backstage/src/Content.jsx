import { useCallback, useState } from "react";
import { configApiRef, fetchApiRef, useApi } from "@backstage/frontend-plugin-api";
import { useEntity } from "@backstage/plugin-catalog-react";
import { DogwatchObject, DogwatchTable } from "dogwatch/react-18";
import { selectionOf } from "./selection.js";
import "./views.css";

export function Content() {
  const { entity } = useEntity();
  const config = useApi(configApiRef);
  const { fetch } = useApi(fetchApiRef);
  const { labelSelector, namespaces } = selectionOf(entity);
  const [namespace, setNamespace] = useState(namespaces);
  const [isThere, setIsThere] = useState(true);
  const [state, setState] = useState();
  const [row, setRow] = useState();

  const gateway = config.getString("dogwatch.gateway");
  const choices = config.getStringArray("dogwatch.namespaces");
  // Backstage's own `fetch` tells its backend who asks.
  const url = config.getString("dogwatch.tokenUrl");
  const tokenProvider = useCallback(async () => {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`the token can't be had: ${answer.status}`);
    return answer.text();
  }, [fetch, url]);

  function toggle() {
    setIsThere(!isThere);
    setState(undefined);
  }

  return (
    <>
      <label>
        Namespace{" "}
        <select data-namespaces value={namespace} onChange={({ target }) => setNamespace(target.value)}>
          <option value={namespaces}>{namespaces === "*" ? "all" : namespaces}</option>
          {choices.map((name) => (
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
      <div className="views">
        {isThere && (
          <DogwatchTable
            gateway={gateway}
            resource="pods"
            namespaces={namespace}
            labelSelector={labelSelector}
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
            closable=""
            onRowActivate={({ detail }) => setRow(detail)}
            onObjectClose={() => setRow(undefined)}
          />
        )}
      </div>
    </>
  );
}
