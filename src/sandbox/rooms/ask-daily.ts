import { request } from 'undici';
import { type JsonFields, parseFields } from '../../base/http/json-fields.js';
import type { RoomsApiRequest } from './face.js';

/** Asks Daily's REST API of this sandbox, as any client would. @param apiUrl its base address */
export async function askDaily(
  apiUrl: string,
  apiKey: string,
  { method, path, fields }: RoomsApiRequest,
): Promise<{ readonly status: number; readonly fields: JsonFields }> {
  const { statusCode, body } = await request(`${apiUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: fields === undefined ? null : JSON.stringify(fields),
  });
  return { status: statusCode, fields: parseFields(await body.text()) ?? {} };
}
