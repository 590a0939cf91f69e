import type { DtmfDigit } from '../../../src/base/audio/dtmf-digit.js';
import type { ConversationOptions } from '../../../src/bot/conversation/conversation.js';
import {
  DtmfFrame,
  FunctionCallsEndedFrame,
  FunctionCallsStartedFrame,
  LLMRunFrame,
  TranscriptionFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { type Reply, type Stage, setUpStage } from './stage.js';

afterEach(() => {
  jest.useRealTimers();
});

/** A conversation with a caller who is there. */
function setUp(replies: Reply[] = [], options: ConversationOptions = {}) {
  const stage = setUpStage(replies, options);
  const press = (keys: string): DtmfFrame[] => {
    const frames = [...keys].map((digit) => new DtmfFrame(digit as DtmfDigit));
    for (const frame of frames) stage.queue(frame);
    return frames;
  };
  stage.join();
  return { ...stage, stage, press };
}

const callerWords = ({ messages }: Pick<Stage, 'messages'>) =>
  messages().flatMap((message) => (message.role === 'user' ? [message.content] : []));

const beginFunction = ({ model }: Stage, mutesCaller = false) =>
  model.emit(new FunctionCallsStartedFrame([{ id: 'a', name: 'look', input: {} }], mutesCaller), 'upstream');

const endFunction = ({ model }: Stage) =>
  model.emit(new FunctionCallsEndedFrame([{ callId: 'a', name: 'look', output: 'found', isError: false }]), 'upstream');

test('keys are a turn of the caller two seconds after the last of them', async () => {
  const it = setUp(['Thank you.']);
  it.press('4');
  await it.pass(1_980);
  it.press('2');
  await it.pass(1_980);
  expect(it.model.asked).toHaveLength(0);
  await it.pass(500);
  expect([callerWords(it), it.voice.said]).toEqual([['(the caller pressed 4 2)'], ['Thank you.']]);
});

test.each([
  ['42#', ['(the caller pressed 4 2 #)']],
  ['#', ['(the caller pressed #)']],
  ['1#2#', ['(the caller pressed 1 #) (the caller pressed 2 #)']],
  ['5'.repeat(64), [`(the caller pressed${' 5'.repeat(64)})`]],
])('keys are a turn at once when they are %s', (keys, words) => {
  const it = setUp([new Promise<string>(() => {})]);
  it.press(keys);
  expect(callerWords(it)).toEqual(words);
});

test('the pause that ends them is an option', async () => {
  const it = setUp([], { keys: { afterMs: 500 } });
  it.press('4');
  await it.pass(600);
  expect(callerWords(it)).toEqual(['(the caller pressed 4)']);
});

test('the model is not told of keys when the bot does not want that', async () => {
  const it = setUp([], { keys: false, greeting: 'A long story begins.' });
  await it.pass(200);
  it.press('42#');
  await it.pass(5_000);
  expect([it.model.asked.length, it.wire.clears]).toEqual([0, []]);
});

test.each([
  [{ keys: { afterMs: 99 } }, /keys\.afterMs must be 100 to 30000, got 99/],
  [{ keys: { after: 5 } as never }, /keys\.after/],
])('refuses %j', (options, problem) => {
  expect(() => setUpStage([], options)).toThrow(problem);
});

test('a key stops the bot that speaks, and the answer follows when all have been pressed', async () => {
  const it = setUp(['Sales.'], { greeting: 'Press one for sales, two for repairs, or three for a person.' });
  let interruptions = 0;
  it.conversation.on('interrupted', () => {
    interruptions += 1;
  });
  await it.pass(1_500);
  it.press('1');
  await it.pass(1_900);
  expect([interruptions, it.wire.clears.length, it.model.asked.length]).toEqual([1, 1, 0]);
  await it.pass(1_000);
  expect(it.voice.said.at(-1)).toBe('Sales.');
  expect(it.messages()[0]).toMatchObject({ role: 'assistant', isInterrupted: true });
});

test('keys while the model thinks get one answer, to everything', async () => {
  const it = setUp([new Promise<string>(() => {}), 'Number four two it is.']);
  await it.pass(600, true);
  it.queue(new TranscriptionFrame('My number is.'));
  await it.pass(1_500);
  expect(it.model.asked).toHaveLength(1);
  it.press('42#');
  await it.pass(600);
  expect([it.model.aborted, it.voice.said]).toEqual([1, ['Number four two it is.']]);
  expect(callerWords(it)).toEqual(['My number is. (the caller pressed 4 2 #)']);
});

test.each([
  ['before the words have ended', 300],
  ['while they end', 700],
])('keys and words at once get one answer, to both: keys %s', async (_title, ms) => {
  const it = setUp();
  const said: string[] = [];
  it.conversation.on('caller_said', (text) => said.push(text));
  await it.pass(600, true);
  it.queue(new TranscriptionFrame('My number is'));
  await it.pass(20);
  it.press('4');
  await it.pass(ms);
  it.press('2#');
  await it.pass(6_000);
  expect([said, it.voice.said.length]).toEqual([['My number is'], 1]);
  expect([...(callerWords(it)[0] ?? '')].sort().join('')).toBe(
    [...'My number is (the caller pressed 4 2 #)'].sort().join(''),
  );
});

test('keys on a noisy line are a turn at once', async () => {
  const it = setUp();
  await it.pass(600, true);
  it.press('42#');
  await it.pass(20, true);
  expect(callerWords(it)).toEqual(['(the caller pressed 4 2 #)']);
});

test('a bot that cannot be interrupted says everything first, and then answers', async () => {
  const it = setUp(['Sales.'], { greeting: 'Press one for sales.', bargeIn: false });
  await it.pass(200);
  it.press('1#');
  await it.pass(600);
  expect([it.wire.clears.length, it.model.asked.length]).toEqual([0, 0]);
  await it.pass(1_000);
  expect([it.wire.clears.length, it.voice.said]).toEqual([0, ['Press one for sales.', 'Sales.']]);
});

test('keys do not count while the caller is not listened to, nor do those that were being pressed', async () => {
  const it = setUp([], { greeting: 'Welcome.', mute: ['greeting'] });
  await it.pass(100);
  it.press('1#');
  await it.pass(1_000);
  it.press('2');
  beginFunction(it.stage, true);
  it.press('3#');
  await it.pass(3_000);
  endFunction(it.stage);
  await it.pass(3_000);
  expect(it.model.asked).toHaveLength(0);
  it.press('4#');
  expect(callerWords(it)).toEqual(['(the caller pressed 4 #)']);
});

describe('while a function runs', () => {
  test('keys wait, for it may listen for them: those it takes never reach the model', async () => {
    const it = setUp([], { greeting: 'Please type your number.', holdAfterMs: 0 });
    await it.pass(100);
    beginFunction(it.stage);
    for (const key of it.press('42#')) key.isTaken = true;
    await it.pass(5_000);
    endFunction(it.stage);
    await it.pass(5_000);
    expect([it.model.asked.length, it.wire.clears]).toEqual([0, []]);
  });

  test('keys that it does not take are a turn when it has returned', async () => {
    const it = setUp([], { holdAfterMs: 0 });
    beginFunction(it.stage);
    const [first] = it.press('123');
    if (first) first.isTaken = true;
    await it.pass(5_000);
    expect(it.model.asked).toHaveLength(0);
    endFunction(it.stage);
    await it.pass(100);
    expect(callerWords(it)).toEqual(['(the caller pressed 2 3)']);
  });
});

test('a key that a listener has taken stops nothing, and one that the model was told of is taken', async () => {
  const it = setUp([], { greeting: 'Please type your number.' });
  await it.pass(200);
  const taken = new DtmfFrame('1');
  taken.isTaken = true;
  it.queue(taken);
  await it.pass(3_000);
  expect([it.wire.clears, it.model.asked]).toEqual([[], []]);
  expect(it.press('2#').map(({ isTaken }) => isTaken)).toEqual([true, true]);
});

test('what the model is to do waits until the caller has pressed everything, also where a listener takes it', async () => {
  const it = setUp(['Done.', 'Done too.']);
  it.press('4');
  it.queue(new LLMRunFrame());
  await it.pass(1_900);
  expect(it.model.asked).toHaveLength(0);
  await it.pass(400);
  expect([it.model.asked.length, callerWords(it)]).toEqual([1, ['(the caller pressed 4)']]);
  await it.pass(1_000);
  for (const key of it.press('5')) key.isTaken = true;
  it.queue(new LLMRunFrame());
  await it.pass(2_100);
  expect([it.model.asked.length, callerWords(it)]).toEqual([2, ['(the caller pressed 4)']]);
});

test('keys are no words of the caller', async () => {
  const it = setUp();
  const said: string[] = [];
  it.conversation.on('caller_said', (text) => said.push(text));
  it.press('42#');
  await it.pass(1_000);
  expect(said).toEqual([]);
});

test('nothing that is pressed counts after the end', async () => {
  const it = setUp();
  it.press('4');
  it.conversation.user().cleanup();
  it.press('2#');
  await it.pass(5_000);
  expect(it.model.asked).toHaveLength(0);
});
