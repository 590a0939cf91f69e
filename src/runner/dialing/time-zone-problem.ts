import { closestName } from '../../base/closest-name.js';
import { isTimeZone } from './local-time.js';

/** What abbreviations and the names of Windows are meant as; several where people of different places write the same. */
const MEANT: Readonly<Record<string, string>> = {
  ACST: 'Australia/Adelaide',
  AEDT: 'Australia/Sydney',
  AEST: 'Australia/Sydney',
  AKDT: 'America/Anchorage',
  AKST: 'America/Anchorage',
  ART: 'America/Argentina/Buenos_Aires',
  AST: 'America/Halifax or America/Puerto_Rico',
  AWST: 'Australia/Perth',
  BRT: 'America/Sao_Paulo',
  BST: 'Europe/London',
  CAT: 'Africa/Maputo',
  CDT: 'America/Chicago',
  CEST: 'Europe/Berlin',
  CET: 'Europe/Berlin',
  CST: 'America/Chicago or Asia/Shanghai',
  CST6CDT: 'America/Chicago',
  EAT: 'Africa/Nairobi',
  EDT: 'America/New_York',
  EEST: 'Europe/Athens',
  EET: 'Europe/Athens',
  EST: 'America/New_York',
  EST5EDT: 'America/New_York',
  GMT: 'Europe/London or Africa/Accra',
  GST: 'Asia/Dubai',
  HKT: 'Asia/Hong_Kong',
  HST: 'Pacific/Honolulu',
  IST: 'Asia/Kolkata, Europe/Dublin or Asia/Jerusalem',
  JST: 'Asia/Tokyo',
  KST: 'Asia/Seoul',
  MDT: 'America/Denver',
  MESZ: 'Europe/Berlin',
  MET: 'Europe/Berlin',
  MEZ: 'Europe/Berlin',
  MSK: 'Europe/Moscow',
  MST: 'America/Denver or America/Phoenix',
  MST7MDT: 'America/Denver',
  NST: 'America/St_Johns',
  NZDT: 'Pacific/Auckland',
  NZST: 'Pacific/Auckland',
  PDT: 'America/Los_Angeles',
  PHT: 'Asia/Manila',
  PKT: 'Asia/Karachi',
  PST: 'America/Los_Angeles or Asia/Manila',
  PST8PDT: 'America/Los_Angeles',
  SAST: 'Africa/Johannesburg',
  SGT: 'Asia/Singapore',
  SST: 'Pacific/Pago_Pago',
  WAT: 'Africa/Lagos',
  WEST: 'Europe/Lisbon',
  WET: 'Europe/Lisbon',
  WIB: 'Asia/Jakarta',
  'CENTRAL EUROPE STANDARD TIME': 'Europe/Budapest',
  'CENTRAL STANDARD TIME': 'America/Chicago',
  'EASTERN STANDARD TIME': 'America/New_York',
  'GMT STANDARD TIME': 'Europe/London',
  'INDIA STANDARD TIME': 'Asia/Kolkata',
  'MOUNTAIN STANDARD TIME': 'America/Denver',
  'PACIFIC STANDARD TIME': 'America/Los_Angeles',
  'ROMANCE STANDARD TIME': 'Europe/Paris',
  'W. EUROPE STANDARD TIME': 'Europe/Berlin',
};

/** Old names of countries and places, which IANA keeps as links. */
const OLD_NAME =
  /^(?:Cuba|Egypt|Eire|GB|GB-Eire|Hongkong|Iceland|Iran|Israel|Jamaica|Japan|Kwajalein|Libya|Navajo|NZ|NZ-CHAT|Poland|Portugal|PRC|ROC|ROK|Singapore|Turkey|W-SU)$/i;
/** The longest name of IANA has 32 characters; nothing is looked for that is far longer. */
const LONGEST = 40;
const MOST_REMEMBERED = 500;

const WRITE = 'write it as Europe/Berlin';

/** Of names that were wrong before: a list has the same mistake in each row. */
const remembered = new Map<string, string>();

/**
 * Why a text is not taken as the name of a time zone, with the name that was probably meant.
 * @returns words that go on the name of the field; undefined when it is taken
 */
export function timeZoneProblem(name: string): string | undefined {
  if (isTimeZone(name)) return undefined;
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const problem = problemOf(name.trim());
  if (remembered.size < MOST_REMEMBERED) remembered.set(name, problem);
  return problem;
}

function problemOf(name: string): string {
  if (name.length > LONGEST) return `is not known; ${WRITE}`;
  if (/^Etc\/(?:GMT|UTC)[+-]?\d/i.test(name)) {
    const isPlus = name.includes('+');
    return `counts the other way round (Etc/GMT${isPlus ? '+' : '-'}5 is 5 hours ${isPlus ? 'behind' : 'ahead of'} Greenwich) and has no summer time; ${WRITE}`;
  }
  if (/^(?:Etc\/.*|UTC|UCT|Zulu|Universal|Greenwich|Z|GMT0)$/i.test(name)) {
    return `is the time of no place, and has no summer time; ${WRITE}, where the callee is`;
  }
  if (/^(?:GMT|UTC|UT|SystemV\/.*)?[+-]\d/i.test(name)) return `is an offset, which has no summer time; ${WRITE}`;
  const meant = MEANT[name.toUpperCase()];
  if (meant !== undefined)
    return `is no name of IANA, since several places have it or it has no summer time; did you mean ${meant}?`;
  const similar = OLD_NAME.test(name) ? canonical(name) : similarTo(name);
  return similar === undefined ? `is not known; ${WRITE}` : `is not known; did you mean ${similar}?`;
}

const canonical = (name: string) => new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;

const lettersOf = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');

/** The city alone, or a name with a mistake in it. */
function similarTo(name: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone').filter(isTimeZone);
  const cityOf = (zone: string) => zone.slice(zone.lastIndexOf('/') + 1);
  const city = lettersOf(cityOf(name));
  const sameCity = zones.filter((zone) => city !== '' && lettersOf(cityOf(zone)) === city);
  if (sameCity.length > 0) return sameCity.join(' or ');
  const similar = closestName(name, zones);
  if (similar !== undefined || name.includes('/')) return similar;
  const similarCity = closestName(name, zones.map(cityOf));
  return zones.find((zone) => cityOf(zone) === similarCity);
}
