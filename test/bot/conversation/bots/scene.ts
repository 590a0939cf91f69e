import { createOpenAI } from '@ai-sdk/openai';
import { CarrierFrameSerializer, Pipeline, PipelineTask, type RunnerArguments } from 'voicebot';
import {
  Conversation,
  type ConversationOptions,
  defineTool,
  endCallTool,
  type ScreeningOptions,
  VoicemailGate,
} from 'voicebot/pipeline';
import { CartesiaTTS, DeepgramSTT, LLMService } from 'voicebot/services';
import { z } from 'zod';
import { callTransport, type SerializerOptions } from '../../../bots/call-transport.js';

/** What is to be different in one call. */
interface Scene {
  readonly name: string;
  readonly urls: { readonly deepgram: string; readonly openai: string; readonly cartesia: string };
  readonly conversation?: ConversationOptions;
  /** Where callers go when a provider has failed, E.164. */
  readonly transferTo?: string;
  /** Left on an answering machine. */
  readonly message?: string;
  /** Told to a screening assistant. */
  readonly screening?: ScreeningOptions;
}

const SCENES: Readonly<Record<string, Scene>> = JSON.parse(process.env.SCENES ?? '{}');

const tools = [
  defineTool({
    name: 'throws',
    description: 'Fails.',
    parameters: z.object({}),
    execute() {
      throw new Error('the oven is cold');
    },
  }),
  defineTool({
    name: 'hangs',
    description: 'Takes for ever.',
    parameters: z.object({}),
    timeoutMs: 800,
    execute: () => new Promise(() => {}),
  }),
  defineTool({
    name: 'counts',
    description: 'Wants a number.',
    parameters: z.object({ loaves: z.number() }),
    execute: ({ loaves }) => `${loaves} loaves`,
  }),
  defineTool({
    name: 'sleeps',
    description: 'Takes for ever.',
    parameters: z.object({}),
    execute: () => new Promise(() => {}),
  }),
  endCallTool(),
];

await LLMService.load();

/** Says when the carrier is told to drop what it holds. */
class TellingSerializer extends CarrierFrameSerializer {
  constructor(
    options: SerializerOptions,
    private readonly onClear: () => void,
  ) {
    super(options);
  }

  override encodeClear(): string {
    this.onClear();
    return super.encodeClear();
  }
}

/** Tells what happens on lines of JSON. */
export async function bot(args: RunnerArguments): Promise<void> {
  const scene = SCENES[args.call.from ?? ''] ?? SCENES[args.call.to];
  if (!scene) throw new Error(`there is no scene for ${args.call.from} and ${args.call.to}`);
  const tell = (event: string, data: unknown = {}) =>
    process.stdout.write(`${JSON.stringify({ scene: scene.name, event, at: Date.now(), data })}\n`);
  const transport = await callTransport(
    args,
    'Bakery',
    (options) => new TellingSerializer(options, () => tell('clear')),
  );
  const { transferTo, urls, message, screening } = scene;
  const conversation = new Conversation({
    system: 'You are the bakery.',
    greeting: 'Bakery.',
    tools,
    ...scene.conversation,
    ...(transferTo && { failure: { transfer: () => transport.transfer(transferTo) } }),
    log: (line) => tell('line', line),
  });
  conversation.on('interrupted', () => tell('interrupted'));
  conversation.on('failed', ({ message }) => tell('failed', message));
  const model = createOpenAI({ apiKey: process.env.OPENAI_API_KEY ?? '', baseURL: urls.openai });
  const pipeline = new Pipeline([
    transport.input(),
    new DeepgramSTT({ baseUrl: urls.deepgram }),
    ...(message
      ? [
          new VoicemailGate({
            message,
            ...(screening && { screening }),
            onMachine: (evidence) => tell('machine', evidence),
            onScreening: (status) => tell('screening', status),
          }),
        ]
      : []),
    conversation.user(),
    new LLMService({ model: model.chat('scripted') }),
    new CartesiaTTS({ baseUrl: urls.cartesia, cache: false }),
    transport.output(),
    conversation.assistant(),
  ]);
  await new PipelineTask(pipeline, { signal: args.signal }).run();
  tell('over', { messages: conversation.context.messages });
}
