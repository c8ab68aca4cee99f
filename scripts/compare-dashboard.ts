/** Builds the dashboard again and compares it with the committed build byte for byte. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

const dashboard = join(import.meta.dirname, '..', 'dashboard');
const folder = mkdtempSync(join(tmpdir(), 'voice-agents-dashboard-'));
try {
  await build({ root: dashboard, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
  const [checkedIn, built] = [contentOf(join(dashboard, 'built')), contentOf(folder)];
  const names = new Set([...checkedIn.keys(), ...built.keys()]);
  const differing = [...names].filter(
    (name) => !(checkedIn.get(name)?.equals(built.get(name) ?? Buffer.of()) ?? false),
  );
  if (differing.length > 0) {
    process.stderr.write('dashboard/built is out of date: run "npm run build:dashboard".\n');
    for (const name of differing.sort()) process.stderr.write(`  ${name}\n`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function contentOf(path: string): Map<string, Buffer> {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [file.slice(path.length), readFileSync(file)];
    }),
  );
}
