/**
 * The local carrier as a process of its own, for campaigns:
 *   node src/voice/carriers/local/main.ts [--port 0] [--log calls.jsonl] --account AC…:authToken [--account …]
 * It prints its address as JSON. Every +9991 and seven digits belongs to the first account.
 */
import { createWriteStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { startLocalCarrier } from './server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    account: { type: 'string', multiple: true, default: [] },
    log: { type: 'string' },
    language: { type: 'string', default: 'en' },
  },
});
if (values.account.length === 0) throw new Error('--account is missing.');
const log = values.log === undefined ? null : createWriteStream(values.log, { flags: 'a' });
const local = await startLocalCarrier({
  port: Number(values.port),
  // biome-ignore lint/style/noRestrictedGlobals: a process of its own has the real time.
  now: () => Date.now(),
  language: values.language,
  ...(log === null ? {} : { log: (call) => void log.write(`${JSON.stringify(call)}\n`) }),
});
for (const [index, account] of values.account.entries()) {
  const [accountSid = '', authToken = ''] = account.split(':');
  local.addAccount({ accountSid, authToken, numbersOnDemand: index === 0 });
}
process.stdout.write(`${JSON.stringify({ address: local.address })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void local.close().then(() => log?.end());
  });
}
