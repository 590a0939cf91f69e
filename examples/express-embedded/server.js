import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import express from 'express';
import { Webhook } from 'standardwebhooks';
import { embedRunner, VoicebotError } from 'voicebot/embed';

/** Starts the application, with the runner in its server. @param port 0 for any free one */
export async function start(port) {
  const calls = new Map(); // what the application knows of its calls, by their identifiers
  const seen = new Set();
  let runner;

  const app = express();

  // Before the parser of JSON: the signature of an event covers its bytes. The runner's own webhooks need no such care.
  app.post('/events', express.raw({ type: '*/*' }), (request, response) => {
    let event;
    try {
      event = new Webhook(process.env.VOICEBOT_EVENTS_SECRET).verify(request.body.toString(), request.headers);
    } catch {
      response.status(400).end();
      return;
    }
    const id = request.headers['webhook-id'];
    if (!seen.has(id)) {
      const { callId, ...data } = event.data;
      calls.set(callId, { ...calls.get(callId), ...data, last: event.type });
    }
    seen.add(id); // an event may come twice
    response.status(204).end();
  });

  app.use(express.json());
  app.get('/', (_request, response) =>
    response.send('My shop. The runner has its page at <a href="/voicebot/">/voicebot/</a>.'),
  );
  app.get('/calls', (_request, response) => response.json([...calls].map(([id, call]) => ({ id, ...call }))));

  // Places a call. Ask who wants that, before you put this on the internet.
  app.post('/calls', async (request, response) => {
    try {
      const { to, name } = request.body ?? {};
      response.status(202).json(await runner.dial(to, { body: { name } }));
    } catch (error) {
      if (!(error instanceof VoicebotError)) throw error;
      response.status(400).json({ code: error.code, message: error.message });
    }
  });

  const server = app.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  process.env.VOICEBOT_EVENTS_URL ??= `${url}/events`;
  process.env.VOICEBOT_EVENTS_SECRET ??= `whsec_${randomBytes(32).toString('base64')}`;
  runner = await embedRunner({ server, bot: 'bot.js', path: '/voicebot' });

  return {
    url,
    runner,
    server,
    async stop() {
      await runner.stop();
      server.close();
      server.closeAllConnections();
    },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const app = await start(Number(process.env.PORT ?? 3000));
  console.log(`The shop: ${app.url}\nIts runner: ${app.runner.url}/\nCall the bot: npx voicebot call --dtmf "w2 1"`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.stop());
}
