/** What a client of a fake provider asked for when it connected. */
export interface FakeRequest {
  readonly query: URLSearchParams;
  /** Without the key. */
  readonly headers: Readonly<Record<string, string>>;
}
