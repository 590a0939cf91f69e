import { openai } from '@ai-sdk/openai';
import { type ConverseOptions, deepgram, defineBot } from '../../../src/bot/api/index.js';
import { runnerOf } from '../../../src/bot/api/open-transport.js';
import { SCRIPT_URL_VARIABLE } from '../../../src/bot/services/llm/model-script.js';
import { useStandIns } from '../../../src/call/stand-ins.js';
import type { BotEntry } from '../../../src/call/timeline.js';
import { type BotFunction, VoicebotError } from '../../../src/index.js';
import { buzz, FakePhone } from '../../../src/lab/kit/index.js';
import { HastyClock } from '../../hasty-clock.js';
import { ScriptServer } from '../services/llm/script-server.js';
import { BuzzTTS } from './buzz-tts.js';

const STORY = 'Bread was baked in this very street when grandmother was a little girl and horses pulled the carts.';

let clock: HastyClock;
beforeEach(() => {
  useStandIns();
  clock = new HastyClock();
});
afterEach(() => {
  clock[Symbol.dispose]();
  useStandIns(false);
  delete process.env[SCRIPT_URL_VARIABLE];
});

test.each<[string, ConverseOptions]>([
  ['their voice', {}],
  ['their words', { bargeIn: { minWords: 2 } }],
])(
  'a caller who interrupts the bot by %s, with a sentence that is typed when it was said, is answered',
  async (_, options) => {
    await using script = await ScriptServer.start({ text: STORY }, { text: 'Goodbye.' });
    const served = defineBot({
      stt: deepgram(),
      llm: openai.chat('gpt-4.1-mini'),
      tts: () => new BuzzTTS({ cache: false }),
      onCall: async (call) => {
        await call.converse({ log: () => {}, system: 'Be brief.', greeting: 'Hello.', ...options }).ended;
      },
    });
    const noted: BotEntry[] = [];
    let phone: FakePhone | undefined;
    let words = 'Tell me a story.';
    const bot: BotFunction = async (args) => {
      const { timeline, standIns } = runnerOf(args) ?? {};
      if (!timeline || !standIns) throw new VoicebotError('VB_INTERNAL', 'no runner');
      const note = timeline.note.bind(timeline);
      timeline.note = (entry, at) => {
        note(entry, at);
        noted.push(entry);
        if (entry.type === 'saying' && entry.text.startsWith('Bread'))
          setTimeout(() => phone?.say(buzz(1_000, 8_000)), 1_500);
        if (entry.type === 'speech_stopped' && entry.speaker === 'caller') standIns.typed.emit('sentence', words);
        if (entry.type === 'said' && entry.text === 'Goodbye.') phone?.hangUp();
      };
      await served(args);
    };
    await using called = await FakePhone.call(bot);
    phone = called;
    await phone.hears({ withinMs: 60_000 });
    await phone.hearsSilence({ forMs: 500 });
    phone.say(buzz(500, 8_000));
    await script.isAsked(1);
    words = 'Please stop it.';
    const { botError } = await phone.ended;
    expect(botError).toBeUndefined();
    expect(script.asked.map(({ callId }) => typeof callId)).toEqual(['string', 'string']);
    expect(JSON.stringify(script.asked[1]?.prompt.at(-1))).toContain('Please stop it.');
    const saidBy = (speaker: string) =>
      noted.flatMap((entry) => (entry.type === 'said' && entry.speaker === speaker ? [entry] : []));
    expect(saidBy('caller').map(({ text }) => text)).toEqual(['Tell me a story.', 'Please stop it.']);
    expect(saidBy('bot')).toMatchObject([
      { text: 'Hello.', wasInterrupted: false },
      { text: expect.stringMatching(/^Bread/), unheard: expect.stringMatching(/carts\.$/), wasInterrupted: true },
      { text: 'Goodbye.', wasInterrupted: false },
    ]);
  },
);
