import { servicesOf } from '../../../src/call/view/services.js';
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
