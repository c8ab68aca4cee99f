import { type CommandContext, expectReadersToGo } from './context.ts';

/** `voice-agents serve` without arguments, like the command in program.ts. */
export async function runCommandLine(_args: readonly string[], context: CommandContext): Promise<void> {
  expectReadersToGo(context.stdout, context.stderr);
  try {
    const { serve } = await import('../main.ts');
    await serve(context.environment);
  } catch (error) {
    const { reportFailure } = await import('./failures.ts');
    reportFailure(error, context);
  }
}
