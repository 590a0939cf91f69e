import { demoInRooms } from './demo-in-rooms.js';

test('with no key and no bot of one’s own the demo bot takes a call in a room and makes one through a browser; Ctrl+C ends everything', async () => {
  await demoInRooms('browser');
}, 60_000);
