import { Argument, type Command } from 'commander';
import { type CommandContext, print } from '../context.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** `voice-agents completion`: generated from the registered commands, so it is always complete. */
export function addCompletionCommand(program: Command, { stdout }: CommandContext): void {
  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', help)
    .action(async (shell: Shell) => {
      const { scriptFor } = await import('./scripts.ts');
      await print(stdout, scriptFor(shell, program));
    });
}

const help = `
Add the line for your shell to its startup file:

  ~/.bashrc                   source <(voice-agents completion bash)
  ~/.zshrc, after compinit    source <(voice-agents completion zsh)
  ~/.config/fish/config.fish  voice-agents completion fish | source
`;
