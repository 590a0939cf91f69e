import { testsAtOnce } from '../tests-at-once.js';
import { TemplateUnderTest } from './template-under-test.js';

async function answersWithRefusedKey(transport: 'carrier' | 'rooms'): Promise<void> {
  await using template = await TemplateUnderTest.start('answer', { transport, replies: {} });
  template.deepgram.refuse(401, 'Invalid credentials.');
  await using caller = await template.caller();
  expect(await template.ended(30_000)).toMatchObject({ endReason: 'provider_error', attempt: 1 });
  expect(template.output).toContain('Invalid credentials.');
  expect(template.output).toContain('DEEPGRAM_API_KEY');
  expect(template.output).not.toContain('deepgram-key');
  expect(caller.heard.audibleMs(Math.max(0, caller.heardMs - 7_000))).toBeGreaterThan(3_000); // the recorded apology
  const hops = caller.phone.events.all.map((event) => event.type === 'progress' && event.line.hop);
  expect(hops).not.toContain('play'); // nobody else has to be sorry
}

testsAtOnce(
  {
    'answer on a carrier with a key that is refused answers, apologises and ends for provider_error': () =>
      answersWithRefusedKey('carrier'),
    'answer in a room with a key that is refused does the same': () => answersWithRefusedKey('rooms'),
  },
  180_000,
);
