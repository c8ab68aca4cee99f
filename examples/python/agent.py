"""Creates an agent and chats with it, with the standard library alone.

The key needs the scopes agents:write and calls:write:

    export VOICE_AGENTS_API_KEY=vak_… VOICE_AGENTS_BASE_URL=http://127.0.0.1:8080
    python3 agent.py
"""

import json
import os
import urllib.error
import urllib.request
import uuid

BASE_URL = os.environ.get("VOICE_AGENTS_BASE_URL", "http://127.0.0.1:8080")
API_KEY = os.environ.get("VOICE_AGENTS_API_KEY")
if not API_KEY:
    raise SystemExit("Set VOICE_AGENTS_API_KEY to an API key. To create one, run: voice-agents keys create --help")


def post(path, body):
    """Sends a POST request. With its Idempotency-Key, it can be repeated without a second effect."""
    request = urllib.request.Request(
        BASE_URL + path,
        method="POST",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {API_KEY}",
            "Content-Type": "application/json",
            "Idempotency-Key": str(uuid.uuid4()),
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        # Every error has this body. For VALIDATION_ERROR, details.fieldErrors names each field.
        problem = json.load(error)["error"]
        raise SystemExit(f'{error.code} {problem["code"]}: {problem["message"]}') from None
    except urllib.error.URLError as error:
        raise SystemExit(f"No service answers at {BASE_URL}: {error.reason}") from None


def main():
    agent = post(
        "/api/v1/agents",
        {
            "name": "Python example",
            "voiceId": "slt",
            "language": "en-US",
            "beginMessage": "Harbor Books, good morning.",
            # It repeats what it hears, and needs no language model.
            "llmModel": "test-echo",
        },
    )
    print(f'Created {agent["name"]} ({agent["id"]}).')

    call = post("/api/v1/calls", {"type": "chat", "agentId": agent["id"], "agentVersion": "latest"})
    for text in ["Do you have gift cards?", "Thank you."]:
        reply = post(f'/api/v1/calls/{call["id"]}/messages', {"text": text})
        for turn in reply["turns"]:
            print(f'{turn["role"]}: {turn["text"]}')
    ended = post(f'/api/v1/calls/{call["id"]}/end', {})
    print(f'The call is over: {ended["endReason"]}.')


main()
