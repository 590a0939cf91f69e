import { relative, resolve } from 'node:path';
import { providerOf } from '../../assembly/account.js';
import { VoicebotError } from '../../base/errors.js';
import { packageVersion } from '../../base/package-version.js';
import { shellWord } from '../../base/process/shell-word.js';
import {
  CertifyFolder,
  isFree,
  type KnownOwner,
  REHEARSAL,
  type TourOwner,
  tourIn,
} from '../../lab/certify/certify-folder.js';
import { CARRIER_NAMES, DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { accountToCertify } from './certify-account.js';
import { certifyCommandLine, type OptionChanges } from './certify-command.js';
import type { CertifyRequest } from './certify-request.js';
import { accountMark } from './kept-certificate.js';

/** Whose tour is asked for, which is known before anything is opened. @param home the state directory. @throws VoicebotError VB_CREDENTIALS_MISSING */
export function ownerOf({ isSandbox, config }: CertifyRequest, home: string): TourOwner {
  const voicebot = packageVersion();
  if (!isSandbox) {
    const account = accountToCertify(config);
    return { provider: providerOf(account), account: accountMark(home, account), voicebot };
  }
  const { carriers, roomsProvider, transport } = config;
  const provider = transport === 'rooms' ? roomsProvider : (carriers.carrier ?? DEFAULT_CARRIER);
  return { provider, account: REHEARSAL, voicebot };
}

/** Where a tour is kept. */
export interface TourPlace {
  /** Absolute. */
  readonly path: string;
  /** For people: from the working directory. */
  readonly shown: string;
  /** The tour that goes on there; undefined: one begins. */
  readonly before: CertifyFolder | undefined;
}

/**
 * The folder that goes on or begins; nothing is written.
 * @throws VoicebotError VB_CONFIG_INVALID when it goes on with a tour of others, VB_FILE_EXISTS when it begins where something is
 */
export function placeOf(request: CertifyRequest, owner: TourOwner, directory: string): TourPlace {
  const placed = (path: string, before?: CertifyFolder) => ({ path, shown: relative(directory, path) || '.', before });
  if (request.resume !== undefined) {
    const place = placed(request.resume, CertifyFolder.open(request.resume));
    refuseThatOfOthers(request, owner, place);
    return place;
  }
  if (request.output !== undefined) {
    if (isFree(request.output)) return placed(request.output);
    throw taken(request, owner, placed(request.output, tourIn(request.output)));
  }
  const isRehearsal = owner.account === REHEARSAL;
  const day = new Date().toISOString().slice(0, 10);
  const name = `certify-${owner.provider}-${isRehearsal ? 'rehearsal-' : ''}${day}`;
  for (let tour = 1; ; tour += 1) {
    const place = placed(resolve(directory, tour === 1 ? name : `${name}-${tour}`));
    if (isFree(place.path)) return place;
    const before = tourIn(place.path);
    if (!isRehearsal && isUnfinished(before, owner)) throw taken(request, owner, { ...place, before });
  }
}

const isUnfinished = (tour: CertifyFolder | undefined, owner: TourOwner): tour is CertifyFolder =>
  tour !== undefined && !tour.isOver && isSame(tour.owner, owner);

const isSame = (one: KnownOwner, other: TourOwner) =>
  one.provider === other.provider && one.account === other.account && one.voicebot === other.voicebot;

/** @param place with the tour that is there */
function taken({ typed }: CertifyRequest, owner: TourOwner, { shown, before }: TourPlace): VoicebotError {
  if (!isUnfinished(before, owner))
    return new VoicebotError('VB_FILE_EXISTS', shown, { hint: 'Name another folder with --output <folder>' });
  const next = certifyCommandLine(typed, { output: undefined, resume: shown });
  return new VoicebotError('VB_FILE_EXISTS', `${shown} is ${whose(owner)} that broke off`, {
    hint: `Go on with it: ${next}. Or name another folder with --output <folder>`,
  });
}

/** A tour is of one account, and of one version: what it has come to is said of both. */
function refuseThatOfOthers({ typed }: CertifyRequest, owner: TourOwner, { shown, before }: TourPlace): void {
  const { provider, account, voicebot }: KnownOwner = before?.owner ?? owner;
  if (!before || isSame(before.owner, owner)) return;
  const anew = `Begin a new one: ${certifyCommandLine(typed, { resume: undefined })}`;
  const compared = `npx voicebot certify --compare ${shellWord(shown)}`;
  const isOther = provider !== owner.provider || (account !== undefined && account !== owner.account);
  if (!isOther) {
    throw new VoicebotError(
      'VB_CONFIG_INVALID',
      `${shown} was played with ${voicebot ? `voicebot ${voicebot}` : 'an earlier voicebot'}, and this is ${owner.voicebot}`,
      { hint: before.isOver ? `${anew}. That one, compared with this version: ${compared}` : anew },
    );
  }
  const isRehearsal = account === REHEARSAL;
  const isOtherAccount = !isRehearsal && owner.account !== REHEARSAL && provider === owner.provider;
  const wanted = isOtherAccount ? 'this account is another one' : `this is to be ${whose(owner)}`;
  const on =
    isRehearsal && !before.isOver
      ? `. The rehearsal goes on with: ${certifyCommandLine(typed, { ...ofRehearsal(provider), resume: shown })}`
      : '';
  throw new VoicebotError('VB_CONFIG_INVALID', `${shown} is ${whose({ provider, account })}, and ${wanted}`, {
    hint: `${anew}${on}`,
  });
}

/** What is typed for a rehearsal of this provider. */
const ofRehearsal = (provider: string): OptionChanges => ({
  sandbox: true,
  ...(CARRIER_NAMES.includes(provider)
    ? { carrier: provider, transport: undefined }
    : { transport: 'rooms', carrier: undefined }),
  number: undefined,
  publicUrl: undefined,
  tunnel: undefined,
});

/** For people. */
const whose = ({ provider, account }: KnownOwner) =>
  account === REHEARSAL ? `a rehearsal on the sandbox's ${provider}` : `a tour of an account at ${provider}`;
