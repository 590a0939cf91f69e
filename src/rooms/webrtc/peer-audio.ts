export type AudioCodec = 'PCMU' | 'opus';

export interface PeerAudioOptions {
  /** Of the PCM on our side: 8000 or 16 000 Hz. */
  readonly sampleRate: number;
  /** What we can do, the one we like best first. The answering side takes the offer's first that it knows. */
  readonly codecs: readonly AudioCodec[];
  /** Offer and use addresses of this machine only. */
  readonly isLocal: boolean;
}

/** One peer's audio over WebRTC: both directions, one track each, without a room around it. */
export class PeerAudio {
  constructor(readonly options: PeerAudioOptions) {}

  /** What both sides have agreed on; known once {@link accept} or {@link answer} has resolved. */
  get codec(): AudioCodec {
    throw new Error('not written yet');
  }

  /** The whole offer as SDP, candidates included. */
  async offer(): Promise<string> {
    throw new Error('not written yet');
  }

  /** Takes the answer to our offer. */
  async accept(_answer: string): Promise<void> {
    throw new Error('not written yet');
  }

  /** @returns the whole answer as SDP. @throws VoicebotError VB_ROOM_JOIN_FAILED for an offer that cannot be used */
  async answer(_offer: string): Promise<string> {
    throw new Error('not written yet');
  }

  /** Resolves when media can flow. @throws VoicebotError VB_ROOM_JOIN_FAILED when it cannot within `limitMs` */
  async connected(_limitMs: number, _signal?: AbortSignal): Promise<void> {
    throw new Error('not written yet');
  }

  /** Sends 20 ms of mono PCM. Nothing is sent for digital silence that goes on. Whoever calls it keeps the time. */
  say(_pcm: Int16Array): void {
    throw new Error('not written yet');
  }

  /**
   * The next 20 ms of what the other side says: from the jitter buffer, concealed where packets are lost, silence where
   * nothing is said. To be called every 20 ms.
   */
  hear(): Int16Array {
    throw new Error('not written yet');
  }

  /** Calls `listener` once when the connection is lost or closed. */
  onClosed(_listener: () => void): void {
    throw new Error('not written yet');
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    throw new Error('not written yet');
  }
}
