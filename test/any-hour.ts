import { fileURLToPath } from 'node:url';

/** Settings of a runner on an account that the sandbox plays, of tests that dial: they run at night, too. */
export const ANY_HOUR = {
  VOICEBOT_CALLING_RULES: fileURLToPath(new URL('fixtures/any-hour.yaml', import.meta.url)),
};
