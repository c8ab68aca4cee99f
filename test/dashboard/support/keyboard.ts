import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

const maxTabs = 60;

/** A user without a mouse: the test only presses keys. */
export function keyboardOf(page: Page) {
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), done());
  /** The element has the focus, and it is visible. */
  const isAt = async (selector: string) => {
    await page.locator(`:is(${selector}):focus`).waitFor({ state: 'attached' });
    const isShown = await page.evaluate(() => {
      const focused = document.activeElement as HTMLElement;
      // The start of a page is not a control, and some controls draw the focus ring around another element.
      const around = [focused.nextElementSibling, focused.parentElement, focused.firstElementChild];
      const drawn = [focused, ...around, ...(labelsOf(focused) ?? [])];
      return focused.tagName === 'MAIN' || focused.tagName === 'H2' || drawn.some((element) => hasRing(element));
      function labelsOf(element: HTMLElement) {
        return (element as HTMLInputElement).labels;
      }
      function hasRing(element: Element | null) {
        if (element === null) return false;
        const { outlineStyle, outlineWidth, borderColor } = getComputedStyle(element);
        return (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1) || borderColor === 'rgb(11, 107, 203)';
      }
    });
    assert.ok(isShown, `the focus on ${selector} cannot be seen`);
    const cover = await page.evaluate(() => {
      const focused = document.activeElement as HTMLElement;
      const { left, top, width, height } = focused.getBoundingClientRect();
      if (width < 2 || focused.tagName === 'MAIN') return null;
      const seen = document.elementFromPoint(left + width / 2, top + height / 2);
      return seen?.closest('[data-is-save-bar]')?.contains(focused) === false ? 'the bar that saves' : null;
    });
    assert.equal(cover, null, `${selector} is covered`);
  };
  const goTo = async (selector: string, key = 'Tab') => {
    for (let count = 0; count < maxTabs; count += 1) {
      await page.keyboard.press(key);
      const isThere = await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector);
      if (isThere) return isAt(selector);
    }
    assert.fail(`${selector} is not reached within ${maxTabs} steps`);
  };
  /** A button, a link or an item by its text. */
  const goToText = async (text: string, key = 'Tab') => {
    for (let count = 0; count < maxTabs; count += 1) {
      await page.keyboard.press(key);
      const name = await page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
      );
      if (name.startsWith(text)) return isAt('*');
    }
    assert.fail(`“${text}” is not reached within ${maxTabs} steps`);
  };
  const isAtText = (text: string) => page.locator(':focus', { hasText: text }).waitFor();
  /** A new page starts at its top, with its title announced. */
  const hasArrived = async (title: string) => {
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    await isAt('main');
    await page.waitForFunction((wanted) => document.title === wanted, `${title} · Voice Agents`);
    await page.locator('[role=status]', { hasText: `${title} · Voice Agents` }).waitFor({ state: 'attached' });
  };
  const isInDialog = async (name: string) => {
    await page.getByRole('dialog', { name }).waitFor();
    await page.locator('[role=dialog] :focus').waitFor();
  };
  return {
    press,
    type: (text: string) => page.keyboard.type(text),
    isAt,
    isAtText,
    goTo,
    goToText,
    hasArrived,
    isInDialog,
  };
}

async function done(): Promise<void> {}
