import { Router } from 'express';
import { z } from 'zod';
import type { StoredNumber, TelnyxAccount } from './account.js';
import { fail, notFound, parse, send, sendPage } from './rest-answer.js';

const NumberQuery = z.object({
  'filter[phone_number]': z.string().min(3).optional(),
  'filter[connection_id]': z.string().optional(),
});

/** Other fields are kept as they come. */
const NumberChange = z.looseObject({
  id: z.never().optional(),
  phone_number: z.never().optional(),
  connection_id: z.string().nullable().optional(),
});

/** The numbers of the account: they can be neither bought nor given up. @see carrier reference 7.2 */
export function restNumbers(account: TelnyxAccount): Router {
  const api = Router({ caseSensitive: true });
  const numberOf = (id: string) => account.numbers.find((number) => number.id === id);
  const shown = (number: StoredNumber) => {
    const connection = account.connection(number.connection_id ?? '');
    return { ...number, connection_name: connection?.connection_name ?? null };
  };

  api.get('/phone_numbers', (request, response) => {
    const query = parse(NumberQuery, request.query, response);
    if (!query) return;
    const { 'filter[phone_number]': digits = '', 'filter[connection_id]': connectionId } = query;
    // What is not a digit is in no number, the `+` among it (the carrier's description of its API).
    const found = account.numbers.filter(
      (number) =>
        number.phone_number.slice(1).includes(digits) &&
        (connectionId === undefined || number.connection_id === connectionId),
    );
    sendPage(request, response, found.map(shown));
  });

  api.get('/phone_numbers/:id', (request, response) => {
    const number = numberOf(request.params.id);
    if (number) send(response, 200, { data: shown(number) });
    else notFound(response);
  });

  api.patch('/phone_numbers/:id', (request, response) => {
    const number = numberOf(request.params.id);
    if (!number) return notFound(response);
    const change = parse(NumberChange, request.body, response);
    if (!change) return;
    const { connection_id: connectionId, ...others } = change;
    if (connectionId && !account.connection(connectionId))
      return fail(response, 422, `The 'connection_id' parameter is invalid: there is no connection ${connectionId}.`);
    Object.assign(number, others, { updated_at: new Date().toISOString() });
    if (connectionId !== undefined) number.connection_id = connectionId || null;
    send(response, 200, { data: shown(number) });
  });

  return api;
}
