import type { RoomsBrowser } from '../../../src/runner/calls/rooms/rooms-driver.js';
import { until } from '../../e2e/processes.js';
import { startCall } from '../hand-carrier.js';
import { IN_PROCESS } from '../in-process-bots.js';
import { FakeBrowser, noBrowser } from './fake-browser.js';
import { HandRooms, type RoomBot, roomsAccess } from './hand-rooms.js';
import { CALLEE, callFields, RunnerOnRooms } from './runner-on-rooms.js';

let rooms: HandRooms;
beforeEach(async () => {
  rooms = await HandRooms.start();
});
afterEach(() => rooms[Symbol.asyncDispose]());

const serve = (browser: RoomsBrowser) =>
  RunnerOnRooms.serve({ ...IN_PROCESS, provider: { ...roomsAccess(rooms.url), browser } }, rooms);

test('the browser is started before the runner listens, and closed with it', async () => {
  const browser = new FakeBrowser();
  const served = await serve(browser);
  expect(browser.done).toEqual(['start']);
  await served[Symbol.asyncDispose]();
  expect(browser.done).toEqual(['start', 'close']);
});

test('a runner whose browser does not start does not start, and leaves nothing', async () => {
  const browser = new FakeBrowser();
  browser.problem = noBrowser();
  await expect(serve(browser)).rejects.toBe(browser.problem);
  expect(browser.done).toEqual(['start', 'close']);
  expect(rooms.requests.all).toEqual([]);
});

describe('with as many calls as the browser may have pages', () => {
  let served: RunnerOnRooms;
  let first: RoomBot;
  beforeEach(async () => {
    served = await serve(new FakeBrowser(1));
    first = await served.call('call-1');
  });
  afterEach(() => served[Symbol.asyncDispose]());

  test('another caller is turned away, which is told once, and is no call', async () => {
    for (const callId of ['call-2', 'call-3']) {
      const { status, body } = await served.webhook(callFields(callId));
      expect(status).toBe(503);
      expect(JSON.parse(body).error).toMatchObject({
        code: 'VB_BROWSER_FAILED',
        message: expect.stringContaining('as many calls as there may be'),
      });
    }
    expect(served.problems.all).toEqual(['call turned away: the browser is full (VOICEBOT_BROWSER_PAGES is 1)']);
    expect(new Set(served.records.all.map(({ id }) => id))).toEqual(new Set(['call-1']));
    expect(rooms.open.size).toBe(1);
  });

  test('the call that goes on is told again without being turned away', async () => {
    expect(await served.webhook(callFields('call-1'))).toMatchObject({ status: 200 });
  });

  test('nobody is called, and who asks is told what to do', async () => {
    const { status, body } = await startCall(served.runner, { phone_number: CALLEE });
    expect(status).toBe(503);
    expect(body.error).toMatchObject({
      code: 'VB_BROWSER_FAILED',
      message: expect.stringContaining('VOICEBOT_BROWSER_PAGES is 1'),
      hint: expect.stringContaining('raise VOICEBOT_BROWSER_PAGES'),
    });
    expect(rooms.open.size).toBe(1);
  });

  test('the next caller is taken when the call is over', async () => {
    expect((await served.webhook(callFields('call-2'))).status).toBe(503);
    void first.order('return');
    await until(() => served.runner.liveCalls === 0, 'the call is over');
    expect((await served.webhook(callFields('call-2'))).status).toBe(200);
    await rooms.bot('call-2');
  });
});
