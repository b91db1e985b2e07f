import { mount } from "svelte";
import Portal from "./Portal.svelte";
import "./portal.css";

mount(Portal, { target: document.getElementById("app"), props: window.portal });
