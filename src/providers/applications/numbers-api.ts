/**
 * What a number is attached to. An `other` is nothing that a number could be attached to again; `id` is all that is known of
 * it.
 */
export interface NumberLink {
  readonly kind: 'application' | 'trunk' | 'connection' | 'other';
  readonly id: string;
}

/** A number of an account, and what it is attached to. */
export interface AccountNumber {
  /** E.164. */
  readonly number: string;
  /** Undefined: calls go nowhere. */
  readonly link: NumberLink | undefined;
  /** False: it takes messages only. Undefined where the carrier does not say. */
  readonly takesCalls?: boolean | undefined;
}

/** An address and how it is asked. An empty address: there is none. */
export interface CallAddress {
  readonly url: string;
  /** `GET` or `POST`; empty where the carrier does not say. */
  readonly method: string;
}

export const ADDRESS_NAMES = ['answer', 'hangup', 'fallback'] as const;

/** Which of the addresses of an application. */
export type AddressName = (typeof ADDRESS_NAMES)[number];

/** The addresses of an application that calls have to do with. */
export type CallAddresses = Readonly<Record<AddressName, CallAddress>>;

/** What numbers are attached to, and which addresses it has. */
export interface Application {
  readonly id: string;
  readonly name: string;
  readonly addresses: CallAddresses;
}

/**
 * The numbers and applications of one account, at a carrier that keeps addresses in applications, and numbers attached to
 * them. Everything but creating does no harm when it is done twice, and is tried again as reads are.
 */
export interface NumbersApi {
  /** What the carrier calls the addresses, for people. */
  readonly addressNames: Readonly<Record<AddressName, string>>;
  /** In the order of their digits. */
  numbers(signal?: AbortSignal): Promise<readonly AccountNumber[]>;
  /** Undefined when the account does not have it. */
  number(number: string, signal?: AbortSignal): Promise<AccountNumber | undefined>;
  /** What a connection is, for people: `ip connection office`. Undefined, or missing, where the carrier says no more than its identifier. */
  titleOf?(id: string, signal?: AbortSignal): Promise<string | undefined>;
  /** @throws ProviderRequestError with a status that says it is of no use to try again when there is nothing under that identifier */
  attach(number: string, link: Pick<NumberLink, 'id'>, signal?: AbortSignal): Promise<void>;
  /** Attaches the number to nothing. Missing where only deleting what it is attached to does that. */
  detach?(number: string, signal?: AbortSignal): Promise<void>;
  /** All of the account. */
  applications(signal?: AbortSignal): Promise<readonly Application[]>;
  /** Those of exactly this name, oldest first. */
  applicationsNamed(name: string, signal?: AbortSignal): Promise<readonly Application[]>;
  /** Undefined when there is none. */
  application(id: string, signal?: AbortSignal): Promise<Application | undefined>;
  /**
   * The application of this name; created unless there is one, also when the answer to that was lost.
   * @param former what the number has, from which a new one takes over what calls could not be placed without
   */
  findOrCreate(
    name: string,
    addresses: CallAddresses,
    former: NumberLink | undefined,
    signal?: AbortSignal,
  ): Promise<Application>;
  /** What is missing in `change` stays as it is. */
  changeAddresses(
    id: string,
    change: Partial<CallAddresses>,
    signal?: AbortSignal,
  ): Promise<'changed' | 'no_such_application'>;
  /** Numbers attached to it are attached to nothing then. */
  deleteApplication(id: string, signal?: AbortSignal): Promise<void>;
  /** Closes its connections. */
  close(): Promise<void>;
}

export const isSameLink = (a: NumberLink | undefined, b: NumberLink | undefined): boolean =>
  a?.kind === b?.kind && a?.id === b?.id;

export const isSameAddress = (a: CallAddress, b: CallAddress): boolean =>
  a.url === b.url && (a.url === '' || a.method === b.method || a.method === '' || b.method === '');
