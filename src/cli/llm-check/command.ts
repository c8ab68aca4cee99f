import { type Declaration, lazily } from '../declaration.ts';

/** Needs no service. */
export const llmCheckCommand: Declaration = {
  name: 'llm-check <url>',
  description: 'run a call against a custom LLM server and report protocol errors',
  options: [
    ['--strict', 'require the strict protocol'],
    ['--json', 'print the report as JSON'],
  ],
  about: `Connects to the server like the service, with the id of a call that does not
exist, and simulates a call: greeting, question, interruption, reminder, pings, a
lost connection. See docs/custom-llm.md for the protocol.

Exit codes: 0 if the server conforms, 1 if it does not, 2 for an invalid address.`,
  examples: ['wss://llm.example.com/agent', 'ws://127.0.0.1:9000/llm --strict --json'],
  run: lazily(() => import('./run.ts'), 'checkLlm'),
};
