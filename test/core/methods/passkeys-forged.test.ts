/** Forged passkeys with manipulated bytes are refused, without errors. (docs/spec/passkeys.md#verification) */
import { Buffer } from 'node:buffer'
import t, { type Test } from 'tap'
import type { Assertion, Attestation } from '../../../schemas/passkey.js'
import { Authenticator } from '../../support/authenticator.js'
import { coffer } from '../../support/coffer.js'
import {
  addPasskey,
  creationFor,
  givePassword,
  loginWith,
  originOf,
  requestOf
} from '../../support/passkeys.js'
import { Random } from '../../support/random.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const seed = Number(process.env['COFFER_TEST_SEED'] ?? (isLong ? Date.now() % 1e6 : 1))
const rounds = isLong ? 5000 : 150

t.setTimeout(isLong ? 3_600_000 : 900_000)

async function start(t: Test) {
  const service = await coffer(t, { throttle: { failures: 1e6, perAddress: 1e6, perAccount: 1e6 } })
  const { alice } = service
  await givePassword(alice)
  return { service, alice }
}

const late = { id: 'invalid-operation', data: { code: 'passkey-refused' } }

t.test('a challenge is valid once, in any encoding', async t => {
  const { alice, service } = await start(t)
  const creation = await creationFor(alice)
  const { challenge } = creation
  await alice.do('passkeys.create', { credential: new Authenticator(originOf(service)).create(creation) })
  const next = challenge.slice(0, -1) + String.fromCharCode(challenge.charCodeAt(challenge.length - 1) + 1)
  for (const other of [
    challenge,
    `${challenge}=`,
    `${challenge}==`,
    ` ${challenge}`,
    `${challenge}\n`,
    next
  ]) {
    const credential = new Authenticator(originOf(service)).create(creation, { challenge: other })
    t.match(await alice.call('passkeys.create', { credential }), { error: late }, JSON.stringify(other))
  }
  t.equal((await alice.do('passkeys.get')).passkeys.length, 1)
  const { authenticator } = await addPasskey(alice)
  const request = await requestOf(service)
  t.equal((await loginWith(service, authenticator.get(request))).status, 200)
  const again = authenticator.get(request, { challenge: `${request.challenge}=` })
  t.equal((await loginWith(service, again)).status, 401)
})

t.test('a framed page is refused, whether or not the browser names the top-level origin', async t => {
  const { alice, service } = await start(t)
  const { authenticator } = await addPasskey(alice)
  const framed = { isFramed: true }
  t.equal((await loginWith(service, authenticator.get(await requestOf(service), framed))).status, 401)
  const credential = new Authenticator(originOf(service)).create(await creationFor(alice), framed)
  t.match(await alice.call('passkeys.create', { credential }), { error: late })
})

t.test('a stolen token without a session can neither add nor list passkeys', async t => {
  const { alice, service } = await start(t)
  await alice.stream('diary')
  const { attestation, passkey } = await addPasskey(alice)
  const app = await alice.grant('manage', '*', { type: 'app', name: 'an-app' })
  const shared = await alice.grant('manage', '*')
  for (const thief of [app, shared])
    for (const [method, params] of [
      ['passkeys.get', {}],
      ['passkeys.challenge', { purpose: 'prove' }],
      ['passkeys.challenge', { purpose: 'add', password: 'four words in a row' }],
      ['passkeys.create', { credential: attestation }],
      ['passkeys.update', { id: passkey.id, update: { name: 'Mine' } }],
      ['passkeys.delete', { id: passkey.id }]
    ] as const)
      t.equal((await thief.call(method, params)).error?.id, 'forbidden', `${thief.access.type} ${method}`)
  const { body } = await service.http('POST', '/alice/passkeys', { credential: attestation })
  t.equal(body.error.id, 'invalid-access-token')
})

function bytes(size: number, fill = 0xff): Buffer {
  return Buffer.alloc(size, fill)
}

/** Returns a COSE key for ES256. */
function point(x: Buffer, y: Buffer): Buffer {
  return Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), x, Buffer.from('225820', 'hex'), y])
}

/** Returns a COSE key for EdDSA. */
function edwards(x: Buffer): Buffer {
  return Buffer.concat([Buffer.from('a4010103272006215820', 'hex'), x])
}

/** Returns a COSE key for RS256. */
function rsa(modulus: Buffer, exponent: Buffer): Buffer {
  const size = Buffer.from([0x59, modulus.length >> 8, modulus.length & 255])
  const head = Buffer.concat([Buffer.from('a401030339010020', 'hex'), size, modulus, Buffer.from([0x21])])
  return Buffer.concat([head, Buffer.from([0x58, exponent.length]), exponent])
}

/** Ed25519 points of small order that accept some all-zero signatures: orders 4, 1, 2 and 8, and non-canonical ones. */
const smallPoints = [
  '00'.repeat(32),
  `${'00'.repeat(31)}80`,
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  `ec${'ff'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`
]

/** COSE keys that no authenticator generates. */
const oddKeys: readonly (readonly [string, Buffer])[] = [
  ['no point of the curve', point(bytes(32, 1), bytes(32, 2))],
  ['the point at infinity', point(bytes(32, 0), bytes(32, 0))],
  ['coordinates beyond the field', point(bytes(32), bytes(32))],
  ['an RSA key of two bytes', rsa(bytes(2), bytes(1, 3))],
  ['a huge RSA key', rsa(bytes(20_000), bytes(3))],
  ['an RSA key with a huge exponent', rsa(bytes(512), bytes(255))],
  ['an RSA key without an exponent', rsa(bytes(256), Buffer.alloc(0))],
  ['no key', Buffer.from('a0', 'hex')],
  ['a list', Buffer.from('80', 'hex')],
  ['nothing', Buffer.alloc(0)],
  ['lists in lists', Buffer.alloc(15_000, 0x81)],
  ['a map that says it is huge', Buffer.from('bb0fffffffffffffff', 'hex')],
  ['a text that says it is huge', Buffer.from('a1017b0fffffffffffffff', 'hex')]
]

t.test('odd keys are refused, without blocking the service', async t => {
  const { alice, service } = await start(t)
  for (const [name, key] of oddKeys) {
    const authenticator = new Authenticator(originOf(service))
    const credential = authenticator.create(await creationFor(alice), { key })
    const begun = performance.now()
    const made = await alice.call('passkeys.create', { credential, name })
    if (made.error) t.match(made, { error: late }, name)
    const signed = authenticator.get(await requestOf(service))
    t.equal((await loginWith(service, signed)).status, 401, name)
    const zeros = Buffer.alloc(64).toString('base64url')
    const blank = { ...signed, response: { ...signed.response, signature: zeros } }
    t.equal((await loginWith(service, blank)).status, 401, name)
    t.ok(performance.now() - begun < 5000, `${name} is looked at in time`)
  }
})

t.test('keys that anyone can sign for are refused', async t => {
  const { alice, service } = await start(t)
  for (const point of smallPoints) {
    const authenticator = new Authenticator(originOf(service))
    const key = edwards(Buffer.from(point, 'hex'))
    const credential = authenticator.create(await creationFor(alice), { key })
    t.match(await alice.call('passkeys.create', { credential, name: 'Weak' }), { error: late }, point)
  }
})

/** Changes some bytes of a base64url string: flips, cuts, repeats, inserts. */
function changed(text: string, random: Random): string {
  const bytes = Buffer.from(text, 'base64url')
  const at = random.below(bytes.length)
  const rest = bytes.subarray(at)
  const some = Buffer.from(Array.from({ length: 1 + random.below(8) }, () => random.below(256)))
  const made = [
    () => Buffer.concat([bytes.subarray(0, at), some, rest.subarray(some.length)]),
    () => bytes.subarray(0, Math.max(1, at)),
    () => Buffer.concat([bytes, rest]),
    () => Buffer.concat([bytes.subarray(0, at), some, rest]),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.alloc(3000, some[0]), rest])
  ][random.below(5)]!()
  return (made.equals(bytes) ? Buffer.concat([bytes, some]) : made).toString('base64url').slice(0, 8000)
}

/** Flips a byte of the first number in a signature: bytes after the last one are ignored. */
function otherNumber(signature: string, random: Random): string {
  const bytes = Buffer.from(signature, 'base64url')
  const at = 6 + random.below(26)
  bytes[at] = bytes[at]! ^ (1 + random.below(255))
  return bytes.toString('base64url')
}

t.test(`modified bytes are refused, without other effects (seed ${seed})`, async t => {
  const { alice, service } = await start(t)
  const random = new Random(seed)
  const { authenticator } = await addPasskey(alice)
  const statuses = new Set<number>()
  for (let round = 0; round < rounds; round++) {
    const signed: Assertion = authenticator.get(await requestOf(service))
    const part = random.pick(['authenticatorData', 'clientDataJSON', 'signature'] as const)
    const change = part === 'signature' ? otherNumber : changed
    const response = { ...signed.response, [part]: change(signed.response[part], random) }
    const { body, status } = await loginWith(service, { ...signed, response })
    statuses.add(status)
    if (status !== 401) t.fail(`${part} of round ${round}: ${JSON.stringify([body, response])}`)
  }
  t.same([...statuses], [401])
  const creation = await creationFor(alice)
  for (let round = 0; round < rounds; round++) {
    const made: Attestation = new Authenticator(originOf(service)).create(creation)
    const part = random.pick(['attestationObject', 'clientDataJSON'] as const)
    const response = { ...made.response, [part]: changed(made.response[part], random) }
    const { error } = await alice.call('passkeys.create', { credential: { ...made, response } })
    // Unsigned parts may change: the authenticator's model, the key, the flags.
    if (error && error.id !== 'invalid-operation')
      t.fail(`round ${round}: ${JSON.stringify([error, response])}`)
  }
  const { passkeys } = await alice.do('passkeys.get')
  t.ok(passkeys.length <= 2, 'one challenge makes one passkey at most')
  t.equal((await loginWith(service, authenticator.get(await requestOf(service)))).status, 200)
})
