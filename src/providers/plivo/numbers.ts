import type { RestOptions } from '../../base/http/rest-client.js';
import type { NumberRouting } from '../../call/number-routing.js';
import { namesOf } from '../account-names.js';
import { ApplicationRouting } from '../applications/application-routing.js';
import type { CarrierCredentials } from '../carrier.js';
import { openApi } from './api.js';
import { PlivoNumbersApi } from './numbers-api.js';

/**
 * Where the calls to the numbers of an account go.
 * @throws VoicebotError VB_CREDENTIALS_MISSING, VB_IDENTIFIER_INVALID
 * @see carrier reference 1.5 to 1.7
 */
export async function createPlivoNumberRouting(
  credentials: CarrierCredentials,
  options?: RestOptions,
): Promise<NumberRouting> {
  return new ApplicationRouting(new PlivoNumbersApi(openApi(credentials, options)), namesOf(credentials));
}
