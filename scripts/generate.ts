/** `npm run generate`: writes the files that follow from the contract; with `--check`, says whether they are current. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOpenApi } from '../src/contract/openapi.ts';

const file = join(import.meta.dirname, '..', 'openapi.json');
const wanted = `${JSON.stringify(buildOpenApi(), null, 2)}\n`;
if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== wanted) {
    process.stderr.write('openapi.json is not current: run "npm run generate" and commit it.\n');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, wanted);
}
