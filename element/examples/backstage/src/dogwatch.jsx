import { createElement, useLayoutEffect, useRef } from "react";
import "dogwatch";

// React 18 gives a custom element attributes alone, and hears none of its events. So `onRowActivate` becomes a listener
// of `row-activate`, and a function a property. Texts are attributes, which are there before the element is connected.
function wrap(tag) {
  return function Wrapped(given) {
    const ref = useRef(null);
    const held = useRef(given);
    const names = Object.keys(given);

    useLayoutEffect(() => {
      held.current = given;
      for (const name of names.filter(isProperty(given))) {
        if (ref.current[name] !== given[name]) ref.current[name] = given[name];
      }
    });

    const handlers = names.filter(isHandler).join();
    useLayoutEffect(() => {
      const ends = new AbortController();
      for (const name of handlers.split(",").filter(Boolean)) {
        ref.current.addEventListener(kebab(name.slice(2)), (event) => held.current[name](event), { signal: ends.signal });
      }
      return () => ends.abort();
    }, [handlers]);

    const texts = names.filter((name) => typeof given[name] === "string");
    return createElement(tag, { ref, ...Object.fromEntries(texts.map((name) => [kebab(name), given[name]])) });
  };
}

const isHandler = (name) => /^on[A-Z]/.test(name);
const isProperty = (given) => (name) => !isHandler(name) && typeof given[name] === "function";
const kebab = (name) => name.replace(/\B[A-Z]/g, "-$&").toLowerCase();

export const DogwatchTable = wrap("dogwatch-table");
export const DogwatchObject = wrap("dogwatch-object");
