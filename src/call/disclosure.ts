import type { CallDirection } from './call.js';

/** Words that are said to whom a call reaches; or those of each language, by BCP 47 tags, of which the first are said where no other is asked for. */
export type NoticeText = string | Readonly<Record<string, string>>;

/** A sentence by which a bot says that it is a machine, before it says anything else. */
export interface SpokenDisclosure {
  /** At most 20 s as they are spoken. */
  readonly text: NoticeText;
  /** A WAV file that says `text`, for a bot without a voice: a path, or a `file:` URL; or one for each of its languages. */
  readonly file?: string | URL | Readonly<Record<string, string | URL>> | undefined;
  /** In which calls: in all, or in those alone that the bot has placed. */
  readonly when: 'always' | 'outbound';
}

/** Says that a bot need not say so. */
export interface NeedlessDisclosure {
  /** Why, for those who look at it later. */
  readonly notNeeded: string;
}

export type Disclosure = SpokenDisclosure | NeedlessDisclosure;

/** What the runner knows of it. */
export type DeclaredDisclosure = Pick<SpokenDisclosure, 'when'> | NeedlessDisclosure;

/** How it is known that words were heard: the carrier has acknowledged it, or, in a room, they were sent and the transit time is over. */
export type HeardEvidence = 'acknowledged' | 'sent';

/** Words that were heard to their end. */
export interface HeardNotice {
  readonly text: string;
  /** When the words began and ended to be heard, milliseconds since the Unix epoch. */
  readonly from: number;
  readonly to: number;
  readonly evidence: HeardEvidence;
  /** Whose telephone that was: E.164, or a `sip:` address; undefined where the number is withheld or not known. */
  readonly heardBy?: string | undefined;
}

/** What a bot says first: that it is a machine, and that the call is recorded. */
export type NoticeKind = 'disclosure' | 'recording';

/** What the other party of a call has heard of these. */
export type HeardNotices = { readonly [Kind in NoticeKind]?: HeardNotice | undefined };

/** Whether a call begins with the disclosure. */
export const isDisclosed = (declared: DeclaredDisclosure | undefined, direction: CallDirection): boolean =>
  declared !== undefined && 'when' in declared && (declared.when === 'always' || direction === 'outbound');
