/** Encrypted backups: only the passphrase opens them, and manipulation is detected. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { Layout } from '../../storage/files/layout.js'
import { coffer } from '../support/coffer.js'
import { command, commandProcess } from '../support/command.js'
import { encryptAsFormerly, formerDerivation } from '../support/former-backup.js'
import { rotate } from '../support/rotation.js'

t.setTimeout(900_000)

const passphrase = 'correct horse battery'
const env = { COFFER_BACKUP_PASSPHRASE: passphrase }

async function decrypted(file: string, identity: string): Promise<Buffer> {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  return Buffer.from(await decrypter.decrypt(readFileSync(file)))
}

function identityOf(text: string): string {
  return /^AGE-SECRET-KEY-1[A-Z0-9]+$/m.exec(text)![0]
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => statSync(path).isFile())
    .toSorted()
}

t.test('an encrypted backup', async t => {
  const service = await coffer(t)
  const { alice, directory } = service
  for (const client of [alice, await service.user('bob')]) {
    await client.stream('diary')
    const { id } = await client.event({ content: 'secret words' })
    const form = new FormData()
    form.append('file', new Blob(['bytes of a file'.repeat(20_000)]), 'a.txt')
    await client.http('POST', `/events/${id}`, form)
  }
  const folder = t.testdir()
  const dataDir = `--dataDir=${directory}`
  const place = (name: string): string => join(folder, name)
  const ownIdentity = await generateX25519Identity()
  writeFileSync(place('identity.txt'), `# created: today\n${ownIdentity}\n`, { mode: 0o600 })
  const identity = `--identity=${place('identity.txt')}`
  const restored = (name: string): string[] =>
    existsSync(place(name)) ? readdirSync(place(name)).filter(each => !each.startsWith('coffer.lock')) : []

  // Each passphrase takes a second, and several for others.
  const turns = rotate(t, ['others', 'earlier', 'passphrases'])
  const isTurnOf = (what: string): { skip: string | false } => ({
    skip: !turns.includes(what) && 'not its turn'
  })
  t.test('is in the age format', async t => {
    // In a separate process, where deriving keys takes less time than in one that traces tests.
    const made = await commandProcess(['backup', place('age'), dataDir], { env })
    t.match(made, { code: 0, output: /; encrypted/ })
    for (const path of filesOf(place('age')))
      t.ok(/\.age$|backup\.(json|lock)$/.test(path) && !path.includes('alice'), path)
    // Each passphrase takes a second: one from a file and a wrong one take turns below.
    const typed = await commandProcess(['restore', place('age'), '--dataDir', place('data')], {
      input: `${passphrase}\n`
    })
    t.match(typed, { code: 0, output: /2 accounts restored/ })
    t.same((await checkDirectory(new Layout(place('data')))).problems, [])
    t.match(await command(['restore', '--verify', place('age')]), { code: 1, errors: /^Missing passphrase/ })
  })

  t.test('is opened by others with its passphrase', isTurnOf('others'), async t => {
    const decrypter = new Decrypter()
    decrypter.addPassphrase(passphrase)
    const text = await decrypter.decrypt(readFileSync(join(place('age'), 'key.age')), 'text')
    await assertContents(t, place('age'), identityOf(text))
  })

  t.test('with an identity can be updated and restored', async t => {
    for (const name of ['first', 'second']) {
      const made = await command(['backup', place('own'), dataDir, identity, '--json'])
      t.equal(made.code, 0, made.errors)
      if (name === 'first') cpSync(place('own'), place('older'), { recursive: true })
      await alice.event({ content: 'one more' })
      service.clock.advance(10)
    }
    const text = (await decrypted(join(place('own'), 'key.age'), ownIdentity)).toString()
    await assertContents(t, place('own'), identityOf(text))
    t.match(await command(['restore', '--verify', place('own'), identity]), { code: 0 })
    t.match(await command(['restore', '--verify', place('own')], { env }), {
      code: 1,
      errors: /uses an identity/
    })
    const other = place('other.txt')
    writeFileSync(other, await generateX25519Identity(), { mode: 0o600 })
    const wrong = await command(['restore', '--verify', place('own'), `--identity=${other}`])
    t.match(wrong, { code: 1, errors: /^key.age: the identity is incorrect, or the file is damaged\n$/ })
  })

  /** Asserts that the files of a backup can be decrypted with its own identity, also by the age tool. */
  async function assertContents(t: Test, backup: string, own: string): Promise<void> {
    const [manifest = ''] = (await decrypted(join(backup, 'manifest.age'), own)).toString().split('\n')
    t.match(JSON.parse(manifest).users, [{ username: 'alice' }, { username: 'bob' }])
    const file = filesOf(backup).find(path => /users.*\.sqlite\.age$/.test(path))!
    t.match((await decrypted(file, own)).subarray(0, 15).toString(), 'SQLite format 3')
    const skip = spawnSync('age', ['--version']).error ? 'age is not installed' : false
    t.test('that the age tool opens', { skip }, t => {
      writeFileSync(place('opened'), own)
      const bytes = execFileSync('age', ['-d', '-i', place('opened'), file])
      t.match(bytes.subarray(0, 15).toString(), 'SQLite format 3')
      t.end()
    })
  }

  /** Copies the backup with an identity; returns its files by kind. */
  function copied(): { root: string; files: string[]; of: (pattern: RegExp) => string[] } {
    rmSync(place('copy'), { recursive: true, force: true })
    cpSync(place('own'), place('copy'), { recursive: true })
    const files = filesOf(place('copy'))
    return { root: place('copy'), files, of: pattern => files.filter(path => pattern.test(path)) }
  }

  const attacks: [string, (backup: ReturnType<typeof copied>) => unknown, RegExp][] = [
    [
      'two files that have changed places',
      ({ of }) => {
        const [first = '', second = ''] = of(/users.*\.sqlite\.age$/)
        renameSync(first, `${first}.aside`)
        renameSync(second, first)
        renameSync(`${first}.aside`, second)
      },
      /does not match its digest/
    ],
    [
      'an attachment in place of another',
      ({ of }) => {
        const [first = '', second = ''] = of(/attachments\/..\/c[a-z0-9]+\.age$/)
        const bytes = readFileSync(first)
        bytes[bytes.length - 1]! ^= 1
        writeFileSync(second, bytes)
      },
      /damaged/
    ],
    ['a file that is gone', ({ of }) => rmSync(of(/\.json\.age$/)[0]!), /is missing\. The backup is damaged/],
    ['a file that is cut', ({ of }) => truncateSync(of(/users.*\.sqlite\.age$/)[0]!, 70_000), /damaged/],
    [
      'a file that goes on',
      ({ of }) => {
        const [file = ''] = of(/users.*\.sqlite\.age$/)
        writeFileSync(file, Buffer.concat([readFileSync(file), readFileSync(file)]))
      },
      /damaged/
    ],
    ['no manifest', ({ of }) => rmSync(of(/manifest/)[0]!), /no complete backup/],
    [
      'an older manifest',
      ({ root }) => cpSync(join(place('older'), 'manifest.age'), join(root, 'manifest.age')),
      /is missing\. The backup is damaged/
    ],
    [
      'an older list of files',
      ({ of }) => {
        const [gone = ''] = filesOf(place('older')).filter(
          path => path.endsWith('.json.age') && !existsSync(path.replace(place('older'), place('copy')))
        )
        const folder = dirname(gone).replace(place('older'), place('copy'))
        const [present = ''] = of(/\.json\.age$/).filter(path => path.startsWith(folder))
        cpSync(gone, present)
      },
      /does not match its digest/
    ],
    [
      'a manifest by somebody who knows to whom it is encrypted',
      async ({ root }) => {
        const key = identityOf((await decrypted(join(root, 'key.age'), ownIdentity)).toString())
        const manifest = (await decrypted(join(root, 'manifest.age'), key))
          .toString()
          .replace('alice', 'mallo')
        const encrypter = new Encrypter()
        encrypter.addRecipient(await identityToRecipient(key))
        writeFileSync(join(root, 'manifest.age'), await encrypter.encrypt(manifest))
      },
      /manifest: .*damaged/
    ],
    [
      'a key by somebody who knows to whom it is encrypted',
      async ({ root }) => {
        const encrypter = new Encrypter()
        encrypter.addRecipient(await identityToRecipient(ownIdentity))
        writeFileSync(join(root, 'key.age'), await encrypter.encrypt(`${await generateX25519Identity()}\n`))
      },
      /key.age: the identity is incorrect/
    ],
    [
      'a header of the earlier kind',
      ({ root }) => {
        const encryption = { ...formerDerivation, salt: Buffer.alloc(32).toString('base64') }
        const header = { format: 'coffer-backup', version: 1, encryption }
        writeFileSync(join(root, 'backup.json'), JSON.stringify(header))
      },
      /uses a passphrase/
    ],
    [
      'a file without the end of its header',
      ({ of }) =>
        writeFileSync(of(/manifest/)[0]!, `age-encryption.org/v1\n${'-> X25519 a\n'.repeat(1_000_000)}`),
      /manifest: .*damaged/
    ],
    ['a key that is none', ({ root }) => writeFileSync(join(root, 'key.age'), 'hello'), /not a backup key/],
    [
      'a key that is huge',
      ({ root }) => writeFileSync(join(root, 'key.age'), Buffer.alloc(1e8)),
      /is too large/
    ]
  ]
  for (const [what, attack, words] of rotate(t, attacks, 2))
    t.test(`with ${what} is refused`, async t => {
      const copy = copied()
      await attack(copy)
      const verified = await command(['restore', '--verify', copy.root, identity])
      const refused = await command(['restore', copy.root, identity, '--dataDir', place('none')])
      for (const { code, errors } of [verified, refused]) {
        t.equal(code, 1)
        t.match(errors, words)
        t.notMatch(errors, /^\s+at /m)
      }
      t.same(restored('none'), [])
    })

  t.test('that was replaced by an unencrypted one is refused', async t => {
    const plain = place('plain')
    t.equal((await command(['backup', plain, dataDir, '--plain'], { env })).code, 0)
    for (const args of [
      ['restore', plain, '--dataDir', place('none')],
      ['restore', '--verify', plain],
      ['restore', '--user=alice', plain, dataDir],
      ['backup', plain, dataDir]
    ])
      for (const [env, given] of [
        [{ COFFER_BACKUP_PASSPHRASE: passphrase }, []],
        [{}, [identity]]
      ] as const) {
        const refused = await command([...args, ...given], { env })
        t.match(refused, { code: 1, errors: /not encrypted.*--plain/ }, args.join(' '))
      }
    t.same(restored('none'), [])
    t.match(await command(['restore', '--verify', plain, '--plain'], { env }), { code: 0 })
    t.match(await command(['restore', '--verify', plain]), {
      code: 0,
      errors: /is not encrypted, so its origin/
    })
    const encrypted = await command(['restore', '--verify', place('own'), '--plain'])
    t.match(encrypted, { code: 1, errors: /is encrypted\. Leave out --plain/ })
  })

  t.test('with a weak or excessive work factor is refused immediately', async t => {
    cpSync(place('age'), place('weak'), { recursive: true })
    const key = readFileSync(join(place('age'), 'key.age'), 'latin1')
    for (const factor of [1, 10, 17, 21, 63, 1e9]) {
      writeFileSync(join(place('weak'), 'key.age'), key.replace(/ 18\n/, ` ${factor}\n`), 'latin1')
      const { code, errors } = await command(['restore', '--verify', place('weak')], { env })
      t.match([code, errors], [1, `key.age has a scrypt work factor of ${factor}. It must be from 18 to 20`])
    }
    const others = { N: 1024, r: 1, p: 100_000 }
    for (const change of Object.entries(others)) {
      const encryption = {
        ...formerDerivation,
        ...Object.fromEntries([change]),
        salt: Buffer.alloc(32).toString('base64')
      }
      writeFileSync(
        join(place('weak'), 'backup.json'),
        JSON.stringify({ format: 'coffer-backup', version: 1, encryption })
      )
      const started = performance.now()
      for (const args of [
        ['restore', '--verify'],
        ['backup', dataDir]
      ]) {
        const { code, errors } = await command([...args, place('weak')], { env })
        t.match([code, errors], [1, 'unknown encryption'])
      }
      t.ok(performance.now() - started < 10_000)
    }
  })

  t.test('of an earlier version can be restored, but not extended', isTurnOf('earlier'), async t => {
    t.equal((await command(['backup', place('former'), dataDir])).code, 0)
    encryptAsFormerly(place('former'), passphrase)
    const target = place('from-former')
    const done = await command(['restore', place('former'), '--dataDir', target], { env })
    t.match(done, { code: 0, output: /2 accounts restored/ })
    const more = await command(['backup', place('former'), dataDir], { env })
    t.match(more, { code: 1, errors: /by an earlier version and can only be restored/ })
    const [file = ''] = filesOf(place('former')).filter(path => /users.*\.sqlite$/.test(path))
    truncateSync(file, statSync(file).size - 1)
    const cut = await command(['restore', '--verify', place('former')], { env })
    t.match(cut, { code: 1, errors: /passphrase is incorrect, or the file is damaged/ })
  })

  // The environment, typing and an identity are tested above.
  t.test('reads its passphrase from a file, and reports errors in it', isTurnOf('passphrases'), async t => {
    const file = place('passphrase')
    writeFileSync(file, `${passphrase}\nwhat else is there\n`, { mode: 0o600 })
    const given = `--passphrase-file=${file}`
    const verify = ['restore', '--verify', place('age')]
    chmodSync(file, 0o644)
    t.match(await command([...verify, given]), {
      code: 0,
      errors: `is accessible to other users. Run chmod 600 ${file}`
    })
    chmodSync(file, 0o600)
    const secret = 'my own secret words'
    const argument = await command([...verify, `--passphrase=${secret}`], { env })
    t.match(argument, { code: 1, errors: /--passphrase \(flag\) is not a known setting/ })
    t.notMatch(argument.errors, secret, 'what was put among the arguments is not shown')
    const wrong: [string[], Record<string, string>, RegExp][] = [
      [verify, { COFFER_BACKUP_PASSPHRASE: 'another one' }, /^key.age: the passphrase is incorrect/],
      [verify, { COFFER_BACKUP_PASSPHRASE: '' }, /^Missing passphrase/],
      [[...verify, `--passphrase-file=${place('nowhere')}`], {}, /^File or folder not found/],
      [[...verify, `--passphrase-file=${folder}`], {}, /is a folder, not a file/],
      [[...verify, `--identity=${file}`], {}, /must contain exactly one identity/],
      [[...verify, given, identity], {}, /can't be combined/],
      [[...verify, given, '--plain'], {}, /--plain can't be combined/],
      [
        ['backup', place('new'), dataDir],
        { COFFER_BACKUP_PASSPHRASE: 'short' },
        /^The passphrase must have at least 8/
      ],
      [['backup', place('new'), dataDir, '--encrypt', '--plain'], {}, /can't be combined/]
    ]
    for (const [args, env, words] of wrong) {
      const { code, errors } = await command(args, { env })
      t.equal(code, 1, args.join(' '))
      t.match(errors, words)
      t.equal(errors.trimEnd().split('\n').length, 1, `one line: ${errors}`)
    }
  })
})
