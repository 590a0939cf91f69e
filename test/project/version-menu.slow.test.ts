import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWithBrowser, sharedBrowser } from '../page/in-browser.js';
import { read } from './repository.js';

/** A page as TypeDoc makes it, as far as the menu is concerned. @param base from it to the folder of its version */
const page = (base: string) => `<!doctype html>
<html data-base="${base}"><header class="tsd-page-toolbar"><a class="title" href="${base}">voicebot</a></header>
<script>${read('scripts/site/version-menu.js')}</script></html>`;

const FILES: Readonly<Record<string, string>> = {
  '/site/versions.json': '{"latest":"0.2.0","versions":["0.2.0","0.1.0"]}',
  '/site/latest/': page('./'),
  '/site/latest/docs/new.html': page('../'),
  '/site/latest/docs/old.html': page('../'),
  '/site/0.1.0/': page('./'),
  '/site/0.1.0/docs/old.html': page('../'),
};

describeWithBrowser('the menu of versions on the site (needs chromium)', () => {
  const browser = sharedBrowser();
  let server: Server;
  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      const text = FILES[url];
      response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(text);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  test.each([
    ['the same page of another version', '/site/latest/docs/old.html', '/site/0.1.0/docs/old.html'],
    ['its first page where that version has no such page', '/site/latest/docs/new.html', '/site/0.1.0/'],
  ])('it leads to %s', async (_what, from, to) => {
    const opened = await browser().newPage();
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await opened.goto(at + from);
    const menu = opened.getByLabel('Version');
    expect(await menu.locator('option').allTextContents()).toEqual(['0.2.0 (latest)', '0.1.0']);
    expect(await menu.inputValue()).toBe('0.2.0');
    await menu.selectOption('0.1.0');
    await opened.waitForURL(at + to);
    expect(await opened.getByLabel('Version').inputValue()).toBe('0.1.0');
    await opened.close();
  });
});
