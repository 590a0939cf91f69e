import { buzz } from 'voicebot/testing';
import { WebSocket } from 'ws';
import type { Wire } from '../../src/lab/scenario/scenario-result.js';
import { VOICE_FRAMES } from '../conversation/voice.js';
import { dist } from '../processes/dist.js';
import { type BotKind, type FarEndOptions, startFarEnd } from './far-ends.js';
import { FRAME_MS, PhoneCaller } from './phone-caller.js';
import { RecordedStage } from './recorded-stage.js';

const { deferred } = await dist<typeof import('../../src/base/async/deferred.js')>('base/async/deferred.js');

const ANSWER = 'Yes, of course.';
const CHARACTER_MS = 60;
/** Silence that says that the bot has finished, in milliseconds. */
const QUIET_MS = 600;
/** What the caller says lasts so long, in milliseconds. */
const QUESTION_MS = [800, 1_000, 1_240, 1_500] as const;

const farEndOptions = (delayMs: number): FarEndOptions => ({
  text: ANSWER,
  audio: (text, sampleRate) => buzz(text.length * CHARACTER_MS, sampleRate),
  delayMs,
  betweenChunksMs: 20,
});

export interface TurnsAsked {
  readonly calls: number;
  /** Of each call. */
  readonly times: number;
  /** That those take who answer, in milliseconds. */
  readonly delayMs: number;
}

/** @returns from the end of the caller's voice to the bot's first sound, as the caller hears it, turn by turn; in milliseconds */
export async function turns(kind: BotKind, wire: Wire, { calls, times, delayMs }: TurnsAsked): Promise<number[]> {
  await using farEnd = await startFarEnd(kind, farEndOptions(delayMs));
  await using stage = await RecordedStage.open(wire, farEnd.environment);
  const waits = Array.from({ length: calls }, async (_, index) => {
    const caller = new PhoneCaller();
    const waited: number[] = [];
    await stage.call(`+120255501${String(index).padStart(2, '0')}`, caller, async () => {
      await caller.hears(0);
      await caller.hearsNothing(0, 2 * QUIET_MS);
      for (let turn = 0; turn < times; turn += 1) {
        const { to } = await caller.speak(QUESTION_MS[turn % QUESTION_MS.length] ?? 800);
        waited.push(((await caller.hears(to)) - to) * FRAME_MS);
        await caller.hearsNothing(to, QUIET_MS);
      }
    });
    return waited;
  });
  return (await Promise.all(waits)).flat();
}

/** The same of a client that sends OpenAI's model each 20 ms as they are, and leaves it to the model when to answer. */
export async function bareTurns({ times, delayMs }: TurnsAsked): Promise<number[]> {
  await using farEnd = await startFarEnd('openai', farEndOptions(delayMs));
  const url = `${farEnd.environment.BENCH_URL?.replace('http', 'ws')}/realtime?model=gpt-realtime-2.1`;
  const socket = new WebSocket(url, { headers: { authorization: 'Bearer bench' } });
  let heard = deferred<number>();
  let isOver = deferred();
  socket.on('message', (data) => {
    const { type } = JSON.parse(String(data)) as { type: string };
    if (type === 'response.output_audio.delta') heard.resolve(performance.now());
    if (type === 'response.done') isOver.resolve();
  });
  await new Promise((resolve) => socket.once('open', resolve));
  const format = { type: 'audio/pcmu' };
  const audio = { input: { format, turn_detection: { type: 'server_vad' } }, output: { format } };
  socket.send(JSON.stringify({ type: 'session.update', session: { type: 'realtime', audio } }));
  const silence = new Uint8Array(VOICE_FRAMES[0]?.length ?? 0).fill(0xff);
  let [toSay, said] = [0, deferred<number>()];
  const start = performance.now();
  let frames = 0;
  const clock = setInterval(() => {
    for (; start + frames * FRAME_MS <= performance.now(); frames += 1) {
      const frame = toSay > 0 ? VOICE_FRAMES[toSay % VOICE_FRAMES.length] : silence;
      const message = { type: 'input_audio_buffer.append', audio: Buffer.from(frame ?? silence).toString('base64') };
      socket.send(JSON.stringify(message));
      if (toSay === 1) said.resolve(performance.now());
      toSay = Math.max(0, toSay - 1);
    }
  }, FRAME_MS / 2);
  const waits: number[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    [heard, isOver, said] = [deferred(), deferred(), deferred()];
    toSay = (QUESTION_MS[turn % QUESTION_MS.length] ?? 800) / FRAME_MS;
    const saidAt = await said.promise;
    waits.push((await heard.promise) - saidAt);
    await isOver.promise;
  }
  clearInterval(clock);
  socket.terminate();
  return waits;
}
