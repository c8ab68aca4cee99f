import { join } from 'node:path';
import { build } from 'vite';

const folder = join(import.meta.dirname, '..', '..', '..', 'sdk', 'src', 'web');

/** A part of the SDK as a page loads it: one minified file. */
export async function bundle(entry: 'index' | 'element' | 'worklet' | 'both'): Promise<string> {
  const virtual = '\0both';
  const output = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'both',
        resolveId: (id) => (id === 'both' ? virtual : undefined),
        load: (id) =>
          id === virtual ? `export * from '${folder}/index.ts'; export * from '${folder}/element.ts';` : undefined,
      },
    ],
    build: {
      write: false,
      target: 'es2022',
      // Not the library mode, which leaves the white space to the bundler of the page.
      rolldownOptions: {
        input: entry === 'both' ? 'both' : join(folder, `${entry}.ts`),
        preserveEntrySignatures: 'strict',
        output: { format: 'es' },
      },
      modulePreload: { polyfill: false },
    },
  });
  const [first] = Array.isArray(output) ? output : [output];
  if (first === undefined || !('output' in first)) throw new Error('there is no bundle');
  return first.output[0].code;
}
