import { createOpenAI } from '@ai-sdk/openai';
import { Pipeline, PipelineTask, type RunnerArguments } from 'voicebot';
import {
  BotStoppedSpeakingFrame,
  Conversation,
  type Frame,
  type FrameDirection,
  FrameProcessor,
  transferTool,
} from 'voicebot/pipeline';
import { CartesiaTTS, DeepgramSTT, LLMService } from 'voicebot/services';
import { callTransport } from '../../../bots/call-transport.js';

/** Tells when the bot has been heard to its end. */
class Ear extends FrameProcessor {
  constructor(private readonly tell: (event: string) => void) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof BotStoppedSpeakingFrame) this.tell('stopped');
    this.push(frame, direction);
  }
}

/** Tells what happens, and what the model would be shown, on lines of JSON. */
export async function bot(args: RunnerArguments): Promise<void> {
  const tell = (event: string, data: unknown = {}) =>
    process.stdout.write(`${JSON.stringify({ event, at: Date.now(), data })}\n`);
  const transport = await callTransport(args, 'Bakery');
  const conversation: Conversation = new Conversation({
    system: 'You are the bakery.',
    greeting: 'Hello.',
    tools: [transferTool({ transport, to: { owner: '+12025550101' }, announce: 'One moment.' })],
    log: (line) => tell('line', line),
  });
  conversation.on('interrupted', () => tell('interrupted'));
  conversation.on('turn', (report) => tell('turn', { ...report, messages: conversation.context.messages }));
  const { OPENAI_API_KEY: apiKey = '', OPENAI_BASE_URL: baseURL = '' } = process.env;
  const model = createOpenAI({ apiKey, baseURL });
  const pipeline = new Pipeline([
    transport.input(),
    new DeepgramSTT(),
    conversation.user(),
    new LLMService({ model: model.chat('scripted') }),
    new CartesiaTTS({ cache: false }),
    transport.output(),
    conversation.assistant(),
    new Ear(tell),
  ]);
  await new PipelineTask(pipeline, { signal: args.signal }).run();
  tell('over', { messages: conversation.context.messages });
}
