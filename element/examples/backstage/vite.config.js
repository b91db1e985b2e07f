import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  // Backstage's packages ask for names that its own bundler gives them.
  define: { "process.env": {}, global: "globalThis" },
  build: { chunkSizeWarningLimit: Infinity },
});
