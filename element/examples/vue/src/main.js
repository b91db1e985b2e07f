import { createApp } from "vue";
import Portal from "./Portal.vue";
import "./portal.css";

createApp(Portal, window.portal).mount("#app");
