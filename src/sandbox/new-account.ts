import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { fingerprintOf } from '../base/secret.js';
import { type BuiltInCarrier, DEFAULT_CARRIER } from '../providers/registry/carrier-names.js';

/** What opens an account that the sandbox keeps, and what its webhooks are signed with and checked against. */
export interface NewAccount {
  readonly authId: string;
  readonly authToken: string;
  /** Of a carrier that signs with a key pair: an Ed25519 key, base64 of its 32 bytes. */
  readonly publicKey?: string;
  /** The other half, PEM. The carrier alone has it. */
  readonly privateKey?: string;
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex');

/** Credentials of the form that each carrier gives them (carrier reference 1.1, 7.1, 7.2). */
const MAKE = {
  plivo: () => ({ authId: `MA${hex(9).toUpperCase()}`, authToken: hex(20) }),
  twilio: () => ({ authId: `AC${hex(16)}`, authToken: hex(16) }),
  telnyx: () => {
    const authToken = `KEY${hex(16).toUpperCase()}_${randomBytes(16).toString('base64url').replaceAll(/\W|_/g, 'x')}`;
    const pair = generateKeyPairSync('ed25519');
    const publicKey = Buffer.from(pair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');
    const privateKey = String(pair.privateKey.export({ format: 'pem', type: 'pkcs8' }));
    return { authId: fingerprintOf(authToken), authToken, publicKey, privateKey };
  },
} satisfies Readonly<Record<BuiltInCarrier, () => NewAccount>>;

/** An account whose credentials no other program knows, as this carrier makes them. */
export const newAccount = (carrier: BuiltInCarrier = DEFAULT_CARRIER): NewAccount => MAKE[carrier]();
