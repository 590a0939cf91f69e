// Calls every contact in the database, and writes there what came of it. It may be killed at any moment and started again: the campaign
// goes on at the runner meanwhile, events wait there, and nothing is written twice and no contact called twice.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { openDatabase } from './database.js';

const RUNNER = process.env.VOICEBOT_URL ?? 'http://127.0.0.1:7860';
/** Names this campaign, so that it begins once however often this program is started: another name for the next one. */
const CAMPAIGN = process.env.CAMPAIGN ?? 'orders-ready';
const { VOICEBOT_TOKEN, VOICEBOT_EVENTS_SECRET, DATABASE = 'data', EVENTS_PORT = '3001' } = process.env;
if (!VOICEBOT_EVENTS_SECRET)
  throw new Error('VOICEBOT_EVENTS_SECRET is not set: give it to this program and to the runner');

const database = await openDatabase(DATABASE);
const webhook = new Webhook(VOICEBOT_EVENTS_SECRET);

const receiver = createServer(async (request, response) => {
  const body = await text(request); // as it came: the signature covers every byte
  let event;
  try {
    event = webhook.verify(body, request.headers);
  } catch {
    response.writeHead(400).end();
    return;
  }
  try {
    await database.addEvent(request.headers['webhook-id'], event);
    response.writeHead(204).end(); // only now: what was not written comes again
  } catch {
    response.writeHead(500).end();
  }
}).listen(Number(EVENTS_PORT), '127.0.0.1');

const contacts = await database.contacts();
const { campaign } = await ask('/campaigns', {
  name: CAMPAIGN,
  per_minute: 60,
  at_once: 2,
  retry: 'busy:5s',
  contacts: contacts.map(({ id, phone_number, name }) => ({ id, phone_number, body: { name } })),
});
console.log(`campaign ${campaign.id}: ${contacts.length} contacts`);

for (let condition = ''; condition !== 'done' && condition !== 'cancelled'; await wait(500)) {
  ({ condition } = (await ask(`/campaigns/${campaign.id}`)).campaign);
  const { results } = await ask(`/campaigns/${campaign.id}/results`);
  for (const result of results) if (result.outcome) await database.setResult(result);
}
// Events of the last calls may still be on their way.
while ((await database.unfinishedCalls()) > 0) await wait(200);
for (const { id, outcome, attempts } of await database.contacts()) console.log(`${id}  ${outcome}  after ${attempts}`);
receiver.close();
receiver.closeAllConnections();
await database.close();

/** @param body begins something, once for each name of a campaign; without one something is read */
async function ask(path, body) {
  const response = await fetch(RUNNER + path, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(VOICEBOT_TOKEN && { authorization: `Bearer ${VOICEBOT_TOKEN}` }),
      ...(body && { 'content-type': 'application/json', 'idempotency-key': CAMPAIGN }),
    },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.error?.message}. ${answer.error?.hint ?? ''}`);
  return answer;
}
