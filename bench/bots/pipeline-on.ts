import { type CallTransport, Pipeline, PipelineTask, type RunnerArguments } from 'voicebot';
import type { FrameProcessor, PipelineTaskOptions } from 'voicebot/pipeline';
import { dist } from '../processes/dist.js';

interface OpenTransport {
  openTransport(args: RunnerArguments, name: string): Promise<CallTransport>;
}

export const { openTransport } = await dist<OpenTransport>('bot/api/open-transport.js');

/** Runs one processor between the ears and the mouth of a call, until the call is over, however silent it is. */
export async function pipelineOn(
  { signal }: RunnerArguments,
  transport: CallTransport,
  processor: FrameProcessor,
  options: PipelineTaskOptions = {},
): Promise<void> {
  const pipeline = new Pipeline([transport.input(), processor, transport.output()]);
  await new PipelineTask(pipeline, { ...options, signal, idleTimeoutMs: 0 }).run();
}
