import { useEffect, useRef, useState } from 'preact/hooks';
import type { PhoneNumbers } from '../../call/phone-messages.js';
import type { RunnerStatus } from '../../call/runner-status.js';
import { askJsonPatiently, NotThere } from '../link/runner-link.js';
import { Handset, type PhoneView } from './handset.js';

/** The phone of this page: one for as long as the page is there, whatever part of it the user looks at. */
export function usePhone(token: string | undefined): { phone: Handset; view: PhoneView } {
  const held = useRef<Handset | undefined>(undefined);
  held.current ??= new Handset();
  const phone = held.current;
  const [view, setView] = useState(phone.view);
  useEffect(() => {
    phone.token = token;
  }, [phone, token]);
  useEffect(() => {
    const show = () => setView(phone.view);
    phone.addEventListener('change', show);
    const hangUp = () => phone.hangUp();
    addEventListener('pagehide', hangUp);
    return () => {
      phone.removeEventListener('change', show);
      removeEventListener('pagehide', hangUp);
      hangUp();
    };
  }, [phone]);
  return { phone, view };
}

/** Null where there is nothing to ring; undefined until it is known. */
export function usePhoneNumbers(
  token: string | undefined,
  status: RunnerStatus | undefined,
): PhoneNumbers | null | undefined {
  const [numbers, setNumbers] = useState<PhoneNumbers | null>();
  const { hasPhone, startedAt } = status ?? {};
  useEffect(() => {
    if (hasPhone === false) setNumbers(null);
    if (!hasPhone) return;
    const over = new AbortController();
    askJsonPatiently<PhoneNumbers>('/phone/numbers', token, over.signal)
      .catch((error) => (error instanceof NotThere ? null : undefined))
      .then((answer) => over.signal.aborted || answer === undefined || setNumbers(answer));
    return () => over.abort();
  }, [token, hasPhone, startedAt]);
  return numbers;
}
