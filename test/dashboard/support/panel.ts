import type { Locator, Page } from 'playwright-core';

/** The panel for trying an agent. */
export function panelOf(page: Page): Locator {
  return page.getByRole('complementary');
}

export function logOf(page: Page): Locator {
  return panelOf(page).getByRole('log');
}

/** Opens the panel and starts a chat. A browser that has chosen before starts it at once. */
export async function tryByChat(page: Page, button: RegExp | string = /^(Try|試す)$/): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  await panelOf(page)
    .getByRole('button', { name: /^(Start chat|チャットを始める)$/ })
    .click();
}

export async function say(page: Page, text: string): Promise<void> {
  await panelOf(page).getByLabel('Message').fill(text);
  await page.keyboard.press('Enter');
}
