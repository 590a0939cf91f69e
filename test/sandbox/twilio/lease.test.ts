import { SIP_TRUNK_SID } from '../../../src/sandbox/twilio/account.js';
import {
  describeGoingOn,
  describeKilled,
  type RoutedAccount,
  type RoutedCarrier,
  type RoutingCase,
} from '../../providers/broken-off-routing.js';
import { tools } from '../../providers/twilio/routed-account.js';
import { vendorAt } from '../../providers/twilio/vendor-client.js';
import { startTwilio } from './twilio-sandbox.js';

const ON_APPLICATION = '+12025550112';
const ON_TRUNK = '+12025550113';

const CASES: RoutingCase[] = [
  ['a number with an application', ON_APPLICATION],
  ['a number on a trunk', ON_TRUNK],
];

/** The account of a sandbox, with numbers whose own addresses do not count. */
async function startAccount(): Promise<RoutedAccount> {
  const sandbox = await startTwilio({ answerUrl: 'http://127.0.0.1:1/front-desk?line=1' });
  const vendor = vendorAt(sandbox.url);
  const numbers = await vendor.incomingPhoneNumbers.list();
  const sidOf = (number: string) => numbers.find(({ phoneNumber }) => phoneNumber === number)?.sid ?? '';
  const desk = await vendor.applications.create({ friendlyName: 'desk', voiceUrl: 'http://127.0.0.1:1/desk' });
  await vendor.incomingPhoneNumbers(sidOf(ON_APPLICATION)).update({ voiceApplicationSid: desk.sid });
  await vendor.incomingPhoneNumbers(sidOf(ON_TRUNK)).update({ trunkSid: SIP_TRUNK_SID });
  return {
    apiUrl: sandbox.apiUrl,
    dump: async () =>
      JSON.stringify([await vendor.incomingPhoneNumbers.list(), await vendor.applications.list()], undefined, 1),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

const sandboxed: RoutedCarrier = { tools, startAccount, writesOf: () => ({ apply: 2, undo: 1 }) };
describeKilled(sandboxed, CASES);
describeGoingOn(sandboxed, CASES, ['answer']);
