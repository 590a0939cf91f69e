import { randomUUID } from 'node:crypto';
import { type Document, Stream, send } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RunnerUnderTest } from './runner-under-test.js';

let served: RunnerUnderTest;
beforeAll(async () => {
  served = await RunnerUnderTest.start(IN_PROCESS);
});
afterAll(() => served[Symbol.asyncDispose]());

const records = async (): Promise<Array<{ id: string }>> =>
  JSON.parse((await send(`${served.runner.url}/calls`)).body).calls;

test.each(['inbound', 'dialled'])(
  'twenty requests for the document of one %s call are one call with one bot',
  async (kind) => {
    const { carrier } = served;
    const call = kind === 'dialled' ? await carrier.dial(served.api) : undefined;
    const callId = call?.callId ?? randomUUID();
    const documents = await Promise.all(Array.from({ length: 20 }, () => call?.answer() ?? carrier.answer(callId)));
    expect(new Set(documents.map(({ answer }) => answer.body)).size).toBe(1);

    const [{ streamUrl }] = documents as [Document];
    const { hello } = await Stream.open(streamUrl);
    const id = call?.id ?? callId;
    expect(hello.call).toMatchObject({ id, attempt: 1 });
    expect((await records()).filter((record) => [id, callId].includes(record.id))).toEqual([
      expect.objectContaining({ id, attempt: 1 }),
    ]);
    expect(served.records.all.filter((record) => record.id === id && record.state === 'starting')).toHaveLength(1);
    await (call?.hangup() ?? carrier.hangup(callId));
  },
);
