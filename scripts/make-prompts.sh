#!/bin/sh
# Makes the recorded prompts again: 8 kHz mu-law WAV files spoken by espeak-ng. Needs espeak-ng and sox.
set -eu
cd "$(dirname "$0")/.."

say() { # file, text, voice: default en-us, decibels by which its quiet parts are made louder: default none
  espeak-ng -v "${3:-en-us}" -s 155 -w /tmp/prompt.$$.wav "$2"
  sox /tmp/prompt.$$.wav -r 8000 -c 1 -e mu-law "$1" ${4:+gain -n 0 gain -l "$4"} gain -n -3 silence 1 0.02 0.5% reverse silence 1 0.02 0.5% reverse
  rm /tmp/prompt.$$.wav
}

say assets/apology.wav 'We are sorry. We cannot take your call right now. Please try again later. Goodbye.'
say assets/one-moment.wav 'One moment, please.'

say assets/apology.de.wav 'Es tut uns leid. Wir können Ihren Anruf gerade nicht annehmen. Bitte versuchen Sie es später noch einmal. Auf Wiederhören.' de 2
say assets/one-moment.de.wav 'Einen Moment, bitte.' de

say assets/apology.es.wav 'Lo sentimos. No podemos atender su llamada en este momento. Por favor, inténtelo más tarde. Adiós.' es 4
say assets/one-moment.es.wav 'Un momento, por favor.' es 3

say assets/apology.fr.wav 'Nous sommes désolés. Nous ne pouvons pas prendre votre appel pour le moment. Veuillez rappeler plus tard. Au revoir.' fr-fr
say assets/one-moment.fr.wav "Un instant, s'il vous plaît." fr-fr

say assets/apology.it.wav 'Siamo spiacenti. Al momento non possiamo rispondere alla sua chiamata. La preghiamo di riprovare più tardi. Arrivederci.' it 2
say assets/one-moment.it.wav 'Un momento, per favore.' it

(
cd test/e2e/bots/menu/prompts
say greeting.wav 'Hello! You have reached a voice bot in a media room.'
say menu.wav 'Press 0 for a person, or 9 to hang up.'
say one-moment.wav 'One moment please, I will connect you.'
say nobody-there.wav 'I am sorry. Nobody can take your call right now.'
say goodbye.wav 'Thank you for calling. Goodbye!'
)
(
cd test/e2e/bots/message/prompts
say message.wav 'Hello! This is a voice bot, calling to confirm your appointment tomorrow. Press 0 to speak with a person, or 9 to hang up.'
say one-moment.wav 'One moment please, I will connect you.'
say nobody-there.wav 'I am sorry. Nobody can take your call right now.'
say goodbye.wav 'Thank you. Goodbye!'
)
(
cd test/e2e/bots/reception/prompts
say greeting.wav 'Hello! This is the reception. Press 0, and I will connect you with a person.'
say one-moment.wav 'One moment please, I will connect you. I will leave the call when somebody answers.'
say busy.wav 'I am sorry, they cannot talk right now.'
say no-answer.wav 'I am sorry, nobody has answered.'
say nobody-there.wav 'I am sorry, I could not connect you.'
)
