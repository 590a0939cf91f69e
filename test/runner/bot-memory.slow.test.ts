import { isAlive, until } from '../e2e/processes.js';
import { Stream } from './hand-carrier.js';
import { CONNECTED, RunnerOnRooms } from './rooms/runner-on-rooms.js';
import { RunnerUnderTest } from './runner-under-test.js';

/** More than a bot that does nothing takes, and less than one that leaks. */
const LIMIT = { botMemoryBytes: 256 * 2 ** 20 };
const LEAK_MIB = '300';
const replaced = (pid: number) =>
  new RegExp(`^bot process ${pid} takes \\d+ MiB, more than its limit of 256 MiB \\(VOICEBOT_BOT_MEMORY_MIB\\)`);

describe('a bot that takes more memory than it may', () => {
  test('is ended, which is told, and its caller gets another one', async () => {
    await using served = await RunnerUnderTest.start(LIMIT);
    const stream = await served.carrier.call();
    stream.order('leak', LEAK_MIB);
    expect(await stream.closed).toBe(1006);
    expect(await served.problems.next(() => true)).toMatch(replaced(stream.hello.pid));
    const document = await served.carrier.resume(stream.callId);
    expect((await Stream.open(document.streamUrl)).hello.call).toMatchObject({ id: stream.callId, attempt: 2 });
    await until(() => !isAlive(stream.hello.pid), 'the process that took too much ends');
  });

  test('is ended even if it does not end its call', async () => {
    await using served = await RunnerUnderTest.start(LIMIT);
    const stream = await served.carrier.call();
    stream.order('ignore_stop');
    stream.order('leak', LEAK_MIB);
    await until(() => !isAlive(stream.hello.pid), 'the process that took too much ends');
  });

  test('leaves all calls of its process to another one', async () => {
    await using served = await RunnerUnderTest.start({ ...LIMIT, callsPerProcess: 3 });
    const streams = [await served.carrier.call(), await served.carrier.call()];
    streams[0]?.order('leak', LEAK_MIB);
    for (const { closed } of streams) expect(await closed).toBe(1006);
    const documents = await Promise.all(streams.map(({ callId }) => served.carrier.resume(callId)));
    const again = await Promise.all(documents.map(({ streamUrl }) => Stream.open(streamUrl)));
    for (const { hello } of again) expect(hello.call.attempt).toBe(2);
  });

  test('is replaced in its room', async () => {
    await using served = await RunnerOnRooms.serve(LIMIT);
    const bot = await served.call('call-1');
    await bot.tell(...CONNECTED);
    void bot.order('leak', LEAK_MIB);
    expect((await served.rooms.bot('call-1', 2)).hello).toMatchObject({ room_url: bot.hello.room_url });
  });

  test('before its first call cannot be loaded', async () => {
    const served = new RunnerUnderTest({ botMemoryBytes: 2 ** 20 });
    await expect(served.runner.start()).rejects.toMatchObject({
      code: 'VB_BOT_LOAD_FAILED',
      message: expect.stringMatching(/puppet\.mjs takes \d+ MiB of memory before its first call$/),
      hint: expect.stringContaining('VOICEBOT_BOT_MEMORY_MIB'),
    });
    await served.runner.stop();
  });
});
