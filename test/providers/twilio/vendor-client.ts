import twilioPackage from 'twilio';
import { ACCOUNT_SID, AUTH_TOKEN } from './api-account.js';

export type VendorClient = ReturnType<typeof twilioPackage>;

/** The vendor's client, which goes to `url` in place of the vendor's servers. */
export function vendorAt(url: string, user = ACCOUNT_SID, password = AUTH_TOKEN): VendorClient {
  const { origin } = new URL(url);
  class LocalClient extends twilioPackage.RequestClient {
    override request(options: Parameters<InstanceType<typeof twilioPackage.RequestClient>['request']>[0]) {
      return super.request({ ...options, uri: options.uri.replace('https://api.twilio.com', origin) }) as never;
    }
  }
  return twilioPackage(user, password, { accountSid: ACCOUNT_SID, httpClient: new LocalClient() });
}
