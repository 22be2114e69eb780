/** Values that no well-behaved client sends, as JSON text: some cannot be represented as values of a program. */
import type { Random } from './random.js'

const numbers = [
  '0',
  '-0',
  '-1',
  '0.5',
  '1e999',
  '-1e999',
  '1e308',
  '-1.7976931348623157e+308',
  '5e-324',
  '1e21',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616'
]

const words = [
  '',
  ' ',
  'NaN',
  'Infinity',
  '-Infinity',
  '1e999',
  'null',
  'undefined',
  '*',
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'valueOf',
  '../../../../etc/passwd',
  '..\\..\\windows',
  '%2e%2e%2f%00',
  '/etc/passwd',
  'file:///etc/passwd',
  "' OR 1=1 --",
  "'; DROP TABLE event; --",
  '" UNION SELECT * FROM access --',
  '?1',
  '%s%n',
  '${7*7}',
  '<script>alert(1)</script>',
  'a\r\nSet-Cookie: a=b',
  'a\tb',
  ':_system:email',
  ':_system:',
  ':_audit:',
  ':_audit:accesses:x',
  '.username',
  ':x:y',
  '#',
  '.',
  '..',
  '-',
  'x/y/z',
  'note/txt',
  'İıſK',
  '\u202egnp.exe',
  '\ufeffbom',
  'e\u0301\u0327',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f466}'
]

/** As escapes: NUL, lone surrogates, and a noncharacter. */
const escapes = ['"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udc00x"', '"x\\udbff\\ud800"', '"\\uffff"']

const others = [
  'null',
  'true',
  'false',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '[{}]',
  '[1,"a",null]',
  '["__proto__"]',
  '["\\u0000"]',
  '[["x"]]',
  '["diary","diary"]',
  '{"a":1}',
  '{"":""}',
  '{"length":1e9}',
  '{"$ne":null}',
  '{"toJSON":1,"then":1}',
  '{"toString":null,"valueOf":null}',
  '{"hasOwnProperty":1}',
  '{"\\u0000":"\\u0000"}',
  '{"\\ud800":1}',
  '{"any":["*"],"all":[1]}',
  '{"__proto__":{"polluted":true}}',
  '{"__proto__":null}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '[{"__proto__":{"polluted":true}}]'
]

const nested = (depth: number, open: string, close: string): string =>
  `${open.repeat(depth)}0${close.repeat(depth)}`

const large = [
  nested(90, '[', ']'),
  nested(101, '[', ']'),
  nested(5000, '[', ']'),
  nested(5000, '{"a":', '}'),
  `[${Array.from({ length: 3000 }, () => '0').join()}]`,
  JSON.stringify(Array.from({ length: 1500 }, (_value, index) => `id-${index}`)),
  JSON.stringify(Object.fromEntries(Array.from({ length: 2000 }, (_value, index) => [`k${index}`, index]))),
  JSON.stringify('x'.repeat(1025)),
  JSON.stringify('a'.repeat(70_000)),
  JSON.stringify('é'.repeat(40_000)),
  JSON.stringify(`${'a'.repeat(30_000)}!`),
  JSON.stringify('a@'.repeat(20_000)),
  JSON.stringify('-'.repeat(30_000)),
  JSON.stringify('/'.repeat(10_000)),
  `1${'0'.repeat(400)}`,
  `0.${'1'.repeat(5000)}`
]

/** Odd JSON texts, without duplicates. */
export const oddities: readonly string[] = [
  ...numbers,
  ...words.map(word => JSON.stringify(word)),
  ...escapes,
  ...others,
  ...large
]

/** Returns an odd JSON text; large ones are less frequent. */
export function oddity(random: Random): string {
  if (random.chance(0.1)) return random.pick(large)
  return random.pick([...numbers, ...words.map(word => JSON.stringify(word)), ...escapes, ...others])
}

/** Maximum number of characters of one value in a URL: a longer one would exceed the size limit of the head. */
const mostInUrl = 1500

/** Encodes the value of a JSON text for a path segment or query, percent-encoded byte by byte, even lone surrogates. */
export function percentEncoded(json: string): string {
  let text = json
  if (json.startsWith('"')) text = JSON.parse(json) as string
  text = text.slice(0, mostInUrl)
  let encoded = ''
  for (const character of text) {
    const code = character.codePointAt(0)!
    const isLone = code >= 0xd800 && code <= 0xdfff
    // A lone surrogate encoded as UTF-8, which decoders refuse.
    const bytes = isLone
      ? [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]
      : Buffer.from(character)
    if (/[\w.~-]/.test(character)) encoded += character
    else for (const byte of bytes) encoded += `%${byte.toString(16).padStart(2, '0')}`
  }
  return encoded
}
