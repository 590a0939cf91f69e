import { encodeMulaw } from '../../../../src/base/audio/mulaw.js';
import {
  ErrorFrame,
  InterimTranscriptionFrame,
  SpeechLanguageFrame,
  TranscriptionFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { EarsInTurn } from '../../../../src/bot/services/stt/ears-in-turn.js';
import { DeepgramSTT } from '../../../../src/bot/services/stt/index.js';
import { counting, startStt } from './start-stt.js';

const bytes = (...parts: Int16Array[]) => Buffer.concat(parts.map(encodeMulaw));
const ENDED = { type: 'CloseStream', code: 1000 };

test('in another language, what has no final words is heard again, and nothing else; then the ears go on', async () => {
  await using call = await startStt({ stt: { keyterms: ['Ada'] } });
  const english = await call.connecting;
  expect(english.query.get('language')).toBe('en');
  call.hear(counting(500));
  await english.heard(500);
  english.say('One.', { untilMs: 312.5 });
  await call.after.sees(TranscriptionFrame, 1);
  english.interim('through');
  await call.after.sees(InterimTranscriptionFrame, 1);
  const connecting = call.fake.nextSession();
  call.task.queueFrame(new SpeechLanguageFrame('es-MX'));
  call.hear(counting(240, 500));
  const spanish = await connecting;
  expect([spanish.query.get('language'), spanish.query.get('keyterm')]).toEqual(['es', 'Ada']);
  expect([english.messages.at(-1), await english.closed]).toEqual([ENDED.type, ENDED.code]);
  call.hear(counting(100, 740));
  await spanish.heard(840 - 312.5);
  expect(spanish.audio.equals(bytes(counting(840)).subarray(2_500))).toBe(true);
  spanish.say('Dos.', { untilMs: 227.5 }); // of this connection: 540 of the call
  await call.after.sees(TranscriptionFrame, 2);
  const back = call.fake.nextSession();
  call.task.queueFrame(new SpeechLanguageFrame('es-AR', 'es-MX')); // the same ears
  call.task.queueFrame(new SpeechLanguageFrame('en', 'es-AR'));
  const again = await back;
  expect(again.query.get('language')).toBe('en');
  await again.heard(300);
  expect(again.audio.equals(bytes(counting(840)).subarray(540 * 8))).toBe(true);
  again.say('Three.');
  const said = await call.after.sees(TranscriptionFrame, 3);
  expect(said.map(({ text }) => text)).toEqual(['One.', 'Dos.', 'Three.']);
  expect(call.fake.sessions).toHaveLength(3);
  expect(call.errors).toEqual([]);
});

test('a language that is set before the pipeline starts is the first that is listened for', async () => {
  await using call = await startStt({ prepare: () => {} });
  call.task.queueFrame(new SpeechLanguageFrame('de'));
  await call.connecting;
  const { session } = call.fake;
  call.hear(counting(100));
  await session.heard(100);
  expect(session.query.get('language')).toBe('de');
});

test.each([
  ['en-GB', 'en', []],
  ['en-GB', 'de', ['the call is in German (de), and the ears understand British English (en-GB)']],
  ['multi', 'de', []],
])('ears that were given %s are kept in a call in %s', async (language, spoken, told) => {
  await using call = await startStt({ stt: { language } });
  const session = await call.connecting;
  for (const tag of [spoken, 'en', spoken]) call.task.queueFrame(new SpeechLanguageFrame(tag));
  call.hear(counting(100));
  await session.heard(100);
  expect([call.fake.sessions.length, session.isOpen]).toEqual([1, true]);
  expect(call.after.of(ErrorFrame).map(({ error }) => error.message)).toEqual(
    told.map((words) => expect.stringContaining(words)),
  );
});

test('of ears in turn each listens for the language, but for those that were given one', () => {
  const sourceOf = (language?: string) => new DeepgramSTT({ apiKey: 'test', ...(language && { language }) }).source;
  const ears = new EarsInTurn([sourceOf(), sourceOf('fr')]);
  expect([ears.language, ears.inLanguage('de').language, ears.inLanguage('en')]).toEqual(['en', 'de', ears]);
  const kept = new EarsInTurn([sourceOf('fr'), sourceOf('multi')]);
  expect(kept.inLanguage('de')).toBe(kept);
});
