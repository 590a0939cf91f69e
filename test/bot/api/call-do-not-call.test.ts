import { deferred } from '../../../src/base/async/deferred.js';
import { VoicebotError } from '../../../src/base/errors.js';
import { CallDoNotCall } from '../../../src/bot/api/call-do-not-call.js';
import type { DoNotCallOptions } from '../../../src/bot/api/do-not-call-options.js';
import { bindTools, doNotCall } from '../../../src/bot/api/tools.js';
import { DtmfFrame, InterimTranscriptionFrame, TranscriptionFrame } from '../../../src/bot/pipeline/frames/index.js';
import type { CallDirection, EndReason } from '../../../src/call/call.js';
import type { DoNotCallOutcome, DoNotCallWay, EarlierDoNotCall } from '../../../src/call/do-not-call.js';
import { until } from '../../e2e/processes.js';

const ASKED = 'Please do not call me again.';

interface Scene {
  options?: DoNotCallOptions;
  direction?: CallDirection;
  language?: string;
  outcome?: DoNotCallOutcome;
  before?: EarlierDoNotCall;
  isTalking?: boolean;
  /** The person speaks over what is said. */
  isCut?: boolean;
  /** Until this the bot may not speak. */
  opening?: Promise<void>;
}

/** A call that does as the test says, and notes in what order everything happens. */
function callOf(scene: Scene = {}) {
  const {
    options = {},
    direction = 'outbound',
    language,
    outcome = 'listed',
    before,
    isTalking,
    isCut = false,
    opening,
  } = scene;
  const done: string[] = [];
  let talks = isTalking ?? true;
  const over = deferred<EndReason>();
  const problem = outcome === 'failed' ? new VoicebotError('VB_DO_NOT_CALL_DAMAGED', 'x') : undefined;
  const say = async (text: string) => {
    done.push(`says ${text}`);
    return !isCut;
  };
  const wish = new CallDoNotCall(
    { direction, say },
    {
      options,
      runner: {
        doNotCall: async (how: DoNotCallWay) => {
          done.push(`lists ${how}`);
          return { outcome, ...(problem && { problem }) };
        },
        askedNotToBeCalled: before,
        tellDoNotCall: (isHeard) => void done.push(isHeard ? 'was told' : 'is settled'),
      },
      hasVoice: true,
      pipeline: {
        interrupt: () => void done.push('interrupts'),
        language,
        over: over.promise,
        isOver: false,
      },
      opening: { underWay: opening },
      conversation: () => (talks ? { inform: (text) => void done.push(`informs ${text.slice(0, 20)}`) } : undefined),
      tell: (how, told) => void done.push(`tells ${how} ${told}`),
      warn: (error) => void done.push(`warns ${(error as VoicebotError).code}`),
    },
  );
  const begin = () => {
    talks = true;
    wish.introduce();
  };
  const hangUp = () => over.resolve('caller_hung_up');
  return { wish, done, begin, hangUp, settled: async () => void (await wish.settled) };
}

test('the number is on the list before the model is told, the bot stops, and the person hears it', async () => {
  const { wish, done, settled } = callOf();
  wish.hear(new TranscriptionFrame(ASKED, true));
  await settled();
  expect(done).toEqual([
    'lists said',
    'tells said listed',
    'informs The person on the li',
    'interrupts',
    'says Your number is on our do-not-call list now. We will not call you again.',
    'was told',
  ]);
});

test('who asks for it during the opening is told behind that, and nothing is interrupted: what else was answered there is heard', async () => {
  const opening = deferred<void>();
  const { wish, done, settled } = callOf({ opening: opening.promise });
  wish.hear(new TranscriptionFrame(ASKED, true));
  await until(() => done.includes('tells said listed'), 'the number is on the list');
  opening.resolve();
  await settled();
  expect(done.filter((step) => step.startsWith('interrupts') || step.startsWith('says'))).toEqual([
    'says Your number is on our do-not-call list now. We will not call you again.',
  ]);
});

test('what is said in pieces counts when it is over, and not before', async () => {
  const { wish, done, settled } = callOf();
  wish.hear(new TranscriptionFrame('Do not call me again', false));
  wish.hear(new TranscriptionFrame('before nine.', true));
  await settled();
  expect(done).toEqual([]);
  wish.hear(new TranscriptionFrame('Do not call', false));
  wish.hear(new TranscriptionFrame('me again.', false)); // ears that do not tell the end of it
  await until(() => done.length > 0, 'it is taken for over', 10_000);
  expect(done[0]).toBe('lists said');
});

test.each([
  ['words that do not end their utterance', [new TranscriptionFrame('Never call me again', false)]],
  ['words that are not final', [new InterimTranscriptionFrame('never call me again')]],
  ['both', [new TranscriptionFrame('Never call', false), new InterimTranscriptionFrame('me again')]],
] as const)('a person who hangs up at once is on the list: %s', async (_, frames) => {
  const { wish, done, hangUp, settled } = callOf();
  for (const frame of frames) wish.hear(frame);
  expect(done).toEqual([]);
  hangUp();
  await null;
  expect(done).toEqual(['lists said']); // at once: the bot's process may end
  await settled();
  expect(done).toContain('tells said listed');
});

test.each<[string, Scene, boolean]>([
  ['a call that goes out', {}, true],
  ['a call that comes in', { direction: 'inbound' }, false],
  ['a call that comes in, of a bot that wants it', { direction: 'inbound', options: { said: true } }, true],
  ['a call that goes out, of a bot that does not', { options: { said: false } }, false],
])('words in %s', async (_what, scene, counts) => {
  const { wish, done, settled } = callOf(scene);
  wish.hear(new TranscriptionFrame(ASKED, true));
  await settled();
  expect(done.length > 0).toBe(counts);
});

test('the key counts once, in any call, and means nothing else; one that was listened for is no such key', async () => {
  const { wish, done, settled } = callOf({ options: { key: '9' }, direction: 'inbound' });
  const listened = new DtmfFrame('9');
  listened.isTaken = true;
  for (const key of [listened, new DtmfFrame('8')]) wish.hear(key);
  expect(done).toEqual([]);
  const [first, second] = [new DtmfFrame('9'), new DtmfFrame('9')];
  for (const key of [first, second]) wish.hear(key);
  expect([first.isTaken, second.isTaken]).toEqual([true, true]);
  await settled();
  expect(done.filter((one) => one.startsWith('lists'))).toEqual(['lists pressed']);
  expect(done.filter((one) => one.startsWith('says'))).toHaveLength(1);
});

test.each<[string, Scene, string]>([
  [
    'in the language of the call',
    { language: 'de-AT' },
    'Ihre Nummer steht jetzt auf unserer Sperrliste. Wir rufen Sie nicht wieder an.',
  ],
  ['in that in which it was said, where the call has none', {}, 'Nous ne vous appellerons plus.'],
  ['as the bot has it', { options: { say: 'Done.' } }, 'Done.'],
  ['that the number is withheld', { outcome: 'withheld', language: 'en' }, 'Your number is withheld'],
  ['that it could not be done', { outcome: 'failed', language: 'it', options: { say: 'Done.' } }, 'Mi dispiace'],
])('the person hears %s', async (_what, scene, words) => {
  const { wish, done, settled } = callOf(scene);
  wish.hear(new TranscriptionFrame("Ne m'appelez plus.", true));
  await settled();
  expect(done.find((one) => one.startsWith('says'))).toContain(words);
  expect(done.includes('was told')).toBe((scene.outcome ?? 'listed') === 'listed');
  expect(done.includes('warns VB_DO_NOT_CALL_DAMAGED')).toBe(scene.outcome === 'failed');
});

test('with `say: false` the person hears nothing of it, and nothing is interrupted', async () => {
  const { wish, done, settled } = callOf({ options: { say: false } });
  wish.hear(new TranscriptionFrame(ASKED, true));
  await settled();
  expect(done).toEqual(['lists said', 'tells said listed', 'informs The person on the li', 'is settled']);
});

test.each<[string, Scene, string | false | undefined]>([
  ['was to hear nothing', {}, false],
  ['has spoken over it', { isCut: true }, undefined],
])('a person who %s is told nothing by later bots of the call either', async (_what, scene, say) => {
  const { wish, done } = callOf(scene);
  await wish.ask('tool', say);
  expect(done.at(-1)).toBe('is settled');
  const next = callOf({ before: { how: 'tool', at: 1, isSettled: true } });
  next.wish.resume();
  await next.settled();
  expect(next.done).toEqual([]);
});

test('what has failed may be asked for again, and what was done is not done again', async () => {
  const failing = callOf({ outcome: 'failed' });
  expect(await failing.wish.ask('tool')).toBe('failed');
  expect(await failing.wish.ask('tool')).toBe('failed');
  expect(failing.done.filter((one) => one.startsWith('lists'))).toHaveLength(2);
  const { wish, done } = callOf();
  expect(await Promise.all([wish.ask('tool'), wish.ask('said')])).toEqual(['listed', 'listed']);
  expect(done.filter((one) => one.startsWith('lists'))).toEqual(['lists tool']);
});

test('the bot after one that has died says it, unless it was heard, and its model learns it when the conversation begins', async () => {
  const { wish, done, begin, settled } = callOf({ before: { how: 'said', at: 1 }, isTalking: false });
  wish.resume();
  await settled();
  expect(done).toEqual([expect.stringMatching(/^says Your number is on our/), 'was told']);
  begin();
  expect(done.at(-1)).toMatch(/^informs/);
  const heard = callOf({ before: { how: 'said', at: 1, toldAt: 2 } });
  heard.wish.resume();
  await heard.settled();
  expect(heard.done).toEqual([]);
});

test.each(['said', 'tool'] as const)(
  'the bot after one that has died while the number was being put on the list (%s) asks again, and says it',
  async (how) => {
    const { wish, done, settled } = callOf({ before: { how, isPending: true } });
    wish.resume();
    await settled();
    expect(done).toEqual([
      `lists ${how}`,
      `tells ${how} listed`,
      expect.stringMatching(/^informs/),
      'interrupts',
      expect.stringMatching(/^says Your number is on our/),
      'was told',
    ]);
  },
);

test('the function of the model waits until the number is on the list, and tells the model whether the person knows', async () => {
  const bound = {
    transfer: async () => ({ status: 'caller_left' as const }),
    speak: () => {},
    doNotCall: async (say?: string | false) => (say === 'x' ? ('withheld' as const) : ('listed' as const)),
  };
  const run = async (options: Parameters<typeof doNotCall>[0]) => {
    const [tool] = bindTools({ do_not_call: doNotCall(options) }, bound);
    return (await tool?.execute({}, {} as never)) as { outcome: string; note: string };
  };
  expect(await run({})).toMatchObject({ outcome: 'listed', note: expect.stringContaining('do not repeat it') });
  expect(await run({ say: false })).toMatchObject({ note: expect.stringContaining('Tell them so') });
  expect(await run({ say: 'x' })).toMatchObject({ outcome: 'withheld', note: expect.stringContaining('withheld') });
  expect(() => doNotCall({ saay: 'x' } as object)).toThrow('did you mean say?');
});
