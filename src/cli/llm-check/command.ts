import type { Command } from 'commander';
import { type CommandContext, lazily } from '../context.ts';

/** `voice-agents llm-check`: needs no service. */
export function addLlmCheckCommand(program: Command, context: CommandContext): void {
  program
    .command('llm-check <url>')
    .description('run a call against a custom LLM server and report protocol errors')
    .option('--strict', 'require the strict protocol')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', help)
    .action(lazily(context, () => import('./run.ts'), 'checkLlm'));
}

const help = `
Connects to the server like the service, with the id of a call that does not
exist, and simulates a call: greeting, question, interruption, reminder, pings, a
lost connection. See docs/custom-llm.md for the protocol.

Exit codes: 0 if the server conforms, 1 if it does not, 2 for an invalid address.

Examples:
  voice-agents llm-check wss://llm.example.com/agent
  voice-agents llm-check ws://127.0.0.1:9000/llm --strict --json
`;
