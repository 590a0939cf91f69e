/** The real runner on the carrier. Arguments: the bot, how many calls a process of it serves, and which calls are recorded. */
import type { RecordingRule } from '../../src/runner/calls/call-folders.js';
import { plivoAccount } from './account.js';
import { dist } from './dist.js';
import { answer } from './questions.js';
import { startRunner } from './start-runner.js';

const [botFile = '', callsPerProcess = '1', recording = 'never'] = process.argv.slice(2);
const { plivo } = await dist<typeof import('../../src/providers/plivo/provider.js')>('providers/plivo/provider.js');

const starting = startRunner({
  botFile,
  provider: { kind: 'carrier', carrier: plivo, credentials: plivoAccount, machineDetection: 'off' },
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
