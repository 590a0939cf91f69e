import { createTwilioNumberRouting } from '../../../src/providers/twilio/numbers.js';
import type { RoutedAccount, RoutedCarrier, RoutingCase } from '../broken-off-routing.js';
import { type ReceivedRequest, type Reply, ScriptedApi } from '../plivo/scripted-api.js';
import { routingTools } from '../routed-number.js';
import { ACCOUNT_SID, AUTH_TOKEN } from './api-account.js';

export const DESK = '+12025550100';
export const BARE = '+12025550101';
export const ON_APPLICATION = '+12025550102';
export const ON_TRUNK = '+12025550103';
export const FULL = '+12025550104';
export const APPLICATION_SID = 'AP0123456789abcdef0123456789abcdef';
export const TRUNK_SID = 'TK0123456789abcdef0123456789abcdef';
export const DESK_URL = 'http://127.0.0.1:1/front-desk?line=1&x=%20';
export const APPLICATION_URL = 'http://127.0.0.1:1/application';

type Resource = Record<string, unknown>;

const sidOf = (kind: string, at: number) => kind + String(at).padStart(32, '0');

/** As the carrier makes a number. */
function numberOf(at: number, set: Resource): Resource {
  return {
    sid: sidOf('PN', at),
    phone_number: `+12025550${100 + at}`,
    friendly_name: `line ${at}`,
    sms_url: 'https://desk.example.com/sms',
    sms_method: 'GET',
    sms_application_sid: null,
    voice_url: null,
    voice_method: 'POST',
    voice_fallback_url: null,
    voice_fallback_method: 'POST',
    voice_caller_id_lookup: false,
    status_callback: null,
    status_callback_method: 'POST',
    voice_application_sid: null,
    trunk_sid: null,
    ...set,
  };
}

/** What the carrier does with fields of a number: a trunk and an application exclude each other. */
function change(number: Resource, form: URLSearchParams): void {
  for (const [field, value] of form) {
    const name = field.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
    if (!(name in number)) throw new Error(`no field ${field}`);
    number[name] = value === '' ? null : value;
    if (value !== '' && name === 'trunk_sid') number.voice_application_sid = null;
    if (value !== '' && name === 'voice_application_sid') number.trunk_sid = null;
  }
}

/** An account of the carrier in memory, as far as its numbers go. */
export class NumbersAccount implements RoutedAccount {
  /** Of a page, where the request asks for more. */
  pageSize = 1_000;
  readonly numbers: Resource[];
  readonly applications: Resource[] = [
    { sid: APPLICATION_SID, friendly_name: 'front desk', voice_url: APPLICATION_URL, voice_method: 'GET' },
  ];

  private constructor(sets: readonly Resource[]) {
    this.numbers = sets.map((set, at) => numberOf(at, set));
  }

  /** @param sets what is set on each of its numbers, the first of which is +12025550100 */
  static async start(sets: readonly Resource[] = IN_USE): Promise<NumbersAccount> {
    const account = new NumbersAccount(sets);
    account.#api = await ScriptedApi.listen((request) => account.#reply(request));
    return account;
  }

  #api!: ScriptedApi;

  get requests(): readonly ReceivedRequest[] {
    return this.#api.requests;
  }

  get apiUrl(): string {
    return `${new URL(this.#api.url).origin}/2010-04-01`;
  }

  number(number: string): Resource {
    return this.numbers.find((one) => one.phone_number === number) as Resource;
  }

  async dump(): Promise<string> {
    return JSON.stringify([this.numbers, this.applications], undefined, 1);
  }

  #reply({ method, url, body }: ReceivedRequest): Reply {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    const [, kind, sid] = /^\/2010-04-01\/Accounts\/\w+\/(\w+)(?:\/(\w+))?\.json$/.exec(pathname) ?? [];
    const [name, all] =
      kind === 'Applications' ? ['applications', this.applications] : ['incoming_phone_numbers', this.numbers];
    if (!sid) return this.#page(name as string, all as Resource[], searchParams);
    const one = (all as Resource[]).find((resource) => resource.sid === sid);
    if (!one) return { status: 404, body: JSON.stringify({ code: 20404, message: 'not found', status: 404 }) };
    if (method === 'POST') change(one, new URLSearchParams(body));
    return { status: 200, body: JSON.stringify(one) };
  }

  #page(name: string, all: Resource[], query: URLSearchParams): Reply {
    const size = Math.min(this.pageSize, Number(query.get('PageSize')));
    const page = Number(query.get('Page') ?? 0);
    const isLast = (page + 1) * size >= all.length;
    const next = `/elsewhere.json?PageSize=${size}&Page=${page + 1}&PageToken=PA${page}`;
    const objects = all.slice(page * size, (page + 1) * size);
    return { status: 200, body: JSON.stringify({ [name]: objects, next_page_uri: isLast ? null : next }) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#api[Symbol.asyncDispose]();
  }
}

const IN_USE: readonly Resource[] = [
  { voice_url: DESK_URL, voice_method: 'GET' },
  {},
  { voice_application_sid: APPLICATION_SID, voice_url: 'http://127.0.0.1:1/overridden' },
  { trunk_sid: TRUNK_SID },
  {
    voice_url: 'http://127.0.0.1:1/voice',
    voice_fallback_url: 'http://127.0.0.1:1/fallback',
    voice_fallback_method: 'GET',
    status_callback: 'http://127.0.0.1:1/status',
    status_callback_method: 'GET',
  },
];

export const tools = routingTools((apiUrl) =>
  createTwilioNumberRouting(
    { authId: ACCOUNT_SID, authToken: AUTH_TOKEN, apiUrl },
    { repeats: { firstWaitMs: 1 }, timeoutMs: 5_000 },
  ),
);

/** Every kind of number. */
export const CASES: RoutingCase[] = [
  ['a number with an address', DESK],
  ['a number without anything', BARE],
  ['a number with an application', ON_APPLICATION],
  ['a number on a trunk', ON_TRUNK],
  ['a number with every address', FULL],
];

export const twilioRouting: RoutedCarrier = {
  tools,
  startAccount: () => NumbersAccount.start(),
  // All that is set of a number is set at once.
  writesOf: () => ({ apply: 2, undo: 1 }),
};
