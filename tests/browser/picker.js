// The list of sessions and lessons: its button, what it lists, and choosing from it.
import { readFileSync } from 'node:fs';

export const picker = (page) => page.getByRole('button', { name: /^Session or lesson:/ });

async function openList(page) {
  await picker(page).click();
  await page.getByLabel('Search sessions and lessons').waitFor();
}

export async function choose(page, title) {
  await openList(page);
  await page.locator('kl-session-picker').getByRole('link', { name: title, exact: true }).click();
}

/** Entries of a group, as `title` and `href`; none if there is no such group. */
export async function listed(page, group) {
  await openList(page);
  const links = page.locator(`kl-session-picker section[aria-label="${group}"] a`);
  const found = await links.evaluateAll((all) =>
    all.map((link) => ({ title: link.textContent, href: link.getAttribute('href') })),
  );
  await page.keyboard.press('Escape');
  return found;
}

export async function waitForLesson(page, name) {
  const text = readFileSync(new URL(`../../www/lessons/${name}.session`, import.meta.url), 'utf8');
  const title = /^##\s*(?:(?:Recipe|Task):\s*)?(.+)$/m.exec(text)[1];
  // The title begins with a capital letter here.
  await picker(page)
    .filter({ hasText: new RegExp(title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i') })
    .waitFor();
}
