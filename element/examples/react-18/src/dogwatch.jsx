import { createElement, useLayoutEffect, useRef } from "react";
import "dogwatch";

// React 18 gives a custom element texts alone, and hears none of its events. So `onRowActivate` becomes a listener of
// `row-activate`, and everything else a property.
function wrap(tag) {
  return function Wrapped({ className, ...given }) {
    const ref = useRef(null);
    const held = useRef(given);

    useLayoutEffect(() => {
      held.current = given;
      for (const [name, value] of Object.entries(given)) {
        if (!isHandler(name) && ref.current[name] !== value) ref.current[name] = value;
      }
    });

    const handlers = Object.keys(given).filter(isHandler).sort().join();
    useLayoutEffect(() => {
      const element = ref.current;
      const ends = new AbortController();
      for (const name of handlers.split(",").filter(Boolean)) {
        element.addEventListener(eventOf(name), (event) => held.current[name]?.(event), { signal: ends.signal });
      }
      return () => ends.abort();
    }, [handlers]);

    return createElement(tag, { ref, class: className });
  };
}

const isHandler = (name) => /^on[A-Z]/.test(name);
const eventOf = (name) => name.slice(2).replace(/\B[A-Z]/g, "-$&").toLowerCase();

export const DogwatchTable = wrap("dogwatch-table");
export const DogwatchObject = wrap("dogwatch-object");
