import { RTCDtlsTransport } from 'werift';
import { PeerAudio, preloadWebRtc } from '../../../../src/providers/rooms/webrtc/peer-audio.js';
import { until } from '../../../e2e/processes.js';

type Repeat = (again: () => void) => void;

/** How what comes is taken a second time. */
let repeat: Repeat = () => {};
/** Handshake messages that were taken twice. */
let repeated = 0;

const { setState } = RTCDtlsTransport.prototype as unknown as { setState(state: string, emits?: boolean): void };

beforeAll(async () => {
  await preloadWebRtc();
  const prototype = RTCDtlsTransport.prototype as unknown as { setState: typeof setState };
  prototype.setState = function (this: RTCDtlsTransport, state, emits) {
    setState.call(this, state, emits);
    if (state === 'connecting') queueMicrotask(() => repeatTo(this));
  };
});

afterAll(() => {
  Object.assign(RTCDtlsTransport.prototype, { setState });
});

function repeatTo({ dtls }: RTCDtlsTransport): void {
  const socket = dtls?.options.transport as unknown as { onData?: (data: Buffer) => void };
  const take = socket.onData;
  socket.onData = (data) => {
    take?.(data);
    repeat(() => {
      repeated += 1;
      take?.(data);
    });
  };
}

test.each<[when: string, how: Repeat]>([
  ['at once', (again) => again()],
  ['a little later', (again) => void setTimeout(again, 5)],
  ['after what came behind it', (again) => void setTimeout(again, 40)],
])('peers connect although everything in their handshake comes again %s', async (_, how) => {
  repeat = how;
  repeated = 0;
  const caller = new PeerAudio({ sampleRate: 8_000, codecs: ['PCMU'], isLocal: true });
  const callee = new PeerAudio({ sampleRate: 8_000, codecs: ['PCMU'], isLocal: true });
  try {
    await caller.accept(await callee.answer(await caller.offer()));
    await Promise.all([caller.connected(4_000), callee.connected(4_000)]);
    await until(() => repeated > 3, 'messages come again');
  } finally {
    await Promise.all([caller.close(), callee.close()]);
  }
});
