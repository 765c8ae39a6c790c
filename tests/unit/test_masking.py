"""Secrets in what is said are masked; other numbers and words are not. All secrets here are generated."""

from __future__ import annotations

import base64
import json
import random
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.masking import has_mask, mask_in, mask_secrets

RANDOM = random.Random(17)


def _made(alphabet: str, length: int) -> str:
    return "".join(RANDOM.choices(alphabet, k=length))


LETTERS, HEX = string.ascii_letters + string.digits, "0123456789abcdef"
JWT = ".".join(
    base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
    for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": "1234567890", "name": "A"})
)
KEYS = {
    "aws": "AKIA" + _made(string.ascii_uppercase + string.digits, 16),
    "github": "ghp_" + _made(LETTERS, 36),
    "gitlab": "glpat-" + _made(LETTERS, 20),
    "slack": "xoxb-" + _made(string.digits, 12) + "-" + _made(LETTERS, 24),
    "stripe": "sk_live_" + _made(LETTERS, 24),
    "openai": "sk-proj-" + _made(LETTERS, 40) + "7",
    "anthropic": "sk-ant-api03-" + _made(LETTERS, 40),
    "google": "AIza" + _made(LETTERS, 35),
    "hugging face": "hf_" + _made(LETTERS, 33) + "4",
    "sendgrid": f"SG.{_made(LETTERS, 22)}.{_made(LETTERS, 43)}",
    "telegram": f"{_made('123456789', 9)}:AA{_made(LETTERS, 33)}",
    "jwt": f"{JWT}.{_made(LETTERS, 43)}",
    "mailchimp": _made(HEX, 32) + "-us12",
    "private key": "-----BEGIN RSA PRIVATE KEY-----\n" + _made(LETTERS, 64) + "\n-----END RSA PRIVATE KEY-----",
    "cut private key": "-----BEGIN PRIVATE KEY-----\n" + _made(LETTERS, 64),
}


def _card(issuer: str, length: int) -> str:
    """A number with Luhn's check digit."""
    digits = issuer + _made(string.digits, length - len(issuer) - 1)
    total = sum(
        sum(divmod(2 * int(digit), 10)) if place % 2 == 0 else int(digit)
        for place, digit in enumerate(reversed(digits))
    )
    return digits + str(-total % 10)


def _iban(country: str, length: int) -> str:
    """An account number with its two check digits."""
    account = _made(string.digits, length - 4)
    number = int("".join(str(int(character, 36)) for character in account + country + "00"))
    return f"{country}{98 - number % 97:02}{account}"


def _grouped(number: str, by: str = " ") -> str:
    return by.join(number[place : place + 4] for place in range(0, len(number), 4))


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_is_masked_wherever_it_stands(kind: str) -> None:
    secret = KEYS[kind]
    for said in (secret, f"Here it is: {secret}", f'{{"key": "{secret}"}}', f"It's {secret}, ok?", f"<{secret}>"):
        masked = mask_secrets(said)
        assert has_mask(masked)
        assert secret not in masked
        assert secret[-8:] not in masked
    assert mask_secrets(f"Call me, {secret}").startswith("Call me, [")


@pytest.mark.parametrize("issuer", ["4", "51", "2221", "37", "6011", "3528", "62"])
@pytest.mark.parametrize("by", ["", " ", "-"])
def test_a_payment_card_is_masked(issuer: str, by: str) -> None:
    number = _card(issuer, 15 if issuer == "37" else 16)
    assert (
        mask_secrets(f"My card is {_grouped(number, by)}, valid until 12/29.")
        == "My card is [card], valid until 12/29."
    )
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert not has_mask(mask_secrets(f"The tracking number is {wrong}"))


@pytest.mark.parametrize(
    ("country", "length"), [("DE", 22), ("ES", 24), ("FR", 27), ("IT", 27), ("GB", 22), ("NO", 15)]
)
def test_an_iban_is_masked(country: str, length: int) -> None:
    number = _iban(country, length)
    for said in (number, _grouped(number), number.lower(), _grouped(number).lower()):
        assert mask_secrets(f"Send it to {said} please today") == "Send it to [iban] please today"
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert not has_mask(mask_secrets(f"Send it to {wrong} please"))


SAID = """
My password is hunter2.|hunter2
pw: tulip55|tulip55
Router: user admin, pwd: Sommer-Regen|Sommer-Regen
Use tulip55 as the password.|tulip55
Please take "blue moon" as your new wifi password|blue moon
tulip55 is the password for the router|tulip55
The alarm code is 9911.|9911
Our door code: 4711|4711
The code for the garage is 4 7 1 1|4 7 1 1
Nimm tulip55 als Passwort.|tulip55
tulip55 ist unser neues Passwort|tulip55
Der Code für die Alarmanlage ist 9911|9911
Der Türcode lautet 9911|9911
Utilise tulip55 comme mot de passe.|tulip55
Le code de l'alarme est 9911|9911
Usa tulip55 como contraseña.|tulip55
El código de la alarma es 9911|9911
Usa tulip55 come password.|tulip55
Il codice dell'allarme è 9911|9911
my wifi password is correct horse battery staple.|horse
The password for the router is Xk9!pq and it works|Xk9!pq
Password: S3cret.pass|S3cret.pass
My PIN is 4711.|4711
the passcode is "blue monkey"|monkey
Mi contraseña es gatito77.|gatito77
La clave del wifi es Perro99!|Perro99
Mon mot de passe est soleil42.|soleil42
Le mot de passe du wifi, c'est : Lune88|Lune88
Mein Passwort ist Sommer2024!|Sommer2024
Das Kennwort für den Router lautet Fritz99|Fritz99
Meine PIN lautet 4711.|4711
La mia password è girasole5.|girasole5
La password del wifi è: Luna2020|Luna2020
postgres://anna:tr0ub4dor@db.example/app|tr0ub4dor
export DB_PASSWORD=tr0ub4dor|tr0ub4dor
OPENAI_API_KEY=abcd1234efgh5678|abcd1234
DB_SECRET_KEY: abcd1234efgh5678|abcd1234
GITHUB_TOKEN=abcd1234efgh5678|abcd1234
export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE|wJalr
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE|wJalr
my password is now hunter2|hunter2
my password is still hunter2|hunter2
my password is now bluemonkey|bluemonkey
My password is not safe, it is hunter2|hunter2
My new password will be hunter2|hunter2
the password's hunter2|hunter2
I changed my password to hunter2|hunter2
password hunter2|hunter2
PIN 4821|4821
PIN 4 8 2 1|2 1
CVV 123|123
My password has been hunter2 for years|hunter2
Mi contraseña ahora es gatito77|gatito77
Mi contraseña es ahora gatito77|gatito77
Mi contraseña será gatito77|gatito77
He cambiado mi contraseña a gatito77|gatito77
Mon mot de passe est maintenant soleil42|soleil42
J'ai changé mon mot de passe en soleil42|soleil42
Mein Passwort ist jetzt Sommer2024|Sommer
Ich habe mein Passwort auf Sommer2024 geändert|Sommer
Mein Passwort ist nicht sicher, es ist Sommer2024|Sommer
La mia password è ancora girasole5|girasole5
Ho cambiato la password in girasole5|girasole5
api_key = "9f8e7d6c5b4a"|9f8e7d6c5b4a
{"arguments": "{\\\"password\\\": \\\"tr0ub4dor\\\"}"}|tr0ub4dor
{"user": "anna", "Password": "tr0ub4dor"}|tr0ub4dor
Authorization: Bearer 0f1e2d3c4b5a69788796|0f1e2d3c4b5a
""".strip()


@pytest.mark.parametrize("line", SAID.split("\n"))
def test_a_password_that_is_said_as_such_is_masked(line: str) -> None:
    said, secret = line.split("|")
    masked = mask_secrets(said)
    assert secret not in masked
    assert has_mask(masked)
    assert mask_secrets(masked) == masked


@pytest.mark.parametrize(
    "said",
    [
        "My password is wrong.",
        "The alarm code is wrong.",
        "The error code is 9911 and the zip code is 12345.",
        "Use your birthday as a reminder, not as the password.",
        "We pass: he scores.",
        "Bus 145 is the one to take.",
        "password = request.form['password']",
        'return {"error": "Username and password are required"}, 400',
        "const apiKey = 'YOUR_API_KEY';",
        'print(f"Hashed password: {user.password_hash}")',
        "There is a pin on your purse. Is Spider-Man your favourite?",
        "Passwords are hashed before they are stored.",
        "I forgot my password.",
        "The password is on the note.",
        "Mi contraseña es muy larga.",
        "Mon mot de passe est trop court.",
        "Mein Passwort ist abgelaufen.",
        "La mia password è sbagliata.",
        "Call me at +351 912 345 678.",
        "I was born on 12 03 1984.",
        "The order 1234 5678 9012 3456 has left.",
        "My key is on the hook.",
        "I am a bearer of good news.",
        "The token economy is about incentives.",
        "Anna works at BMW and lives in Porto.",
        "We met de 10 İzmir Ankara Bursa Konya",
        "The rolling pin is wooden",
        "Bowling pin is red",
        "the pin is beautiful",
        "Pin: 3 needles",
        "La clave es trabajar duro",
        "La clave del éxito es trabajar",
        "passwords are annoying",
        "Die PIN ist vierstellig",
        "Die PIN ist 4-stellig",
        "The security code is printed on the back",
        "session key: meeting1",
        "access token: 2024-01-01",
        "sk-learn-is-a-python-library-2",
        "My password has been stolen",
        "Your password will be reset",
        "Das Passwort wird geändert",
        "A password should be 8 characters long",
        "I need a pin 10mm long",
        "Open from 2026-05-28 2026-06-02 to 30-11-2026 2026-12-01",
        "Meet at 10 in the park with all of the others",
        "It measured 0.4111111111111111",
        "My ISBN is 978-3-16-148410-0.",
        "It costs 1,234,567,890,123.00 euros.",
    ],
)
def test_what_is_no_secret_stays(said: str) -> None:
    assert mask_secrets(said) == said


def test_a_password_in_the_turn_after_is_masked() -> None:
    for before in (
        "My password is",
        "What is your password?",
        "Wie lautet dein Passwort?",
        "¿Cuál es tu contraseña?",
    ):
        assert mask_secrets("hunter2.", before) == "[password]"
        assert mask_secrets("It's hunter2", before) == "It's [password]"
        for no_value in ("I'd rather not say it.", "Yes.", "Claro", "Nein"):
            assert mask_secrets(no_value, before) == no_value
    for before in ("Did you forget your password?", "¿Olvidaste tu contraseña?", "Hast du dein Passwort vergessen?"):
        assert mask_secrets("Sure", before) == "Sure"
    assert mask_secrets("4 8 2 1", "Tell me your PIN") == "[password]"
    assert mask_secrets("hunter2.", "What is your hobby?") == "hunter2."


@pytest.mark.parametrize(
    ("said", "masked"),
    [
        ("My card is 4111 1111 1111 1111 12/27 CVV 123", "My card is [card] 12/27 CVV [password]"),
        ("My card is 4111111111111111 123", "My card is [card] 123"),
        ("I have 2 4111 1111 1111 1111", "I have 2 [card]"),
        ("4111.1111.1111.1111", "[card]"),
        ("Visa 4111  1111  1111  1111", "Visa [card]"),
        ("4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "[card]"),
        ("3782 822463 10005 and 4111 1111 1111 1111", "[card] and [card]"),
        ("Pay at 10 to DE89370400440532013000", "Pay at 10 to [iban]"),
        ("Bitte bis am 12 auf DE89 3704 0044 0532 0130 00", "Bitte bis am 12 auf [iban]"),
        ("DE89370400440532013000 DE89 3704 0044 0532 0130 00", "[iban] [iban]"),
    ],
)
def test_numbers_beside_a_card_or_an_iban_do_not_hide_it(said: str, masked: str) -> None:
    assert mask_secrets(said) == masked


@given(st.lists(st.sampled_from([*"İKſ٤", "de10", "AT 20", "4111", "1 ", " ", "-", "password is", "\n", '"', "pin"])))
def test_no_text_is_lost(parts: list[str]) -> None:
    """Letters and digits of other alphabets are no part of a number, whatever stands beside them."""
    assert mask_secrets("".join(parts), "What is your password?") or not "".join(parts)


def test_the_next_line_is_not_masked() -> None:
    said = "• my new password is\n• Anna's appointment is on Tuesday"
    assert mask_secrets(said) == said
    assert mask_secrets("Password:\nhunter2") == "Password:\n[password]"


def test_a_key_is_the_label_of_its_value() -> None:
    given = {
        "password": "hunter2",
        "dbPassword": "x",
        "user_token": ["abc"],
        "bypass": "road",
        "tokens": "many words",
    }
    masked = {"password": "[password]", "dbPassword": "[password]", "user_token": ["[password]"]}
    assert mask_in({"account": given}) == {"account": {**given, **masked}}


def test_every_text_of_a_json_value_is_masked() -> None:
    given = {"parts": [{"text": f"key {KEYS['aws']}"}], "n": 3, "none": None}
    assert mask_in(given) == {"parts": [{"text": "key [key]"}], "n": 3, "none": None}


@given(st.text())
def test_masking_again_changes_nothing(text: str) -> None:
    """What is masked has no secret left."""
    once = mask_secrets(text)
    assert mask_secrets(once) == once


def test_a_long_text_takes_little_time() -> None:
    """The time grows with the length, not with its square: of each of these, 100 kB could take minutes."""
    words = ("sk-", "eyJ-", "://a:", "a", "a.", "4 ", "DE12 ", "password for a b c d ", "-----BEGIN PRIVATE KEY")
    for text in (*words, "(", "“", "a1("):
        begin = time.perf_counter()
        mask_secrets(text * (40_000 // len(text)))
        assert time.perf_counter() - begin < 10, text
