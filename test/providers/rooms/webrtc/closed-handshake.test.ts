import { RTCDtlsTransport } from 'werift';
import { PeerAudio, preloadWebRtc } from '../../../../src/providers/rooms/webrtc/peer-audio.js';
import { until } from '../../../e2e/processes.js';

type SetState = (this: RTCDtlsTransport, state: string, emits?: boolean) => void;

const prototype = RTCDtlsTransport.prototype as unknown as { setState: SetState };
const { setState } = prototype;

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

let handshakeBegins = (): void => {};
let timersBefore = 0;

beforeAll(async () => {
  timersBefore = timers();
  await preloadWebRtc();
  prototype.setState = function (state, emits) {
    setState.call(this, state, emits);
    if (state === 'connecting') handshakeBegins();
  };
});

afterAll(() => {
  Object.assign(prototype, { setState });
});

test('peers that are closed as soon as their handshake begins do not go on with it', async () => {
  const options = { sampleRate: 8_000, codecs: ['PCMU'], isLocal: true } as const;
  const [caller, callee] = [new PeerAudio(options), new PeerAudio(options)];
  const begun = new Promise<void>((resolve) => {
    handshakeBegins = resolve;
  });
  await caller.accept(await callee.answer(await caller.offer()));
  await begun;
  await Promise.all([caller.close(), callee.close()]);
  await until(() => timers() <= timersBefore, 'no timer of theirs is left');
}, 15_000);
