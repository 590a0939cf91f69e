import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are equal, in a time that tells nothing about them. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Tells secrets apart and shows nothing of them: 16 hexadecimal digits. */
export const fingerprintOf = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 16);
