import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { AppError } from '../errors.ts';
import { SchemaTooNewError } from '../storage/migrate.ts';
import { addBackupCommands } from './backup.ts';
import { CommandError } from './command-error.ts';
import { addKeyCommands } from './keys.ts';

// Compiled, this file lies one folder deeper than in the source.
const packageFile = findPackageJSON(import.meta.url) as string;
const { version } = JSON.parse(readFileSync(packageFile, 'utf8'));

const program = new Command('voice-agents')
  .description('Run the Voice Agent Service, look after its API keys and back up its data.')
  .version(version)
  .showHelpAfterError('(--help shows what there is)')
  // A fault names what it does not understand, which may be a key that was put in the wrong place.
  .configureOutput({ outputError: (text, write) => write(text.replaceAll(/vak_\w+/g, 'vak_…')) })
  .exitOverride();

program
  .command('serve')
  .description('start the service; it is set up by environment variables (see the README)')
  .action(async () => {
    // Loaded here, so that the other commands do not wait for the server's parts.
    const { serve } = await import('../main.ts');
    await serve(process.env);
  });
addKeyCommands(program, process.env, (text) => process.stdout.write(text));
const { env: environment, stdin, stdout, stderr } = process;
addBackupCommands(program, { environment, version, stdin, stdout, stderr });

try {
  await program.parseAsync(process.argv);
} catch (error) {
  process.exitCode = exitCodeFor(error);
}

/** 0 well, 1 failed, 2 wrongly called. What a person can mend is told in a sentence; only the rest needs a stack. */
function exitCodeFor(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CommandError || error instanceof ConfigError || error instanceof SchemaTooNewError) {
    process.stderr.write(`voice-agents: ${error.message}\n`);
  } else if (error instanceof AppError && error.cause instanceof Error) {
    process.stderr.write(`voice-agents: ${error.message} (${error.cause.message})\n`);
  } else if (isPlainFault(error)) {
    process.stderr.write(`voice-agents: ${error.message}\n`);
  } else {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  }
  return error instanceof ConfigError ? 2 : 1;
}

/** Faults of the surroundings that carry their own explanation: a taken port, a refused password, a missing folder, a full disk. */
function isPlainFault(error: unknown): error is Error {
  const code = (error as { code?: unknown } | null)?.code;
  return error instanceof Error && typeof code === 'string' && /^(E[A-Z]+|28...|3D000|42501|55P03)$/.test(code);
}
