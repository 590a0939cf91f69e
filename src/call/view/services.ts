import type { FailedService } from '../runner-status.js';
import { type ServiceKind, serviceWords } from '../service-name.js';
import type { TimelineEvent } from '../timeline.js';
import { allOf, inWords, known, type TimelineEventOf } from './events.js';

/** What worked for a call. */
export interface UsedServices {
  /** Speech to text, models and voices, each once: `deepgram nova-3`. */
  readonly names: readonly string[];
  /** Stand-ins took the place of services that need keys. */
  readonly areStandIns: boolean;
}

export function servicesOf(events: readonly TimelineEvent[]): UsedServices {
  const names = allOf(events, 'service', 'service_switched', 'model_asked').flatMap((event) => {
    if (event.type === 'model_asked') return event.model;
    if (event.type === 'service') return serviceWords(event);
    return event.does === 'language_model' ? [] : serviceWords(event.to);
  });
  return { names: [...new Set(names)], areStandIns: events.some(({ type }) => type === 'stand_ins') };
}

const WORK: Readonly<Record<ServiceKind, string>> = {
  speech_to_text: 'listens',
  language_model: 'answers',
  text_to_speech: 'speaks',
  live: 'talks',
};

/** What a service does, of one that works: `listens`. */
export const workOf = (does: ServiceKind): string => known(WORK, does) ?? 'works';

/** `ElevenLabs listens in place of Deepgram, after 0.3 s`; `the cascade talks in place of OpenAI, after 0.3 s`. */
export function switchWords({ does, from, to, ms }: TimelineEventOf<'service_switched'>): string {
  const isSameVendor = from.provider === to.provider && does !== 'live';
  const [other, before] = isSameVendor ? [serviceWords(to), serviceWords(from)] : [to.provider, from.provider];
  const now = does === 'live' ? 'the cascade' : other;
  return `${now} ${workOf(does)} in place of ${before}${ms > 0 ? `, after ${inWords(ms)}` : ''}`;
}

/** `Deepgram does not answer since 14:02; ElevenLabs listens`, by the clock of the reader. */
export function failureWords({ does, instead, since, ...failed }: FailedService): string {
  const isSameVendor = instead?.provider === failed.provider;
  const at = since === undefined ? '' : ` since ${clock.format(since)}`;
  const now = instead ? `; ${isSameVendor ? serviceWords(instead) : instead.provider} ${workOf(does)}` : '';
  const trouble = failed.code === 'VB_CREDENTIALS_REFUSED' ? 'refuses the key' : 'does not answer';
  return `${isSameVendor ? serviceWords(failed) : failed.provider} ${trouble}${at}${now}`;
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
