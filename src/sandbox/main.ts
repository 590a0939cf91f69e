/** The sandbox in a process of its own. */
import { serveParent } from './sandbox-child.js';

serveParent();
