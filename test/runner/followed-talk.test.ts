import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TimelineEvent } from '../../src/call/timeline.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RunnerUnderTest, type TestRunnerOptions } from './runner-under-test.js';

/** What a runner has of a call in which its bot says a word: from its events, from its memory and on its disk. */
async function heardBy(options: TestRunnerOptions) {
  await using served = await RunnerUnderTest.start({ ...IN_PROCESS, ...options });
  const stream = await served.carrier.call();
  stream.order('say', 'my secret');
  await stream.event('done');
  stream.order('return');
  await stream.closed;
  await served.carrier.hangup(stream.callId);
  await served.record(stream.callId, { state: 'ended' });
  const words = served.noted.filter(({ type }: TimelineEvent) => type === 'said');
  return {
    words: words.map((event) => (event.type === 'said' ? event.text : '')),
    everything: JSON.stringify(served.noted),
    hasFolders: existsSync(join(served.stateDirectory, 'calls')),
  };
}

test('a runner that does not record, and whose process does not follow the talk, never has the words', async () => {
  const { words, everything, hasFolders } = await heardBy({});
  expect(words).toEqual([]);
  expect(everything).not.toContain('my secret');
  expect(hasFolders).toBe(false);
});

test('a runner whose process follows the talk has the words, and keeps no folder', async () => {
  const { words, hasFolders } = await heardBy({ followsTalk: true });
  expect(words).toEqual(['my secret']);
  expect(hasFolders).toBe(false);
});
