/** The wire types of Protocol Buffers that OpenTelemetry uses. */
const [varint, fixed64, lengthDelimited, fixed32] = [0, 1, 2, 5];

/** Writes messages of Protocol Buffers into one buffer, which is used again for each message. */
export class ProtobufWriter {
  #buffer = Buffer.allocUnsafe(4096);
  #length = 0;

  /** Returns a copy of what `write` has written. */
  encode(write: () => void): Buffer {
    this.#length = 0;
    write();
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  string(field: number, value: string): void {
    const bytes = Buffer.byteLength(value);
    this.#reserve(bytes + 20);
    this.#tag(field, lengthDelimited);
    this.#varint(bytes);
    this.#length += this.#buffer.write(value, this.#length);
  }

  bytes(field: number, value: Uint8Array): void {
    this.#reserve(value.length + 20);
    this.#tag(field, lengthDelimited);
    this.#varint(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  /** A whole number from 0 to 2^53. */
  integer(field: number, value: number): void {
    this.#reserve(20);
    this.#tag(field, varint);
    this.#varint(value);
  }

  double(field: number, value: number): void {
    this.#reserve(20);
    this.#tag(field, fixed64);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  fixed64(field: number, value: bigint): void {
    this.#reserve(20);
    this.#tag(field, fixed64);
    this.#length = this.#buffer.writeBigUInt64LE(value, this.#length);
  }

  fixed32(field: number, value: number): void {
    this.#reserve(20);
    this.#tag(field, fixed32);
    this.#length = this.#buffer.writeUInt32LE(value, this.#length);
  }

  message(field: number, write: () => void): void {
    this.#reserve(20);
    this.#tag(field, lengthDelimited);
    const start = this.#length;
    write();
    const bytes = this.#length - start;
    // The length comes first and is known last: what was written moves up by the few bytes that it takes.
    const room = varintBytes(bytes);
    this.#reserve(room);
    this.#buffer.copyWithin(start + room, start, this.#length);
    this.#length = start;
    this.#varint(bytes);
    this.#length += bytes;
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    let left = value;
    // Bit operations would be limited to 32 bits.
    while (left >= 128) {
      this.#buffer[this.#length++] = (left % 128) + 128;
      left = Math.floor(left / 128);
    }
    this.#buffer[this.#length++] = left;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

export function varintBytes(value: number): number {
  let bytes = 1;
  for (let left = value; left >= 128; left = Math.floor(left / 128)) bytes += 1;
  return bytes;
}
