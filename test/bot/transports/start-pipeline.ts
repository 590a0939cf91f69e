import type { Frame } from '../../../src/bot/pipeline/frames/index.js';
import { Pipeline, PipelineTask, type PipelineTaskOptions } from '../../../src/bot/pipeline/index.js';
import { CarrierFrameSerializer } from '../../../src/bot/transports/stream/carrier-frame-serializer.js';
import { WebSocketTransport } from '../../../src/bot/transports/stream/websocket-transport.js';
import type { CallTape } from '../../../src/call/call-tape.js';
import { linkRunner } from '../../../src/call/runner-link.js';
import type { CarrierCapabilities } from '../../../src/providers/carrier.js';
import { Recorder } from '../pipeline/recorder.js';
import { CALL_ID, listen, openStream, START, STREAM_ID } from './fake-stream.js';
import { AUTH_ID } from './voice-api.js';

export const tone = (ms: number, rate = 8_000) =>
  Int16Array.from({ length: (ms * rate) / 1_000 }, (_, i) => 8_000 * Math.sin((2 * Math.PI * 440 * i) / rate));

/**
 * A running pipeline on a real stream. What goes past is recorded between its ends and behind them.
 * @param capabilities in which the carrier differs from the one whose wire it speaks
 */
export async function startPipeline(
  options: PipelineTaskOptions = {},
  apiUrl?: string,
  start: string = JSON.stringify(START),
  tape?: CallTape,
  capabilities: Partial<CarrierCapabilities> = {},
) {
  const stream = await openStream();
  const transfer = () => Promise.reject(new Error('nobody transfers'));
  if (tape) linkRunner({ websocket: stream.bot }, { tape, transfer, endsFor: () => {}, cannotRead: () => {} });
  const serializer = new CarrierFrameSerializer({
    streamId: STREAM_ID,
    callId: CALL_ID,
    ...(apiUrl && { authId: AUTH_ID, authToken: 'token', apiUrl }),
  });
  const { carrier } = serializer;
  Object.assign(serializer, { carrier: { ...carrier, capabilities: { ...carrier.capabilities, ...capabilities } } });
  if (capabilities.pressesKeys === false) serializer.encodeDtmf = () => undefined;
  const transport = new WebSocketTransport(stream.bot, { addWavHeader: false, serializer });
  const heard = new Recorder();
  const after = new Recorder();
  const task = new PipelineTask(new Pipeline([transport.input(), heard, transport.output(), after]), options);
  const wire = listen(stream.carrier);
  const run = task.run();
  stream.carrier.send(start);
  return {
    stream,
    serializer,
    transport,
    heard,
    after,
    task,
    wire,
    run,
    [Symbol.asyncDispose]: stream[Symbol.asyncDispose],
  };
}

/** Resolves when `condition` holds. For what tells nobody that it happened. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Resolves when `recorder` has seen `count` frames of a kind. */
export async function seen<T extends Frame>(
  recorder: Recorder,
  kind: abstract new (...args: never[]) => T,
  count: number,
): Promise<T[]> {
  await until(() => recorder.of(kind).length >= count, `${count} ${kind.name}`);
  return recorder.of(kind);
}
