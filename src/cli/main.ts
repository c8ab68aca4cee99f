import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { Command } from 'commander';
import { addAsCodeCommands } from './as-code/commands.ts';
import { addBackupCommands } from './backup.ts';
import { describeFailure, exitCodeFor } from './failures.ts';
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
addAsCodeCommands(program, { environment, version, stdin, stdout, stderr });

try {
  await program.parseAsync(process.argv);
} catch (error) {
  process.stderr.write(describeFailure(error));
  process.exitCode = exitCodeFor(error);
}
