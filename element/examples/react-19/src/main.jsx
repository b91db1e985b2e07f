import { createRoot } from "react-dom/client";
import { Portal } from "./Portal.jsx";
import "./portal.css";

createRoot(document.getElementById("app")).render(<Portal {...window.portal} />);
