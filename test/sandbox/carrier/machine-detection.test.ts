import { hurried } from '../../hasty-clock.js';
import { FakeApplication, type ReceivedWebhook } from '../fake-application.js';
import { AUTH_TOKEN, startFastSandbox } from '../fake-caller.js';
import { restClient } from '../rest.js';

hurried();

const VOICEMAIL = '12025550105';
const PERSON = '12025550101';

/** Dials `to` and runs `check`; the answered call waits for an hour. */
async function dialling(
  to: string,
  fields: (application: FakeApplication) => object,
  check: (application: FakeApplication, hangUp: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', '<Wait length="3600"/>');
  await using sandbox = await startFastSandbox();
  const rest = restClient(sandbox.apiUrl);
  const { status, body } = await rest.post('Call/', {
    from: '12025550100',
    to,
    answer_url: application.url('/answer'),
    hangup_url: application.url('/hangup'),
    ...fields(application),
  });
  expect(status).toBe(201);
  await check(application, () => rest.delete(`Call/${body.request_uuid}/`));
}

const isReport = ({ path }: ReceivedWebhook): boolean => path === '/machine';

test.each([
  [VOICEMAIL, 'true', 'POST', 'true'],
  [PERSON, 'true', 'GET', 'false'],
  [PERSON, 'hangup', 'POST', 'false'],
  ['12025550106', 'true', 'POST', 'false'],
])('%s, asked for %s with %s: Machine=%s, and the call goes on', (to, machine_detection, method, isMachine) =>
  dialling(
    to,
    (application) => ({
      machine_detection,
      machine_detection_time: '3000',
      machine_detection_url: application.url('/machine'),
      machine_detection_method: method,
    }),
    async (application, hangUp) => {
      const report = await application.webhook('MachineDetection');
      expect(report).toMatchObject({ path: '/machine', method, isSigned: true });
      expect(Object.fromEntries(report.parameters)).toMatchObject({
        Machine: isMachine,
        To: to,
        Direction: 'outbound',
        CallStatus: 'in-progress',
      });
      await hangUp();
      expect((await application.webhook('Hangup')).parameters.get('HangupCauseCode')).toBe('1000');
    },
  ),
);

test.each([true, false])('ends the call of a machine when asked to, reported or not: %p', (isReported) =>
  dialling(
    VOICEMAIL,
    (application) => ({
      machine_detection: 'hangup',
      ...(isReported && { machine_detection_url: application.url('/machine') }),
    }),
    async (application) => {
      const { parameters } = await application.webhook('Hangup');
      expect(Object.fromEntries(parameters)).toMatchObject({
        HangupCauseCode: '9100',
        HangupCauseName: 'Machine Detected',
        HangupSource: 'Plivo',
      });
      if (isReported && !application.webhooks.all.some(isReport)) await application.webhook('MachineDetection');
      expect(application.webhooks.all.filter(isReport)).toHaveLength(isReported ? 1 : 0);
    },
  ),
);

test.each([{}, { machine_detection: false }])('says nothing when not asked: %j', (fields) =>
  dialling(
    VOICEMAIL,
    (application) => ({ ...fields, machine_detection_url: application.url('/machine'), time_limit: 4 }),
    async (application) => {
      expect((await application.webhook('Hangup')).parameters.get('HangupCauseCode')).toBe('6000');
      expect(application.webhooks.all.filter(isReport)).toHaveLength(0);
    },
  ),
);

test('says nothing about a call that is over before it knows', () =>
  dialling(
    VOICEMAIL,
    (application) => ({
      machine_detection: 'true',
      machine_detection_url: application.url('/machine'),
      time_limit: 1,
    }),
    async (application) => {
      await application.webhook('Hangup');
      expect(application.webhooks.all.filter(isReport)).toHaveLength(0);
    },
  ));
