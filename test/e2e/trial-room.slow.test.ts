/** A trial room that lets both participants in and carries no sound, which takes the time of listening for it. */
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
