import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { chatWith, eventually, testAgent } from '../areas/calls/support.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

const items = [
  { name: 'menu', type: 'string', description: '' },
  { name: 'guests', type: 'number', description: '' },
];

describe('the analysis on the page of a call', withBrowser, () => {
  const dashboard = useDashboard();
  let key: string;
  beforeEach(async () => {
    ({ key } = await dashboard.service.newKey());
  });

  const analyzedCall = async () => {
    const fields = { postCallAnalysisModel: 'test-extract', postCallAnalysisData: items };
    const { id: agentId } = await testAgent(dashboard.service, key, 'test-echo', fields);
    const chat = await chatWith(dashboard.service, key, { agentId });
    await chat.say('menu: cut\nguests: two');
    await chat.say('shop: Ginza');
    await chat.end();
    await eventually(async () => (await chat.call()).analysis.status === 'completed');
    return chat;
  };

  it('highlights the turn that a value is based on', async () => {
    const { id } = await analyzedCall();
    const { page, complaints } = await dashboard.visit(`/calls/${id}?view=analysis`, { key });
    const value = page.getByRole('button', { name: /^cut/ });
    await value.click();
    assert.equal(await value.getAttribute('aria-pressed'), 'true');
    const quoted = page.locator('[data-is-quoted]');
    assert.equal(await quoted.count(), 1);
    assert.match((await quoted.textContent()) ?? '', /menu: cut/);
    await page.getByText('The model’s value had the wrong type.').waitFor();
    const audit = newAudit();
    await audit.look(page, 'a chosen value');
    audit.assertClean();
    await value.click();
    assert.equal(await quoted.count(), 0);
    assert.deepEqual(complaints, []);
  });

  it('tries new fields without storing them, and runs again with a history', async () => {
    const { id, call } = await analyzedCall();
    const { page } = await dashboard.visit(`/calls/${id}?view=analysis`, { key });
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByRole('textbox', { name: 'Name' }).nth(1).and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: 'Remove the field without a name' }).last().press('Enter');
    await page.getByRole('button', { name: 'Add a field' }).and(page.locator(':focus')).waitFor();
    await page.getByLabel('Name').fill('shop');
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByRole('heading', { name: 'Preview' }).waitFor();
    await page.getByRole('button', { name: /^Ginza/ }).waitFor();
    assert.deepEqual(Object.keys((await call()).analysis.data), ['menu', 'guests']);
    await page.getByRole('button', { name: 'Show the stored result' }).click();
    await page.getByRole('button', { name: /^cut/ }).waitFor();
    await page.getByRole('button', { name: 'Analyze again' }).click();
    await page.getByText('Revision 2').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Completed' }).count(), 2);
    assert.equal((await call()).analysis.revision, 2);
  });

  it('says why there is no result, in Japanese too', async () => {
    const { id: agentId } = await testAgent(dashboard.service, key, 'test-echo');
    const chat = await chatWith(dashboard.service, key, { agentId });
    await chat.say('Hello');
    await chat.end();
    const { page } = await dashboard.visit(`/calls/${chat.id}?view=analysis`, { key, locale: 'ja-JP' });
    await page.getByText('対象外: このサービスに言語モデルが接続されていません。').first().waitFor();
    await page.getByRole('heading', { name: '新しい項目を試す' }).waitFor();
  });
});
