/**
 * LiveKit's side: agent sessions with the options they have by default, all in this process, behind a carrier's media stream as ours are.
 * Arguments: address of the ears, the folder of LiveKit's packages. The model of turns that LiveKit's
 * workers have in a process of their own is not there: an agent session is then as sure of each end of a turn as it can be.
 */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type WebSocket, WebSocketServer } from 'ws';
import { dist } from '../processes/dist.js';
import { answer, usage } from '../processes/questions.js';
import { EarLink } from './ear-link.js';
import { FakeModel, requests } from './fake-services.js';
import { livekitPlayout } from './livekit-playout.js';
import { livekitServices } from './livekit-services.js';
import type { LivekitAgents, LivekitRtc, LivekitSilero } from './livekit-types.js';
import { markedText, SAMPLE_RATE } from './marked-speech.js';

const { decodeMulaw, encodeMulaw } = await dist<typeof import('../../src/base/audio/mulaw.js')>('base/audio/mulaw.js');

const [earsUrl = '', folder = ''] = process.argv.slice(2);
const { resolve } = createRequire(join(folder, 'bench.cjs'));
/** Both of its forms would be two packages: all are loaded in the one that `require` finds. */
const load = async <Module>(name: string): Promise<Module> => (await import(pathToFileURL(resolve(name)).href)).default;
const agents = await load<LivekitAgents>('@livekit/agents');
const rtc = await load<LivekitRtc>('@livekit/rtc-node');
const { VAD } = await load<LivekitSilero>('@livekit/agents-plugin-silero');
agents.initializeLogger({ pretty: false, level: process.env.BENCH_LIVEKIT_LOG ?? 'error' });
const vad = await VAD.load();

async function serve(socket: WebSocket, callId: string): Promise<void> {
  const frames = new TransformStream<object, object>();
  const writer = frames.writable.getWriter();
  const send = (message: object) => socket.send(JSON.stringify(message));
  socket.on('message', (data) => {
    const { event, media } = JSON.parse(String(data)) as { event: string; media?: { payload: string } };
    if (event !== 'media' || !media) return;
    const pcm = decodeMulaw(Buffer.from(media.payload, 'base64'));
    void writer.write(new rtc.AudioFrame(pcm, SAMPLE_RATE, 1, pcm.length)).catch(() => {});
  });
  const { link, opening } = await EarLink.connect(earsUrl, callId);
  const services = livekitServices(agents, rtc, link, new FakeModel(callId, opening.answerWords));
  class Input extends agents.voice.AudioInput {
    constructor() {
      super();
      this.multiStream.addInputStream(frames.readable as unknown as ReadableStream);
    }
  }
  const playout = livekitPlayout(agents, SAMPLE_RATE, {
    play: (pcm) => {
      const payload = Buffer.from(encodeMulaw(pcm)).toString('base64');
      send({ event: 'playAudio', media: { contentType: 'audio/x-mulaw', sampleRate: SAMPLE_RATE, payload } });
    },
    clear: () => send({ event: 'clearAudio' }),
  });
  const session = new agents.voice.AgentSession({ ...services, vad });
  session.on('error', ({ error }) => console.error(callId, error));
  session.input.audio = new Input();
  session.output.audio = playout;
  const closed = once(socket, 'close');
  await session.start({ agent: new agents.voice.Agent({ instructions: 'You answer the telephone.' }), record: false });
  session.say(markedText(0, opening.greetingWords));
  await closed;
  link.close();
  void writer.close().catch(() => {});
  await session.close();
  playout.close();
}

const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
server.on('connection', (socket, { url = '' }) => {
  const callId = new URLSearchParams(url.split('?')[1]).get('call_id') ?? '';
  serve(socket, callId).catch((error: Error) => console.error(error));
});
const listening = once(server, 'listening').then(() => `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);

answer({
  url: () => listening,
  usage,
  /** Since the last time. */
  requests: () => requests.splice(0),
});
