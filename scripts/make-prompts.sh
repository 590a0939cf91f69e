#!/bin/sh
# Makes the recorded prompts again: 8 kHz mu-law WAV files spoken by espeak-ng. Needs espeak-ng and sox.
set -eu
cd "$(dirname "$0")/.."

say() { # file, text
  espeak-ng -v en-us -s 155 -w /tmp/prompt.$$.wav "$2"
  sox /tmp/prompt.$$.wav -r 8000 -c 1 -e mu-law "$1" gain -n -3 silence 1 0.02 0.5% reverse silence 1 0.02 0.5% reverse
  rm /tmp/prompt.$$.wav
}

say assets/apology.wav 'We are sorry. We cannot take your call right now. Please try again later. Goodbye.'
say assets/one-moment.wav 'One moment, please.'

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
