import { randomUUID } from 'node:crypto';
import type { Logger } from '../../base/logger.js';
import { isSameSecret } from '../../base/secret.js';
import { ACCOUNT_NUMBERS } from '../network/numbers.js';
import type { RoomAccount, RoomRecord, SandboxDialin, TokenClaims } from './contract.js';
import { DialinConfigs } from './dialin-configs.js';
import { permissionsOfClaims } from './permission-claims.js';
import { RateLimits } from './rate-limits.js';
import { readSignedToken, type SignedClaims, signToken } from './room-token.js';
import { Rooms } from './rooms.js';

const DOMAIN_NAME = 'sandbox';
const SIP_HOST = `${DOMAIN_NAME}.sip.localhost`;

export interface SandboxRoomAccountOptions {
  /** The key that clients authenticate with, and that signs tokens. */
  readonly apiKey: string;
  /** Where the server is, such as `http://127.0.0.1:5060`; asked whenever a room is created. */
  readonly baseUrl: () => string;
  readonly logger: Logger;
  /** Milliseconds since the epoch. Default Date.now. */
  readonly now?: () => number;
  readonly rateLimits?: RateLimits | undefined;
  /** Whether its plan has transcription. Default true. */
  readonly hasTranscription?: boolean | undefined;
}

/** The one account at the sandbox's room provider. Everything is kept in memory. */
export class SandboxRoomAccount implements RoomAccount {
  readonly domainName = DOMAIN_NAME;
  readonly domainId: string = randomUUID();
  readonly numbers = ACCOUNT_NUMBERS.map((number) => ({ id: idOf(number), number }));
  readonly dialin = new DialinConfigs(ACCOUNT_NUMBERS, SIP_HOST);
  readonly rooms: Rooms;
  readonly rateLimits: RateLimits;
  readonly hasTranscription: boolean;
  readonly logger: Logger;
  readonly now: () => number;
  /** When the account, and all its numbers, were bought. */
  readonly createdAt: Date;
  readonly #apiKey: string;

  constructor(options: SandboxRoomAccountOptions) {
    const { apiKey, baseUrl, logger, now = Date.now, rateLimits = new RateLimits(), hasTranscription = true } = options;
    this.hasTranscription = hasTranscription;
    this.#apiKey = apiKey;
    this.logger = logger;
    this.now = now;
    this.createdAt = new Date(now());
    this.rateLimits = rateLimits;
    this.rooms = new Rooms({ urlOf: (name) => `${baseUrl()}/${name}`, domainName: DOMAIN_NAME, now });
  }

  isKey(given: string): boolean {
    return isSameSecret(given, this.#apiKey);
  }

  room(name: string): RoomRecord | undefined {
    return this.rooms.get(name);
  }

  roomAt(sipUri: string): RoomRecord | undefined {
    const [address = ''] = sipUri.replace(/^sip:/i, '').split(/[?;]/, 1);
    return this.rooms.at(address);
  }

  createToken(claims: Omit<SignedClaims, 'd' | 'iat'>): string {
    return signToken({ ...claims, d: this.domainId, iat: Math.floor(this.now() / 1_000) }, this.#apiKey);
  }

  /** As {@link readToken}, with all that the token says. */
  claimsOf(token: string): SignedClaims | undefined {
    const claims = readSignedToken(token, this.#apiKey);
    return claims?.d === this.domainId ? claims : undefined;
  }

  readToken(token: string): TokenClaims | undefined {
    const claims = this.claimsOf(token);
    if (!claims) return undefined;
    return {
      roomName: claims.r,
      isOwner: claims.o ?? false,
      permissions: permissionsOfClaims(claims.p),
      userName: claims.u,
      userId: claims.ud,
      exp: claims.exp,
      nbf: claims.nbf,
      ejectsAtExp: claims.ejt ?? false,
    };
  }

  dialinOf(phoneNumber: string): SandboxDialin | undefined {
    return this.dialin.find(phoneNumber);
  }
}

/** The same identifier at every start, so that users can write it into their settings. */
function idOf(number: string): string {
  return `00000000-0000-4000-8000-${number.slice(1).padStart(12, '0')}`;
}
