import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { type CliEvent, Voicebot } from '../../e2e/voicebot.js';

const FOLDER = join(PACKAGE_ROOT, 'test/lab/test/checks');

describe('what a bot has stored', () => {
  let home: string;
  let server: Server;
  let bookings: string[] = [];
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'voicebot-checked-'));
    bookings = [];
    server = createServer(async (request, response) => {
      if (request.method === 'POST') bookings.push(await text(request));
      response.end(JSON.stringify(bookings));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const name of ['file', 'forgets']) writeFileSync(join(home, name), '');
    writeFileSync(
      join(home, 'calls.yaml'),
      `bot: ${join(FOLDER, 'bot.ts')}
caller: [{ say: A table on Sunday please. }]
model:
  - { when: table, call: { book: { day: Sunday } } }
  - { after: book, say: Your table is booked. }
scenarios:
  - name: stores
    environment: { STORE: ${join(home, 'file')} }
    expect: { heard: is booked, check: ${join(FOLDER, 'booked.ts')}#isStored }
    then: { caller: [{ say: A table please. }], expect: { check: ${join(FOLDER, 'booked.ts')}#isStored } }
  - name: posts
    environment: { BOOK_URL: "http://127.0.0.1:${port}/" }
    expect: { check: ${join(FOLDER, 'booked.ts')}#isPosted }
  - name: forgets
    environment: { STORE: ${join(home, 'forgets')}, FORGETS: "yes" }
    expect: { heard: is booked, tools: [book], check: ${join(FOLDER, 'booked.ts')}#isStored }
`,
    );
  });
  afterEach(async () => {
    server.close();
    server.closeAllConnections();
    rmSync(home, { recursive: true });
  });

  test.each([
    ['in real time', []],
    ['at speed', ['--speed']],
    ['as wording alone', ['--text']],
  ])(
    'is looked at when the call is over: %s',
    async (_, options) => {
      await using voicebot = new Voicebot(['test', 'calls.yaml', ...options], { home, cwd: home });
      expect(await voicebot.exit).toBe(1);
      const ran = voicebot.events.all.filter(({ event }) => event === 'scenario_ran') as CliEvent[];
      const failures = Object.fromEntries(ran.map(({ name, failures: found }) => [name, found]));
      expect(failures).toEqual({
        stores: [],
        posts: [],
        forgets: [
          expect.objectContaining({
            field: 'check',
            expected: expect.stringContaining('booked.ts#isStored finds nothing wrong'),
            happened: expect.stringMatching(/Expected values to be .* at \S+booked\.ts:12$/),
          }),
        ],
      });
    },
    120_000,
  );
});
