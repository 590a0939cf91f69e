import { Router } from 'express';
import { z } from 'zod';
import { VOICE_FIELDS, type VoiceField } from '../../providers/twilio/numbers-api.js';
import { type RentedNumber, SIP_TRUNK_SID, shownSettings, type TwilioAccount } from './account.js';
import { API_VERSION } from './call-parameters.js';
import { timestamp } from './call-status.js';
import { ERRORS, fail, notFound, parse, send, sendPage } from './rest-answer.js';
import { ADDRESS_ERRORS, addressFields, given } from './rest-fields.js';

const NumberQuery = z.object({ PhoneNumber: z.string().optional(), FriendlyName: z.string().optional() });

const NumberChange = z.object({
  ...addressFields,
  VoiceApplicationSid: z.string().optional(),
  TrunkSid: z.string().optional(),
});

/** The numbers of the account: they can be neither bought nor given up. @see carrier reference 7.1 */
export function restNumbers(account: TwilioAccount, authId: string): Router {
  const api = Router({ strict: true, caseSensitive: true });
  const numberOf = (sid: string) => account.numbers.find((number) => number.sid === sid);

  api.get('/IncomingPhoneNumbers.json', (request, response) => {
    const query = parse(NumberQuery, request.query, response);
    if (!query) return;
    const { PhoneNumber: pattern = '', FriendlyName: name } = query;
    const wanted = pattern.replace(/[^\d*]/g, '').split('*');
    const found = account.numbers.filter(
      (owned) => matches(owned.number, wanted) && (name === undefined || owned.name === name),
    );
    const shown = found.map((number) => numberResource(number, authId));
    sendPage(request, response, 'incoming_phone_numbers', shown);
  });

  api.get('/IncomingPhoneNumbers/:sid.json', (request, response) => {
    const number = numberOf(request.params.sid);
    if (number) send(response, 200, numberResource(number, authId));
    else notFound(request, response);
  });

  api.post('/IncomingPhoneNumbers/:sid.json', (request, response) => {
    const number = numberOf(request.params.sid);
    if (!number) return notFound(request, response);
    const change = parse(NumberChange, request.body, response, ADDRESS_ERRORS);
    if (!change) return;
    const { FriendlyName: name = number.name, ...settings } = given(change);
    const { VoiceApplicationSid: application, TrunkSid: trunk } = settings;
    if (application && !account.application(application))
      return fail(response, 400, `ApplicationSid ${application} is not valid`, ERRORS.applicationInvalid);
    if (trunk && trunk !== SIP_TRUNK_SID) return fail(response, 400, `TrunkSid ${trunk} is not valid`);
    number.name = name;
    account.change(number, settings);
    send(response, 200, numberResource(number, authId));
  });

  return api;
}

/** @param parts of its digits, in their order, with anything in between */
function matches(number: string, parts: readonly string[]): boolean {
  let at = 0;
  return parts.every((part) => {
    const found = number.indexOf(part, at);
    at = found + part.length;
    return found >= 0;
  });
}

/** What the carrier says of every number besides, and what nothing here changes. */
const UNUSED = {
  address_requirements: 'none',
  address_sid: null,
  beta: false,
  bundle_sid: null,
  emergency_address_sid: null,
  emergency_address_status: 'unregistered',
  emergency_status: 'Inactive',
  identity_sid: null,
  sms_application_sid: '',
  sms_fallback_method: 'POST',
  sms_fallback_url: '',
  sms_method: 'POST',
  sms_url: '',
  voice_caller_id_lookup: false,
  voice_receive_mode: 'voice',
};

function numberResource({ sid, number, name, settings, createdAt }: RentedNumber, authId: string): object {
  const created = timestamp(createdAt);
  return {
    sid,
    account_sid: authId,
    api_version: API_VERSION,
    phone_number: number,
    friendly_name: name,
    status: 'in-use',
    origin: 'twilio',
    type: 'local',
    ...UNUSED,
    capabilities: { voice: true, sms: false, mms: false, fax: false },
    date_created: created,
    date_updated: created,
    ...shownSettings(settings, Object.keys(VOICE_FIELDS) as VoiceField[]),
    uri: `/${API_VERSION}/Accounts/${authId}/IncomingPhoneNumbers/${sid}.json`,
  };
}
