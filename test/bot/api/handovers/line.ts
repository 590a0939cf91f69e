import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WebSocket } from 'ws';
import { type Deferred, deferred } from '../../../../src/base/async/deferred.js';
import { decodeMulaw, encodeMulaw } from '../../../../src/base/audio/mulaw.js';
import { encodeWav } from '../../../../src/base/audio/wav.js';
import type { BotParts } from '../../../../src/bot/api/bot-parts.js';
import { acceptCall, type Call } from '../../../../src/bot/api/index.js';
import { type Frame, OutputAudioFrame, TTSSpeakFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../../src/bot/pipeline/index.js';
import type { EndReason } from '../../../../src/call/call.js';
import type { CallTape } from '../../../../src/call/call-tape.js';
import type { ConsultLeg, ConsultRequest, Handover, LostLeg, ReachedLeg } from '../../../../src/call/consult.js';
import type { RunnerArguments } from '../../../../src/call/runner-arguments.js';
import { type LinkedOutcome, linkRunner, type StreamRunnerLink } from '../../../../src/call/runner-link.js';
import { CALL_ID, media, openStream, START } from '../../transports/fake-stream.js';

export const FRAME = 160;

/** A tone of this amplitude whose phase goes on from frame to frame. */
export function toneFrames(hertz: number, amplitude = 8_000): () => Int16Array {
  let at = 0;
  return () =>
    Int16Array.from({ length: FRAME }, () => {
      at += 1;
      return Math.round(amplitude * Math.sin((2 * Math.PI * hertz * at) / 8_000));
    });
}

/** A voice that says a tone of 1 kHz: 20 ms for each character. */
export class Hum extends FrameProcessor {
  override process(frame: Frame, direction: 'downstream' | 'upstream'): void {
    if (!(frame instanceof TTSSpeakFrame)) {
      this.push(frame, direction);
      return;
    }
    const length = frame.text.length * FRAME;
    const pcm = Int16Array.from({ length }, (_, i) => 6_000 * Math.sin((2 * Math.PI * 1_000 * i) / 8_000));
    this.push(new OutputAudioFrame(pcm, 8_000), direction);
    frame.settle();
  }
}

interface WireMessage {
  readonly event: string;
  readonly name?: string;
  readonly dtmf?: string;
  readonly media?: { readonly payload: string };
}

/** One telephone at the other end of a media stream, with a carrier that plays what it is sent in real time and gives marks back. */
export class Line implements AsyncDisposable {
  /** What the telephone was sent, a payload for each message. */
  readonly heard: Buffer[] = [];
  pressed = '';
  /** What the telephone says: a frame of samples, or nothing. */
  says: (() => Int16Array | undefined) | undefined;
  /** Called at each message of audio. */
  onHeard = () => {};
  readonly isClosed: Promise<void>;
  #playedAt = 0;
  #chunk = 0;
  readonly #clock = setInterval(() => this.#tick(), 20);

  /** @param callId of the carrier */
  constructor(
    private readonly stream: { readonly bot: WebSocket; readonly carrier: WebSocket } & AsyncDisposable,
    callId = CALL_ID,
  ) {
    const { carrier } = stream;
    carrier.send(JSON.stringify({ ...START, start: { ...START.start, callId } }));
    carrier.on('message', (data) => this.#receive(JSON.parse(String(data))));
    this.isClosed = new Promise((resolve) => carrier.once('close', () => resolve()));
  }

  static async open(): Promise<Line> {
    return new Line(await openStream());
  }

  get websocket(): WebSocket {
    return this.stream.bot;
  }

  /** Everything heard, in samples. */
  get samples(): Int16Array {
    return decodeMulaw(Buffer.concat(this.heard));
  }

  /** Says a frame now, as it is. */
  send(payload: Uint8Array): void {
    this.#chunk += 1;
    this.stream.carrier.send(JSON.stringify(media(payload, this.#chunk)));
  }

  press(digit: string): void {
    this.stream.carrier.send(JSON.stringify({ event: 'dtmf', dtmf: { digit, track: 'inbound', timestamp: '1' } }));
  }

  hangUp(): void {
    clearInterval(this.#clock);
    this.stream.carrier.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#clock);
    await this.stream[Symbol.asyncDispose]();
  }

  #tick(): void {
    const frame = this.says?.();
    if (frame) this.send(encodeMulaw(frame));
  }

  #receive(message: WireMessage): void {
    const now = performance.now();
    if (message.event === 'playAudio') {
      this.#playedAt = Math.max(this.#playedAt, now) + 20;
      this.heard.push(Buffer.from(message.media?.payload ?? '', 'base64'));
      this.onHeard();
    } else if (message.event === 'sendDTMF') this.pressed += message.dtmf;
    else if (message.event === 'clearAudio') {
      this.#playedAt = now;
      this.stream.carrier.send(JSON.stringify({ event: 'clearedAudio' }));
    } else if (message.event === 'checkpoint')
      setTimeout(
        () => this.stream.carrier.send(JSON.stringify({ event: 'playedStream', name: message.name })),
        Math.max(1, this.#playedAt - now),
      );
  }
}

/** A cold transfer that the carrier has accepted. */
interface AcceptedByCarrier {
  readonly outcome: Promise<LinkedOutcome>;
}

/** A runner that dials what a test answers. */
export class FakeLink implements StreamRunnerLink {
  readonly asked: ConsultRequest[] = [];
  readonly told: Array<Handover | undefined> = [];
  readonly endings: string[] = [];
  readonly ended: string[] = [];
  handover: Handover | undefined;
  tape: CallTape | undefined;
  /** Decides what becomes of a call: a line that answers, an end, or a promise of either. Throws to refuse it. */
  dial: (to: string) => Line | EndReason | Promise<Line | EndReason> = () => 'no_answer';

  async consult(request: ConsultRequest): Promise<ConsultLeg> {
    this.asked.push(request);
    const id = `leg-${this.asked.length}`;
    const dialled = this.dial(request.to);
    const cut: Deferred<LostLeg> = deferred();
    const call = {
      id,
      direction: 'outbound',
      from: '+12025550100',
      isWithheld: false,
      to: request.to,
      attempt: 1,
      linkedTo: 'main',
    } as const;
    const reached = Promise.race([
      cut.promise,
      Promise.resolve(dialled).then((answer): ReachedLeg | LostLeg => {
        if (!(answer instanceof Line)) return { reason: answer };
        link(answer, this);
        const { signal } = new AbortController();
        const args: RunnerArguments = {
          transport: 'carrier',
          websocket: answer.websocket,
          body: {},
          query: {},
          call,
          signal,
        };
        return { args, done: () => {} };
      }),
    ]);
    return {
      call,
      reached,
      end: () => {
        this.ended.push(id);
        cut.resolve({ reason: 'bot_ended' });
      },
    };
  }

  tellHandover(handover: Handover | undefined): void {
    this.told.push(handover);
  }

  /** Cold transfers that it is asked for. */
  readonly cold: Deferred<AcceptedByCarrier>[] = [];

  transfer(): Promise<AcceptedByCarrier> {
    const asked = deferred<AcceptedByCarrier>();
    this.cold.push(asked);
    return asked.promise;
  }

  /** What a bot function has to wait for when it returns. */
  waits: () => Promise<void> = async () => {};

  beforeReturn(wait: () => Promise<void>): void {
    this.waits = wait;
  }

  endsFor(reason: string): void {
    this.endings.push(reason);
  }

  cannotRead(): void {}
}

/** A colleague's stream ends for a reason of its own. */
function link(line: Line, { endings }: FakeLink): void {
  linkRunner(
    { websocket: line.websocket },
    {
      transfer: () => Promise.reject(new Error('no transfer')),
      endsFor: (reason) => endings.push(`colleague ${reason}`),
      cannotRead() {},
    },
  );
}

/** The arguments of a call on a line, with a runner. */
export function argsOf(line: Line, runner: FakeLink): RunnerArguments {
  linkRunner({ websocket: line.websocket }, runner);
  const call = {
    id: 'main',
    direction: 'inbound',
    from: '+12025550142',
    isWithheld: false,
    to: '+12025550100',
    attempt: 1,
  } as const;
  const { signal } = new AbortController();
  return { transport: 'carrier', websocket: line.websocket, body: {}, query: {}, call, signal };
}

/** A bot that has taken a call, and a runner that dials. */
export async function callOn(
  line: Line,
  runner = new FakeLink(),
  parts: BotParts = { tts: () => new Hum() },
): Promise<{ call: Call; runner: FakeLink }> {
  return { call: await acceptCall(argsOf(line, runner), parts), runner };
}

/** Of the machine, also where a test's clock is another one; in milliseconds. */
const realNow = performance.now.bind(performance);
const LIMIT_MS = 20_000;

/** Resolves when a condition holds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const lateAt = realNow() + LIMIT_MS;
  while (!condition()) {
    if (realNow() > lateAt) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** How much of a tone is in a stretch of sound, as its amplitude. */
export function amplitudeOf(pcm: Int16Array, hertz: number): number {
  let re = 0;
  let im = 0;
  for (let i = 0; i < pcm.length; i += 1) {
    re += (pcm[i] as number) * Math.cos((2 * Math.PI * hertz * i) / 8_000);
    im += (pcm[i] as number) * Math.sin((2 * Math.PI * hertz * i) / 8_000);
  }
  return (2 * Math.hypot(re, im)) / Math.max(1, pcm.length);
}

export function largestStep(pcm: Int16Array): number {
  let step = 0;
  for (let i = 1; i < pcm.length; i += 1) step = Math.max(step, Math.abs((pcm[i] as number) - (pcm[i - 1] as number)));
  return step;
}

/** A WAV file of a low tone, 1 s of whole periods: whatever steps more than it is a click. */
export function toneFile(folder: string, amplitude = 6_000): string {
  const file = join(folder, 'tone.wav');
  const pcm = Int16Array.from({ length: 8_000 }, (_, i) => amplitude * Math.sin((2 * Math.PI * 250 * i) / 8_000));
  writeFileSync(file, encodeWav({ encoding: 'L16', channels: [pcm], sampleRate: 8_000 }));
  return file;
}
