const { GATEWAY = "http://localhost:8484", NAMESPACES = "shop,payments" } = process.env;

export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  app: { head: { title: "Portal", htmlAttrs: { lang: "en" }, script: [{ src: "/config.js" }] } },
  css: ["~/portal.css"],
  vue: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("dogwatch-") } },
  // Its store of payloads refuses the key of the first page.
  experimental: { payloadExtraction: false },
  runtimeConfig: { public: { gateway: GATEWAY, namespaces: NAMESPACES.split(",") } },
});
