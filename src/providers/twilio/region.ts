/** Where an edge leads to unless a region is named. */
const DEFAULT_REGION = 'us1';

/**
 * The address of the API in a region, by way of an edge: `api.dublin.ie1.twilio.com`. The carrier's own package makes host names so.
 * @see the package twilio, `lib/base/BaseTwilio.js`, `getHostname`
 */
export function regionalUrl(
  base: string,
  { region, edge }: { readonly region?: string | undefined; readonly edge?: string | undefined },
): string {
  const url = new URL(base);
  const [product = '', ...domain] = url.hostname.split('.');
  const place = region ?? (edge && DEFAULT_REGION);
  url.hostname = [product, edge, place, ...domain].filter(Boolean).join('.');
  return url.href;
}
