// The elements as components of React 18 and older, which give a custom element attributes alone and hear none of its
// events. So a function becomes a property, and `onRowActivate` a listener of `row-activate`. Everything else is an
// attribute, which is there before the element is connected. In React 19 the elements need no component.
import { createElement, forwardRef, useEffect, useImperativeHandle, useLayoutEffect, useRef } from "react";
import * as elements from "./dogwatch.js";

// On a server there is no element.
const useElement = typeof document === "undefined" ? useEffect : useLayoutEffect;

const isHandler = (name) => /^on[A-Z]/.test(name);
const kebab = (name) => name.replace(/\B[A-Z]/g, "-$&").toLowerCase();

function attribute(name, value) {
  if (typeof value !== "boolean") return value;
  if (value) return "";
  return name === "wide" ? "false" : undefined;
}

function component(tag, element) {
  const own = new Set(element.properties);
  const Component = forwardRef((given, outer) => {
    const ref = useRef(null);
    const held = useRef(given);
    useImperativeHandle(outer, () => ref.current);

    useElement(() => {
      held.current = given;
      if (ref.current.tokenProvider !== given.tokenProvider) ref.current.tokenProvider = given.tokenProvider;
    });

    const handlers = Object.keys(given).filter(isHandler).join();
    useElement(() => {
      const { current } = ref;
      const ends = new AbortController();
      for (const name of handlers.split(",").filter(Boolean)) {
        current.addEventListener(kebab(name.slice(2)), (event) => held.current[name]?.(event), { signal: ends.signal });
      }
      return () => ends.abort();
    }, [handlers]);

    const written = Object.entries(given).filter(([name]) => name !== "tokenProvider" && !isHandler(name));
    const attributes = written.map(([name, value]) => {
      if (name === "className") return ["class", value];
      return own.has(name) ? [kebab(name), attribute(name, value)] : [name, value];
    });
    return createElement(tag, { ...Object.fromEntries(attributes), ref });
  });
  Component.displayName = element.name;
  return Component;
}

// reference: each export const CLASS = component("TAG", elements.CLASS);
export const DogwatchTable = component("dogwatch-table", elements.DogwatchTable);
export const DogwatchChanges = component("dogwatch-changes", elements.DogwatchChanges);
export const DogwatchObject = component("dogwatch-object", elements.DogwatchObject);
export const DogwatchTally = component("dogwatch-tally", elements.DogwatchTally);
export const DogwatchConnection = component("dogwatch-connection", elements.DogwatchConnection);
// /reference
