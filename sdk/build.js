/**
 * Builds `dist`, for `npm install <path of this folder>`. Without the compiler, which is among the development
 * dependencies of the project, it is taken from the package that is in the repository.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const compiler = join(folder, '..', 'node_modules', '.bin', 'tsc');
rmSync(join(folder, 'dist'), { recursive: true, force: true });
const [program, args] = existsSync(compiler)
  ? [compiler, ['-p', folder]]
  : ['tar', ['-xzf', join('built', 'voice-agent-sdk.tgz'), '--strip-components=1', 'package/dist']];
const { status, error } = spawnSync(program, args, { cwd: folder, stdio: 'inherit' });
if (error) throw error;
process.exit(status ?? 1);
