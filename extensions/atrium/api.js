import { ProviderRequestError, RestClient, shownText, statusText, VoicebotError } from 'voicebot/provider';

/**
 * The REST API of one account.
 * @param {import('voicebot/provider').RoomsCredentials} credentials
 * @param {import('voicebot/provider').RestOptions} [options]
 */
export function openApi({ apiKey, apiUrl, keyName = 'ROOMS_API_KEY' }, options) {
  if (!apiKey) throw new VoicebotError('VB_CREDENTIALS_MISSING', 'Atrium needs an API key', { hint: `set ${keyName}` });
  if (!/^atrium_[0-9a-f]{32}$/.test(apiKey)) {
    throw new VoicebotError('VB_CONFIG_INVALID', 'the API key is not one of Atrium', { hint: `check ${keyName}` });
  }
  return new RestClient(
    {
      base: apiUrl.replace(/\/+$/, ''),
      authorization: '', // Atrium has a header of its own
      repeats: { times: 4, withinMs: 10_000 },
      codes: { failed: 'VB_ROOMS_REQUEST_FAILED', unreachable: 'VB_ROOMS_UNREACHABLE' },
      unreachableHint: 'check the network and ROOMS_API_URL',
      strangerHint: "check ROOMS_API_URL: Atrium's API does not answer so",
      refusal(what, { status, text: answer, retryAfterMs }, { fields }, mayBeDone) {
        const { secret } = /** @type {{ secret?: string }} */ (fields ?? {}); // of a number's webhook
        const text = shownText(answer, secret ? [apiKey, secret] : [apiKey]);
        const isSignIn = status === 401;
        return new ProviderRequestError(
          isSignIn ? 'VB_CREDENTIALS_REFUSED' : 'VB_ROOMS_REQUEST_FAILED',
          statusText(what, status, text),
          { status, text, mayBeDone, retryAfterMs, ...(isSignIn && { hint: `check ${keyName}` }) },
        );
      },
    },
    { ...options, signIn: { 'x-atrium-key': apiKey } },
  );
}

/**
 * Lets through what can stand in an address as it is.
 * @param {string} value
 * @param {string} what
 */
export function checked(value, what) {
  if (/^[\w-]{1,128}$/.test(value)) return value;
  throw new VoicebotError('VB_IDENTIFIER_INVALID', `the ${what} must be 1 to 128 letters, digits, "-" or "_"`);
}

/**
 * The error for a success without what it should have.
 * @param {string} what
 * @param {string} missing
 */
export const unreadable = (what, missing) =>
  new ProviderRequestError('VB_ROOMS_REQUEST_FAILED', `${what} got an answer without ${missing}`, {
    status: 200,
    mayBeDone: true,
    hint: "check ROOMS_API_URL: Atrium's API does not answer so",
  });
