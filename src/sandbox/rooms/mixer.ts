import type { PcmFrame } from '../network/frame.js';
import { FrameResampler } from '../network/frame-resampler.js';
import type { AudioRate, Participant } from './participant.js';

const RATES: readonly AudioRate[] = [8_000, 16_000];

/** Moves the audio of one room. Audio is converted only between participants with different sample rates. */
export class RoomMix {
  readonly #converters = new WeakMap<Participant, FrameResampler>();

  /** Moves 20 ms of audio between all participants. */
  tick(present: readonly Participant[]): void {
    const said = present.map(saidBy);
    for (const rate of RATES) {
      if (!present.some((participant) => participant.rate === rate)) continue;
      const voices = present.map((participant, index) => this.#at(rate, participant, said[index]));
      const heard = mixOthers(voices);
      present.forEach((listener, index) => {
        if (listener.rate !== rate) return;
        const isLimited = voices.some((voice, n) => voice && n !== index && !hears(listener, present[n]));
        listener.hear(isLimited ? mixFor(listener, present, voices) : heard[index]);
      });
    }
  }

  #at(rate: AudioRate, participant: Participant, sound: PcmFrame): PcmFrame {
    if (participant.rate === rate) return sound;
    let converter = this.#converters.get(participant);
    if (!converter) {
      converter = new FrameResampler(participant.rate, rate);
      this.#converters.set(participant, converter);
    }
    return converter.process(sound);
  }
}

function saidBy(participant: Participant): PcmFrame {
  const sound = participant.say();
  return participant.permissions.mayBeHeard ? sound : undefined;
}

const hears = (listener: Participant, speaker: Participant | undefined): boolean =>
  speaker !== undefined && speaker !== listener && listener.permissions.hears(speaker);

/** What one participant hears who does not hear all others. */
function mixFor(listener: Participant, present: readonly Participant[], voices: readonly PcmFrame[]): PcmFrame {
  const [heard] = mixOthers([undefined, ...voices.filter((_, index) => hears(listener, present[index]))]);
  return heard;
}

/**
 * Mixes a room: each participant hears the sum of all others, clipped to 16 bits.
 * @param said 20 ms of each participant, of the same length; do not write to these arrays, for the result may contain them
 * @returns the audio that each participant hears, in the same order
 */
export function mixOthers(said: readonly PcmFrame[]): PcmFrame[] {
  const voices = said.filter((sound) => sound !== undefined);
  const [first, second] = voices;
  if (!first) return said.map(() => undefined);
  if (!second) return said.map((own) => (own ? undefined : first));
  if (voices.length === 2 && said.length === 2) return [second, first];
  const sum = sumOf(voices);
  const all = voices.length < said.length ? clip(sum) : undefined;
  return said.map((own) => (own ? clip(sum, own) : all));
}

function sumOf(voices: readonly Int16Array[]): Int32Array {
  const sum = new Int32Array(voices[0]?.length ?? 0);
  for (const voice of voices) {
    for (let n = 0; n < sum.length; n += 1) sum[n] = (sum[n] as number) + (voice[n] as number);
  }
  return sum;
}

function clip(sum: Int32Array, without?: Int16Array): Int16Array {
  const mixed = new Int16Array(sum.length);
  for (let n = 0; n < mixed.length; n += 1) {
    const value = (sum[n] as number) - (without ? (without[n] as number) : 0);
    mixed[n] = Math.max(-32_768, Math.min(32_767, value));
  }
  return mixed;
}
