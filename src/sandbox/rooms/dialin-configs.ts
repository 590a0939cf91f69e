import { randomBytes, randomUUID } from 'node:crypto';
import type { SandboxDialin } from './contract.js';
import { invalidRequest, notFound } from './refusals.js';

/** The dial-in settings of a number, or of a static SIP address alone, in the provider's spelling. */
export interface DialinFields {
  readonly phone_number?: string | undefined;
  readonly room_creation_api: string;
  readonly name_prefix?: string | undefined;
  /** base64 */
  readonly hmac?: string | undefined;
  readonly hold_music_url?: string | undefined;
  readonly timeout_config?: { readonly message: string } | undefined;
}

export type DialinChange = { readonly [Name in keyof DialinFields]?: DialinFields[Name] | undefined };

/** Dial-in settings as the REST API shows them. */
export interface DialinEntry extends DialinFields {
  readonly hmac: string;
  readonly sip_uri: string;
}

/** An entry that requests change alone, by its id. */
export interface DialinRecord {
  readonly id: string;
  readonly type: 'pinless_dialin';
  readonly config: DialinEntry;
}

const SECRET_BYTES = 32;

/**
 * Where calls to the account's numbers go. There are two stores: the legacy array, which is replaced as a whole, and the
 * entries that are changed one by one. A number is in one entry of both only.
 * @see rooms reference 3
 */
export class DialinConfigs {
  #legacy: readonly DialinEntry[] = [];
  readonly #records = new Map<string, DialinRecord>();
  #addresses = 0;

  /** @param sipHost where the static addresses are */
  constructor(
    private readonly numbers: readonly string[],
    private readonly sipHost: string,
  ) {}

  get legacy(): readonly DialinEntry[] {
    return this.#legacy;
  }

  /** Newest first. */
  get records(): readonly DialinRecord[] {
    return [...this.#records.values()].reverse();
  }

  /**
   * Replaces the legacy array, which wins over the entries that are changed one by one: a number that it names has no such entry
   * any more. An entry without a secret gets a new one; an entry for the same number, or with the same secret, as one before keeps
   * that one's address.
   * @throws RoomRefusal
   */
  replaceLegacy(entries: readonly DialinFields[]): void {
    const numbers = entries.map((entry) => entry.phone_number);
    for (const [index, number] of numbers.entries()) this.#check(number, numbers.indexOf(number) < index);
    const replaced = this.records.filter(({ config: { phone_number: number } }) => number && numbers.includes(number));
    for (const { id } of replaced) this.#records.delete(id);
    const before = [...this.#legacy, ...replaced.map(({ config }) => config)];
    this.#legacy = entries.map((entry) => {
      const same = before.findIndex(({ phone_number: number, hmac }) =>
        number || entry.phone_number ? number === entry.phone_number : hmac === entry.hmac,
      );
      const [old] = same < 0 ? [] : before.splice(same, 1);
      return this.#complete(entry, old?.sip_uri);
    });
  }

  /** @throws RoomRefusal */
  create(fields: DialinFields): DialinRecord {
    this.#check(fields.phone_number, this.#isTaken(fields.phone_number));
    const record: DialinRecord = { id: randomUUID(), type: 'pinless_dialin', config: this.#complete(fields) };
    this.#records.set(record.id, record);
    return record;
  }

  /** @throws RoomRefusal */
  get(id: string): DialinRecord {
    const record = this.#records.get(id);
    if (!record) throw notFound(`there is no dial-in config ${id}`);
    return record;
  }

  /** Changes the fields that are given. @throws RoomRefusal */
  update(id: string, change: DialinChange): DialinRecord {
    const { config, ...record } = this.get(id);
    const { phone_number: number } = change;
    this.#check(number, number !== config.phone_number && this.#isTaken(number));
    const changed: DialinRecord = { ...record, config: { ...config, ...(change as Partial<DialinEntry>) } };
    this.#records.set(id, changed);
    return changed;
  }

  /** @throws RoomRefusal */
  delete(id: string): void {
    this.get(id);
    this.#records.delete(id);
  }

  find(phoneNumber: string): SandboxDialin | undefined {
    const entry = this.#entries().find((entry) => entry.phone_number === phoneNumber);
    return entry && dialinConfig(entry);
  }

  #entries(): DialinEntry[] {
    return [...this.#legacy, ...this.records.map(({ config }) => config)];
  }

  #isTaken(number: string | undefined): boolean {
    return this.#entries().some((entry) => entry.phone_number === number);
  }

  #check(number: string | undefined, isTaken: boolean): void {
    if (number === undefined) return;
    if (!this.numbers.includes(number)) throw invalidRequest(`phone_number ${number} is not a number of this domain`);
    if (isTaken) throw invalidRequest(`phone_number ${number} is in another dial-in config already`);
  }

  #complete(fields: DialinFields, sipUri = this.#newAddress()): DialinEntry {
    return { ...fields, hmac: fields.hmac ?? randomBytes(SECRET_BYTES).toString('base64'), sip_uri: sipUri };
  }

  #newAddress(): string {
    const address = `static-address--${this.#addresses}@${this.sipHost}`;
    this.#addresses += 1;
    return address;
  }
}

/** An entry as the calls need it. */
export function dialinConfig(entry: DialinEntry): SandboxDialin {
  return {
    phoneNumber: entry.phone_number,
    webhookUrl: entry.room_creation_api,
    hmac: entry.hmac,
    timeoutMessage: entry.timeout_config?.message,
    sipUri: entry.sip_uri,
  };
}
