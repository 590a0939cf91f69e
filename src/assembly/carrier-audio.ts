import type { Config } from '../config/config.js';
import type { Carrier } from '../providers/carrier.js';

/** What to say of the media streams that were asked for, a sentence for each. */
export function streamProblems(config: Pick<Config, 'audio' | 'streams'>, carrier: Carrier): readonly string[] {
  const unsigned =
    config.streams === 'pass' &&
    'media streams without a signature are let in by the pass of their call (VOICEBOT_STREAMS=pass), for gateways that sign none';
  return [audioProblem(config, carrier), unsigned].filter((problem) => typeof problem === 'string');
}

/** What to say where more than telephone audio is asked for and cannot be had; undefined where all is well. */
export function audioProblem({ audio }: Pick<Config, 'audio'>, carrier: Carrier | undefined): string | undefined {
  if (audio !== 'wideband' || !carrier || carrier.capabilities.audio.wideband) return undefined;
  return `audio is set to wideband, and the streams of ${carrier.name} carry telephone audio only: calls have that`;
}
