/** The help text below the options of each command: details, and examples to paste. */

export const webhooks = `
All commands operate on the workspace of the API key. With --json, the output is
JSON as the service returns it.

Examples:
  voice-agents webhooks create --url https://shop.example.com/hooks --events call_ended
  voice-agents webhooks deliveries whk_… --status failed
  voice-agents webhooks replay whk_… --since 2026-11-15T00:00:00Z
`;

export const create = `
Examples:
  voice-agents webhooks create --url https://shop.example.com/hooks --events '*'
  voice-agents webhooks create --url https://shop.example.com/hooks \\
    --events call_ended,call_analyzed --include transcript
`;

export const update = `
Examples:
  voice-agents webhooks update whk_… --status paused
  voice-agents webhooks update whk_… --events call_ended --agents agt_…
`;

export const test = `
Prints what the receiver answered. The exit code is 1 if it did not answer with
2xx.

Examples:
  voice-agents webhooks test whk_…
  voice-agents webhooks test whk_… --type call_ended
`;

export const replay = `
Examples:
  voice-agents webhooks replay whk_… --since 2026-11-15T00:00:00Z
  voice-agents webhooks replay whk_… --since 2026-11-15T00:00:00Z --statuses all --types call_ended
`;

export const tail = `
Stops with Ctrl-C, and then prints the cursor to continue with.

Examples:
  voice-agents events tail
  voice-agents events tail --type call_ended --json | jq .body.data.call.id
`;

export const listen = `
For development: the service needs no address that it can reach. Each event is
sent once, with the headers of a webhook. The secret is VOICE_AGENTS_WEBHOOK_SECRET
if that is set, and a new one otherwise, which is printed.

Example:
  voice-agents listen --forward http://127.0.0.1:3000/hook
`;
