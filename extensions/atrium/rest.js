import { isFields, ProviderRequestError, unlessNotFound } from 'voicebot/provider';
import { checked, openApi, unreadable } from './api.js';

/** Longest wait for the answer to each try of what a caller waits for, in milliseconds. */
const CALLER_WAITS_MS = 4_000;

/** @typedef {import('voicebot/provider').RoomsRestClient} RoomsRestClient */

/** @implements {RoomsRestClient} */
export class AtriumClient {
  /** @type {import('voicebot/provider').RestClient} */
  #api;

  /**
   * @param {import('voicebot/provider').RoomsCredentials} credentials
   * @param {import('voicebot/provider').RestOptions} [options]
   */
  constructor(credentials, options) {
    this.#api = openApi(credentials, options);
  }

  /** @type {import('voicebot/provider').RoomsRestClient['createRoom']} */
  async createRoom({ name, expiresAt, dialin, allowsDialout, idleSeconds }, signal) {
    const fields = {
      name: checked(name, "room's name"),
      until: new Date(expiresAt * 1_000).toISOString(),
      line: dialin ? { shows: dialin.displayName } : null,
      dials: allowsDialout,
      alone: idleSeconds,
    };
    const { link, dials } = await this.#makeSpace(name, fields, signal);
    if (typeof link !== 'string' || !URL.canParse(link)) throw unreadable('creating the room', 'a room');
    return { name, url: link, allowsDialout: dials === true };
  }

  /** @type {import('voicebot/provider').RoomsRestClient['deleteRoom']} */
  async deleteRoom(name, signal) {
    const path = `/spaces/${checked(name, "room's name")}`;
    return doneOrGone(
      this.#api.request('deleting the room', { method: 'DELETE', path }, signal),
      'deleted',
      'no_such_room',
    );
  }

  /** @type {import('voicebot/provider').RoomsRestClient['isOccupied']} */
  async isOccupied(name, signal) {
    const space = await this.#space(name, signal);
    if (!space) return false;
    if (typeof space.people !== 'number') throw unreadable('looking into the room', 'a number of people');
    return space.people > 0;
  }

  /** @type {import('voicebot/provider').RoomsRestClient['sipEndpoints']} */
  async sipEndpoints(name, signal) {
    const lines = (await this.#space(name, signal))?.lines;
    return Array.isArray(lines) ? lines.map(String) : [];
  }

  /** @type {import('voicebot/provider').RoomsRestClient['stopDialout']} */
  async stopDialout(name, sessionId, signal) {
    const path = `/spaces/${checked(name, "room's name")}/calls/${checked(sessionId, 'session id')}/hangup`;
    return doneOrGone(this.#post('hanging up a call out of the room', path, {}, signal), 'stopped', 'no_such_leg');
  }

  /** @type {import('voicebot/provider').RoomsRestClient['eject']} */
  async eject(name, userId, signal) {
    const what = 'removing a participant';
    const path = `/spaces/${checked(name, "room's name")}/people/remove`;
    const answer = await unlessNotFound(this.#post(what, path, { person: userId }, signal));
    if (!answer) return undefined;
    if (!Array.isArray(answer.removed)) throw unreadable(what, 'a list');
    return answer.removed.map(String);
  }

  /** @type {import('voicebot/provider').RoomsRestClient['createToken']} */
  async createToken({ roomName, isOwner, expiresAt, userId }, signal) {
    const space = checked(roomName, "room's name");
    const until = new Date(expiresAt * 1_000).toISOString();
    const { pass } = await this.#post(
      'creating the token',
      '/passes',
      { space, host: isOwner, until, person: userId },
      signal,
    );
    if (typeof pass !== 'string' || pass === '') throw unreadable('creating the token', 'a pass');
    return pass;
  }

  /** @type {import('voicebot/provider').RoomsRestClient['forwardCaller']} */
  async forwardCaller({ providerCallId, callDomain, sipUri }, signal) {
    const path = `/held/${checked(providerCallId, 'identifier of the call')}/connect`;
    const line = sipUri.startsWith('sip:') ? sipUri : `sip:${sipUri}`;
    const connecting = this.#post('forwarding the caller', path, { lobby: callDomain, line }, signal);
    return doneOrGone(connecting, 'forwarded', 'no_such_call');
  }

  /** @type {import('voicebot/provider').RoomsRestClient['dialinSecrets']} */
  async dialinSecrets(signal) {
    const { listNumbers } = await import('./numbers.js');
    const numbers = await listNumbers(this.#api, signal);
    return numbers.flatMap(({ webhook }) =>
      webhook?.secret ? { webhookUrl: webhook.url, secret: webhook.secret } : [],
    );
  }

  close() {
    return this.#api.close();
  }

  /**
   * Undefined when there is none.
   * @param {string} name
   * @param {AbortSignal} [signal]
   */
  async #space(name, signal) {
    const path = `/spaces/${checked(name, "room's name")}`;
    const what = 'looking into the room';
    const found = await unlessNotFound(this.#api.request(what, { method: 'GET', path }, signal));
    if (!found) return undefined;
    const space = found.fields?.space;
    if (!isFields(space)) throw unreadable(what, 'a room');
    return space;
  }

  /**
   * The name is ours: when it is taken after a try that may have been carried out, that try made the room.
   * @param {string} name
   * @param {object} fields
   * @param {AbortSignal} [signal]
   * @returns {Promise<import('voicebot/provider').JsonFields>}
   */
  async #makeSpace(name, fields, signal) {
    try {
      const { space } = await this.#post('creating the room', '/spaces', fields, signal);
      return isFields(space) ? space : {};
    } catch (error) {
      const isTaken = error instanceof ProviderRequestError && error.mayBeDone && /exists/.test(error.text);
      const made = isTaken ? await this.#space(name, signal) : undefined;
      if (!made) throw error;
      return made;
    }
  }

  /**
   * What a caller waits for. It does no harm when it is done twice.
   * @param {string} what
   * @param {string} path
   * @param {object} fields
   * @param {AbortSignal} [signal]
   * @returns {Promise<import('voicebot/provider').JsonFields>}
   */
  async #post(what, path, fields, signal) {
    const request = /** @type {const} */ ({
      method: 'POST',
      path,
      fields,
      repeat: 'always',
      timeoutMs: CALLER_WAITS_MS,
    });
    return (await this.#api.request(what, request, signal)).fields ?? {};
  }
}

/**
 * Gone after a try that may have been carried out is done.
 * @template Done, Gone
 * @param {Promise<unknown>} request
 * @param {Done} done
 * @param {Gone} gone
 * @returns {Promise<Done | Gone>}
 */
async function doneOrGone(request, done, gone) {
  try {
    await request;
    return done;
  } catch (error) {
    if (error instanceof ProviderRequestError && error.status === 404) return error.mayBeDone ? done : gone;
    throw error;
  }
}
