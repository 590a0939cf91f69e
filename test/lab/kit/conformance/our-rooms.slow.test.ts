import { roomConformance } from '../../../../src/lab/kit/conformance/room-conformance.js';
import { ourRooms } from './our-rooms.js';

roomConformance({ ...ourRooms(), test: (title, play) => test(title, play, 60_000) });
