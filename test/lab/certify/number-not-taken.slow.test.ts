import type { Certificate } from '../../../src/lab/certify/certificate.js';
import type { CertifyFolder } from '../../../src/lab/certify/certify-folder.js';
import type { Fields } from './differing-provider.js';
import { tourOfSandbox } from './tour-of-sandbox.js';

const isNumber = (path: string) => /IncomingPhoneNumbers\/PN\w+\.json$/.test(path);

/** A provider that does not keep where calls go when the first address fails. */
const forgetful = {
  rest: (_method: string, path: string, { status, fields }: { status: number; fields: Fields }) => ({
    status,
    fields: isNumber(path) ? { ...fields, voice_fallback_url: '' } : fields,
  }),
};

test('tells what a provider has said whose number cannot be taken, without the number', async () => {
  let kept: { certificate: Certificate; wire: string } | undefined;
  const look = (folder: CertifyFolder) => {
    kept = { certificate: folder.certificate(), wire: JSON.stringify(folder.items('number')) };
  };
  await tourOfSandbox('twilio', ['bot-hangs-up'], forgetful, look);
  const { steps = [], differences = [] } = kept?.certificate ?? {};
  const number = steps.find(({ name }) => name === 'number');
  expect(number).toEqual({
    name: 'number',
    state: 'failed',
    why: 'The number could not be pointed at this runner (VB_REGISTRATION_FAILED)',
  });
  expect(differences).toContainEqual(
    expect.objectContaining({ step: 'number', kind: 'other form', field: 'voice_fallback_url', matters: true }),
  );
  expect(kept?.wire).toContain('POST /Accounts/<account>/IncomingPhoneNumbers/<id>.json');
});
