"""Signs the vectors of signature-v3.json, by the carrier's description and without any code of this project.

Reads the file on standard input and writes it with its signatures to standard output:
python3 signature_v3.py < ../../fixtures/plivo/signature-v3.json
"""

import base64
import hashlib
import hmac
import json
import sys
from itertools import groupby
from urllib.parse import parse_qsl, urlsplit


def message(method, url, form, nonce):
    parts = urlsplit(url)
    text = f'{parts.scheme}://{parts.netloc}{parts.path}'
    query = sorted(parse_qsl(parts.query, keep_blank_values=True))
    query_text = '&'.join(f'{key}={value}' for key, value in query)
    form_text = ''
    if method == 'POST':
        for key, fields in groupby(sorted(map(tuple, form)), key=lambda field: field[0]):
            form_text += ''.join(key + value for _, value in fields)
    if query_text and form_text:
        text += f'?{query_text}.{form_text}'
    elif query_text or form_text:
        text += f'?{query_text}{form_text}'
    return f'{text}.{nonce}'


def sign(vector, token):
    url = vector['url']
    if vector['kind'] == 'upgrade':
        url = 'http' + url[url.index(':'):]
    text = message(vector['method'], url, vector['form'], vector['nonce'])
    return base64.b64encode(hmac.new(token.encode(), text.encode(), hashlib.sha256).digest()).decode()


fixture = json.load(sys.stdin)
for vector in fixture['vectors']:
    vector['signature'] = sign(vector, fixture['authToken'])
json.dump(fixture, sys.stdout, indent=2, ensure_ascii=False)
print()
