import type { Locator, Page } from 'playwright-core';

/** The panel for trying an agent. */
export function panelOf(page: Page): Locator {
  return page.getByRole('complementary');
}

export function logOf(page: Page): Locator {
  return panelOf(page).getByRole('log');
}

export async function say(page: Page, text: string): Promise<void> {
  await panelOf(page).getByLabel('Message').fill(text);
  await page.keyboard.press('Enter');
}
