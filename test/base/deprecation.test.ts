import { warnDeprecated } from '../../src/base/deprecation.js';

afterEach(() => jest.restoreAllMocks());

test('a name that goes away warns once in a process, with what to use and the version in which it goes', () => {
  const sentences: string[] = [];
  const going = { name: 'VOICEBOT_JUGGLE', instead: 'use VOICEBOT_THROW', gone: '3.0.0' };
  for (let use = 0; use < 2; use += 1) warnDeprecated(going, (sentence) => void sentences.push(sentence));
  expect(sentences).toEqual(['VOICEBOT_JUGGLE is deprecated and goes away in voicebot 3.0.0: use VOICEBOT_THROW']);
});

test('what has no other way to warn has that of Node', () => {
  const emitted = jest.spyOn(process, 'emitWarning').mockReturnValue();
  warnDeprecated({ name: 'call.spin()', instead: 'use call.turn()', gone: '3.0.0' });
  const sentence = 'call.spin() is deprecated and goes away in voicebot 3.0.0: use call.turn()';
  expect(emitted.mock.calls).toEqual([[sentence, 'DeprecationWarning']]);
});
