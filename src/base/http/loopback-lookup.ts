import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks a name up as `dns.lookup` does, except that `localhost` and every name below it mean this machine. Not every
 * system's resolver knows that of the names below.
 * @see RFC 6761 section 6.3
 */
export const loopbackLookup: LookupFunction = (hostname, options, callback) => {
  if (!/^(?:[^.]+\.)*localhost\.?$/i.test(hostname)) return lookup(hostname, options, callback);
  const wanted = LOOPBACK.filter(({ family }) => !options.family || options.family === family);
  const [first = LOOPBACK[0] as LookupAddress] = wanted;
  process.nextTick(() => {
    if (options.all) callback(null, wanted);
    else callback(null, first.address, first.family);
  });
};
