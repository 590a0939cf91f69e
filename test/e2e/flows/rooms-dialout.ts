import { openai } from '@ai-sdk/openai';
import { operatorNumber, Pipeline, PipelineTask, RoomsTransport, type RunnerArguments, requireKeys } from 'voicebot';
import { Conversation, endCallTool, transferTool, VoicemailGate } from 'voicebot/pipeline';
import { CartesiaTTS, DeepgramSTT, LLMService } from 'voicebot/services';
import { z } from 'zod';

requireKeys('the bot', ['deepgram', 'openai', 'cartesia']);
await LLMService.load(); // before the first call

/** What the call is about: `npx voicebot dialout <number> --body '{"user":{"firstName":"Ada"},"reason":"to say hello"}'`. */
const Body = z.object({
  user: z.object({ firstName: z.string() }).optional(),
  reason: z.string().default('to confirm the appointment tomorrow at ten'),
});

const STYLE = `You are friendly and brief: one or two short sentences at a time, in plain words, for everything you write is
spoken. When the matter is settled, or they do not want to talk, say goodbye and end the call.`;

export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('run this bot with --transport rooms');
  const { room_url, token, phone_number: phoneNumber } = args;
  if (!phoneNumber) throw new Error('this bot calls others: start it with `npx voicebot dialout <number>`');
  const { user, reason } = Body.parse(args.body);
  const transport = new RoomsTransport(room_url, token, 'Voicebot', {
    apiKey: process.env.ROOMS_API_KEY ?? '',
    audioInEnabled: true,
    audioOutEnabled: true,
    videoOutEnabled: false,
    transcriptionEnabled: true,
  });
  transport.on('dialout_error', (_transport, { errorMsg }) => console.log(`not reached: ${errorMsg}`));

  const opening = `Hello ${user?.firstName ?? 'there'}, this is Bluebird Bakery. I am calling ${reason}.`;
  const conversation = new Conversation({
    system: `You are calling ${user?.firstName ?? 'a customer'} for Bluebird Bakery ${reason}. ${STYLE}`,
    greeting: `${opening} Do you have a moment?`,
    tools: [
      transferTool({ transport, to: operatorNumber(), announce: 'One moment please, I will connect you.' }),
      endCallTool({ goodbye: 'Thank you. Goodbye!' }),
    ],
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
    new CartesiaTTS({ voice: process.env.CARTESIA_VOICE }),
    transport.output(),
    conversation.assistant(),
  ]);
  const running = new PipelineTask(pipeline, { signal: args.signal }).run();
  await Promise.all([running, transport.startDialout({ phoneNumber })]);
}
