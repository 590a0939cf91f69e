import { Router } from 'express';
import { z } from 'zod';
import { MAX_STORED, type StoredAddresses, shownSettings, type TwilioAccount } from './account.js';
import { API_VERSION } from './call-parameters.js';
import { timestamp } from './call-status.js';
import { fail, notFound, parse, send, sendPage } from './rest-answer.js';
import { ADDRESS_ERRORS, addressFields, given } from './rest-fields.js';

const NewApplication = z.object(addressFields);
const ApplicationQuery = z.object({ FriendlyName: z.string().optional() });

/** The applications of the account: addresses that numbers may have in common. @see carrier reference 7.1 */
export function restApplications(account: TwilioAccount, authId: string): Router {
  const api = Router({ strict: true, caseSensitive: true });

  api.get('/Applications.json', (request, response) => {
    const query = parse(ApplicationQuery, request.query, response);
    if (!query) return;
    const { FriendlyName: name } = query;
    const found = account.applications.filter((application) => name === undefined || application.name === name);
    const shown = found.map((application) => applicationResource(application, authId));
    sendPage(request, response, 'applications', shown);
  });

  api.post('/Applications.json', (request, response) => {
    const fields = parse(NewApplication, request.body, response, ADDRESS_ERRORS);
    if (!fields) return;
    const { FriendlyName: name = '', ...settings } = given(fields);
    const application = account.createApplication(name, settings);
    if (application) send(response, 201, applicationResource(application, authId));
    else fail(response, 400, `The account has ${MAX_STORED} applications`);
  });

  api.get('/Applications/:sid.json', (request, response) => {
    const application = account.application(request.params.sid);
    if (application) send(response, 200, applicationResource(application, authId));
    else notFound(request, response);
  });

  return api;
}

function applicationResource({ sid, name, settings, createdAt }: StoredAddresses, authId: string): object {
  return {
    sid,
    account_sid: authId,
    api_version: API_VERSION,
    friendly_name: name,
    date_created: timestamp(createdAt),
    date_updated: timestamp(createdAt),
    ...shownSettings({ VoiceMethod: 'POST', VoiceFallbackMethod: 'POST', StatusCallbackMethod: 'POST', ...settings }, [
      'VoiceUrl',
      'VoiceMethod',
      'VoiceFallbackUrl',
      'VoiceFallbackMethod',
      'StatusCallback',
      'StatusCallbackMethod',
    ]),
    uri: `/${API_VERSION}/Accounts/${authId}/Applications/${sid}.json`,
  };
}
