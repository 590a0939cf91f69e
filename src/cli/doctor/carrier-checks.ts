import { audioProblem } from '../../assembly/carrier-audio.js';
import type { Config } from '../../config/config.js';
import type { CarrierCapabilities, StreamFormat } from '../../providers/carrier.js';
import { carrierByName } from '../../providers/registry/carriers.js';
import type { Findings } from './findings.js';

/** Which carrier is meant, why, and what its calls can do. */
export function checkCarrier(findings: Findings, config: Config): void {
  const { carrier: name, why } = config.carriers;
  if (!name) return; // told with the credentials
  const carrier = carrierByName(name);
  findings.ok('carrier', [`${name} (${why})`, ...capabilityLines(carrier.capabilities)].join('\n'));
  const problem = audioProblem(config, carrier);
  if (problem) findings.warn('audio', problem, 'Leave VOICEBOT_AUDIO out');
}

/** All that carriers differ in, a line each. */
function capabilityLines({ audio, ...can }: CarrierCapabilities): string[] {
  const { telephone, wideband } = audio;
  return [
    `audio: ${formatOf(telephone)}; ${wideband ? `wideband ${formatOf(wideband)}` : 'no wideband'}`,
    `keys of the bot: ${can.pressesKeys ? 'pressed by a message on the stream' : 'played as tones'}`,
    `streams: ${can.signsStreams ? 'signed as webhooks are' : 'not signed; only the pass in the address lets one in'}`,
    `stream address: ${can.allowsStreamQuery ? 'with a query' : 'without a query, the pass stands in its path'}`,
    `transfers: ${can.transfersCalls ? 'a live call can be connected with another number' : 'none'}`,
    `dropped audio: ${can.confirmsClear ? 'confirmed' : 'not confirmed; its marks come back at once'}`,
  ];
}

const formatOf = ({ encoding, sampleRate }: StreamFormat) => `${encoding} at ${sampleRate / 1_000} kHz`;
