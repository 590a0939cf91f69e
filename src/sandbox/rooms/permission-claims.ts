import { z } from 'zod';
import { type ADMINISTERED, type MEDIA, Permissions } from './permissions.js';

/** Short names in the token of kinds of media. */
const MEDIA_LETTERS = {
  video: 'v',
  audio: 'a',
  screenVideo: 'sv',
  screenAudio: 'sa',
  customVideo: 'cv',
  customAudio: 'ca',
} as const satisfies Record<(typeof MEDIA)[number], string>;
const ADMIN_LETTERS = {
  participants: 'p',
  streaming: 's',
  transcription: 't',
} as const satisfies Record<(typeof ADMINISTERED)[number], string>;

/** Permissions under the short names that tokens have. @see rooms reference 7 */
export const PermissionClaims = z
  .object({
    hp: z.boolean(),
    cs: z.boolean().or(z.string()),
    cr: z.object({ b: z.unknown(), u: z.unknown(), p: z.unknown() }).partial(),
    ca: z.boolean().or(z.string()),
  })
  .partial();

type PermissionClaims = z.infer<typeof PermissionClaims>;

/** What a token says of permissions; undefined when they are not said. */
export function claimsOfPermissions(permissions: Permissions | undefined): PermissionClaims | undefined {
  if (!permissions) return undefined;
  const { hasPresence, canSend, canReceive, canAdmin } = permissions;
  const { base, byUserId, byParticipantId } = canReceive ?? {};
  return present({
    hp: hasPresence,
    cs: lettersOf(canSend, MEDIA_LETTERS),
    cr:
      canReceive &&
      present({ b: shortMedia(base), u: eachOf(byUserId, shortMedia), p: eachOf(byParticipantId, shortMedia) }),
    ca: lettersOf(canAdmin, ADMIN_LETTERS),
  });
}

/** The same read back; undefined for what no provider has written. */
export function permissionsOfClaims(claims: PermissionClaims | undefined): Permissions | undefined {
  if (!claims) return undefined;
  const { hp, cs, cr, ca } = claims;
  const canReceive =
    cr &&
    present({ base: longMedia(cr.b), byUserId: eachOf(cr.u, longMedia), byParticipantId: eachOf(cr.p, longMedia) });
  const said = {
    hasPresence: hp,
    canSend: namesOf(cs, MEDIA_LETTERS),
    canReceive,
    canAdmin: namesOf(ca, ADMIN_LETTERS),
  };
  return Permissions.safeParse(present(said)).data;
}

const present = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

const lettersOf = <T extends string>(
  given: boolean | readonly T[] | undefined,
  letters: Readonly<Record<T, string>>,
) => (typeof given === 'object' ? given.map((name) => letters[name]).join(',') : given);

const namesOf = (given: boolean | string | undefined, letters: Readonly<Record<string, string>>) =>
  typeof given === 'string'
    ? Object.entries(letters).flatMap(([name, letter]) => (given.split(',').includes(letter) ? name : []))
    : given;

const eachOf = (given: unknown, change: (media: unknown) => unknown): unknown =>
  typeof given === 'object' && given !== null
    ? Object.fromEntries(Object.entries(given).map(([id, media]) => [id, change(media)]))
    : undefined;

const renamed = (media: unknown, names: Readonly<Record<string, string>>): unknown =>
  typeof media === 'object' && media !== null
    ? Object.fromEntries(Object.entries(media).map(([name, value]) => [names[name] ?? name, value]))
    : media;

const shortMedia = (media: unknown): unknown => renamed(media, MEDIA_LETTERS);
const longMedia = (media: unknown): unknown =>
  renamed(media, Object.fromEntries(Object.entries(MEDIA_LETTERS).map(([name, letter]) => [letter, name])));
