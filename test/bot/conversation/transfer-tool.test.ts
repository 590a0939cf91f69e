import { deferred } from '../../../src/base/async/deferred.js';
import { VoicebotError } from '../../../src/base/errors.js';
import {
  type ToolTransferResult,
  type TransferringTransport,
  transferTool,
} from '../../../src/bot/conversation/transfer-tool.js';
import { OutputAudioFrame } from '../../../src/bot/pipeline/frames/index.js';
import { RoomsTransport } from '../../../src/bot/transports/room/rooms-transport.js';
import { WebSocketTransport } from '../../../src/bot/transports/stream/websocket-transport.js';
import { HandToolContext } from './hand-tool-context.js';

const OPERATOR = '+12025550101';
const TWO = { sales: '+12025550102', support: '+12025550103' };

type TransferResult = Awaited<ReturnType<TransferringTransport['transfer']>>;

/** A transport whose transfers end as the test says. */
function handTransport(settle: () => Promise<TransferResult>) {
  const asked: Array<{ to: string; announce: unknown }> = [];
  const transfer = (to: string, options?: { announce?: unknown }) => {
    asked.push({ to, announce: options?.announce });
    return settle();
  };
  return { asked, transfer };
}

const answering = () => handTransport(async () => ({ status: 'answered' }));

/** What the tool's results were told as. */
function ear() {
  const heard: Array<[status: string, destination: string]> = [];
  const onResult = ({ status }: ToolTransferResult, destination: string) => void heard.push([status, destination]);
  return { heard, onResult };
}

describe('a destination that answers', () => {
  test('keeps the caller: what was said is heard first, and the bot leaves', async () => {
    const transport = answering();
    const { heard, onResult } = ear();
    const context = new HandToolContext();
    const speech = deferred();
    context.speech = speech.promise;
    const running = transferTool({ transport, to: OPERATOR, onResult }).execute({}, context);
    await Promise.resolve();
    expect(transport.asked).toEqual([]);
    speech.resolve();
    expect(await running).toEqual({ transferred: true });
    expect(transport.asked).toEqual([{ to: OPERATOR, announce: undefined }]);
    expect(context.done).toEqual(['spoken', 'ends the call: bot_ended']);
    expect(heard).toEqual([['answered', 'operator']]);
  });

  test('is announced by the voice', async () => {
    const transport = answering();
    const context = new HandToolContext();
    await transferTool({ transport, to: OPERATOR, announce: 'One moment.' }).execute({}, context);
    expect(context.done).toEqual(['says One moment.', 'spoken', 'ends the call: bot_ended']);
    expect(transport.asked).toEqual([{ to: OPERATOR, announce: undefined }]);
  });

  test('is announced by a recording', async () => {
    const transport = answering();
    const announce = [new OutputAudioFrame(new Int16Array(160), 8_000)];
    const context = new HandToolContext();
    await transferTool({ transport, to: OPERATOR, announce }).execute({}, context);
    expect(transport.asked).toEqual([{ to: OPERATOR, announce }]);
    expect(context.done[0]).toBe('spoken');
  });
});

test('a model that asks twice gets one announcement, one transfer and the same answer twice', async () => {
  const ringing = deferred<TransferResult>();
  const transport = handTransport(() => ringing.promise);
  const { heard, onResult } = ear();
  const tool = transferTool({ transport, to: TWO, announce: 'One moment.', onResult });
  const context = new HandToolContext();
  const both = ['sales', 'sales'].map((destination) => tool.execute({ destination }, context));
  ringing.resolve({ status: 'busy', detail: 'SIP 486' });
  const told = { transferred: false, reason: 'the line is busy', caller: 'is still on the line with you' };
  expect(await Promise.all(both)).toEqual([told, told]);
  expect(context.done).toEqual(['says One moment.', 'spoken']);
  expect(heard).toEqual([['busy', 'sales']]);
  await tool.execute({ destination: 'sales' }, context); // later, it is another one
  expect(transport.asked).toHaveLength(2);
});

describe('a destination that does not', () => {
  test.each([
    ['busy', 'the line is busy'],
    ['no_answer', 'the call was not answered'],
    ['rejected', 'the call was declined'],
    ['failed', 'the call did not go through'],
  ] as const)('%s: the model is told and goes on with the caller', async (status, reason) => {
    const { heard, onResult } = ear();
    const context = new HandToolContext();
    const transport = handTransport(async () => ({ status, detail: 'SIP 486 from +12025550101' }));
    const told = await transferTool({ transport, to: OPERATOR, onResult }).execute({}, context);
    expect(told).toEqual({ transferred: false, reason, caller: 'is still on the line with you' });
    expect(context.done).toEqual(['spoken']);
    expect(heard).toEqual([[status, 'operator']]);
  });

  test('because it was refused: the model is told, and not the number', async () => {
    const { heard, onResult } = ear();
    const context = new HandToolContext();
    const transport = handTransport(() => Promise.reject(new VoicebotError('VB_TARGET_REFUSED', `not ${OPERATOR}`)));
    const told = await transferTool({ transport, to: OPERATOR, onResult }).execute({}, context);
    expect(told).toMatchObject({ transferred: false, reason: 'calls cannot be transferred there now' });
    expect(JSON.stringify(told)).not.toContain(OPERATOR);
    expect(context.done).toEqual(['spoken']);
    expect(heard).toEqual([['refused', 'operator']]);
  });

  test('is written to standard error when nobody listens', async () => {
    const printed = jest.spyOn(console, 'error').mockImplementation(() => {});
    try {
      const busy = handTransport(async () => ({ status: 'busy', detail: 'Busy Here' }));
      await transferTool({ transport: busy, to: OPERATOR }).execute({}, new HandToolContext());
      const refusing = handTransport(() => Promise.reject(new Error('no such thing')));
      await transferTool({ transport: refusing, to: TWO }).execute({ destination: 'support' }, new HandToolContext());
      await transferTool({ transport: answering(), to: OPERATOR }).execute({}, new HandToolContext());
      expect(printed.mock.calls).toEqual([
        ['transfer to operator: busy, Busy Here'],
        ['transfer to support: refused, no such thing'],
      ]);
    } finally {
      printed.mockRestore();
    }
  });
});

test.each([
  ['hangs up meanwhile', () => Promise.resolve({ status: 'caller_left' } as const)],
  ['has gone before', () => Promise.reject(new VoicebotError('VB_STREAM_CLOSED', 'nobody is there'))],
])('the model has nothing more to say to a caller who %s', async (_, settle) => {
  const context = new HandToolContext();
  const told = await transferTool({ transport: handTransport(settle), to: OPERATOR }).execute({}, context);
  expect(told).toEqual({ transferred: false, reason: 'the caller has hung up' });
  expect(context.done).toEqual(['spoken', 'ends the turn']);
});

test('nobody is called when the call is over before', async () => {
  const transport = answering();
  const context = new HandToolContext();
  context.abort.abort();
  await transferTool({ transport, to: OPERATOR }).execute({}, context);
  expect(transport.asked).toEqual([]);
});

describe('the model', () => {
  test.each<[string, string | Record<string, string>]>([
    ['a number', OPERATOR],
    ['one name', { sales: OPERATOR }],
  ])('has nothing to choose where there is only %s', async (_, to) => {
    const transport = answering();
    const tool = transferTool({ transport, to });
    expect(tool.parameters).toEqual({ type: 'object', properties: {} });
    await tool.execute({}, new HandToolContext());
    expect(transport.asked[0]?.to).toBe(OPERATOR);
  });

  test('chooses a name, and never sees a number', async () => {
    const transport = answering();
    const { heard, onResult } = ear();
    const tool = transferTool({ transport, to: TWO, onResult });
    const schema = JSON.stringify([tool.name, tool.description, tool.parameters]);
    expect(schema).toContain('"enum":["sales","support"]');
    expect(schema).not.toMatch(/\+?\d{7,}/);
    for (const destination of ['+19005550100', 'toString', '', undefined]) {
      await expect(async () => tool.execute({ destination }, new HandToolContext())).rejects.toThrow(/sales, support/);
    }
    await tool.execute({ destination: 'support' }, new HandToolContext());
    expect(transport.asked[0]?.to).toBe(TWO.support);
    expect(heard).toEqual([['answered', 'support']]);
  });

  test('is not hurried, and the caller neither heard nor able to stop it', () => {
    const tool = transferTool({ transport: answering(), to: OPERATOR });
    expect(tool).toMatchObject({ survivesInterruption: true, mutesCaller: true });
    expect(tool.timeoutMs).toBeGreaterThan(190_000); // what a carrier's transport waits at most
  });

  test('is told what the developer says', () => {
    const tool = transferTool({ transport: answering(), to: OPERATOR, name: 'to_human', description: 'Now.' });
    expect(tool).toMatchObject({ name: 'to_human', description: 'Now.' });
  });
});

describe('is refused', () => {
  test.each<[string, string | Record<string, string>, RegExp]>([
    ['a number without a country', '2025550101', /E\.164.*got "2025550101"/],
    ['no number', '', /E\.164/],
    ['a number that is too long', '+1202555010112345', /E\.164/],
    ['words', 'the operator', /E\.164/],
    ['a malformed name', { 'the sales people': OPERATOR }, /"the sales people" must be 1 to 64/],
    ['nobody', {}, /must name a destination/],
  ])('%s', (_, to, message) => {
    expect(() => transferTool({ transport: answering(), to })).toThrow(message);
  });

  test('everything at once', () => {
    const make = () => transferTool({ transport: answering(), to: { 'a b': '911', c: 'x', d: OPERATOR } });
    expect(make).toThrow(
      expect.objectContaining({
        code: 'VB_CONFIG_INVALID',
        message: expect.stringMatching(/"a b" must be.*"a b" must be E\.164.*"c" must be E\.164/),
      }),
    );
  });
});

test('both transports fit', () => {
  const fits = (transport: WebSocketTransport | RoomsTransport) => transferTool({ transport, to: OPERATOR });
  expect(fits(Object.create(WebSocketTransport.prototype)).name).toBe('transfer_call');
  expect(fits(Object.create(RoomsTransport.prototype)).name).toBe('transfer_call');
});
