import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { parse } from 'yaml';
import type { Flow } from '../../dashboard/src/flow/flow.ts';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { createAgent, send } from '../support/client.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';
import { generatedFlow } from './support/generated-flow.ts';
import { keyboardOf } from './support/keyboard.ts';
import { logOf, say, tryByChat } from './support/panel.ts';

const greet = {
  id: 'greet',
  type: 'choose',
  text: 'Hello. A table?',
  routes: [{ when: ['yes'], next: 'day' }],
  otherwise: 'bye',
};
const day = { id: 'day', type: 'ask', text: 'Which day?', variable: 'day', as: 'date', next: 'done', otherwise: 'bye' };
const done = { id: 'done', type: 'end', text: 'Booked.' };
const bye = { id: 'bye', type: 'end', text: 'Goodbye.' };

interface Skill {
  readonly id: string;
  readonly [name: string]: unknown;
}

const flowOf = ({ agentSettings }: Agent) => (agentSettings as { flow: Flow }).flow;
const unsaved = (page: Page) => page.locator('form [role=status]', { hasText: 'No unsaved changes' });
const nodeOf = (page: Page, id: string) =>
  page.locator('.react-flow__node').filter({ has: page.getByText(id, { exact: true }) });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const step = (id: string, fields: object) => ({ id, type: 'say', text: `Text of ${id}.`, ...fields });

describe('the flow editor', withBrowser, () => {
  const dashboard = useDashboard();
  const openFlow = async (flow: Flow, path = '/flow', fields: object = {}) => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, {
      responseEngineType: 'conversation_flow',
      language: 'en',
      ...fields,
      agentSettings: { flow, ...(fields as { agentSettings?: object }).agentSettings },
    });
    const read = async (place: string) => (await send(dashboard.service, 'GET', `/api/v1/${place}`, { key })).json;
    const visit = await dashboard.visit(`/agents/${agent.id}${path}`, { key });
    const saved = async () => flowOf(await read(`agents/${agent.id}`));
    return { ...visit, key, agent, saved, read };
  };
  const open = (...skills: readonly Skill[]) => openFlow({ skills } as unknown as Flow);
  const save = async (page: Page) => {
    await page.keyboard.press('ControlOrMeta+s');
    await unsaved(page).waitFor();
  };

  it('leads a route to the step that it is dropped on, anywhere on it', async () => {
    const { next: _, ...openEnded } = day;
    const { page, saved, complaints } = await open(greet, openEnded, done, bye);
    const edges = page.locator('.react-flow__edge');
    await nodeOf(page, 'day').and(page.getByLabel('1 problem')).waitFor();
    await edges.nth(2).waitFor({ state: 'attached' });
    assert.equal(await edges.count(), 3);
    // On its text, far from the dot.
    await drag(page, handleOf(nodeOf(page, 'day'), 'next'), nodeOf(page, 'done').getByText('Booked.'));
    await edges.nth(3).waitFor({ state: 'attached' });
    await nodeOf(page, 'day').click();
    assert.equal(await page.getByLabel('then', { exact: true }).inputValue(), 'done');
    await save(page);
    assert.deepEqual((await saved()).skills, [greet, { ...openEnded, next: 'done' }, done, bye]);

    // To another one: what was there is replaced.
    await drag(page, handleOf(nodeOf(page, 'greet'), 'routes.0.next'), nodeOf(page, 'bye').locator('.target'));
    await save(page);
    assert.deepEqual((await saved()).skills[0], { ...greet, routes: [{ when: ['yes'], next: 'bye' }] });
    assert.equal(await edges.count(), 4);
    assert.deepEqual(complaints, []);
  });

  it('creates a step where a route is dropped on the empty canvas, and undoes and redoes that', async () => {
    const { next: _, ...openEnded } = day;
    const { page, saved, complaints } = await open(greet, openEnded, done, bye);
    const nodes = page.locator('.react-flow__node');
    await nodes.nth(3).waitFor();
    const pane = await boxOf(page.locator('.react-flow__pane'));
    const at = { x: pane.x + pane.width * 0.5, y: pane.y + pane.height - 60 };
    await dragTo(page, handleOf(nodeOf(page, 'day'), 'next'), at);
    await page.getByRole('menu').getByText('New step for “day · then”').waitFor();
    await page.getByRole('menuitem', { name: /^Say/ }).click();
    await nodeOf(page, 'say_1').waitFor();
    await page.locator('[id="field-agentSettings.flow.skills.4.id"]:focus').waitFor();
    const box = await boxOf(nodeOf(page, 'say_1'));
    assert.ok(Math.abs(box.x - at.x) < 12 && Math.abs(box.y - at.y) < 30, JSON.stringify({ box, at }));
    await page.getByLabel('Says').fill('One moment.');
    await page.getByLabel('then', { exact: true }).selectOption('done');
    await save(page);
    const { skills, layout } = await saved();
    assert.deepEqual(skills[1], { ...openEnded, next: 'say_1' });
    assert.deepEqual(skills[4], { id: 'say_1', type: 'say', text: 'One moment.', next: 'done' });
    assert.deepEqual(Object.keys(layout as object), ['greet', 'day', 'done', 'bye', 'say_1']);

    await nodeOf(page, 'say_1').focus();
    // The target, the text as one edit, and the step with its place.
    await page.keyboard.press('ControlOrMeta+z');
    await nodeOf(page, 'say_1').getByText('choose where it goes').waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await nodeOf(page, 'say_1').getByText('One moment.').waitFor({ state: 'detached' });
    await button(page, 'Undo').click();
    await nodeOf(page, 'say_1').waitFor({ state: 'detached' });
    assert.equal(await button(page, 'Undo').getAttribute('aria-disabled'), 'true');
    for (let count = 0; count < 3; count += 1) await page.keyboard.press('ControlOrMeta+Shift+z');
    await nodeOf(page, 'say_1').getByText('One moment.').waitFor();
    await unsaved(page).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('copies, duplicates, moves and removes several steps at once', async () => {
    const { page, saved, complaints } = await open(greet, day, done, bye);
    const nodes = page.locator('.react-flow__node');
    await nodes.nth(3).waitFor();
    await nodeOf(page, 'day').click();
    await nodeOf(page, 'done').click({ modifiers: ['Shift'] });
    await page.getByRole('heading', { name: '2 steps selected' }).waitFor();
    await page.keyboard.press('ControlOrMeta+d');
    await nodes.nth(5).waitFor({ state: 'attached' });
    // The copies are selected, and lead to each other.
    await page.getByText('day_2', { exact: true }).first().waitFor();
    await page.keyboard.press('Delete');
    await nodes.nth(4).waitFor({ state: 'detached' });

    await page.keyboard.press('ControlOrMeta+z');
    await nodes.nth(5).waitFor({ state: 'attached' });
    await save(page);
    const { skills } = await saved();
    assert.deepEqual(skills[4], { ...day, id: 'day_2', next: 'done_2' });
    assert.deepEqual(skills[5], { ...done, id: 'done_2' });

    // Alt and the arrow keys move what is selected, which keeps all places.
    await nodeOf(page, 'greet').click();
    await page.keyboard.press('Alt+ArrowDown');
    await save(page);
    const first = (await saved()).layout as Record<string, { x: number; y: number }>;
    await page.keyboard.press('ControlOrMeta+a');
    await page.getByRole('heading', { name: '6 steps selected' }).waitFor();
    await page.keyboard.press('Alt+ArrowRight');
    await save(page);
    const second = (await saved()).layout as Record<string, { x: number; y: number }>;
    for (const [id, { x, y }] of Object.entries(first)) assert.deepEqual(second[id], { x: x + 16, y });

    // Back to the automatic arrangement.
    await button(page, 'Arrange automatically').click();
    await save(page);
    assert.equal('layout' in (await saved()), false);
    assert.deepEqual(complaints, []);
  });

  it('pastes steps that were copied in another agent', async () => {
    const { page, saved } = await open(greet, day, done, bye);
    await nodeOf(page, 'day').waitFor();
    const copied = { skills: [step('hello', { next: 'day' }), step('there', { next: 'elsewhere' })] };
    const paste = (text: string) =>
      page.evaluate((content) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', content);
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }, text);
    await paste('Hello');
    await page.getByText('There are no steps in the clipboard.').waitFor();
    await paste(JSON.stringify(copied));
    await nodeOf(page, 'hello').waitFor();
    await save(page);
    const { skills } = await saved();
    assert.deepEqual(skills.slice(4), [
      step('hello', { next: 'day' }),
      { id: 'there', type: 'say', text: 'Text of there.' },
    ]);

    const text = await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      document.body.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));
      return clipboardData.getData('text/plain');
    });
    assert.deepEqual(JSON.parse(text).skills, skills.slice(4));
  });

  it('keeps where a step was dragged to, and leads the edges around it', async () => {
    const { page, saved } = await open(greet, day, done, bye);
    await nodeOf(page, 'bye').waitFor();
    await page.locator('.react-flow__edge').nth(3).waitFor({ state: 'attached' });
    const before = await boxOf(nodeOf(page, 'bye'));
    const head = nodeOf(page, 'bye').getByText('bye', { exact: true }).first();
    const from = await centerOf(head);
    await dragTo(page, head, { x: from.x - 200, y: from.y + 190 });
    const after = await boxOf(nodeOf(page, 'bye'));
    // The drag begins with the second of its ten moves.
    assert.ok(Math.abs(after.x - before.x + 180) < 30, JSON.stringify({ before, after }));
    await save(page);
    const { layout } = await saved();
    await page.reload();
    await nodeOf(page, 'bye').waitFor();
    assert.equal(Object.keys(layout as object).length, 4);
    await edgesAreCurrent(page);
    assert.deepEqual(await hiddenEdges(page), []);
  });

  for (const [name, flow] of [
    ['the salon', salon()],
    ['60 generated steps', generatedFlow(60, 7)],
  ] as const) {
    it(`draws no edge behind a step: ${name}`, async () => {
      const { page, complaints } = await openFlow(flow);
      await page
        .locator('.react-flow__node')
        .nth(flow.skills.length - 1)
        .waitFor({ timeout: 60_000 });
      await edgesAreCurrent(page);
      assert.deepEqual(await hiddenEdges(page), []);
      // Every name can be read without zooming.
      const letters = await page.evaluate(() => {
        const zoom = Number(
          getComputedStyle(document.querySelector('[data-is-far], .react-flow') as Element).getPropertyValue('--zoom'),
        );
        const sizes = [...document.querySelectorAll('.react-flow__node')].map((node) => {
          const [far, near] = [node.querySelector('[aria-hidden=true]:not(svg)'), node.querySelector('strong, span')];
          const shown = far !== null && getComputedStyle(far).display !== 'none' ? far : near;
          return Number.parseFloat(getComputedStyle(shown as Element).fontSize) * zoom;
        });
        return Math.min(...sizes);
      });
      if (flow.skills.length < 40) assert.ok(letters >= 9, `${letters} pixels`);
      assert.deepEqual(complaints, []);
    });
  }

  it('finds a step by any words in it', async () => {
    const { page } = await open(greet, day, done, bye);
    await nodeOf(page, 'bye').waitFor();
    await nodeOf(page, 'bye').focus();
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search steps' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('which');
    await page.getByRole('option').filter({ hasText: 'Which day?' }).waitFor();
    assert.equal(await page.getByRole('option').count(), 1);
    await page.keyboard.press('Enter');
    await nodeOf(page, 'day').and(page.locator(':focus')).waitFor();
    await page.getByRole('region', { name: 'Ask: day' }).waitFor();
  });

  it('keeps its edges in place while a step is edited', async () => {
    const { page } = await open(greet, day, done, bye);
    await nodeOf(page, 'day').click();
    await page.locator('.react-flow__edge').nth(3).waitFor({ state: 'attached' });
    const removed = await page.evaluateHandle(() => {
      const count = { edges: 0 };
      const observer = new MutationObserver((records) => {
        count.edges += records.flatMap(({ removedNodes }) => [...removedNodes]).length;
      });
      observer.observe(document.querySelector('.react-flow__edges') as Element, { childList: true });
      return count;
    });
    await page.getByLabel('Says').press('End');
    await page.keyboard.type(' Please.');
    await nodeOf(page, 'day').getByText('Which day? Please.').waitFor();
    assert.deepEqual(await removed.jsonValue(), { edges: 0 });
  });

  it('starts a chat at a step, only with what is saved', async () => {
    const { page, read } = await open(greet, day, done, bye);
    const run = page.getByRole('button', { name: 'Run from here' });
    await nodeOf(page, 'day').click();
    await page.getByLabel('Says').fill('On which day?');
    assert.equal(await run.isDisabled(), true);
    await page.keyboard.press('ControlOrMeta+s');
    await unsaved(page).waitFor();
    await run.click();
    await logOf(page).getByText('On which day?').waitFor();
    assert.equal(await logOf(page).getByText(greet.text).count(), 0, 'not from the beginning');
    await say(page, 'tomorrow');
    await logOf(page).getByText(done.text).waitFor();
    const [call] = (await read('calls')).items;
    assert.deepEqual([call.engine, call.endReason], ['flow', 'agent_hangup']);
    assert.deepEqual(Object.keys(call.collectedVariables), ['day']);
  });

  it('highlights the step that the chat is at', async () => {
    const { page } = await open(greet, day, done, bye);
    const active = page.locator('.react-flow__node').filter({ has: page.locator('[data-is-active]') });
    const isAt = async (skill: Skill) => {
      await active.filter({ hasText: String(skill.text) }).waitFor();
      assert.equal(await active.count(), 1);
      assert.match((await active.getAttribute('aria-label')) ?? '', /the call is here/);
    };
    await nodeOf(page, 'greet').waitFor();
    assert.equal(await active.count(), 0);
    await tryByChat(page);
    await isAt(greet);
    await say(page, 'yes, please');
    await isAt(day);
    await say(page, 'tomorrow');
    await logOf(page).getByText(done.text).waitFor();
    await active.waitFor({ state: 'detached' });
  });

  it('adds a transfer to a number of the agent, and shows what is wrong with it', async () => {
    const { page, key, agent, saved, complaints } = await open(greet, day, done, bye);
    const transfers = [{ name: 'front_desk', description: 'Who wants to speak to a person', to: '+81312345678' }];
    const flow = { skills: [{ ...greet, routes: [{ when: ['yes'] }], otherwise: 'day' }, day, done, bye] };
    const body = { agentSettings: { flow, phone: { transfers } } };
    await send(dashboard.service, 'PATCH', `/api/v1/agents/${agent.id}`, { key, body });
    await page.reload();
    await nodeOf(page, 'greet').click();
    await button(page, 'Transfer').click();
    await nodeOf(page, 'transfer_1').and(page.getByLabel('1 problem')).waitFor();
    await page.getByLabel('Says').fill('One moment, please.');
    const name = page.getByLabel('Transfers to');
    await name.fill('back_desk');
    await page.locator('datalist option[value=front_desk]').waitFor({ state: 'attached' });
    await page.getByLabel('if it fails', { exact: true }).selectOption('bye');
    await nodeOf(page, 'transfer_1').getByText('if it fails').waitFor();
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('is not the name of a transfer in agentSettings.phone.transfers').waitFor();
    assert.equal(await name.getAttribute('aria-invalid'), 'true');

    await name.fill('front_desk');
    await page.keyboard.press('ControlOrMeta+s');
    await nodeOf(page, 'transfer_1').and(page.getByLabel('1 problem')).waitFor({ state: 'detached' });
    await unsaved(page).waitFor();
    const { skills } = await saved();
    assert.deepEqual(skills[0]?.routes, [{ when: ['yes'], next: 'transfer_1' }]);
    const added = { id: 'transfer_1', type: 'transfer', transfer: 'front_desk', text: 'One moment, please.' };
    assert.deepEqual(skills[4], { ...added, otherwise: 'bye' });
    assert.deepEqual(complaints, []);
  });

  it('names its problems on the step, in the list, in the form and in the publish dialog', async () => {
    // Only the service knows that there is no such tool.
    const book = { id: 'book', type: 'tool', tool: 'book_table', arguments: {}, next: 'done', otherwise: 'bye' };
    const routes = [...greet.routes, { when: ['no'] }];
    const skills = [{ ...greet, routes }, { ...day, next: 'book' }, book, done, bye];
    const { page, key, agent } = await open(...skills);
    const problems = page.locator('.react-flow__node').filter({ has: page.locator('[data-is-invalid]') });
    await problems.nth(1).waitFor();
    const names = await problems.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('aria-label')));
    assert.deepEqual(names, ['Choose greet, Start, 1 problem', 'Tool book, 1 problem']);
    await nodeOf(page, 'greet').getByText('choose where it goes').waitFor();
    await button(page, 'greet · Route 2: choose where it goes').waitFor();
    await button(page, /^book · Tool: /).click();
    const tool = page.getByLabel('Tool', { exact: true });
    await tool.and(page.locator(':focus')).waitFor();
    assert.equal(await tool.getAttribute('aria-invalid'), 'true');
    await page.getByText('List', { exact: true }).click();
    await page.getByRole('listitem').filter({ hasText: 'no → choose where it goes' }).waitFor();
    await page.getByText('Graph', { exact: true }).click();

    await button(page, /^Publish/).click();
    const dialog = page.getByRole('dialog');
    const items = await dialog.getByRole('region', { name: 'problems' }).locator('li li').allTextContents();
    assert.equal(items[0], 'greet · Route 2: choose where it goes');
    await dialog.getByRole('link', { name: 'greet · Route 2' }).click();
    await page.locator('[id="field-agentSettings.flow.skills.0.routes.1.next"]:focus').waitFor();
    // Fixed elsewhere.
    const tools = [{ name: 'book_table', description: 'Books a table', url: 'https://booking.example.com/' }];
    const flow = { skills: [greet, ...skills.slice(1)] };
    const path = `/api/v1/agents/${agent.id}`;
    await send(dashboard.service, 'PATCH', path, { key, body: { agentSettings: { flow, tools } } });
    await page.reload();
    await page.getByText('No problems found.', { exact: true }).waitFor();
    await nodeOf(page, 'book').waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(await problems.count(), 0);
  });

  it('runs a script, walks the graph and colors in what was taken', async () => {
    const { page, complaints } = await open(greet, day, done, bye);
    await nodeOf(page, 'bye').waitFor();
    await page.getByText('Simulate', { exact: true }).click();
    const run = button(page, /^Run$/);
    await run.click();
    await page.getByText('Paste a script, write one, or record a call.').waitFor();
    const script = page.getByLabel('Script', { exact: true });
    await script.fill('- say "yes"\n- whisper "tomorrow"');
    await run.click();
    await page.getByText(/^Step 2 of the script: /).waitFor();
    await script.fill('steps:\n  - say "yes"\n  - say "tomorrow"\n  - expect end agent_hangup\n');
    await run.click();
    await page.getByText('All expectations were met').waitFor();
    await page.getByText('2 of 4 routes taken').first().waitFor();
    // Without motion, it is at its end, and goes back step by step.
    const active = page.locator('.react-flow__node').filter({ has: page.locator('[data-is-active]') });
    await active.filter({ hasText: 'Booked.' }).waitFor();
    await button(page, 'Previous step').click();
    await active.filter({ hasText: 'Which day?' }).waitFor();
    await button(page, 'Previous step').click();
    await active.filter({ hasText: 'Hello. A table?' }).waitFor();
    const taken = page.locator('.react-flow__node [data-is-taken=true]');
    assert.deepEqual(await taken.allInnerTexts(), ['yes', 'then']);

    await script.fill('- say "no idea"\n- say "what"\n- say "hm"\n- say "well"\n- say "maybe"');
    await run.click();
    await page.getByText('3 of 4 routes taken').first().waitFor();
    await button(page, 'Clear colors').click();
    await taken.first().waitFor({ state: 'detached' });
    assert.equal(await page.locator('[data-is-active]').count(), 0);
    assert.deepEqual(complaints, []);
  });

  it('explores every route, names what is wrong, and plays the conversation to each end', async () => {
    const routes = [
      { when: ['/yes|yep/'], next: 'day' },
      { when: ['yes', 'later'], next: 'bye' },
    ];
    const { page, complaints } = await open({ ...greet, routes }, day, done, bye);
    await nodeOf(page, 'bye').waitFor();
    await page.getByText('Simulate', { exact: true }).click();
    const audit = newAudit();
    await page.getByText('Explore all routes').click();
    await button(page, /^Explore$/).click();
    await page.getByText('7 of 7 routes can be taken').first().waitFor();
    const taken = page.locator('.react-flow__node [data-is-taken=true]');
    assert.deepEqual(await taken.allInnerTexts(), ['/yes|yep/', 'yes, later', 'otherwise', 'then', 'otherwise']);
    await audit.look(page, 'exploration', 'main');
    audit.assertClean();

    // A conversation of its own for each end, which is a script to go on with.
    await button(page, 'Play the conversation to “done”').click();
    await page.getByText('All expectations were met').waitFor();
    assert.match(await page.getByLabel('Script', { exact: true }).inputValue(), /expect end agent_hangup/);
    await page.getByText('2 of 5 routes taken').first().waitFor();
    assert.deepEqual(await taken.allInnerTexts(), ['/yes|yep/', 'then']);

    // Back at the exploration, its colors are back, and a problem leads to its place.
    await page.getByText('Explore all routes').click();
    await taken.nth(4).waitFor();
    await button(page, /^greet · Route 2 · Words: “yes” already leads elsewhere: Route 1$/).click();
    await page.locator('[id^="field-agentSettings.flow.skills.0.routes.1"]:focus').waitFor();
    await page.getByLabel('Words, one per line').nth(1).fill('later');
    await page.getByText('Simulate', { exact: true }).click();
    await page.getByText('The flow has changed since then. Explore it again.').waitFor();
    assert.equal(await button(page, /^Explore$/).isDisabled(), true);
    await save(page);
    await button(page, /^Explore$/).click();
    await page.getByText('No problems found.').waitFor();
    assert.deepEqual(complaints, []);
  });

  it('records the chat at the side as a script that passes', async () => {
    const { page, complaints } = await open(greet, day, done, bye);
    await nodeOf(page, 'bye').waitFor();
    await page.getByText('Simulate', { exact: true }).click();
    await tryByChat(page);
    await logOf(page).getByText(greet.text).waitFor();
    await say(page, 'yes, please');
    await logOf(page).getByText(day.text).waitFor();
    const record = page.getByLabel('Record a call or chat');
    await record.selectOption({ label: 'The conversation in the side panel' });
    const script = page.getByLabel('Script', { exact: true });
    await page.waitForFunction(
      (element) => (element as HTMLTextAreaElement).value.includes('yes, please'),
      await script.elementHandle(),
    );
    assert.match(await script.inputValue(), /expect agent says .*Which day/);
    await button(page, /^Run$/).click();
    await page.getByText('All expectations were met').waitFor();
    await page.getByText('1 of 4 routes taken').first().waitFor();
    assert.deepEqual(complaints, []);
  });

  it('shares what is not saved with the form, and asks before it is lost', async () => {
    const { page, agent, key, read } = await open(greet, day, done, bye);
    await nodeOf(page, 'bye').click();
    await page.getByLabel('Says').fill('See you.');
    await page.getByText('Unsaved changes: 1 field').waitFor();
    // To the form of the agent, its code, and back: nothing is asked, and nothing is lost.
    await page.getByRole('link', { name: agent.name }).click();
    await page.getByRole('link', { name: 'Code', exact: true }).click();
    await page.getByText('See you.').first().waitFor();
    await page.getByRole('link', { name: /^Flow/ }).click();
    await page.getByRole('link', { name: 'Open the flow editor', exact: true }).click();
    await nodeOf(page, 'bye').getByText('See you.').waitFor();
    await button(page, 'Undo').click();
    await unsaved(page).waitFor();
    await button(page, 'Redo').click();
    await page.getByText('Unsaved changes: 1 field').waitFor();

    // Somebody else changes the same.
    const theirs = { skills: [greet, day, { ...done, text: 'Theirs.' }, bye] };
    await send(dashboard.service, 'PATCH', `/api/v1/agents/${agent.id}`, {
      key,
      body: { agentSettings: { flow: theirs } },
    });
    await page.keyboard.press('ControlOrMeta+s');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Changed by both').waitFor();
    await dialog.getByRole('radio', { name: 'Use theirs' }).check();
    await button(page, 'Save merged').click();
    await dialog.waitFor({ state: 'detached' });
    await nodeOf(page, 'done').getByText('Theirs.').waitFor();
    assert.deepEqual(flowOf(await read(`agents/${agent.id}`)).skills, theirs.skills);
    // There is nothing to undo in what they have made.
    assert.equal(await button(page, 'Undo').getAttribute('aria-disabled'), 'true');

    await nodeOf(page, 'bye').click();
    await page.getByLabel('Says').fill('Not saved.');
    await page.evaluate(() => {
      const link = document.createElement('a');
      link.href = '/calls';
      document.querySelector('main')?.append(link);
      link.click();
    });
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    await button(page, 'Keep editing').click();
    assert.equal(await page.getByLabel('Says').inputValue(), 'Not saved.');
  });

  it('can be used by keyboard alone, as a graph and as a list', async () => {
    const { next: _, ...openEnded } = day;
    const { page, saved, complaints } = await open(greet, openEnded, bye);
    const { press, type, isAt, isAtText, goTo, goToText } = keyboardOf(page);
    const items = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    const itemOf = (id: string) => items.filter({ has: page.getByText(id, { exact: true }) });
    await nodeOf(page, 'day').waitFor();
    await goTo('a[href="#content"]');
    await press('Enter');
    await goTo('.react-flow__node[data-id="0"]');
    // To the right, and into its form.
    await press('ArrowRight');
    await isAt('.react-flow__node[data-id="1"]');
    await press('Enter');
    await isAt('[id$="skills.1.id"]');
    // A route to a new step.
    await goTo('[id$="skills.1.next"]');
    await goToText('New step for “then”');
    await press('Enter');
    await isAtText('Say');
    await press('ArrowUp');
    await isAtText('End');
    await press('Enter');
    await page.getByRole('heading', { name: 'End: end_1' }).waitFor();
    await isAt('[id$="skills.3.id"]');
    await press('ControlOrMeta+a');
    await type('done');
    await goTo('[id$="skills.3.text"]');
    await type('Booked.');

    // Undo and redo outside of fields.
    await goTo('.react-flow__node[data-id="3"]', 'Shift+Tab');
    await press('ControlOrMeta+z');
    await nodeOf(page, 'done').getByText('Booked.').waitFor({ state: 'detached' });
    await press('ControlOrMeta+y');
    await nodeOf(page, 'done').getByText('Booked.').waitFor();

    await goTo('[type=radio][value=graph]', 'Shift+Tab');
    await press('ArrowRight');
    await itemOf('day').getByText('then → done').waitFor();
    // A route to a step that exists.
    await goToText('day');
    await press('Enter');
    await isAt('[id$="skills.1.id"]');
    await goTo('[id$="skills.1.otherwise"]');
    await type('done');
    await itemOf('day').getByText('otherwise → done').waitFor();
    await press('ControlOrMeta+s');
    await unsaved(page).waitFor();
    const { skills } = await saved();
    assert.deepEqual(skills, [greet, { ...openEnded, next: 'done', otherwise: 'done' }, bye, done]);

    // A chat from there on.
    await goToText('Run from here');
    await press('Enter');
    await logOf(page).getByText(day.text).waitFor();
    await itemOf('day').getByText('the call is here').waitFor();
    await isAt('textarea');
    await type('tomorrow');
    await press('Enter');
    await logOf(page).getByText(done.text).waitFor();
    await page.getByText('the call is here').waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
  });

  it('has no serious issue for axe, in any of its states', async () => {
    const audit = newAudit();
    const { page } = await open(
      { ...greet, otherwise: 'nowhere' },
      day,
      { id: 'check', type: 'branch', routes: [{ if: { field: 'collectedVariables.day', op: 'exists', value: true } }] },
      bye,
    );
    await page.locator('.react-flow__node').nth(3).waitFor();
    await audit.look(page, 'nothing selected', 'main', true);
    for (const id of ['greet', 'day', 'check', 'bye']) {
      await nodeOf(page, id).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: `: ${id}` }).waitFor();
      await audit.look(page, `the form of ${id}`, 'main', true);
    }
    await nodeOf(page, 'bye').focus();
    await page.keyboard.press('ControlOrMeta+a');
    await page.getByRole('heading', { name: '4 steps selected' }).waitFor();
    await audit.look(page, 'several selected', 'main', true);
    await page.keyboard.press('/');
    await page.getByRole('option').first().waitFor();
    await audit.look(page, 'search', 'main', true);
    await page.keyboard.press('Escape');
    await page.getByText('List', { exact: true }).click();
    await page.getByRole('listitem').nth(3).waitFor();
    await audit.look(page, 'list', 'main');
    await page.getByText('Simulate', { exact: true }).click();
    await page.getByLabel('Script', { exact: true }).fill('- say "yes"');
    await audit.look(page, 'simulation', 'main');
    audit.assertClean();
  });

  it('fits a phone, in Japanese', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, {
      responseEngineType: 'conversation_flow',
      agentSettings: { flow: salon() },
    });
    const { page, complaints } = await dashboard.visit(`/agents/${agent.id}/flow`, {
      key,
      locale: 'ja-JP',
      viewport: { width: 390, height: 844 },
    });
    await page.getByRole('list', { name: 'ステップ' }).getByRole('listitem').first().waitFor();
    await page.getByText('グラフ', { exact: true }).click();
    await page.locator('.react-flow__node').first().waitFor({ timeout: 60_000 });
    await page.locator('.react-flow__node[data-id="0"]').click();
    await page.getByRole('region', { name: '選ぶ：menu' }).waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${width} pixels wide`);
    await button(page, 'フォームを閉じる').click();
    await button(page, 'シミュレーション').click();
    await page.getByLabel('スクリプト', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });
});

function salon(): Flow {
  const file = new URL('../../examples/salon/agent.yaml', import.meta.url);
  return (parse(readFileSync(file, 'utf8')) as { agentSettings: { flow: Flow } }).agentSettings.flow;
}

/** The edges that pass behind a step, measured on the page. */
async function hiddenEdges(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const boxes = [...document.querySelectorAll<HTMLElement>('.react-flow__node')].map((node) => {
      const { e, f } = new DOMMatrix(getComputedStyle(node).transform);
      return { left: e + 3, top: f + 3, right: e + node.offsetWidth - 3, bottom: f + node.offsetHeight - 3 };
    });
    return [...document.querySelectorAll('.react-flow__edge')].flatMap((edge) => {
      const path = edge.querySelector<SVGPathElement>('.react-flow__edge-path');
      if (path === null) return ['without a path'];
      const length = path.getTotalLength();
      for (let at = 0; at <= length; at += 3) {
        const { x, y } = path.getPointAtLength(at);
        const isInside = boxes.some((box) => x > box.left && x < box.right && y > box.top && y < box.bottom);
        if (isInside) return [edge.getAttribute('aria-label') ?? ''];
      }
      return [];
    });
  });
}

/** All edges have the corners of the layout, not those of a moment before. */
async function edgesAreCurrent(page: Page): Promise<void> {
  await page.locator('[data-is-laid-out]').waitFor();
}

function handleOf(node: Locator, path: string): Locator {
  return node.locator(`[data-handleid="${path}"]`);
}

async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await dragTo(page, from, await centerOf(to));
}

async function dragTo(page: Page, from: Locator, end: { readonly x: number; readonly y: number }): Promise<void> {
  const start = await centerOf(from);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 10 });
  await page.mouse.up();
}

async function centerOf(element: Locator): Promise<{ readonly x: number; readonly y: number }> {
  const box = await boxOf(element);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  assert.ok(box !== null, 'it is on the page');
  return box;
}
