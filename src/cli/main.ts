import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

// The compiled file is one directory deeper than the source.
const packageFile = findPackageJSON(import.meta.url) as string;
const { version } = JSON.parse(readFileSync(packageFile, 'utf8'));
const { argv, env: environment, stdin, stdout, stderr } = process;
const setExitCode = (code: number): void => {
  process.exitCode = code;
};

const args = argv.slice(2);
// The service takes 3 MB less without the other commands.
const { runCommandLine } = args.join(' ') === 'serve' ? await import('./serve.ts') : await import('./program.ts');
await runCommandLine(args, { environment, version, stdin, stdout, stderr, setExitCode });
