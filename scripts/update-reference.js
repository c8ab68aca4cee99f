/**
 * `npm run update:reference -- 1.72.1`: extracts the browser build from Scalar's package and stores it, compressed, in
 * reference/. The package itself has 180 dependencies that are not needed.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { root } from './install.js';

const version = process.argv[2];
if (version === undefined) {
  process.stderr.write('Usage: npm run update:reference -- <version of @scalar/api-reference>\n');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'voice-agents-reference-'));
try {
  const packed = execFileSync('npm', ['pack', `@scalar/api-reference@${version}`, '--silent'], { cwd: folder });
  execFileSync('tar', ['-xzf', packed.toString().trim()], { cwd: folder });
  const built = readFileSync(join(folder, 'package', 'dist', 'browser', 'standalone.js'));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const compressed = brotliCompressSync(built, { params });
  writeFileSync(join(root, 'reference', 'scalar.js.br'), compressed);
  writeFileSync(join(root, 'reference', 'VERSION'), `@scalar/api-reference ${version}\n`);
  process.stdout.write(`${built.length} bytes, ${compressed.length} compressed\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
