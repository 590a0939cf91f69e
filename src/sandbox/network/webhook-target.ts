export type HttpMethod = 'GET' | 'POST';

/** Where the network sends a webhook. */
export interface WebhookTarget {
  readonly url: string;
  readonly method: HttpMethod;
}

/** An address as it may be shown and logged: its query can hold secrets and a call's custom data. */
export const withoutQuery = (url: string): string => url.split('?', 1)[0] as string;
