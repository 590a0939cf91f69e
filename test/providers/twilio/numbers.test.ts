import { MOVED_URLS, movedTo, targetOf, URLS, urlsAt } from '../routed-number.js';
import {
  APPLICATION_URL,
  BARE,
  CASES,
  DESK,
  DESK_URL,
  FULL,
  NumbersAccount,
  ON_APPLICATION,
  ON_TRUNK,
  TRUNK_SID,
  tools,
} from './routed-account.js';

const { plan, apply, verify, undo, withRouting } = tools;
const DEAD = 'https://dead-tunnel.example.com';

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error,
  );

test.each(CASES)('points %s at us and gives it back, every byte as it was', async (_title, number) => {
  await using account = await NumbersAccount.start();
  const before = await account.dump();
  const change = await plan(account, targetOf(number));
  expect(await account.dump()).toBe(before);
  expect(await verify(account, change)).toEqual(expect.any(String));
  await apply(account, change);
  expect(await verify(account, change)).toBeUndefined();
  const writes = () => account.requests.filter(({ method }) => method === 'POST').length;
  await apply(account, change);
  expect(writes()).toBe(1);
  expect(account.number(number)).toMatchObject({
    voice_url: URLS.answerUrl,
    voice_method: 'POST',
    status_callback: URLS.hangupUrl,
    status_callback_method: 'POST',
    voice_application_sid: null,
    trunk_sid: null,
    sms_url: 'https://desk.example.com/sms',
    sms_method: 'GET',
  });

  const moved = movedTo(change, MOVED_URLS);
  expect(await verify(account, moved)).toContain(MOVED_URLS.answerUrl);
  await apply(account, moved);
  expect(await verify(account, moved)).toBeUndefined();
  expect(await account.dump()).not.toContain(URLS.answerUrl);

  expect(await undo(account, moved)).toBe('restored');
  expect(await account.dump()).toBe(before);
  expect(await undo(account, moved)).toBe('unchanged');
  expect(await account.dump()).toBe(before);
});

test.each([
  [DESK, DESK_URL, 'GET'],
  [ON_APPLICATION, APPLICATION_URL, 'GET'],
  [FULL, 'http://127.0.0.1:1/voice', 'POST'],
  [BARE, URLS.answerUrl, 'POST'],
  [ON_TRUNK, URLS.answerUrl, 'POST'],
])('has callers of %s fall back to %s when we are gone', async (number, url, method) => {
  await using account = await NumbersAccount.start();
  await apply(account, await plan(account, targetOf(number)));
  expect(account.number(number)).toMatchObject({ voice_fallback_url: url, voice_fallback_method: method });
});

test('lists the numbers in the order of their digits, and where their calls go', async () => {
  await using account = await NumbersAccount.start();
  account.numbers.reverse();
  await apply(account, await plan(account, targetOf(BARE)));
  const routes = await withRouting(account.apiUrl, (routing) => routing.list());
  const rest = { isOurs: false, isUnanswered: false, isFallback: true, takesCalls: undefined };
  expect(routes).toEqual([
    { number: DESK, webhookUrl: DESK_URL, heldBy: 'set on the number', ...rest },
    { number: BARE, webhookUrl: URLS.answerUrl, heldBy: 'set on the number', ...rest, isOurs: true },
    { number: ON_APPLICATION, webhookUrl: APPLICATION_URL, heldBy: 'TwiML application front desk', ...rest },
    { number: ON_TRUNK, webhookUrl: undefined, heldBy: `SIP trunk ${TRUNK_SID}`, ...rest, isFallback: false },
    { number: FULL, webhookUrl: 'http://127.0.0.1:1/voice', heldBy: 'set on the number', ...rest },
  ]);
});

test.each([
  [{ voice_url: 'https://demo.twilio.com/welcome/voice/' }, "the carrier's demo", true],
  [{ voice_url: 'https://handler.twilio.com/twiml/EH0123456789abcdef0123456789abcdef' }, 'TwiML Bin EH', false],
  [{ voice_url: `https://webhooks.twilio.com/v1/Accounts/AC1/Flows/FW1?a=b` }, 'Studio flow FW1', false],
  [{ voice_url: 'https://desk-1234.twil.io/answer' }, 'Twilio function', false],
  [{ voice_application_sid: 'AP00000000000000000000000000000000' }, 'TwiML application AP0', true],
  [{ trunk_sid: TRUNK_SID }, 'SIP trunk TK0', false],
  [{}, undefined, true],
])('says what serves a number, and whether calls to it are answered: %j', async (set, heldBy, isUnanswered) => {
  await using account = await NumbersAccount.start([set]);
  const [route] = await withRouting(account.apiUrl, (routing) => routing.list());
  expect(route).toMatchObject({ heldBy: heldBy && expect.stringContaining(heldBy), isUnanswered });
});

test.each([true, false])('reads whether calls come to a number: %s', async (voice) => {
  await using account = await NumbersAccount.start([{ capabilities: { voice, sms: true } }]);
  const [route] = await withRouting(account.apiUrl, (routing) => routing.list());
  expect(route?.takesCalls).toBe(voice);
});

test('reads all pages of a list', async () => {
  await using account = await NumbersAccount.start(Array.from({ length: 45 }, () => ({})));
  account.pageSize = 20;
  const routes = await withRouting(account.apiUrl, (routing) => routing.list());
  expect(routes).toHaveLength(45);
  expect(account.requests.map(({ url }) => new URL(url, 'http://a.dev').pathname)).toEqual(
    Array.from({ length: 3 }, () => expect.stringContaining('/IncomingPhoneNumbers.json')),
  );
});

test('says which numbers there are when there is no such number', async () => {
  await using account = await NumbersAccount.start();
  expect(await failure(plan(account, targetOf('+12025550199')))).toMatchObject({
    code: 'VB_NUMBER_UNKNOWN',
    message: expect.stringContaining(`${DESK}, ${BARE}`),
  });
});

test('can have all numbers at once, and give them back in any order', async () => {
  await using account = await NumbersAccount.start();
  const before = await account.dump();
  const changes = [];
  for (const [n, [, number]] of CASES.entries()) {
    const urls = urlsAt(`http://127.0.0.1:${n + 10}`);
    const change = await plan(account, targetOf(number, { leaseId: `lease000${n}`, urls }));
    await apply(account, change);
    changes.push(change);
  }
  for (const change of changes.reverse()) expect(await undo(account, change)).toBe('restored');
  expect(await account.dump()).toBe(before);
});

describe('what somebody else has changed meanwhile', () => {
  const theirs = 'https://somebody.example.com/voice';

  test.each([
    ['the address', { voice_url: theirs, voice_method: 'GET' }],
    ['the application', { voice_application_sid: 'AP99999999999999999999999999999999' }],
    ['the trunk', { trunk_sid: 'TK99999999999999999999999999999999' }],
  ])('stays: %s', async (_title, set) => {
    await using account = await NumbersAccount.start();
    const change = await plan(account, targetOf(FULL));
    await apply(account, change);
    Object.assign(account.number(FULL), set);
    expect(await verify(account, change)).toEqual(expect.any(String));
    expect(await undo(account, change)).toBe('foreign');
    // What is ours still goes all the same.
    expect(account.number(FULL)).toMatchObject({
      ...set,
      voice_fallback_url: 'http://127.0.0.1:1/fallback',
      status_callback: 'http://127.0.0.1:1/status',
    });
    expect(await account.dump()).not.toContain(URLS.answerUrl);
  });

  test.each([
    ['the fallback', { voice_fallback_url: theirs, voice_fallback_method: 'GET' }],
    ['who is told of the end', { status_callback: theirs }],
  ])('stays: %s, and the calls go where they went', async (_title, set) => {
    await using account = await NumbersAccount.start();
    const change = await plan(account, targetOf(FULL));
    await apply(account, change);
    Object.assign(account.number(FULL), set);
    expect(await undo(account, change)).toBe('restored');
    expect(account.number(FULL)).toMatchObject({ voice_url: 'http://127.0.0.1:1/voice', ...set });
  });

  test('is taken for what it was before when it is that', async () => {
    await using account = await NumbersAccount.start();
    const before = await account.dump();
    const change = await plan(account, targetOf(DESK));
    await apply(account, change);
    Object.assign(account.number(DESK), { voice_url: DESK_URL, voice_method: 'GET', voice_fallback_url: null });
    Object.assign(account.number(DESK), { voice_fallback_method: 'POST', status_callback: null });
    expect(await undo(account, change)).toBe('unchanged');
    expect(await account.dump()).toBe(before);
  });
});

describe('an address of ours that nobody answers any more', () => {
  const set = {
    voice_url: `${DEAD}/answer`,
    voice_fallback_url: 'https://desk.example.com/fallback',
    status_callback: `${DEAD}/hangup`,
  };
  const isOldAddress = (url: string) => url.startsWith(DEAD);

  test('is neither put back nor fallen back to', async () => {
    await using account = await NumbersAccount.start([set]);
    const change = await plan(account, targetOf(DESK, { isOldAddress }));
    await apply(account, change);
    expect(account.number(DESK).voice_fallback_url).toBe(URLS.answerUrl);
    expect(await undo(account, change)).toBe('nothing_to_restore');
    expect(account.number(DESK).voice_fallback_url).toBe('https://desk.example.com/fallback');
    expect(await account.dump()).not.toContain(DEAD);
  });

  test('is left alone when the change never came about', async () => {
    await using account = await NumbersAccount.start([set]);
    const before = await account.dump();
    expect(await undo(account, await plan(account, targetOf(DESK, { isOldAddress })))).toBe('nothing_to_restore');
    expect(await account.dump()).toBe(before);
  });

  test('does not keep an application from coming back', async () => {
    await using account = await NumbersAccount.start([{ ...set, voice_application_sid: `AP${'1'.repeat(32)}` }]);
    const change = await plan(account, targetOf(DESK, { isOldAddress }));
    await apply(account, change);
    expect(await undo(account, change)).toBe('restored');
    expect(account.number(DESK)).toMatchObject({
      voice_application_sid: `AP${'1'.repeat(32)}`,
      voice_url: set.voice_url,
    });
  });
});

test('a number that has left the account', async () => {
  await using account = await NumbersAccount.start();
  const change = await plan(account, targetOf(DESK));
  account.numbers.shift();
  expect(await verify(account, change)).toContain('not on the account');
  expect(await failure(apply(account, change))).toMatchObject({ code: 'VB_REGISTRATION_FAILED' });
  expect(await undo(account, change)).toBe('nothing_to_restore');
});

test('refuses what is not of this dialect', async () => {
  await using account = await NumbersAccount.start();
  const change = await plan(account, targetOf(DESK));
  for (const before of [null, undefined, {}, { kind: 'own' }, 'number']) {
    expect(await failure(undo(account, { ...change, before }))).toMatchObject({ code: 'VB_RESTORE_FAILED' });
  }
  const elsewhere = { ...change, before: { ...(change.before as object), sid: '../Calls' } };
  expect(await failure(apply(account, elsewhere))).toMatchObject({ code: 'VB_IDENTIFIER_INVALID' });
  expect(await failure(plan(account, targetOf(DESK, { leaseId: 'a/b' })))).toMatchObject({
    code: 'VB_IDENTIFIER_INVALID',
  });
});
