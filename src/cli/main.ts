import { packageVersion } from '../core/package-version.ts';

const { argv, env: environment, stdin, stdout, stderr } = process;
const version = packageVersion();
const setExitCode = (code: number): void => {
  process.exitCode = code;
};

const args = argv.slice(2);
// The service takes 3 MB less without the other commands.
const { runCommandLine } = args.join(' ') === 'serve' ? await import('./serve.ts') : await import('./program.ts');
await runCommandLine(args, { environment, version, stdin, stdout, stderr, setExitCode });
