// The smallest app that holds the plugin: Backstage's own catalog, with one entity and no backend.
import { createRoot } from "react-dom/client";
import { InMemoryCatalogClient } from "@backstage/catalog-client/testUtils";
import { ConfigReader } from "@backstage/config";
import { createApp } from "@backstage/frontend-defaults";
import { createFrontendModule } from "@backstage/frontend-plugin-api";
import catalogPlugin from "@backstage/plugin-catalog/alpha";
import { catalogApiRef } from "@backstage/plugin-catalog-react";
import "@backstage/ui/css/styles.css";
import { dogwatchPlugin } from "./plugin.jsx";

const entity = {
  apiVersion: "backstage.io/v1alpha1",
  kind: "Component",
  metadata: {
    namespace: "default",
    name: "shop",
    annotations: { "backstage.io/kubernetes-id": "shop" },
  },
  spec: { type: "service", lifecycle: "production", owner: "shop" },
};

const catalog = createFrontendModule({
  pluginId: "catalog",
  extensions: [
    catalogPlugin.getExtension("api:catalog").override({
      params: (define) =>
        define({
          api: catalogApiRef,
          deps: {},
          factory: () => new InMemoryCatalogClient({ entities: [entity] }),
        }),
    }),
  ],
});

const { origin, pathname } = window.location;
const config = new ConfigReader({
  // Without a sign-in page every user is a guest.
  app: { title: "Portal", baseUrl: origin, extensions: [{ "sign-in-page:app": false }] },
  backend: { baseUrl: origin },
  dogwatch: { ...window.portal, tokenUrl: `${origin}/token` },
});

if (pathname === "/") history.replaceState(null, "", "/catalog/default/component/shop/live");
const app = createApp({
  features: [catalogPlugin, catalog, dogwatchPlugin],
  advanced: { configLoader: async () => ({ config }) },
});
createRoot(document.getElementById("root")).render(app.createRoot());
