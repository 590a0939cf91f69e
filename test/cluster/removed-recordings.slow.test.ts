import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamRunnerLink } from '../../src/call/runner-link.js';
import { until } from '../e2e/processes.js';
import { Stream } from '../runner/hand-carrier.js';
import { muteBots } from '../runner/in-process-bots.js';
import type { RunnerUnderTest } from '../runner/runner-under-test.js';
import { describeWithRedis } from './redis-server.js';
import { RunnersUnderTest } from './runners.js';

const PATIENCE_MS = 10_000;

beforeEach(muteBots);
afterEach(() => jest.restoreAllMocks());

/** The one folder of a runner. */
function folderAt({ stateDirectory }: RunnerUnderTest): string {
  const [name = ''] = readdirSync(join(stateDirectory, 'calls'));
  return join(stateDirectory, 'calls', name);
}

const isRemoved = (folder: string) =>
  !existsSync(join(folder, 'audio.wav')) &&
  readdirSync(folder).sort().join() === 'call.json,removed.json' &&
  JSON.parse(readFileSync(join(folder, 'call.json'), 'utf8')).recordingRemovedAt !== undefined;

/** The caller of the only call objects. */
function object(): void {
  const links = (globalThis as unknown as Record<symbol, Map<unknown, StreamRunnerLink>>)[
    Symbol.for('voicebot.runnerLinks')
  ];
  const recorded = [...(links?.values() ?? [])].filter((link) => link.isRecorded?.());
  expect(recorded).toHaveLength(1);
  recorded[0]?.removeRecording?.();
}

describeWithRedis('a call that has been at two runners, whose caller objects to the recording', () => {
  test('what the first one has of it goes at once, where it is still there', async () => {
    await using runners = await RunnersUnderTest.start(2, { recording: 'always' });
    const document = await runners.at(0).carrier.answer();
    const isAtFirst = runners.at(0).runner.liveCalls === 1; // it may have been passed on
    const [former, owner] = isAtFirst ? [runners.at(0), runners.at(1)] : [runners.at(1), runners.at(0)];
    await until(() => existsSync(join(former.stateDirectory, 'calls')), 'it is recorded');
    const stream = await Stream.open(document.streamUrl, owner.url);
    await until(() => existsSync(join(owner.stateDirectory, 'calls')), 'it is recorded here, too');
    const [first, second] = [folderAt(former), folderAt(owner)];
    writeFileSync(join(first, 'audio.wav'), 'sound');
    object();
    await until(() => isRemoved(first), 'the first has nothing left', PATIENCE_MS);
    await owner.carrier.hangup(stream.callId);
    await until(() => isRemoved(second), 'the second has nothing left', PATIENCE_MS);
  });

  test('where that one has left, the next on its machine removes it', async () => {
    await using runners = await RunnersUnderTest.start(2, { recording: 'always' });
    const document = await runners.at(0).carrier.answer();
    const stream = await Stream.open(document.streamUrl, runners.at(0).url);
    await runners.knowEachOther();
    await runners.at(0).runner.stop({ drainMs: 0 });
    await stream.closed;
    const next = await runners.at(1).carrier.resume(stream.callId);
    await Stream.open(next.streamUrl, runners.at(1).url);
    const first = folderAt(runners.at(0));
    writeFileSync(join(first, 'audio.wav'), 'sound');
    object();
    await runners.add({ stateDirectory: runners.at(0).stateDirectory });
    await until(() => isRemoved(first), 'the first has nothing left', PATIENCE_MS);
    await runners.at(1).carrier.hangup(stream.callId);
  });
});
