import { demoInRooms } from './demo-in-rooms.js';

test('with no key and no bot of one’s own the demo bot takes a call in a room and makes one; Ctrl+C ends everything', async () => {
  await demoInRooms('built-in');
}, 60_000);
