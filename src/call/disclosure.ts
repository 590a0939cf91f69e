import type { CallInfo } from './call.js';

/** Words that are said to whom a call reaches; or those of each language, by BCP 47 tags, of which the first are said where no other is asked for. */
export type NoticeText = string | Readonly<Record<string, string>>;

/** Words that a bot says before it serves a call, with a recording of them where it has no voice that says them. */
export interface SpokenNotice {
  /** At most 20 s as they are spoken. */
  readonly text: NoticeText;
  /** A WAV file that says `text`, for a bot without a voice: a path, or a `file:` URL; or one for each of its languages. */
  readonly file?: string | URL | Readonly<Record<string, string | URL>> | undefined;
}

/** A sentence by which a bot says that it is a machine, before it says anything else. */
export interface SpokenDisclosure extends SpokenNotice {
  /** In which calls: in all, or in those alone that the bot has placed. */
  readonly when: 'always' | 'outbound';
}

/** Says that a bot need not say so. */
export interface NeedlessDisclosure {
  /** Why, for those who look at it later. */
  readonly notNeeded: string;
}

/** What a bot says of itself before anything else, or why it need not. */
export type Disclosure = SpokenDisclosure | NeedlessDisclosure;

/** What the runner knows of it. */
export type DeclaredDisclosure = Pick<SpokenDisclosure, 'when'> | NeedlessDisclosure;

/** When words began and ended: their first and their last sound. */
export interface WordTimes {
  readonly from: number;
  readonly to: number;
}

/** Samples of words are louder than this; what is quieter is the silence before and after them, and the noise of a codec. */
const QUIETEST = 200;
const isSound = (sample: number) => Math.abs(sample) > QUIETEST;

/** Where the first sound of words is among samples, and the last; -1: there is none. */
export const firstSound = (pcm: Int16Array): number => pcm.findIndex(isSound);
export const lastSound = (pcm: Int16Array): number => pcm.findLastIndex(isSound);

/** How it is known that words were heard: the carrier has acknowledged it, or, in a room, they were sent and the transit time is over. */
export type HeardEvidence = 'acknowledged' | 'sent';

/**
 * Words that were heard to their end. `from` and `to` are milliseconds since the Unix epoch. Of words in a recording they are where the
 * recording has them, counted from its beginning: in the time of the caller's audio, which the far end plays by.
 */
export interface HeardNotice extends WordTimes {
  readonly text: string;
  readonly evidence: HeardEvidence;
  /** Whose telephone that was: E.164, or a `sip:` address; undefined where the number is withheld or not known. */
  readonly heardBy?: string | undefined;
}

/** What a bot says first: that it is a machine, and that the call is recorded. */
export type NoticeKind = 'disclosure' | 'recording';

/** What the other party of a call has heard of these. */
export type HeardNotices = { readonly [Kind in NoticeKind]?: HeardNotice | undefined };

/** Whether a call begins with the disclosure. One that was dialled beside another, for the bot of that, does not. */
export const isDisclosed = (
  declared: DeclaredDisclosure | undefined,
  { direction, linkedTo }: Pick<CallInfo, 'direction' | 'linkedTo'>,
): boolean => {
  if (declared === undefined || !('when' in declared) || linkedTo !== undefined) return false;
  return declared.when === 'always' || direction === 'outbound';
};
