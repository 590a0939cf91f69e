import { openai } from '@ai-sdk/openai';
import {
  EndFrame,
  operatorNumber,
  Pipeline,
  PipelineTask,
  parseRoomsDialinRequest,
  RoomsTransport,
  type RunnerArguments,
  requireKeys,
} from 'voicebot';
import { Conversation, defineTool, endCallTool, LLMMessagesAppendFrame } from 'voicebot/pipeline';
import { CartesiaTTS, DeepgramSTT, LLMService } from 'voicebot/services';
import { z } from 'zod';

requireKeys('the bot', ['deepgram', 'openai', 'cartesia']);
await LLMService.load(); // before the first call

const SYSTEM = `You are the reception of Bluebird Bakery. You are friendly and brief: one or two short sentences at a time, in
plain words, for everything you write is spoken. When a caller needs more than a greeting, connect them with a colleague.`;

export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('run this bot with --transport rooms');
  const request = parseRoomsDialinRequest(args.body);
  const { call_id: callId, call_domain: callDomain } = request.dialin_settings;
  const transport = new RoomsTransport(args.room_url, args.token, 'Reception', {
    apiKey: request.daily_api_key,
    apiUrl: request.daily_api_url,
    dialinSettings: { callId, callDomain },
    audioInEnabled: true,
    audioOutEnabled: true,
  });

  let isTransferWanted = false;
  const transferCall = defineTool({
    name: 'transfer_call',
    description: 'Connects the caller with a colleague.',
    parameters: z.object({}),
    execute(_input, { endTurn }) {
      endTurn();
      isTransferWanted = true;
      prompt('Tell the caller in one short sentence that you connect them with a colleague now.');
    },
  });
  const conversation = new Conversation({
    system: SYSTEM,
    greeting: 'Hello, this is the reception of Bluebird Bakery. What can I do for you?',
    tools: [transferCall, endCallTool({ goodbye: 'Thank you for calling. Goodbye!' })],
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
  const task = new PipelineTask(pipeline, { signal: args.signal });

  /** Makes the model say something in its own words. */
  const prompt = (content: string) => task.queueFrame(new LLMMessagesAppendFrame([{ role: 'system', content }], true));

  conversation.on('turn', ({ since, wasInterrupted }) => {
    if (since !== 'model_requested' || !isTransferWanted) return;
    isTransferWanted = false; // the caller has heard it, or has interrupted it
    if (!wasInterrupted) void transfer();
  });
  async function transfer(): Promise<void> {
    const outcome = await transport
      .sipCallTransfer({ toEndPoint: operatorNumber() }) // starts when the caller has heard everything
      .catch((error: Error) => ({ status: 'refused', detail: error.message }) as const);
    console.log(`transfer: ${outcome.status}`);
    if (outcome.status === 'answered' || outcome.status === 'caller_left') return;
    prompt(`The colleague was not reached (${outcome.status}). Tell the caller, and ask what else you can do.`);
  }
  transport.on('dialout_answered', () => {
    console.log('the transfer was answered');
    task.queueFrame(new EndFrame()); // the bot leaves; the caller and the colleague go on talking
  });
  await task.run();
}
