import { Router } from 'express';
import { z } from 'zod';
import { webhookUrl } from '../network/loopback.js';
import type { SandboxRoomAccount } from './account.js';
import { type DialinEntry, dialinConfig } from './dialin-configs.js';
import type { DialinWebhooks } from './dialin-webhook.js';
import { parse, sendPage } from './rest-answer.js';
import { phoneNumber } from './rest-fields.js';

const dialinFields = {
  phone_number: phoneNumber.optional(),
  room_creation_api: webhookUrl,
  name_prefix: z.string().max(128).optional(),
  hmac: z.base64('must be base64').min(1).max(1_024).optional(),
  hold_music_url: z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional(),
  timeout_config: z.strictObject({ message: z.string().min(1).max(2_000) }).optional(),
};

/** Clients send entries back as they have read them, with the read-only address. */
const withoutSipUri = <T extends object>({ sip_uri: _, ...fields }: T & { sip_uri?: unknown }): Omit<T, 'sip_uri'> =>
  fields;

const sipUri = { sip_uri: z.unknown().optional() };

const DomainChange = z.strictObject({
  properties: z.strictObject({
    pinless_dialin: z
      .array(z.strictObject({ ...dialinFields, ...sipUri }).transform(withoutSipUri))
      .max(100)
      .optional(),
  }),
});

const NewDialinConfig = z
  .strictObject({
    type: z.literal('pinless_dialin', "must be 'pinless_dialin': the sandbox has no PINs"),
    ...dialinFields,
    ...sipUri,
  })
  .transform(({ type: _, ...fields }) => withoutSipUri(fields));

const DialinConfigChange = z
  .strictObject({ ...dialinFields, ...sipUri })
  .partial()
  .transform(withoutSipUri);

const text = z.string().optional();
const DialinConfigFilter = z.object({ phone_number: text, phone_numbers: text, name_prefix: text, type: text });

/** The domain and where calls to its numbers go. @see rooms reference 3 */
export function restDomain(account: SandboxRoomAccount, webhooks: DialinWebhooks): Router {
  const api = Router({ caseSensitive: true });
  const { dialin, domainName, domainId, logger } = account;

  const domain = (): object => ({
    domain_name: domainName,
    domain_id: domainId,
    config: { hipaa: false, lang: 'en', pinless_dialin: dialin.legacy.map(entryObject) },
  });

  /** Whatever comes of it, the configuration stands. */
  const test = (entry: DialinEntry): void => {
    const body = { Test: 'test', ...(entry.phone_number && { To: entry.phone_number }) };
    webhooks.send(dialinConfig(entry), body).catch((error: unknown) => {
      logger.debug('the test request to a dial-in webhook had no answer', { error });
    });
  };

  api.get('/', (_request, response) => {
    response.json(domain());
  });

  api.post('/', (request, response) => {
    const { pinless_dialin: entries } = parse(DomainChange, request.body).properties;
    if (entries) {
      dialin.replaceLegacy(entries);
      dialin.legacy.forEach(test);
    }
    response.json(domain());
  });

  api.get('/domain-dialin-config', (request, response) => {
    const filter = parse(DialinConfigFilter, request.query);
    const numbers = filter.phone_numbers?.split(',');
    const records = dialin.records.filter(
      ({ type, config }) =>
        (filter.type === undefined || filter.type === type) &&
        (filter.phone_number === undefined || filter.phone_number === config.phone_number) &&
        (!numbers || numbers.some((part) => config.phone_number?.includes(part))) &&
        (filter.name_prefix === undefined || config.name_prefix === filter.name_prefix),
    );
    sendPage(request, response, records);
  });

  api.post('/domain-dialin-config', (request, response) => {
    const record = dialin.create(parse(NewDialinConfig, request.body));
    test(record.config);
    response.json(record);
  });

  api.get('/domain-dialin-config/:id', (request, response) => {
    response.json(dialin.get(request.params.id));
  });

  api.put('/domain-dialin-config/:id', (request, response) => {
    const record = dialin.update(request.params.id, parse(DialinConfigChange, request.body));
    test(record.config);
    response.json(record);
  });

  api.delete('/domain-dialin-config/:id', (request, response) => {
    dialin.delete(request.params.id);
    response.json({ status: 'deleted' });
  });

  return api;
}

/** The provider names the address first. */
function entryObject({ sip_uri, ...entry }: DialinEntry): object {
  return { sip_uri, ...entry };
}
