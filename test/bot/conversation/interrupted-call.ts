import { fileURLToPath } from 'node:url';
import type { LLMMessage } from '../../../src/bot/pipeline/frames/index.js';
import type { RoomsClient } from '../../../src/bot/transports/room/join-room.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import type { FakeModelReply } from '../../../src/lab/kit/index.js';
import { until } from '../../e2e/processes.js';
import type { Side } from '../../e2e/recording.js';
import { scriptedModel } from '../../templates/scripted-model.js';
import { TemplateUnderTest } from '../../templates/template-under-test.js';

const BOT = fileURLToPath(new URL('bots/scripted.ts', import.meta.url));
/** How long the voice speaks a character, in milliseconds. */
const CHARACTER_MS = 60;
const FRAME_MS = 20;
const STORY = 'Bread was baked in this very street when grandmother was a little girl and horses pulled the carts.';

interface Told {
  readonly event: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  // biome-ignore lint/suspicious/noExplicitAny: what the bot of this test has written
  readonly data: any;
}

/** A voice whose words are tones with gaps between them, so that they can be counted in a recording. */
function tones(text: string, sampleRate: number): Int16Array {
  const perCharacter = (sampleRate * CHARACTER_MS) / 1_000;
  return Int16Array.from({ length: text.length * perCharacter }, (_, n) =>
    text[Math.floor(n / perCharacter)] === ' ' ? 0 : 8_000 * Math.sin((2 * Math.PI * 400 * n) / sampleRate),
  );
}

/** Longer quiet ends what was said, in milliseconds: before the next answer it lasts a second. */
const PAUSE_MS = 800;

/**
 * How many words of `text` are heard to their end from `fromMs` on, until it is quiet: at least and at most. The two
 * are the same unless a busy machine has lost sound, which counts as heard in `atMost`, or held some back, which
 * counts once in `atLeast`.
 */
function wordsHeard(side: Side, fromMs: number, text: string): { atLeast: number; atMost: number } {
  let [audibleMs, quietMs, lastMs] = [0, 0, 0];
  for (let at = fromMs; quietMs < PAUSE_MS && at < side.durationMs; at += FRAME_MS) {
    const isAudible = side.audibleMs(at, at + FRAME_MS) > 0;
    if (isAudible) audibleMs += FRAME_MS;
    if (isAudible) lastMs = at + FRAME_MS - fromMs;
    quietMs = isAudible ? 0 : quietMs + FRAME_MS;
  }
  const within = (heardMs: number, spaceMs: number) => {
    let endMs = -spaceMs;
    return text.split(' ').filter((word) => {
      endMs += spaceMs + word.length * CHARACTER_MS;
      return endMs <= heardMs + FRAME_MS;
    }).length;
  };
  return { atLeast: within(audibleMs, 0), atMost: within(lastMs, CHARACTER_MS) };
}

/** What was noted of the call that people care about, in the order of time. */
function notedIn(events: readonly TimelineEvent[]): string[] {
  const words = (event: TimelineEvent): string[] => {
    if (event.type === 'said') return [`${event.speaker}: ${event.text}${event.unheard ? ` | ${event.unheard}` : ''}`];
    if (event.type === 'tool_called' || event.type === 'tool_returned') return [`${event.type} ${event.name}`];
    if (event.type === 'transfer_over') return [`${event.type} ${event.status}`];
    if (event.type === 'turn_ended')
      return [`${event.type} ${event.turn}${event.wasInterrupted ? ' interrupted' : ''}`];
    return ['caller_joined', 'turn_started', 'model_asked', 'model_answered', 'transfer_asked'].includes(event.type)
      ? [event.type]
      : [];
  };
  return events.toSorted((a, b) => a.at - b.at).flatMap(words);
}

const REPLIES: Readonly<Record<string, FakeModelReply>> = {
  story: { text: STORY },
  owner: { toolCalls: [{ name: 'transfer_call', input: {} }] },
};

/**
 * A caller interrupts a bot that tells a story, and is transferred. Checks that the model knows what the caller has heard.
 * @param client how the bot joins a room
 */
export async function interruptAndBeTransferred(transport: 'carrier' | 'rooms', client?: RoomsClient): Promise<void> {
  await using stage = await TemplateUnderTest.start(BOT, {
    transport,
    ...(client && { client }),
    texts: ['Tell me a story.', 'Can I talk to the owner?'],
    replies: scriptedModel(REPLIES),
    voice: { audio: tones },
  });
  const told = (): Told[] =>
    stage.served.output.all.filter((line) => line.startsWith('{"event"')).map((line) => JSON.parse(line));
  const saw = (event: string) => until(() => told().some((one) => one.event === event), event, 20_000);
  await using caller = await stage.caller();

  await stage.says('Hello.', 20_000);
  await saw('stopped');
  await caller.says('three short words');
  const storyAt = await caller.begins();
  await until(() => caller.heardMs > storyAt + 1_500, 'some of the story');
  caller.speaks('three short words');
  await saw('interrupted');
  await stage.says('One moment.');
  await saw('over');

  const messages: LLMMessage[] = told().find(({ event }) => event === 'over')?.data.messages;
  const story = messages.find((message) => message.role === 'assistant' && message.content.startsWith('Bread'));
  if (story?.role !== 'assistant') throw new Error(`no story in ${JSON.stringify(messages)}`);
  expect(STORY.startsWith(`${story.content} `)).toBe(true);
  const known = story.content.split(' ').length;
  const heard = wordsHeard(caller.heard, storyAt, STORY);
  // A word may end within the very frame at which the bot was stopped. In a room nobody acknowledges what was heard, and a busy
  // machine loses some of it.
  const atVariance = transport === 'carrier' ? 1 : 3;
  expect(known).toBeGreaterThanOrEqual(heard.atLeast - atVariance);
  expect(known).toBeLessThanOrEqual(heard.atMost + atVariance);

  // what happens in a call is told some at a time
  await until(() => notedIn(stage.served.noted).includes('turn_ended 2'), 'the last turn is noted', 5_000);
  const noted = notedIn(stage.served.noted);
  expect(noted.toSorted()).toEqual(
    [
      'caller_joined',
      'bot: Hello.',
      'caller: Tell me a story.',
      'turn_started',
      'model_asked',
      'model_answered',
      `bot: ${story.content} | ${STORY.slice(story.content.length + 1)}`,
      'turn_ended 1 interrupted',
      'caller: Can I talk to the owner?',
      'turn_started',
      'model_asked',
      'model_answered',
      'tool_called transfer_call',
      'bot: One moment.',
      'transfer_asked',
      'transfer_over answered',
      'tool_returned transfer_call',
      'turn_ended 2',
    ].toSorted(),
  );
  expect(noted.indexOf('tool_returned transfer_call')).toBeGreaterThan(noted.indexOf('transfer_over answered'));
  expect(messages).toEqual([
    { role: 'system', content: 'You are the bakery.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Tell me a story.' },
    { role: 'assistant', content: story.content, isInterrupted: true },
    { role: 'user', content: 'Can I talk to the owner?' },
    { role: 'assistant', content: 'One moment.' },
    { role: 'assistant', content: '', toolCalls: [expect.objectContaining({ name: 'transfer_call' })] },
    { role: 'tool', results: [expect.objectContaining({ output: { transferred: true } })] },
  ]);
}
