import { Portal } from "./portal.jsx";

const { GATEWAY = "http://localhost:8484", NAMESPACES = "shop,payments" } = process.env;

export default function Page() {
  return <Portal gateway={GATEWAY} namespaces={NAMESPACES.split(",")} />;
}
