import type { CommandContext } from './context.ts';
import { expectReadersToGo } from './output.ts';

/** Runs one command, given the arguments after its name. */
export async function runCommandLine(args: readonly string[], context: CommandContext): Promise<void> {
  const { environment, stdout, stderr, setExitCode } = context;
  expectReadersToGo(stdout, stderr);
  try {
    if (args.join(' ') === 'serve') {
      // The service takes 3 MB less without the other commands.
      const { serve } = await import('../main.ts');
      await serve(environment);
    } else {
      const { createProgram } = await import('./program.ts');
      await createProgram(context).parseAsync(args, { from: 'user' });
    }
  } catch (error) {
    const { describeFailure, exitCodeFor } = await import('./failures.ts');
    stderr.write(describeFailure(error));
    setExitCode(exitCodeFor(error));
  }
}
