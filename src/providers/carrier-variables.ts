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
