import { openai } from '@ai-sdk/openai';
import {
  CarrierFrameSerializer,
  Pipeline,
  PipelineTask,
  parseTelephonyWebSocket,
  type RunnerArguments,
  requireKeys,
  WebSocketTransport,
} from 'voicebot';
import { Conversation, endCallTool, VoicemailGate } from 'voicebot/pipeline';
import { CartesiaTTS, DeepgramSTT, LLMService } from 'voicebot/services';
import { z } from 'zod';

requireKeys('the bot', ['deepgram', 'openai', 'cartesia']);
await LLMService.load(); // before the first call

/** What the call is about: `npx voicebot dialout <number> --body '{"user":{"firstName":"Ada"},"reason":"to say hello"}'`. */
const Body = z.object({
  user: z.object({ firstName: z.string() }).optional(),
  reason: z.string().default('to confirm the order that is ready to be picked up tomorrow'),
});

const STYLE = `You are friendly and brief: one or two short sentences at a time, in plain words, for everything you write is
spoken. When the matter is settled, or they do not want to talk, say goodbye and end the call.`;

export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'carrier') throw new Error('run this bot with --transport carrier');
  const { user, reason } = Body.parse(args.body);
  const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(args.websocket);
  const { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken, CARTESIA_VOICE: voice } = process.env;
  const serializer = new CarrierFrameSerializer({ streamId, callId, authId, authToken });
  const transport = new WebSocketTransport(args.websocket, { serializer });

  const opening = `Hello ${user?.firstName ?? 'there'}, this is Bluebird Bakery. I am calling ${reason}.`;
  const conversation = new Conversation({
    system: `You are calling ${user?.firstName ?? 'a customer'} for Bluebird Bakery ${reason}. ${STYLE}`,
    greeting: `${opening} Do you have a moment?`,
    tools: [endCallTool({ goodbye: 'Thank you. Goodbye!' })],
    idle: { prompts: ['Are you still there?'], goodbye: 'I will try again another time. Goodbye!' },
  });
  const pipeline = new Pipeline([
    transport.input(),
    new DeepgramSTT(),
    new VoicemailGate({
      message: `${opening} Please call us back. Goodbye!`,
      onMachine: (evidence) => console.log(`a machine answered: ${evidence}`),
    }),
    conversation.user(),
    new LLMService({ model: openai('gpt-4.1-mini') }),
    new CartesiaTTS({ voice }),
    transport.output(),
    conversation.assistant(),
  ]);
  await new PipelineTask(pipeline, { signal: args.signal }).run();
}
