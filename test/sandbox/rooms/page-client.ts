import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { Inbox } from '../inbox.js';

// biome-ignore lint/suspicious/noExplicitAny: what a page says is checked by the tests that read it
type Json = any;

/** What the page says, in hertz. Its amplitude is 0.25. */
export const PAGE_HZ = 600;

const EVENTS = [
  'joining-meeting joined-meeting left-meeting error nonfatal-error call-instance-destroyed dtmf-event',
  'participant-joined participant-updated participant-left track-started track-stopped',
  'dialin-ready dialin-connected dialin-stopped dialin-warning dialin-error',
  'dialout-connected dialout-answered dialout-stopped dialout-warning dialout-error',
].flatMap((names) => names.split(' '));

/** Keeps what the page opens, plays a tone into a track, and tells each event to the test. */
const SCRIPT = `
const opened = { peers: [], sockets: [] };
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(...args) { super(...args); opened.peers.push(this); }
};
window.WebSocket = class extends WebSocket {
  constructor(...args) { super(...args); opened.sockets.push(this); }
};
const context = new AudioContext();
const oscillator = new OscillatorNode(context, { frequency: ${PAGE_HZ} });
const destination = new MediaStreamAudioDestinationNode(context, { channelCount: 1, channelCountMode: 'explicit' });
oscillator.connect(new GainNode(context, { gain: 0.25 })).connect(destination);
oscillator.start();
const said = destination.stream.getAudioTracks()[0];
const heard = new Map();
let client;
let call;

const plain = (value) => JSON.parse(JSON.stringify(value ?? null, (_key, each) =>
  each instanceof MediaStreamTrack ? { id: each.id, isOurs: each === said } : each));

async function open(module) {
  client = (await import(module)).default;
  call = client.createCallObject({ audioSource: said, videoSource: false });
  call.on('track-started', ({ participant, track }) => { if (!participant.local) listen(track); });
  call.on('track-stopped', ({ track }) => heard.get(track)?.stop());
  for (const name of ${JSON.stringify(EVENTS)}) call.on(name, (event) => told(plain(event)));
}

function listen(track) {
  const stream = new MediaStream([track]);
  const element = Object.assign(new Audio(), { srcObject: stream, muted: true });
  element.play().catch(() => {});
  const analyser = new AnalyserNode(context, { fftSize: 8192 });
  const source = new MediaStreamAudioSourceNode(context, { mediaStream: stream });
  source.connect(analyser);
  heard.set(track, { analyser, stop: () => { source.disconnect(); element.srcObject = null; heard.delete(track); } });
}

/** What can be heard now: the strongest frequency in hertz, and the level in dB of full scale. */
function measure() {
  const [{ analyser }] = heard.values();
  const samples = new Float32Array(analyser.fftSize);
  analyser.getFloatTimeDomainData(samples);
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  const spectrum = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(spectrum);
  const strongest = spectrum.indexOf(spectrum.reduce((most, each) => Math.max(most, each)));
  return { hertz: (strongest * context.sampleRate) / analyser.fftSize, level: 10 * Math.log10(power || 1e-12) };
}

async function attempt(act) {
  try {
    return { value: plain(await act()) };
  } catch (thrown) {
    return { thrown: { ...plain(thrown), ...(thrown instanceof Error && { isError: true, message: thrown.message }) } };
  }
}

// A socket that the page has closed is closing until the other end has answered.
const stillOpen = () => ({
  peers: opened.peers.filter(({ connectionState }) => connectionState !== 'closed').length,
  sockets: opened.sockets.filter(({ readyState }) => readyState < WebSocket.CLOSING).length,
});
`;

/** A page of another port of this machine, with the call object that the sandbox serves. */
export class PageClient implements AsyncDisposable {
  readonly events = new Inbox<Json>();

  private constructor(
    private readonly page: Page,
    private readonly server: Server,
  ) {}

  /** Loads the module from the sandbox, and creates a call object. */
  static async open(browser: Browser, sandboxUrl: string): Promise<PageClient> {
    const server = createServer((request, response) => {
      const isPage = request.url === '/';
      response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html' });
      response.end(isPage ? `<!doctype html><title>page</title><script>${SCRIPT}</script>` : '');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = new PageClient(await browser.newPage(), server);
    await client.page.exposeFunction('told', (event: Json) => client.events.push(event));
    await client.page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await client.page.evaluate(`open(${JSON.stringify(`${sandboxUrl}/client.js`)})`);
    return client;
  }

  /** What an expression of the page is; `call` is the call object, `client` the module. */
  evaluate(expression: string): Promise<Json> {
    return this.page.evaluate(`plain(${expression})`);
  }

  /** What becomes of an expression that is a promise: its value, or what it throws. */
  attempt(expression: string): Promise<{ value?: Json; thrown?: Json }> {
    return this.page.evaluate(`attempt(async () => ${expression})`);
  }

  join(options: { url: string; token?: string; userName?: string }): Promise<{ value?: Json; thrown?: Json }> {
    return this.attempt(`call.join(${JSON.stringify(options)})`);
  }

  ask(method: string, options: object): Promise<{ value?: Json; thrown?: Json }> {
    return this.attempt(`call.${method}(${JSON.stringify(options)})`);
  }

  event(action: string, fits: (event: Json) => boolean = () => true): Promise<Json> {
    return this.events.next((event) => event.action === action && fits(event), 10_000);
  }

  /** The names of all events so far. */
  get actions(): string[] {
    return this.events.all.map(({ action }) => action);
  }

  /**
   * Waits until this tone is the strongest that is heard, and no quieter than -16 dB.
   * @returns its frequency in hertz, and the level of everything in dB
   */
  async hears(hertz: number): Promise<{ hertz: number; level: number }> {
    const heard = `(() => {
      const now = measure();
      return Math.abs(now.hertz - ${hertz}) < 12 && now.level > -16 && now;
    })()`;
    const found = await this.page.waitForFunction(heard, undefined, { timeout: 10_000, polling: 50 });
    return (await found.jsonValue()) as { hertz: number; level: number };
  }

  /** How many connections and sockets the page has opened and not closed. */
  stillOpen(): Promise<{ peers: number; sockets: number }> {
    return this.page.evaluate('stillOpen()');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.close();
    this.server.closeAllConnections();
    this.server.close();
  }
}
