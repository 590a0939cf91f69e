declare const KIND: unique symbol;

/**
 * The runner's identifier of a call, as in `voicebot calls`. A string at run time. The compiler takes a plain string for it, and
 * refuses a {@link ProviderCallId}.
 */
export type CallId = string & { readonly [KIND]?: 'call' };

/** A provider's identifier of a call, as its webhooks and its REST API have it. The compiler refuses a `CallId` for it. */
export type ProviderCallId = string & { readonly [KIND]?: 'provider_call' };

/** Names a call: where an identifier is made or read from an address. An inbound call goes by its provider's identifier. */
export const asCallId = (id: string): CallId => id as CallId;

/** Names a call of a provider: where its webhook, its answer or its stream is read. */
export const asProviderCallId = (id: string): ProviderCallId => id as ProviderCallId;
