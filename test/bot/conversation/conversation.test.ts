import { ProviderError } from '../../../src/base/provider-error.js';
import { StopConversationFrame } from '../../../src/bot/conversation/conversation-frames.js';
import {
  DtmfFrame,
  EndFrame,
  ErrorFrame,
  FunctionCallsEndedFrame,
  FunctionCallsStartedFrame,
  InterimTranscriptionFrame,
  InterruptionFrame,
  LLMMessagesAppendFrame,
  LLMRunFrame,
  OutputAudioFrame,
  TranscriptionFrame,
  TTSStartedFrame,
  TTSTextFrame,
  Turn,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import type { TurnReport } from '../../../src/call/turn-report.js';
import { CHARACTER_MS, type Stage, setUpStage } from './stage.js';

afterEach(() => {
  jest.useRealTimers();
});

const silence = (ms: number) => new OutputAudioFrame(new Int16Array(ms * 8), 8_000);

async function callerSays({ pass, queue }: Stage, text: string, ms = 600): Promise<void> {
  await pass(ms, true);
  queue(new TranscriptionFrame(text));
  await pass(1_360);
}

test('greets who is there, hears them out, asks the model, and says its answer', async () => {
  const stage = setUpStage(['It is five.'], { system: 'Be kind.', greeting: 'Hello!' });
  stage.join();
  await stage.pass(1_000);
  await callerSays(stage, 'What time is it?');
  await stage.pass(1_500);
  expect(stage.voice.said).toEqual(['Hello!', 'It is five.']);
  expect(stage.messages()).toEqual([
    { role: 'system', content: 'Be kind.' },
    { role: 'assistant', content: 'Hello!' },
    { role: 'user', content: 'What time is it?' },
    { role: 'assistant', content: 'It is five.' },
  ]);
});

test('tells what was said on both sides', async () => {
  const stage = setUpStage(['It is five in the morning, so to say.'], { greeting: 'Hello!' });
  const said: string[] = [];
  stage.conversation.on('caller_said', (text) => said.push(`caller: ${text}`));
  stage.conversation.on('bot_said', (text, wasInterrupted) => said.push(`bot: ${text}${wasInterrupted ? ' |' : ''}`));
  stage.join();
  await stage.pass(1_000);
  await callerSays(stage, 'What time is it?');
  await stage.pass(600);
  stage.queue(new InterruptionFrame());
  expect(said).toEqual(['bot: Hello!', 'caller: What time is it?', 'bot: It is five |']);
});

test('nobody is greeted before they are there, and nobody twice', async () => {
  const stage = setUpStage([], { greeting: 'Hello!' });
  await stage.pass(500);
  expect(stage.voice.said).toEqual([]);
  stage.join();
  stage.conversation.greet();
  await stage.pass(500);
  expect(stage.voice.said).toEqual(['Hello!']);
});

test('a greeting that is not to come by itself waits until it is wanted', async () => {
  const stage = setUpStage([], { greeting: 'Hello!', greetsByItself: false });
  stage.join();
  await stage.pass(500);
  expect(stage.voice.said).toEqual([]);
  stage.conversation.greet();
  await stage.pass(100);
  expect(stage.voice.said).toEqual(['Hello!']);
});

test('a caller who speaks over the bot stops it, and the context has what they heard', async () => {
  const story = 'Once upon a time there was a king who had three daughters.';
  const stage = setUpStage([story, 'Fine.']);
  const interrupted = jest.fn();
  stage.conversation.on('interrupted', interrupted);
  stage.join();
  await callerSays(stage, 'Tell me a story.');
  const saidAt = stage.wire.sent[0] ?? 0;
  await stage.pass(1_000);
  await callerSays(stage, 'Stop.', 500);
  const [clearedAt = 0] = stage.wire.clears;
  const heardCharacters = (clearedAt - saidAt) / CHARACTER_MS;
  expect(interrupted).toHaveBeenCalledTimes(1);
  const told = stage.messages()[1];
  expect(told).toMatchObject({ role: 'assistant', isInterrupted: true });
  const heard = told?.role === 'assistant' ? told.content : '';
  expect(story.startsWith(`${heard} `)).toBe(true);
  expect(heard.length).toBeLessThanOrEqual(heardCharacters);
  expect(heard.length).toBeGreaterThan(heardCharacters - 10);
  expect(stage.messages()[2]).toEqual({ role: 'user', content: 'Stop.' });
  expect(stage.voice.said.at(-1)).toBe('Fine.');
});

test('a cough does not stop the bot', async () => {
  const stage = setUpStage(['Once upon a time there was a king.']);
  stage.join();
  await callerSays(stage, 'Tell me a story.');
  await stage.pass(800);
  await stage.pass(240, true);
  await stage.pass(3_000);
  expect(stage.wire.clears).toEqual([]);
  expect(stage.messages().at(-1)).toEqual({ role: 'assistant', content: 'Once upon a time there was a king.' });
});

test('a bot that a noise has held goes on where it was, and says it once', async () => {
  const text = 'Once upon a time there was a king.';
  const stage = setUpStage([text]);
  stage.join();
  await callerSays(stage, 'Tell me a story.');
  await stage.pass(200);
  await stage.pass(500, true);
  const heldAt = stage.wire.clears[0] as number;
  expect(stage.wire.sent.filter((at) => at > heldAt)).toEqual([]);
  await stage.pass(5_000);
  expect([stage.voice.said, stage.wire.clears.length]).toEqual([[text], 1]);
  expect(stage.messages().at(-1)).toEqual({ role: 'assistant', content: text });
  const again = stage.wire.sent.length - (text.length * CHARACTER_MS) / 20;
  expect(again * 20).toBeLessThan(600); // what the far end held, from the beginning of its word
});

test('a bot that a noise held when it had nothing to say is heard the next time', async () => {
  let silent = (_: string) => {};
  const stage = setUpStage([() => new Promise<string>((resolve) => (silent = resolve)), 'It is six.']);
  stage.join();
  await callerSays(stage, 'What time is it?');
  await stage.pass(300, true);
  silent('');
  await stage.pass(3_000);
  await callerSays(stage, 'And now?');
  await stage.pass(2_000);
  expect(stage.messages().at(-1)).toEqual({ role: 'assistant', content: 'It is six.' });
  expect(stage.wire.sent.length).toBeGreaterThan(0);
});

test('a turn whose answer waits behind a noise is over when it has been heard', async () => {
  const stage = setUpStage([() => new Promise((resolve) => setTimeout(resolve, 400, 'It is five.'))]);
  const reports: TurnReport[] = [];
  stage.conversation.on('turn', (report) => reports.push(report));
  stage.join();
  await callerSays(stage, 'What time is it?');
  await stage.pass(800, true);
  expect([reports, stage.wire.sent]).toEqual([[], []]);
  await stage.pass(3_000);
  expect(reports).toMatchObject([{ firstReleasedMs: expect.any(Number), wasInterrupted: false }]);
  expect(stage.wire.clears).toEqual([]);
});

test.each(['a greeting', 'a text'])('a noise in the first words of %s costs none of them', async (what) => {
  const text = 'Hello. This is Bluebird Bakery. How can I help you?';
  const stage = setUpStage([], what === 'a greeting' ? { greeting: text } : {});
  stage.join();
  if (what === 'a text') stage.conversation.say(text);
  await stage.pass(300);
  await stage.pass(800, true);
  await stage.pass(8_000);
  expect(stage.messages()).toEqual([{ role: 'assistant', content: text }]);
});

test('what is resumed after words that were taken back is exactly what was not heard', async () => {
  const text = 'Hello. This is Bluebird Bakery. How can I help you?';
  const stage = setUpStage([], { greeting: text });
  stage.join();
  await stage.pass(1_000);
  await stage.pass(500, true);
  stage.queue(new InterimTranscriptionFrame('stop'));
  stage.queue(new InterimTranscriptionFrame(''));
  await stage.pass(9_000);
  const said = stage.messages().map((message) => (message.role === 'assistant' ? message.content : ''));
  expect(said).toHaveLength(2);
  expect(said.join(' ')).toBe(text);
});

test('a caller who goes on while the model thinks is answered once, to all they said', async () => {
  const stage = setUpStage([new Promise<string>(() => {}), 'A large one with cheese.']);
  stage.join();
  await callerSays(stage, 'I want a pizza.');
  expect(stage.model.asked).toHaveLength(1);
  await stage.pass(200, true);
  stage.queue(new InterimTranscriptionFrame('with'));
  await stage.pass(300, true);
  stage.queue(new TranscriptionFrame('With cheese.'));
  await stage.pass(1_500);
  expect(stage.model.aborted).toBe(1);
  expect(stage.messages()[0]).toEqual({ role: 'user', content: 'I want a pizza. With cheese.' });
  expect(stage.voice.said).toEqual(['A large one with cheese.']);
});

test('a message can be added and answered while nobody speaks, or when the caller has finished', async () => {
  const stage = setUpStage(['You are being transferred.', 'Of course.']);
  stage.join();
  stage.queue(new LLMMessagesAppendFrame([{ role: 'system', content: 'Tell them about the transfer.' }], true));
  await stage.pass(2_000);
  expect(stage.voice.said).toEqual(['You are being transferred.']);
  await stage.pass(300, true);
  stage.queue(new LLMRunFrame());
  expect(stage.model.asked).toHaveLength(1);
  await callerSays(stage, 'Good.');
  await stage.pass(500);
  expect(stage.model.asked).toHaveLength(2);
});

test('a wish for an answer is kept when what the caller said was only a noise', async () => {
  const stage = setUpStage(['Still here.']);
  stage.join();
  await stage.pass(300, true);
  stage.queue(new LLMRunFrame());
  await stage.pass(3_000);
  expect(stage.voice.said).toEqual(['Still here.']);
});

test('an interruption by another processor ends the turn', async () => {
  const stage = setUpStage(['Once upon a time there was a king.']);
  const reports: TurnReport[] = [];
  stage.conversation.on('turn', (report) => reports.push(report));
  stage.join();
  await callerSays(stage, 'Tell me a story.');
  await stage.pass(400);
  stage.queue(new InterruptionFrame());
  await stage.pass(100);
  expect(reports).toMatchObject([{ turn: 1, wasInterrupted: true }]);
  expect(stage.messages().at(-1)).toMatchObject({ isInterrupted: true });
});

test('an interruption by another processor also ends what the caller was saying', async () => {
  const stage = setUpStage();
  stage.join();
  await stage.pass(300, true);
  stage.queue(new TranscriptionFrame('Hello?'));
  stage.queue(new InterruptionFrame());
  await stage.pass(3_000);
  expect(stage.model.asked).toEqual([]);
});

test('a noise does not stop a bot that is still thinking', async () => {
  const stage = setUpStage([() => new Promise((resolve) => setTimeout(resolve, 2_000, 'It is five.'))]);
  stage.join();
  await callerSays(stage, 'What time is it?');
  await stage.pass(800, true);
  await stage.pass(4_000);
  expect([stage.model.asked.length, stage.model.aborted, stage.voice.said]).toEqual([1, 0, ['It is five.']]);
});

test('the model is asked to go on after a noise when the rest of its answer is not known', async () => {
  const stage = setUpStage([], { holdAfterMs: 0 });
  stage.join();
  await callerSays(stage, 'Tell me a story.');
  stage.queue(new InterruptionFrame());
  await stage.pass(1_000);
  const { context } = stage.conversation;
  const turn = new Turn(9);
  const response = context.beginResponse(turn);
  context.addText(response, 'Once upon a time');
  const utterance = { id: 99, response, appendToContext: true };
  stage.model.emit(new TTSStartedFrame(utterance), 'downstream');
  stage.model.emit(new TTSTextFrame(utterance, 'Once upon a time'), 'downstream');
  stage.model.emit(silence(3_000), 'downstream');
  await stage.pass(500);
  await stage.pass(600, true);
  stage.queue(new InterimTranscriptionFrame('stop'));
  stage.queue(new InterimTranscriptionFrame(''));
  await stage.pass(3_000);
  expect(stage.model.asked).toHaveLength(2);
});

test('a voice that goes on and on without a word does not keep the bot silent', async () => {
  const stage = setUpStage(['Once upon a time there was a king.']);
  stage.join();
  await callerSays(stage, 'Tell me a story.');
  await stage.pass(300);
  await stage.pass(20_000, true);
  expect(stage.wire.clears).toHaveLength(1);
  expect(stage.messages().at(-1)).toEqual({ role: 'assistant', content: 'Once upon a time there was a king.' });
});

test('a handler that throws is reported and stops nothing', async () => {
  const stage = setUpStage(['Once upon a time there was a king.', 'Fine.']);
  for (const event of ['turn', 'interrupted', 'caller_said', 'bot_said'] as const) {
    stage.conversation.on(event, () => {
      throw new Error(`handler of ${event}`);
    });
  }
  stage.join();
  await callerSays(stage, 'Tell me a story.');
  await stage.pass(800);
  await callerSays(stage, 'Stop.');
  await stage.pass(1_000);
  expect([stage.wire.clears.length, stage.voice.said.at(-1)]).toEqual([1, 'Fine.']);
  const reported = stage.head.frames.flatMap((frame) => (frame instanceof ErrorFrame ? [frame.error.message] : []));
  expect(new Set(reported)).toEqual(
    new Set(['handler of turn', 'handler of interrupted', 'handler of caller_said', 'handler of bot_said']),
  );
});

test('a conversation that is to stand aside asks and says nothing more', async () => {
  const stage = setUpStage([], { idle: { afterMs: 1_000, prompts: ['Hello?'] } });
  stage.join();
  stage.queue(new StopConversationFrame());
  await callerSays(stage, 'What time is it?');
  await stage.pass(5_000);
  expect([stage.model.asked.length, stage.voice.said, stage.call.hungUp]).toEqual([0, [], []]);
});

test('tells what the caller waited for, once for each turn, as an event and as a line', async () => {
  const stage = setUpStage([() => new Promise((resolve) => setTimeout(resolve, 300, 'Five.'))]);
  const reports: TurnReport[] = [];
  stage.conversation.on('turn', (report) => reports.push(report));
  stage.join();
  await callerSays(stage, 'What time is it?');
  await stage.pass(2_000);
  expect(reports).toEqual([
    {
      turn: 1,
      since: 'caller_stopped',
      finalTranscriptMs: 0,
      modelRequestedMs: 1_320,
      firstReleasedMs: expect.closeTo(1_620, -1),
      wasInterrupted: false,
    },
  ]);
  expect(stage.lines).toEqual([
    expect.stringMatching(
      /^turn 1: the caller's last sound, transcript \+0 ms, model asked \+1320 ms, heard \+16\d\d ms$/,
    ),
  ]);
});

test('tells the rest of the pipeline when the caller speaks', async () => {
  const stage = setUpStage();
  await stage.pass(100, true);
  await stage.pass(100);
  for (const end of [stage.head, stage.tail]) {
    const kinds = end.frames.map((frame) => frame.constructor);
    expect(
      kinds.filter((kind) => [UserStartedSpeakingFrame, UserStoppedSpeakingFrame].includes(kind as never)),
    ).toEqual([UserStartedSpeakingFrame, UserStoppedSpeakingFrame]);
  }
});

describe('a caller who waits for an answer', () => {
  test('hears the hold line after four seconds, and again, past the model that is busy', async () => {
    const stage = setUpStage([new Promise<string>(() => {})], { holdLine: silence(1_000) });
    stage.join();
    await callerSays(stage, 'What time is it?');
    await stage.pass(4_000);
    const first = stage.wire.sent.length;
    expect(first).toBeGreaterThan(0);
    await stage.pass(3_000);
    const between = stage.wire.sent.length;
    await stage.pass(3_000);
    expect(between).toBe(50);
    expect(stage.wire.sent.length).toBeGreaterThan(between);
    const gaps = stage.wire.sent.map((at, index) => at - (stage.wire.sent[index - 1] ?? at));
    expect(Math.max(...gaps)).toBeLessThan(5_000);
  });

  test('hears none when the answer comes in time, nor when it is switched off', async () => {
    const slow = () => new Promise<string>((resolve) => setTimeout(resolve, 2_500, 'Five.'));
    for (const holdAfterMs of [4_000, 0]) {
      const stage = setUpStage([slow, new Promise<string>(() => {})], { holdLine: silence(1_000), holdAfterMs });
      stage.join();
      await callerSays(stage, 'What time is it?');
      await stage.pass(3_200);
      expect(stage.wire.sent).toHaveLength(13); // "Five." and nothing else
      if (holdAfterMs > 0) continue;
      await callerSays(stage, 'And now?');
      await stage.pass(9_000);
      expect(stage.wire.sent).toHaveLength(13);
    }
  });

  test('hears it too when they may not interrupt and say something meanwhile', async () => {
    const stage = setUpStage([new Promise<string>(() => {})], { holdLine: silence(1_000), bargeIn: false });
    stage.join();
    await callerSays(stage, 'What time is it?');
    await callerSays(stage, 'Hello?');
    await stage.pass(4_500);
    expect(stage.wire.sent.length).toBeGreaterThan(0);
  });

  test('hears none while a function runs that connects them with somebody', async () => {
    const stage = setUpStage([], { holdLine: silence(1_000) });
    stage.join();
    const call = { id: 'a', name: 'transfer', input: {} };
    stage.model.emit(new FunctionCallsStartedFrame([call], true), 'upstream');
    await callerSays(stage, 'Hello?'); // and is not heard
    await stage.pass(20_000);
    expect([stage.wire.sent.length, stage.model.asked.length]).toEqual([0, 0]);
    const result = { callId: 'a', name: 'transfer', output: 'busy', isError: false };
    stage.model.emit(new FunctionCallsEndedFrame([result]), 'upstream');
    await callerSays(stage, 'Hello?');
    expect(stage.model.asked).toHaveLength(1);
  });
});

describe('muting', () => {
  test('a greeting can be heard to its end', async () => {
    const stage = setUpStage([], { greeting: 'Welcome to the shop.', mute: ['greeting'] });
    stage.join();
    await callerSays(stage, 'Hello?');
    expect(stage.wire.clears).toEqual([]);
    await stage.pass(1_000);
    await callerSays(stage, 'Hello?');
    expect(stage.model.asked).toHaveLength(1);
  });

  test('begins while the caller makes a sound', async () => {
    const stage = setUpStage([], { greeting: 'Welcome to the shop.', mute: ['greeting'] });
    await stage.pass(200, true);
    stage.join();
    await stage.pass(2_000, true);
    expect(stage.wire.clears).toEqual([]);
    const stopped = stage.head.frames.filter((frame) => frame instanceof UserStoppedSpeakingFrame);
    expect(stopped).toHaveLength(1);
  });

  test('also mutes the words that arrive a little later', async () => {
    const stage = setUpStage([], { greeting: 'Welcome to the shop.', mute: ['greeting'] });
    stage.join();
    await stage.pass(1_200);
    stage.queue(new TranscriptionFrame('Hello? Hello?'));
    await stage.pass(3_000);
    expect(stage.model.asked).toEqual([]);
  });

  test('functions can mute the caller', async () => {
    const stage = setUpStage([], { mute: ['functions'], holdAfterMs: 0 });
    stage.join();
    const call = { id: 'a', name: 'look', input: {} };
    stage.model.emit(new FunctionCallsStartedFrame([call], false), 'upstream');
    await callerSays(stage, 'Hello?');
    expect(stage.model.asked).toHaveLength(0);
  });
});

describe('a caller who says nothing', () => {
  const idle = { afterMs: 5_000, prompts: ['Are you there?', 'Hello?'], goodbye: 'Goodbye.' };

  test('is asked, asked again, and then the call ends', async () => {
    const stage = setUpStage([], { greeting: 'Hi.', idle });
    stage.join();
    await stage.pass(22_000);
    expect(stage.voice.said).toEqual(['Hi.', 'Are you there?', 'Hello?', 'Goodbye.']);
    expect(stage.call.hungUp).toEqual(['bot_ended']);
  });

  test('is asked from the start again once they have answered', async () => {
    const stage = setUpStage(['Good.', 'Fine.'], { idle });
    stage.join();
    await stage.pass(6_500);
    await callerSays(stage, 'Yes, I am.');
    await stage.pass(7_000);
    expect(stage.voice.said).toEqual(['Are you there?', 'Good.', 'Are you there?']);
  });

  test('is not asked while they press keys', async () => {
    const stage = setUpStage([], { idle });
    stage.join();
    for (let key = 0; key < 20; key += 1) {
      await stage.pass(1_000);
      stage.queue(new DtmfFrame('1'));
    }
    expect(stage.voice.said).toEqual([]);
  });

  test('is asked on, and the call ends, when the prompts make no sound', async () => {
    const stage = setUpStage([], { idle });
    stage.join();
    stage.wire.isOpen = false;
    await stage.pass(20_000);
    expect(stage.call.hungUp).toEqual(['bot_ended']);
    expect(stage.messages()).toEqual([]); // nobody has heard them
  });

  test('is not asked while they wait for the bot', async () => {
    const stage = setUpStage([new Promise<string>(() => {})], { idle, holdAfterMs: 0 });
    stage.join();
    await callerSays(stage, 'What time is it?');
    await stage.pass(20_000);
    expect(stage.voice.said).toEqual([]);
  });
});

describe('a provider that has failed for good', () => {
  const failure = new ProviderError('Deepgram', 'VB_CREDENTIALS_REFUSED', '401, bad key', { isFinal: true });
  const fail = (stage: Stage, error: Error = failure) => stage.head.emit(new ErrorFrame(error), 'downstream');

  test('has the caller hear an apology, and the call end for that reason', async () => {
    const stage = setUpStage([], { failure: { apology: silence(400) } });
    const failed = jest.fn();
    stage.conversation.on('failed', failed);
    stage.join();
    fail(stage);
    fail(stage);
    await stage.pass(1_000);
    expect(failed.mock.calls).toEqual([[failure]]);
    expect(stage.wire.sent).toHaveLength(20);
    expect(stage.call.hungUp).toEqual(['provider_error']);
  });

  test('waits with the apology while a function has the caller talk to somebody else', async () => {
    const stage = setUpStage([], { failure: { apology: silence(400) } });
    stage.join();
    stage.model.emit(new FunctionCallsStartedFrame([{ id: 'a', name: 'transfer', input: {} }], true), 'upstream');
    fail(stage);
    await stage.pass(5_000);
    expect([stage.wire.sent, stage.call.hungUp]).toEqual([[], []]);
    const result = { callId: 'a', name: 'transfer', output: 'busy', isError: false };
    stage.model.emit(new FunctionCallsEndedFrame([result]), 'upstream');
    await stage.pass(1_000);
    expect([stage.wire.sent.length, stage.call.hungUp]).toEqual([20, ['provider_error']]);
  });

  test('waits with the apology until somebody is there', async () => {
    const stage = setUpStage([], { failure: { apology: silence(400) }, greeting: 'Hello!' });
    fail(stage);
    await stage.pass(3_000);
    expect([stage.wire.sent, stage.call.hungUp]).toEqual([[], []]);
    stage.join();
    await stage.pass(1_000);
    expect([stage.wire.sent.length, stage.voice.said, stage.call.hungUp]).toEqual([20, [], ['provider_error']]);
  });

  test('interrupts a bot that waits for it', async () => {
    const stage = setUpStage([new Promise<string>(() => {})], { failure: { apology: silence(400) } });
    stage.join();
    await callerSays(stage, 'Hello?');
    fail(stage);
    await stage.pass(1_000);
    expect([stage.model.aborted, stage.call.hungUp]).toEqual([1, ['provider_error']]);
  });

  test.each([
    ['answered', 'bot_ended'],
    ['busy', 'provider_error'],
  ])('hands the caller over where that is wanted: %s', async (status, reason) => {
    const stage = setUpStage([], { failure: { apology: silence(400), transfer: async () => ({ status }) } });
    stage.join();
    fail(stage);
    await stage.pass(1_000);
    expect(stage.call.hungUp).toEqual([reason]);
  });

  test('a transfer that throws ends the call all the same', async () => {
    const transfer = () => Promise.reject(new Error('refused'));
    const stage = setUpStage([], { failure: { apology: silence(400), transfer } });
    stage.join();
    fail(stage);
    await stage.pass(1_000);
    expect(stage.call.hungUp).toEqual(['provider_error']);
  });

  test('one that may come back changes nothing', async () => {
    const stage = setUpStage(['Five.']);
    stage.join();
    fail(stage, new ProviderError('Deepgram', 'VB_PROVIDER_FAILED', 'connection lost'));
    fail(stage, new Error('something else'));
    await callerSays(stage, 'What time is it?');
    await stage.pass(1_000);
    expect([stage.voice.said, stage.call.hungUp]).toEqual([['Five.'], []]);
  });
});

test('after the end nothing is asked or said any more', async () => {
  const stage = setUpStage([], { idle: { afterMs: 1_000, prompts: ['Hello?'] } });
  stage.join();
  stage.queue(new EndFrame());
  await callerSays(stage, 'What time is it?');
  await stage.pass(5_000);
  expect([stage.model.asked.length, stage.voice.said]).toEqual([0, []]);
});

test('options that are out of range are refused', () => {
  expect(() => setUpStage([], { holdAfterMs: 3 })).toThrow(/holdAfterMs/);
  expect(() => setUpStage([], { idle: { afterMs: 1, prompts: [] } })).toThrow(/idle\.afterMs/);
});
