import { LIST } from '../base/names/name-list.js';
import type { AccountNames, CarrierVariables } from '../providers/account-names.js';
import type { Carrier } from '../providers/carrier.js';
import { CARRIER_NAMES, type CarrierName, DEFAULT_CARRIER } from '../providers/registry/carrier-names.js';
import { carrierByName } from '../providers/registry/carriers.js';
import { type Parse, SETTINGS, type SettingName, type SettingValues } from './settings.js';

/** What opens an account at a carrier. */
const CREDENTIALS = ['authId', 'authToken', 'publicKey', 'apiKeyId', 'apiKeySecret'] as const;
export type Credential = (typeof CREDENTIALS)[number];
export type AccountField = Credential | 'phoneNumber';
const FIELDS: readonly AccountField[] = [...CREDENTIALS, 'phoneNumber'];

/** The settings of ours, which hold for every carrier. Keys of the REST API are known by their carrier's names only. */
const OURS = {
  authId: 'carrierAuthId',
  authToken: 'carrierAuthToken',
  publicKey: 'carrierPublicKey',
  phoneNumber: 'carrierPhoneNumber',
} as const satisfies Partial<Record<AccountField, SettingName>>;

const PARSES: Readonly<Record<AccountField, Parse<string>>> = {
  authId: SETTINGS.carrierAuthId.parse,
  authToken: SETTINGS.carrierAuthToken.parse,
  publicKey: SETTINGS.carrierPublicKey.parse,
  phoneNumber: SETTINGS.carrierPhoneNumber.parse,
  apiKeyId: SETTINGS.carrierAuthId.parse,
  apiKeySecret: SETTINGS.carrierAuthToken.parse,
};

/** The variable by which a carrier's own tools know a part of its account; undefined where it has no such part. */
export function ownVariable({ apiKey, ...variables }: CarrierVariables, field: AccountField): string | undefined {
  if (field === 'apiKeyId') return apiKey?.id;
  return field === 'apiKeySecret' ? apiKey?.secret : variables[field];
}

/** The variable of ours for a part of an account. */
export const ourVariable = (field: AccountField): string | undefined =>
  field in OURS ? SETTINGS[OURS[field as keyof typeof OURS]].variable : undefined;

/** All variables of carriers' own that are read, and those among them that bots do not get. */
export const ownVariables = (): readonly string[] => [...variablesOf(FIELDS), ...regionVariables()];
export const runnersOwnVariables = (): readonly string[] => variablesOf(['apiKeySecret']);

function variablesOf(fields: readonly AccountField[]): string[] {
  return CARRIER_NAMES.flatMap((name) =>
    fields.flatMap((field) => ownVariable(carrierByName(name).variables, field) ?? []),
  );
}

function regionVariables(): string[] {
  return CARRIER_NAMES.flatMap((name) => {
    const { regions } = carrierByName(name);
    return regions ? [regions.region, regions.edge] : [];
  });
}

/** What is set of one account at a carrier. */
export interface CarrierAccountSettings extends Readonly<Partial<Record<AccountField, string>>> {
  readonly carrier: CarrierName;
  readonly apiUrl?: string | undefined;
  /** The variables that its credentials stand in. */
  readonly variables: Readonly<Partial<Record<Credential, string>>>;
  /** The variables to speak of: those that were used, and beside them those of the same kind. */
  readonly names: AccountNames;
}

/** The carrier of a run, and the accounts that are set. */
export interface CarrierChoice {
  /** Undefined where the credentials of several are set and no setting chooses one. */
  readonly carrier: CarrierName | undefined;
  /** A flag, a variable or a file names it. Where not, it follows from what is set. */
  readonly isNamed: boolean;
  /** Why it is that one, for people. */
  readonly why: string;
  /** One for each carrier with credentials, whole or not. */
  readonly accounts: readonly CarrierAccountSettings[];
}

/** A variable that is set, and where. */
export interface FoundVariable {
  readonly name: string;
  readonly source: string;
  readonly value: string;
}

export interface CarrierSources {
  /** What the command line says. */
  readonly flags: Pick<Partial<SettingValues>, 'carrier' | 'carrierPhoneNumber'>;
  /** What a variable of ours or a file says, and which. */
  readonly configured: { readonly carrier: CarrierName; readonly by: string } | undefined;
  /** The values of our other settings. */
  readonly ours: Partial<SettingValues>;
  /** Not an empty one. */
  readonly find: (name: string) => FoundVariable | undefined;
}

type Own = Readonly<Partial<Record<AccountField, FoundVariable>>>;

/**
 * The carrier follows from the credentials that are set; `carrier` decides where those of several are. Ours belong to the
 * carrier that `CARRIER` or a file names; else to that of the flag, unless it has some under its own names; else to the
 * default one.
 * @returns also what of the chosen carrier cannot be used, and the variables that were taken for ours
 */
export function readCarriers({ flags, configured, ours, find }: CarrierSources): CarrierChoice & {
  readonly problems: readonly string[];
  readonly secondNames: ReadonlyArray<{ name: string; variable: string; source: string }>;
} {
  const owns = new Map(CARRIER_NAMES.map((name) => [name, ownOf(name, find)]));
  const hasOwn = (name: CarrierName) => CREDENTIALS.some((field) => owns.get(name)?.[field]);
  const hasOurs = ours.carrierAuthId !== undefined || ours.carrierAuthToken !== undefined;
  const unnamed = flags.carrier && !hasOwn(flags.carrier) ? flags.carrier : DEFAULT_CARRIER;
  const ourCarrier = hasOurs ? (configured?.carrier ?? unnamed) : undefined;
  const present = CARRIER_NAMES.filter((name) => hasOwn(name) || name === ourCarrier);
  const [only = DEFAULT_CARRIER, ...others] = present;
  const carrier = flags.carrier ?? configured?.carrier ?? (others.length > 0 ? undefined : only);

  const accounts = present.map((name) =>
    accountOf(
      name,
      owns.get(name) ?? {},
      {
        ...(name === (ourCarrier ?? configured?.carrier ?? carrier ?? name) && ours),
        ...(name === carrier && flags.carrierPhoneNumber && { carrierPhoneNumber: flags.carrierPhoneNumber }),
      },
      find,
      flags.carrierPhoneNumber !== undefined,
    ),
  );
  const chosen = accounts.find((one) => one.account.carrier === carrier);
  return {
    carrier,
    isNamed: (flags.carrier ?? configured) !== undefined,
    why: flags.carrier ? '--carrier' : (configured?.by ?? whyOf(chosen?.account)),
    accounts: accounts.map(({ account }) => account),
    problems: chosen?.problems ?? [],
    secondNames: chosen?.secondNames ?? [],
  };
}

/** The variables of its own that a carrier's account has. */
function ownOf(name: CarrierName, find: CarrierSources['find']): Own {
  const { variables } = carrierByName(name);
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const variable = ownVariable(variables, field);
      const found = variable ? find(variable) : undefined;
      return found ? [[field, found]] : [];
    }),
  );
}

/** Ours count first. What cannot be used is left out. @param isNumberTyped the number among `ours` is the command line's */
function accountOf(
  carrier: CarrierName,
  own: Own,
  ours: Partial<SettingValues>,
  find: CarrierSources['find'],
  isNumberTyped: boolean,
) {
  const values: Partial<Record<AccountField, string>> = {};
  const variables: Partial<Record<Credential, string>> = {};
  const problems: string[] = [];
  const secondNames: Array<{ name: string; variable: string; source: string }> = [];
  let numberVariable: string | undefined;
  for (const field of FIELDS) {
    const variable = ourVariable(field);
    const given = field in OURS ? ours[OURS[field as keyof typeof OURS]] : undefined;
    const found = own[field];
    if (given === undefined && !found) continue;
    try {
      values[field] = given ?? PARSES[field](found?.value);
    } catch (error) {
      problems.push(`${found?.name} in ${found?.source} ${(error as Error).message}`);
      continue;
    }
    const name = given === undefined ? found?.name : variable;
    if (field === 'phoneNumber') numberVariable = isNumberTyped ? found?.name : name;
    else if (name) variables[field] = name;
    if (given === undefined && found && variable)
      secondNames.push({ name: found.name, variable, source: found.source });
  }
  const regional = regionOf(carrierByName(carrier), find);
  problems.push(...regional.problems);
  const apiUrl = ours.carrierApiUrl ?? regional.apiUrl;
  const names = namesUsed(
    carrierByName(carrier).variables,
    { ...variables, phoneNumber: numberVariable },
    {
      apiUrl: ours.carrierApiUrl === undefined ? regional.names : SETTINGS.carrierApiUrl.variable,
      hasKey: values.apiKeyId !== undefined,
    },
  );
  const account: CarrierAccountSettings = { carrier, ...values, apiUrl, variables, names };
  return { account, problems, secondNames };
}

/** Where the API is that the variables of a region lead to, as the carrier's own packages read them. */
function regionOf({ regions, defaultApiUrl }: Carrier, find: CarrierSources['find']) {
  const found = [regions?.region, regions?.edge].map((name) => (name === undefined ? undefined : find(name)));
  const [region, edge] = found;
  const problems = found.flatMap((one) =>
    one && !REGION.test(one.value)
      ? [`${one.name} in ${one.source} must be small letters, digits and "-", such as ie1 or dublin`]
      : [],
  );
  const names = LIST.format(found.flatMap((one) => one?.name ?? [])) || undefined;
  if (!regions || names === undefined || problems.length > 0) return { problems, names: undefined, apiUrl: undefined };
  return { problems, names, apiUrl: regions.apiUrl(defaultApiUrl, { region: region?.value, edge: edge?.value }) };
}

/** It becomes a part of a host name, and must not be able to become more than one. */
const REGION = /^[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){0,3}$/;

type UsedVariables = { readonly [Field in AccountField]?: string | undefined };

/** @param used the variables that were used */
function namesUsed(
  own: CarrierVariables,
  used: UsedVariables,
  { apiUrl, hasKey }: { readonly apiUrl: string | undefined; readonly hasKey: boolean },
): AccountNames {
  const nameOf = (field: AccountField) => used[field] ?? wantedName(own, used, field);
  const signIn = hasKey ? (['apiKeyId', 'apiKeySecret'] as const) : (['authId', 'authToken'] as const);
  return {
    signIn: LIST.format(signIn.filter((field) => ownVariable(own, field)).map(nameOf)),
    webhookKey: nameOf(ownVariable(own, 'publicKey') ? 'publicKey' : 'authToken'),
    phoneNumber: nameOf('phoneNumber'),
    apiUrl,
  };
}

/** What a part of an account would be set by that is not: beside variables of the carrier's own, another one of these. */
export function wantedName(own: CarrierVariables, used: UsedVariables, field: AccountField): string {
  const isOwn = Object.values(used).some((name) => name && !name.startsWith('CARRIER_'));
  return (isOwn ? undefined : ourVariable(field)) ?? ownVariable(own, field) ?? '';
}

function whyOf(account: CarrierAccountSettings | undefined): string {
  const [variable] = Object.values(account?.variables ?? {});
  if (variable === undefined) return 'no credentials are set';
  return variable.startsWith('CARRIER_') ? `${variable} is set, and CARRIER is not` : `${variable} is set`;
}
