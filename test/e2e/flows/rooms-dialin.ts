import { openai } from '@ai-sdk/openai';
import * as vb from 'voicebot';

vb.requireKeys('the bot', ['deepgram', 'openai', 'cartesia']);
await vb.LLMService.load(); // before the first call

const SYSTEM = `You answer the telephone of Bluebird Bakery, which is open from seven to six and closed on Sundays. You are
friendly and brief: one or two short sentences at a time, in plain words, for everything you write is spoken. Connect callers
who want a person.`;

export async function bot(args: vb.RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('run this bot with --transport rooms');
  const request = vb.parseRoomsDialinRequest(args.body);
  const { call_id: callId, call_domain: callDomain } = request.dialin_settings;
  const transport = new vb.RoomsTransport(args.room_url, args.token, 'Voicebot', {
    apiKey: request.daily_api_key,
    apiUrl: request.daily_api_url,
    dialinSettings: { callId, callDomain },
    audioInEnabled: true,
    audioOutEnabled: true,
  });
  transport.on('dialin_error', (_transport, { errorMsg }) => console.error(`dial-in failed: ${errorMsg}`));

  const conversation = new vb.Conversation({
    system: SYSTEM,
    greeting: 'Hello, this is Bluebird Bakery. How can I help you?',
    tools: [
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
    new vb.CartesiaTTS({ voice: process.env.CARTESIA_VOICE }),
    transport.output(),
    conversation.assistant(),
  ]);
  await new vb.PipelineTask(pipeline, { signal: args.signal }).run();
}
