/** Trial rooms that take their time: one that carries no sound, and one that a real browser is to join. */
import { admit, FakeRoomServer } from '../rooms/webrtc/fake-room-server.js';
import { AccountRuns } from './account-runs.js';
import { RoomsStandIn } from './rooms-stand-in.js';
import { failureTold, TrialVisits } from './trial-visits.js';

test('no sound comes through: exit 5 with what a firewall has to let through', async () => {
  await using runs = await AccountRuns.open();
  await using provider = await RoomsStandIn.before(runs.accounts.sandbox.roomsApiUrl);
  const silent = await FakeRoomServer.start(admit([], 16_000));
  provider.roomUrl = silent.url;
  const words = 'The room could not be joined: it let both participants in, but no sound came through';
  const hint =
    "let UDP to the provider's servers, or TCP port 443 to its TURN servers, through the firewalls of this machine and its network";
  try {
    expect(await new TrialVisits(runs, provider).both()).toEqual(failureTold(5, 'VB_ROOM_JOIN_FAILED', words, hint));
    expect(silent.clients).toHaveLength(4);
  } finally {
    await silent.close();
  }
}, 60_000);

test('a web page in place of a room, through a real browser: exit 5, naming what could not be loaded', async () => {
  await using runs = await AccountRuns.open();
  await using provider = await RoomsStandIn.before(runs.accounts.sandbox.roomsApiUrl);
  const { run, doctor } = await new TrialVisits(runs, provider).both({ ROOMS_CLIENT: 'browser' });
  const words = `✖ The room provider could not be reached: the provider's client could not be loaded: ${new URL(provider.apiUrl).origin}/client.js: `;
  expect(run).toEqual({ exitCode: 5, told: expect.stringContaining(words) });
  expect(doctor).toEqual({ exitCode: 5, told: expect.stringContaining(words.slice(2)) });
}, 60_000);
