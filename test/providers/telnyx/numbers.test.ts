import { createTelnyxNumberRouting } from '../../../src/providers/telnyx/numbers.js';
import { type ReceivedRequest, type Reply, ScriptedApi } from '../plivo/scripted-api.js';

const [CALL_CONTROL, GONE] = ['1293384261075731411', '1293384261075731412'];
const NUMBERS = [
  { id: '1', phone_number: '+12025550100', connection_id: CALL_CONTROL },
  { id: '2', phone_number: '+12025550101', connection_id: CALL_CONTROL },
  { id: '3', phone_number: '+12025550102', connection_id: GONE },
  { id: '4', phone_number: '+12025550103', connection_id: null },
];

function reply({ url }: ReceivedRequest): Reply {
  const { pathname } = new URL(url, 'http://127.0.0.1');
  if (pathname.endsWith('/phone_numbers')) return { status: 200, body: JSON.stringify({ data: NUMBERS }) };
  if (pathname.endsWith('/texml_applications')) return { status: 200, body: '{"data":[]}' };
  if (!pathname.endsWith(`/connections/${CALL_CONTROL}`)) return { status: 404, body: '{"errors":[]}' };
  const data = { id: CALL_CONTROL, record_type: 'call_control_application', connection_name: 'front desk' };
  return { status: 200, body: JSON.stringify({ data }) };
}

test('a connection that is no TeXML application is named as what it is, and asked for once', async () => {
  await using api = await ScriptedApi.listen(reply);
  const routing = await createTelnyxNumberRouting({ authId: 'x', authToken: 'KEY', apiUrl: api.url });
  try {
    const routes = await routing.list();
    expect(routes.map(({ heldBy }) => heldBy)).toEqual([
      'call control application front desk',
      'call control application front desk',
      `connection ${GONE}`,
      undefined,
    ]);
    expect(routes.map(({ isUnanswered }) => isUnanswered)).toEqual([false, false, false, false]);
    expect(api.requests.filter(({ url }) => url.includes('/connections/'))).toHaveLength(2);
  } finally {
    await routing.close();
  }
});

test('of a number that is to be changed only the own connection is asked for', async () => {
  await using api = await ScriptedApi.listen(reply);
  const routing = await createTelnyxNumberRouting({ authId: 'x', authToken: 'KEY', apiUrl: api.url });
  const urls = { answerUrl: 'https://example.com/answer', hangupUrl: 'https://example.com/hangup' };
  const target = { urls, leaseId: 'lease0001', isOldAddress: () => false };
  try {
    const { route, change } = await routing.plan({ ...target, number: '+12025550100' });
    expect(route.heldBy).toBe('call control application front desk');
    expect(change.before).toMatchObject({ link: { kind: 'connection', id: CALL_CONTROL } });
    expect(api.requests.filter(({ url }) => url.includes('/connections/'))).toHaveLength(1);
  } finally {
    await routing.close();
  }
});
