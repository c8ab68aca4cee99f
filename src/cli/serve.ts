import type { CommandContext } from './context.ts';
import { expectReadersToGo } from './output.ts';

/** `voice-agents serve` without arguments, like the command in program.ts. */
export async function runCommandLine(_args: readonly string[], context: CommandContext): Promise<void> {
  const { environment, stdout, stderr, setExitCode } = context;
  expectReadersToGo(stdout, stderr);
  try {
    const { serve } = await import('../main.ts');
    await serve(environment);
  } catch (error) {
    const { describeFailure, exitCodeFor } = await import('./failures.ts');
    stderr.write(describeFailure(error));
    setExitCode(exitCodeFor(error));
  }
}
