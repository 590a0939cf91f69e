import { defineBot } from 'voicebot';
import { z } from 'zod';

/** Says what its custom data looks like, and hangs up at once. */
export default defineBot({
  body: z
    .object({ user: z.object({ id: z.number() }), reason: z.string().default('hello') })
    .refine(async ({ user }) => user.id !== 13, { message: 'is unlucky', path: ['user', 'id'] }),
  onCall: (call) => call.hangUp(),
});
