/** The options of `dialout` as they were typed. */
export interface DialOptions {
  body?: string;
  query?: readonly string[];
  port?: string;
  server?: string;
  wait?: boolean;
  json?: boolean;
}
