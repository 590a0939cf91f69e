import { EventEmitter } from 'node:events';
import type { WebSocket } from 'ws';
import { type Frame, type FrameDirection, InputAudioFrame, OutputAudioFrame } from '../../pipeline/frames/index.js';
import { FrameProcessor, Pipeline, PipelineTask } from '../../pipeline/index.js';

import { CarrierFrameSerializer } from './carrier-frame-serializer.js';
import { WebSocketTransport } from './websocket-transport.js';

/** Of a call; enough for the code of a frame's way to be compiled. */
const FRAMES = 40;
const FRAME_BYTES = 160;
/** Of a form that every carrier has or takes. */
const CALL_ID = `CA${'0'.repeat(32)}`;
/**
 * Rates of the pipelines that are usual, in hertz. The filters between them and the wire's are designed once; the first
 * comes again, because code made for the calls before is made anew.
 */
const CALLS = [8_000, 16_000, 24_000, 8_000];

/** As much of a WebSocket as a transport uses, with no carrier at its other end. */
class NoSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  readonly bufferedAmount = 0;
  send(): void {}
  pause(): void {}
  resume(): void {}
  close(): void {
    this.readyState = 3;
    this.emit('close', 1000);
  }
}

class Echo extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    this.push(frame instanceof InputAudioFrame ? new OutputAudioFrame(frame.pcm, frame.sampleRate) : frame, direction);
  }
}

/**
 * Serves a few short calls without a caller, so that the first frame of a real one does not wait for what a process does once:
 * code is compiled, filters are designed.
 */
export async function rehearseStream(): Promise<void> {
  for (const rate of CALLS) await rehearseCall(rate);
}

async function rehearseCall(rate: number): Promise<void> {
  const socket = new NoSocket();
  const transport = new WebSocketTransport(socket as unknown as WebSocket, {
    serializer: new CarrierFrameSerializer({ streamId: 'rehearsal', callId: CALL_ID }),
  });
  const task = new PipelineTask(new Pipeline([transport.input(), new Echo(), transport.output()]), {
    audioInSampleRate: rate,
    audioOutSampleRate: rate,
  });
  const over = task.run();
  const payload = Buffer.alloc(FRAME_BYTES, 0xff).toString('base64');
  for (let chunk = 1; chunk <= FRAMES; chunk += 1) {
    const media = { track: 'inbound', timestamp: String(chunk), chunk, payload };
    socket.emit('message', Buffer.from(JSON.stringify({ event: 'media', media })), false);
  }
  await task.cancel();
  await over;
}
