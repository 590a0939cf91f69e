import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { isSameSecret } from '../../base/secret.js';
import type { RedisLink, RedisScript } from '../redis/redis-link.js';

/** How long passes are signed with one key, in milliseconds. */
const KEY_LIFE_MS = 24 * 60 * 60 * 1_000;
/** From when on a new key signs, in milliseconds after it was made: by then every runner has it. */
const KEY_REST_MS = 10_000;
/** Keys that still verify: what was signed with an older one has expired. */
const MAX_KEYS = 3;
/** 132 bits: addresses are short. */
const SIGNATURE_LENGTH = 22;
/** How often the keys are looked at, in milliseconds. */
const LOOK_MS = 2_000;

const Secrets = z.object({
  version: z.literal(1),
  /** When the first runner of the cluster made them; missing in what an earlier version has written. */
  madeAt: z.number().default(0),
  /** The newest first; times are milliseconds since the Unix epoch, of Redis. */
  keys: z.array(z.object({ id: z.string(), secret: z.string(), madeAt: z.number() })).min(1),
  /** Signs the room provider's webhooks, base64. It never changes: the provider was given it. */
  webhookSecret: z.string(),
  /** What programs show to the runners. */
  token: z.string(),
});

type Secrets = z.infer<typeof Secrets>;

/** Keeps what is there, unless that is `ARGV[2]`: then `ARGV[1]` takes its place. Answers what is there now, and the time. */
const KEEP: RedisScript = `
    local found = redis.call('GET', KEYS[1])
    if not found or found == ARGV[2] then
      redis.call('SET', KEYS[1], ARGV[1])
      found = ARGV[1]
    end
    local time = redis.call('TIME')
    return { found, time[1] * 1000 + math.floor(time[2] / 1000) }`;

/**
 * What all runners of a cluster know and no other program: the keys that sign passes and what runners say to each other, made by the
 * first runner and replaced every day, the secret of the room provider's webhooks, and the token for programs. Redis holds them in
 * plain text; runners keep them while it is away, and give them back to one that has forgotten them.
 */
export class SharedSecrets {
  #text: string;
  #secrets: Secrets;
  /** They have been those of the cluster. */
  #areKept = false;
  /** How far Redis's clock is ahead of this machine's, in milliseconds. */
  #ahead = 0;
  readonly #looking: NodeJS.Timeout;

  /** @throws VoicebotError VB_CLUSTER_UNREACHABLE */
  static async open(redis: RedisLink): Promise<SharedSecrets> {
    const made = newSecrets(Date.now());
    const opened = new SharedSecrets(redis, made);
    await opened.#look();
    return opened;
  }

  private constructor(
    private readonly redis: RedisLink,
    made: Secrets,
  ) {
    this.#secrets = made;
    this.#text = JSON.stringify(made);
    this.#looking = setInterval(() => void this.#look().catch(() => {}), LOOK_MS).unref();
    redis.on('up', () => void this.#look().catch(() => {}));
  }

  get webhookSecret(): string {
    return this.#secrets.webhookSecret;
  }

  get token(): string {
    return this.#secrets.token;
  }

  /** @returns the signature with the identifier of its key before it */
  sign(text: string): string {
    const now = Date.now() + this.#ahead;
    const { keys } = this.#secrets;
    const key = keys.find(({ madeAt }) => madeAt + KEY_REST_MS <= now) ?? (keys.at(-1) as Secrets['keys'][number]);
    return `${key.id}.${hmac(key.secret, text)}`;
  }

  /** Compares in constant time. */
  verifies(text: string, signature: string): boolean {
    const key = this.#secrets.keys.find(({ id }) => signature.startsWith(`${id}.`));
    return key !== undefined && isSameSecret(signature, `${key.id}.${hmac(key.secret, text)}`);
  }

  close(): void {
    clearInterval(this.#looking);
  }

  async #look(): Promise<void> {
    const [found, now] = await this.#keep(this.#text, '');
    this.#ahead = now - Date.now();
    const text = this.#isOlderThan(found) ? (await this.#keep(this.#text, found))[0] : found;
    this.#learn(text);
    this.#areKept = true;
    const [newest] = this.#secrets.keys;
    if (!newest || now - newest.madeAt < KEY_LIFE_MS) return;
    const keys = [newKey(now), ...this.#secrets.keys].slice(0, MAX_KEYS);
    const next = JSON.stringify({ ...this.#secrets, keys });
    this.#learn((await this.#keep(next, text))[0]);
  }

  async #keep(text: string, inPlaceOf: string): Promise<[found: string, now: number]> {
    return (await this.redis.script(KEEP, [this.redis.key('secrets')], [text, inPlaceOf])) as [string, number];
  }

  /** One that has started while Redis was empty may have been faster than those who had them before. */
  #isOlderThan(text: string): boolean {
    if (!this.#areKept || text === this.#text) return false;
    const { webhookSecret, madeAt } = Secrets.parse(JSON.parse(text));
    return webhookSecret !== this.#secrets.webhookSecret && this.#secrets.madeAt < madeAt;
  }

  #learn(text: string): void {
    if (text === this.#text) return;
    this.#secrets = Secrets.parse(JSON.parse(text));
    this.#text = text;
  }
}

const hmac = (secret: string, text: string) =>
  createHmac('sha256', Buffer.from(secret, 'base64')).update(text).digest('base64url').slice(0, SIGNATURE_LENGTH);

const newKey = (madeAt: number) => ({
  id: randomBytes(4).toString('hex'),
  secret: randomBytes(32).toString('base64'),
  madeAt,
});

const newSecrets = (now: number): Secrets => ({
  version: 1,
  madeAt: now,
  keys: [newKey(now)],
  webhookSecret: randomBytes(32).toString('base64'),
  token: randomBytes(24).toString('base64url'),
});
