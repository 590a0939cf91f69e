import { Router } from 'express';
import { fail } from './rest-answer.js';

/** Answers 405 for the paths of `api` when they are asked with a method it does not have there. */
export function wrongMethods(api: Router): Router {
  const allowed = new Map<string, Set<string>>();
  for (const { route } of api.stack) {
    if (!route) continue;
    const methods = allowed.get(route.path) ?? new Set();
    for (const { method } of route.stack) methods.add(method.toUpperCase());
    allowed.set(route.path, methods);
  }
  const refusals = Router({ strict: true, caseSensitive: true });
  for (const [path, methods] of allowed) {
    // A path without its slash is answered where a client needs it, and is no path of the carrier otherwise.
    if (!path.endsWith('/')) continue;
    refusals.all(path, (request, response) => {
      response.set('allow', [...methods].sort().join(', '));
      fail(response, 405, `method ${request.method} is not allowed here`);
    });
  }
  return refusals;
}
