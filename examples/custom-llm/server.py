"""A custom LLM server in one file, with nothing but Python 3.9 or later:

    python3 examples/custom-llm/server.py [port]

It takes bookings with three questions. Replace `reply` by your own model.
The first half is a small WebSocket server; use your own framework instead.
"""

import asyncio
import base64
import hashlib
import json
import re
import struct
import sys


class WebSocket:
    """One connection: text messages in both directions."""

    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer

    async def accept(self):
        request = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        headers = dict(
            (name.strip().lower(), value.strip())
            for name, _, value in (line.partition(":") for line in request.split("\r\n")[1:] if line)
        )
        key = headers.get("sec-websocket-key")
        if key is None:
            # A browser, or a health check.
            self.writer.write(b"HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n")
            return False
        accepted = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode())
        lines = [
            "HTTP/1.1 101 Switching Protocols",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Accept: " + base64.b64encode(accepted.digest()).decode(),
        ]
        # Strict mode: the service reports each frame that is wrong.
        if "voice-agents.llm.v1" in re.split(r",\s*", headers.get("sec-websocket-protocol", "")):
            lines.append("Sec-WebSocket-Protocol: voice-agents.llm.v1")
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        return True

    async def frame(self):
        first, second = await self.reader.readexactly(2)
        length = second & 127
        if length == 126:
            (length,) = struct.unpack("!H", await self.reader.readexactly(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", await self.reader.readexactly(8))
        mask = await self.reader.readexactly(4)
        data = await self.reader.readexactly(length)
        return first & 128, first & 15, bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))

    async def messages(self):
        text = b""
        while True:
            is_last, kind, data = await self.frame()
            if kind == 8:
                self.write(8, data)
                return
            if kind == 9:
                self.write(10, data)
            elif kind in (0, 1):
                text += data
                if is_last:
                    yield json.loads(text)
                    text = b""

    def write(self, kind, data):
        size = len(data)
        head = bytes([128 | kind, size]) if size < 126 else bytes([128 | kind, 126]) + struct.pack("!H", size)
        self.writer.write(head + data)

    def send(self, message):
        self.write(1, json.dumps(message).encode())


def reply(transcript):
    """What to say next, from the whole conversation, and whether to hang up."""
    said = [entry["content"] for entry in transcript if entry["role"] == "user"]
    if said and re.search(r"\b(bye|goodbye)\b", said[-1], re.IGNORECASE):
        return "Goodbye!", True
    questions = ["For which day?", "For how many people?", "Under which name?"]
    if 1 <= len(said) <= len(questions):
        return questions[len(said) - 1], False
    return "Thank you, your table is booked.", False


class Call:
    def __init__(self, socket):
        self.socket = socket
        self.newest = 0  # Only the newest response is wanted.

    async def respond(self, response_id, text, end_call=False):
        response = {"response_type": "response", "response_id": response_id}
        for word in re.findall(r"\S+\s*", text):
            if response_id != self.newest:
                return
            self.socket.send({**response, "content": word, "content_complete": False})
            await asyncio.sleep(0.02)  # As a model does, a word at a time.
        if response_id == self.newest:
            self.socket.send({**response, "content": "", "content_complete": True, "end_call": end_call})

    async def serve(self):
        self.socket.send({"response_type": "config", "config": {"auto_reconnect": True, "call_details": True}})
        greeting = "Hello, how can I help you?"
        self.socket.send(
            {"response_type": "response", "response_id": 0, "content": greeting, "content_complete": True}
        )
        async for request in self.socket.messages():
            kind = request["interaction_type"]
            if kind == "ping_pong":
                self.socket.send({"response_type": "ping_pong", "timestamp": request["timestamp"]})
            elif kind in ("response_required", "reminder_required"):
                self.newest = request["response_id"]
                text, is_last = ("Are you still there?", False)
                if kind == "response_required":
                    text, is_last = reply(request["transcript"])
                asyncio.ensure_future(self.respond(self.newest, text, is_last))


async def connected(reader, writer):
    socket = WebSocket(reader, writer)
    try:
        if await socket.accept():
            await Call(socket).serve()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 9000
    server = await asyncio.start_server(connected, "127.0.0.1", port)
    print(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/llm", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
