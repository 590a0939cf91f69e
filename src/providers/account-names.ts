/** The variables that a person has set an account at a provider with: hints speak of these. */
export interface AccountNames {
  /** What opens the account where its API asks for that: `TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN`. */
  readonly signIn: string;
  /** The secret that webhooks are checked with, or the carrier's public key. */
  readonly webhookKey: string;
  readonly phoneNumber: string;
  /** What decides where the API is; undefined where nothing is set. */
  readonly apiUrl?: string | undefined;
}

/** Those of ours: an account that was not read from variables is spoken of by them. */
const OUR_NAMES: AccountNames = {
  signIn: 'CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN',
  webhookKey: 'CARRIER_AUTH_TOKEN',
  phoneNumber: 'CARRIER_PHONE_NUMBER',
  apiUrl: 'CARRIER_API_URL',
};

/** The variables to speak of for an account; those of voicebot where it was not read from variables. */
export const namesOf = ({ names = OUR_NAMES }: { readonly names?: AccountNames | undefined }): AccountNames => names;

/** What to check when the API does not answer, or something else does. */
export function addressHints({ apiUrl }: Pick<AccountNames, 'apiUrl'>) {
  return {
    unreachableHint: apiUrl ? `check the network and ${apiUrl}` : 'check the network',
    strangerHint: `something else answers in place of the provider's API: a sign-in page of this network, a proxy${apiUrl ? `, or what ${apiUrl} names` : ''}`,
  };
}

/** The environment variables that hold an account of this carrier elsewhere; ours are the `CARRIER_` ones. */
export interface CarrierVariables {
  /** Missing where the key alone names the account. */
  readonly authId?: string;
  readonly authToken: string;
  readonly phoneNumber: string;
  readonly publicKey?: string;
  /** Where the REST API takes keys of its own besides the token. */
  readonly apiKey?: { readonly id: string; readonly secret: string };
}

/** Where a carrier serves accounts of several regions under different names. */
export interface CarrierRegions {
  /** The environment variables by which its own packages know the region and the way into its network. */
  readonly region: string;
  readonly edge: string;
  /** The address of the voice API there. Both are small letters, digits and `-`. */
  apiUrl(base: string, place: { readonly region?: string | undefined; readonly edge?: string | undefined }): string;
}
