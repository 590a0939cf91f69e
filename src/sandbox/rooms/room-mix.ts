import type { PcmFrame } from '../network/frame.js';
import { FrameResampler } from '../network/frame-resampler.js';
import { mixOthers } from './mixer.js';
import type { AudioRate, Participant } from './participant.js';

const RATES: readonly AudioRate[] = [8_000, 16_000];

/** Moves the audio of one room. Audio is converted only between participants with different sample rates. */
export class RoomMix {
  readonly #converters = new WeakMap<Participant, FrameResampler>();

  /** Moves 20 ms of audio between all participants. */
  tick(present: readonly Participant[]): void {
    const said = present.map((participant) => participant.say());
    for (const rate of RATES) {
      if (!present.some((participant) => participant.rate === rate)) continue;
      const heard = mixOthers(present.map((participant, index) => this.#at(rate, participant, said[index])));
      present.forEach((participant, index) => {
        if (participant.rate === rate) participant.hear(heard[index]);
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
