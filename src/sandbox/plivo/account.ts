import { ACCOUNT_NUMBERS } from '../network/numbers.js';
import type { HttpMethod } from '../network/webhook-target.js';

/** The settings of an application, under the carrier's names. An empty text means that an address is not set. @see carrier reference 1.5 */
export interface ApplicationSettings {
  app_name: string;
  answer_url: string;
  answer_method: HttpMethod;
  /** Empty: hang-up webhooks go to the answer URL. */
  hangup_url: string;
  hangup_method: HttpMethod;
  /** Asked for the document of a call when the answer URL fails. */
  fallback_answer_url: string;
  fallback_method: HttpMethod;
  // The others are kept and shown, and change nothing here.
  message_url: string;
  message_method: HttpMethod;
  default_number_app: boolean;
  default_endpoint_app: boolean;
  subaccount: string;
  log_incoming_messages: boolean;
  public_uri: boolean;
}

/** What the carrier does with calls to the numbers attached to it. */
export interface SandboxApplication {
  /** Digits. */
  readonly id: string;
  readonly settings: ApplicationSettings;
}

/** A rented number. */
export interface SandboxNumber {
  /** E.164. */
  readonly number: string;
  alias: string;
  /** Undefined: calls to the number go nowhere. */
  link: SandboxNumberLink | undefined;
}

export interface SandboxNumberLink {
  readonly kind: 'application' | 'trunk';
  readonly id: string;
}

/** The most applications that the account can have. */
export const MAX_APPLICATIONS = 100;
/** A SIP trunk that numbers can be attached to; calls to it are not answered. */
const TRUNK_ID = '20255502000000001';
const FIRST_APPLICATION_ID = 20255501000000001n;

const DEFAULT_SETTINGS: Omit<ApplicationSettings, 'app_name'> = {
  answer_url: '',
  answer_method: 'POST',
  hangup_url: '',
  hangup_method: 'POST',
  fallback_answer_url: '',
  fallback_method: 'POST',
  message_url: '',
  message_method: 'POST',
  default_number_app: false,
  default_endpoint_app: false,
  subaccount: '',
  log_incoming_messages: true,
  public_uri: false,
};

type FirstSettings = Partial<ApplicationSettings> & Pick<ApplicationSettings, 'app_name'>;

/** The applications and numbers of the account, kept in memory. The first application has the first number, the others have none. */
export class PlivoAccount {
  /** In the order of their digits. */
  readonly numbers: readonly SandboxNumber[];
  /** The application that is there from the start; it may have been deleted since. */
  readonly firstApplication: SandboxApplication;
  readonly #applications = new Map<string, SandboxApplication>();
  #nextId = FIRST_APPLICATION_ID;

  constructor(first: FirstSettings) {
    this.firstApplication = this.#add(first);
    this.numbers = ACCOUNT_NUMBERS.map((number) => ({ number, alias: 'sandbox', link: undefined }));
    this.firstNumber.link = { kind: 'application', id: this.firstApplication.id };
  }

  get firstNumber(): SandboxNumber {
    return this.numbers[0] as SandboxNumber;
  }

  /** Oldest first. */
  get applications(): readonly SandboxApplication[] {
    return [...this.#applications.values()];
  }

  application(id: string): SandboxApplication | undefined {
    return this.#applications.get(id);
  }

  /** @param number E.164 */
  number(number: string): SandboxNumber | undefined {
    return this.numbers.find((owned) => owned.number === number);
  }

  /** The application that calls to a number (E.164) go to. */
  applicationOf(number: string): SandboxApplication | undefined {
    const link = this.number(number)?.link;
    return link?.kind === 'application' ? this.application(link.id) : undefined;
  }

  /** Undefined when the account has as many as it can have. */
  create(settings: FirstSettings): SandboxApplication | undefined {
    return this.#applications.size < MAX_APPLICATIONS ? this.#add(settings) : undefined;
  }

  /** Numbers attached to it are attached to nothing then. @returns false when there is no such application */
  delete(id: string): boolean {
    if (!this.#applications.delete(id)) return false;
    for (const number of this.numbers) if (number.link?.id === id) number.link = undefined;
    return true;
  }

  /** What a number can be attached to under this identifier. */
  linkTo(id: string): SandboxNumberLink | undefined {
    if (this.#applications.has(id)) return { kind: 'application', id };
    return id === TRUNK_ID ? { kind: 'trunk', id } : undefined;
  }

  #add(settings: FirstSettings): SandboxApplication {
    const application = { id: String(this.#nextId), settings: { ...DEFAULT_SETTINGS, ...settings } };
    this.#nextId += 1n;
    this.#applications.set(application.id, application);
    return application;
  }
}
