import { connectionOptions, type Declaration, jsonOption, lazily } from '../declaration.ts';
import { exitCodeHelp } from '../failures.ts';

/** `voice-agents agents …`, besides what resources/ declares. */
export const agentCommands: readonly Declaration[] = [
  {
    name: 'agents',
    description: 'list, create, update, check, publish and delete agents',
    about: `All commands operate on the workspace of the API key. With --json, the output is
JSON Lines: one agent per line, exactly as the service returns it.

Examples:
  voice-agents agents list --search recept
  voice-agents agents create --name Reception --voice-id ja-JP-Nanami
  voice-agents agents list --all --json | jq -r .name
${exitCodeHelp}`,
  },
  {
    name: 'agents check <id-or-file>',
    description: 'check whether an agent, or an agent file, can be published',
    options: [
      ['--version <version>', 'a number, "latest" or "published" (default: "latest")'],
      jsonOption,
      ...connectionOptions,
    ],
    about: `Lists everything that publishing would reject, and warns about probable mistakes.
The exit code is 1 if the agent cannot be published.

A file is an agent as written by "voice-agents pull", with the extension .yaml,
.yml or .json. It is checked without a service, as a service with default
settings on this machine would check it.`,
    examples: ['agt_… --version published --json | jq .errors', 'agents/Reception.yaml'],
    run: lazily(() => import('./check.ts'), 'checkAgent'),
  },
];
