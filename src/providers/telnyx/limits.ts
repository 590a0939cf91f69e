/** How long a call may ring before it is answered, in seconds. @see carrier reference 7.2 */
export const RING_TIMEOUT = { least: 5, most: 120 };

/** What this carrier takes that comes nearest to what is wanted. */
export const within = ({ least, most }: { readonly least: number; readonly most: number }, wanted: number): number =>
  Math.min(Math.max(wanted, least), most);
