import { useEffect, useRef, useState } from 'preact/hooks';
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
