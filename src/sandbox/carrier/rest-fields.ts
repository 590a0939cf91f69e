import { z } from 'zod';
import type { VoicebotError } from '../../errors.js';
import { HTTP, loopbackUrl } from '../network/loopback.js';

/** An address the network will call. */
export const webhookUrl = z.string().superRefine((address, context) => {
  try {
    loopbackUrl(address, HTTP);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as VoicebotError).message });
  }
});

export const httpMethod = z.enum(['GET', 'POST']);

/** A switch, which clients send as a boolean or as its word. */
export const wireBoolean = z
  .preprocess((value) => String(value).toLowerCase(), z.enum(['true', 'false']))
  .transform((word) => word === 'true');
