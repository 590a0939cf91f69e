import { isDeepStrictEqual } from 'node:util';
import { isFields, type JsonFields, textOf } from '../../base/http/json-fields.js';
import { ProviderRequestError } from '../../base/http/provider-request-error.js';
import type { RestClient } from '../../base/http/rest-client.js';
import { unreadable } from './api.js';
import { type DialinSettings, isEntryOf, type NumberSettings, wireSettings } from './dialin-settings.js';

const CHANGING = 'changing the dial-in settings of the domain';

/** The dial-in settings that a domain keeps in one array, which the provider only takes as a whole. */
export class LegacyDialin {
  readonly #api: RestClient;
  /** The change that is under way: two at once would undo each other. */
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(api: RestClient) {
    this.#api = api;
  }

  /** @returns the domain, and the array in it */
  async read(signal?: AbortSignal): Promise<{ fields: JsonFields; entries: readonly JsonFields[] }> {
    const what = 'reading the domain';
    const { fields = {} } = await this.#api.request(what, { method: 'GET', path: '/' }, signal);
    // Written back later: what cannot be read must not count as empty.
    if (!isFields(fields.config)) throw unreadable(what, 'its settings');
    const { pinless_dialin: entries = [] } = fields.config;
    if (!Array.isArray(entries) || !entries.every(isFields)) throw unreadable(what, 'a list of dial-in settings');
    return { fields, entries };
  }

  /** Changes or adds a number, as {@link LegacyDialin.#set} does. */
  change(change: NumberSettings, signal?: AbortSignal): Promise<void> {
    return this.#set(change.phoneNumber, change, signal);
  }

  /** Takes a number out of the array, as {@link LegacyDialin.#set} does. */
  remove(phoneNumber: string, signal?: AbortSignal): Promise<void> {
    return this.#set(phoneNumber, undefined, signal);
  }

  /**
   * Changes, adds or takes out a number, and sends every other entry back as it was; afterwards reads the array again and compares.
   * Another program that changes it at the same moment may undo our change, or have had its own undone: where that shows it is
   * an error, and nothing is tried again.
   * @throws ProviderRequestError also when another entry does not show its secret, which would be replaced
   * @param change undefined takes it out
   * @see rooms reference 3.1
   */
  #set(phoneNumber: string, change: DialinSettings | undefined, signal?: AbortSignal): Promise<void> {
    const changed = this.#underWay.then(async () => {
      const sent = await this.#write(phoneNumber, change, signal);
      const { entries } = await this.read(signal);
      const difference = whatDiffers(entries, sent, phoneNumber);
      if (difference) {
        throw new ProviderRequestError('VB_ROOMS_REQUEST_FAILED', `${CHANGING}: afterwards ${difference}`, {
          hint: 'see whether another person or program changes the dial-in settings of this domain, and what they are now',
          mayBeDone: true,
        });
      }
    });
    this.#underWay = changed.catch(() => {});
    return changed;
  }

  /** Begins with what is there each time, also when the provider was busy: while we wait it may change. */
  async #write(
    phoneNumber: string,
    change: DialinSettings | undefined,
    signal?: AbortSignal,
  ): Promise<readonly JsonFields[]> {
    const repeats = this.#api.repeats();
    for (;;) {
      const { entries } = await this.read(signal);
      const hasSecret = (entry: JsonFields) => isEntryOf(phoneNumber)(entry) || textOf(entry.hmac);
      if (!entries.every(hasSecret)) {
        throw new ProviderRequestError(
          'VB_ROOMS_REQUEST_FAILED',
          `${CHANGING} would replace the secret of another entry, which the provider does not show`,
          { hint: "give the number dial-in settings of its own in the provider's dashboard" },
        );
      }
      const sent = changeEntries(entries, phoneNumber, change);
      const fields = { properties: { pinless_dialin: sent } };
      try {
        await this.#api.request(CHANGING, { method: 'POST', path: '/', fields, repeat: 'never' }, signal);
        return sent;
      } catch (error) {
        const isBusy = error instanceof ProviderRequestError && error.status === 429;
        if (!isBusy || !(await repeats.next(error.retryAfterMs, signal))) throw error;
      }
    }
  }
}

/**
 * The legacy array as it is sent back: the entry of the number changed, added as the last one, or left out, and every other entry
 * exactly as it was, its secret included. Only `sip_uri`, which cannot be set, is left out.
 * @see rooms reference 3.1
 */
function changeEntries(
  entries: readonly JsonFields[],
  phoneNumber: string,
  change: DialinSettings | undefined,
): JsonFields[] {
  const isOurs = isEntryOf(phoneNumber);
  if (!change) return entries.filter((entry) => !isOurs(entry)).map(withoutSipUri);
  const fields = wireSettings(change);
  const sent = entries.map((entry) => ({ ...withoutSipUri(entry), ...(isOurs(entry) && fields) }));
  return entries.some(isOurs) ? sent : [...sent, fields];
}

/** What of a change has not become so, for people; undefined when all has. */
function whatDiffers(
  stored: readonly JsonFields[],
  sent: readonly JsonFields[],
  phoneNumber: string,
): string | undefined {
  const isOurs = isEntryOf(phoneNumber);
  const others = (entries: readonly JsonFields[]) => entries.map((entry) => !isOurs(entry) && withoutSipUri(entry));
  const isToStay = sent.some(isOurs);
  if (!isToStay && stored.some(isOurs)) return 'the settings of the number are still there';
  if (!isDeepStrictEqual(others(stored), others(sent))) return 'the settings of other numbers are not what they were';
  const ours = stored.find(isOurs) ?? {};
  const wanted = sent.find(isOurs) ?? {};
  const isSet = Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(ours[name], value));
  return isSet ? undefined : 'the settings of the number are not what was asked for';
}

function withoutSipUri({ sip_uri: _, ...entry }: JsonFields): JsonFields {
  return entry;
}
