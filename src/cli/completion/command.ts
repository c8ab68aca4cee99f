import { Argument, type Command } from 'commander';
import { print } from '../output.ts';
import type { Surroundings } from '../surroundings.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** `voice-agents completion`: made from the commands there are, so that it knows all of them. */
export function addCompletionCommand(program: Command, { stdout }: Surroundings): void {
  program
    .command('completion')
    .description('print a script that completes commands in a shell')
    .addArgument(new Argument('<shell>', 'which one').choices(shells))
    .addHelpText('after', help)
    .action(async (shell: Shell) => {
      const { scriptFor } = await import('./scripts.ts');
      await print(stdout, scriptFor(shell, program));
    });
}

const help = `
Put the line for your shell where it begins:

  ~/.bashrc                   source <(voice-agents completion bash)
  ~/.zshrc, after compinit    source <(voice-agents completion zsh)
  ~/.config/fish/config.fish  voice-agents completion fish | source
`;
