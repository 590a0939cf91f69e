import { createOpenAI } from '@ai-sdk/openai';
import * as vb from 'voicebot';

type Transport = vb.WebSocketTransport | vb.RoomsTransport;

async function transportOf(args: vb.RunnerArguments): Promise<Transport> {
  if (args.transport === 'carrier') {
    const [, { stream_id: streamId, call_id: callId }] = await vb.parseTelephonyWebSocket(args.websocket);
    const { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken } = process.env;
    const serializer = new vb.CarrierFrameSerializer({ streamId, callId, authId, authToken });
    return new vb.WebSocketTransport(args.websocket, { serializer });
  }
  const request = vb.parseRoomsDialinRequest(args.body);
  return new vb.RoomsTransport(args.room_url, args.token, 'Bakery', {
    apiKey: request.daily_api_key,
    apiUrl: request.daily_api_url,
    dialinSettings: { callId: request.dialin_settings.call_id, callDomain: request.dialin_settings.call_domain },
  });
}

/** Tells when the bot has been heard to its end. */
class Ear extends vb.FrameProcessor {
  constructor(private readonly tell: (event: string) => void) {
    super();
  }

  override process(frame: vb.Frame, direction: vb.FrameDirection): void {
    if (frame instanceof vb.BotStoppedSpeakingFrame) this.tell('stopped');
    this.push(frame, direction);
  }
}

/** Tells what happens, and what the model would be shown, on lines of JSON. */
export async function bot(args: vb.RunnerArguments): Promise<void> {
  const tell = (event: string, data: unknown = {}) =>
    process.stdout.write(`${JSON.stringify({ event, at: Date.now(), data })}\n`);
  const transport = await transportOf(args);
  const conversation: vb.Conversation = new vb.Conversation({
    system: 'You are the bakery.',
    greeting: 'Hello.',
    tools: [vb.transferTool({ transport, to: { owner: '+12025550101' }, announce: 'One moment.' })],
    log: (line) => tell('line', line),
  });
  conversation.on('interrupted', () => tell('interrupted'));
  conversation.on('turn', (report) => tell('turn', { ...report, messages: conversation.context.messages }));
  const { OPENAI_API_KEY: apiKey = '', OPENAI_BASE_URL: baseURL = '' } = process.env;
  const model = createOpenAI({ apiKey, baseURL });
  const pipeline = new vb.Pipeline([
    transport.input(),
    new vb.DeepgramSTT(),
    conversation.user(),
    new vb.LLMService({ model: model.chat('scripted') }),
    new vb.CartesiaTTS({ cache: false }),
    transport.output(),
    conversation.assistant(),
    new Ear(tell),
  ]);
  await new vb.PipelineTask(pipeline, { signal: args.signal }).run();
  tell('over', { messages: conversation.context.messages });
}
