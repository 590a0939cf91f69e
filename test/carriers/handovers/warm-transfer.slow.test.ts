import { testsAtOnce } from '../../tests-at-once.js';
import { CARRIERS } from '../conformance/carriers.js';
import { Consulting } from '../consulting/consulting.js';
import { WARM, warmStories } from './warm-stories.js';

const LIMIT_MS = 300_000;

const stories = CARRIERS.map((played) => warmStories(`at ${played.name}`, () => Consulting.open(played, WARM)));

testsAtOnce(Object.assign({}, ...stories), LIMIT_MS, 3);
