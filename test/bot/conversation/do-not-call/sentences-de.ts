import type { Sentences } from './sentences.js';

export const DE: Sentences = {
  asks: `Rufen Sie mich nicht mehr an.
Bitte rufen Sie mich nicht mehr an!
Rufen Sie mich nie wieder an.
Rufen Sie hier nicht mehr an.
Rufen Sie diese Nummer nicht mehr an.
Rufen Sie bitte unter dieser Nummer nicht mehr an.
Ruf mich nicht mehr an.
Ruf mich nie wieder an!
Ruft uns nicht mehr an.
Rufen Sie uns bitte in Zukunft nicht mehr an.
Rufen Sie mich niemals wieder an.
Rufen Sie mich nicht noch einmal an.
Sie sollen mich nicht mehr anrufen.
Sie brauchen mich nicht mehr anzurufen.
Bitte nicht mehr anrufen.
Mich bitte nicht mehr anrufen. Nie wieder anrufen!
Ich möchte nicht mehr angerufen werden.
Ich will nicht mehr angerufen werden.
Ich will nicht mehr von Ihnen angerufen werden.
Wir möchten in Zukunft nicht mehr kontaktiert werden.
Ich möchte nie wieder angerufen werden.
Ich will keine Anrufe mehr.
Ich möchte keine weiteren Anrufe bekommen.
Ich möchte keine Anrufe mehr von Ihnen.
Wir wünschen keine Werbeanrufe mehr.
Keine Anrufe mehr, bitte.
Ich möchte nicht, dass Sie mich noch einmal anrufen.
Ich will nicht, dass Sie mich weiter anrufen.
Hören Sie auf, mich anzurufen.
Hören Sie endlich auf, hier anzurufen!
Hör auf, mich anzurufen.
Hören Sie auf mit den Anrufen.
Streichen Sie mich von Ihrer Liste.
Bitte streichen Sie meine Nummer aus Ihrer Liste.
Nehmen Sie mich aus Ihrer Datenbank.
Löschen Sie meine Nummer.
Bitte löschen Sie meine Telefonnummer aus Ihrem System.
Sperren Sie bitte meine Nummer.
Setzen Sie mich auf die Sperrliste.
Setzen Sie meine Nummer auf Ihre Robinsonliste.
Unterlassen Sie diese Anrufe.
Kontaktieren Sie mich nicht mehr.
Belästigen Sie mich nicht weiter.
Kein Interesse. Rufen Sie mich bitte nicht wieder an.
Entfernen Sie mich bitte sofort aus Ihrer Kundenliste.`,
  others: `Rufen Sie mich nicht vor neun an.
Rufen Sie mich bitte nicht mehr vor neun Uhr an.
Rufen Sie mich morgen wieder an.
Rufen Sie mich heute nicht mehr an.
Rufen Sie mich wieder an.
Bitte rufen Sie noch einmal an.
Rufen Sie mich nicht nach achtzehn Uhr an.
Rufen Sie mich diese Woche nicht mehr an.
Rufen Sie mich abends nicht mehr an.
Rufen Sie mich am Wochenende nicht mehr an.
Rufen Sie mich nicht mehr im Büro an.
Warum rufen Sie mich nicht mehr an?
Wieso ruft ihr mich nicht wieder an?
Wann rufen Sie mich wieder an?
Er hat gesagt, rufen Sie mich nicht mehr an.
Meine Frau sagt, rufen Sie hier nicht mehr an.
Ich rufe Sie nicht mehr an.
Ich rufe da nie wieder an.
Meine Tochter ruft mich nicht mehr an.
Vergessen Sie nicht, mich anzurufen.
Rufen Sie mich bitte zurück.
Ich möchte morgen angerufen werden.
Ich möchte heute nicht mehr angerufen werden.
Ich möchte jetzt nicht angerufen werden.
Ich möchte keine Anrufe am Abend.
Ich habe keine Anrufe mehr bekommen.
Ich habe nicht gesagt, rufen Sie mich nicht mehr an.
Hören Sie auf zu reden.
Hören Sie mich?
Streichen Sie den Termin am Freitag.
Streichen Sie die Milch von meiner Einkaufsliste.
Nehmen Sie mich auf die Warteliste.
Löschen Sie meinen Termin.
Ich habe Ihre Nummer gelöscht.
Setzen Sie mich auf die Gästeliste.
Nennen Sie mich nicht mehr Schatz.
Ich verstehe Sie nicht mehr.
Ich kann nicht mehr warten.
Sie rufen mich aber wieder an, oder?
Wenn ich nicht da bin, rufen Sie mich nicht mehr an.
Rufen Sie mich nicht mehr an, bevor der Techniker da war.
Wollen Sie mich nicht mehr anrufen?
Soll ich nicht mehr anrufen?
Rufen Sie nicht mich an, sondern meinen Mann.
Das mache ich nie wieder.
Bitte nicht mehr vor acht anrufen.
Ich möchte keine Werbung per Post.`,
};
