import { Router } from 'express';
import { z } from 'zod';
import type { SandboxRoomAccount } from './account.js';
import { invalidRequest, notFound } from './refusals.js';
import { parse, sendPage } from './rest-answer.js';

const NumberFilter = z.object({ filter_name: z.string().optional(), filter_number: z.string().optional() });

/** The account's telephone numbers: they can be neither bought nor released. @see rooms reference 5 */
export function restNumbers(account: SandboxRoomAccount): Router {
  const api = Router({ caseSensitive: true });
  // RFC 2822, as `Mon, 19 Aug 2024 18:50:34 +0000`.
  const createdDate = account.createdAt.toUTCString().replace('GMT', '+0000');

  api.get('/list-available-numbers', (_request, response) => {
    response.json({ total_count: 0, data: [] });
  });

  api.post('/buy-phone-number', () => {
    throw invalidRequest('the sandbox sells no numbers: use one of GET /purchased-phone-numbers');
  });

  api.get('/purchased-phone-numbers', (request, response) => {
    const { filter_name: name, filter_number: part = '' } = parse(NumberFilter, request.query);
    const numbers = account.numbers.filter(({ number }) => !name && number.includes(part));
    const objects = numbers.map(({ id, number }) => ({
      name: null,
      id,
      created_date: createdDate,
      type: 'purchased_phone_number',
      number,
      status: 'verified',
      verified: true,
    }));
    sendPage(request, response, objects.reverse());
  });

  api.delete('/release-phone-number/:id', (request) => {
    const isOurs = account.numbers.some(({ id }) => id === request.params.id);
    if (!isOurs) throw notFound(`there is no phone number with the id ${request.params.id}`);
    throw invalidRequest('Failed to release new number, try again in 14 days');
  });

  return api;
}
