/** The real runner on a carrier. Arguments: the bot, how many calls a process of it serves, which calls are recorded, and the carrier's account. */
import type { RecordingRule } from '../../src/runner/calls/life/call-folders.js';
import { accountIn, NO_API } from './account.js';
import { dist } from './dist.js';
import { answer } from './questions.js';
import { startRunner } from './start-runner.js';

const [botFile = '', callsPerProcess = '1', recording = 'never', account] = process.argv.slice(2);
const { carrierByName } = await dist<typeof import('../../src/providers/registry/carriers.js')>(
  'providers/registry/carriers.js',
);
const { carrier: name, authId, authToken, publicKey } = accountIn(account);

const starting = startRunner({
  botFile,
  provider: {
    kind: 'carrier',
    carrier: carrierByName(name),
    credentials: { authId, authToken, publicKey, apiUrl: NO_API },
    machineDetection: 'off',
  },
  callsPerProcess: Number(callsPerProcess),
  recording: recording as RecordingRule,
  silenceSeconds: 180,
});
void starting.then(({ runner }) => runner.on('bot_output', (line) => console.error(line)));

const questions = {
  async url(): Promise<string> {
    return (await starting).runner.url;
  },
};
export type BenchRunner = typeof questions;

answer(questions, async () => (await starting).stop());
