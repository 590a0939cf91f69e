/** What answering machines say and people who answer the phone do not, as {@link wordsOnly} writes it. */
const GREETINGS = {
  en: [
    'leave a message',
    'leave me a message',
    'leave us a message',
    'leave your message',
    'leave a brief message',
    'leave a short message',
    'leave a detailed message',
    'leave your name',
    'after the tone',
    'after the beep',
    'at the tone',
    'at the beep',
    'please record',
    'record your message',
    'is not available',
    'isnt available',
    'are not available',
    'come to the phone',
    'unable to take your call',
    'cannot take your call',
    'cant take your call',
    'your call has been forwarded',
    'mailbox',
    'voicemail',
    'voice mail',
    'answering machine',
  ],
  de: [
    'hinterlassen sie',
    'nachricht hinterlassen',
    'hinterlasst eine nachricht',
    'hinterlasse eine nachricht',
    'nach dem signalton',
    'nach dem ton',
    'nach dem piepton',
    'nach dem piep',
    'anrufbeantworter',
    'nicht erreichbar',
    'nicht zu erreichen',
    'sprachbox',
  ],
  es: [
    'deje su mensaje',
    'deje un mensaje',
    'deja tu mensaje',
    'deja un mensaje',
    'dejar un mensaje',
    'despues de la senal',
    'despues del tono',
    'buzon de voz',
    'no esta disponible',
    'contestador',
  ],
  fr: [
    'laissez un message',
    'laissez moi un message',
    'laissez votre message',
    'laisser un message',
    'laisser votre message',
    'apres le bip',
    'apres le signal sonore',
    'apres la tonalite',
    'messagerie vocale',
    'boite vocale',
    'repondeur',
    'nest pas disponible',
  ],
} as const;

/** In English, German, Spanish and French. */
export const VOICEMAIL_PHRASES: readonly string[] = Object.values(GREETINGS).flat();

/** A text in small letters, without accents, apostrophes and punctuation, its words between single spaces. */
export function wordsOnly(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\p{Mark}'’]/gu, '')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim();
}
