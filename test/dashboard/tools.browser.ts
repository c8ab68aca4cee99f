import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { createAgent, send } from '../support/client.ts';
import { httpReceiver } from '../support/receiver.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';
import { logOf, tryByChat } from './support/panel.ts';

const parameters = {
  type: 'object',
  properties: {
    number: { type: 'string', description: 'The number of the order.', pattern: '^A' },
    size: { type: 'string', enum: ['S', 'M'] },
  },
  required: ['number'],
};
const findOrder = {
  name: 'find_order',
  description: 'Finds an order.',
  method: 'GET',
  url: 'https://shop.example.com/orders/{number}',
  parameters,
};

describe('tools in the dashboard', withBrowser, () => {
  const dashboard = useDashboard();
  const open = async (fields: Record<string, unknown>, path = '', options: object = {}) => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, { name: 'Shop', ...fields });
    const visit = await dashboard.visit(`/agents/${agent.id}${path}`, { key, ...options });
    const read = async (): Promise<Agent> =>
      (await send(dashboard.service, 'GET', `/api/v1/agents/${agent.id}`, { key })).json;
    return { key, agent, read, ...visit };
  };
  const save = async (page: Page) => {
    await page.locator('form button', { hasText: /^Save$/ }).click();
    await page.locator('[data-is-save-bar]').getByText('No unsaved changes').waitFor();
  };
  const settingsOf = ({ agentSettings }: Agent) => agentSettings as { tools: Record<string, unknown>[] };

  it('are made in a form, with parameters, a secret and what is said meanwhile', async () => {
    const { key, page, read, complaints } = await open({ agentSettings: { theme: 'salon' } });
    await send(dashboard.service, 'PUT', '/api/v1/secrets/SHOP_TOKEN', {
      key,
      body: { value: 'swordfish', hosts: ['shop.example.com'] },
    });
    const audit = newAudit();
    await page.getByRole('button', { name: 'Add a tool' }).click();
    const form = page.locator('[data-tools]');
    await form.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor();
    await form.getByLabel('Name', { exact: true }).fill('find_order');
    await form.getByLabel('Description', { exact: true }).fill('Finds an order by its number.');
    await form.getByLabel('URL', { exact: true }).fill('https://shop.example.com/orders/{number}');
    await form.getByRole('button', { name: 'Add a parameter' }).click();
    await form.getByLabel('Parameter 1: Name').fill('number');
    await form.getByLabel('Parameter 1: Description').fill('As on the receipt.');
    await form.getByRole('button', { name: 'Add a parameter' }).click();
    await form.getByLabel('Parameter 2: Name').fill('number');
    await form.getByText('Another parameter has this name.').waitFor();
    await form.getByLabel('Parameter 2: Name').fill('size');
    await form.getByLabel('Parameter 2: Required').uncheck();
    await form.getByLabel('Parameter 2: Allowed values').pressSequentially('S, M, L');
    await form.getByRole('button', { name: 'Add a parameter' }).click();
    await form.getByLabel('Parameter 3: Name').fill('day');
    await form.getByLabel('Parameter 3: Type').selectOption('date');
    await form.getByRole('button', { name: 'Add a header' }).click();
    await form.getByLabel('Insert a secret (Header 1: Value)').selectOption('SHOP_TOKEN');
    assert.equal(
      await form.getByLabel('Header 1: Value', { exact: true }).inputValue(),
      'Bearer {{secrets.SHOP_TOKEN}}',
    );
    await form.getByLabel('URL', { exact: true }).fill('https://other.example.com/orders/{number}');
    await form.getByText('The secret SHOP_TOKEN may not be sent to other.example.com.').waitFor();
    await form.getByLabel('URL', { exact: true }).fill('https://shop.example.com/orders/{number}');
    await form.getByLabel('While it runs, the agent says').fill('One moment.\nLet me see.');
    await form.getByLabel('Timeout in seconds').fill('5');
    await form.getByLabel('Example result').fill('{"status": "shipped"}');
    await audit.look(page, 'a new tool', '[data-tools]');
    await save(page);
    const { tools, ...others } = settingsOf(await read());
    assert.deepEqual(others, { theme: 'salon' });
    assert.deepEqual(tools, [
      {
        name: 'find_order',
        description: 'Finds an order by its number.',
        method: 'GET',
        url: 'https://shop.example.com/orders/{number}',
        parameters: {
          type: 'object',
          properties: {
            number: { type: 'string', description: 'As on the receipt.' },
            size: { type: 'string', enum: ['S', 'M', 'L'] },
            day: { type: 'string', format: 'date' },
          },
          required: ['number', 'day'],
        },
        headers: { Authorization: 'Bearer {{secrets.SHOP_TOKEN}}' },
        say: ['One moment.', 'Let me see.'],
        timeoutMs: 5000,
        example: { status: 'shipped' },
      },
    ]);
    // The code of the agent has it, and what is changed there is in the form.
    await page.getByRole('navigation', { name: 'Agent views' }).getByText('Code').click();
    await page.getByText('find_order').first().waitFor();
    await page.getByRole('navigation', { name: 'Agent views' }).getByText('Flow').click();
    await page.locator('[data-tools] button[aria-expanded]').click();
    await form.getByRole('button', { name: 'Edit as JSON Schema' }).click();
    const json = JSON.stringify({ type: 'object', properties: { number: { type: 'integer' } } });
    await form.getByLabel('JSON Schema').fill(json);
    await form.getByRole('button', { name: 'Edit as a table' }).click();
    assert.equal(await form.getByLabel('Parameter 1: Type').inputValue(), 'integer');
    await form.getByLabel('Runs', { exact: true }).selectOption('client');
    assert.equal(await form.getByLabel('URL', { exact: true }).count(), 0);
    await form.getByLabel('Runs', { exact: true }).selectOption('server');
    assert.equal(
      await form.getByLabel('URL', { exact: true }).inputValue(),
      'https://shop.example.com/orders/{number}',
    );
    await form.getByRole('button', { name: 'Remove this tool' }).click();
    await save(page);
    assert.deepEqual((await read()).agentSettings, { theme: 'salon' });
    audit.assertClean();
    assert.deepEqual(complaints, []);
  });

  it('keep what the table does not show, and list what prevents publishing at its input', async () => {
    const { page, read } = await open({
      agentSettings: { tools: [{ ...findOrder, url: 'https://10.0.0.1/{number}' }] },
    });
    await page.locator('[data-tools]').getByText('1 problem').waitFor();
    // It is open, so that links to the problem lead into the form.
    const form = page.locator('[data-tools]');
    await form.getByText('must not be an address in a local, private or reserved network').waitFor();
    assert.equal(await form.getByLabel('URL', { exact: true }).getAttribute('aria-invalid'), 'true');
    await form.getByLabel('URL', { exact: true }).fill('https://shop.example.com/{order}');
    await form.getByText('There is no parameter with the name order.').waitFor();
    await form.getByLabel('URL', { exact: true }).fill(findOrder.url);
    await form.getByLabel('Parameter 1: Description').fill('On the receipt.');
    await save(page);
    const [tool] = settingsOf(await read()).tools;
    const { number, size } = parameters.properties;
    assert.deepEqual(tool?.parameters, {
      ...parameters,
      properties: { number: { ...number, description: 'On the receipt.' }, size },
    });
  });

  it('are tested with arguments, and show what a model would see, in both languages', async () => {
    const { port } = await httpReceiver((request, response) => {
      const isKnown = request.url === '/orders/A%201?size=M';
      response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
      response.end(isKnown ? '{"status":"shipped"}' : 'no such order');
    });
    const url = `http://127.0.0.1:${port}/orders/{number}`;
    const { page, read, complaints } = await open({ agentSettings: { tools: [{ ...findOrder, url }] } });
    const audit = newAudit();
    await page.locator('[data-tools] button[aria-expanded]').click();
    const form = page.locator('[data-tools]');
    await form.getByLabel('number', { exact: false }).last().fill('A 1');
    await form.getByLabel('size', { exact: true }).selectOption('M');
    await form.getByRole('button', { name: 'Send test' }).click();
    const result = form.getByRole('status');
    await result.getByText(/^Succeeded after /).waitFor();
    await result.getByText(`http://127.0.0.1:${port}/orders/A%201?size=M`).waitFor();
    await result.getByText('Status 200 · application/json').waitFor();
    assert.match(await result.getByLabel('What the model sees').innerText(), /"status": "shipped"/);
    await audit.look(page, 'a tested tool', '[data-tools]');
    await result.getByRole('button', { name: 'Use as the example result' }).click();
    await save(page);
    assert.deepEqual(settingsOf(await read()).tools[0]?.example, { status: 'shipped' });
    await form.getByLabel('number', { exact: false }).last().fill('B 1');
    await form.getByRole('button', { name: 'Send test' }).click();
    await form.getByText('The tool was not called:').waitFor();
    await form.getByLabel('number', { exact: false }).last().fill('A 2');
    await form.getByRole('button', { name: 'Send test' }).click();
    await result.getByText(/^The server answered with an error after /).waitFor();
    await result.getByText('Error: failed: the server of the tool replied with HTTP 404').waitFor();
    await form.getByLabel('URL', { exact: true }).fill(`${url}/x`);
    await form.getByText('Save your changes first: the test uses the saved version.').waitFor();
    audit.assertClean();
    assert.deepEqual(complaints, []);

    const japanese = await open({ agentSettings: { tools: [{ ...findOrder, url }] } }, '', {
      locale: 'ja-JP',
      viewport: { width: 390, height: 844 },
    });
    await japanese.page.locator('[data-tools] button[aria-expanded]').click();
    await japanese.page.locator('[data-tools]').getByLabel('number', { exact: false }).last().fill('A 1');
    await japanese.page.getByRole('button', { name: 'テストを送信' }).click();
    await japanese.page.getByText(/サーバーがエラーを返しました/).waitFor();
    const width = await japanese.page.evaluate(() => document.documentElement.scrollWidth);
    assert.equal(width, 390, 'nothing is wider than the screen');
  });

  it('come with forms for variables and recording, which change nothing else', async () => {
    const { page, read } = await open({
      agentVariables: [
        { name: 'shop', value: '銀座店' },
        { name: 'count', value: 3, own: true },
      ],
      agentSettings: { calls: { retentionDays: 30 } },
    });
    const audit = newAudit();
    const variables = page.locator('[data-field=agentVariables]');
    await variables.getByLabel('Variable 1: Example').fill('表参道店');
    await variables.getByLabel('Variable 2: Default').fill('4');
    await variables.getByRole('button', { name: 'Add a variable' }).click();
    await variables.getByLabel('Variable 3: Name').fill('order');
    await variables.getByLabel('Variable 3: Description').fill('The number of the order.');
    await audit.look(page, 'variables', '[data-field=agentVariables]');
    await page.getByRole('navigation', { name: 'Agent views' }).getByText('Analysis').click();
    const recording = page.getByRole('switch', { name: 'Record calls' });
    await recording.click();
    await audit.look(page, 'recording', '[aria-labelledby=group-recording]');
    await save(page);
    const { agentVariables, agentSettings } = await read();
    assert.deepEqual(agentVariables, [
      { name: 'shop', value: '銀座店', example: '表参道店' },
      { name: 'count', value: 4, own: true },
      { name: 'order', description: 'The number of the order.' },
    ]);
    assert.deepEqual(agentSettings, { calls: { retentionDays: 30, recordingEnabled: true } });
    await recording.click();
    await save(page);
    assert.deepEqual((await read()).agentSettings, { calls: { retentionDays: 30 } });
    audit.assertClean();
  });

  it('are not called in Try if each has an example, and variables have fields', async () => {
    const flow = {
      skills: [
        {
          id: 'look',
          type: 'tool',
          tool: 'find_order',
          arguments: { number: '{{order}}' },
          next: 'bye',
          otherwise: 'no',
        },
        { id: 'bye', type: 'end', text: 'It is on its way, {{order}}.' },
        { id: 'no', type: 'end', text: 'I cannot find it.' },
      ],
    };
    const tool = { ...findOrder, url: 'http://127.0.0.1:1024/{number}', example: { status: 'shipped' } };
    const { page, complaints } = await open({
      responseEngineType: 'conversation_flow',
      language: 'en',
      agentVariables: [{ name: 'order', example: 'A-1001', description: 'The number of the order.' }],
      agentSettings: { tools: [tool], flow },
      postCallAnalysisModel: 'test-extract',
    });
    const audit = newAudit();
    await tryByChat(page);
    const log = logOf(page);
    await log.getByText('It is on its way, A-1001.').waitFor();
    await log.getByText('example result').waitFor();
    const examples = page.getByRole('switch', { name: 'Example results' });
    assert.equal(await examples.isChecked(), true);
    await page.getByText('Variables (1)').click();
    await page.getByLabel('order', { exact: true }).fill('A-7');
    await audit.look(page, 'options of a trial');
    await page.getByRole('button', { name: 'Start again with these' }).click();
    await log.getByText('It is on its way, A-7.').waitFor();
    await examples.click();
    await log.getByText('I cannot find it.').waitFor();
    audit.assertClean();
    assert.deepEqual(complaints, []);
  });
});
