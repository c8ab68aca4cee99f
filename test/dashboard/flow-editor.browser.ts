import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { createAgent, send } from '../support/client.ts';
import { useDashboard, withBrowser } from './support/browser.ts';
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

const skillsOf = ({ agentSettings }: Agent) => (agentSettings as { flow: { skills: Skill[] } }).flow.skills;
const unsaved = (page: Page) => page.locator('form [role=status]', { hasText: 'No unsaved changes' });
const nodeOf = (page: Page, id: string) =>
  page.locator('.react-flow__node').filter({ has: page.getByText(id, { exact: true }) });

describe('the flow editor', withBrowser, () => {
  const dashboard = useDashboard();
  const open = async (...skills: readonly Skill[]) => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, {
      responseEngineType: 'conversation_flow',
      language: 'en',
      agentSettings: { flow: { skills } },
    });
    const read = async (path: string) => (await send(dashboard.service, 'GET', `/api/v1/${path}`, { key })).json;
    const visit = await dashboard.visit(`/agents/${agent.id}`, { key });
    return { ...visit, key, agent, saved: async () => skillsOf(await read(`agents/${agent.id}`)), read };
  };

  it('leads a route to the skill that it is dragged to', async () => {
    const { next: _, ...openEnded } = day;
    const { page, saved, complaints } = await open(greet, openEnded, done, bye);
    const edges = page.locator('.react-flow__edge');
    await nodeOf(page, 'day').and(page.getByLabel('1 problem')).waitFor();
    assert.equal(await edges.count(), 3);
    await drag(page, handleOf(nodeOf(page, 'day'), 'next'), nodeOf(page, 'done').locator('.target'));
    await edges.nth(3).waitFor({ state: 'attached' });
    // Nothing is selected by dragging: the form shows what the graph has.
    await nodeOf(page, 'day').click();
    assert.equal(await page.getByLabel('then', { exact: true }).inputValue(), 'done');
    await page.keyboard.press('ControlOrMeta+s');
    await unsaved(page).waitFor();
    assert.deepEqual(await saved(), [greet, { ...openEnded, next: 'done' }, done, bye]);

    // To another one: what was there is replaced.
    await drag(page, handleOf(nodeOf(page, 'greet'), 'routes.0.next'), nodeOf(page, 'bye').locator('.target'));
    await page.keyboard.press('ControlOrMeta+s');
    await unsaved(page).waitFor();
    assert.deepEqual((await saved())[0], { ...greet, routes: [{ when: ['yes'], next: 'bye' }] });
    assert.equal(await edges.count(), 4);
    assert.deepEqual(complaints, []);
  });

  it('keeps its edges in place while a skill is edited', async () => {
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

  it('starts a chat at a skill, only with what is saved', async () => {
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

  it('highlights the skill that the chat is at', async () => {
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

  it('shows what prevents publishing on its skill, and in its form', async () => {
    // Only the service knows that there is no such tool.
    const book = { id: 'book', type: 'tool', tool: 'book_table', arguments: {}, next: 'done', otherwise: 'bye' };
    const { page, key, agent } = await open(greet, { ...day, next: 'book' }, book, done, bye);
    const problems = page.locator('.react-flow__node').filter({ has: page.locator('[data-is-invalid]') });
    await problems.waitFor();
    assert.match((await problems.getAttribute('aria-label')) ?? '', /^Tool book, 1 problem$/);
    await page.getByRole('button', { name: /^Publish/ }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'book.tool' }).click();
    const tool = page.getByLabel('Tool', { exact: true });
    await tool.and(page.locator(':focus')).waitFor();
    assert.equal(await tool.getAttribute('aria-invalid'), 'true');
    const issues = page.locator(`[id="${await tool.getAttribute('aria-describedby')}"]`);
    assert.notEqual((await issues.textContent()) ?? '', '');
    // Fixed elsewhere.
    const tools = [{ name: 'book_table', description: 'Books a table', url: 'https://booking.example.com/' }];
    const flow = { skills: [greet, { ...day, next: 'book' }, book, done, bye] };
    const path = `/api/v1/agents/${agent.id}`;
    await send(dashboard.service, 'PATCH', path, { key, body: { agentSettings: { flow, tools } } });
    await page.reload();
    await nodeOf(page, 'book').waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(await problems.count(), 0);
  });

  it('adds a transfer to a number of the agent, and shows what is wrong with it', async () => {
    const { page, key, agent, saved, complaints } = await open(greet, day, done, bye);
    const transfers = [{ name: 'front_desk', description: 'Who wants to speak to a person', to: '+81312345678' }];
    const flow = { skills: [{ ...greet, routes: [{ when: ['yes'] }], otherwise: 'day' }, day, done, bye] };
    const body = { agentSettings: { flow, phone: { transfers } } };
    await send(dashboard.service, 'PATCH', `/api/v1/agents/${agent.id}`, { key, body });
    await page.reload();
    await nodeOf(page, 'greet').click();
    await page.getByRole('button', { name: 'Add skill' }).click();
    await page.getByRole('menuitem', { name: /^Transfer/ }).click();
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
    const skills = await saved();
    assert.deepEqual(skills[0]?.routes, [{ when: ['yes'], next: 'transfer_1' }]);
    const added = { id: 'transfer_1', type: 'transfer', transfer: 'front_desk', text: 'One moment, please.' };
    assert.deepEqual(skills[4], { ...added, otherwise: 'bye' });
    assert.deepEqual(complaints, []);
  });

  it('can be used by keyboard alone, as a graph and as a list', async () => {
    const { next: _, ...openEnded } = day;
    const { page, saved, complaints } = await open(greet, openEnded, bye);
    const { press, type, isAt, isAtText, goTo, goToText } = keyboardOf(page);
    const items = page.getByRole('list', { name: 'Skills' }).getByRole('listitem');
    const itemOf = (id: string) => items.filter({ has: page.getByText(id, { exact: true }) });
    await nodeOf(page, 'day').waitFor();
    await goTo('a[href="#content"]');
    await press('Enter');
    await goTo('.react-flow__node[data-id="1"]');
    await press('Enter');
    await isAt('[id$="skills.1.id"]');
    await goTo('[type=radio][value=graph]', 'Shift+Tab');
    await press('ArrowRight');
    await itemOf('day').getByText('1 problem').waitFor();
    await itemOf('day').getByText('then → (nowhere)').waitFor();

    // A route to a new skill.
    await goToText('Ask day');
    await press('Enter');
    await isAt('[id$="skills.1.id"]');
    await page.getByRole('heading', { name: 'Ask: day' }).waitFor();
    await goToText('Add skill', 'Shift+Tab');
    await press('Enter');
    await isAtText('Say');
    await press('ArrowUp');
    await isAtText('End');
    await press('Enter');
    await page.getByRole('heading', { name: 'End: end_1' }).waitFor();
    await itemOf('day').getByText('then → end_1').waitFor();
    await isAt('[id$="skills.3.id"]');
    await press('ControlOrMeta+a');
    await type('done');
    await goTo('[id$="skills.3.text"]');
    await type('Booked.');
    await itemOf('day').getByText('then → done').waitFor();

    // A route to a skill that exists.
    await goToText('Ask day', 'Shift+Tab');
    await press('Enter');
    await goTo('[id$="skills.1.otherwise"]');
    await type('done');
    await itemOf('day').getByText('otherwise → done').waitFor();
    await press('ControlOrMeta+s');
    await unsaved(page).waitFor();
    assert.deepEqual(await saved(), [greet, { ...openEnded, next: 'done', otherwise: 'done' }, bye, done]);
    await items.filter({ hasText: 'problem' }).first().waitFor({ state: 'detached' });

    // A chat from there on.
    await isAt('[id$="skills.1.otherwise"]');
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
});

function handleOf(node: Locator, path: string): Locator {
  return node.locator(`[data-handleid="${path}"]`);
}

async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  const [start, end] = [await centerOf(from), await centerOf(to)];
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(end.x, end.y, { steps: 10 });
  await page.mouse.up();
}

async function centerOf(element: Locator): Promise<{ readonly x: number; readonly y: number }> {
  const box = await element.boundingBox();
  assert.ok(box !== null, 'it is on the page');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
