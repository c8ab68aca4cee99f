import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import createWabt from 'wabt';

/** The module of a file in the text format, as TypeScript: so it is checked, compiled and packed like all other code. */
export async function webAssemblySource(root: string, file: string): Promise<string> {
  const wabt = await createWabt();
  const parsed = wabt.parseWat(basename(file), readFileSync(join(root, file), 'utf8'), { simd: true });
  try {
    const { buffer } = parsed.toBinary({});
    const text = Buffer.from(buffer).toString('base64');
    return `// Generated from ${basename(file)} by "npm run generate". Do not edit.\nexport const program = '${text}';\n`;
  } finally {
    parsed.destroy();
  }
}
