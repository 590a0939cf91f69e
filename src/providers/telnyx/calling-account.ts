import { VoicebotError } from '../../base/errors.js';
import type { RestClient } from '../../base/http/rest-client.js';
import type { AccountNames } from '../account-names.js';
import { findNumber, readObject } from './api.js';
import { isTelnyxIdentifier } from './identifier.js';

/** What a request about calls must name besides the call, none of which is among the credentials. Each is asked for once. */
export class CallingAccount {
  #accountId: Promise<string> | undefined;
  readonly #applicationIds = new Map<string, Promise<string>>();

  constructor(
    private readonly api: RestClient,
    private readonly names: AccountNames,
  ) {}

  /** The account's name in the paths of TeXML, which is the organization of the key. */
  accountId(signal?: AbortSignal): Promise<string> {
    this.#accountId ??= this.#readAccountId(signal).catch((error: unknown) => {
      this.#accountId = undefined;
      throw error;
    });
    return this.#accountId;
  }

  /**
   * The TeXML application that a number has: calls from the number are placed by it.
   * @throws VoicebotError VB_CARRIER_REQUEST_FAILED when it has none
   */
  applicationOf(number: string, signal?: AbortSignal): Promise<string> {
    const found = this.#applicationIds.get(number) ?? this.#readApplicationOf(number, signal);
    this.#applicationIds.set(number, found);
    found.catch(() => this.forgetApplicationOf(number));
    return found;
  }

  /** The number may have another one by now. */
  forgetApplicationOf(number: string): void {
    this.#applicationIds.delete(number);
  }

  async #readAccountId(signal?: AbortSignal): Promise<string> {
    const what = 'asking whose the API key is';
    const id = (await readObject(this.api, what, 'whoami', signal))?.organization_id;
    if (isTelnyxIdentifier(id)) return id;
    throw this.api.failure(`${what} got an answer without the organization`);
  }

  async #readApplicationOf(number: string, signal?: AbortSignal): Promise<string> {
    const owned = await findNumber(this.api, number, signal);
    const id = owned?.connection_id;
    const path = isTelnyxIdentifier(id) && `texml_applications/${id}`;
    const application = path && (await readObject(this.api, 'reading the TeXML application', path, signal));
    if (application && isTelnyxIdentifier(id)) return id;
    const why = !owned ? 'is not a number of this account' : 'has no TeXML application to place calls by';
    throw new VoicebotError('VB_CARRIER_REQUEST_FAILED', `${number} ${why}`, {
      hint: !owned
        ? `set ${this.names.phoneNumber} to a number of this account: portal.telnyx.com, Numbers, My Numbers`
        : 'run voicebot configure-number, or give the number a TeXML application: portal.telnyx.com, Numbers, My Numbers',
    });
  }
}
