import fc from 'fast-check';
import {
  EndOfTurnFrame,
  InterimTranscriptionFrame,
  TranscriptionFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { FluxDialect } from '../../../../src/bot/services/stt/deepgram-flux.js';
import type { DeepgramSTTOptions } from '../../../../src/bot/services/stt/deepgram-options.js';
import { DeepgramSTT } from '../../../../src/bot/services/stt/deepgram-stt.js';
import { hurried } from '../../../hasty-clock.js';
import { startFlux, until } from './start-stt.js';

hurried();

const apiKey = 'key';
const model = 'flux-general-en';
const flux = (options: DeepgramSTTOptions = {}) => new FluxDialect({ apiKey, model, ...options });

function queryOf(options: DeepgramSTTOptions = {}, sampleRate = 8_000): Record<string, string> {
  const dialect = flux(options);
  const url = new URL(dialect.request(dialect.format(sampleRate)).path, 'http://x');
  expect(url.pathname).toBe('/v2/listen');
  return Object.fromEntries(url.searchParams);
}

const turn = (event: string, fields: object = {}) =>
  JSON.stringify({
    type: 'TurnInfo',
    event,
    turn_index: 0,
    audio_window_start: 0,
    audio_window_end: 3.5,
    transcript: ' Hello there. ',
    words: [],
    end_of_turn_confidence: 0.9,
    ...fields,
  });

test('Flux is asked for no more than its interface has', () => {
  expect(queryOf()).toEqual({ model, eager_eot_threshold: '0.5', encoding: 'mulaw', sample_rate: '8000' });
  expect(queryOf({ eagerEotThreshold: false }, 16_000)).toEqual({ model, encoding: 'linear16', sample_rate: '16000' });
});

test('what was asked for stands in the request, and lists are repeated', () => {
  const dialect = flux({
    model: 'flux-general-multi',
    eotThreshold: 0.8,
    eagerEotThreshold: 0.4,
    eotTimeoutMs: 3_000,
    languageHints: ['en', 'es'],
    keyterms: ['Müller & Söhne', 'Zugspitze'],
    query: { numerals: true },
  });
  const query = new URL(dialect.request(dialect.format(8_000)).path, 'http://x').searchParams;
  expect(query.getAll('language_hint')).toEqual(['en', 'es']);
  expect(query.getAll('keyterm')).toEqual(['Müller & Söhne', 'Zugspitze']);
  expect(Object.fromEntries(query)).toMatchObject({
    model: 'flux-general-multi',
    eot_threshold: '0.8',
    eager_eot_threshold: '0.4',
    eot_timeout_ms: '3000',
    numerals: 'true',
  });
});

test.each<[DeepgramSTTOptions, string]>([
  [
    { model, language: 'de' },
    'language is not for flux-general-en: flux-general-en hears English, and flux-general-multi takes languageHints',
  ],
  [
    { model, endpointingMs: 200 },
    'endpointingMs is not for flux-general-en: it finds the end of a turn itself, by eotThreshold and eotTimeoutMs',
  ],
  [{ model, interim: true }, 'interim is not for flux-general-en: it always tells words that may change'],
  [{ model, punctuate: false }, 'punctuate is not for flux-general-en: it always punctuates'],
  [
    { eotThreshold: 0.8 },
    'eotThreshold is not for nova-3: it ends an utterance at a silence of endpointingMs; take flux-general-en',
  ],
  [{ model: 'nova-2', languageHints: ['de'] }, "languageHints is not for nova-2: it takes language, such as 'multi'"],
  [
    { model, languageHints: ['de'] },
    'languageHints cannot be set: flux-general-en hears English; take flux-general-multi',
  ],
  [{ model: 'flux' }, 'model must be flux-general-en or flux-general-multi, got flux'],
  [{ model, eotThreshold: 0.4, eagerEotThreshold: 0.3 }, 'eotThreshold must be 0.5 to 1, got 0.4'],
  [{ model, eagerEotThreshold: 0.95 }, 'eagerEotThreshold must be 0.3 to 0.9, or false, got 0.95'],
  [{ model, eagerEotThreshold: 0.8 }, 'eagerEotThreshold must not be above eotThreshold, got 0.8 and 0.7'],
  [{ model, eotTimeoutMs: 100 }, 'eotTimeoutMs must be 500 to 60000, got 100'],
  [{ model, query: { smart_format: true } }, 'query.smart_format cannot be set: Flux has none'],
  [{ model, query: { channels: 1 } }, 'query.channels cannot be set'],
])('refuses %j and says what is right', (options, words) => {
  expect(() => new DeepgramSTT({ apiKey, ...options })).toThrow(words);
});

test('every option that is wrong is named at once', () => {
  const options = { apiKey, model, language: 'en', eotTimeoutMs: 1, keyterms: [' '], modle: 'x' };
  expect(() => new DeepgramSTT(options)).toThrow(
    /modle is not known.*keyterms\[0\] must not be empty.*language.*eotTimeoutMs/,
  );
});

test.each([
  ['an update', turn('Update'), [{ type: 'interim', text: 'Hello there.' }]],
  ['the start of a turn', turn('StartOfTurn'), [{ type: 'interim', text: 'Hello there.' }]],
  ['a turn that is perhaps over', turn('EagerEndOfTurn'), [{ type: 'interim' }, { type: 'end_of_turn', is: 'likely' }]],
  ['a turn that goes on', turn('TurnResumed'), [{ type: 'interim' }, { type: 'end_of_turn', is: 'revoked' }]],
  [
    'the end of a turn',
    turn('EndOfTurn', { trigger: 'model' }),
    [
      { type: 'final', text: 'Hello there.', endsUtterance: true, untilMs: 3_500 },
      { type: 'end_of_turn', is: 'certain' },
    ],
  ],
  [
    'silence: audio that is done with',
    turn('Update', { transcript: '' }),
    [{ type: 'final', text: '', untilMs: 1_500 }],
  ],
  ['an event of tomorrow', turn('TurnPaused'), [{ type: 'interim', text: 'Hello there.' }]],
  ['a turn without words', turn('Update', { transcript: 7 }), [{ type: 'other' }]],
  ['a connection', JSON.stringify({ type: 'Connected', sequence_id: 0 }), [{ type: 'other' }]],
  [
    'an error',
    JSON.stringify({ type: 'Error', code: 'INTERNAL_SERVER_ERROR', description: 'no capacity' }),
    [{ type: 'error', words: 'INTERNAL_SERVER_ERROR: no capacity' }],
  ],
  ['an error without words', '{"type":"Error"}', [{ type: 'error', words: 'an error without words' }]],
])('understands %s', (_name, message, expected) => {
  expect(flux().parse(message)).toMatchObject(expected);
});

test('no message makes it throw', () => {
  const dialect = flux();
  const fields = fc.record(
    {
      type: fc.constantFrom('TurnInfo', 'Error', 'Connected', 'toString'),
      event: fc.oneof(fc.constantFrom('Update', 'EndOfTurn', 'EagerEndOfTurn', 'TurnResumed'), fc.anything()),
      transcript: fc.oneof(fc.string(), fc.anything()),
      audio_window_end: fc.oneof(fc.double(), fc.anything()),
    },
    { requiredKeys: ['type'] },
  );
  const text = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  const junk = fc.oneof(
    fc.string(),
    fc.json(),
    fields.map((one) => JSON.stringify(one, text)),
  );
  fc.assert(
    fc.property(junk, (message) => {
      for (const { type } of dialect.parse(message)) {
        expect(['interim', 'final', 'end_of_turn', 'error', 'other']).toContain(type);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('the ends of turns reach the conversation with the words, in order', async () => {
  await using call = await startFlux();
  const session = await call.listening;
  session.turn('EagerEndOfTurn', 'My number is');
  session.turn('TurnResumed', 'My number is');
  session.turn('EndOfTurn', 'My number is four two.');
  await call.after.sees(EndOfTurnFrame, 3);
  const told = call.after.seen.flatMap((frame) => {
    if (frame instanceof EndOfTurnFrame) return frame.is;
    if (frame instanceof TranscriptionFrame) return `final: ${frame.text}`;
    return frame instanceof InterimTranscriptionFrame ? frame.text : [];
  });
  expect(told).toEqual([
    'My number is', // the turn has begun
    'My number is',
    'likely',
    'My number is',
    'revoked',
    'final: My number is four two.',
    'certain',
  ]);
});

test('the vendor is kept by pings, not by text, while there is no audio', async () => {
  await using call = await startFlux({ deepgram: { idleLimitMs: 500 } });
  const session = await call.listening;
  await until(() => session.pings >= 8);
  expect(session.isOpen).toBe(true);
  expect(session.messages).toEqual([]);
  expect(call.fake.sessions).toHaveLength(1);
});

test('a turn that a break cuts is heard again from its beginning, even when it is long', async () => {
  await using call = await startFlux();
  const session = await call.listening;
  call.hear(new Int16Array(8 * 3_000));
  await session.heard(3_000);
  session.say('Over.', { untilMs: 3_000 });
  await call.after.sees(TranscriptionFrame);
  session.interim('It is a long');
  call.hear(new Int16Array(8 * 15_000));
  await session.heard(18_000);
  const next = call.fake.nextSession();
  session.dropConnection();
  const again = await next;
  await again.heard(15_000);
  expect(again.audioMs).toBe(15_000);
});

test('silence is not sent again', async () => {
  await using call = await startFlux();
  const session = await call.listening;
  call.hear(new Int16Array(8 * 9_600));
  await session.heard(9_600);
  session.interim('Hello'); // all that was told before has arrived, too
  await call.after.sees(InterimTranscriptionFrame);
  const next = call.fake.nextSession();
  session.dropConnection();
  const again = await next;
  await again.heard(2_000);
  call.hear(new Int16Array(8 * 20));
  await again.heard(2_020);
  expect(again.audioMs).toBe(2_020);
});

test('a vendor that says nothing of what it hears is connected to anew', async () => {
  await using call = await startFlux();
  const session = await call.listening;
  session.interim('Hello');
  await call.after.sees(InterimTranscriptionFrame);
  session.isMute = true;
  const next = call.fake.nextSession();
  call.hear(new Int16Array(8 * 1_500));
  await session.heard(1_500);
  expect((await next).isOpen).toBe(true);
});

test('a request that the vendor refuses is told in its words, and not repeated', async () => {
  await using call = await startFlux({ stt: { query: { tier: 'best' } } });
  await until(() => call.errors.length > 0);
  expect(call.errors[0]).toMatchObject({ isFinal: true, status: 400 });
  expect(call.errors[0]?.message).toContain('unexpected query parameter: tier');
  expect(call.fake.refused).toBe(1);
});
