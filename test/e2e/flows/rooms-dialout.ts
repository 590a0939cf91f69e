import { openai } from '@ai-sdk/openai';
import * as vb from 'voicebot';
import { z } from 'zod';

vb.requireKeys('the bot', ['deepgram', 'openai', 'cartesia']);
await vb.LLMService.load(); // before the first call

/** What the call is about: `npx voicebot dialout <number> --body '{"user":{"firstName":"Ada"},"reason":"to say hello"}'`. */
const Body = z.object({
  user: z.object({ firstName: z.string() }).optional(),
  reason: z.string().default('to confirm the appointment tomorrow at ten'),
});

const STYLE = `You are friendly and brief: one or two short sentences at a time, in plain words, for everything you write is
spoken. When the matter is settled, or they do not want to talk, say goodbye and end the call.`;

export async function bot(args: vb.RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('run this bot with --transport rooms');
  const { room_url, token, phone_number: phoneNumber } = args;
  if (!phoneNumber) throw new Error('this bot calls others: start it with `npx voicebot dialout <number>`');
  const { user, reason } = Body.parse(args.body);
  const transport = new vb.RoomsTransport(room_url, token, 'Voicebot', {
    apiKey: process.env.ROOMS_API_KEY ?? '',
    audioInEnabled: true,
    audioOutEnabled: true,
    videoOutEnabled: false,
    transcriptionEnabled: true,
  });
  transport.on('dialout_error', (_transport, { errorMsg }) => console.log(`not reached: ${errorMsg}`));

  const opening = `Hello ${user?.firstName ?? 'there'}, this is Bluebird Bakery. I am calling ${reason}.`;
  const conversation = new vb.Conversation({
    system: `You are calling ${user?.firstName ?? 'a customer'} for Bluebird Bakery ${reason}. ${STYLE}`,
    greeting: `${opening} Do you have a moment?`,
    tools: [
      vb.transferTool({ transport, to: vb.operatorNumber(), announce: 'One moment please, I will connect you.' }),
      vb.endCallTool({ goodbye: 'Thank you. Goodbye!' }),
    ],
    idle: { prompts: ['Are you still there?'], goodbye: 'I will try again another time. Goodbye!' },
  });
  const pipeline = new vb.Pipeline([
    transport.input(),
    new vb.DeepgramSTT(),
    new vb.VoicemailGate({
      message: `${opening} Please call us back. Goodbye!`,
      onMachine: (evidence) => console.log(`a machine answered: ${evidence}`),
    }),
    conversation.user(),
    new vb.LLMService({ model: openai('gpt-4.1-mini') }),
    new vb.CartesiaTTS({ voice: process.env.CARTESIA_VOICE }),
    transport.output(),
    conversation.assistant(),
  ]);
  const running = new vb.PipelineTask(pipeline, { signal: args.signal }).run();
  await Promise.all([running, transport.startDialout({ phoneNumber })]);
}
