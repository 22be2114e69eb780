/** Backups to recipients: the service adds to them, and only the private key of a recipient restores them. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { encodeBech32, isBech32 } from '../../../core/bech32.js'
import { loadSettings } from '../../../core/settings/load.js'
import { coffer } from '../../support/coffer.js'
import { command } from '../../support/command.js'

t.setTimeout(300_000)

const readRecipients = (value: string): unknown =>
  loadSettings({ argv: [`--backup.recipients=${value}`], env: {}, cwd: '/' })

t.test('a backup to recipients', async t => {
  const service = await coffer(t)
  const { alice, directory } = service
  await alice.stream('diary')
  await alice.event({ content: 'secret words' })
  const folder = t.testdir()
  const place = (name: string): string => join(folder, name)
  const identities = await Promise.all([1, 2, 3].map(() => generateX25519Identity()))
  const recipients = await Promise.all(identities.map(identity => identityToRecipient(identity)))
  const [first, second, stranger] = identities.map((identity, index) => {
    const file = place(`identity-${index}.txt`)
    writeFileSync(file, `${identity}\n`, { mode: 0o600 })
    return `--identity=${file}`
  }) as [string, string, string]
  const to = place('backup')
  const dataDir = `--dataDir=${directory}`
  const settings = [`--backup.to=${to}`, `--backup.recipients=${recipients.slice(0, 2).join(',')}`]
  const fingerprintOf = (): string =>
    JSON.parse(readFileSync(join(to, 'encryption.json'), 'utf8')).fingerprint

  t.test('is made and added to without a secret', async t => {
    const made = await command(['backup', dataDir, ...settings, '--json'])
    t.equal(made.code, 0, made.errors)
    t.match(JSON.parse(made.output), {
      accounts: 1,
      verified: 1,
      isEncrypted: true,
      fingerprint: fingerprintOf()
    })
    await alice.event({ content: 'one more' })
    service.clock.advance(10)
    t.match(await command(['backup', dataDir, ...settings]), {
      code: 0,
      output: new RegExp(`changed: 1.*encrypted to recipients, with the key ${fingerprintOf()}`)
    })
    t.match(JSON.parse(readFileSync(join(to, 'encryption.json'), 'utf8')), {
      method: 'age-x25519',
      recipients: recipients.slice(0, 2)
    })
    for (const name of readdirSync(to, { recursive: true, encoding: 'utf8' })) t.notMatch(name, /alice/)
  })

  t.test(
    'is restored with the private key of any recipient, which the origin of the backup does not replace',
    async t => {
      for (const [index, identity] of [first, second].entries()) {
        const restored = await command([
          'restore',
          `--dataDir=${place(`restored-${index}`)}`,
          ...settings,
          identity
        ])
        t.equal(restored.code, 0, restored.errors)
        t.match(restored.errors, new RegExp(`origin can't be verified.* ${fingerprintOf()}`))
      }
      const elsewhere = [`--dataDir=${place('elsewhere')}`, to]
      t.match(await command(['restore', ...elsewhere, first]), {
        code: 1,
        errors: new RegExp(`pass --recipient ${recipients[0]}`)
      })
      t.match(await command(['restore', ...elsewhere, first, `--recipient=${recipients[0]}`]), { code: 0 })
    }
  )

  t.test('is not restored without it', async t => {
    const refusals: readonly (readonly [readonly string[], RegExp])[] = [
      [settings, /Pass the private key of one of them with --identity/],
      [[to], /Pass the private key/],
      [[to, stranger, `--recipient=${recipients[2]}`], /key\.age: the identity is incorrect/],
      [[to, '--passphrase-file', place('identity-0.txt')], /Pass the private key/]
    ]
    for (const [args, problem] of refusals) {
      const refused = await command(['restore', '--verify', dataDir, ...args])
      t.equal(refused.code, 1, String(args))
      t.match(refused.errors, problem)
    }
  })

  t.test('follows a change of recipients, and repairs its key file', async t => {
    writeFileSync(join(to, 'key.age'), 'damaged')
    const changed = [`--backup.to=${to}`, `--backup.recipients=${recipients[2]}`]
    t.match(await command(['backup', dataDir, ...changed]), { code: 0 })
    t.match(await command(['restore', '--verify', dataDir, ...changed, stranger]), { code: 0 })
    t.match(await command(['restore', '--verify', dataDir, ...settings, first]), {
      code: 1,
      errors: /incorrect/
    })
  })

  t.test('of another service is not added to, nor one that is encrypted otherwise', async t => {
    const other = await coffer(t)
    const refused = await command(['backup', `--dataDir=${other.directory}`, ...settings])
    t.match(refused, { code: 1, errors: /made by another service/ })
    const sealed = place('sealed')
    t.match(await command(['backup', sealed, dataDir, first]), { code: 0 })
    t.match(await command(['backup', dataDir, `--backup.to=${sealed}`, ...settings.slice(1)]), {
      code: 1,
      errors: /not encrypted to recipients/
    })
    // Someone who can write there must not get a backup without proof accepted in its place.
    const forged = new Encrypter()
    forged.addRecipient(recipients[0]!)
    writeFileSync(join(sealed, 'key.age'), await forged.encrypt(`${await generateX25519Identity()}\n`))
    writeFileSync(join(sealed, 'encryption.json'), readFileSync(join(to, 'encryption.json')))
    t.match(await command(['restore', '--verify', sealed, dataDir, first]), {
      code: 1,
      errors: /pass --recipient/
    })
    for (const text of ['', '{}', '[1]', '{"format":"coffer-backup-encryption"}', 'x'.repeat(100_000)]) {
      writeFileSync(join(sealed, 'encryption.json'), text)
      const damaged = await command(['restore', '--verify', sealed, dataDir, first])
      t.match(damaged, { code: 1, errors: /encryption\.json/ })
    }
    rmSync(sealed, { recursive: true })
  })

  t.test('a recipient with a typing error is refused at the start', async t => {
    const [recipient = ''] = recipients
    const typos = Array.from(recipient, (_, at) => {
      const other = recipient[at] === 'q' ? 'p' : 'q'
      return recipient.slice(0, at) + other + recipient.slice(at + 1)
    })
    const wrong = [
      ...typos,
      recipient.slice(1),
      `${recipient}q`,
      recipient.toUpperCase(),
      'age1',
      'ssh-ed25519 AAAA',
      recipient.slice(0, -1)
    ]
    for (const value of wrong)
      t.throws(() => readRecipients(value), { message: /backup\.recipients.*must be a public key/ }, value)
    t.doesNotThrow(() => readRecipients(recipients.join(',')))
    const secret = identities[0]!
    t.throws(() => readRecipients(secret), { message: /must be a public key/ })
    try {
      readRecipients(secret)
    } catch (error) {
      t.notMatch(String(error), secret, 'a private key is not repeated')
    }
    const typed = await command(['backup', to, dataDir, `--recipient=${secret}`])
    t.match(typed, { code: 1, errors: /not the private key/ })
    t.notMatch(typed.errors, secret)
    t.match(await command(['backup', to, dataDir, `--recipient=${typos[9]}`]), {
      code: 1,
      errors: /--recipient must be/
    })
    t.match(
      await command(['backup', dataDir, ...settings], { env: { COFFER_BACKUP_PASSPHRASE: 'long enough' } }),
      {
        code: 1,
        errors: /can't be combined/
      }
    )
    t.throws(
      () =>
        loadSettings({
          argv: [`--backup.recipients=${recipient}`, '--backup.passphraseFile=/x'],
          env: {},
          cwd: folder
        }),
      {
        message: /cannot both be set/
      }
    )
  })
  t.end()
})

t.test('keys are encoded as age does', async t => {
  for (let length = 0; length < 40; length++) {
    const bytes = Buffer.alloc(length, length * 7)
    t.ok(isBech32(encodeBech32('age', bytes), 'age', length))
  }
  const identity = encodeBech32('age-secret-key-', Buffer.alloc(32, 9)).toUpperCase()
  t.ok(isBech32(await identityToRecipient(identity), 'age', 32))
})
