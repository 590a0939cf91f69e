import { readFileSync } from 'node:fs';
import {
  CarrierFrameSerializer,
  type CarrierRunnerArguments,
  EndFrame,
  operatorNumber,
  Pipeline,
  PipelineTask,
  parseRoomsDialinRequest,
  parseTelephonyWebSocket,
  type RoomsRunnerArguments,
  RoomsTransport,
  type RunnerArguments,
  WebSocketTransport,
} from 'voicebot';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  type DtmfDigit,
  DtmfFrame,
  decodeWav,
  type Frame,
  type FrameDirection,
  FrameProcessor,
  InputAudioFrame,
  OutputAudioFrame,
  StartFrame,
} from 'voicebot/pipeline';

/** Recorded prompts: 8 kHz mu-law WAV files beside this one. */
function prompt(name: string | number): OutputAudioFrame {
  const { channels, sampleRate } = decodeWav(readFileSync(new URL(`./prompts/${name}.wav`, import.meta.url)));
  return new OutputAudioFrame(channels[0], sampleRate);
}

/** The words of a time of day: "it is", 3, "oh", 7. */
function timeWords(time: Date): Array<string | number> {
  const minutes = time.getMinutes();
  const words = ['it-is', time.getHours() % 12 || 12];
  if (minutes === 0) return [...words, 'oclock'];
  if (minutes < 10) return [...words, 'oh', minutes];
  if (minutes <= 20) return [...words, minutes];
  return [...words, minutes - (minutes % 10), minutes % 10].filter((word) => word !== 0);
}

/** How long after its last word the demo waits for a key before it says goodbye, in milliseconds. */
const PATIENCE_MS = 15_000;

type Transport = WebSocketTransport | RoomsTransport;

/** Greets the caller, then acts on the caller's keys. Every key interrupts the bot. */
class Menu extends FrameProcessor {
  #isEchoing = false;
  #isConnecting = false;
  #patience: NodeJS.Timeout | undefined;

  constructor(private readonly transport: Transport) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (frame instanceof BotStoppedSpeakingFrame) this.#wait();
    if (frame instanceof BotStartedSpeakingFrame) clearTimeout(this.#patience);
    if (frame instanceof DtmfFrame) return this.#choose(frame.digit);
    if (!(frame instanceof InputAudioFrame)) this.push(frame, direction);
    else if (this.#isEchoing) this.push(new OutputAudioFrame(frame.pcm, frame.sampleRate));
    if (frame instanceof StartFrame && this.transport instanceof WebSocketTransport) this.greet();
  }

  greet(): void {
    this.#say('greeting', 'menu');
  }

  override cleanup(): void {
    clearTimeout(this.#patience);
  }

  #wait(): void {
    clearTimeout(this.#patience);
    if (this.#isConnecting) return;
    this.#patience = setTimeout(() => this.#leave(), PATIENCE_MS);
  }

  #leave(): void {
    this.#say('goodbye');
    this.push(new EndFrame());
  }

  #choose(digit: DtmfDigit): void | Promise<void> {
    this.interrupt();
    clearTimeout(this.#patience);
    const wasEchoing = this.#isEchoing;
    this.#isEchoing = digit === '2' && !wasEchoing;
    if (wasEchoing) this.#say('menu');
    else if (digit === '1') this.#say(...timeWords(new Date()), 'menu');
    else if (digit === '2') this.#say('echo');
    else if (digit === '0') return this.#connect();
    else if (digit === '9') this.#leave();
    else this.#say('unknown', 'menu');
  }

  /** Connects the caller with a person, or says that nobody answered. */
  async #connect(): Promise<void> {
    this.#isConnecting = true;
    this.#say('one-moment');
    const outcome = await this.transport
      .sipCallTransfer({ toEndPoint: operatorNumber() })
      .catch((error: Error) => ({ status: 'refused', detail: error.message }) as const);
    this.#isConnecting = false;
    console.log(`transfer to the operator: ${outcome.status}`);
    if (outcome.status === 'answered') this.push(new EndFrame());
    else if (outcome.status !== 'caller_left') this.#say('nobody-there', 'menu');
  }

  #say(...prompts: Array<string | number>): void {
    for (const name of prompts) this.push(prompt(name));
  }
}

/** The media stream of a carrier. */
async function carrierTransport({ websocket }: CarrierRunnerArguments): Promise<WebSocketTransport> {
  const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(websocket);
  const { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken } = process.env;
  const serializer = new CarrierFrameSerializer({ streamId, callId, authId, authToken });
  return new WebSocketTransport(websocket, { serializer });
}

/** A media room: the transport fetches a held caller into it, or calls a number from it. */
function roomsTransport({ room_url, token, phone_number, body }: RoomsRunnerArguments): RoomsTransport {
  if (phone_number !== undefined) {
    return new RoomsTransport(room_url, token, 'Demo', { apiKey: process.env.ROOMS_API_KEY ?? '' });
  }
  const { dialin_settings, daily_api_key: apiKey, daily_api_url: apiUrl } = parseRoomsDialinRequest(body);
  const dialinSettings = { callId: dialin_settings.call_id, callDomain: dialin_settings.call_domain };
  return new RoomsTransport(room_url, token, 'Demo', { apiKey, apiUrl, dialinSettings });
}

export async function bot(args: RunnerArguments): Promise<void> {
  const transport = args.transport === 'carrier' ? await carrierTransport(args) : roomsTransport(args);
  const menu = new Menu(transport);
  const pipeline = new Pipeline([transport.input(), menu, transport.output()]);
  const running = new PipelineTask(pipeline, { signal: args.signal }).run();
  if (transport instanceof RoomsTransport && args.transport === 'rooms') {
    const { phone_number: phoneNumber } = args;
    transport.on(phoneNumber ? 'dialout_answered' : 'first_participant_joined', () => menu.greet());
    if (phoneNumber) await Promise.all([running, transport.startDialout({ phoneNumber })]);
  }
  await running;
}
