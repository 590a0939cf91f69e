const TWO = (value: number) => String(value).padStart(2, '0');

/** `3:07`, or `1:02:45`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${TWO(minutes)}:${TWO(seconds % 60)}` : `${minutes}:${TWO(seconds % 60)}`;
}

/** `3:07.2`: where in a call something is, with so many decimals. */
export function preciseClock(ms: number, decimals = 1): string {
  const unit = 1_000 / 10 ** decimals;
  const units = Math.round(ms / unit);
  const fraction = String(Math.abs(units) % 10 ** decimals).padStart(decimals, '0');
  return `${units < 0 ? '−' : ''}${clock(Math.floor(Math.abs(units) / 10 ** decimals) * 1_000)}.${fraction}`;
}

/** `412 ms`, or `1.24 s`. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

/** `bot_ended` as words. */
export const words = (name: string): string => name.replaceAll('_', ' ');

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const SHORT_DAY_TIME = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const DAY_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The time of day, with the day when it is not today; nothing of what is no moment, which another version may send. */
export function moment(epochMs: number, now = Date.now()): string {
  if (!isMoment(epochMs)) return '';
  const isToday = new Date(epochMs).toDateString() === new Date(now).toDateString();
  return (isToday ? TIME : SHORT_DAY_TIME).format(epochMs);
}

export const fullMoment = (epochMs: number): string => (isMoment(epochMs) ? DAY_TIME.format(epochMs) : '');

/** For `dateTime` of a `<time>`. */
export const isoMoment = (epochMs: number): string | undefined =>
  isMoment(epochMs) ? new Date(epochMs).toISOString() : undefined;

const isMoment = (epochMs: number): boolean => !Number.isNaN(new Date(epochMs).getTime());
