import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { createAgent, send } from '../support/client.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

describe('versions and code of an agent in the dashboard', withBrowser, () => {
  const dashboard = useDashboard();
  const call = (method: string, key: string, path: string, body?: object) =>
    send(dashboard.service, method, `/api/v1/agents/${path}`, { key, body });
  const read = async (key: string, id: string): Promise<Agent> =>
    (await send(dashboard.service, 'GET', `/api/v1/agents/${id}`, { key })).json;
  /** Version 1 is published, version 2 is a different draft. */
  const twoVersions = async (key: string): Promise<Agent> => {
    const agent = await createAgent(dashboard.service, key, { responseEngine: { prompt: 'one\ntwo\nthree' } });
    await call('POST', key, `${agent.id}/publish`, { versionDescription: 'First' });
    await call('PATCH', key, agent.id, { voiceSpeed: 1.5, responseEngine: { prompt: 'one\n2\nthree' } });
    return agent;
  };

  it('show who changed what and when, and compare two versions side by side', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await twoVersions(key);
    const { page, complaints } = await dashboard.visit(`/agents/${agent.id}/versions`, { key });
    const first = page.getByRole('row').filter({ hasText: 'Live' });
    await first.getByText('First', { exact: true }).waitFor();
    await first.getByText(/\(You\)$/).waitFor();
    await page.getByRole('heading', { name: 'Version 1 compared with version 2' }).waitFor();
    await page.getByText('2 differences').waitFor();
    const speed = page.locator('[data-difference=voiceSpeed]');
    assert.deepEqual(await speed.locator('pre').allTextContents(), ['1', '1.5']);
    const prompt = page.locator('[data-difference="responseEngine.prompt"]');
    assert.deepEqual(await prompt.locator('[data-kind=removed]').allTextContents(), ['−removed: two']);
    assert.deepEqual(await prompt.locator('[data-kind=added]').allTextContents(), ['+added: 2']);
    await page.getByLabel('Compare to version 1').check();
    await page.getByText('The versions are identical.').waitFor();
    await page.getByLabel('Compare from version 2').check();
    await page.getByRole('heading', { name: 'Version 2 compared with version 1' }).waitFor();
    await speed.waitFor();
    assert.deepEqual(await speed.locator('pre').allTextContents(), ['1.5', '1']);
    assert.deepEqual(complaints, []);
  });

  it('are published with a description, unless the draft is incomplete', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, { responseEngineType: 'custom_llm' });
    const { page } = await dashboard.visit(`/agents/${agent.id}`, { key });
    const publish = page.getByRole('button', { name: /^Publish/ });
    await publish.click();
    const dialog = page.locator('[role=dialog]');
    await dialog.getByText('is required for type custom_llm').waitFor();
    await dialog.getByRole('link', { name: 'Prompt and model · WebSocket URL' }).click();
    await page.getByLabel('WebSocket URL').and(page.locator(':focus')).fill('wss://llm.example.com/agent');
    assert.equal(await publish.getAttribute('aria-disabled'), 'true', 'not what is only in the form');
    await page.keyboard.press('ControlOrMeta+s');
    await page.locator('form [role=status]', { hasText: 'No unsaved changes' }).waitFor();
    await publish.click();
    await dialog.getByLabel('What changed in this version?').fill('休日の営業時間');
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Live v1', { exact: true }).waitFor();
    const { isPublished, versionDescription } = await read(key, agent.id);
    assert.deepEqual([isPublished, versionDescription], [true, '休日の営業時間']);
    assert.equal(await page.getByLabel('Version description', { exact: true }).inputValue(), '休日の営業時間');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Next');
    await page.getByText('saved as version 2, a draft').waitFor();
  });

  it('are published after a look at what changes for callers', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await twoVersions(key);
    const { page } = await dashboard.visit(`/agents/${agent.id}`, { key });
    await page.getByText('Live v1 · Draft v2').waitFor();
    await page.getByRole('button', { name: /^Publish/ }).click();
    const dialog = page.locator('[role=dialog]');
    const effects = dialog.getByRole('region', { name: 'What changes for callers' });
    await effects.getByText('Ongoing calls stay on version 1.').waitFor();
    assert.deepEqual(await effects.getByRole('listitem').allTextContents(), [
      'What the agent says and does',
      'How the agent sounds',
    ]);
    assert.deepEqual(await dialog.locator('[data-difference=voiceSpeed] pre').allTextContents(), ['1', '1.5']);
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Live v2', { exact: true }).waitFor();
  });

  it('are restored, but not over a concurrent change', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await twoVersions(key);
    const { page } = await dashboard.visit(`/agents/${agent.id}/versions`, { key });
    const dialog = page.locator('[role=dialog]', { hasText: 'Restore version 1' });
    await page.getByRole('button', { name: /^Restore/ }).click();
    await dialog.getByText('The current draft will be overwritten.').waitFor();
    await call('PATCH', key, agent.id, { name: 'In between' });
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByText(/has changed since you opened it/).waitFor();
    assert.equal((await read(key, agent.id)).name, 'In between');
    await page.locator('h1', { hasText: 'In between' }).waitFor();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { version, voiceSpeed, name } = await read(key, agent.id);
    assert.deepEqual([version, voiceSpeed, name], [2, 1, agent.name]);
    await page.locator('h1', { hasText: agent.name }).waitFor();
  });

  it('show the code of an agent and of an unsaved form, without the key, to copy', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, { name: `It's $1`, voiceSpeed: 1.5 });
    const { page } = await dashboard.visit(`/agents/${agent.id}/code`, { key });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('"voiceSpeed": 1.5').waitFor();
    for (const [language, text] of [
      ['TypeScript', `client.agents.create({`],
      ['CLI', `--set 'name=It'\\''s $1'`],
    ] as const) {
      await page.getByText(language, { exact: true }).click();
      await page.getByText(text).waitFor();
      await page.getByRole('button', { name: /Cop(y|ied)/ }).click();
      await page.getByText('Copied').waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.ok(copied.includes(text) && !copied.includes(key), copied);
    }
    await page.getByRole('link', { name: 'Voice and listening' }).click();
    await page.getByRole('textbox', { name: 'Volume' }).fill('0.5');
    await page.getByRole('navigation', { name: 'Agent views' }).getByText('Code').click();
    const changes = page.getByRole('region', { name: 'Code for this form' });
    await changes.getByText('"volume": 0.5').waitFor();
    assert.match((await changes.textContent()) ?? '', /-X PATCH .*If-Match: /s);
    assert.ok(!(await changes.textContent())?.includes('voiceSpeed'), 'only what has changed');
  });

  it('lead to the audit entries of the agent', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await twoVersions(key);
    await createAgent(dashboard.service, key, { name: 'Another' });
    const { page } = await dashboard.visit(`/agents/${agent.id}/versions`, { key });
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Audit log' }).click();
    await page.waitForURL(`**/audit?resourceId=${agent.id}`);
    await page.getByText('3 entries', { exact: true }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Reception' }).count(), 3);
  });

  it('include duplicating an agent, and deleting it after its name is typed', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, { voiceSpeed: 1.5 });
    const { page } = await dashboard.visit(`/agents/${agent.id}`, { key });
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: /^Duplicate/ }).click();
    const dialog = page.locator('[role=dialog]');
    await dialog.getByRole('button', { name: 'Duplicate agent' }).click();
    await page.locator('h1', { hasText: 'Reception (copy)' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) as string;
    assert.equal((await read(key, id)).voiceSpeed, 1.5);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: /^Delete/ }).click();
    const remove = dialog.getByRole('button', { name: 'Delete permanently' });
    assert.equal(await remove.isDisabled(), true);
    await dialog.getByLabel('Type the agent’s name to confirm').fill('Reception (copy)');
    await remove.click();
    await page.waitForURL('**/agents');
    assert.equal((await call('GET', key, id)).status, 404);
    await page.goto(`${dashboard.service.url}/agents/${id}`);
    await page.locator('h1', { hasText: 'Agent not found' }).waitFor();
  });
});
