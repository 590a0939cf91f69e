import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
// @ts-expect-error scripts have no types
import { checkSite } from '../../scripts/site/check-site.mjs';
// @ts-expect-error scripts have no types
import { writeLlms } from '../../scripts/site/llms-of-site.mjs';
// @ts-expect-error scripts have no types
import { putTogether } from '../../scripts/site/versions.mjs';

/** A folder of pages, which is gone after the test. */
class Pages implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'voicebot-site-'));

  /** @param files what they hold, by their paths */
  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    }
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  get problems(): string[] {
    return checkSite(this.folder).problems;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

test('a site whose links and anchors lead somewhere is whole, and may lead elsewhere by plain links', () => {
  using site = new Pages({
    'index.html':
      '<a href="docs/a.html#part">a</a> <a href="docs/">docs</a> <a href="https://example.com/x">elsewhere</a>',
    'docs/index.html': '<a href="../index.html?x=1&amp;y=2">first</a> <img src="data:image/png;base64,AA">',
    'docs/a.html':
      '<h2 id="part">Part</h2><a href="#part">here</a><script>const html = \'<a href="nowhere">\';</script>',
  });
  expect(checkSite(site.folder)).toEqual({ problems: [], pages: 3, links: 4 });
});

test.each([
  ['a page that is not there', '<a href="gone.html">x</a>', 'leads to gone.html, which is not there'],
  ['an anchor that is not there', '<a href="#gone">x</a>', 'leads to #gone, where nothing has that name'],
  ['a file outside', '<a href="../../etc/">x</a>', 'leads to ../../etc/, which is not'],
  ['a picture that is not there', '<img alt="" src="gone.png">', 'leads to gone.png, which is not there'],
  ['a foreign script', '<script async src="https://cdn.example/x.js"></script>', 'loads https://cdn.example/x.js'],
  ['a foreign font', '<link rel="stylesheet" href="//fonts.example/x.css">', 'loads //fonts.example/x.css'],
  ['a foreign style', '<style>@import "https://x.example/a.css";</style>', 'loads https://x.example/a.css'],
])('it is told of %s', (_what, html, problem) => {
  using site = new Pages({ 'index.html': html });
  expect(site.problems).toEqual([expect.stringContaining(`index.html: ${problem}`)]);
});

test('a style sheet that loads a font from elsewhere is told', () => {
  using site = new Pages({ 'a.css': '@font-face { src: url("https://fonts.example/a.woff2") }' });
  expect(site.problems).toEqual(['a.css: loads https://fonts.example/a.woff2']);
});

test('a version stands beside those of the site before, and the newest of them is the latest', () => {
  using before = new Pages({ '0.9.0/index.html': 'nine, before', '0.10.0/index.html': 'ten' });
  writeFileSync(join(before.folder, 'versions.json'), '{"versions":["0.10.0","0.9.0"]}');
  using now = new Pages({ '0.9.0/index.html': 'nine, again' });
  expect(putTogether(now.folder, '0.9.0', before.folder)).toEqual(['0.10.0', '0.9.0']);
  expect(JSON.parse(now.read('versions.json'))).toEqual({ latest: '0.10.0', versions: ['0.10.0', '0.9.0'] });
  expect(now.read('0.9.0/index.html')).toBe('nine, again');
  expect(now.read('latest/index.html')).toBe('ten');
  expect(now.problems).toEqual([]);
});

test('a folder that is no site, or lacks a version, is refused', () => {
  using nothing = new Pages({});
  using lacks = new Pages({ 'versions.json': '{"versions":["0.9.0","../x"]}' });
  using now = new Pages({ '1.0.0/index.html': 'one' });
  expect(() => putTogether(now.folder, '1.0.0', nothing.folder)).toThrow('has no versions.json');
  expect(() => putTogether(now.folder, '1.0.0', lacks.folder)).toThrow('has no folder of version 0.9.0, ../x');
});

test('the list for language models leads to the pages of the site, and a page that is not there is told', () => {
  using site = new Pages({ 'docs/bots.html': '', 'media/llms.txt': 'as TypeDoc has copied it' });
  writeLlms(site.folder, '- [A](docs/bots.md): one\n');
  expect(site.read('llms.txt')).toBe('- [A](docs/bots.html): one\n');
  expect(site.read('media/llms.txt')).toBe('- [A](../docs/bots.html): one\n');
  expect(() => writeLlms(site.folder, '- [B](docs/calls.md): two\n')).toThrow('docs/calls.html');
});
