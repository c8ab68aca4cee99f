import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { runCommandLine } from './command-line.ts';

// The compiled file is one directory deeper than the source.
const packageFile = findPackageJSON(import.meta.url) as string;
const { version } = JSON.parse(readFileSync(packageFile, 'utf8'));
const { argv, env: environment, stdin, stdout, stderr } = process;
const setExitCode = (code: number): void => {
  process.exitCode = code;
};

await runCommandLine(argv.slice(2), { environment, version, stdin, stdout, stderr, setExitCode });
