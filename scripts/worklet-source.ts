import { join } from 'node:path';
import { build } from 'vite';

/** The worklet of the SDK as minified JavaScript inside a module: most pages load it from memory. */
export async function workletSource(root: string): Promise<string> {
  const output = await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: join(root, 'sdk/src/web/worklet.ts'), formats: ['iife'], name: 'voiceAgentWorklet' },
    },
  });
  const [bundle] = Array.isArray(output) ? output : [output];
  const code = bundle !== undefined && 'output' in bundle ? bundle.output[0].code : '';
  return `/** Generated from worklet.ts: run \`npm run generate\`. */\nexport const workletSource = ${JSON.stringify(code)};\n`;
}
