import { Argument, type Command } from 'commander';
import { print } from '../context.ts';
import type { Declaration } from '../declaration.ts';

/** Generated from the registered commands, so it is always complete. */
export const completionCommand: Declaration = {
  name: 'completion',
  description: 'print a shell completion script',
  argument: new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']),
  about: `Add the line for your shell to its startup file:

  ~/.bashrc                   source <(voice-agents completion bash)
  ~/.zshrc, after compinit    source <(voice-agents completion zsh)
  ~/.config/fish/config.fish  voice-agents completion fish | source`,
  run: async ({ stdout }, shell: 'bash' | 'zsh' | 'fish', _: object, { parent }: Command) => {
    const { scriptFor } = await import('./scripts.ts');
    await print(stdout, scriptFor(shell, parent as Command));
  },
};
