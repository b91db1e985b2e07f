import { createFrontendPlugin } from "@backstage/frontend-plugin-api";
import { EntityContentBlueprint } from "@backstage/plugin-catalog-react/alpha";
import { isInCluster } from "./selection.js";

/** A tab of each entity whose annotations say where it is in a cluster. */
export const dogwatchPlugin = createFrontendPlugin({
  pluginId: "dogwatch",
  extensions: [
    EntityContentBlueprint.make({
      params: {
        path: "/live",
        title: "Live",
        filter: isInCluster,
        loader: () => import("./Content.jsx").then(({ Content }) => <Content />),
      },
    }),
  ],
});
