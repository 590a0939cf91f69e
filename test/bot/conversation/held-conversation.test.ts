import { ProviderError } from '../../../src/base/provider-error.js';
import { HoldConversationFrame, RestartConversationFrame } from '../../../src/bot/conversation/conversation-frames.js';
import { ErrorFrame, OutputAudioFrame, TranscriptionFrame } from '../../../src/bot/pipeline/frames/index.js';
import { setUpStage } from './stage.js';

afterEach(() => jest.useRealTimers());

const idle = { afterMs: 2_000, prompts: ['Are you there?'] };

test('a held conversation asks the model nothing and asks the caller nothing', async () => {
  const stage = setUpStage(['I see.'], { greeting: 'Hello.', idle });
  stage.join();
  await stage.pass(1_000);
  stage.queue(new HoldConversationFrame());
  void stage.conversation.instruct('Say something.');
  stage.conversation.greet();
  await stage.pass(10_000);
  expect(stage.voice.said).toEqual(['Hello.']);
  expect(stage.model.asked).toEqual([]);
});

test('a vendor that fails meanwhile is not apologised for before the conversation begins anew', async () => {
  const stage = setUpStage([], { failure: { apology: new OutputAudioFrame(new Int16Array(800).fill(1_000), 8_000) } });
  stage.join();
  stage.queue(new HoldConversationFrame());
  stage.queue(
    new ErrorFrame(new ProviderError('Deepgram', 'VB_CREDENTIALS_REFUSED', '401', { isFinal: true }), false, 'ears'),
  );
  await stage.pass(1_000);
  expect([stage.wire.sent, stage.call.hungUp]).toEqual([[], []]);
  stage.queue(new RestartConversationFrame('Hello?'));
  await stage.pass(1_000);
  expect(stage.wire.sent).not.toEqual([]);
  expect(stage.call.hungUp).toEqual(['provider_error']);
});

test('begins anew with the greeting, and without what was said before', async () => {
  const stage = setUpStage(['I see.', 'Your cake is ready.'], {
    system: 'Be brief.',
    greeting: 'Hello.',
    messages: [{ role: 'assistant', content: 'We called yesterday.' }],
  });
  stage.join();
  await stage.pass(1_000);
  await stage.pass(400, true);
  stage.queue(new TranscriptionFrame('This call is being screened.', true));
  await stage.pass(3_000);
  expect(stage.model.asked).toHaveLength(1);
  stage.queue(new HoldConversationFrame());
  stage.queue(new RestartConversationFrame('Yes, hello?'));
  await stage.pass(1_000);
  expect(stage.voice.said).toEqual(['Hello.', 'I see.', 'Hello.']);
  expect(stage.messages()).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'assistant', content: 'We called yesterday.' },
    { role: 'user', content: 'Yes, hello?' },
    { role: 'assistant', content: 'Hello.' },
  ]);
});

test('where there is no greeting the model answers what the person has come on with', async () => {
  const stage = setUpStage(['How can I help?']);
  stage.join();
  stage.queue(new HoldConversationFrame());
  await stage.pass(1_000);
  stage.queue(new RestartConversationFrame('Hello?'));
  await stage.pass(1_000);
  expect(stage.voice.said).toEqual(['How can I help?']);
});

test('a greeting that waits for a word of the bot goes on waiting for it', async () => {
  const stage = setUpStage([], { greeting: 'Hello.', greetsByItself: false });
  stage.join();
  stage.queue(new HoldConversationFrame());
  stage.queue(new RestartConversationFrame('Hi.'));
  await stage.pass(1_000);
  expect(stage.voice.said).toEqual([]);
  stage.conversation.greet();
  await stage.pass(1_000);
  expect(stage.voice.said).toEqual(['Hello.']);
});
