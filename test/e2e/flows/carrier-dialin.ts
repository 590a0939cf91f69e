import { openai } from '@ai-sdk/openai';
import * as vb from 'voicebot';
import { z } from 'zod';

vb.requireKeys('the bot', ['deepgram', 'openai', 'cartesia']);
await vb.LLMService.load(); // before the first call

const SYSTEM = `You answer the telephone of Bluebird Bakery. You are friendly and brief: one or two short sentences at a time,
in plain words, for everything you write is spoken. Never invent opening hours or prices. Connect callers who want a person.`;

const HOURS: Record<string, string> = { saturday: 'eight to one', sunday: 'closed' };

/** A function of your own: the model calls it and tells the caller the result. */
const openingHours = vb.defineTool({
  name: 'opening_hours',
  description: 'Tells when the bakery is open.',
  parameters: z.object({ day: z.string().describe('a weekday, in English') }),
  execute: ({ day }) => HOURS[day.toLowerCase()] ?? 'seven to six',
});

export async function bot(args: vb.RunnerArguments): Promise<void> {
  if (args.transport !== 'carrier') throw new Error('run this bot with --transport carrier');
  const [, { stream_id: streamId, call_id: callId }] = await vb.parseTelephonyWebSocket(args.websocket);
  const { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken, CARTESIA_VOICE: voice } = process.env;
  const serializer = new vb.CarrierFrameSerializer({ streamId, callId, authId, authToken });
  const transport = new vb.WebSocketTransport(args.websocket, { serializer });

  const conversation = new vb.Conversation({
    system: SYSTEM,
    greeting: 'Hello, this is Bluebird Bakery. How can I help you?',
    tools: [
      openingHours,
      vb.transferTool({ transport, to: vb.operatorNumber(), announce: 'One moment please, I will connect you.' }),
      vb.endCallTool({ goodbye: 'Thank you for calling. Goodbye!' }),
    ],
    idle: { prompts: ['Are you still there?'], goodbye: 'I will hang up now. Goodbye!' },
  });
  const pipeline = new vb.Pipeline([
    transport.input(),
    new vb.DeepgramSTT(),
    conversation.user(),
    new vb.LLMService({ model: openai('gpt-4.1-mini') }),
    new vb.CartesiaTTS({ voice }),
    transport.output(),
    conversation.assistant(),
  ]);
  await new vb.PipelineTask(pipeline, { signal: args.signal }).run();
}
