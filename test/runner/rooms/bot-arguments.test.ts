import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import type { Logger } from '../../../src/base/logger.js';
import { send } from '../hand-carrier.js';
import { IN_PROCESS } from '../in-process-bots.js';
import { API_KEY, refused } from './hand-rooms.js';
import { CALLEE, CALLER, callFields, OWN_NUMBER, RunnerOnRooms } from './runner-on-rooms.js';

describe('the bot of a call that came in is given', () => {
  test('its room, the token for that, and the call', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    const { hello, room } = await served.call('call-1');
    expect(hello).toMatchObject({
      transport: 'rooms',
      room_url: expect.stringMatching(new RegExp(`/${room}$`)),
      token: `token-1-of-${room}`,
      call: { id: 'call-1', direction: 'inbound', from: CALLER, to: OWN_NUMBER, attempt: 1 },
      past: { isForwarded: false },
    });
    expect(hello).not.toHaveProperty('phone_number');
    expect(hello.past).not.toHaveProperty('dialout');
  });

  test('a dial-in request as its body', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    const sipHeaders = { 'X-Campaign': 'spring', 'x-caller': CALLER };
    await served.webhook(callFields('call-1', { sipHeaders }));
    const bot = await served.rooms.bot('call-1');
    expect(bot.hello.body).toEqual({
      dialin_settings: {
        call_id: 'call-1',
        call_domain: 'domain-of-the-account',
        From: CALLER,
        To: OWN_NUMBER,
        sip_headers: sipHeaders,
      },
      daily_api_key: '[redacted]', // in JSON
      daily_api_url: served.rooms.url,
    });
    expect(await bot.order('read_key')).toBe(API_KEY);
  });

  test.each([
    ['a SIP address', 'sip:alice@example.com', 'sip:alice@example.com'],
    ['no number', '', undefined],
    ['a number without its plus', '12025550142', CALLER],
  ])("the caller's %s as it came", async (_, From, from) => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    await served.webhook(callFields('call-1', { From }));
    const { hello } = await served.rooms.bot('call-1');
    expect(hello.body).toMatchObject({ dialin_settings: { From } });
    expect(hello.call.from).toBe(from);
  });

  test('the limit of silence', async () => {
    await using served = await RunnerOnRooms.serve({ ...IN_PROCESS, silenceSeconds: 42 });
    expect((await served.call()).hello.silenceMs).toBe(42_000);
  });
});

describe('the bot of a call that goes out is given', () => {
  test('the number and the custom data as they were sent', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    const body = { customer: { name: 'Ada', tags: ['a', 'b'] }, daily_api_key: 'not ours' };
    const { hello, room } = await served.dial({ phone_number: '+1 (202) 555-0101', body });
    expect(hello).toMatchObject({
      transport: 'rooms',
      room_url: expect.stringMatching(new RegExp(`/${room}$`)),
      token: `token-1-of-${room}`,
      phone_number: CALLEE,
      call: { direction: 'outbound', from: OWN_NUMBER, to: CALLEE, attempt: 1 },
      past: { isForwarded: false },
    });
    expect(hello.body).toEqual(body);
    expect(hello.call.id).toMatch(/^out_/);
  });

  test('an empty body where none was sent', async () => {
    await using served = await RunnerOnRooms.serve(IN_PROCESS);
    expect((await served.dial()).hello.body).toEqual({});
  });
});

describe("the account's key", () => {
  test('is shown to nobody by a bot that prints what it was given', async () => {
    await using served = await RunnerOnRooms.serve();
    const bot = await served.call();
    for (const shown of (await bot.order('show_body')) as string[]) {
      expect(shown).toContain('[redacted]');
      expect(shown).not.toContain(API_KEY);
    }
    await bot.order('print_arguments');
    await served.output.next((line) => line === 'printed');
    const printed = served.output.all.join('\n');
    expect(printed).toContain('daily_api_key');
    expect(printed).not.toContain(API_KEY);
  });

  test('is not in the error of a bot that fails with all it was given', async () => {
    await using served = await RunnerOnRooms.serve();
    const bot = await served.call('call-1');
    void bot.order('throw_arguments');
    await served.rooms.bot('call-1', 2);
    expect(await served.output.next()).toBe('bot failed in call call-1 (attempt 1): Error: as ordered');
    expect(served.output.all.join('\n')).not.toContain(API_KEY);
  });

  test('is in no log, event, answer or list of processes, and neither is the token of a room', async () => {
    const logged: unknown[] = [];
    const log = (...entry: unknown[]) => void logged.push(entry);
    const logger: Logger = { debug: log, info: log, warn: log, error: log };
    await using served = await RunnerOnRooms.serve({ logger });
    const { runner, rooms } = served;

    const first = await served.call('call-1');
    void first.order('throw');
    const second = await rooms.bot('call-1', 2);
    await second.tell({ type: 'joined' }, { type: 'connected' });
    void second.order('tell', { type: 'silent' });
    expect(await served.ended(second)).toMatchObject({ endReason: 'limit_reached' });
    const dialled = await served.dial();
    await served.webhook('nonsense');
    await served.webhook(callFields('call-2'), { isSigned: false });
    rooms.respond = ({ method }) => (method === 'createToken' ? refused() : undefined);
    await served.webhook(callFields('call-3'));
    await served.ended('call-3');

    const answers = await Promise.all(['/calls', '/calls/call-1'].map((path) => send(`${runner.url}${path}`)));
    const everything = [
      inspect(logged, { depth: 9, showHidden: true }),
      JSON.stringify([served.records.all, served.problems.all, served.output.all]),
      ...answers.map(({ body }) => body),
      ...(process.platform === 'linux'
        ? ['environ', 'cmdline'].map((name) => readFileSync(`/proc/${dialled.hello.pid}/${name}`, 'utf8'))
        : []),
    ];
    expect(logged.length).toBeGreaterThan(3);
    for (const text of everything) {
      expect(text).not.toBe('');
      expect(text).not.toContain(API_KEY);
      expect(text).not.toContain(first.hello.token);
      expect(text).not.toContain(dialled.hello.token);
    }
  });
});
