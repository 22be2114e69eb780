/** Bech32, the text form of age keys, whose checksum detects typing errors. (BIP 173) */

const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const checksumLength = 6

/** Returns whether a text in lower case consists of this prefix, this number of bytes, and a correct checksum. */
export function isBech32(text: string, prefix: string, byteLength: number): boolean {
  if (!text.startsWith(`${prefix}1`)) return false
  const values = Array.from(text.slice(prefix.length + 1), character => alphabet.indexOf(character))
  if (values.includes(-1) || values.length !== Math.ceil((byteLength * 8) / 5) + checksumLength) return false
  return computeChecksum([...expandPrefix(prefix), ...values]) === 1
}

/** Encodes bytes with a prefix in lower case. */
export function encodeBech32(prefix: string, bytes: Uint8Array): string {
  const values: number[] = []
  let bits = 0
  let waiting = 0
  for (const byte of bytes) {
    waiting = (waiting << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      values.push((waiting >> bits) & 31)
      waiting &= (1 << bits) - 1
    }
  }
  if (bits > 0) values.push((waiting << (5 - bits)) & 31)
  const padding = Array.from({ length: checksumLength }, () => 0)
  const checksum = computeChecksum([...expandPrefix(prefix), ...values, ...padding]) ^ 1
  const checks = padding.map((_, index) => (checksum >> (5 * (checksumLength - 1 - index))) & 31)
  return `${prefix}1${[...values, ...checks].map(value => alphabet[value]).join('')}`
}

function expandPrefix(prefix: string): number[] {
  const codes = Array.from(prefix, character => character.charCodeAt(0))
  return [...codes.map(code => code >> 5), 0, ...codes.map(code => code & 31)]
}

function computeChecksum(values: readonly number[]): number {
  let checksum = 1
  for (const value of values) {
    const top = checksum >> 25
    checksum = ((checksum & 0x1ffffff) << 5) ^ value
    for (const [index, generator] of generators.entries()) if ((top >> index) & 1) checksum ^= generator
  }
  return checksum
}
