import { randomBytes } from 'node:crypto';
import { VoicebotError } from '../base/errors.js';
import { BUILT_IN_CARRIERS, type CarrierName } from '../providers/registry/carrier-names.js';
import { extensionOf } from '../providers/registry/extensions.js';
import { DEFAULT_ROOM_PROVIDER } from '../providers/registry/room-provider-names.js';
import type { CarrierFace, FaceOptions } from './carrier/face.js';
import { type NewAccount, newAccount } from './new-account.js';
import { dailyFace, type RoomsFace, type RoomsFaceOptions } from './rooms/face.js';

/** The carrier of an extension from its own side: what the offline phone network plays it with. */
export interface CarrierSandbox {
  /** An account whose credentials no other program knows, of the form that the carrier gives them. */
  readonly newAccount: () => NewAccount;
  /** The carrier's words and its REST API. */
  readonly face: (options: FaceOptions) => CarrierFace;
}

/** The room provider of an extension from its own side: what the offline phone network plays it with. */
export interface RoomsSandbox {
  /** A key of the provider's form, which no other program knows. Missing: 64 hexadecimal digits. */
  readonly newKey?: () => string;
  /** The provider's REST API and its webhooks, in front of the rooms that the sandbox has. */
  readonly face: (options: RoomsFaceOptions) => RoomsFace;
}

/** @throws VoicebotError VB_CARRIER_UNSUPPORTED for a carrier that is not played */
export async function sandboxOfExtension(name: string): Promise<CarrierSandbox> {
  const side = await extensionOf(name)?.extension.sandbox?.();
  if (side) return side as CarrierSandbox;
  throw new VoicebotError('VB_CARRIER_UNSUPPORTED', `the sandbox does not play ${name.slice(0, 64)}`, {
    hint: `it plays ${BUILT_IN_CARRIERS.join(', ')}, and the carriers of extensions that bring a sandbox`,
  });
}

/** Whether the sandbox plays a carrier: one of ours, or one of an extension that brings its side. */
export function isPlayed(carrier: CarrierName): boolean {
  const outside = extensionOf(carrier);
  return outside === undefined || outside.extension.sandbox !== undefined;
}

/** An account at any carrier that the sandbox plays. @throws VoicebotError VB_CARRIER_UNSUPPORTED for another */
export async function newAccountAt(carrier: CarrierName): Promise<NewAccount> {
  const ours = BUILT_IN_CARRIERS.find((name) => name === carrier);
  return ours ? newAccount(ours) : (await sandboxOfExtension(carrier)).newAccount();
}

/** How the sandbox plays a room provider. @throws VoicebotError VB_CONFIG_INVALID for one that it does not play */
export async function roomsFaceOf(name: string, options: RoomsFaceOptions): Promise<RoomsFace> {
  if (name === DEFAULT_ROOM_PROVIDER) return dailyFace;
  return (await roomsSandboxOf(name)).face(options);
}

/** @throws VoicebotError VB_CONFIG_INVALID */
async function roomsSandboxOf(name: string): Promise<RoomsSandbox> {
  const side = await extensionOf(name)?.extension.roomsSandbox?.();
  if (side) return side as RoomsSandbox;
  throw notPlayed(name);
}

/** A key of an account at this room provider. @throws VoicebotError VB_CONFIG_INVALID for one that the sandbox does not play */
export async function newRoomsKeyAt(name: string): Promise<string> {
  const side = name === DEFAULT_ROOM_PROVIDER ? undefined : await roomsSandboxOf(name);
  return side?.newKey?.() ?? randomBytes(32).toString('hex');
}

const notPlayed = (name: string) =>
  new VoicebotError('VB_CONFIG_INVALID', `the sandbox does not play the room provider ${name.slice(0, 64)}`, {
    hint: `it plays ${DEFAULT_ROOM_PROVIDER}, and those of extensions that bring \`roomsSandbox\``,
  });
