import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import type { LogFields, Logger } from '../../../src/base/logger.js';
import { alone } from '../../../src/runner/alone.js';
import { CallRegistry } from '../../../src/runner/calls/life/call-registry.js';
import { RunnerCampaigns } from '../../../src/runner/campaigns/runner-campaigns.js';
import { CalleeHours } from '../../../src/runner/dialing/callee-hours.js';
import { NO_CALLING_RULES } from '../../../src/runner/dialing/calling-rules.js';
import { targetCheck } from '../../../src/runner/dialing/target-check.js';
import { RunnerAccess } from '../../../src/runner/http/access.js';
import { campaignReads } from '../../../src/runner/operator/campaign-reads.js';
import { DISGUISES } from '../../call/disguises.js';

const TOKEN = 'a-token-of-enough-characters';
const HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
const NUMBER = '+12125550101';

let directory: string;
let server: Server;
let opened: RunnerCampaigns;
let logged: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-campaigns-'));
  logged = [];
  const write = (message: string, fields?: LogFields) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  opened = new RunnerCampaigns({
    stateDirectory: directory,
    queueOf: alone.campaignQueue,
    botFile: '/bot.ts',
    phoneNumber: '+12025550100',
    registry: new CallRegistry(),
    access: new RunnerAccess(TOKEN, undefined, false),
    dial: async () => {},
    checkTarget: targetCheck({ phoneNumber: '+12025550100' }),
    hours: new CalleeHours(NO_CALLING_RULES),
    ringSeconds: 45,
    logger,
  });
  const app = express().use(opened.routes);
  for (const [path, handle] of Object.entries(campaignReads(opened.campaigns))) app.get(path, handle);
  server = createServer(app);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await opened.campaigns.start();
});

afterEach(async () => {
  await opened.campaigns.close();
  server.close();
  server.closeAllConnections();
  rmSync(directory, { recursive: true });
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
type Answer = { status: number; body: any };

async function post(body: unknown, headers: Record<string, string> = {}, path = '/campaigns'): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: text,
  });
  return { status: response.status, body: await response.json() };
}

async function read(path: string): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, body: await response.json() };
}

const contacts = (...numbers: string[]) => ({ contacts: numbers.map((phone_number) => ({ phone_number })) });
/** One that nobody is called in while the test looks. */
const PAUSED_SOON = { per_minute: 1, at_once: 1 };

test('begins a campaign, which can then be looked at', async () => {
  const { status, body } = await post({ ...contacts(NUMBER, '+1 (212) 555-0102'), ...PAUSED_SOON, name: 'spring' });
  expect(status).toBe(201);
  const { id } = body.campaign;
  expect(body.campaign).toMatchObject({ name: 'spring', condition: 'running', rows: 2, perMinute: 1, atOnce: 1 });
  expect((await read('/campaigns')).body.campaigns).toMatchObject([{ id }]);
  expect((await read(`/campaigns/${id}`)).body.campaign.id).toBe(id);
  expect((await read(`/campaigns/${id}/results`)).body.results).toMatchObject([
    { row: 1, phoneNumber: NUMBER },
    { row: 2, phoneNumber: '+12125550102' },
  ]);
  for (const [order, condition] of Object.entries({ pause: 'paused', resume: 'running', cancel: 'cancelled' })) {
    expect(await post({}, {}, `/campaigns/${id}/${order}`)).toMatchObject({
      status: 200,
      body: { campaign: { condition } },
    });
  }
});

test('nobody without the token, nothing but JSON, and nothing too large is read', async () => {
  expect((await post(contacts(NUMBER), { authorization: 'Bearer wrong' })).status).toBe(401);
  expect((await post(contacts(NUMBER), { 'content-type': 'text/csv' })).status).toBe(415);
  const large = await post(' '.repeat(20 * 1_024 * 1_024 + 1));
  expect([large.status, large.body.error.code]).toEqual([413, 'VB_BODY_TOO_LARGE']);
  expect((await read('/campaigns')).body.campaigns).toEqual([]);
});

test.each(DISGUISES)('a number with %s is the number of an earlier row again', async (_, write) => {
  const { body } = await post(contacts(NUMBER, write(NUMBER)));
  expect(body.problems).toEqual([{ row: 2, problem: 'the number of row 1 again' }]);
});

test('an abbreviation is no time zone, and the answer names the zone that was probably meant', async () => {
  const { body } = await post({ contacts: [{ phone_number: NUMBER, time_zone: 'BST' }] });
  expect(body.problems[0].problem).toMatch(/^time_zone is no name of IANA.*did you mean Europe\/London\?$/);
});

test('everything that is wrong with a request is named at once', async () => {
  const { status, body } = await post({ contacts: [], per_minute: 0, hours: '18-9', retry: 'engaged:5m', more: 1 });
  expect([status, body.error.code]).toEqual([400, 'VB_REQUEST_INVALID']);
  for (const name of ['contacts', 'per_minute', 'hours', 'retry', 'more']) expect(body.error.message).toContain(name);
});

test('contacts that cannot be called are listed by row, no number is repeated or logged, and nobody is called', async () => {
  const bad = [
    { phone_number: NUMBER },
    { phone_number: '+1212' },
    { phone_number: NUMBER },
    { phone_number: '+19005550101' },
    { phone_number: '+442071234567' },
    { phone_number: '+12025550100' },
    { phone_number: '+12125550102', time_zone: '+02:00' },
    { phone_number: '+12125550103', body: { text: 'x'.repeat(8_200) } },
    { phone_number: '+12125550104', first_name: 'Ada' },
    { phone_number: 12125550105 },
  ];
  const { status, body } = await post({ contacts: bad });
  expect([status, body.error.code, body.problem_count]).toEqual([400, 'VB_CONTACTS_INVALID', 9]);
  expect(body.problems.map(({ row }: { row: number }) => row)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(body.problems[1].problem).toBe('the number of row 1 again');
  const told = `${JSON.stringify(body)}${logged.join()}`.replaceAll('+12025550101', ''); // the example of how to write one
  expect(told).not.toMatch(/\d{7}/);
  expect((await read('/campaigns')).body.campaigns).toEqual([]);
  expect(await post({ contacts: bad, check_only: true })).toMatchObject({
    status: 200,
    body: { rows: 1, problem_count: 9 },
  });
  const skipped = await post({ contacts: bad, skip_bad: true, ...PAUSED_SOON });
  expect(skipped).toMatchObject({ status: 201, body: { campaign: { rows: 1 }, problem_count: 9 } });
});

test('a message names twenty problems and counts the others', async () => {
  const { body } = await post(contacts(...Array.from({ length: 25 }, () => '12')));
  expect(body.error.message).toMatch(/^Some contacts .*: 25 of them\n {2}row 1: /);
  expect(body.error.message).toMatch(/row 20: [^\n]+\n {2}and 5 more$/);
});

test('a number that may be in time zones without common hours needs a time zone', async () => {
  const russian = { phone_number: '+79161234567' };
  const checks = { checkTarget: async (to: string) => to, hours: new CalleeHours(NO_CALLING_RULES) };
  const { parseCampaignRequest } = await import('../../../src/runner/campaigns/campaign-request.js');
  const parse = (more: object) =>
    parseCampaignRequest(Buffer.from(JSON.stringify({ contacts: [{ ...russian, ...more }], hours: '9-12' })), checks);
  expect((await parse({})).problems).toMatchObject([
    { row: 1, problem: expect.stringMatching(/give it a time_zone$/) },
  ]);
  expect((await parse({ time_zone: 'Europe/Moscow' })).problems).toEqual([]);
});

test('a repeated request with its key makes one campaign, and another request with it is refused', async () => {
  const request = { ...contacts(NUMBER), ...PAUSED_SOON };
  const key = { 'idempotency-key': 'one' };
  const [first, again] = await Promise.all([post(request, key), post(request, key)]);
  expect(again.body.campaign.id).toBe(first.body.campaign.id);
  const other = await post({ ...contacts('+12125550102') }, key);
  expect([other.status, other.body.error.code]).toEqual([409, 'VB_REQUEST_CONFLICT']);
  expect((await read('/campaigns')).body.campaigns).toHaveLength(1);
});

test('what is not known is answered with 404', async () => {
  expect((await read('/campaigns/cmp_none')).status).toBe(404);
  expect((await read('/campaigns/cmp_none/results')).status).toBe(404);
  expect((await post({}, {}, '/campaigns/cmp_none/pause')).status).toBe(404);
});
