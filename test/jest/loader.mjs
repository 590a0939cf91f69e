// Has Node run the tests' TypeScript, and gives them the compiled code of `dist` where they import `src`: the code that users get.
import { register } from 'node:module';
import { register as registerTsx } from 'tsx/esm/api';

registerTsx();
register('./compiled-sources.mjs', import.meta.url);
