import { VoicebotError } from '../base/errors.js';
import { isLoopbackName } from '../base/http/loopback-host.js';

/** Address of a lab that is asked before a function runs: see `playFunction`. */
export const FUNCTIONS_URL_VARIABLE = 'VOICEBOT_FUNCTIONS_URL';

/**
 * An address in the environment that a lab on this machine listens at; undefined when there is none.
 * @throws VoicebotError VB_CONFIG_INVALID for an address that is not on this machine
 */
export function localAddress(variable: string): string | undefined {
  const url = process.env[variable];
  if (!url) return undefined;
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  if (protocol === 'http:' && isLoopbackName(hostname)) return url;
  throw new VoicebotError('VB_CONFIG_INVALID', `${variable} must be an http:// address on this machine`);
}
