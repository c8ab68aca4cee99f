import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Scope } from '../../src/contract/scopes.ts';
import { chatWith, testAgent } from '../areas/calls/support.ts';
import { knowledgeClient } from '../areas/knowledge/client.ts';
import { send } from '../support/client.ts';
import { httpReceiver } from '../support/receiver.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

const faq = '# Returns\n\nQ: How long can I return an item?\nA: Within 30 days, with the receipt.\n';

/** Drops files on the page, as from a folder of the computer. */
async function drop(page: Page, files: readonly { name: string; content: string }[]) {
  const transfer = await page.evaluateHandle((list) => {
    const data = new DataTransfer();
    for (const { name, content } of list) data.items.add(new File([content], name));
    return data;
  }, files);
  await page.dispatchEvent('h1', 'dragover', { dataTransfer: transfer });
  await page.getByText('Drop to add to this knowledge base').waitFor();
  await page.dispatchEvent('h1', 'drop', { dataTransfer: transfer });
}

describe('knowledge in the dashboard', withBrowser, () => {
  const mediaFolder = mkdtempSync(join(tmpdir(), 'voice-agents-knowledge-'));
  const dashboard = useDashboard(async () => ({ mediaFolder }));
  after(() => rmSync(mediaFolder, { recursive: true, force: true }));

  async function newWorkspace() {
    const { key } = await dashboard.service.newKey();
    return { key, client: knowledgeClient(dashboard.service, key) };
  }

  it('a newcomer creates a base, drops files, sees them become ready, and finds an answer in them', async () => {
    const { key, client } = await newWorkspace();
    const { page, complaints } = await dashboard.visit('/knowledge', { key });
    await page.getByRole('heading', { name: 'No knowledge bases yet' }).waitFor();
    await page.getByRole('button', { name: 'Create knowledge base' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create knowledge base' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name').fill('Shop FAQ');
    await dialog.getByLabel('Synonyms').fill('dog, cat, pet');
    await dialog.getByRole('button', { name: 'Create knowledge base' }).click();

    await page.getByRole('heading', { name: 'Shop FAQ', level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
    await drop(page, [
      { name: 'returns.md', content: faq },
      { name: 'broken.pdf', content: '%PDF-1.7 broken' },
    ]);
    const rows = page.getByRole('table', { name: 'Documents' }).getByRole('row');
    await rows.filter({ hasText: 'returns.md' }).getByText('Ready', { exact: true }).waitFor();
    const broken = rows.filter({ hasText: 'broken.pdf' });
    await broken.getByText('The file is corrupt. Export it again.').waitFor();
    assert.equal(await broken.getByRole('button', { name: 'Try again' }).count(), 0);
    await broken.getByRole('button', { name: 'Delete (broken.pdf)' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await broken.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'returns.md', exact: true }).click();
    await page.getByRole('dialog').getByText('Within 30 days, with the receipt.').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('tab', { name: 'Search' }).click();
    await page.getByLabel('Question').fill('return an item');
    await page.keyboard.press('Enter');
    const results = page.getByRole('region', { name: 'Results' });
    await results.locator('mark', { hasText: 'return' }).first().waitFor();
    await results.getByText(/Score 0\.\d\d/).waitFor();
    await page.getByLabel('Question').fill('xyzzy');
    await page.getByRole('search').getByRole('button', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();

    const { items } = (await client.ask('GET', '')).json;
    assert.deepEqual(items[0].synonyms, [['dog', 'cat', 'pet']]);
    assert.deepEqual(complaints, []);
  });

  it('adds a text and a page, says why a page failed, and deletes the base', async () => {
    const { key, client } = await newWorkspace();
    const { id } = await client.base({ name: 'Manuals', language: 'en' });
    const { page } = await dashboard.visit(`/knowledge/${id}`, { key });
    await page.getByRole('button', { name: 'Add text' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Opening hours');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Text' }).fill('We are open from 9 to 17.');
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    const rows = page.getByRole('table', { name: 'Documents' }).getByRole('row');
    await rows.filter({ hasText: 'Opening hours' }).getByText('Ready', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Add web page' }).click();
    await page.getByRole('dialog').getByLabel('Address').fill('shop.example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('dialog').getByText('Enter an address that starts with').waitFor();
    await page.getByRole('dialog').getByLabel('Address').fill('https://does-not-exist.invalid/faq');
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    const failed = rows.filter({ hasText: 'does-not-exist.invalid' });
    await failed.getByText('The page could not be read.').waitFor();
    await failed.getByRole('button', { name: /^Try again/ }).click();
    await page.getByText('The document is being updated.').waitFor();
    await page.getByText('A document failed').waitFor();

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No knowledge bases yet' }).waitFor();
  });

  it('adds the pages of a website that are ticked, and shows which questions they do not answer', async () => {
    const { key, client } = await newWorkspace();
    const { id } = await client.base({ name: 'Website', language: 'en' });
    const page = (path: string) => `<title>${path.slice(1)}</title><main><p>All about ${path.slice(1)}.</p></main>`;
    const { port } = await httpReceiver(({ url = '/' }, response) => {
      const isPage = ['/shipping', '/payment', '/jobs'].includes(url);
      const links = '<a href="/shipping">1</a><a href="/payment">2</a><a href="/jobs">3</a>';
      const content = isPage ? page(url) : links;
      response.writeHead(isPage || url === '/' ? 200 : 404, { 'content-type': 'text/html' }).end(content);
    });
    const site = `http://127.0.0.1:${port}`;
    const { page: tab, complaints } = await dashboard.visit(`/knowledge/${id}`, { key });
    await tab.getByRole('button', { name: 'Add website' }).click();
    const dialog = tab.getByRole('dialog');
    await dialog.getByLabel('Address').fill(`${site}/`);
    await dialog.getByRole('button', { name: 'Find pages' }).click();
    await dialog.getByRole('button', { name: 'Select all' }).click();
    await dialog.getByRole('checkbox', { name: `${site}/jobs` }).uncheck();
    await dialog.getByRole('checkbox', { name: `${site}/`, exact: true }).uncheck();
    await dialog.getByRole('button', { name: 'Add 2 pages' }).click();
    const rows = tab.getByRole('table', { name: 'Documents' }).getByRole('row');
    await rows.filter({ hasText: '/shipping' }).getByText('Ready', { exact: true }).waitFor();
    await rows.filter({ hasText: '/payment' }).getByText('Ready', { exact: true }).waitFor();
    assert.equal(await rows.filter({ hasText: '/jobs' }).count(), 0);

    const { items } = (await client.ask('GET', `/${id}/documents`)).json;
    const [shipping, payment] = ['/shipping', '/payment'].map((path) =>
      items.find(({ url }: { url: string }) => url.endsWith(path)),
    );
    await tab.getByRole('tab', { name: 'Evaluation' }).click();
    await tab.getByLabel('Questions').fill('about shipping');
    await tab.getByRole('button', { name: 'Evaluate' }).click();
    await tab.getByText('Line 1: enter a question').waitFor();
    await tab.getByLabel('Questions').fill(`shipping,${shipping.id}\nxyzzy,${payment.id}`);
    await tab.getByRole('button', { name: 'Evaluate' }).click();
    await tab.getByRole('table', { name: 'Results' }).getByText('50%').first().waitFor();
    const misses = tab.getByRole('table', { name: 'Misses' });
    await misses.getByText('No word of the question matches.').waitFor();
    assert.equal(await misses.getByRole('row').count(), 2);
    assert.deepEqual(complaints, []);
  });

  it('the template FAQ desk creates an agent with the knowledge base that it answers from', async () => {
    const { key, client } = await newWorkspace();
    const { page, complaints } = await dashboard.visit('/agents/new?template=faq-desk', { key });
    await page.getByRole('button', { name: 'Create agent' }).first().click();
    await page.waitForURL(/\/agents\/agt_/);
    const [base] = (await client.ask('GET', '')).json.items;
    assert.deepEqual([base.name, base.status, base.documentCount], ['FAQ desk', 'ready', 2]);
    const agentId = page.url().split('/').at(-1);
    const stored = await send(dashboard.service, 'GET', `/api/v1/agents/${agentId}`, { key });
    assert.deepEqual(stored.json.agentSettings.knowledge, { bases: [{ id: base.id }] });
    assert.deepEqual(complaints, []);
  });

  it('an agent gets a base in its editor, and its replies in a call lead to what they are based on', async () => {
    const { key, client } = await newWorkspace();
    const { id } = await client.base({ name: 'Shop FAQ', language: 'en' });
    const { id: documentId } = await client.add(id, { name: 'Returns', text: faq });
    await client.settled(id, documentId);
    const agent = await testAgent(dashboard.service, key, 'test-knowledge', { language: 'en' });
    const { page, complaints } = await dashboard.visit(`/agents/${agent.id}`, { key });
    const section = page.getByRole('region', { name: 'Knowledge' });
    await section.getByRole('combobox', { name: 'Knowledge bases' }).click();
    await page.getByRole('option', { name: 'Shop FAQ' }).click();
    await section.getByLabel('Test question').fill('How long can I return an item?');
    await page.keyboard.press('Enter');
    await section.locator('mark').first().waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved').first().waitFor();
    const stored = await send(dashboard.service, 'GET', `/api/v1/agents/${agent.id}`, { key });
    assert.deepEqual(stored.json.agentSettings.knowledge, { bases: [{ id }] });

    const chat = await chatWith(dashboard.service, key, { agentId: agent.id });
    await chat.say('How long can I return an item?');
    await page.goto(`${dashboard.service.url}/calls/${chat.id}`);
    await page.getByRole('button', { name: /^Source 1 \(0\.\d\d\)$/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Passage' });
    await dialog.getByText('Within 30 days, with the receipt.').waitFor();
    await dialog.getByRole('link', { name: 'Open the knowledge base' }).click();
    await page.getByRole('heading', { name: 'Shop FAQ', level: 1 }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('disables what the key may not do, and is accessible', async () => {
    const { key, client } = await newWorkspace();
    const { id } = await client.base({ name: 'Manuals', language: 'en' });
    const { id: documentId } = await client.add(id, { name: 'Returns', text: faq });
    await client.settled(id, documentId);
    const scopes: Scope[] = ['agents:read', 'knowledge:read'];
    const own = await send(dashboard.service, 'POST', '/api/v1/api-keys', { key, body: { name: 'x', scopes } });
    const { page } = await dashboard.visit('/knowledge', { key: own.json.key });
    await page.getByRole('button', { name: /^Create knowledge base.*knowledge:write/ }).waitFor();
    const audit = newAudit();
    await page.getByRole('link', { name: 'Manuals' }).waitFor();
    await audit.look(page, 'knowledge');
    await page.getByRole('link', { name: 'Manuals' }).click();
    await page.getByRole('button', { name: /^Upload files.*knowledge:write/ }).waitFor();
    await page.getByRole('button', { name: /^Add text.*knowledge:write/ }).waitFor();
    await page.getByText('Ready', { exact: true }).first().waitFor();
    await audit.look(page, 'base');
    await page.getByRole('tab', { name: 'Search' }).click();
    await page.getByLabel('Question').fill('return');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Results' }).waitFor();
    await audit.look(page, 'search');
    audit.assertClean();
  });
});
