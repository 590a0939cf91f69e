import { failureWords, servicesOf, switchWords } from '../../../src/call/view/services.js';
import { madeCall } from './made-call.js';

test('the services of a call are named once', () => {
  const service = (provider: string, model?: string) =>
    ({ at: 1, source: 'bot', type: 'service', does: 'text_to_speech', provider, model }) as const;
  expect(servicesOf([service('deepgram', 'nova-3'), service('flite'), service('flite'), ...madeCall().events])).toEqual(
    {
      names: ['deepgram nova-3', 'flite', 'gpt-4.1-mini'],
      areStandIns: false,
    },
  );
  expect(servicesOf([{ at: 1, source: 'bot', type: 'stand_ins', services: ['tts'] }])).toEqual({
    names: [],
    areStandIns: true,
  });
});

test('what took over is told in words, and named among the services of the call', () => {
  const switched = {
    at: 1,
    source: 'bot',
    type: 'service_switched',
    does: 'speech_to_text',
    from: { provider: 'Deepgram', model: 'nova-3' },
    to: { provider: 'ElevenLabs', model: 'scribe_v2_realtime' },
    why: 'Deepgram: 503',
    ms: 340,
  } as const;
  expect(switchWords(switched)).toBe('ElevenLabs listens in place of Deepgram, after 0.3 s');
  expect(switchWords({ ...switched, to: { provider: 'Deepgram', model: 'nova-2' }, ms: 0 })).toBe(
    'Deepgram nova-2 listens in place of Deepgram nova-3',
  );
  expect(switchWords({ ...switched, does: 'live', from: { provider: 'OpenAI' } })).toBe(
    'the cascade talks in place of OpenAI, after 0.3 s',
  );
  expect(switchWords({ ...switched, does: 'of later' as 'live' })).toContain('ElevenLabs works in place of Deepgram');
  expect(servicesOf([switched]).names).toEqual(['ElevenLabs scribe_v2_realtime']);
});

test('a service that has failed is told with the time, and with what works in its place', () => {
  const since = new Date(2026, 0, 1, 14, 2).getTime();
  const failed = { does: 'speech_to_text', provider: 'Deepgram', model: 'nova-3', isWell: false, since } as const;
  expect(failureWords(failed)).toBe('Deepgram does not answer since 14:02');
  expect(failureWords({ ...failed, code: 'VB_CREDENTIALS_REFUSED' })).toBe('Deepgram refuses the key since 14:02');
  expect(failureWords({ ...failed, instead: { provider: 'ElevenLabs', model: 'scribe' } })).toBe(
    'Deepgram does not answer since 14:02; ElevenLabs listens',
  );
  expect(failureWords({ ...failed, instead: { provider: 'Deepgram', model: 'nova-2' } })).toBe(
    'Deepgram nova-3 does not answer since 14:02; Deepgram nova-2 listens',
  );
});
