import { json, type ReceivedRequest, type Reply, refusal } from './fake-provider.js';

type Entry = Record<string, unknown>;
export interface Config {
  id: string;
  type: string;
  config: Entry;
}

/** The dial-in settings of an account, as the provider keeps them: the array of the domain, and entries of their own. */
export class FakeDomain {
  readonly configs: Config[] = [];
  /** Called before each request is answered; what it returns is the answer instead. */
  before: (request: ReceivedRequest) => Reply | undefined = () => undefined;
  #minted = 0;

  /** @param entries as they are stored: without `sip_uri`, which is told in addition */
  constructor(public entries: Entry[] = []) {}

  readonly reply = (request: ReceivedRequest): Reply => {
    const { method, url, body } = request;
    const { pathname, searchParams } = new URL(url.replace('/v1', ''), 'http://a.dev');
    const fields: Entry = body ? JSON.parse(body) : {};
    const instead = this.before(request);
    if (instead) return instead;
    if (pathname === '/') {
      if (method === 'POST') this.#replace((fields.properties as { pinless_dialin: Entry[] }).pinless_dialin);
      return json({ domain_name: 'acme', domain_id: 'd-1', config: { hipaa: false, pinless_dialin: this.#told() } });
    }
    const id = pathname.split('/')[2];
    if (method === 'POST') return json(this.#create(fields));
    if (id === undefined) {
      const after = searchParams.get('starting_after');
      const from = after ? this.configs.findIndex((config) => config.id === after) + 1 : 0;
      const data = this.configs.slice(from, from + Number(searchParams.get('limit')));
      return json({ total_count: this.configs.length, data });
    }
    const at = this.configs.findIndex((config) => config.id === id);
    const found = this.configs[at];
    if (!found) return refusal(404, 'no such config', 'not-found');
    if (method === 'DELETE') this.configs.splice(at, 1);
    if (method === 'PUT') Object.assign(found.config, fields);
    return json(method === 'DELETE' ? { status: 'deleted' } : found);
  };

  /** As the provider does: what comes without a secret gets a new one. */
  #replace(entries: Entry[]): void {
    if (entries.some((entry) => 'sip_uri' in entry)) throw new Error('sip_uri cannot be set');
    this.entries = entries.map((entry) => ('hmac' in entry ? entry : { ...entry, hmac: `minted-${this.#mint()}` }));
  }

  #told(): Entry[] {
    return this.entries.map((entry, at) => ({ sip_uri: `static-address--${at}@acme.sip.daily.co`, ...entry }));
  }

  #create({ type, ...config }: Entry): Config {
    const created = { id: `new-${this.#mint()}`, type: String(type), config };
    this.configs.unshift(created);
    return created;
  }

  #mint(): number {
    this.#minted += 1;
    return this.#minted;
  }
}
