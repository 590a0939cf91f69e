import { PGlite } from '@electric-sql/pglite';

/** Postgres in this process, in a folder. With a server of your own use the package `pg`: the statements are the same. */
export async function openDatabase(folder) {
  const db = await PGlite.create(folder);
  await db.exec(`
    CREATE TABLE IF NOT EXISTS contacts (
      id text PRIMARY KEY, phone_number text NOT NULL, name text NOT NULL,
      outcome text, attempts integer, call_id text
    );
    CREATE TABLE IF NOT EXISTS events (
      id text PRIMARY KEY, type text NOT NULL, call_id text NOT NULL, happened_at timestamptz NOT NULL, data jsonb NOT NULL
    );`);
  return {
    addContact: (id, phoneNumber, name) =>
      db.query('INSERT INTO contacts (id, phone_number, name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
        id,
        phoneNumber,
        name,
      ]),

    contacts: async () => (await db.query('SELECT * FROM contacts ORDER BY id')).rows,

    events: async () => (await db.query('SELECT * FROM events ORDER BY happened_at')).rows,

    /** An event may come twice, also after a crash: it is the same row then. */
    addEvent: (id, { type, timestamp, data }) =>
      db.query('INSERT INTO events VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING', [
        id,
        type,
        data.callId,
        timestamp,
        data,
      ]),

    /** The same however often it is written. */
    setResult: ({ id, outcome, attempts, callId }) =>
      db.query('UPDATE contacts SET outcome = $2, attempts = $3, call_id = $4 WHERE id = $1', [
        id,
        outcome,
        attempts,
        callId,
      ]),

    /** Calls of contacts whose end has not been told. */
    unfinishedCalls: async () =>
      (
        await db.query(`SELECT count(*)::int AS count FROM contacts WHERE call_id IS NOT NULL AND NOT EXISTS
          (SELECT FROM events WHERE events.call_id = contacts.call_id AND type = 'call.ended')`)
      ).rows[0].count,

    close: () => db.close(),
  };
}
