import { openai } from '@ai-sdk/openai';
import {
  operatorNumber,
  Pipeline,
  PipelineTask,
  parseRoomsDialinRequest,
  RoomsTransport,
  type RunnerArguments,
  requireKeys,
} from 'voicebot';
import { Conversation, endCallTool, transferTool } from 'voicebot/pipeline';
import { CartesiaTTS, DeepgramSTT, LLMService } from 'voicebot/services';

requireKeys('the bot', ['deepgram', 'openai', 'cartesia']);
await LLMService.load(); // before the first call

const SYSTEM = `You answer the telephone of Bluebird Bakery, which is open from seven to six and closed on Sundays. You are
friendly and brief: one or two short sentences at a time, in plain words, for everything you write is spoken. Connect callers
who want a person.`;

export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('run this bot with --transport rooms');
  const request = parseRoomsDialinRequest(args.body);
  const { call_id: callId, call_domain: callDomain } = request.dialin_settings;
  const transport = new RoomsTransport(args.room_url, args.token, 'Voicebot', {
    apiKey: request.daily_api_key,
    apiUrl: request.daily_api_url,
    dialinSettings: { callId, callDomain },
    audioInEnabled: true,
    audioOutEnabled: true,
  });
  transport.on('dialin_error', (_transport, { errorMsg }) => console.error(`dial-in failed: ${errorMsg}`));

  const conversation = new Conversation({
    system: SYSTEM,
    greeting: 'Hello, this is Bluebird Bakery. How can I help you?',
    tools: [
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
    new CartesiaTTS({ voice: process.env.CARTESIA_VOICE }),
    transport.output(),
    conversation.assistant(),
  ]);
  await new PipelineTask(pipeline, { signal: args.signal }).run();
}
