import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { parse } from 'yaml';

const service = process.env.SERVICE_URL ?? 'http://127.0.0.1:8080';

/** The examples are YAML. Read here, so that the page needs no parser. */
const exampleModules: Plugin = {
  name: 'example-modules',
  transform: (code, id) =>
    id.endsWith('.yaml')
      ? { code: `export const content = ${JSON.stringify(parse(code))};`, map: null }
      : id.endsWith('.md')
        ? { code: `export const text = ${JSON.stringify(code)};`, map: null }
        : null,
};

// biome-ignore lint/style/noDefaultExport: Vite reads the default export.
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), exampleModules],
  build: {
    outDir: 'built',
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the page allows no inline script, and a data: address is one more thing to allow.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Every file costs the browser more than its content does: 14 files of the start become one, and 16 of the list
          // of agents become 5. Below 12 chunks, a page would load more that it does not need than it saves.
          groups: [
            { name: 'start', tags: ['$initial'] },
            { name: 'shared', minShareCount: 12, maxModuleSize: 12_000 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': service, '/docs': service, '/openapi.json': service } },
});
