import { z } from 'zod';

/** Kinds of media. */
export const MEDIA = ['video', 'audio', 'screenVideo', 'screenAudio', 'customVideo', 'customAudio'] as const;
/** What may be administered. */
export const ADMINISTERED = ['participants', 'streaming', 'transcription'] as const;

const flag = z.boolean();
const custom = z.record(z.string(), flag);
const Media = z.strictObject({
  video: flag,
  audio: flag,
  screenVideo: flag,
  screenAudio: flag,
  customVideo: custom,
  customAudio: custom,
});
const hasRest = (tracks: z.infer<typeof custom>): boolean => '*' in tracks;
const BaseMedia = Media.refine(({ customVideo, customAudio }) => hasRest(customVideo) && hasRest(customAudio), {
  message: 'customVideo and customAudio must have an entry "*"',
});
const exceptions = z.record(z.string(), flag.or(Media.partial())).optional();

/** What a participant receives, as far as it is said. @see rooms reference 7.1 */
export const CanReceive = z.strictObject({
  base: flag.or(BaseMedia).optional(),
  byUserId: exceptions,
  byParticipantId: exceptions,
});

/** Permissions, as far as they are said. @see rooms reference 7.1 */
export const Permissions = z
  .strictObject({
    hasPresence: flag,
    canSend: flag.or(z.array(z.enum(MEDIA))),
    canReceive: CanReceive,
    canAdmin: flag.or(z.array(z.enum(ADMINISTERED))),
  })
  .partial();

export type Permissions = z.infer<typeof Permissions>;
type AllPermissions = { readonly [Name in keyof Permissions]-?: NonNullable<Permissions[Name]> };

/** Who is heard, or is not. */
interface RoomVoice {
  readonly sessionId: string;
  readonly userId: string | undefined;
}

/** What one participant may do now. The sandbox acts on sound and administration, and shows the rest. */
export class ParticipantPermissions {
  #now: AllPermissions;

  /** @param given what is said at the beginning, the strongest last: the room's, the token's, those of the request that dialled */
  constructor(isOwner: boolean, ...given: readonly (Permissions | undefined)[]) {
    this.#now = { hasPresence: true, canSend: true, canReceive: { base: true }, canAdmin: isOwner };
    // An owner begins with everything, whatever the room and the token say.
    if (!isOwner) for (const one of given) this.change(one ?? {});
  }

  /** As events show them. */
  get wire(): AllPermissions {
    return this.#now;
  }

  get mayBeHeard(): boolean {
    return has(this.#now.canSend, 'audio');
  }

  mayAdminister(what: (typeof ADMINISTERED)[number]): boolean {
    return has(this.#now.canAdmin, what);
  }

  /** Whether this participant receives the sound of another one. */
  hears({ sessionId, userId = sessionId }: RoomVoice): boolean {
    const { base, byUserId = {}, byParticipantId = {} } = this.#now.canReceive;
    return audioOf(own(byParticipantId, sessionId)) ?? audioOf(own(byUserId, userId)) ?? audioOf(base) ?? true;
  }

  /** What is given takes the place of what was, `canReceive` a field at a time. */
  change({ hasPresence, canSend, canReceive, canAdmin }: Permissions): void {
    const now = this.#now;
    this.#now = {
      hasPresence: hasPresence ?? now.hasPresence,
      canSend: canSend ?? now.canSend,
      canReceive: { ...now.canReceive, ...canReceive },
      canAdmin: canAdmin ?? now.canAdmin,
    };
  }
}

const has = <T extends string>(permission: boolean | readonly T[], what: T): boolean =>
  typeof permission === 'boolean' ? permission : permission.includes(what);

const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

const audioOf = (media: boolean | { readonly audio?: boolean | undefined } | undefined): boolean | undefined =>
  typeof media === 'object' ? media.audio : media;
