import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  // The package beside this folder has no React of its own.
  resolve: { dedupe: ["react"] },
  // Backstage's packages ask for names that its own bundler gives them.
  define: { "process.env": {}, global: "globalThis" },
  build: { chunkSizeWarningLimit: Infinity },
});
