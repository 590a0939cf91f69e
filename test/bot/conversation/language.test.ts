import { ProviderError } from '../../../src/base/provider-error.js';
import { ErrorFrame, TranscriptionFrame } from '../../../src/bot/pipeline/frames/index.js';
import { recordedLine } from '../../../src/bot/pipeline/recorded-lines.js';
import { setUpStage } from './stage.js';

afterEach(() => {
  jest.useRealTimers();
});

const packets = (name: 'apology' | 'one-moment', language: 'en' | 'de' | 'fr') =>
  Math.ceil(recordedLine(name, language).pcm.length / 160);

test.each([
  [undefined, 'en'],
  ['de-CH', 'de'],
  ['fr', 'fr'],
  ['nl', 'en'],
] as const)('a conversation in %s has its recorded lines in %s', async (language, spoken) => {
  const stage = setUpStage([new Promise<string>(() => {})], { language });
  stage.join();
  await stage.pass(600, true);
  stage.queue(new TranscriptionFrame('Hello?'));
  await stage.pass(540 + 4_000 + 2_500);
  expect(stage.wire.sent).toHaveLength(packets('one-moment', spoken));
  stage.head.emit(
    new ErrorFrame(new ProviderError('Deepgram', 'VB_CREDENTIALS_REFUSED', 'no', { isFinal: true })),
    'downstream',
  );
  await stage.pass(10_000);
  expect(stage.wire.sent).toHaveLength(packets('one-moment', spoken) + packets('apology', spoken));
  expect(stage.call.hungUp).toEqual(['provider_error']);
});
