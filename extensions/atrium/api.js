import { ProviderRequestError, RestClient, shownText, statusText, VoicebotError } from 'voicebot/provider';

/**
 * The REST API of one account.
 * @param {import('voicebot/provider').RoomsCredentials} credentials
 * @param {import('voicebot/provider').RestOptions} [options]
 */
export function openApi({ apiKey, apiUrl, keyName = 'ROOMS_API_KEY' }, options) {
  if (!apiKey) throw new VoicebotError('VB_CREDENTIALS_MISSING', 'Atrium needs an API key', { hint: `set ${keyName}` });
  return new RestClient(
    {
      base: apiUrl.replace(/\/+$/, ''),
      authorization: '', // Atrium has a header of its own
      repeats: { times: 4, withinMs: 10_000 },
      codes: { failed: 'VB_ROOMS_REQUEST_FAILED', unreachable: 'VB_ROOMS_UNREACHABLE' },
      unreachableHint: 'check the network and ROOMS_API_URL',
      strangerHint: "check ROOMS_API_URL: Atrium's API does not answer so",
      refusal(what, { status, text: answer, retryAfterMs }, _request, mayBeDone) {
        const text = shownText(answer, [apiKey]);
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
