import { ADDRESS_FIELDS, ADDRESS_NAMES, type Application, type CallAddresses, isSameAddress } from './numbers-api.js';

/** The first address that is another than wanted, for people; undefined when all are as they should be. */
export function differenceOf({ name, addresses }: Application, wanted: Partial<CallAddresses>): string | undefined {
  for (const kind of ADDRESS_NAMES) {
    const is = addresses[kind];
    const should = wanted[kind];
    if (!should || isSameAddress(is, should)) continue;
    const [field] = ADDRESS_FIELDS[kind];
    return `the ${field} of application ${name} is ${is.method} ${is.url || 'empty'} and not ${should.method} ${should.url || 'empty'}`;
  }
  return undefined;
}

export const isAsWanted = (application: Application, wanted: Partial<CallAddresses>) =>
  differenceOf(application, wanted) === undefined;
