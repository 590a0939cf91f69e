import type { RestOptions } from '../../base/http/rest-client.js';
import type { NumberRouting } from '../../call/number-routing.js';
import { namesOf } from '../account-names.js';
import { ApplicationRouting } from '../applications/application-routing.js';
import type { CarrierCredentials } from '../carrier.js';
import { openApi } from './api.js';
import { TelnyxNumbersApi } from './numbers-api.js';

/**
 * Where the calls to the numbers of an account go.
 * @throws VoicebotError VB_CREDENTIALS_MISSING
 * @see carrier reference 7.2
 */
export async function createTelnyxNumberRouting(
  credentials: CarrierCredentials,
  options?: RestOptions,
): Promise<NumberRouting> {
  return new ApplicationRouting(new TelnyxNumbersApi(openApi(credentials, options)), namesOf(credentials));
}
