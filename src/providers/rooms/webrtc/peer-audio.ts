import type { MediaStreamTrack, RTCIceTransport, RTCPeerConnection } from 'werift';
import { withDeadline } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import { FRAME_MS } from '../../../base/audio/frame.js';
import { IncomingAudio } from '../../../base/audio/line/incoming-audio.js';
import { OutgoingAudio, type SentPacket } from '../../../base/audio/line/outgoing-audio.js';
import { PcmuCodec } from '../../../base/audio/line/pcmu-codec.js';
import type { VoiceCodec } from '../../../base/audio/line/voice-codec.js';
import { joinFailed } from '../room-refusal.js';
import { closeDtls, ignorePlainAlerts, ignoreRepeats } from './dtls.js';
import { type IceReach, localReachTo, loopbackReach, networkReach } from './ice-reach.js';
import { OpusCodec } from './opus-codec.js';
import { loadOpus } from './opus-native.js';
import { candidateHosts, type OfferedCodec, offeredCodecs, sectionCount, withCandidates } from './sdp.js';
import { loadWerift, type Werift } from './webrtc-packages.js';

export type AudioCodec = 'PCMU' | 'opus';

export interface PeerAudioOptions {
  /** Of the PCM on our side: 8000 or 16 000 Hz. */
  readonly sampleRate: number;
  /** What we can do, the one we like best first. The answering side takes the offer's first that it knows. */
  readonly codecs: readonly AudioCodec[];
  /** Offer and use addresses of this machine only. */
  readonly isLocal: boolean;
}

/** What both sides have agreed on, with the payload type that stands for it. */
interface AgreedCodec {
  readonly codec: AudioCodec;
  readonly payloadType: number;
}

/** What is offered (RFC 3551 section 6, RFC 7587 section 7: always with two channels). */
const FORMATS = {
  PCMU: { mimeType: 'audio/PCMU', clockRate: 8_000, channels: 1, payloadType: 0 },
  opus: { mimeType: 'audio/opus', clockRate: 48_000, channels: 2, payloadType: 111 },
} as const;

/** How long a rehearsal may take, in milliseconds. */
const REHEARSAL_LIMIT_MS = 2_000;

/**
 * Loads what WebRTC needs and connects with itself once, so that nothing is compiled while a caller waits: a process
 * that has done it connects a third of a second faster.
 */
export async function preloadWebRtc(): Promise<void> {
  const { RTCDtlsTransport } = await loadWerift();
  loadOpus();
  await RTCDtlsTransport.SetupCertificate();
  await rehearse();
}

async function rehearse(): Promise<void> {
  const options: PeerAudioOptions = { sampleRate: 8_000, codecs: ['PCMU'], isLocal: true };
  const [caller, callee] = [new PeerAudio(options), new PeerAudio(options)];
  try {
    await caller.accept(await callee.answer(await caller.offer()));
    await Promise.all([caller.connected(REHEARSAL_LIMIT_MS), callee.connected(REHEARSAL_LIMIT_MS)]);
  } catch {
    // The code that needs a connection is told why there is none.
  } finally {
    await Promise.all([caller.close(), callee.close()]);
  }
}

/** A check that is under way when ICE is closed would open it again, and with it a poll that never ends. */
function staysClosed({ connection }: RTCIceTransport): void {
  connection.stateChanged.subscribe((state) => {
    if (state !== 'closed') void connection.close();
  });
}

/** One peer's audio over WebRTC: both directions, one track each, without a room around it. */
export class PeerAudio {
  #peer: RTCPeerConnection | undefined;
  #send: (packet: SentPacket) => void = () => {};
  #agreed: AgreedCodec | undefined;
  #voice: VoiceCodec | undefined;
  #incoming: IncomingAudio | undefined;
  #outgoing: OutgoingAudio | undefined;
  #isConnected = false;
  readonly #connected = deferred();
  readonly #closed = deferred();
  /** Set as soon as closing begins. */
  #closing: Promise<void> | undefined;

  constructor(readonly options: PeerAudioOptions) {}

  /** What both sides have agreed on; known once {@link accept} or {@link answer} has resolved. */
  get codec(): AudioCodec {
    if (!this.#agreed) throw new Error('no codec has been agreed on yet');
    return this.#agreed.codec;
  }

  /** The whole offer as SDP, candidates included. @throws VoicebotError VB_ROOM_JOIN_FAILED when closed meanwhile */
  async offer(): Promise<string> {
    const { codecs, isLocal } = this.options;
    const { peer, track } = await this.#open(
      codecs.map((name) => FORMATS[name]),
      isLocal ? loopbackReach : networkReach,
    );
    peer.addTransceiver(track, { direction: 'sendrecv' });
    this.#watchTransport(peer);
    return this.#describe(peer, async () => peer.setLocalDescription(await peer.createOffer()));
  }

  /** Takes the answer to our offer. @throws VoicebotError VB_ROOM_JOIN_FAILED for an answer that cannot be used */
  async accept(answer: string): Promise<void> {
    const peer = this.#peer;
    if (!peer) throw joinFailed('there is no offer to be answered');
    const reach = this.options.isLocal ? loopbackReach : networkReach;
    this.#agree(this.#chooseCodec(answer, 'answer'));
    await this.#take(peer, 'answer', answer, reach);
  }

  /** @returns the whole answer as SDP. @throws VoicebotError VB_ROOM_JOIN_FAILED for an offer that cannot be used */
  async answer(offer: string): Promise<string> {
    const agreed = this.#chooseCodec(offer, 'offer');
    const reach = this.options.isLocal ? localReachTo(candidateHosts(offer)) : networkReach;
    const format = { ...FORMATS[agreed.codec], payloadType: agreed.payloadType };
    const { peer, track } = await this.#open([format], reach);
    this.#agree(agreed);
    await this.#take(peer, 'offer', offer, reach);
    this.#watchTransport(peer);
    const [transceiver] = peer.getTransceivers();
    await transceiver?.sender.replaceTrack(track);
    transceiver?.setDirection('sendrecv');
    return this.#describe(peer, async () => peer.setLocalDescription(await peer.createAnswer()));
  }

  /** Resolves when media can flow. @throws VoicebotError VB_ROOM_JOIN_FAILED when it cannot within `limitMs` */
  async connected(limitMs: number, signal?: AbortSignal): Promise<void> {
    const aborted = deferred();
    const giveUp = (): void => aborted.reject(joinFailed('given up while media was being connected'));
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await withDeadline(Promise.race([aborted.promise, this.#connected.promise]), limitMs, () =>
        joinFailed(`no media could be exchanged within ${limitMs} ms`),
      );
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /**
   * Sends 20 ms of mono PCM. Nothing is sent for digital silence that goes on, nor before the connection is there.
   * The code that calls it keeps the time.
   * @throws VoicebotError VB_AUDIO_INVALID for anything but 20 ms
   */
  say(pcm: Int16Array): void {
    if (!this.#isConnected) return;
    const packet = this.#outgoing?.say(pcm, performance.now());
    if (packet) this.#send(packet);
  }

  /**
   * The next 20 ms of what the other side says: from the jitter buffer, concealed where packets are lost, silence where
   * nothing is said. To be called every 20 ms.
   */
  hear(): Int16Array {
    return this.#incoming?.hear(performance.now()) ?? new Int16Array((this.options.sampleRate * FRAME_MS) / 1_000);
  }

  /** Calls `listener` once when the connection is lost or closed; soon, when it is already. */
  onClosed(listener: () => void): void {
    void this.#closed.promise.then(listener);
  }

  /** Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= Promise.resolve().then(() => this.#close());
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isConnected = false;
    this.#incoming = undefined;
    this.#outgoing = undefined;
    this.#voice?.close();
    this.#connected.reject(joinFailed('the connection was closed before media could flow'));
    this.#closed.resolve();
    const peer = this.#peer;
    if (!peer) return;
    for (const { iceTransport } of peer.dtlsTransports) staysClosed(iceTransport);
    await Promise.all(peer.dtlsTransports.map(closeDtls));
    await peer.close();
  }

  /** Makes the peer and the track of what we say. */
  async #open(
    formats: readonly ConstructorParameters<Werift['RTCRtpCodecParameters']>[0][],
    { config }: IceReach,
  ): Promise<{ peer: RTCPeerConnection; track: MediaStreamTrack }> {
    const { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } = await loadWerift();
    if (this.#closing) throw joinFailed('the connection was closed');
    const peer = new RTCPeerConnection({
      codecs: { audio: formats.map((format) => new RTCRtpCodecParameters(format)), video: [] },
      iceServers: [],
      iceUseIpv6: false,
      bundlePolicy: 'max-bundle',
      ...config,
    });
    this.#peer = peer;
    const track = new MediaStreamTrack({ kind: 'audio' });
    this.#send = ({ sequence, timestamp, marker, payload }) => {
      const header = new RtpHeader({ sequenceNumber: sequence, timestamp, marker });
      track.writeRtp(new RtpPacket(header, Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)));
    };
    peer.connectionStateChange.subscribe((state) => {
      if (state === 'connected') this.#onConnected();
      if (state === 'failed' || state === 'closed') void this.close();
    });
    peer.onTrack.subscribe((remote) => {
      remote.onReceiveRtp.subscribe(({ header, payload }) => {
        if (header.payloadType !== this.#agreed?.payloadType) return;
        const { ssrc, sequenceNumber: sequence, timestamp } = header;
        this.#incoming?.receive({ ssrc, sequence, timestamp, payload }, performance.now());
      });
    });
    return { peer, track };
  }

  #onConnected(): void {
    if (this.#closing) return;
    this.#isConnected = true;
    this.#connected.resolve();
  }

  /** The other side says that it closes, or its certificate is wrong. */
  #watchTransport(peer: RTCPeerConnection): void {
    for (const transport of peer.dtlsTransports) {
      transport.onStateChange.subscribe((state) => {
        if (state === 'connecting') queueMicrotask(() => ignoreRepeats(transport)); // its socket is made in this turn
        if (state === 'connected') ignorePlainAlerts(transport);
        if (state === 'closed' || state === 'failed') void this.close();
      });
    }
  }

  /** @throws VoicebotError VB_ROOM_JOIN_FAILED */
  #chooseCodec(sdp: string, kind: 'offer' | 'answer'): AgreedCodec {
    if (sectionCount(sdp) !== 1) throw joinFailed(`the ${kind} must have exactly one media section, an audio one`);
    const known = ({ name, payloadType }: OfferedCodec): AgreedCodec[] => {
      const codec = this.options.codecs.find((ours) => ours.toLowerCase() === name.toLowerCase());
      return codec ? [{ codec, payloadType }] : [];
    };
    const [agreed] = offeredCodecs(sdp).flatMap(known);
    if (!agreed) throw joinFailed(`the ${kind} has no audio in ${this.options.codecs.join(' or ')}`);
    return agreed;
  }

  #agree(agreed: AgreedCodec): void {
    const { sampleRate } = this.options;
    const voice = agreed.codec === 'opus' ? new OpusCodec(sampleRate) : new PcmuCodec(sampleRate);
    this.#agreed = agreed;
    this.#voice = voice;
    this.#incoming = new IncomingAudio(voice, sampleRate);
    this.#outgoing = new OutgoingAudio(voice, sampleRate);
  }

  /** @throws VoicebotError VB_ROOM_JOIN_FAILED */
  async #take(peer: RTCPeerConnection, type: 'offer' | 'answer', sdp: string, reach: IceReach): Promise<void> {
    try {
      await this.#whileOpen(peer.setRemoteDescription({ type, sdp: withCandidates(sdp, reach.allows) }));
    } catch (error) {
      throw joinFailed(`the ${type} cannot be used`, { cause: error });
    }
  }

  async #describe(peer: RTCPeerConnection, setLocal: () => Promise<unknown>): Promise<string> {
    await this.#whileOpen(setLocal());
    return peer.localDescription?.sdp ?? '';
  }

  /** What a closed peer is asked for it never answers. */
  #whileOpen<T>(step: Promise<T>): Promise<T> {
    const closed = this.#closed.promise.then(() => {
      throw joinFailed('the connection was closed');
    });
    return Promise.race([step, closed]);
  }
}
