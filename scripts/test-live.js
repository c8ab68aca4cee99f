/**
 * `npm run test:live -- deepgram`: runs the suite of a provider against its vendor, with the operator's own key. Never in
 * CI: it costs money, and the vendor may be down. `twilio` checks what its documentation leaves open (docs/phone.md).
 */
import { ensureInstalled, root, runProcess, suitableNode } from './install.js';

const keys = {
  deepgram: 'DEEPGRAM_API_KEY',
  elevenlabs: 'ELEVENLABS_API_KEY',
  cartesia: 'CARTESIA_API_KEY',
  openai: 'OPENAI_API_KEY',
  twilio: 'TWILIO_AUTH_TOKEN',
};

const [name = ''] = process.argv.slice(2);
const key = Object.hasOwn(keys, name) ? keys[name] : undefined;

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (process.env.CI) refuse('This test uses an account that costs money: it does not run in CI.');
if (key === undefined) refuse(`Name a provider: npm run test:live -- <${Object.keys(keys).join(' | ')}>`);
if (name === 'twilio' && !(process.env.TWILIO_ACCOUNT_SID && process.env.TWILIO_AUTH_TOKEN)) {
  process.stdout.write(
    'Skipped, nothing was checked: set TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN to those of your own account. docs/phone.md has the other variables.\n',
  );
  process.exit(0);
}
if (!process.env[key] && !process.env[key.replace('_API_KEY', '_BASE_URL')]) {
  refuse(`Set ${key} to a key of your own account. The test costs less than a cent.`);
}
ensureInstalled('develop');
process.chdir(root);
const args = ['--test', '--test-timeout=120000', name === 'twilio' ? 'test/live/twilio.ts' : 'test/providers/live.ts'];
process.exitCode = await runProcess(suitableNode(), args, { ...process.env, LIVE_PROVIDER: name });
