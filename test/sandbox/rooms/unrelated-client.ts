// biome-ignore lint/suspicious/noExplicitAny: answers are checked by the tests that read them
type Json = any;

/** What the provider has refused. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly error: unknown,
    readonly info: unknown,
  ) {
    super(`${status} ${error}: ${info}`);
  }
}

/**
 * A client of the room provider as somebody else would write it: from the provider's documentation alone, with nothing of
 * this project. Rooms are named by their address, whose path is the name.
 */
export class UnrelatedClient {
  constructor(
    private readonly apiUrl: string,
    private readonly apiKey: string,
  ) {}

  readonly domain = () => this.#ask('GET', '/');
  readonly setDomain = (properties: object) => this.#ask('POST', '/', { properties });

  readonly dialinConfigs = (query = '') => this.#ask('GET', `/domain-dialin-config${query}`);
  readonly createDialinConfig = (config: object) => this.#ask('POST', '/domain-dialin-config', config);
  readonly dialinConfig = (id: string) => this.#ask('GET', `/domain-dialin-config/${id}`);
  readonly updateDialinConfig = (id: string, change: object) => this.#ask('PUT', `/domain-dialin-config/${id}`, change);
  readonly deleteDialinConfig = (id: string) => this.#ask('DELETE', `/domain-dialin-config/${id}`);

  readonly availableNumbers = () => this.#ask('GET', '/list-available-numbers?areacode=202');
  readonly buyNumber = (number: string) => this.#ask('POST', '/buy-phone-number', { number });
  readonly purchasedNumbers = () => this.#ask('GET', '/purchased-phone-numbers');
  readonly releaseNumber = (id: string) => this.#ask('DELETE', `/release-phone-number/${id}`);

  readonly rooms = () => this.#ask('GET', '/rooms');
  readonly createRoom = (room: object) => this.#ask('POST', '/rooms', room);
  readonly room = (url: string) => this.#ask('GET', `/rooms/${nameOf(url)}`);
  readonly updateRoom = (url: string, change: object) => this.#ask('POST', `/rooms/${nameOf(url)}`, change);
  /** A room that has gone is as good as one that was deleted. */
  readonly deleteRoom = async (url: string): Promise<Json> => {
    try {
      return await this.#ask('DELETE', `/rooms/${nameOf(url)}`);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return { deleted: true };
      throw error;
    }
  };
  readonly presence = () => this.#ask('GET', '/presence');
  readonly roomPresence = (url: string, query = '') => this.#ask('GET', `/rooms/${nameOf(url)}/presence${query}`);
  readonly eject = (url: string, who: object) => this.#ask('POST', `/rooms/${nameOf(url)}/eject`, who);

  readonly token = (url: string, properties: object = {}) =>
    this.#ask('POST', '/meeting-tokens', { properties: { room_name: nameOf(url), ...properties } });
  readonly examineToken = (token: string) => this.#ask('GET', `/meeting-tokens/${token}`);

  readonly forward = (call: object) => this.#ask('POST', '/dialin/pinlessCallUpdate', call);
  readonly startDialOut = (url: string, target: object) => this.#inRoom(url, 'dialOut/start', target);
  readonly stopDialOut = (url: string, leg: object) => this.#inRoom(url, 'dialOut/stop', leg);
  readonly sendDtmf = (url: string, keys: object) => this.#inRoom(url, 'dialOut/sendDTMF', keys);
  readonly sipCallTransfer = (url: string, transfer: object) => this.#inRoom(url, 'sipCallTransfer', transfer);
  readonly sipRefer = (url: string, transfer: object) => this.#inRoom(url, 'sipRefer', transfer);

  #inRoom(url: string, what: string, body: object): Promise<Json> {
    return this.#ask('POST', `/rooms/${nameOf(url)}/${what}`, body);
  }

  async #ask(method: string, path: string, body?: object): Promise<Json> {
    const response = await fetch(`${this.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Json;
    if (response.status !== 200) throw new Refused(response.status, answer.error, answer.info);
    return answer;
  }
}

/** As others take it: the path of the address without its first slash. */
const nameOf = (url: string): string => new URL(url).pathname.slice(1);
