import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SpeechProvider } from '../../src/voice/providers/speech-provider.ts';
import type { TtsOptions } from '../../src/voice/speech-ports.ts';
import { startKeyLogDouble } from '../providers/key-log-double.ts';
import { createAgent } from '../support/client.ts';
import { testSpeech } from '../support/service.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

const asked: (TtsOptions & { readonly text: string })[] = [];
/** Says everything at once, or fails. */
const voices = (name: string, isDown: boolean): SpeechProvider => ({
  name,
  configured: true,
  capabilities: ['tts'],
  languages: ['en', 'ja', 'fr', 'de', 'es', 'it', 'ko'],
  automatic: true,
  voices: async () => [
    { provider: name, voiceId: `${name}-rachel`, name: 'Rachel', languages: ['en'] },
    { provider: name, voiceId: `${name}-yumi`, name: 'Yumi', languages: ['ja'] },
  ],
  tts: () => ({
    name,
    notApplied: () => [],
    open: (options, events) => ({
      say: (text) => {
        asked.push({ ...options, text });
        if (isDown) return events.failed('HTTP 401');
        events.audio(new Int16Array(2400));
        events.done();
      },
      cancel: () => {},
    }),
  }),
});
const missing: SpeechProvider = {
  name: 'deepgram',
  configured: false,
  capabilities: ['stt'],
  languages: ['en'],
  automatic: true,
};

const models: SpeechProvider = {
  name: 'openai',
  configured: false,
  capabilities: ['llm', 'stt', 'tts'],
  languages: [],
  automatic: false,
};

describe('speech providers in the dashboard', withBrowser, () => {
  const dashboard = useDashboard(async () => ({
    speech: testSpeech(missing, models, voices('elevenlabs', false), voices('cartesia', true)),
  }));

  it('shows what is connected, says a sentence, and has the lines for what is missing', async () => {
    const { key } = await dashboard.service.newKey();
    const { page, complaints } = await dashboard.visit('/settings/providers', { key });
    const row = (name: string) => page.locator(`[data-provider=${name}]`);
    await row('elevenlabs').getByText('Connected', { exact: true }).waitFor();
    assert.match(await row('elevenlabs').innerText(), /English, Japanese.*and 2 more/s);
    await row('deepgram').getByText('Not connected').waitFor();
    await page.getByText('export DEEPGRAM_API_KEY=…').waitFor();
    await page.getByRole('button', { name: 'Play the voice ElevenLabs' }).click();
    await page.waitForFunction(() => document.querySelector('[aria-label="Stop"]') === null);
    assert.deepEqual(
      asked.slice(-1).map(({ voiceId, language, text }) => [voiceId, language, text]),
      [['elevenlabs-rachel', 'en', 'Thank you for calling. How can I help you?']],
    );
    const audit = newAudit({ isQuick: true });
    await audit.look(page, 'providers');
    await page.getByRole('button', { name: 'Play the voice Cartesia' }).click();
    await row('cartesia').getByText('could not generate speech').waitFor();
    await audit.look(page, 'a provider that failed');
    audit.assertClean();
    assert.deepEqual(
      complaints.filter((each) => !each.includes('502')),
      [],
    );
  });

  it('lets the form choose a voice of the language, hear it, and enter any other', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, { voiceId: 'mine', language: 'ja', voiceSpeed: 1.5 });
    const { page } = await dashboard.visit(`/agents/${agent.id}/voice`, { key });
    const voice = page.locator('#field-voiceId');
    await page.getByText('2 voices to choose from').waitFor();
    await voice.fill('');
    await page.getByRole('option', { name: /Yumi · elevenlabs/ }).click();
    assert.equal(await voice.inputValue(), 'elevenlabs-yumi');
    assert.equal(await page.getByRole('option', { name: /Rachel/ }).count(), 0);
    await page.getByRole('button', { name: 'Play the voice Yumi' }).click();
    await page.waitForFunction(() => document.querySelector('[aria-label="Stop"]') === null);
    const { voiceId, speed, language, text } = asked.at(-1) ?? {};
    assert.deepEqual([voiceId, speed, language], ['elevenlabs-yumi', 1.5, 'ja']);
    assert.match(text ?? '', /お電話/);
    await voice.fill('another-voice');
    assert.equal(await voice.inputValue(), 'another-voice');
    const audit = newAudit({ isQuick: true });
    await audit.look(page, 'voice', '[data-field=voiceId]');
    audit.assertClean();
  });

  it('lets the form choose a language model and fallback voices, and enter any other', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, { language: 'ja', prompt: 'Hello.' });
    const { page } = await dashboard.visit(`/agents/${agent.id}`, { key });
    const model = page.locator('[id="field-responseEngine.model"]');
    await model.fill('gpt-5.4-m');
    await page.getByRole('option', { name: /openai · not connected gpt-5\.4-mini/ }).click();
    assert.equal(await model.inputValue(), 'gpt-5.4-mini');
    await model.fill('test-e');
    await page.getByRole('option', { name: /test model, no provider needed test-echo/ }).click();
    await model.fill('my-own-model');
    assert.equal(await model.inputValue(), 'my-own-model');
    await page.goto(new URL(`/agents/${agent.id}/voice`, page.url()).href);
    const suggested = page.locator('[id="field-fallbackVoiceIds-suggestions"] option');
    await suggested.first().waitFor({ state: 'attached' });
    const values = await suggested.evaluateAll((options) => options.map((each) => (each as HTMLOptionElement).value));
    assert.deepEqual(values, ['elevenlabs-yumi', 'cartesia-yumi']);
  });

  it('sets an account of the workspace, says whether it works, and removes it', async (context) => {
    const double = await startKeyLogDouble();
    context.after(() => double.close());
    const { key } = await dashboard.service.newKey();
    const { page, complaints } = await dashboard.visit('/settings/providers', { key });
    const row = page.locator('[data-provider=openai]');
    const dialog = page.getByRole('dialog');
    const audit = newAudit({ isQuick: true });
    await page.getByRole('button', { name: 'Set key: OpenAI' }).click();
    await dialog.getByRole('button', { name: 'Save and verify' }).click();
    await dialog.getByText('Enter a key, or the address').waitFor();
    await audit.look(page, 'an account without a key', '[role=dialog]');
    await dialog.getByLabel('API key', { exact: true }).fill('good-hidden-value-wxyz');
    await dialog.getByLabel('Base URL').fill('http://10.0.0.1/v1');
    await dialog.getByLabel('Model names').fill('gpt-5.4-mini = llama3.2');
    await dialog.getByRole('button', { name: 'Save and verify' }).click();
    await dialog.getByText(/must start with https|must not be an address/).waitFor();
    await dialog.getByLabel('Base URL').fill(double.baseUrl('openai'));
    await dialog.getByRole('button', { name: 'Save and verify' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByText('OpenAI accepts the key.').waitFor();
    await row.getByText('Key ends with wxyz').waitFor();
    await page.locator('[data-capability=llm]').getByText('your own account').waitFor();
    assert.ok(!(await page.content()).includes('hidden-value'));
    await audit.look(page, 'an account');

    await page.getByRole('button', { name: 'Change: OpenAI' }).click();
    assert.equal(await dialog.getByLabel('API key', { exact: true }).inputValue(), '');
    await dialog.getByText('ending with wxyz').waitFor();
    await dialog.getByLabel('Base URL').fill('http://127.0.0.1:1024/v1');
    await dialog.getByRole('button', { name: 'Save and verify' }).click();
    await dialog.getByText('Enter the key again').waitFor();
    await dialog.getByLabel('API key', { exact: true }).fill('bad-0000');
    await dialog.getByLabel('Base URL').fill(double.baseUrl('openai'));
    await dialog.getByRole('button', { name: 'Save and verify' }).click();
    await row.getByText('OpenAI does not accept the key.').waitFor();
    await audit.look(page, 'an account that does not work');

    await page.getByRole('button', { name: 'Remove: OpenAI' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await row.getByText('Not connected').waitFor();
    audit.assertClean();
    assert.deepEqual(
      complaints.filter((each) => !each.includes('400')),
      [],
    );
  });

  it('plays nothing for a key that may not', async () => {
    const reader = await dashboard.service.newKey({ scopes: ['calls:read'] });
    const { page } = await dashboard.visit('/settings/providers', { key: reader.key });
    const play = page.getByRole('button', { name: /^Play the voice ElevenLabs .*does not have the scope calls:write/ });
    await play.waitFor();
    assert.equal(await play.getAttribute('aria-disabled'), 'true');
  });
});
