import type { NumberRouting, RouteChange } from '../../../src/call/number-routing.js';
import { CuttingProxy } from '../../../src/lab/kit/conformance/cutting-proxy.js';
import { FakeApplication } from '../../sandbox/fake-application.js';
import { AUTH_TOKEN, CALLER, FakeCaller } from '../../sandbox/fake-caller.js';
import { LEASE_ID, MOVED_URLS, movedTo, targetOf, URLS, urlsAt } from '../routed-number.js';
import {
  apply,
  BARE,
  CASES,
  FIRST,
  FORMER_URL,
  ON_TRUNK,
  plan,
  SHARED,
  startAccount,
  TRUNK_ID,
  undo,
  verify,
  withRouting,
} from './routed-account.js';
import { ScriptedApi } from './scripted-api.js';

const OLD_URL = 'https://dead-tunnel.example.com/answer';

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error,
  );

describe.each(CASES)('pointing %s at us', (_title, number) => {
  test('changes what it should, reads as it should, and leaves every byte as it was afterwards', async () => {
    await using account = await startAccount();
    const { sandbox } = account;
    const before = await account.dump();
    const change = await plan(sandbox, targetOf(number));
    expect(await account.dump()).toBe(before);
    expect(await verify(sandbox, change)).toEqual(expect.any(String));
    await apply(sandbox, change);
    expect(await verify(sandbox, change)).toBeUndefined();
    await apply(sandbox, change);
    expect(await verify(sandbox, change)).toBeUndefined();
    expect(await account.ours()).toHaveLength(1);
    expect(await account.dump()).toContain(URLS.answerUrl);

    const moved = movedTo(change, MOVED_URLS);
    expect(await verify(sandbox, moved)).toContain(MOVED_URLS.answerUrl);
    await apply(sandbox, moved);
    expect(await verify(sandbox, moved)).toBeUndefined();
    expect(await account.dump()).not.toContain(URLS.answerUrl);

    expect(await undo(sandbox, moved)).toBe('restored');
    expect(await account.dump()).toBe(before);
    expect(await undo(sandbox, moved)).toBe('unchanged');
    expect(await account.dump()).toBe(before);
  });

  test('leaves the other numbers and applications alone meanwhile', async () => {
    await using account = await startAccount();
    const { sandbox } = account;
    const others = async () => {
      const numbers = (await account.rest.get('Number/')).body.objects;
      const applications = await account.applications();
      const ours = new Set((await account.ours()).map(({ app_id: id }: { app_id: string }) => id));
      return JSON.stringify([
        numbers.filter((one: { number: string }) => one.number !== number.slice(1)),
        applications.filter(({ app_id: id }: { app_id: string }) => !ours.has(id)),
      ]);
    };
    const before = await others();
    const change = await plan(sandbox, targetOf(number));
    await apply(sandbox, change);
    expect(await others()).toBe(before);
  });
});

test('lists the numbers in the order of their digits, and where their calls go', async () => {
  await using account = await startAccount();
  const change = await plan(account.sandbox, targetOf(BARE));
  await apply(account.sandbox, change);
  const routes = await withRouting(account.sandbox.apiUrl, (routing) => routing.list());
  const numbers = routes.map(({ number }) => number);
  expect(numbers).toEqual([FIRST, ...Array.from({ length: 9 }, (_, n) => `+1202555011${n + 1}`)]);
  const routeOf = (number: string) => routes.find((route) => route.number === number);
  expect(routeOf(FIRST)).toEqual({
    number: FIRST,
    webhookUrl: FORMER_URL,
    heldBy: 'application sandbox',
    isOurs: false,
    takesCalls: true,
    isUnanswered: false,
    isFallback: true,
  });
  expect(routeOf(SHARED[1])).toMatchObject({ heldBy: 'application shared' });
  expect(routeOf('+12025550117')).toMatchObject({ webhookUrl: undefined, heldBy: undefined, isOurs: false });
  expect(routeOf(ON_TRUNK)).toMatchObject({ webhookUrl: undefined, heldBy: `SIP trunk ${TRUNK_ID}`, isOurs: false });
  expect(routeOf(BARE)).toMatchObject({
    webhookUrl: URLS.answerUrl,
    heldBy: `application voicebot-12025550119-${LEASE_ID}`,
    isOurs: true,
  });
});

test('reads all pages of a list', async () => {
  const api = await ScriptedApi.listen(({ url }) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    const all = pathname.endsWith('/Number/')
      ? Array.from({ length: 45 }, (_, n) => ({ number: `1202555${String(9999 - n)}`, application: null }))
      : [];
    const offset = Number(searchParams.get('offset'));
    const next = offset + 20 < all.length ? 'https://elsewhere.example.com/v1/Number/?offset=20' : null;
    const body = { meta: { limit: 20, offset, next }, objects: all.slice(offset, offset + 20) };
    return { status: 200, body: JSON.stringify(body) };
  });
  await using _api = api;
  const routes = await withRouting(api.url, (routing) => routing.list());
  expect(routes).toHaveLength(45);
  expect(routes.map(({ number }) => number)).toEqual(routes.map(({ number }) => number).sort());
  expect(api.requests.map(({ url }) => url).filter((url) => url.includes('/Number/'))).toHaveLength(3);
});

test('can have all ten numbers at once, and give them back in any order', async () => {
  await using account = await startAccount();
  const { sandbox } = account;
  const before = await account.dump();
  const routes = await withRouting(sandbox.apiUrl, (routing) => routing.list());
  const changes = [];
  for (const [n, { number }] of routes.entries()) {
    const change = await plan(
      sandbox,
      targetOf(number, { leaseId: `lease000${n}`, urls: urlsAt(`http://127.0.0.1:${n + 10}`) }),
    );
    changes.push(change);
    await apply(sandbox, change);
  }
  expect(await account.ours()).toHaveLength(10);
  for (const change of changes) expect(await verify(sandbox, change)).toBeUndefined();
  for (const n of [4, 0, 9, 1, 7, 2, 3, 8, 6, 5]) {
    expect(await undo(sandbox, changes[n] as RouteChange)).toBe('restored');
  }
  expect(await account.dump()).toBe(before);
});

describe('callers', () => {
  test('reach us, and the former service when we are gone', async () => {
    await using former = await FakeApplication.start(AUTH_TOKEN);
    await using bot = await FakeApplication.start(AUTH_TOKEN);
    former.document('/former', '<Hangup/>');
    bot.document('/answer', '<Hangup/>');
    await using account = await startAccount();
    const { sandbox, rest } = account;
    await rest.post(`Application/${sandbox.applicationId}/`, {
      answer_url: former.url('/former'),
      answer_method: 'GET',
    });
    const urls = { answerUrl: bot.url('/answer'), hangupUrl: bot.url('/hangup') };
    const change = await plan(sandbox, targetOf(FIRST, { urls }));
    await apply(sandbox, change);
    const call = async () => {
      await using caller = await FakeCaller.attach(sandbox);
      caller.client.dial({ from: CALLER, to: FIRST });
      expect((await caller.ended()).code).toBe(4000);
    };
    await call();
    expect(await bot.webhook('StartApp')).toMatchObject({ path: '/answer', method: 'POST', isSigned: true });
    expect(await bot.webhook('Hangup')).toMatchObject({ path: '/hangup' });
    expect(former.webhooks.all).toEqual([]);
    bot.routes.set('/answer', { status: 502, body: '' });
    await call();
    expect(await former.webhook('StartApp')).toMatchObject({ path: '/former', method: 'GET', isSigned: true });
  });

  test('have our own address twice where there is no former service to reach', async () => {
    await using account = await startAccount();
    await apply(account.sandbox, await plan(account.sandbox, targetOf(BARE)));
    expect(await account.ours()).toMatchObject([
      {
        answer_url: URLS.answerUrl,
        answer_method: 'POST',
        hangup_url: URLS.hangupUrl,
        hangup_method: 'POST',
        fallback_answer_url: URLS.answerUrl,
        fallback_method: 'POST',
      },
    ]);
  });
});

describe('a plan', () => {
  test('tells how the number is set', async () => {
    await using account = await startAccount();
    const { route } = await withRouting(account.sandbox.apiUrl, (routing) => routing.plan(targetOf(SHARED[2])));
    expect(route).toMatchObject({
      heldBy: 'application shared',
      webhookUrl: 'http://127.0.0.1:1/shared?line=1&x=%20',
      isOurs: false,
    });
  });

  test('is refused for a number that is not on the account, with those that are', async () => {
    await using account = await startAccount();
    const error = await failure(plan(account.sandbox, targetOf('+12025550199')));
    expect(error).toMatchObject({ code: 'VB_NUMBER_UNKNOWN', hint: expect.stringContaining('CARRIER_PHONE_NUMBER') });
    expect((error as Error).message).toContain('+12025550199');
    for (const number of [FIRST, BARE]) expect((error as Error).message).toContain(number);
  });

  test.each(['', 'short', 'Lease0001', '../lease1', 'x'.repeat(33)])('is refused for the lease %j', async (leaseId) => {
    await using account = await startAccount();
    expect(await failure(plan(account.sandbox, targetOf(FIRST, { leaseId })))).toMatchObject({
      code: 'VB_IDENTIFIER_INVALID',
    });
  });

  test('is refused for a number on something that could not be put back', async () => {
    const api = await ScriptedApi.listen([
      {
        status: 200,
        body: JSON.stringify({ meta: {}, objects: [{ number: '12025550100', application: '/v1/Account/x/Flow/7/' }] }),
      },
    ]);
    await using _api = api;
    const error = await failure(withRouting(api.url, (routing) => routing.plan(targetOf(FIRST))));
    expect(error).toMatchObject({ code: 'VB_REGISTRATION_FAILED' });
    expect((error as Error).message).toContain('/Flow/7/');
  });
});

describe('what voicebot left behind', () => {
  test('in an application of its own is not what is put back', async () => {
    await using account = await startAccount();
    const { sandbox } = account;
    await apply(sandbox, await plan(sandbox, targetOf(FIRST, { leaseId: 'crashed01' })));
    const isOldAddress = (url: string) => url === URLS.answerUrl;
    const { change, route } = await withRouting(sandbox.apiUrl, (routing) =>
      routing.plan(targetOf(FIRST, { isOldAddress })),
    );
    expect(route).toMatchObject({ isOurs: true });
    await apply(sandbox, change);
    const [, ours] = await account.ours();
    expect(ours).toMatchObject({ answer_url: URLS.answerUrl, fallback_answer_url: URLS.answerUrl });
    expect(await undo(sandbox, change)).toBe('nothing_to_restore');
    expect(await account.linkOf(FIRST)).toBe('');
    expect((await account.ours()).map(({ app_name: name }: { app_name: string }) => name)).toEqual([
      'voicebot-12025550100-crashed01',
    ]);
    expect(await undo(sandbox, change)).toBe('nothing_to_restore');
  });

  test('in an application of its own is put back when its address is not an old one', async () => {
    await using account = await startAccount();
    const { sandbox } = account;
    const before = await account.dump();
    const kept = await plan(sandbox, targetOf(FIRST, { leaseId: 'kept00001' }));
    await apply(sandbox, kept);
    const withKept = await account.dump();
    const change = await plan(sandbox, targetOf(FIRST, { urls: MOVED_URLS }));
    await apply(sandbox, change);
    expect(await account.dump()).toContain(`"fallback_answer_url": "${URLS.answerUrl}"`);
    expect(await undo(sandbox, change)).toBe('restored');
    expect(await account.dump()).toBe(withKept);
    expect(await undo(sandbox, kept)).toBe('restored');
    expect(await account.dump()).toBe(before);
  });

  test("as an old address in somebody's application is not where callers fall back to, and the number gets it back", async () => {
    await using account = await startAccount();
    const { sandbox } = account;
    const before = await account.dump();
    const isOldAddress = (url: string) => {
      expect(url).not.toBe('');
      return url === FORMER_URL;
    };
    const { change, route } = await withRouting(sandbox.apiUrl, (routing) =>
      routing.plan(targetOf(FIRST, { isOldAddress })),
    );
    expect(route).toMatchObject({ isOurs: false, webhookUrl: FORMER_URL });
    await apply(sandbox, change);
    expect(await account.ours()).toMatchObject([{ fallback_answer_url: URLS.answerUrl }]);
    // As it was, but nobody answers there.
    expect(await undo(sandbox, change)).toBe('nothing_to_restore');
    expect(await account.dump()).toBe(before);
    expect(await undo(sandbox, change)).toBe('nothing_to_restore');
  });

  test('twice over, because an answer was lost, is all taken away', async () => {
    await using account = await startAccount();
    const { sandbox, rest } = account;
    const before = await account.dump();
    const change = await plan(sandbox, targetOf(FIRST));
    await apply(sandbox, change);
    await rest.post('Application/', { app_name: `voicebot-12025550100-${LEASE_ID}`, answer_url: URLS.answerUrl });
    await apply(sandbox, change);
    expect(await verify(sandbox, change)).toBeUndefined();
    expect(await undo(sandbox, change)).toBe('restored');
    expect(await account.dump()).toBe(before);
  });
});

describe("somebody else's change", () => {
  test('of the number stays, and our application goes', async () => {
    await using account = await startAccount();
    const { sandbox, rest } = account;
    const change = await plan(sandbox, targetOf(FIRST));
    await apply(sandbox, change);
    await rest.post(`Number/${FIRST.slice(1)}/`, { app_id: account.sharedId });
    const { length } = await account.applications();
    expect(await verify(sandbox, change)).toContain('shared');
    expect(await undo(sandbox, change)).toBe('foreign');
    expect(await account.linkOf(FIRST)).toContain(`/Application/${account.sharedId}/`);
    expect(await account.ours()).toEqual([]);
    expect(await account.applications()).toHaveLength(length - 1);
  });

  test('to the application of another run stays, and so does that application', async () => {
    await using account = await startAccount();
    const { sandbox } = account;
    const change = await plan(sandbox, targetOf(FIRST));
    await apply(sandbox, change);
    const other = await plan(sandbox, targetOf(FIRST, { leaseId: 'taken0001', urls: MOVED_URLS }));
    await apply(sandbox, other);
    expect(await undo(sandbox, change)).toBe('foreign');
    expect(await verify(sandbox, other)).toBeUndefined();
    // What it had taken the number from is gone.
    expect(await undo(sandbox, other)).toBe('nothing_to_restore');
    expect(await account.ours()).toEqual([]);
  });

  test('that attached another number to our application keeps that application', async () => {
    await using account = await startAccount();
    const { sandbox, rest } = account;
    const change = await plan(sandbox, targetOf(FIRST));
    await apply(sandbox, change);
    const [{ app_id: id }] = await account.ours();
    await rest.post('Number/12025550117/', { app_id: id });
    expect(await undo(sandbox, change)).toBe('restored');
    expect(await account.linkOf(FIRST)).toContain(sandbox.applicationId);
    expect(await account.linkOf('+12025550117')).toContain(id);
    const bare = await plan(sandbox, targetOf(BARE));
    await apply(sandbox, bare);
    const ours = (await account.ours()).find(({ app_name: name }: { app_name: string }) =>
      name.includes(BARE.slice(1)),
    );
    await rest.post('Number/12025550116/', { app_id: ours.app_id });
    expect(await undo(sandbox, bare)).toBe('foreign');
    expect(await account.linkOf('+12025550116')).toContain(ours.app_id);
  });

  test('that deleted our application does not keep the number from being given back', async () => {
    await using account = await startAccount();
    const { sandbox, rest } = account;
    const before = await account.dump();
    const change = await plan(sandbox, targetOf(FIRST));
    await apply(sandbox, change);
    const [{ app_id: id }] = await account.ours();
    await rest.delete(`Application/${id}/`);
    expect(await undo(sandbox, change)).toBe('restored');
    expect(await account.dump()).toBe(before);
  });

  test('that deleted the former application leaves nothing to give back', async () => {
    await using account = await startAccount();
    const { sandbox, rest } = account;
    const change = await plan(sandbox, targetOf(FIRST));
    await apply(sandbox, change);
    await rest.delete(`Application/${sandbox.applicationId}/`);
    expect(await undo(sandbox, change)).toBe('nothing_to_restore');
    expect(await account.linkOf(FIRST)).toBe('');
    expect(await account.ours()).toEqual([]);
    expect(await undo(sandbox, change)).toBe('nothing_to_restore');
  });

  test('that deleted the former application while it was given back leaves nothing to give back', async () => {
    let isDeleted = false;
    const api = await ScriptedApi.listen(({ method, url }) => {
      const path = url.replace(/^.*\/Account\/\w+\//, '');
      const number = { number: FIRST.slice(1), application: isDeleted ? '' : '/x/Application/2/' };
      const ours = { app_id: '2', app_name: `voicebot-12025550100-${LEASE_ID}`, answer_url: URLS.answerUrl };
      if (method === 'DELETE') return { status: 204 };
      if (method === 'POST') {
        isDeleted = true;
        return { status: 400, body: '{"error":"app_id is invalid"}' };
      }
      if (path === 'Application/1/') return { status: isDeleted ? 404 : 200, body: '{"app_id":"1"}' };
      if (path.startsWith('Application/?')) return { status: 200, body: JSON.stringify({ objects: [ours] }) };
      const body = path.startsWith('Number/?') ? { objects: [number] } : number;
      return { status: 200, body: JSON.stringify(body) };
    });
    await using _api = api;
    const change: RouteChange = {
      number: FIRST,
      leaseId: LEASE_ID,
      urls: [URLS],
      before: { kind: 'own', link: { kind: 'application', id: '1' }, isStale: false, isLeftover: false },
    };
    expect(await withRouting(api.url, (routing) => routing.undo(change))).toBe('nothing_to_restore');
    expect(api.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });

  test('that closed the former trunk is told in the words of the carrier, and our application stays', async () => {
    await using account = await startAccount();
    const { sandbox } = account;
    const change = await plan(sandbox, targetOf(ON_TRUNK));
    await apply(sandbox, change);
    const before = { ...(change.before as object), link: { kind: 'trunk', id: '20255502000000009' } };
    const error = await failure(undo(sandbox, { ...change, before }));
    expect(error).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status: 400 });
    expect((error as Error).message).toContain('app_id parameter is invalid');
    expect(await verify(sandbox, change)).toBeUndefined();
    expect(await undo(sandbox, change)).toBe('restored');
  });

  test('that took the number off the account leaves nothing to give back', async () => {
    const deleted: string[] = [];
    const api = await ScriptedApi.listen(({ method, url }) => {
      const path = url.replace(/^.*\/Account\/\w+\//, '');
      if (method === 'DELETE') deleted.push(path);
      const ours = { app_id: '2', app_name: `voicebot-12025550100-${LEASE_ID}` };
      if (path === `Number/${FIRST.slice(1)}/`) return { status: 404, body: '{}' };
      const objects = path.startsWith('Application/?') && deleted.length === 0 ? [ours] : [];
      return { status: method === 'DELETE' ? 204 : 200, body: JSON.stringify({ objects }) };
    });
    await using _api = api;
    const change: RouteChange = {
      number: FIRST,
      leaseId: LEASE_ID,
      urls: [URLS],
      before: { kind: 'own', isStale: false, isLeftover: false },
    };
    await withRouting(api.url, async (routing) => {
      expect(await routing.verify(change)).toContain('not on the account');
      expect(await routing.undo(change)).toBe('nothing_to_restore');
    });
    expect(deleted).toEqual(['Application/2/']);
  });
});

describe('a carrier that', () => {
  const methods: [string, (routing: NumberRouting) => Promise<unknown>][] = [
    ['list', (routing) => routing.list()],
    ['plan', (routing) => routing.plan(targetOf(FIRST))],
    ['apply', (routing) => routing.apply(CHANGE)],
    ['verify', (routing) => routing.verify(CHANGE)],
    ['undo', (routing) => routing.undo(CHANGE)],
  ];
  const CHANGE: RouteChange = {
    number: FIRST,
    leaseId: LEASE_ID,
    urls: [URLS],
    before: { kind: 'own', isStale: false, isLeftover: false },
  };

  describe.each(methods)('%s', (name, use) => {
    test.each([[401], [403]])('refuses the credentials with %d, fails naming both variables', async (status) => {
      const api = await ScriptedApi.listen([{ status, body: `{"error":"no ${AUTH_TOKEN}"}` }]);
      await using _api = api;
      const error = await failure(withRouting(api.url, use));
      expect(error).toMatchObject({
        code: 'VB_CREDENTIALS_REFUSED',
        hint: expect.stringMatching(/CARRIER_AUTH_ID.*CARRIER_AUTH_TOKEN/),
      });
      expect(String((error as Error).message)).not.toContain(AUTH_TOKEN);
      expect(api.requests).toHaveLength(1);
    });

    test.each([
      [429, { 'retry-after': '0' }],
      [500, {}],
    ])('is busy or broken (%d) is asked again, and then given up', async (status, headers) => {
      const api = await ScriptedApi.listen([{ status, headers, body: '{"error":"later"}' }]);
      await using _api = api;
      expect(await failure(withRouting(api.url, use))).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status });
      expect(api.requests).toHaveLength(4);
    });

    test('breaks the connection is given up as unreachable', async () => {
      const api = await ScriptedApi.listen(['break']);
      await using _api = api;
      expect(await failure(withRouting(api.url, use))).toMatchObject({ code: 'VB_CARRIER_UNREACHABLE' });
    });

    test.each(['no JSON', '[]', '{"objects":7}'])('answers %j fails as that', async (body) => {
      const api = await ScriptedApi.listen([{ status: 200, body }]);
      await using _api = api;
      const outcome = withRouting(api.url, use);
      if (name === 'verify' && body.startsWith('{')) expect(await outcome).toEqual(expect.any(String));
      else expect(await failure(outcome)).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED' });
    });
  });

  test('is asked by somebody who has given up hears nothing', async () => {
    const api = await ScriptedApi.listen(['silence']);
    await using _api = api;
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    const asked = withRouting(api.url, (routing) =>
      Promise.allSettled([
        routing.list(signal),
        routing.plan(targetOf(FIRST), signal),
        routing.apply(CHANGE, signal),
        routing.verify(CHANGE, signal),
        routing.undo(CHANGE, signal),
      ]),
    );
    for (const outcome of await asked) expect(outcome).toMatchObject({ status: 'rejected', reason });
    expect(api.requests).toEqual([]);
  });

  test('fails while it creates is asked whether it did, so that there is one application', async () => {
    await using account = await startAccount();
    const { sandbox } = account;
    const change = await plan(sandbox, targetOf(FIRST));
    await using proxy = await CuttingProxy.listen(sandbox.url);
    proxy.cut({ at: 1, loss: 'answer', isForGood: false });
    await withRouting(`${proxy.url}/v1`, (routing) => routing.apply(change));
    expect(proxy.writes.filter((write) => write === 'POST Application/')).toHaveLength(1);
    expect(await account.ours()).toHaveLength(1);
  });

  test('has no room for another application says so, and the number stays', async () => {
    await using account = await startAccount();
    const { sandbox, rest } = account;
    const fill = (n: number) =>
      rest.post('Application/', { app_name: `full-${n}`, answer_url: OLD_URL.replace(/^.*com/, 'http://127.0.0.1:1') });
    await Promise.all(Array.from({ length: 97 }, (_, n) => fill(n)));
    const link = await account.linkOf(FIRST);
    const change = await plan(sandbox, targetOf(FIRST));
    const error = await failure(apply(sandbox, change));
    expect(error).toMatchObject({ code: 'VB_CARRIER_REQUEST_FAILED', status: 400 });
    expect((error as Error).message).toContain('100 applications');
    expect(await account.linkOf(FIRST)).toBe(link);
    expect(await undo(sandbox, change)).toBe('unchanged');
  });
});

test('says what it cannot read of a change, and touches nothing', async () => {
  await using account = await startAccount();
  const change = await plan(account.sandbox, targetOf(FIRST));
  const before = await account.dump();
  for (const unreadable of [undefined, null, {}, { kind: 'legacy' }, 'own']) {
    expect(
      await failure(
        withRouting(account.sandbox.apiUrl, async (routing) => routing.undo({ ...change, before: unreadable })),
      ),
    ).toMatchObject({ code: 'VB_RESTORE_FAILED' });
  }
  expect(await account.dump()).toBe(before);
});
