import { z } from 'zod';
import { VoicebotError } from '../../base/errors.js';
import { isLoopbackHost } from '../../base/http/loopback-host.js';

/**
 * Parses an address the network is told to call, and refuses everything that is not this machine: the sandbox must not
 * be usable to reach other hosts, under a name or a number.
 * @param protocols allowed schemes, with colon
 * @throws VoicebotError VB_CONFIG_INVALID
 */
export function loopbackUrl(address: string, protocols: readonly string[]): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !protocols.includes(url.protocol)) {
    throw new VoicebotError(
      'VB_CONFIG_INVALID',
      `not a ${protocols.join(' or ')} address: ${address.split('?', 1)[0]?.slice(0, 200)}`,
    );
  }
  const host = url.hostname;
  if (!isLoopbackHost(host)) {
    throw new VoicebotError('VB_CONFIG_INVALID', `the sandbox calls only this machine, not ${host}`, {
      hint: 'Use an address on 127.0.0.1 or localhost.',
    });
  }
  return url;
}

export const HTTP: readonly string[] = ['http:', 'https:'];
export const WEB_SOCKET: readonly string[] = ['ws:'];

/** An address the network will call. */
export const webhookUrl = z.string().superRefine((address, context) => {
  try {
    loopbackUrl(address, HTTP);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as VoicebotError).message });
  }
});
