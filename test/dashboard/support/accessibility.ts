import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const wide = { width: 1280, height: 800 };
const widest = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };

/** Rules that can differ between light and dark, or between wide and narrow screens. All others run once. */
const changingRules = ['color-contrast', 'target-size', 'scrollable-region-focusable'];

let source: string | undefined;

/** Checks pages in several states, and reports all violations at the end. */
export interface Audit {
  /**
   * Runs every rule on a wide, light screen, then those that depend on it on a narrow, dark one. `within` limits the
   * check to a dialog or a menu on a page that has been checked before. `isOnlyWide` skips the narrow screen.
   */
  look(page: Page, state: string, within?: string, isOnlyWide?: boolean): Promise<void>;
  /** Fails if there was a serious violation. */
  assertClean(): void;
}

/** `isQuick`: only on a wide, light screen. */
export function newAudit({ isQuick = false } = {}): Audit {
  const found: string[] = [];
  return {
    look: async (page, state, within, isOnlyWide = false) => {
      found.push(...(await findings(page, within)).map((text) => `${state}: ${text}`));
      if (isQuick) return;
      if (!isOnlyWide) await page.setViewportSize(await wholePage(page));
      await color(page, 'dark');
      found.push(
        ...(await findings(page, within, changingRules)).map(
          (text) => `${state}, dark${isOnlyWide ? '' : ' and narrow'}: ${text}`,
        ),
      );
      if (!isOnlyWide) await page.setViewportSize(wide);
      await color(page, 'light');
    },
    assertClean: () => assert.deepEqual(found, []),
  };
}

/**
 * All violations and what does not fit the screen, wide and narrow. In the dark, only the rules that depend on it run
 * again. `within` limits the rules to a dialog or a menu.
 */
export async function everyLook(page: Page, within?: string): Promise<string[]> {
  const found: string[] = [];
  for (const [name, size] of Object.entries({ wide: widest, narrow })) {
    await page.setViewportSize(size);
    const tooWide = await overflow(page);
    if (tooWide !== null) found.push(`${name}: ${tooWide}`);
    if (name === 'narrow') await page.setViewportSize(await wholePage(page));
    const light = await violations(page, within);
    await color(page, 'dark');
    const dark = await violations(page, within, ['color-contrast']);
    await color(page, 'light');
    found.push(...light.map((text) => `${name}: ${text}`), ...dark.map((text) => `${name}, dark: ${text}`));
  }
  await page.setViewportSize(widest);
  return found;
}

/** What makes the page, or a dialog, wider than the screen. */
function overflow(page: Page): Promise<string | null> {
  return page.evaluate(async () => {
    // A resized page is laid out again in the next frames.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    for (const element of [document.documentElement, ...document.querySelectorAll('[role=dialog]')]) {
      if (element.scrollWidth <= element.clientWidth) continue;
      const right = element.getBoundingClientRect().left + element.clientWidth;
      const outside = [...element.querySelectorAll('*')].find((part) => part.getBoundingClientRect().right > right + 1);
      return `${element.scrollWidth} pixels wide instead of ${element.clientWidth}: ${outside?.outerHTML.slice(0, 160)}`;
    }
    return null;
  });
}

/** A narrow screen as high as the page: what has scrolled halfway under a bar would count as too small. */
async function wholePage(page: Page) {
  await page.setViewportSize(narrow);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  return { ...narrow, height: Math.max(narrow.height, height) };
}

async function color(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
}

/** The serious violations. */
async function findings(page: Page, within?: string, rules?: string[]): Promise<string[]> {
  return violations(page, within, rules, ['serious', 'critical']);
}

/** axe is injected through the debugger, regardless of the page's policy. */
async function violations(
  page: Page,
  within = 'body',
  rules?: readonly string[],
  impacts?: readonly string[],
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${axeSource()};0`);
  const found = (await page.evaluate(
    async ([place, values]) => {
      const { axe } = window as unknown as { axe: { run(context: object, options: object): Promise<object> } };
      // The rows of a table are similar, and would take most of the time.
      const context = { include: [[place]], exclude: [['tbody tr:nth-child(n + 4)']] };
      const only = values === undefined ? {} : { runOnly: { type: 'rule', values } };
      const result = await axe.run(context, {
        resultTypes: ['violations'],
        rules: { 'target-size': { enabled: true } },
        ...only,
      });
      return (result as { violations: unknown }).violations;
    },
    [within, rules] as const,
  )) as Finding[];
  return found
    .filter(({ impact }) => impacts === undefined || impacts.includes(impact ?? ''))
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} (${failureSummary})`).join(' | ')}`,
    );
}

function axeSource(): string {
  const require = createRequire(import.meta.resolve('@axe-core/playwright'));
  source ??= readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
  return source;
}
