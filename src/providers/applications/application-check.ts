import {
  ADDRESS_NAMES,
  type AddressName,
  type Application,
  type CallAddress,
  type CallAddresses,
  isSameAddress,
  type NumbersApi,
} from './numbers-api.js';

/** The first address that is another than wanted, for people; undefined when all are as they should be. */
export function differenceOf(
  { addressNames }: Pick<NumbersApi, 'addressNames'>,
  { name, addresses }: Application,
  wanted: Partial<CallAddresses>,
): string | undefined {
  const kind = differing(addresses, wanted);
  if (kind === undefined) return undefined;
  return `the ${addressNames[kind]} of application ${name} is ${told(addresses[kind])} and not ${told(wanted[kind])}`;
}

export const isAsWanted = ({ addresses }: Application, wanted: Partial<CallAddresses>): boolean =>
  differing(addresses, wanted) === undefined;

function differing(addresses: CallAddresses, wanted: Partial<CallAddresses>): AddressName | undefined {
  return ADDRESS_NAMES.find((kind) => wanted[kind] && !isSameAddress(addresses[kind], wanted[kind]));
}

const told = ({ url, method }: CallAddress = { url: '', method: '' }) => `${method} ${url || 'empty'}`.trimStart();
