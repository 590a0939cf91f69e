import { Router } from 'express';
import { z } from 'zod';
import type { SandboxRoomAccount } from './account.js';
import { claimsOfPermissions, permissionsOfClaims } from './permission-claims.js';
import { Permissions } from './permissions.js';
import { invalidRequest, requireFuture } from './refusals.js';
import { parse } from './rest-answer.js';
import { unixTime } from './rest-fields.js';
import type { SignedClaims } from './room-token.js';

/** What the sandbox writes into a token; the other properties are tolerated. */
const TokenRequest = z.object({
  properties: z
    .object({
      room_name: z.string().regex(/^[\w-]{1,128}$/, 'must be the name of a room'),
      exp: unixTime,
      nbf: unixTime,
      is_owner: z.boolean(),
      user_name: z.string().max(256),
      user_id: z.string().max(36),
      eject_at_token_exp: z.boolean(),
      eject_after_elapsed: z.number().min(0),
      start_video_off: z.boolean(),
      start_audio_off: z.boolean(),
      permissions: Permissions,
    })
    .partial()
    .default({}),
});

type TokenProperties = z.infer<typeof TokenRequest>['properties'];

/** Short names in the token of the properties that are written as they are. @see rooms reference 7 */
const CLAIMS = {
  room_name: 'r',
  exp: 'exp',
  nbf: 'nbf',
  is_owner: 'o',
  user_name: 'u',
  user_id: 'ud',
  eject_at_token_exp: 'ejt',
  eject_after_elapsed: 'eje',
  start_video_off: 'vo',
  start_audio_off: 'ao',
} as const satisfies Partial<Record<keyof TokenProperties, keyof SignedClaims>>;

/** Issuing and examining tokens. @see rooms reference 7 */
export function restTokens(account: SandboxRoomAccount): Router {
  const api = Router({ caseSensitive: true });

  api.post('/meeting-tokens', (request, response) => {
    const { properties } = parse(TokenRequest, request.body);
    const { exp } = properties;
    if (exp !== undefined) requireFuture(exp, account.now());
    response.json({ token: account.createToken(claimsOf(properties)) });
  });

  api.get('/meeting-tokens/:token', (request, response) => {
    const claims = account.claimsOf(request.params.token);
    const now = account.now() / 1_000;
    if (!claims) throw invalidRequest('invalid token');
    if (claims.exp !== undefined && claims.exp <= now) throw invalidRequest('token has expired');
    const ignoresNbf = request.query.ignoreNbf === 'true';
    if (!ignoresNbf && claims.nbf !== undefined && claims.nbf > now) throw invalidRequest('token is not valid yet');
    response.json(propertiesOf(claims));
  });

  return api;
}

function claimsOf(properties: TokenProperties): Omit<SignedClaims, 'd' | 'iat'> {
  const claims = Object.entries(CLAIMS).map(([name, claim]) => [claim, properties[name as keyof typeof CLAIMS]]);
  const p = claimsOfPermissions(properties.permissions);
  return { ...Object.fromEntries(claims), ...(p && { p }) };
}

function propertiesOf(claims: SignedClaims): object {
  const properties = Object.entries(CLAIMS).map(([name, claim]) => [name, claims[claim]]);
  const permissions = permissionsOfClaims(claims.p);
  return { ...Object.fromEntries(properties), ...(permissions && { permissions }) };
}
