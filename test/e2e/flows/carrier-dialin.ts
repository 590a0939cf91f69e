import { openai } from '@ai-sdk/openai';
import {
  CarrierFrameSerializer,
  operatorNumber,
  Pipeline,
  PipelineTask,
  parseTelephonyWebSocket,
  type RunnerArguments,
  requireKeys,
  WebSocketTransport,
} from 'voicebot';
import { Conversation, defineTool, endCallTool, transferTool } from 'voicebot/pipeline';
import { CartesiaTTS, DeepgramSTT, LLMService } from 'voicebot/services';
import { z } from 'zod';

requireKeys('the bot', ['deepgram', 'openai', 'cartesia']);
await LLMService.load(); // before the first call

const SYSTEM = `You answer the telephone of Bluebird Bakery. You are friendly and brief: one or two short sentences at a time,
in plain words, for everything you write is spoken. Never invent opening hours or prices. Connect callers who want a person.`;

const HOURS: Record<string, string> = { saturday: 'eight to one', sunday: 'closed' };

/** A function of your own: the model calls it and tells the caller the result. */
const openingHours = defineTool({
  name: 'opening_hours',
  description: 'Tells when the bakery is open.',
  parameters: z.object({ day: z.string().describe('a weekday, in English') }),
  execute: ({ day }) => HOURS[day.toLowerCase()] ?? 'seven to six',
});

export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'carrier') throw new Error('run this bot with --transport carrier');
  const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(args.websocket);
  const { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken, CARTESIA_VOICE: voice } = process.env;
  const serializer = new CarrierFrameSerializer({ streamId, callId, authId, authToken });
  const transport = new WebSocketTransport(args.websocket, { serializer });

  const conversation = new Conversation({
    system: SYSTEM,
    greeting: 'Hello, this is Bluebird Bakery. How can I help you?',
    tools: [
      openingHours,
      transferTool({ transport, to: operatorNumber(), announce: 'One moment please, I will connect you.' }),
      endCallTool({ goodbye: 'Thank you for calling. Goodbye!' }),
    ],
    idle: { prompts: ['Are you still there?'], goodbye: 'I will hang up now. Goodbye!' },
  });
  const pipeline = new Pipeline([
    transport.input(),
    new DeepgramSTT(),
    conversation.user(),
    new LLMService({ model: openai('gpt-4.1-mini') }),
    new CartesiaTTS({ voice }),
    transport.output(),
    conversation.assistant(),
  ]);
  await new PipelineTask(pipeline, { signal: args.signal }).run();
}
