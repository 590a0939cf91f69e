import { readFileSync } from 'node:fs';
import * as vb from 'voicebot';

/** Recorded prompts: 8 kHz mu-law WAV files beside this one. */
function prompt(name: string | number): vb.OutputAudioFrame {
  const { channels, sampleRate } = vb.decodeWav(readFileSync(new URL(`./prompts/${name}.wav`, import.meta.url)));
  return new vb.OutputAudioFrame(channels[0], sampleRate);
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

type Transport = vb.WebSocketTransport | vb.RoomsTransport;

/** Greets the caller, then acts on the caller's keys. Every key interrupts the bot. */
class Menu extends vb.FrameProcessor {
  #isEchoing = false;
  #isConnecting = false;
  #patience: NodeJS.Timeout | undefined;

  constructor(private readonly transport: Transport) {
    super();
  }

  override process(frame: vb.Frame, direction: vb.FrameDirection): void | Promise<void> {
    if (frame instanceof vb.BotStoppedSpeakingFrame) this.#wait();
    if (frame instanceof vb.BotStartedSpeakingFrame) clearTimeout(this.#patience);
    if (frame instanceof vb.DtmfFrame) return this.#choose(frame.digit);
    if (!(frame instanceof vb.InputAudioFrame)) this.push(frame, direction);
    else if (this.#isEchoing) this.push(new vb.OutputAudioFrame(frame.pcm, frame.sampleRate));
    if (frame instanceof vb.StartFrame && this.transport instanceof vb.WebSocketTransport) this.greet();
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
    this.push(new vb.EndFrame());
  }

  #choose(digit: vb.DtmfDigit): void | Promise<void> {
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
      .sipCallTransfer({ toEndPoint: vb.operatorNumber() })
      .catch((error: Error) => ({ status: 'refused', detail: error.message }) as const);
    this.#isConnecting = false;
    console.log(`transfer to the operator: ${outcome.status}`);
    if (outcome.status === 'answered') this.push(new vb.EndFrame());
    else if (outcome.status !== 'caller_left') this.#say('nobody-there', 'menu');
  }

  #say(...prompts: Array<string | number>): void {
    for (const name of prompts) this.push(prompt(name));
  }
}

/** The media stream of a carrier. */
async function carrierTransport({ websocket }: vb.CarrierRunnerArguments): Promise<vb.WebSocketTransport> {
  const [, { stream_id: streamId, call_id: callId }] = await vb.parseTelephonyWebSocket(websocket);
  const { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken } = process.env;
  const serializer = new vb.CarrierFrameSerializer({ streamId, callId, authId, authToken });
  return new vb.WebSocketTransport(websocket, { serializer });
}

/** A media room: the transport fetches a held caller into it, or calls a number from it. */
function roomsTransport({ room_url, token, phone_number, body }: vb.RoomsRunnerArguments): vb.RoomsTransport {
  if (phone_number !== undefined) {
    return new vb.RoomsTransport(room_url, token, 'Demo', { apiKey: process.env.ROOMS_API_KEY ?? '' });
  }
  const { dialin_settings, daily_api_key: apiKey, daily_api_url: apiUrl } = vb.parseRoomsDialinRequest(body);
  const dialinSettings = { callId: dialin_settings.call_id, callDomain: dialin_settings.call_domain };
  return new vb.RoomsTransport(room_url, token, 'Demo', { apiKey, apiUrl, dialinSettings });
}

export async function bot(args: vb.RunnerArguments): Promise<void> {
  const transport = args.transport === 'carrier' ? await carrierTransport(args) : roomsTransport(args);
  const menu = new Menu(transport);
  const pipeline = new vb.Pipeline([transport.input(), menu, transport.output()]);
  const running = new vb.PipelineTask(pipeline, { signal: args.signal }).run();
  if (transport instanceof vb.RoomsTransport && args.transport === 'rooms') {
    const { phone_number: phoneNumber } = args;
    transport.on(phoneNumber ? 'dialout_answered' : 'first_participant_joined', () => menu.greet());
    if (phoneNumber) await Promise.all([running, transport.startDialout({ phoneNumber })]);
  }
  await running;
}
