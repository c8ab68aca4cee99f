/**
 * The local carrier as a process of its own, for campaigns:
 *   node src/voice/carriers/local/main.ts [--port 0] [--log calls.jsonl] [--max-calls 1000] [--phones phones.json]
 *     [--anywhere] --account AC…:authToken [--account …] [--number +44… …]
 * It prints its address as JSON. Every +9991 and seven digits belongs to the first account, like each `--number`.
 * `--phones`: more phones by their last two digits. `--anywhere`: there is a phone behind every number of the world, by
 * its last two digits, or else one that is busy.
 */
import { createWriteStream, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Phone, standardPhones } from './phones.ts';
import { startLocalCarrier } from './server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    account: { type: 'string', multiple: true, default: [] },
    log: { type: 'string' },
    language: { type: 'string', default: 'en' },
    'max-calls': { type: 'string', default: '1000' },
    phones: { type: 'string' },
    anywhere: { type: 'boolean', default: false },
    number: { type: 'string', multiple: true, default: [] },
  },
});
if (values.account.length === 0) throw new Error('--account is missing.');
const log = values.log === undefined ? null : createWriteStream(values.log, { flags: 'a' });
const more = values.phones === undefined ? {} : JSON.parse(readFileSync(values.phones, 'utf8'));
const phones: Readonly<Record<string, Phone>> = { ...standardPhones, ...more };
const local = await startLocalCarrier({
  port: Number(values.port),
  // biome-ignore lint/style/noRestrictedGlobals: a process of its own has the real time.
  now: () => Date.now(),
  language: values.language,
  maxCalls: Number(values['max-calls']),
  phones,
  ...(values.anywhere ? { phoneOf: (number) => phones[number.slice(-2)] ?? { outcome: 'busy' } } : {}),
  ...(log === null ? {} : { log: (call) => void log.write(`${JSON.stringify(call)}\n`) }),
});
for (const [index, account] of values.account.entries()) {
  const [accountSid = '', authToken = ''] = account.split(':');
  local.addAccount({ accountSid, authToken, numbersOnDemand: index === 0 });
  if (index === 0) for (const number of values.number) local.addNumber(accountSid, number);
}
process.stdout.write(`${JSON.stringify({ address: local.address })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void local.close().then(() => log?.end());
  });
}
