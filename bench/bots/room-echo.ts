import type { RunnerArguments } from 'voicebot';
import { Echo } from './echo.js';
import { openTransport, pipelineOn } from './pipeline-on.js';

const audioInSampleRate = Number(process.env.SAMPLE_RATE);

export async function bot(args: RunnerArguments): Promise<void> {
  await pipelineOn(args, await openTransport(args, 'Echo'), new Echo(), { audioInSampleRate });
}
