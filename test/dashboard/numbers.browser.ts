import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Scope } from '../../src/contract/scopes.ts';
import { phoneAgent } from '../areas/calls/phone/support.ts';
import { eventually, on } from '../areas/calls/support.ts';
import { phoneClient } from '../areas/phone/resources.ts';
import { createPostgresEngine, createSqliteEngine } from '../support/engines.ts';
import { newAudit } from './support/accessibility.ts';
import { type Dashboard, useDashboard, type VisitOptions, withBrowser } from './support/browser.ts';

const number = '+99910000001';
const shown = '+999 1000 0001';

/** A dashboard whose service records calls. */
function useNumbers(createEngine: typeof createSqliteEngine | typeof createPostgresEngine): Dashboard {
  const mediaFolder = mkdtempSync(join(tmpdir(), 'voice-agents-numbers-'));
  const dashboard = useDashboard(async () => ({ mediaFolder }), { createEngine });
  after(() => rmSync(mediaFolder, { recursive: true, force: true }));
  return dashboard;
}

/** A workspace with a published agent. */
async function newWorkspaceIn(dashboard: Dashboard, scopes?: readonly Scope[]) {
  const { key } = await dashboard.service.newKey();
  const agent = await phoneAgent(dashboard.service, key, 'test-echo', {
    name: 'Reception',
    beginMessage: 'Sakura Salon, good afternoon.',
  });
  const client = phoneClient(dashboard.service, key);
  await client.call(200, 'POST', `/agents/${agent.id}/publish`);
  const own =
    scopes === undefined ? key : (await client.call(201, 'POST', '/api-keys', { name: 'x', scopes })).json.key;
  const visit = (path: string, options: VisitOptions = {}) => dashboard.visit(path, { key: own, ...options });
  return { key, agent, client, visit };
}

for (const [name, createEngine] of [
  ['SQLite', createSqliteEngine],
  ['PostgreSQL', createPostgresEngine],
] as const) {
  describe(`a phone call without an account, in the dashboard on ${name}`, withBrowser, () => {
    const dashboard = useNumbers(createEngine);

    it('a newcomer imports a test number, calls it, watches the transcript grow and plays the recording', async () => {
      const { key, visit } = await newWorkspaceIn(dashboard);
      const { page, complaints } = await visit('/numbers');
      await page.getByRole('heading', { name: 'No phone numbers yet' }).waitFor();
      await page.getByText('You are responsible for when and whom you call').waitFor();
      await page.getByRole('button', { name: 'Import number' }).click();
      const dialog = page.getByRole('dialog');
      assert.ok(await dialog.getByRole('radio', { name: 'Test carrier' }).isChecked());
      await dialog.getByRole('button', { name: 'Next' }).click();
      assert.equal(await dialog.getByLabel('Phone number').inputValue(), number, 'a free number is proposed');
      await dialog.getByRole('button', { name: 'Next' }).click();
      const agent = dialog.getByRole('combobox', { name: 'Agent that answers' });
      await eventually(async () => (await agent.inputValue()) === 'Reception', 'the only agent is chosen');
      assert.equal(await dialog.getByRole('switch').isChecked(), false, 'outbound calls are off');
      await dialog.getByRole('button', { name: 'Import number' }).click();

      await page.getByRole('heading', { name: shown, level: 1 }).waitFor();
      await page.getByText('Active', { exact: true }).waitFor();
      assert.equal(await page.getByText('Passed').count(), 5);
      await page.getByRole('button', { name: 'Test call', exact: true }).click();

      await page.getByRole('heading', { name: 'Call with Reception' }).waitFor();
      const log = page.getByRole('log');
      await log.getByText('Sakura Salon, good afternoon.').waitFor();
      const before = await log.locator('[data-role]').count();
      await eventually(async () => (await log.locator('[data-role]').count()) > before + 1, 'the transcript grows');
      await page.getByText('Phone, inbound').waitFor();
      await page.getByText('+99900000001').waitFor();
      const callId = new URL(page.url()).pathname.split('/').at(-1) as string;
      if (!['ended'].includes((await on(dashboard.service, key, callId).call()).status)) {
        await page.getByRole('button', { name: 'End call' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'End call' }).click();
      }
      const player = page.getByRole('region', { name: 'Recording' });
      await player.getByRole('button', { name: 'Play', exact: true }).click();
      await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 0.3);
      assert.deepEqual(complaints, []);

      await page.getByRole('link', { name: number }).click();
      await page.getByRole('link', { name: 'All calls of this number' }).click();
      await page.getByRole('link', { name: 'Reception' }).waitFor();
      assert.equal(new URL(page.url()).searchParams.has('phoneNumberId'), true);
    });
  });
}

describe('phone numbers in the dashboard', withBrowser, () => {
  const dashboard = useNumbers(createSqliteEngine);
  const newWorkspace = (scopes?: readonly Scope[]) => newWorkspaceIn(dashboard, scopes);

  /** The same, with a number of the test carrier. */
  async function withNumber(fields: object = {}, scopes?: readonly Scope[]) {
    const workspace = await newWorkspace(scopes);
    const { client, agent } = workspace;
    const carrier = await client.testCarrier();
    const { id } = await client.importNumber(carrier.id, number, { inbound: { agentId: agent.id }, ...fields });
    await client.checked(id);
    return { ...workspace, carrier, numberId: id as string };
  }

  it('routes a number: who answers, what happens otherwise, and who may call', async () => {
    const { client, numberId, visit } = await withNumber();
    const { page } = await visit(`/numbers/${numberId}`);
    await page.getByRole('button', { name: 'Edit (Inbound calls)' }).click();
    const inbound = page.getByRole('dialog');
    await inbound.getByLabel('If the agent cannot answer').selectOption('number');
    await inbound.getByLabel('Forward to').fill('03');
    await inbound.getByRole('button', { name: 'Save' }).click();
    await inbound.getByText('Enter a phone number with its country code').waitFor();
    await inbound.getByLabel('Forward to').fill('+81 3-1234-5678');
    await inbound.getByRole('button', { name: 'Save' }).click();
    await inbound.getByText('must be a test number').waitFor();
    await inbound.getByLabel('If the agent cannot answer').selectOption('message');
    await inbound.getByLabel('Message').fill('Please call again later.');
    await inbound.getByLabel('Blocked numbers').fill('+81 90 1234 5678,');
    await inbound.getByRole('button', { name: 'Save' }).click();
    await inbound.waitFor({ state: 'detached' });
    await page.getByText('The caller hears “Please call again later.”').waitFor();

    await page.getByRole('button', { name: 'Edit (Outbound calls)' }).click();
    const outbound = page.getByRole('dialog');
    await outbound.getByRole('switch').click();
    await outbound.getByLabel('How long it rings').fill('20');
    await outbound.getByRole('button', { name: 'Save' }).click();
    await outbound.waitFor({ state: 'detached' });
    const stored = await client.get(`/phone-numbers/${numberId}`);
    assert.deepEqual(stored.inbound.fallback, { type: 'message', text: 'Please call again later.' });
    assert.deepEqual(stored.inbound.blockedNumbers, ['+819012345678']);
    assert.deepEqual(stored.outbound, { enabled: true, agentIds: [], ringTimeoutMs: 20_000 });
  });

  it('shows which checks of a carrier failed and what to do, and never its credentials', async () => {
    const { visit, client } = await newWorkspace();
    const { page } = await visit('/numbers?new');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Twilio account' }).click();
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByText('Enter AC and 32 hexadecimal digits.').waitFor();
    await dialog.getByLabel('Account SID').fill(`AC${'0'.repeat(32)}`);
    await dialog.getByLabel('Auth token').first().fill('planted-secret');
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByText('PUBLIC_URL is not set').waitFor();
    await dialog.getByText('Set PUBLIC_URL to the https address').waitFor();
    await dialog.getByRole('button', { name: 'Continue anyway' }).click();
    await dialog.getByText('could not be loaded from the carrier').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Carriers' }).click();
    await page.getByRole('button', { name: 'Edit (Twilio)' }).click();
    assert.equal(await page.getByRole('dialog').getByLabel('Auth token').first().inputValue(), '');
    await page.getByRole('dialog').getByLabel('Minutes per day').fill('60');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { items } = await client.get('/carriers');
    assert.deepEqual([items.length, items[0].limits.maxMinutesPerDay], [1, 60]);
    await page.getByRole('button', { name: 'Delete (Twilio)' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete carrier' }).click();
    await page.getByRole('heading', { name: 'No carriers yet' }).waitFor();
  });

  it('keeps the do-not-call list', async () => {
    const { visit, client } = await newWorkspace();
    const { page } = await visit('/numbers?view=do-not-call');
    await page.getByRole('button', { name: 'Add numbers' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Numbers').fill('+81 90-1234-5678\n12');
    await dialog.getByRole('button', { name: 'Add numbers' }).click();
    await dialog.getByText('“12” is not a phone number').waitFor();
    await dialog.getByLabel('Numbers').fill('+81 90-1234-5678\n＋８１３１２３４５６７８');
    await dialog.getByRole('button', { name: 'Add numbers' }).click();
    await page.getByText('Added: 2.').waitFor();
    await page.getByLabel('Starts with').fill('+8190');
    await page.getByRole('button', { name: 'Remove (+81 3 1234 5678)' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove (+81 90 1234 5678)' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No number on the list starts with this.').waitFor();
    const { items } = await client.get('/do-not-call');
    assert.deepEqual(
      items.map((entry: { number: string }) => entry.number),
      ['+81312345678'],
    );
  });

  it('calls a phone from the panel after showing the number and asking', async () => {
    const { agent, client, visit } = await withNumber({ outbound: { enabled: true } });
    const { page } = await visit(`/agents/${agent.id}`);
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Call a phone' }).click();
    await panel.getByLabel('Number to call').fill('+81 3-1234-5678');
    await panel.getByText('+81 3 1234 5678 (Japan)').waitFor();
    await panel.getByRole('button', { name: 'Call…' }).click();
    await panel.getByText('The test carrier only calls its own phones').waitFor();
    await panel.getByLabel('Number to call').fill('+999 0000 0001');
    await panel.getByRole('button', { name: 'Call…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('+999 0000 0001').waitFor();
    assert.deepEqual((await client.get('/calls')).items, [], 'nothing is dialed before the confirmation');
    await dialog.getByRole('button', { name: 'Call now' }).click();
    await page.getByText('Phone, outbound').waitFor();
    // Who is called speaks first.
    await page.getByRole('log').getByText('Hello').first().waitFor();
    const { items } = await client.get('/calls');
    assert.deepEqual([items.length, items[0].to], [1, '+99900000001']);
  });

  it('says what in the agent prevents a call from the panel, as the editor does', async () => {
    const { agent, client, visit } = await withNumber({ outbound: { enabled: true } });
    const tool = {
      name: 'find_order',
      description: 'Finds it.',
      parameters: { type: 'object' },
      url: 'http://1.1.1.1/',
    };
    await client.call(200, 'PATCH', `/agents/${agent.id}`, { agentSettings: { tools: [tool] } });
    const { page } = await visit(`/agents/${agent.id}`);
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Call a phone' }).click();
    await panel.getByLabel('Number to call').fill('+999 0000 0001');
    await panel.getByRole('button', { name: 'Call…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Call now' }).click();
    await dialog.getByText('The call cannot be made:').waitFor();
    await dialog.getByRole('link', { name: 'find_order · URL' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual((await client.get('/calls')).items, []);
  });

  it('shows the keys that a caller pressed', async () => {
    const { numberId, visit } = await withNumber();
    const { page } = await visit(`/numbers/${numberId}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Test call that presses keys' }).click();
    await page.getByText('Keys pressed').first().waitFor();
    await page.getByText('123', { exact: true }).first().waitFor();
  });

  it('disables what the key may not do, and names the scope', async () => {
    const { numberId, visit } = await withNumber({}, ['agents:read', 'phone-numbers:read']);
    const { page } = await visit('/numbers');
    await page.getByRole('button', { name: /^Import number.*phone-numbers:write/ }).waitFor();
    await page.getByRole('link', { name: shown }).click();
    await page.getByRole('button', { name: /^Test call.*phone-numbers:write/ }).waitFor();
    await page.getByRole('button', { name: /^Edit \(Inbound calls\).*phone-numbers:write/ }).waitFor();
    const { page: other } = await (await newWorkspace(['agents:read'])).visit(`/numbers/${numberId}`);
    await other.getByText('phone-numbers:read').first().waitFor();
  });

  it('is accessible, in light and dark, wide and narrow', async () => {
    const { numberId, visit } = await withNumber({ outbound: { enabled: true } });
    const audit = newAudit();
    const { page } = await visit('/numbers');
    await page.getByRole('link', { name: shown }).waitFor();
    await audit.look(page, 'numbers');
    await page.getByRole('button', { name: 'Import number' }).click();
    await page.getByRole('dialog').getByRole('radio').first().waitFor();
    await audit.look(page, 'import', '[role=dialog]');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Carriers' }).click();
    await page.getByText('Test carrier').first().waitFor();
    await audit.look(page, 'carriers');
    await page.goto(`${dashboard.service.url}/numbers/${numberId}`);
    await page.getByText('Passed').first().waitFor();
    await audit.look(page, 'number');
    await page.getByRole('button', { name: 'Edit (Inbound calls)' }).click();
    await page.getByRole('dialog').getByLabel('Blocked numbers').waitFor();
    await audit.look(page, 'inbound', '[role=dialog]');
    audit.assertClean();
  });
});
