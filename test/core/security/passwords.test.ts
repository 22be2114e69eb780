/** Password hashes, and how many are computed concurrently. */
import { hash as bcryptHash } from '@node-rs/bcrypt'
import t from 'tap'
import {
  createPasswords,
  dummyHash,
  getHashConcurrency,
  type VerificationHooks
} from '../../../core/security/passwords.js'

t.test('a password', async t => {
  const passwords = createPasswords(2)

  t.test('matches its hash, and no other', async t => {
    const hash = await passwords.hash('correct horse')
    t.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    t.equal(await passwords.verify(hash, 'correct horse'), true)
    t.equal(await passwords.verify(hash, 'correct horsf'), false)
    t.not(await passwords.hash('correct horse'), hash, 'salted')
  })

  t.test('is significant beyond its 72nd byte', async t => {
    const long = 'é'.repeat(50)
    const hash = await passwords.hash(`${long}a`)
    t.equal(await passwords.verify(hash, `${long}b`), false)
    t.equal(await passwords.verify(hash, `${long}a`), true)
  })

  t.test('matches an imported bcrypt hash', async t => {
    const hash = await bcryptHash('correct horse', 4)
    t.equal(await passwords.verify(hash, 'correct horse'), true)
    t.equal(await passwords.verify(hash, 'wrong'), false)
    t.equal(await passwords.verify(hash.replace('$2b$', '$2a$'), 'correct horse'), true)
  })

  t.test('of an unknown user never matches', async t => {
    t.equal(await passwords.verifyDummy('a password that nobody has'), false)
  })

  t.test('of an unknown user is compared with a hash of the same cost', async t => {
    const hash = await passwords.hash('correct horse')
    t.equal(dummyHash.split('$', 4).join('$'), hash.split('$', 4).join('$'))
    t.equal(dummyHash.length, hash.length)
    t.equal(await passwords.verify(dummyHash, 'a password that nobody has'), true)
  })
})

const refuse: VerificationHooks = {
  check() {
    throw new Error('not now')
  },
  onResult() {}
}

t.test('hashing passwords', async t => {
  const passwords = createPasswords(2)
  const hash = await passwords.hash('secret')

  t.test('does not block the event loop', async t => {
    for (const work of [() => passwords.hash('secret'), () => passwords.verify(hash, 'secret')]) {
      let turns = 0
      const count = (): void => {
        turns++
        counting = setImmediate(count)
      }
      let counting = setImmediate(count)
      await work()
      clearImmediate(counting)
      t.ok(turns > 2, `${turns} turns of the loop meanwhile`)
    }
  })

  t.test('runs twice concurrently, in order of arrival', async t => {
    const turns: number[] = []
    const all = Array.from({ length: 6 }, (_, index) =>
      passwords.verify(hash, 'secret', { check: () => void turns.push(index), onResult() {} })
    )
    await Promise.resolve()
    t.same(turns, [0, 1])
    await Promise.all(all)
    t.same(turns, [0, 1, 2, 3, 4, 5])
  })

  t.test('continues after one was refused', async t => {
    const results = await Promise.allSettled([
      passwords.verify(hash, 'secret', refuse),
      passwords.verifyDummy('secret', refuse),
      passwords.verify('garbage', 'secret'),
      passwords.verify(hash, 'secret')
    ])
    t.same(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected', 'fulfilled']
    )
    t.equal(await passwords.verify(hash, 'secret'), true)
  })

  t.test('is refused when too much is queued', async t => {
    const results = await Promise.allSettled(
      Array.from({ length: 1010 }, () => passwords.verify(hash, 'secret', refuse))
    )
    const refused = results.filter(
      result => result.status === 'rejected' && result.reason.id === 'api-unavailable'
    )
    t.equal(refused.length, 8)
  })
})

t.test('hash concurrency', async t => {
  t.same([1, 2, 3, 4, 64].map(getHashConcurrency), [1, 1, 2, 2, 2], 'leave a core to the event loop')
})
