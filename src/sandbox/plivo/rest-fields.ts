import { z } from 'zod';

export const httpMethod = z.enum(['GET', 'POST']);

/** A switch, which clients send as a boolean or as its word. */
export const wireBoolean = z
  .preprocess((value) => String(value).toLowerCase(), z.enum(['true', 'false']))
  .transform((word) => word === 'true');
