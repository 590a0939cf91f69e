/** A bot's process before its first call; the stream is a stand-in, so that nothing but our own work is measured. */
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { CarrierFrameSerializer, Pipeline, PipelineTask, WebSocketTransport } from 'voicebot';
import type { WebSocket } from 'ws';
import { Echo } from '../bots/echo.js';
import { dist } from './dist.js';
import { answer } from './questions.js';
import { SPEECH } from './speech.js';

/** A process waits for its call: what was compiled for it in the background is there. */
const WAIT_MS = 300;

class Stream extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly bufferedAmount = 0;
  sent = 0;
  send(): void {
    this.sent += 1;
  }
  resume(): void {}
  close(): void {}
}

const questions = {
  /** @returns milliseconds from the caller's first message until the echo of it is sent */
  async cost(isRehearsed: boolean): Promise<number> {
    if (isRehearsed) {
      const { rehearseStream } = await dist<typeof import('../../src/bot/transports/stream/rehearsal.js')>(
        'bot/transports/stream/rehearsal.js',
      );
      await rehearseStream();
    }
    const stream = new Stream();
    const transport = new WebSocketTransport(stream as unknown as WebSocket, {
      serializer: new CarrierFrameSerializer({ streamId: 's', callId: 'c' }),
    });
    void new PipelineTask(new Pipeline([transport.input(), new Echo(), transport.output()])).run();
    await delay(WAIT_MS);
    const payload = SPEECH[0]?.toString('base64');
    const message = Buffer.from(JSON.stringify({ event: 'media', media: { track: 'inbound', chunk: 1, payload } }));
    const startedAt = performance.now();
    stream.emit('message', message, false);
    const costMs = performance.now() - startedAt;
    if (stream.sent === 0) throw new Error('no echo');
    return costMs;
  },
};
export type FirstFrame = typeof questions;

answer(questions);
