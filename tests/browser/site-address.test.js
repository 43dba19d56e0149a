// A build that knows the address of its site: canonical addresses, pictures of previews, and the list for search engines.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SITE = 'https://keys.example/play';
const WWW = process.env.KEYLATCH_WWW ?? fileURLToPath(new URL('../../target/www', import.meta.url));
const sources = fileURLToPath(new URL('../../www', import.meta.url));

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'keylatch-site-'));
  const vite = join(sources, 'node_modules/vite/bin/vite.js');
  execFileSync(process.execPath, [vite, 'build', '--outDir', folder, '--logLevel', 'error'], {
    cwd: sources,
    env: { ...process.env, KEYLATCH_SITE: `${SITE}/` },
    stdio: 'pipe',
  });
});
after(() => rmSync(folder, { recursive: true }));

const read = (path) => readFileSync(join(folder, path), 'utf8');
const canonical = (html) => /<link rel="canonical" href="([^"]+)"/.exec(html)?.[1];
const property = (html, name) => new RegExp(`<meta property="${name}" content="([^"]+)"`).exec(html)?.[1];

test('pages name their own address and a picture with a host', () => {
  for (const [file, path] of [
    ['index.html', ''],
    ['commands/setnx/index.html', 'commands/setnx/'],
    ['lessons/index.html', 'lessons/'],
    ['recipes/redlock/index.html', 'recipes/redlock/'],
    ['docs/fencing.html', 'docs/fencing.html'],
  ]) {
    const html = read(file);
    assert.equal(canonical(html), `${SITE}/${path}`);
    assert.equal(property(html, 'og:url'), `${SITE}/${path}`);
    assert.equal(property(html, 'og:image'), `${SITE}/card.png`);
  }
  assert.equal(canonical(read('docs/index.html')), `${SITE}/commands/`, 'a page that has moved');
});

test('the sitemap has every page once, and no page that has moved', () => {
  const listed = [...read('sitemap.xml').matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address);
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.html'));
  const pages = files.filter((file) => !/<meta name="robots" content="noindex"/.test(read(file)));
  const addresses = pages.map((file) => `${SITE}/${file.replace(/(^|\/)index\.html$/, '$1')}`);
  assert.deepEqual(listed.sort(), addresses.sort());
});

test('a build without an address names none', () => {
  assert.equal(existsSync(join(WWW, 'sitemap.xml')), false);
  assert.equal(canonical(readFileSync(join(WWW, 'commands/setnx/index.html'), 'utf8')), undefined);
});
